/*
 * Converts a value to a wanted type, as the language does when a value is assigned to an argument: number and bool to string,
 * string to number and bool, among list, set and tuple, between map and object. Null stays null, unknown stays unknown. A missing
 * attribute is an error unless it is optional. On failure it returns NULL and adds a diagnostic: its path starts with `at`, its
 * detail is the path and Terraform's message, such as "ports[1]: a number is required".
 */
#pragma once

#include "value/value.h"

const struct value *value_convert(struct arena *a, const struct value *v, const struct type *want, struct path at,
                                  struct diags *diags);

/* Says, for a message, why there is no conversion. */
struct str convert_mismatch(struct arena *a, const struct type *got, const struct type *want);
