/*
 * For the tests of this folder: translates types from strings.
 */
#pragma once

#include "cfn/testing_cfn.h"
#include "translate/translate.h"

/* AWS::IoT::Thing, a type that awscc has, with these members in its schema in addition to name and identifier. */
static inline const struct cc_type *testing_type(struct arena *a, enum cfn_mode mode, const char *members)
{
    struct str text =
        arena_printf(a, "{\"typeName\":\"AWS::IoT::Thing\",\"primaryIdentifier\":[\"/properties/Name\"],%s}", members);
    return cc_translate(a, testing_cfn(a, text.p), mode);
}
