/*
 * ConversionReview (apiextensions.k8s.io/v1): what an API server asks, and what it is answered. Pure: bytes in, bytes out.
 *
 * Everything in a request is somebody else's. A request that is not understood is an error of HTTP; one whose objects cannot all
 * be converted is answered with result.status Failure, and none of them, as Kubernetes asks for.
 */
#pragma once

#include "controller/kinds.h"

enum {
    REVIEW_MAX_BYTES = 64 << 20, /* of a request: a page of 500 objects of the size that a server takes would be larger, and
                                  * none was ever seen */
    REVIEW_MAX_OBJECTS = 10000,
};

enum review_outcome {
    REVIEW_ANSWERED, /* `ret` has the answer: converted, or why not */
    REVIEW_BAD,      /* not a ConversionReview: a diagnostic */
};

/* From any thread. */
enum review_outcome conversion_review(struct kinds *kinds, struct arena *a, struct str request, struct diags *diags,
                                      struct buf *ret);
