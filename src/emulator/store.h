/*
 * The emulator's store: objects and requests, in an SQLite database in a file or in memory. One thread at a time.
 *
 * A call is a transaction: emulator_store_begin(), then emulator_store_end(), which commits or rolls back. Several processes may
 * open the same file; they wait for each other.
 */
#pragma once

#include "base/diag.h"
#include "emulator/words.h"

struct emulator_store;

/* `path` NULL: in memory. NULL and a diagnostic if it cannot be opened or is not a store of the emulator. */
struct emulator_store *emulator_store_open(const char *path, struct diags *diags);
void emulator_store_close(struct emulator_store *s); /* accepts NULL */

bool emulator_store_begin(struct emulator_store *s);
bool emulator_store_end(struct emulator_store *s, bool keep);
/* Why the last call failed. */
const char *emulator_store_problem(const struct emulator_store *s);

/* --- objects --- */

/* False if there is none. */
bool emulator_store_get(struct emulator_store *s, struct arena *a, struct str type, struct str id, struct str *ret_model);
bool emulator_store_put(struct emulator_store *s, struct str type, struct str id, struct str model);
bool emulator_store_delete(struct emulator_store *s, struct str type, struct str id);
/* Calls fn for the objects with identifiers greater than `after`, in order. */
typedef bool emulator_store_object_fn(void *ctx, struct str id, struct str model); /* false: stop */
bool emulator_store_each(struct emulator_store *s, struct str type, struct str after, emulator_store_object_fn *fn, void *ctx);

/* --- requests --- */

struct emulator_stored_request {
    int64_t number;                         /* in order of creation */
    struct str token, client_token, digest; /* digest: of the request, to distinguish a repetition from a conflict */
    struct str type, id;
    bool id_known; /* the client knows the id before the request is done */
    enum emulator_operation operation;
    enum emulator_status status;
    struct str error, message; /* of FAILED */
    struct str model;          /* the object's model after the request */
    int64_t begun_ns;          /* wall */
    int64_t event_ns;          /* wall time of the last change */
    int64_t due_ns;            /* wall time of completion */
    struct str hook;           /* result of its hook, with the suffix /WARN if it only warns; empty: no hook */
    struct str hooks_token;
};

/* Adds or replaces, by token. */
bool emulator_store_put_request(struct emulator_store *s, const struct emulator_stored_request *r);
/* False if there is none. */
bool emulator_store_request(struct emulator_store *s, struct arena *a, struct str token, struct emulator_stored_request *ret);
/* The last request with this client token that began at `since_ns` or later; false if there is none. */
bool emulator_store_request_of(struct emulator_store *s, struct arena *a, struct str client_token, int64_t since_ns,
                               struct emulator_stored_request *ret);
/* An unfinished request for this object; false if there is none. */
bool emulator_store_running(struct emulator_store *s, struct arena *a, struct str type, struct str id,
                            struct emulator_stored_request *ret);
/* The first unfinished request that is due; false if there is none. */
bool emulator_store_due(struct emulator_store *s, struct arena *a, int64_t now_ns, struct emulator_stored_request *ret);
/* Lists requests, newest first. Names are written as ",CREATE,UPDATE,"; empty: all. */
struct emulator_store_filter {
    int64_t before; /* only requests with smaller numbers; 0: all */
    struct str operations, statuses;
};
typedef bool emulator_store_request_fn(void *ctx, const struct emulator_stored_request *r); /* false: stop */
bool emulator_store_each_request(struct emulator_store *s, struct arena *a, const struct emulator_store_filter *filter,
                                 emulator_store_request_fn *fn, void *ctx);
/* Deletes finished requests that last changed before this time; the emulator keeps them for a week. */
bool emulator_store_forget(struct emulator_store *s, int64_t before_ns);
