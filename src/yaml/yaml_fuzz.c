/*
 * Input: any bytes, read as YAML. What is accepted must give the same tree after writing and reading again, and must be writable
 * as JSON.
 */
#include "yaml/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 64 << 20, OUTPUT = 64 << 20 };

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void round_trip(struct arena *a, const struct json *tree, struct diags *diags)
{
    struct buf yaml BUF_AUTO = BUF_INIT(OUTPUT), json BUF_AUTO = BUF_INIT(OUTPUT);
    struct json_writer w = {.out = &json};
    yaml_write(&yaml, tree);
    json_write(&w, tree);
    if (!json_finish(&w) || !buf_ok(&yaml))
        return; /* aliases make small inputs large */
    const struct json *again = yaml_parse(a, buf_str(&yaml), "yaml", diags);
    check(arena_exhausted(a) || (again && json_eq(tree, again)));
    again = json_parse(a, buf_str(&json), "json", diags);
    check(arena_exhausted(a) || (again && json_eq(tree, again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, MEMORY);
    struct diags diags;
    struct yaml_documents documents;
    diags_init(&diags, a);
    bool ok = yaml_parse_all(a, (struct str){(const char *)data, size}, "input", &diags, &documents);
    check(ok != diags_has_errors(&diags));
    for (size_t i = 0; ok && i < documents.n; i++)
        round_trip(a, documents.v[i], &diags);
    return 0;
}
