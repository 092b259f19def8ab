/*
 * A model: the properties of one object, as the service stores them. These functions check it with the service's messages, fill
 * in what only the service knows, and select what a client may see.
 */
#pragma once

#include "emulator/sample.h"

enum emulator_model_check {
    EMULATOR_CHECK_CALL,  /* what the call itself rejects: names, types, limits */
    EMULATOR_CHECK_WHOLE, /* also what the handler rejects later: missing required properties */
};

/* False and a message such as "#/Tags/0: required key [Key] not found". */
bool emulator_model_check(struct arena *a, const struct cfn_schema *s, const struct json *model, enum emulator_model_check what,
                          struct str *ret_problem);

/* The first read-only property that the model contains, which no client may set, as a pointer: /properties/Arn. Empty if none. */
struct str emulator_model_read_only(struct arena *a, const struct cfn_schema *s, const struct json *model);
/* The create-only properties that differ, joined with ", "; empty if none. Ignores those that clients cannot read. */
struct str emulator_model_create_only(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                      const struct json *after);

/* The same for read-only properties. A removed one does not count: a patch may drop what the service fills in again. */
struct str emulator_model_read_only_changed(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                            const struct json *after);

/* Restores in `after` what a client cannot remove: parts of the identifier, read-only properties, and properties that are both
 * create-only and write-only, because they were set once and are never returned. */
const struct json *emulator_model_keep(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                       const struct json *after);

/* Adds the schema's defaults, and values for the parts of the identifier and for each read-only property whose parent object
 * exists. Keeps existing values. */
const struct json *emulator_model_complete(const struct emulator_sampler *sampler, const struct json *model);

/* The values of the primary identifier, joined with |. False if one of them is missing. */
bool emulator_model_identifier(struct arena *a, const struct cfn_schema *s, const struct json *model, struct str *ret);
/* Only the properties of the primary identifier. */
const struct json *emulator_model_identity(struct arena *a, const struct cfn_schema *s, const struct json *model);

/* What clients see: without write-only properties, and with unordered arrays shuffled by the seed (0: not shuffled). */
const struct json *emulator_model_visible(struct arena *a, const struct cfn_schema *s, const struct json *model,
                                          uint64_t shuffle);
