/*
 * Faults that the emulator was told to have: operations that fail, and hooks that look at them first.
 *
 *     AWS::Logs::*=Throttling                      every operation of these types fails so
 *     AWS::S3::Bucket/CREATE=ServiceLimitExceeded  this one alone
 *     AWS::S3::*=HOOK_COMPLETE_FAILED              a hook says no: the request fails, and nothing is done
 *     AWS::S3::*=HOOK_FAILED/WARN                  a hook breaks, but only warns: the request goes on
 */
#pragma once

#include "base/diag.h"
#include "cloudcontrol/api.h"
#include "cloudcontrol/pack.h"

struct cc_fault {
    struct str type;             /* may end in * */
    enum cc_operation operation; /* UNKNOWN: any */
    struct str what;             /* an ErrorCode, or the status of a hook */
    bool warns;                  /* of a hook: the request goes on */
};

/* `text` must live as long. False and a diagnostic: it is no such fault. */
bool cc_fault_parse(struct str text, struct cc_fault *ret, struct diags *diags);
bool cc_fault_parse_hook(struct str text, struct cc_fault *ret, struct diags *diags);

/* Does the fault mean any type of the pack? */
bool cc_fault_is_of(const struct cc_fault *fault, const struct cc_pack *pack);

/* The first that means this operation; NULL: none. */
const struct cc_fault *cc_fault_of(const struct cc_fault *v, size_t n, struct str type, enum cc_operation operation);
