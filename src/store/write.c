/*
 * Writing: one transaction for each change. It adds a version, makes it the object's current one, and drops history that is too
 * old.
 */
#include "store/local.h"
#include "store/object.h"

#include <inttypes.h>

enum {
    NAME_TRIES = 8,
    SLACK = 4096, /* room for what the store adds to an object of the largest size, so that it can be deleted */
    SEALED = 64,  /* what sealing adds at most */
};

/* A write in progress. */
struct writing {
    struct local *s;
    struct arena *a;
    struct diags *diags;
    struct store_key key;
    int64_t history_bytes; /* value after the commit */
    int64_t version;       /* the new version; 0: nothing is written */
    uint64_t commit;       /* the commit's number (flush.c), once committed */
    bool has_slack; /* the object may exceed the limit by SLACK: the store's own additions make it grow, not the caller's request
                     */
};

static size_t max_text(const struct writing *w)
{
    return STORE_MAX_OBJECT + (w->has_slack ? (size_t)SLACK : 0);
}

/* ---- a version ---- */

static enum store_result too_large(const struct writing *w)
{
    struct str title = object_title(w->diags->arena, &w->key);
    (void)diags_fail(w->diags, "Object is too large",
                     STR_FMT " takes more than the %d bytes, or the %d levels, that an object may have.", STR_ARG(title),
                     STORE_MAX_OBJECT, JSON_MAX_DEPTH);
    return STORE_TOO_LARGE;
}

static bool write_json(const struct json *j, struct buf *out)
{
    struct json_writer writer = {.out = out};
    json_write(&writer, j);
    return json_finish(&writer) && buf_ok(out);
}

/* The stored form of the object: its text, sealed if it is a Secret. */
static bool write_body(const struct writing *w, const struct json *object, struct buf *body)
{
    if (!object_is_secret(w->key.group, w->key.kind))
        return write_json(object, body);
    struct buf plain = BUF_INIT(max_text(w));
    (void)buf_room(&plain, max_text(w)); /* reserved at once: growing would leave copies of the plain text */
    struct str context = local_context(w->a, object_metadata_text(object, "uid"), w->version);
    bool ok = write_json(object, &plain) && seal(w->s->sealer, context, buf_str(&plain), body);
    buf_wipe(&plain);
    return ok;
}

static struct str labels_text(struct arena *a, const struct json *object)
{
    const struct json *labels = object_metadata(object, "labels");
    if (!labels || labels->kind != JSON_OBJECT || labels->object.n == 0)
        return STR_EMPTY;
    struct buf text BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT);
    (void)write_json(labels, &text);
    return buf_copy(&text, a);
}

static void bind_key(sqlite3_stmt *q, const struct store_key *key)
{
    db_bind(q, 1, key->group);
    db_bind(q, 2, key->kind);
    db_bind(q, 3, key->namespace);
    db_bind(q, 4, key->name);
}

static bool supersede(struct writing *w, int64_t version, int64_t bytes)
{
    sqlite3_stmt *q = db_statement(&w->s->writer, DB_SUPERSEDED_ADD);
    if (!q)
        return false;
    db_bind_int(q, 1, version);
    db_bind_int(q, 2, bytes);
    w->history_bytes += bytes;
    return db_run(q);
}

static bool insert_version(struct writing *w, enum store_change_kind change, const struct json *object, struct str before,
                           struct str body)
{
    sqlite3_stmt *q = db_statement(&w->s->writer, DB_VERSION_ADD);
    if (!q)
        return false;
    bind_key(q, &w->key);
    db_bind_int(q, 5, w->version);
    db_bind_int(q, 6, change);
    db_bind(q, 7, object_metadata_text(object, "uid"));
    db_bind(q, 8, labels_text(w->a, object));
    db_bind(q, 9, before);
    db_bind_bytes(q, 10, body);
    return db_run(q);
}

static bool point_to_version(struct writing *w, enum store_change_kind change)
{
    sqlite3_stmt *q = db_statement(&w->s->writer, change == STORE_DELETED ? DB_OBJECT_DELETE : DB_OBJECT_PUT);
    if (!q)
        return false;
    bind_key(q, &w->key);
    if (change != STORE_DELETED)
        db_bind_int(q, 5, w->version);
    return db_run(q);
}

/* ---- history ---- */

static bool drop_version(struct writing *w, int64_t version, int64_t bytes)
{
    sqlite3_stmt *q = db_statement(&w->s->writer, DB_VERSION_DELETE), *r = db_statement(&w->s->writer, DB_SUPERSEDED_DELETE);
    if (!q || !r)
        return false;
    db_bind_int(q, 1, version);
    db_bind_int(r, 1, version);
    w->history_bytes -= bytes;
    return db_run(q) && db_run(r);
}

/* Each write supersedes at most two versions, so this drops about as many. */
static bool compact(struct writing *w)
{
    int64_t dropped = 0;
    for (;;) {
        sqlite3_stmt *q = db_statement(&w->s->writer, DB_SUPERSEDED_FIRST);
        int code = db_step(q);
        if (code == SQLITE_DONE)
            break;
        if (code != SQLITE_ROW)
            return false;
        int64_t version = sqlite3_column_int64(q, 0), bytes = sqlite3_column_int64(q, 1);
        (void)sqlite3_reset(q);
        if (w->version - version < w->s->max_history && w->history_bytes <= w->s->max_history_bytes)
            break;
        if (!drop_version(w, version, bytes))
            return false;
        dropped = version;
    }
    if (dropped == 0)
        return true;
    /*
     * `dropped` may be smaller than the recorded value when an old object was superseded; the first version that a watch may
     * start at must never go back.
     */
    sqlite3_stmt *get = db_statement(&w->s->writer, DB_META_GET);
    int64_t before = 0;
    if (get)
        db_bind(get, 1, STR(LOCAL_COMPACTED));
    if (!db_number(get, 0, &before))
        return false;
    sqlite3_stmt *set = db_statement(&w->s->writer, DB_META_SET);
    if (!set)
        return false;
    db_bind(set, 1, STR(LOCAL_COMPACTED));
    db_bind_int(set, 2, dropped > before ? dropped : before);
    return db_run(set);
}

/* ---- a change ---- */

static bool next_version(struct writing *w)
{
    int64_t head = 0;
    if (!db_number(db_statement(&w->s->writer, DB_HEAD), 0, &head))
        return false;
    w->version = head + 1;
    return true;
}

/* Stores the object's new (or, for a deletion, last) state as a version; `old` is what it replaces, or NULL. */
static enum store_result put(struct writing *w, enum store_change_kind change, const struct json *object,
                             const struct local_found *old, const struct json **ret)
{
    struct db *db = &w->s->writer;
    bool is_secret = object_is_secret(w->key.group, w->key.kind);
    struct buf body BUF_AUTO = BUF_INIT(max_text(w) + (is_secret ? (size_t)SEALED : 0));
    if (!next_version(w))
        return db_problem(db, w->diags);
    object = object_with_metadata_text(w->a, object, "resourceVersion", arena_printf(w->a, "%" PRId64, w->version));
    if (!write_body(w, object, &body))
        return too_large(w);
    if (!insert_version(w, change, object, old ? old->labels : STR_EMPTY, buf_str(&body)) || !point_to_version(w, change) ||
        (old && !supersede(w, old->version, old->bytes)) ||
        (change == STORE_DELETED && !supersede(w, w->version, (int64_t)body.n)) || !compact(w))
        return db_problem(db, w->diags);
    *ret = object;
    return STORE_OK;
}

static enum store_result begin(struct writing *w)
{
    if (!db_do(&w->s->writer, DB_BEGIN_WRITE) || !local_recount(w->s)) {
        enum store_result result = db_problem(&w->s->writer, w->diags);
        db_rollback(&w->s->writer);
        return result;
    }
    w->history_bytes = w->s->history_bytes;
    return STORE_OK;
}

static enum store_result end(struct writing *w, enum store_result result)
{
    struct db *db = &w->s->writer;
    if (result == STORE_OK && w->version > 0 && !db_do(db, DB_COMMIT))
        result = db_problem(db, w->diags);
    db_rollback(db);
    if (result == STORE_OK && w->version > 0) {
        w->s->history_bytes = w->history_bytes;
        w->commit = atomic_fetch_add(&w->s->commits, 1) + 1;
    }
    return result;
}

/* Called without the lock, so that others can commit meanwhile. */
static enum store_result make_durable(struct writing *w, enum store_result result)
{
    if (result != STORE_OK || w->version == 0)
        return result;
    if (!local_flush(w->s, w->commit, w->diags))
        return STORE_FAILED;
    local_publish(w->s, w->version);
    return STORE_OK;
}

/* ---- create ---- */

/* STORE_OK: no object has this key. */
static enum store_result check_absent(struct writing *w)
{
    sqlite3_stmt *q = db_statement(&w->s->writer, DB_OBJECT_EXISTS);
    int64_t is_there = 0;
    if (q)
        bind_key(q, &w->key);
    if (!db_number(q, 0, &is_there))
        return db_problem(&w->s->writer, w->diags);
    return is_there ? STORE_EXISTS : STORE_OK;
}

static enum store_result create(struct writing *w, const struct json *object, const struct json **ret)
{
    bool is_generated = object_metadata_text(object, "name").n == 0;
    enum store_result result = STORE_EXISTS;
    const struct json *made = NULL;
    for (int i = 0; result == STORE_EXISTS && i < (is_generated ? NAME_TRIES : 1); i++) {
        struct rules_moment now = rules_now(w->a, w->s->clock);
        result = rules_create(w->a, object, &now, w->diags, &made);
        if (result != STORE_OK)
            return result;
        w->key = object_key(made);
        result = check_absent(w);
    }
    if (result == STORE_EXISTS) {
        struct str title = object_title(w->diags->arena, &w->key);
        (void)diags_fail(w->diags, "Object exists already", STR_FMT " is in the store; it can be updated.", STR_ARG(title));
    }
    return result == STORE_OK ? put(w, STORE_ADDED, made, NULL, ret) : result;
}

enum store_result local_create(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                               const struct json **ret)
{
    struct writing w = {.s = local_of(store), .a = a, .diags = diags};
    const struct json *made = NULL;
    mutex_lock(&w.s->write_lock);
    enum store_result result = begin(&w);
    if (result == STORE_OK)
        result = end(&w, create(&w, object, &made));
    mutex_unlock(&w.s->write_lock);
    result = make_durable(&w, result);
    if (result == STORE_OK)
        *ret = made;
    return result;
}

/* ---- update, delete ---- */

enum operation { UPDATE, UPDATE_STATUS, REMOVE };

static enum store_result decide(struct writing *w, enum operation operation, const struct json *old, const struct json *object,
                                const struct store_preconditions *must, struct rules_answer *ret)
{
    switch (operation) {
    case UPDATE:
        return rules_update(w->a, old, object, w->diags, ret);
    case UPDATE_STATUS:
        return rules_update_status(w->a, old, object, w->diags, ret);
    case REMOVE:
        break;
    }
    return rules_remove(w->a, old, must, rules_time(w->a, w->s->clock), w->diags, ret);
}

static enum store_result apply(struct writing *w, const struct local_found *old, const struct rules_answer *answer,
                               const struct json **ret)
{
    if (answer->action == RULES_KEEP) {
        *ret = old->object;
        return STORE_OK;
    }
    w->has_slack = w->has_slack || answer->action == RULES_REMOVE;
    if (answer->action == RULES_WRITE)
        return put(w, STORE_MODIFIED, answer->object, old, ret);
    const struct json *last = NULL; /* the last stored state: watches have seen that one */
    enum store_result result = put(w, STORE_DELETED, old->object, old, &last);
    if (result ==
        STORE_OK) /* the updater gets the object as it would have become, with its last version, as from the API server */
        *ret = answer->object == old->object ? last : answer->object;
    return result;
}

static enum store_result change_locked(struct writing *w, enum operation operation, const struct json *object,
                                       const struct store_preconditions *must, const struct json **ret)
{
    struct local_found old;
    struct rules_answer answer;
    enum store_result result = local_find(w->s, &w->s->writer, w->a, &w->key, w->diags, &old);
    if (result == STORE_OK)
        result = decide(w, operation, old.object, object, must, &answer);
    return result == STORE_OK ? apply(w, &old, &answer, ret) : result;
}

static enum store_result change(struct writing *w, enum operation operation, const struct json *object,
                                const struct store_preconditions *must, const struct json **ret)
{
    const struct json *made = NULL;
    enum store_result result = operation == REMOVE ? STORE_OK : rules_check(object, w->diags);
    if (result != STORE_OK)
        return result;
    mutex_lock(&w->s->write_lock);
    result = begin(w);
    if (result == STORE_OK)
        result = end(w, change_locked(w, operation, object, must, &made));
    mutex_unlock(&w->s->write_lock);
    result = make_durable(w, result);
    if (result == STORE_OK)
        *ret = made;
    return result;
}

enum store_result local_update(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                               const struct json **ret)
{
    struct writing w = {.s = local_of(store), .a = a, .diags = diags, .key = object_key(object)};
    return change(&w, UPDATE, object, NULL, ret);
}

enum store_result local_update_status(struct store *store, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret)
{
    struct writing w = {.s = local_of(store), .a = a, .diags = diags, .key = object_key(object)};
    return change(&w, UPDATE_STATUS, object, NULL, ret);
}

enum store_result local_remove(struct store *store, struct arena *a, const struct store_key *key,
                               const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    struct writing w = {.s = local_of(store), .a = a, .diags = diags, .key = *key, .has_slack = true};
    return change(&w, REMOVE, NULL, must, ret);
}
