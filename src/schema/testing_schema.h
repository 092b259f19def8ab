/*
 * For the tests of this folder: reads schemas from text and files, and fails the test on errors.
 */
#pragma once

#include "base/testing.h"
#include "schema/schema_json.h"

/* A file of this folder's testdata. */
#define testing_file(a, name) testing_file_in((a), TERRANE_SOURCE "/src/schema/testdata", (name))

static inline const struct provider_schema *testing_read(struct arena *a, const struct json *document)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    testing_no_errors(&diags);
    assert_non_null(s);
    return s;
}

/* A schema from the members of one provider: {"resource_schemas":{...}}. */
static inline const struct provider_schema *testing_provider(struct arena *a, const char *members)
{
    struct str text = arena_printf(a, "{\"format_version\":\"1.0\",\"provider_schemas\":{\"test\":%s}}", members);
    return testing_read(a, testing_json(a, text));
}

/* A block from its members, as resource "t". */
static inline const struct schema_block *testing_block(struct arena *a, const char *members)
{
    struct str text = arena_printf(a, "{\"resource_schemas\":{\"t\":{\"version\":0,\"block\":%s}}}", members);
    const struct schema *s = map_get(&testing_provider(a, text.p)->resources, STR("t"));
    assert_non_null(s);
    return s->block;
}

static inline struct str testing_write(struct arena *a, const struct provider_schema *s, struct str address, struct str only,
                                       enum schema_json_form form)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    schema_write_document(&w, address, s, only, form);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}
