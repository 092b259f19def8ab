/*
 * Input: any JSON, read as a schema document. Reading must not crash, and what can be read must be the same after writing and
 * reading it again. The checks and the text forms run too.
 */
#include "schema/schema_json.h"

#include "base/json.h"
#include "schema/schema_check.h"
#include "schema/schema_text.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str write_all(struct arena *a, const struct provider_schema *s)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer w = {.out = &out};
    schema_write_document(&w, STR("fuzz"), s, STR_EMPTY, SCHEMA_JSON_ALL);
    return json_finish(&w) ? buf_copy(&out, a) : STR_EMPTY;
}

static void must_be_equal(struct arena *a, const struct provider_schema *s, struct str text)
{
    if (!s || !str_eq(write_all(a, s), text))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *document = json_parse(a, (struct str){(const char *)data, size}, "fuzz", &diags);
    const struct provider_schema *s = document ? schema_read_document(a, document, STR_EMPTY, NULL, &diags) : NULL;
    if (!s)
        return 0;
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    provider_schema_check(s, &diags);
    schema_text_tree(&out, s, STR_EMPTY, &(struct schema_text_style){.colour = true, .descriptions = true});
    struct schema_summary summary = schema_summarise(s);
    schema_summary_text(&out, &summary, &(struct schema_text_style){0});

    struct str text = write_all(a, s);
    if (text.n == 0)
        return 0; /* types nested so deep that they cannot be written */
    document = json_parse(a, text, "fuzz", &diags);
    must_be_equal(a, schema_read_document(a, document, STR_EMPTY, NULL, &diags), text);
    return 0;
}
