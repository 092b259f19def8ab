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

/* The one type all of these can be converted to, or NULL; DYNAMIC when that depends on parts whose type is open. */
const struct type *type_unify(struct arena *a, const struct type *const *types, size_t n);

/* Why there is no conversion, for people. */
struct str convert_mismatch(struct arena *a, const struct type *got, const struct type *want);
