/*
 * ARNs: arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE. Pure.
 */
#pragma once

#include "base/str.h"

/* The rule of AWS's SDK for Go: six parts, of which the last may contain colons. */
bool aws_arn_valid(struct str text);
/* The account or the partition of an ARN; empty if there is none. */
struct str aws_arn_account(struct str arn);
struct str aws_arn_partition(struct str arn);
