#include "emulator/words.h"

#include "base/buf.h"

#define COUNT(v) (sizeof(v) / sizeof(v)[0])

static const char *const operations[] = {
    [EMULATOR_OP_CREATE] = "CREATE", [EMULATOR_OP_UPDATE] = "UPDATE", [EMULATOR_OP_DELETE] = "DELETE"};

static const char *const statuses[] = {
    [EMULATOR_STATUS_PENDING] = "PENDING",
    [EMULATOR_STATUS_IN_PROGRESS] = "IN_PROGRESS",
    [EMULATOR_STATUS_SUCCESS] = "SUCCESS",
    [EMULATOR_STATUS_FAILED] = "FAILED",
    [EMULATOR_STATUS_CANCEL_IN_PROGRESS] = "CANCEL_IN_PROGRESS",
    [EMULATOR_STATUS_CANCEL_COMPLETE] = "CANCEL_COMPLETE",
};

static const char *const error_codes[] = {
    "NotUpdatable",         "InvalidRequest",       "AccessDenied",   "UnauthorizedTaggingOperation",
    "InvalidCredentials",   "AlreadyExists",        "NotFound",       "ResourceConflict",
    "Throttling",           "ServiceLimitExceeded", "NotStabilized",  "GeneralServiceException",
    "ServiceInternalError", "ServiceTimeout",       "NetworkFailure", "InternalFailure",
};

/* The index of the word; 0 if it is none of them. */
static size_t place_of(const char *const *words, size_t n, struct str word)
{
    for (size_t i = 1; i < n; i++)
        if (str_eqz(word, words[i]))
            return i;
    return 0;
}

const char *emulator_operation_name(enum emulator_operation operation)
{
    return operations[operation];
}

enum emulator_operation emulator_operation_named(struct str name)
{
    return (enum emulator_operation)place_of(operations, COUNT(operations), name);
}

const char *emulator_status_name(enum emulator_status status)
{
    return statuses[status];
}

enum emulator_status emulator_status_named(struct str name)
{
    return (enum emulator_status)place_of(statuses, COUNT(statuses), name);
}

bool emulator_status_is_final(enum emulator_status status)
{
    return status == EMULATOR_STATUS_SUCCESS || status == EMULATOR_STATUS_FAILED || status == EMULATOR_STATUS_CANCEL_COMPLETE;
}

const char *emulator_error_code(size_t i)
{
    return i < COUNT(error_codes) ? error_codes[i] : NULL;
}

struct str emulator_shown(struct arena *a, struct str text)
{
    if (!memchr(text.p, '\0', text.n))
        return text;
    struct buf out BUF_AUTO = BUF_INIT(text.n * 6);
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i])
            buf_addc(&out, text.p[i]);
        else
            buf_addz(&out, "\\u0000");
    return buf_copy(&out, a);
}
