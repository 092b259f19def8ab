/*
 * Parses any bytes as HCL: the result must be a tree that can be walked completely, or a diagnostic. A tree that can be written
 * must be the same after parsing.
 */
#include "hcl/testing_dump.h"
#include "hcl/write.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes it inside a block, where everything is indented, including heredocs. */
static void write_nested(struct arena *a, const struct hcl_body *body, struct str tree)
{
    struct buf text BUF_AUTO = BUF_INIT(LIMIT), again BUF_AUTO = BUF_INIT(LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    struct hcl_block block = {.type = STR("block"), .body = *body};
    hcl_write(&text, &(struct hcl_body){.blocks = &block, .n_blocks = 1});
    const struct hcl_body *read = hcl_parse(a, buf_copy(&text, a), "nested", 1, &diags);
    if (!read) /* too deep, or too large */
        return;
    dump_body(&again, &read->blocks[0].body);
    if (!str_eq(buf_str(&again), tree))
        abort();
}

static void write_and_read(struct arena *a, const struct hcl_body *body, struct str tree)
{
    struct buf text BUF_AUTO = BUF_INIT(LIMIT), again BUF_AUTO = BUF_INIT(LIMIT), json BUF_AUTO = BUF_INIT(LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    hcl_write(&text, body);
    if (text.n > HCL_LIMIT_BYTES)
        return;
    const struct hcl_body *read = hcl_parse(a, buf_copy(&text, a), "written", 1, &diags);
    if (read)
        dump_body(&again, read);
    if (!str_eq(buf_str(&again), tree))
        abort();
    write_nested(a, body, tree);
    struct json_writer w = {.out = &json};
    hcl_write_json(&w, body);
    (void)json_finish(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct hcl_body *body = hcl_parse(a, (struct str){(const char *)data, size}, "fuzz", 1, &diags);
    if ((body == NULL) != (diags.n == 1))
        abort();
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    if (body)
        dump_body(&out, body);
    if (body && hcl_can_write(body))
        write_and_read(a, body, buf_str(&out));
    return 0;
}
