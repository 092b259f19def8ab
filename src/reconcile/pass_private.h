/*
 * Private to pass.c and reconcile.c: one pass over an object, what it says of it (conditions, events), and the ways it ends.
 * Those return true, as a step does when the pass has ended.
 */
#pragma once

#include "managed/object.h"
#include "managed/policies.h"
#include "reconcile/reconcile.h"

/* Types of conditions: others depend on their wording. */
#define PASS_READY "Ready"
#define PASS_SYNCED "Synced"
#define PASS_LAST_OPERATION "LastAsyncOperation"

struct pass {
    struct arena *arena;
    const struct reconcile_key *key;
    const struct reconcile_options *options;
    const struct reconcile_objects *objects;
    const struct reconcile_external *external;
    struct reconcile_call call;
    const struct json *object; /* as stored, with the changes of this pass */
    const struct json *stored; /* as it was read */
    const struct json *asked;  /* as it was before the observation */
    struct managed_policies policies;
    bool must_look_up; /* from step 7: a creation with unknown outcome may have created something */
    void *connection;
    bool connected;
    bool conflict; /* the status was not written: somebody else wrote the object first */
    struct reconcile_observation seen;
    struct reconcile_result result;
};

static inline bool pass_failed(struct reconcile_answer answer)
{
    return answer.status != RECONCILE_OK;
}

int64_t pass_now(const struct pass *p);
struct str pass_wrap(const struct pass *p, const char *what, struct str message); /* "WHAT: MESSAGE" */

void pass_set(struct pass *p, const char *type, const char *status, const char *reason, struct str message);
void pass_set_creating(struct pass *p);
void pass_set_deleting(struct pass *p);
void pass_set_error(struct pass *p, struct str message);
void pass_set_success(struct pass *p);
void pass_tell(struct pass *p, bool warning, const char *reason, struct str message);
void pass_log_change(struct pass *p, enum reconcile_operation operation, struct str error);

typedef struct reconcile_answer pass_write_function(void *ctx, const struct reconcile_call *call, const struct json **object);
/* Writes metadata or spec. The result is the store's view, with the status that this pass has set so far. */
struct reconcile_answer pass_write_object(struct pass *p, pass_write_function *write);

bool pass_end(struct pass *p, enum reconcile_again again, int64_t after_ns);
bool pass_end_with_status(struct pass *p, enum reconcile_again again, int64_t after_ns);
bool pass_end_until_poll(struct pass *p);
/* With an error. The event (reason NULL: none) gives the error itself, the condition may say more. A conflict is not an error. */
bool pass_fail(struct pass *p, struct reconcile_answer answer, const char *reason, struct str event, struct str condition);
