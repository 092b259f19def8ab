/* What an API server answers instead of what was asked for: Status objects, as results and as diagnostics. */
#pragma once

#include "base/json.h"
#include "kube/path.h"

enum kube_result {
    KUBE_OK,
    KUBE_NOT_FOUND,
    KUBE_EXISTS,       /* create: there is one of that name */
    KUBE_CONFLICT,     /* it is not the object that was read, or preconditions do not hold, or another manager owns the fields */
    KUBE_INVALID,      /* it will never be accepted as it is */
    KUBE_TOO_LARGE,    /* the object, or the answer */
    KUBE_GONE,         /* that version is no longer known: list again */
    KUBE_FORBIDDEN,    /* the diagnostic names the right that is missing */
    KUBE_UNAUTHORIZED, /* not with these credentials */
    KUBE_CANCELLED,
    KUBE_UNAVAILABLE, /* it did not answer, or said that it cannot now: nothing was done */
    KUBE_UNKNOWN,     /* a request that must not be sent twice was cut off: it may have been done */
};

/* By the HTTP status and, where that is not enough, the reason in the answer (NULL: there is none). */
enum kube_result kube_result_of(long status, const struct json *answer);

/*
 * The answer as diagnostics: one for each cause, with the field's path, or one with the message. A right that is missing is named
 * with what to grant. `answer`: the Status; NULL when it is not one. `why`: a sentence that goes on where the message ends; may
 * be empty.
 */
void kube_explain(struct diags *diags, long status, const struct json *answer, const struct kube_right *right, struct str why);
