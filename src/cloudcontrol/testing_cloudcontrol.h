/*
 * For the tests of this folder: schemas and types from text, facts of the data beside the repository.
 */
#pragma once

#include "base/file.h"
#include "cloudcontrol/translate.h"

#include <stdlib.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { TESTING_MAX = 64 << 20 };

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

static inline void testing_says(const struct diags *diags, const char *part)
{
    if (!strstr(testing_said(diags), part))
        fail_msg("expected \"%s\" in: %s", part, testing_said(diags));
}

static inline void testing_text(struct str got, const char *expected)
{
    if (!str_eqz(got, expected))
        fail_msg("got \"" STR_FMT "\", expected \"%s\"", STR_ARG(got), expected);
}

/* The folder of the data beside the repository. */
#define testing_shared(a) testing_shared_in((a), TERRANE_SOURCE "/../shared")
static inline struct str testing_shared_in(struct arena *a, const char *usual)
{
    const char *shared = getenv("TERRANE_SHARED");
    return arena_printf(a, "%s/data/cloudcontrol", shared ? shared : usual);
}

/* The cases of a file of facts; NULL: the data is not there, and the test is to be skipped. */
#define testing_facts(a, name) testing_facts_in((a), TERRANE_SOURCE "/../shared", (name))
static inline const struct json *testing_facts_in(struct arena *a, const char *usual, const char *name)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str path = arena_printf(a, STR_FMT "/facts/%s", STR_ARG(testing_shared_in(a, usual)), name), text;
    if (!file_exists(path.p))
        return NULL;
    (void)file_read(a, path.p, TESTING_MAX, &diags, &text);
    testing_no_errors(&diags);
    const struct json *file = json_parse(a, text, name, &diags);
    testing_no_errors(&diags);
    return json_get(file, "cases");
}

static inline struct str testing_member(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static inline const struct json *testing_json(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, str_of(text), "test", &diags);
    testing_no_errors(&diags);
    return j;
}

static inline const struct cfn_schema *testing_cfn(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct cfn_schema *s = cfn_schema_parse(a, str_of(text), "test", &diags);
    testing_no_errors(&diags);
    assert_non_null(s);
    return s;
}

/* AWS::Test::Thing, by members of its schema besides the name. */
static inline const struct cc_type *testing_type(struct arena *a, enum cc_mode mode, const char *members)
{
    struct str text =
        arena_printf(a, "{\"typeName\":\"AWS::Test::Thing\",\"primaryIdentifier\":[\"/properties/Name\"],%s}", members);
    return cc_translate(a, testing_cfn(a, text.p), mode);
}

/* A schema of our own, from the folder of examples. */
#define testing_example(a, name) testing_example_in((a), TERRANE_SOURCE "/src/cloudcontrol/examples", (name))
static inline const struct cfn_schema *testing_example_in(struct arena *a, const char *folder, const char *name)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str path = arena_printf(a, "%s/%s", folder, name), text;
    (void)file_read(a, path.p, TESTING_MAX, &diags, &text);
    testing_no_errors(&diags);
    return testing_cfn(a, text.p);
}
