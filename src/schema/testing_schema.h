/*
 * For the tests of this folder: schemas from text and files, failing the test when that does not work.
 */
#pragma once

#include "base/file.h"
#include "base/json.h"
#include "schema/schema_json.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { TESTING_MAX = 16 << 20 };

/* What the diagnostics say, to be looked through. */
static inline const char *testing_said(const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    diags_write(&text, diags, false);
    return buf_copy(&text, diags->arena).p;
}

static inline void testing_no_errors(const struct diags *diags)
{
    if (diags->n > 0)
        fail_msg("%s", testing_said(diags));
}

/* A file of this folder's testdata. */
#define testing_file(a, name) testing_file_in((a), TERRANE_SOURCE "/src/schema/testdata", (name))
static inline struct str testing_file_in(struct arena *a, const char *folder, const char *name)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str path = arena_printf(a, "%s/%s", folder, name), text = STR_EMPTY;
    file_read(a, path.p, TESTING_MAX, &diags, &text);
    testing_no_errors(&diags);
    return text;
}

static inline const struct json *testing_json(struct arena *a, struct str text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, text, "test", &diags);
    testing_no_errors(&diags);
    return j;
}

static inline const struct provider_schema *testing_read(struct arena *a, const struct json *document)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    testing_no_errors(&diags);
    assert_non_null(s);
    return s;
}

/* Of the members of one provider: {"resource_schemas":{...}}. */
static inline const struct provider_schema *testing_provider(struct arena *a, const char *members)
{
    struct str text = arena_printf(a, "{\"format_version\":\"1.0\",\"provider_schemas\":{\"test\":%s}}", members);
    return testing_read(a, testing_json(a, text));
}

/* Of the members of one block, which is resource "t". */
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
