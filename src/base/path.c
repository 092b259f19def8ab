#include "base/path.h"

#include "base/buf.h"

#include <inttypes.h>

enum { MAX_PATH_TEXT = 64 << 10 };

static struct path extend(struct arena *a, struct path parent, struct path_step step)
{
    struct path_step *steps = arena_make_n(a, struct path_step, parent.n + 1);
    if (parent.n > 0)
        memcpy(steps, parent.steps, parent.n * sizeof *steps);
    steps[parent.n] = step;
    return (struct path){steps, parent.n + 1};
}

struct path path_attr(struct arena *a, struct path parent, struct str name)
{
    return extend(a, parent, (struct path_step){.kind = PATH_ATTR, .name = name});
}

struct path path_key(struct arena *a, struct path parent, struct str key)
{
    return extend(a, parent, (struct path_step){.kind = PATH_KEY, .name = key});
}

struct path path_index(struct arena *a, struct path parent, int64_t index)
{
    return extend(a, parent, (struct path_step){.kind = PATH_INDEX, .index = index});
}

struct path path_element(struct arena *a, struct path parent, const struct value *element)
{
    return extend(a, parent, (struct path_step){.kind = PATH_ELEMENT, .element = element});
}

static bool step_eq(const struct path_step *a, const struct path_step *b)
{
    return a->kind == b->kind && str_eq(a->name, b->name) && a->index == b->index && a->element == b->element;
}

bool path_eq(struct path a, struct path b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (!step_eq(&a.steps[i], &b.steps[i]))
            return false;
    return true;
}

/* Escapes the key as in a string of the Terraform language. */
static void write_key(struct buf *out, struct str key)
{
    buf_addz(out, "[\"");
    for (size_t i = 0; i < key.n; i++) {
        char c = key.p[i];
        if (c == '"' || c == '\\')
            buf_addc(out, '\\');
        if (c == '\n')
            buf_addz(out, "\\n");
        else
            buf_addc(out, c);
    }
    buf_addz(out, "\"]");
}

void path_write_with(struct buf *out, struct path path, void (*key)(struct buf *out, struct str key))
{
    for (size_t i = 0; i < path.n; i++) {
        const struct path_step *step = &path.steps[i];
        switch (step->kind) {
        case PATH_ATTR:
            if (i > 0)
                buf_addc(out, '.');
            buf_add(out, step->name);
            break;
        case PATH_KEY:
            key(out, step->name);
            break;
        case PATH_INDEX:
            buf_printf(out, "[%" PRId64 "]", step->index);
            break;
        case PATH_ELEMENT:
            buf_addz(out, "[...]");
            break;
        }
    }
}

void path_write(struct buf *out, struct path path)
{
    path_write_with(out, path, write_key);
}

struct str path_text(struct arena *a, struct path path)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_PATH_TEXT);
    path_write(&text, path);
    return buf_copy(&text, a);
}
