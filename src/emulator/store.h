/*
 * What the emulator remembers: objects and requests, in SQLite, in a file or in memory. One thread at a time.
 *
 * A call is a transaction: cc_store_begin(), then cc_store_end(), which keeps or forgets all of it. Several processes may have
 * the same file open; one waits for the other.
 */
#pragma once

#include "base/diag.h"
#include "cloudcontrol/api.h"

struct cc_store;

/* `path` NULL: in memory. NULL and a diagnostic: it cannot be opened, or is no store of ours. */
struct cc_store *cc_store_open(const char *path, struct diags *diags);
void cc_store_close(struct cc_store *s); /* accepts NULL */

bool cc_store_begin(struct cc_store *s);
bool cc_store_end(struct cc_store *s, bool keep);
/* Why the last function failed. */
const char *cc_store_problem(const struct cc_store *s);

/* --- objects --- */

/* False: there is none. */
bool cc_store_get(struct cc_store *s, struct arena *a, struct str type, struct str id, struct str *ret_model);
bool cc_store_put(struct cc_store *s, struct str type, struct str id, struct str model);
bool cc_store_delete(struct cc_store *s, struct str type, struct str id);
/* In order of identifiers, those behind `after`. */
typedef bool cc_store_object_fn(void *ctx, struct str id, struct str model); /* false: stop */
bool cc_store_each(struct cc_store *s, struct str type, struct str after, cc_store_object_fn *fn, void *ctx);

/* --- requests --- */

struct cc_stored_request {
    int64_t number;                         /* in order of beginning */
    struct str token, client_token, digest; /* digest: of what was asked, to tell a repetition from a conflict */
    struct str type, id;
    bool id_known; /* to the client, before it is done */
    enum cc_operation operation;
    enum cc_status status;
    struct str error, message; /* of FAILED */
    struct str model;          /* what it is to become */
    int64_t begun_ns;          /* wall */
    int64_t event_ns;          /* of the last change, wall */
    int64_t due_ns;            /* when it is done, wall */
    struct str hook; /* how the hook that looks at it ends, with /WARN behind it if it does not matter; empty: no hook */
    struct str hooks_token;
};

/* Adds or replaces, by token. */
bool cc_store_put_request(struct cc_store *s, const struct cc_stored_request *r);
/* False: none. */
bool cc_store_request(struct cc_store *s, struct arena *a, struct str token, struct cc_stored_request *ret);
/* The last with this client token that was begun at `since_ns` or later; false: none. */
bool cc_store_request_of(struct cc_store *s, struct arena *a, struct str client_token, int64_t since_ns,
                         struct cc_stored_request *ret);
/* One that is not done, of this object; false: none. */
bool cc_store_running(struct cc_store *s, struct arena *a, struct str type, struct str id, struct cc_stored_request *ret);
/* The first that is not done and due; false: none. */
bool cc_store_due(struct cc_store *s, struct arena *a, int64_t now_ns, struct cc_stored_request *ret);
/* Newest first. Lists of names as ",CREATE,UPDATE,"; empty: all. */
struct cc_store_filter {
    int64_t before; /* this number; 0: all */
    struct str operations, statuses;
};
typedef bool cc_store_request_fn(void *ctx, const struct cc_stored_request *r); /* false: stop */
bool cc_store_each_request(struct cc_store *s, struct arena *a, const struct cc_store_filter *filter, cc_store_request_fn *fn,
                           void *ctx);
/* Requests are kept for a week. */
bool cc_store_forget(struct cc_store *s, int64_t before_ns);
