/*
 * Watches: a watch is just a position in the table of versions. Each step reads the next row that the query covers. Writers only
 * signal new versions, so they never wait for watches. Writers of other processes cannot signal: while there is a watch, a thread
 * polls whether the database has changed (local.h).
 */
#include "base/must.h"
#include "loop/thread.h"
#include "store/local.h"
#include "store/object.h"

#include <inttypes.h>
#include <stdlib.h>

/* The order of columns in DB_VERSION_NEXT. */
enum { ROW_VERSION, ROW_UID, ROW_LABELS, ROW_BODY, ROW_GROUP, ROW_KIND, ROW_NAMESPACE, ROW_CHANGE, ROW_BEFORE };

struct watch {
    struct store_watch watch;
    struct local *s;
    struct arena *arena; /* holds the copied query */
    struct store_query query;
    int64_t position; /* the last version that was read or can be skipped */
    bool stopped;     /* guarded by the store's watch_lock */
};

static struct watch *watch_of(struct store_watch *w)
{
    return (struct watch *)w; /* `watch` is its first member */
}

static enum store_result expired(int64_t position, struct diags *diags)
{
    (void)diags_fail(diags, "Watch has expired",
                     "Changes after version %" PRId64 " are no longer kept. List the objects again and watch from there.",
                     position);
    return STORE_EXPIRED;
}

/* ---- changes of other processes ---- */

void local_publish(struct local *s, int64_t version)
{
    mutex_lock(&s->watch_lock);
    if (version > s->head) {
        s->head = version;
        cond_broadcast(&s->changed);
    }
    mutex_unlock(&s->watch_lock);
}

/* A failed read is repeated next time; whoever reads or writes objects gets the error. */
static void look_for_changes(struct local *s, int64_t *known)
{
    int64_t now = 0, head = 0;
    if (!db_number(db_statement(&s->looker_db, DB_DATA_VERSION), 0, &now) || now == *known ||
        !db_number(db_statement(&s->looker_db, DB_HEAD), 0, &head))
        return;
    *known = now;
    local_publish(s, head);
}

static void *keep_looking(void *arg)
{
    struct local *s = arg;
    int64_t known = -1;
    mutex_lock(&s->watch_lock);
    while (!s->closing) {
        if (s->n_watches == 0) {
            (void)cond_wait(&s->look, &s->watch_lock, NO_DEADLINE);
            continue;
        }
        mutex_unlock(&s->watch_lock);
        look_for_changes(s, &known);
        mutex_lock(&s->watch_lock);
        int64_t next = clock_now(&system_clock) + LOCAL_LOOK_NS;
        while (!s->closing && cond_wait(&s->look, &s->watch_lock, next))
            ;
    }
    mutex_unlock(&s->watch_lock);
    return NULL;
}

/* Called with watch_lock held. */
static bool start_looking(struct local *s, struct diags *diags)
{
    if (s->looks)
        return true;
    if (!db_open(&s->looker_db, s->path, SQLITE_OPEN_READONLY, diags)) {
        db_close(&s->looker_db);
        return false;
    }
    int error = thread_start(&s->looker, "store-look", keep_looking, s);
    if (error != 0) {
        db_close(&s->looker_db);
        return diags_fail(diags, "Store cannot be watched", "A thread could not be started: %s.", strerror(error));
    }
    s->looks = true;
    return true;
}

void local_stop_looking(struct local *s)
{
    mutex_lock(&s->watch_lock);
    s->closing = true;
    cond_broadcast(&s->look);
    bool looks = s->looks;
    mutex_unlock(&s->watch_lock);
    if (!looks)
        return;
    thread_join(s->looker);
    db_close(&s->looker_db);
}

/* ---- opening and closing ---- */

/* A version may come from another process and be newer than the head that is known here. */
static enum store_result learn_head(struct local *s, struct diags *diags)
{
    struct local_reader *r = local_take_reader(s, diags);
    if (!r)
        return STORE_FAILED;
    int64_t head = 0;
    enum store_result result = db_number(db_statement(&r->db, DB_HEAD), 0, &head) ? STORE_OK : db_problem(&r->db, diags);
    local_give_reader(s, r);
    local_publish(s, head);
    return result;
}

/* Counts a new watch, unless there are too many. */
static enum store_result count_watch(struct local *s, int64_t position, struct diags *diags)
{
    mutex_lock(&s->watch_lock);
    bool too_many = s->n_watches == STORE_MAX_WATCHES, is_future = position > s->head;
    bool looks = too_many || is_future || start_looking(s, diags);
    if (!too_many && !is_future && looks && s->n_watches++ == 0)
        cond_broadcast(&s->look);
    mutex_unlock(&s->watch_lock);
    if (!looks)
        return STORE_FAILED;
    if (is_future) /* from a database that a restored backup has replaced */
        return expired(position, diags);
    if (too_many)
        (void)diags_fail(diags, "Too many watches", "%d watches are open, which is the limit. Close one first.",
                         STORE_MAX_WATCHES);
    return too_many ? STORE_TOO_MANY : STORE_OK;
}

enum store_result local_watch(struct store *store, const struct store_query *query, struct str version, struct diags *diags,
                              struct store_watch **ret)
{
    struct local *s = local_of(store);
    int64_t position = 0;
    if (!str_to_i64(version, &position) || position < 0) {
        (void)diags_fail(diags, "Invalid version", "\"" STR_FMT "\" is not a version to watch from: use that of a list.",
                         STR_ARG(version));
        return STORE_INVALID;
    }
    enum store_result result = learn_head(s, diags);
    if (result == STORE_OK)
        result = count_watch(s, position, diags);
    if (result != STORE_OK)
        return result;
    struct watch *w = must(calloc(1, sizeof *w));
    w->watch.ops = store->ops;
    w->s = s;
    w->arena = arena_new(NULL, 0);
    w->position = position;
    w->query = (struct store_query){.group = arena_str(w->arena, query->group),
                                    .kind = arena_str(w->arena, query->kind),
                                    .namespace = arena_str(w->arena, query->namespace),
                                    .selector = query->selector ? selector_copy(w->arena, query->selector) : NULL};
    *ret = &w->watch;
    return STORE_OK;
}

/* ---- reading ---- */

void local_watch_stop(struct store_watch *watch)
{
    struct watch *w = watch_of(watch);
    mutex_lock(&w->s->watch_lock);
    w->stopped = true;
    cond_broadcast(&w->s->changed);
    mutex_unlock(&w->s->watch_lock);
}

void local_watch_close(struct store_watch *watch)
{
    struct watch *w = watch_of(watch);
    mutex_lock(&w->s->watch_lock);
    w->s->n_watches--;
    mutex_unlock(&w->s->watch_lock);
    arena_free(w->arena);
    free(w);
}

/* The kind of change that a watch with this selector sees; 0: none. */
static int seen_as(const struct selector *selector, sqlite3_stmt *q)
{
    int change = sqlite3_column_int(q, ROW_CHANGE);
    bool before = change != STORE_ADDED && local_labels_match(selector, db_text(q, ROW_BEFORE));
    bool after = change != STORE_DELETED && local_labels_match(selector, db_text(q, ROW_LABELS));
    if (before && after)
        return STORE_MODIFIED;
    if (after)
        return STORE_ADDED;
    return before ? STORE_DELETED : 0;
}

/* Reads the row as a change; `*found` stays false when the query does not cover it. */
static enum store_result take_row(struct watch *w, struct arena *a, sqlite3_stmt *q, struct diags *diags, bool *found,
                                  struct store_change *ret)
{
    struct str group = db_text(q, ROW_GROUP), kind = db_text(q, ROW_KIND);
    int change = local_is_asked_for(&w->query, group, kind, db_text(q, ROW_NAMESPACE)) ? seen_as(w->query.selector, q) : 0;
    if (change == 0)
        return STORE_OK;
    const struct json *object = local_row_object(w->s, a, q, object_is_secret(group, kind), diags);
    if (!object)
        return STORE_FAILED;
    *found = true;
    *ret = (struct store_change){(enum store_change_kind)change, object};
    return STORE_OK;
}

static enum store_result find_row(struct watch *w, struct db *db, struct arena *a, struct diags *diags, bool *found,
                                  struct store_change *ret)
{
    sqlite3_stmt *q = db_statement(db, DB_VERSION_NEXT);
    enum store_result result = STORE_OK;
    if (!q)
        return db_problem(db, diags);
    db_bind_int(q, 1, w->position);
    int code = db_step(q);
    while (code == SQLITE_ROW && result == STORE_OK && !*found) {
        result = take_row(w, a, q, diags, found, ret);
        if (result == STORE_OK)
            w->position = sqlite3_column_int64(q, ROW_VERSION);
        if (result == STORE_OK && !*found)
            code = db_step(q);
    }
    if (code == SQLITE_ROW)
        (void)sqlite3_reset(q);
    else if (code != SQLITE_DONE)
        result = db_problem(db, diags);
    return result;
}

/* Reads in one transaction whether history before the position was dropped, and the next change. */
static enum store_result look(struct watch *w, struct arena *a, struct diags *diags, bool *found, struct store_change *ret)
{
    struct local_reader *r = local_take_reader(w->s, diags);
    if (!r)
        return STORE_FAILED;
    int64_t compacted = 0;
    enum store_result result = STORE_OK;
    bool begun = db_do(&r->db, DB_BEGIN_READ);
    sqlite3_stmt *q = begun ? db_statement(&r->db, DB_META_GET) : NULL;
    if (q)
        db_bind(q, 1, STR(LOCAL_COMPACTED));
    if (!db_number(q, 0, &compacted))
        result = db_problem(&r->db, diags);
    else if (w->position < compacted)
        result = expired(w->position, diags);
    else
        result = find_row(w, &r->db, a, diags, found, ret);
    local_give_reader(w->s, r);
    return result;
}

/* Waits for a version after the position; `*ret_head` is the last one. */
static enum store_result wait_for_version(struct watch *w, int64_t deadline, int64_t *ret_head)
{
    struct local *s = w->s;
    bool in_time = true;
    mutex_lock(&s->watch_lock);
    while (!w->stopped && s->head <= w->position && in_time)
        in_time = cond_wait(&s->changed, &s->watch_lock, deadline);
    enum store_result result = w->stopped ? STORE_STOPPED : s->head > w->position ? STORE_OK : STORE_TIMEOUT;
    *ret_head = s->head;
    mutex_unlock(&s->watch_lock);
    return result;
}

enum store_result local_watch_next(struct store_watch *watch, struct arena *a, int64_t deadline, struct diags *diags,
                                   struct store_change *ret)
{
    struct watch *w = watch_of(watch);
    for (;;) {
        int64_t head = 0;
        bool found = false;
        enum store_result result = wait_for_version(w, deadline, &head);
        if (result == STORE_OK)
            result = look(w, a, diags, &found, ret);
        if (result != STORE_OK || found)
            return result;
        /* All versions up to `head` were read, and the query covers none of them. */
        if (w->position < head)
            w->position = head;
    }
}
