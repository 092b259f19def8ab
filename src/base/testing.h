/*
 * For all tests: cmocka, checks of diagnostics, JSON from text, the test data of tests/data, skipping.
 *
 * Functions that need a path get it through a macro, because TERRANE_SOURCE is defined for the test and not for this file.
 */
#pragma once

#include "base/diag.h"
#include "base/file.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

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

static inline struct str testing_file_in(struct arena *a, const char *folder, const char *name)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str path = arena_printf(a, "%s/%s", folder, name), text = STR_EMPTY;
    (void)file_read(a, path.p, TESTING_MAX, &diags, &text);
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

static inline const struct json *testing_jsonz(struct arena *a, const char *text)
{
    return testing_json(a, str_of(text));
}

static inline struct str testing_member(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

/* A file or folder of tests/data, or of the full data sets in the folder TERRANE_DATA. */
#define testing_data(a, name) testing_data_in((a), TERRANE_SOURCE "/tests/data", (name))
static inline struct str testing_data_in(struct arena *a, const char *usual, const char *name)
{
    const char *full = getenv("TERRANE_DATA");
    return arena_printf(a, "%s/%s", full && *full ? full : usual, name);
}

/* The cases of a file of facts. */
#define testing_facts(a, folder, name) testing_facts_in((a), testing_data((a), folder "/facts"), (name))
static inline const struct json *testing_facts_in(struct arena *a, struct str folder, const char *name)
{
    return json_get(testing_json(a, testing_file_in(a, folder.p, name)), "cases");
}

/*
 * Skips the rest of the test because the machine lacks something: "KIND:NAME" (tests/README.md), then the reason. The runner
 * reads the printed line, because cmocka reports no reason. The test does not return, so it must not hold anything that must be
 * freed.
 */
#define testing_skip(lacks, why)                                                                                                 \
    do {                                                                                                                         \
        print_message("# skip %s %s\n", (lacks), (why));                                                                         \
        skip();                                                                                                                  \
    } while (0)
