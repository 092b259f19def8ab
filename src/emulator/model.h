/*
 * A model: the properties of one object as a service holds them, with its schema. What the emulator does to it: checks it in the
 * words of the service, fills what only the service knows, and shows what a client may see.
 */
#pragma once

#include "emulator/sample.h"

enum emulator_model_check {
    EMULATOR_CHECK_CALL,  /* what is refused when the call is made: names, types, limits */
    EMULATOR_CHECK_WHOLE, /* ... and what the handler finds out: required properties */
};

/* False and what is wrong, as "#/Tags/0: required key [Key] not found". */
bool emulator_model_check(struct arena *a, const struct cfn_schema *s, const struct json *model, enum emulator_model_check what,
                          struct str *ret_problem);

/* The first read-only property that the model has though no client may set it; empty: none. As a pointer: /properties/Arn. */
struct str emulator_model_read_only(struct arena *a, const struct cfn_schema *s, const struct json *model);
/* The create-only properties that differ, joined with ", "; empty: none. Those that clients cannot read are not compared. */
struct str emulator_model_create_only(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                      const struct json *after);

/* The same of read-only properties. One that is gone afterwards does not count: a patch may drop what the service will fill anew.
 */
struct str emulator_model_read_only_changed(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                            const struct json *after);

/* `after` with what a client cannot take away, though it no longer has it: parts of the identifier, read-only properties, and
 * those that were given once and are never shown (create-only and write-only). */
const struct json *emulator_model_keep(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                       const struct json *after);

/* Defaults that the schema states, and a value for each read-only property whose owner is there and for the parts of the
 * identifier. What is there already stays. */
const struct json *emulator_model_complete(const struct emulator_sampler *sampler, const struct json *model);

/* Values of the primary identifier, joined with |. False: one of them is missing. */
bool emulator_model_identifier(struct arena *a, const struct cfn_schema *s, const struct json *model, struct str *ret);
/* Only the properties of the primary identifier. */
const struct json *emulator_model_identity(struct arena *a, const struct cfn_schema *s, const struct json *model);

/* Without write-only properties; arrays without an order of their own are shuffled by the seed (0: left as they are). */
const struct json *emulator_model_visible(struct arena *a, const struct cfn_schema *s, const struct json *model,
                                          uint64_t shuffle);
