/*
 * Configured faults: operations that fail, and hooks that run before them.
 *
 *     AWS::Logs::*=Throttling                      every operation of these types fails with Throttling
 *     AWS::S3::Bucket/CREATE=ServiceLimitExceeded  only this operation fails
 *     AWS::S3::*=HOOK_COMPLETE_FAILED              a hook rejects: the request fails and changes nothing
 *     AWS::S3::*=HOOK_FAILED/WARN                  a hook fails, but only warns: the request goes on
 */
#pragma once

#include "base/diag.h"
#include "cfn/pack.h"
#include "emulator/words.h"

struct emulator_fault {
    struct str type;                   /* may end in * */
    enum emulator_operation operation; /* UNKNOWN: any */
    struct str what;                   /* an ErrorCode, or the status of a hook */
    bool warns;                        /* for hooks: the request goes on */
};

/* `text` must outlive *ret. False and a diagnostic if it is not a valid fault. */
bool emulator_fault_parse(struct str text, struct emulator_fault *ret, struct diags *diags);
bool emulator_fault_parse_hook(struct str text, struct emulator_fault *ret, struct diags *diags);

/* Does the fault match any type of the pack? */
bool emulator_fault_is_of(const struct emulator_fault *fault, const struct cfn_pack *pack);

/* The first fault that matches this operation; NULL if none does. */
const struct emulator_fault *emulator_fault_of(const struct emulator_fault *v, size_t n, struct str type,
                                               enum emulator_operation operation);
