/*
 * Sample values: JSON that a schema accepts, made from nothing but the schema. The emulator fills what only a service knows with
 * them, tests and examples start from them.
 *
 * The same seed gives the same value; texts of another seed differ where the schema leaves room for it. A sample is a proposal:
 * whoever needs certainty checks it (model.h). What cannot be met (a pattern out of reach) gives the nearest that could be made.
 */
#pragma once

#include "cloudcontrol/cfn_schema.h"

struct cc_sampler {
    struct arena *arena;
    const struct cfn_schema *schema;
    struct str account, region; /* for ARNs */
    uint64_t seed;
    size_t extra;    /* so many optional properties of an object are given too */
    size_t elements; /* of arrays, where the schema leaves room; never fewer than it asks for, or than one */
    size_t nth;      /* of an array: numbers differ by it */
};

/* Samples are cut off at this depth, and texts at this length. */
enum { CC_SAMPLE_DEPTH = 12, CC_SAMPLE_TEXT = 2048 };

/* A value for this subschema; `name` is that of the property, which tells an ARN from an id. NULL: too deep. */
const struct json *cc_sample(const struct cc_sampler *s, const struct json *subschema, struct str name);

/*
 * The least model that can be created: required properties, and of those in objects the required ones; nothing read-only. Of
 * alternatives (oneOf, anyOf of required sets) the first is met.
 */
const struct json *cc_sample_model(const struct cc_sampler *s);

/* A text that matches the pattern and has at least `min` and at most `max` bytes where the pattern leaves room (max 0: none). */
struct str cc_sample_text(struct arena *a, struct str pattern, size_t min, size_t max, uint64_t seed);
