/* For the tests of this folder: tables and schemas from text. */
#pragma once

#include "links/links.h"
#include "schema/schema_json.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { TESTING_MAX = 16 << 20 };

static struct arena *testing_arena;

static inline int testing_begin(void **state)
{
    (void)state;
    testing_arena = arena_new(NULL, 0);
    return 0;
}

static inline int testing_end(void **state)
{
    (void)state;
    arena_free(testing_arena);
    return 0;
}

static inline void testing_no_errors(const struct diags *diags)
{
    if (diags->n > 0)
        fail_msg(STR_FMT, STR_ARG(diags->v[0].detail));
}

static inline struct link_table testing_table(struct arena *a, const char *text)
{
    struct link_table t;
    struct diags diags;
    links_init(&t, a);
    diags_init(&diags, a);
    (void)links_read(&t, str_of(text), "t", &diags);
    testing_no_errors(&diags);
    return t;
}

static inline struct str testing_written(struct arena *a, const struct link_table *t)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    links_write(&out, t);
    return buf_copy(&out, a);
}

/* A provider whose resource types are given as JSON: "NAME":{"block":{...}},... */
static inline const struct provider_schema *testing_schema(struct arena *a, const char *types)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text = arena_printf(
        a, "{\"format_version\":\"1.0\",\"provider_schemas\":{\"registry.terraform.io/test/x\":{\"resource_schemas\":{%s}}}}",
        types);
    const struct json *document = json_parse(a, text, "schema", &diags);
    testing_no_errors(&diags);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    testing_no_errors(&diags);
    return s;
}
