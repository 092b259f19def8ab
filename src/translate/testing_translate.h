/*
 * For the tests of this folder: types from text.
 */
#pragma once

#include "cfn/testing_cfn.h"
#include "translate/translate.h"

/* AWS::IoT::Thing, which awscc has, by members of its schema besides the name. */
static inline const struct cc_type *testing_type(struct arena *a, enum cfn_mode mode, const char *members)
{
    struct str text =
        arena_printf(a, "{\"typeName\":\"AWS::IoT::Thing\",\"primaryIdentifier\":[\"/properties/Name\"],%s}", members);
    return cc_translate(a, testing_cfn(a, text.p), mode);
}
