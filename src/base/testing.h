/*
 * For all tests: cmocka, what diagnostics say, JSON from text, facts of the data beside the repository.
 *
 * Functions that need a path take it from a macro: TERRANE_SOURCE is known to the test, not to this file.
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

/* A folder of the data beside the repository. */
#define testing_data(a, folder) testing_data_in((a), TERRANE_SOURCE "/../shared", (folder))
static inline struct str testing_data_in(struct arena *a, const char *usual, const char *folder)
{
    const char *shared = getenv("TERRANE_SHARED");
    return arena_printf(a, "%s/data/%s", shared ? shared : usual, folder);
}

/* The cases of a file of facts; NULL: the data is not there, and the test is to be skipped. */
#define testing_facts(a, folder, name) testing_facts_in((a), testing_data((a), (folder)), (name))
static inline const struct json *testing_facts_in(struct arena *a, struct str data, const char *name)
{
    struct str folder = arena_printf(a, STR_FMT "/facts", STR_ARG(data));
    if (!file_exists(arena_printf(a, STR_FMT "/%s", STR_ARG(folder), name).p))
        return NULL;
    return json_get(testing_json(a, testing_file_in(a, folder.p, name)), "cases");
}
