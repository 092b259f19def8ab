/*
 * ConversionReview (apiextensions.k8s.io/v1): turns the request of an API server into the answer. Pure: bytes in, bytes out.
 *
 * Requests are not trusted. One that cannot be parsed is an HTTP error; if one of its objects cannot be converted, the answer has
 * result.status Failure and no objects, as Kubernetes requires.
 */
#pragma once

#include "controller/kinds.h"

enum {
    REVIEW_MAX_BYTES = 64 << 20, /* of a request: a page of 500 objects of the largest size that a server accepts would be larger,
                                    but none was ever seen */
    REVIEW_MAX_OBJECTS = 10000,
};

enum review_outcome {
    REVIEW_ANSWERED, /* `ret` has the answer: the objects, or the failure */
    REVIEW_BAD,      /* not a ConversionReview: a diagnostic */
};

/* May be called from any thread. */
enum review_outcome conversion_review(struct kinds *kinds, struct arena *a, struct str request, struct diags *diags,
                                      struct buf *ret);
