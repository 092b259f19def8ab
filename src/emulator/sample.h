/*
 * Sample values: JSON that a schema accepts, made from nothing but the schema. The emulator fills what only a service knows with
 * them, tests and examples start from them.
 *
 * The same seed gives the same value; texts of another seed differ where the schema leaves room for it. A sample is a proposal:
 * whoever needs certainty checks it (model.h). What cannot be met (a pattern out of reach) gives the nearest that could be made.
 */
#pragma once

#include "cfn/regex.h"
#include "cfn/schema.h"

struct emulator_sampler {
    struct arena *arena;
    const struct cfn_schema *schema;
    struct str account, region; /* for ARNs */
    uint64_t seed;
    size_t extra;    /* so many optional properties of an object are given too */
    size_t elements; /* of arrays, where the schema leaves room; never fewer than it asks for, or than one */
    size_t nth;      /* of an array: numbers differ by it */
    size_t *left;    /* what may still be made, for several samples together; NULL: each may cost EMULATOR_SAMPLE_WORK */
};

/*
 * A schema may ask for far more than it is long: definitions that require each other, arrays with a least number of arrays. So
 * there are bounds: of the depth, below which nothing is made; of the length of a text; and of all that is made for one sample,
 * counted where it is made: EMULATOR_SAMPLE_VALUE for each value and each attempt at a text, 1 for each byte and step of these.
 */
enum { EMULATOR_SAMPLE_DEPTH = 12, EMULATOR_SAMPLE_TEXT = 2048, EMULATOR_SAMPLE_WORK = 4 << 20, EMULATOR_SAMPLE_VALUE = 64 };

/* A value for this subschema; `name` is that of the property, which tells an ARN from an id. NULL: too deep, or too much. */
const struct json *emulator_sample(const struct emulator_sampler *s, const struct json *subschema, struct str name);

/*
 * The least model that can be created: required properties, and of those in objects the required ones; nothing read-only. Of
 * alternatives (oneOf, anyOf of required sets) the first is met. NULL and a diagnostic: the schema asks for too much.
 */
const struct json *emulator_sample_model(const struct emulator_sampler *s, struct diags *diags);

/* --- texts (sample_text.c) --- */

/* Takes it from what is left; false: there is not so much, and nothing is left. */
static inline bool emulator_sample_spend(size_t *left, size_t work)
{
    bool enough = work <= *left;
    *left -= enough ? work : *left;
    return enough;
}

bool emulator_sample_fits(const struct cfn_regex *regex, struct str text, size_t min, size_t max);
/* A text that the pattern and its regex match, with at least `min` and at most `max` bytes where that leaves room (max 0: any).
 */
struct str emulator_sample_text(struct arena *a, const struct cfn_pattern *pattern, const struct cfn_regex *regex, size_t min,
                                size_t max, uint64_t seed, size_t *left);
