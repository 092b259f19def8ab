/*
 * Sample values: JSON that a schema accepts, made from the schema alone. The emulator uses them for properties that only the
 * service sets; tests and examples start from them.
 *
 * The same seed gives the same value; other seeds give other strings where the schema allows it. A sample is a best effort (a
 * pattern may be too hard to satisfy): callers that need certainty must check it (model.h).
 */
#pragma once

#include "cfn/regex.h"
#include "cfn/schema.h"

struct emulator_sampler {
    struct arena *arena;
    const struct cfn_schema *schema;
    struct str account, region; /* for ARNs */
    uint64_t seed;
    size_t extra;    /* how many optional properties of an object to add */
    size_t elements; /* in arrays, where the schema allows it; at least one and the schema's minimum */
    size_t nth;      /* index in an array; makes its numbers differ */
    size_t *left;    /* remaining budget shared by several samples; NULL: EMULATOR_SAMPLE_WORK for each */
};

/*
 * A short schema can require a huge sample (definitions that require each other, arrays with a minimum number of arrays). So
 * there are limits for the depth, the length of a string, and the work for one sample: EMULATOR_SAMPLE_VALUE for each value and
 * each attempt at a string, and 1 for each byte and step of these.
 */
enum { EMULATOR_SAMPLE_DEPTH = 12, EMULATOR_SAMPLE_TEXT = 2048, EMULATOR_SAMPLE_WORK = 4 << 20, EMULATOR_SAMPLE_VALUE = 64 };

/* A value for this subschema; `name` is the property's, to distinguish an ARN from an id. NULL if too deep or too large. */
const struct json *emulator_sample(const struct emulator_sampler *s, const struct json *subschema, struct str name);

/*
 * The smallest model that can be created: the required properties at all levels, without read-only ones. Of alternatives (oneOf,
 * anyOf of required sets) it satisfies the first. NULL and a diagnostic if the schema requires too much.
 */
const struct json *emulator_sample_model(const struct emulator_sampler *s, struct diags *diags);

/* --- texts (sample_text.c) --- */

/* Subtracts work from the budget; false if the budget is too small, which also exhausts it. */
static inline bool emulator_sample_spend(size_t *left, size_t work)
{
    bool enough = work <= *left;
    *left -= enough ? work : *left;
    return enough;
}

bool emulator_sample_fits(const struct cfn_regex *regex, struct str text, size_t min, size_t max);
/* A string that matches the pattern (and `regex`, its compiled form), with `min` to `max` bytes if possible (max 0: any). */
struct str emulator_sample_text(struct arena *a, const struct cfn_pattern *pattern, const struct cfn_regex *regex, size_t min,
                                size_t max, uint64_t seed, size_t *left);
