/*
 * Input: any bytes, read as JSON. What the reader accepts must give the same tree after writing (plain, indented, with Go's
 * escapes) and reading again.
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
    return 0;
}
