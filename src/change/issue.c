/*
 * Issues and paths as text, in the two forms that core uses: as a reference in the language, and as Go source.
 */
#include "base/buf.h"
#include "change/go_text_private.h"
#include "change/walk_private.h"
#include "value/text.h"

#include <stdio.h>

void change_issue_add(struct change_issues *issues, struct path path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *VEC_PUSH(issues->arena, issues) = (struct change_issue){path, arena_vprintf(issues->arena, format, args)};
    va_end(args);
}

static void write_key(struct buf *out, struct str key)
{
    buf_addc(out, '[');
    text_write_quoted(out, key);
    buf_addc(out, ']');
}

struct str change_path_text(struct arena *a, struct path path)
{
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    if (path.n > 0 && path.steps[0].kind == PATH_ATTR)
        buf_addc(&out, '.');
    path_write_with(&out, path, write_key);
    return buf_copy(&out, a);
}

struct str change_issue_text(struct arena *a, struct str prefix, const struct change_issue *issue)
{
    struct str path = change_path_text(a, issue->path);
    if (prefix.n == 0 && path.n == 0)
        return issue->text;
    return arena_printf(a, STR_FMT STR_FMT ": " STR_FMT, STR_ARG(prefix), STR_ARG(path), STR_ARG(issue->text));
}

static void write_go_step(struct buf *out, struct arena *a, const struct path_step *step)
{
    switch (step->kind) {
    case PATH_ATTR:
        buf_addz(out, "cty.GetAttrStep{Name:");
        text_write_quoted(out, step->name);
        break;
    case PATH_KEY:
        buf_addz(out, "cty.IndexStep{Key:cty.StringVal(");
        text_write_quoted(out, step->name);
        buf_addc(out, ')');
        break;
    case PATH_INDEX:
        buf_addz(out, "cty.IndexStep{Key:");
        buf_add(out, go_text(a, value_int(a, step->index), NULL));
        break;
    case PATH_ELEMENT:
        buf_addz(out, "cty.IndexStep{Key:...");
        break;
    }
    buf_addc(out, '}');
}

struct str change_path_go_text(struct arena *a, struct path path)
{
    struct buf out BUF_AUTO = BUF_INIT(CHANGE_MAX_TEXT);
    buf_addz(&out, "cty.Path{");
    for (size_t i = 0; i < path.n; i++) {
        if (i > 0)
            buf_addz(&out, ", ");
        write_go_step(&out, a, &path.steps[i]);
    }
    buf_addc(&out, '}');
    return buf_copy(&out, a);
}
