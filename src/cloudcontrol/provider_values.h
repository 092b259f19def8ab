/*
 * ARNs and durations of the provider's own block, as awscc's types have them. Pure.
 */
#pragma once

#include "value/value.h"

/* A configured text as awscc's types have it: null and unknown as they are, a text that is no ARN is unknown. */
const struct value *cc_arn_value(struct arena *a, const struct value *configured);
const struct value *cc_duration_value(struct arena *a, const struct value *configured);
/* Null and unknown are valid. */
bool cc_arn_value_valid(const struct value *v);
bool cc_duration_value_valid(const struct value *v);
