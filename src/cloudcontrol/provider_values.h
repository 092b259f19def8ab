/*
 * Values of the provider's own block: ARNs, durations. Pure.
 */
#pragma once

#include "value/value.h"

/* arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE, as AWS's SDK for Go takes it: six parts, the last may have more colons. */
bool cc_arn_valid(struct str text);
/* The account of an ARN, or its partition; empty: there is none. */
struct str cc_arn_account(struct str arn);
struct str cc_arn_partition(struct str arn);

/* As Go's time.ParseDuration: "2h", "1h30m", "1.5s", "-3ms", "0". In nanoseconds. */
bool cc_duration_parse(struct str text, int64_t *ret_ns);

/* A configured text as awscc's types have it: null and unknown as they are, a text that is no ARN is unknown. */
const struct value *cc_arn_value(struct arena *a, const struct value *configured);
const struct value *cc_duration_value(struct arena *a, const struct value *configured);
/* Null and unknown are valid. */
bool cc_arn_value_valid(const struct value *v);
bool cc_duration_value_valid(const struct value *v);
