/* For the tests of this folder: kinds from a schema in text, and JSON as one line. */
#pragma once

#include "crossplane/testing_crossplane.h"
#include "managed/edit.h"

static inline struct xp_kind *testing_kind_of(struct arena *a, const char *block, const char *yaml)
{
    struct xp_kind *k = arena_make(a, struct xp_kind);
    struct testing_kind t = testing_build(a, block, yaml, COMPAT_OWN);
    testing_no_errors(&t.diags);
    assert_int_equal(t.result, MODEL_OK);
    *k = t.kind;
    return k;
}

static inline const char *testing_line(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    if (!j)
        return "NULL";
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_copy(&out, a).p;
}

/* Checks that two values are equal; shows both otherwise. */
static inline void testing_same(struct arena *a, const struct json *got, const char *expected)
{
    if (!got || !json_eq(got, testing_jsonz(a, expected)))
        fail_msg("got %s, expected %s", testing_line(a, got), expected);
}
