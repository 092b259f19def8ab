/*
 * Values as JSON: state files, RawState, DynamicValue.json. Numbers as plain decimals; a DYNAMIC position holds
 * {"value":V,"type":T}. Unknown and infinity cannot be written. Reading is lenient with primitive tokens as Terraform is:
 * "1" for a number, 1 for a string, "true" for a bool; an attribute that is absent is null.
 */
#pragma once

#include "value/value.h"

/* False and a diagnostic when `v` does not conform to `t` or cannot be written; then half a value may stand in the writer. */
bool value_write_json(struct json_writer *w, const struct value *v, const struct type *t, struct diags *diags);
const struct value *value_from_json(struct arena *a, const struct json *j, const struct type *t, struct path at,
                                    struct diags *diags);

/* The type that JSON text suggests by itself: objects and tuples, never maps and lists; null gives DYNAMIC. */
const struct type *type_implied_by_json(struct arena *a, const struct json *j);
/* A value of that type. */
const struct value *value_implied_by_json(struct arena *a, const struct json *j, struct diags *diags);
