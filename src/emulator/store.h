/*
 * What the emulator remembers: objects and requests, in SQLite, in a file or in memory. One thread at a time.
 *
 * A call is a transaction: emulator_store_begin(), then emulator_store_end(), which keeps or forgets all of it. Several processes
 * may have the same file open; one waits for the other.
 */
#pragma once

#include "base/diag.h"
#include "emulator/words.h"

struct emulator_store;

/* `path` NULL: in memory. NULL and a diagnostic: it cannot be opened, or is no store of ours. */
struct emulator_store *emulator_store_open(const char *path, struct diags *diags);
void emulator_store_close(struct emulator_store *s); /* accepts NULL */

bool emulator_store_begin(struct emulator_store *s);
bool emulator_store_end(struct emulator_store *s, bool keep);
/* Why the last function failed. */
const char *emulator_store_problem(const struct emulator_store *s);

/* --- objects --- */

/* False: there is none. */
bool emulator_store_get(struct emulator_store *s, struct arena *a, struct str type, struct str id, struct str *ret_model);
bool emulator_store_put(struct emulator_store *s, struct str type, struct str id, struct str model);
bool emulator_store_delete(struct emulator_store *s, struct str type, struct str id);
/* In order of identifiers, those behind `after`. */
typedef bool emulator_store_object_fn(void *ctx, struct str id, struct str model); /* false: stop */
bool emulator_store_each(struct emulator_store *s, struct str type, struct str after, emulator_store_object_fn *fn, void *ctx);

/* --- requests --- */

struct emulator_stored_request {
    int64_t number;                         /* in order of beginning */
    struct str token, client_token, digest; /* digest: of what was asked, to tell a repetition from a conflict */
    struct str type, id;
    bool id_known; /* to the client, before it is done */
    enum emulator_operation operation;
    enum emulator_status status;
    struct str error, message; /* of FAILED */
    struct str model;          /* what it is to become */
    int64_t begun_ns;          /* wall */
    int64_t event_ns;          /* of the last change, wall */
    int64_t due_ns;            /* when it is done, wall */
    struct str hook; /* how the hook that looks at it ends, with /WARN behind it if it does not matter; empty: no hook */
    struct str hooks_token;
};

/* Adds or replaces, by token. */
bool emulator_store_put_request(struct emulator_store *s, const struct emulator_stored_request *r);
/* False: none. */
bool emulator_store_request(struct emulator_store *s, struct arena *a, struct str token, struct emulator_stored_request *ret);
/* The last with this client token that was begun at `since_ns` or later; false: none. */
bool emulator_store_request_of(struct emulator_store *s, struct arena *a, struct str client_token, int64_t since_ns,
                               struct emulator_stored_request *ret);
/* One that is not done, of this object; false: none. */
bool emulator_store_running(struct emulator_store *s, struct arena *a, struct str type, struct str id,
                            struct emulator_stored_request *ret);
/* The first that is not done and due; false: none. */
bool emulator_store_due(struct emulator_store *s, struct arena *a, int64_t now_ns, struct emulator_stored_request *ret);
/* Newest first. Lists of names as ",CREATE,UPDATE,"; empty: all. */
struct emulator_store_filter {
    int64_t before; /* this number; 0: all */
    struct str operations, statuses;
};
typedef bool emulator_store_request_fn(void *ctx, const struct emulator_stored_request *r); /* false: stop */
bool emulator_store_each_request(struct emulator_store *s, struct arena *a, const struct emulator_store_filter *filter,
                                 emulator_store_request_fn *fn, void *ctx);
/* Requests are kept for a week. */
bool emulator_store_forget(struct emulator_store *s, int64_t before_ns);
