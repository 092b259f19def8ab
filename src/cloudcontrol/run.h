/*
 * Runs operations to completion.
 *
 * Cloud Control accepts a create, update or delete at once and performs it asynchronously. cc_wait() polls the status at once,
 * then with exponential backoff: a random pause between half and all of 0.25 s, then of twice that, and so on up to 30 seconds.
 * If the service sends RetryAfter, that is used instead.
 *
 * - FAILED is an error with the wording of hashicorp's provider, including failed hooks; a DELETE that fails with NotFound is a
 *   success.
 * - CANCEL_COMPLETE is an error: the operation did not happen.
 * - An unknown status may be a new one: it is treated like IN_PROGRESS, as the waiters of AWS's SDKs do, and named in the error
 *   if the deadline passes.
 * - The error of a timeout names the request token, so that users can look up the request. If Ctrl-C stops the wait, the request
 *   is cancelled at the service if the caller wants that.
 *
 * cc_run() starts an operation, waits for it, and retries it after a temporary failure, within the process's retry budget:
 * Throttling up to CC_RUN_TRIES times; ServiceInternalError, NetworkFailure and ServiceTimeout once. Other failures are final.
 *
 * - It always retries a delete;
 * - a create only if nothing was created: the event has no identifier, or GetResource does not find it;
 * - an update only after Throttling, since otherwise part of the patch may be applied: the next plan shows the rest.
 */
#pragma once

#include "cloudcontrol/api.h"

enum {
    CC_WAIT_FIRST_MS = 250,
    CC_WAIT_MAX_S = 30,
    CC_WAIT_MAX_HINT_S = 300, /* a RetryAfter further away than this is ignored */
    CC_RUN_TRIES = 5,         /* attempts for an operation that is throttled */
    CC_RUN_TRIES_BROKEN = 2,  /* attempts for an operation that fails with an error of the service */
    CC_WAIT_CANCEL_S = 10,    /* time to cancel a request */
};

enum cc_wait_result {
    CC_WAIT_DONE,      /* *ret_status is the last event: SUCCESS, or NotFound of a delete */
    CC_WAIT_FAILED,    /* *ret_status is the last event: FAILED */
    CC_WAIT_CANCELLED, /* *ret_status is the last event: CANCEL_COMPLETE, cancelled at the service */
    CC_WAIT_STOPPED,   /* the caller's cancel has fired; the request may still be in progress */
    CC_WAIT_TIMEOUT,   /* the deadline has passed; the request may still be in progress */
    CC_WAIT_ERROR,     /* the status could not be fetched: *ret_failure */
};

struct cc_wait {
    const struct cc_call *call;
    bool cancel_request; /* if stopped or timed out, also cancel the request at the service */
};

/* *ret_status is always set, to the last known status. *ret_failure is set for CC_WAIT_ERROR. */
enum cc_wait_result cc_wait(struct cc_api *api, struct arena *a, const struct cc_progress *begun, const struct cc_wait *wait,
                            struct cc_request_status *ret_status, struct cc_failure *ret_failure);

/* The error message; empty for CC_WAIT_DONE. */
struct str cc_wait_text(struct arena *a, enum cc_wait_result result, const struct cc_request_status *status,
                        const struct cc_failure *failure);

struct cc_run {
    enum cc_operation operation;
    struct str type_name;
    struct str identifier;    /* UPDATE, DELETE */
    struct str desired_state; /* CREATE */
    struct str patch;         /* UPDATE */
    struct cc_wait wait;
};

struct cc_ran {
    enum cc_wait_result result;
    bool begun;                      /* the service accepted the request: `status` is set */
    struct cc_request_status status; /* of the last attempt */
    struct cc_failure failure;       /* CC_WAIT_ERROR */
    int tries;
    /* Of the existing object, if known; also after a failed CREATE that left an object behind. */
    struct str identifier;
};

/* True if the operation succeeded. *ret is always set. */
bool cc_run(struct cc_api *api, struct arena *a, const struct cc_run *run, struct cc_ran *ret);
/* Reports a failed run, with the summaries of hashicorp/awscc; returns false. */
bool cc_ran_report(const struct cc_ran *ran, enum cc_operation operation, struct diags *diags);
