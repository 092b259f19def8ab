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
#include "cfn/pack.h"
#include "emulator/words.h"

struct emulator_fault {
    struct str type;                   /* may end in * */
    enum emulator_operation operation; /* UNKNOWN: any */
    struct str what;                   /* an ErrorCode, or the status of a hook */
    bool warns;                        /* of a hook: the request goes on */
};

/* `text` must live as long. False and a diagnostic: it is no such fault. */
bool emulator_fault_parse(struct str text, struct emulator_fault *ret, struct diags *diags);
bool emulator_fault_parse_hook(struct str text, struct emulator_fault *ret, struct diags *diags);

/* Does the fault mean any type of the pack? */
bool emulator_fault_is_of(const struct emulator_fault *fault, const struct cfn_pack *pack);

/* The first that means this operation; NULL: none. */
const struct emulator_fault *emulator_fault_of(const struct emulator_fault *v, size_t n, struct str type,
                                               enum emulator_operation operation);
