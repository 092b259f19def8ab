/*
 * For the tests of this folder: schemas and types from text.
 */
#pragma once

#include "base/testing.h"
#include "cloudcontrol/translate.h"

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
    return testing_cfn(a, testing_file_in(a, folder, name).p);
}
