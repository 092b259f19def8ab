/*
 * Conversion to a wanted type, as the language does when a value meets an argument: number and bool to string, string to
 * number and bool, among list, set and tuple, between map and object. Null stays null, unknown stays unknown. A missing
 * attribute is an error unless optional. NULL and a diagnostic otherwise: its path starts with `at`, its detail is the path
 * and Terraform's message, "ports[1]: a number is required".
 */
#pragma once

#include "value/value.h"

const struct value *value_convert(struct arena *a, const struct value *v, const struct type *want, struct path at,
                                  struct diags *diags);

/* Why there is no conversion, for people. */
struct str convert_mismatch(struct arena *a, const struct type *got, const struct type *want);
