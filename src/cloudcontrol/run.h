/*
 * From a request to its end.
 *
 * Cloud Control answers a create, update or delete at once and does it later. cc_wait() asks for the status at once, then with
 * growing pauses: between half and all of a quarter of a second, then of twice that, and so on up to 30 seconds; or, where the
 * service says when it wants to be asked (RetryAfter), then.
 *
 * - FAILED is an error with the words of hashicorp's provider, failed hooks included; a DELETE that fails with NotFound is a
 * success.
 * - CANCEL_COMPLETE is an error: what was asked for has not happened.
 * - A status that is not known may be one that the service has learnt since: it is waited for like IN_PROGRESS, as the waiters of
 *   AWS's SDKs do, and named in the error when the time is up.
 * - A time-out names the request token, with which the request can be looked at. When Ctrl-C ends the waiting, the request is
 *   cancelled at the service if the caller wants that.
 *
 * cc_run() is the whole: it begins an operation, waits, and begins anew what failed for a passing reason, within the process's
 * budget for retries: Throttling up to CC_RUN_TRIES times; ServiceInternalError, NetworkFailure and ServiceTimeout once more. Any
 * other reason is final.
 *
 * - a delete always;
 * - a create after it was made sure that nothing was created: no identifier in the event, or one that GetResource does not find;
 * - an update on Throttling only, since otherwise part of the patch may be done: the next plan shows what is left.
 */
#pragma once

#include "cloudcontrol/api.h"

enum {
    CC_WAIT_FIRST_MS = 250,
    CC_WAIT_MAX_S = 30,
    CC_WAIT_MAX_HINT_S = 300, /* a time further away than this is not believed */
    CC_RUN_TRIES = 5,         /* how often an operation is begun that is throttled ... */
    CC_RUN_TRIES_BROKEN = 2,  /* ... that ends with a fault of the service */
    CC_WAIT_CANCEL_S = 10,    /* for the cancellation of a request */
};

enum cc_wait_result {
    CC_WAIT_DONE,      /* *ret_status is the last event, SUCCESS (or NotFound of a delete) */
    CC_WAIT_FAILED,    /* ... FAILED */
    CC_WAIT_CANCELLED, /* ... CANCEL_COMPLETE: cancelled at the service */
    CC_WAIT_STOPPED,   /* the caller's cancel has fired; the request may still be under way */
    CC_WAIT_TIMEOUT,   /* the deadline has passed; likewise */
    CC_WAIT_ERROR,     /* the status could not be had: *ret_failure */
};

struct cc_wait {
    const struct cc_call *call;
    bool cancel_request; /* when stopped or timed out: ask the service to cancel the request, too */
};

/* *ret_status is always set: the last that is known. *ret_failure is set for CC_WAIT_ERROR. */
enum cc_wait_result cc_wait(struct cc_api *api, struct arena *a, const struct cc_progress *begun, const struct cc_wait *wait,
                            struct cc_request_status *ret_status, struct cc_failure *ret_failure);

/* What went wrong, for people; empty for CC_WAIT_DONE. */
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
    bool begun;                      /* the service took the request: `status` is set */
    struct cc_request_status status; /* of the last try */
    struct cc_failure failure;       /* CC_WAIT_ERROR */
    int tries;
    /* Of the object that exists, as far as it is known: after a failed CREATE too, if something was left behind. */
    struct str identifier;
};

/* True: done. *ret is always set. */
bool cc_run(struct cc_api *api, struct arena *a, const struct cc_run *run, struct cc_ran *ret);
/* The diagnostic of a run that failed, with the summaries of hashicorp/awscc; returns false. */
bool cc_ran_report(const struct cc_ran *ran, enum cc_operation operation, struct diags *diags);
