/*
 * For tests: parses schemas from strings.
 */
#pragma once

#include "base/testing.h"
#include "cfn/schema.h"

static inline const struct cfn_schema *testing_cfn(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct cfn_schema *s = cfn_schema_parse(a, str_of(text), "test", &diags);
    testing_no_errors(&diags);
    assert_non_null(s);
    return s;
}

/* A schema from our folder of examples. */
#define testing_example(a, name) testing_example_in((a), TERRANE_SOURCE "/src/cfn/examples", (name))
static inline const struct cfn_schema *testing_example_in(struct arena *a, const char *folder, const char *name)
{
    return testing_cfn(a, testing_file_in(a, folder, name).p);
}
