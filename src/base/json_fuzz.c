/*
 * Any bytes as JSON. What the tree reader accepts must survive writing (plain, indented, with Go's escapes) and reading again;
 * the push reader, fed in pieces, must find the same value, and must not find one where the tree reader does not.
 */
#include "base/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 256 << 20, OUTPUT = 64 << 20 };

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void round_trip(struct arena *a, const struct json *tree, int indent, bool html_escape)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(OUTPUT);
    struct json_writer w = {.out = &out, .indent = indent, .html_escape = html_escape};
    json_write(&w, tree);
    check(json_finish(&w));
    const struct json *again = json_parse(a, buf_str(&out), "output", &diags);
    check(again && json_eq(tree, again) && json_eq(again, tree));
}

struct pushed {
    struct arena *arena;
    const struct json *value;
    size_t n;
};

static bool on_value(void *ctx, struct str text, struct diags *diags)
{
    struct pushed *p = ctx;
    p->n++;
    p->value = json_parse(p->arena, text, "pushed", diags);
    return p->value != NULL;
}

/* Pieces of 1 to 8 bytes, sizes from the input itself. */
static bool push_all(struct json_push *push, const uint8_t *data, size_t size, struct diags *diags)
{
    for (size_t at = 0; at < size;) {
        size_t n = 1 + data[(at * 7 + size) % size] % 8;
        struct str piece = str_slice((struct str){(const char *)data, size}, at, at + n);
        if (!json_push_feed(push, piece, diags))
            return false;
        at += n;
    }
    return json_push_end(push, diags);
}

static void compare_push(struct arena *a, const uint8_t *data, size_t size, const struct json *tree)
{
    struct diags diags;
    diags_init(&diags, a);
    struct pushed pushed = {.arena = a};
    struct json_push *push = json_push_new(size, on_value, &pushed);
    bool ok = push_all(push, data, size, &diags);
    json_push_free(push);
    check(ok != diags_has_errors(&diags));
    bool one_value = ok && pushed.n == 1;
    check(one_value == (tree != NULL));
    check(!tree || json_eq(tree, pushed.value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, MEMORY);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *tree = json_parse(a, (struct str){(const char *)data, size}, "input", &diags);
    check((tree != NULL) != diags_has_errors(&diags));
    if (tree) {
        round_trip(a, tree, 0, false);
        round_trip(a, tree, 2, true);
    }
    compare_push(a, data, size, tree);
    return 0;
}
