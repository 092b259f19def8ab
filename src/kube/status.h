/* Errors of an API server: its Status objects as results and as diagnostics. */
#pragma once

#include "base/json.h"
#include "kube/path.h"

enum kube_result {
    KUBE_OK,
    KUBE_NOT_FOUND,
    KUBE_EXISTS,    /* create: an object of that name exists */
    KUBE_CONFLICT,  /* the object has changed since it was read, preconditions do not hold, or another manager owns the fields */
    KUBE_INVALID,   /* the object will never be accepted as it is */
    KUBE_TOO_LARGE, /* the object, or the answer */
    KUBE_GONE,      /* that version is too old: list again */
    KUBE_FORBIDDEN, /* the diagnostic names the right that is missing */
    KUBE_UNAUTHORIZED, /* the server rejects the credentials */
    KUBE_CANCELLED,
    KUBE_UNAVAILABLE, /* no answer, or the server is temporarily unable: nothing was done */
    KUBE_UNKNOWN,     /* a request that must not be retried was cut off: it may have been processed */
};

/* A refusal that does not pass by itself: somebody should hear of it. */
bool kube_is_lasting(enum kube_result result);

/* From the HTTP status and, where that is not enough, the reason in the answer (NULL: none). */
enum kube_result kube_result_of(long status, const struct json *answer);

/*
 * Reports the answer as diagnostics: one for each cause, with the field's path, or a single one with the message. For a missing
 * right, the diagnostic says what to grant. `answer`: the Status; NULL when the answer is not one. `why`: a sentence that is
 * appended to the message; may be empty.
 */
void kube_explain(struct diags *diags, long status, const struct json *answer, const struct kube_right *right, struct str why);
