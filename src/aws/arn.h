/*
 * ARNs: arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE. Pure.
 */
#pragma once

#include "base/str.h"

/* As AWS's SDK for Go takes it: six parts, the last may have more colons. */
bool aws_arn_valid(struct str text);
/* The account of an ARN, or its partition; empty: there is none. */
struct str aws_arn_account(struct str arn);
struct str aws_arn_partition(struct str arn);
