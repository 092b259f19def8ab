/* Random types and values for property tests, the same sequence for the same seed. Test code only. */
#pragma once

#include "value/value.h"

struct random {
    uint64_t state;
    bool unknowns; /* include unknown values, some of them refined */
    bool dynamics; /* include DYNAMIC in types */
    bool infinities;
};

uint64_t random_next(struct random *r, uint64_t below);
const struct type *random_type(struct random *r, struct arena *a, int depth);
/* A value that conforms to the type. */
const struct value *random_value(struct random *r, struct arena *a, const struct type *t);
