/*
 * Events: repetitions increase a count; old and excess ones are dropped. A power cut may lose them: nothing depends on them, so
 * writing them does not wait for the disk.
 */
#include "base/vec.h"
#include "store/local.h"

enum {
    EVENT_UID,
    EVENT_TYPE,
    EVENT_REASON,
    EVENT_MESSAGE,
    EVENT_FIRST,
    EVENT_LAST,
    EVENT_COUNT,
    EVENT_GROUP,
    EVENT_KIND,
    EVENT_NAMESPACE,
    EVENT_NAME
};

/* At most n bytes, never cutting a character. */
static struct str cut(struct str text, size_t n)
{
    if (text.n <= n)
        return text;
    while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
        n--;
    return str_slice(text, 0, n);
}

static void bind_what(sqlite3_stmt *q, const struct store_event *event, int64_t now)
{
    db_bind(q, 1, event->uid);
    db_bind(q, 2, event->type);
    db_bind(q, 3, cut(event->reason, STORE_MAX_EVENT_WORD));
    db_bind(q, 4, cut(event->message, STORE_MAX_EVENT_MESSAGE));
    db_bind_int(q, 5, now);
}

static bool count_up(struct db *db, const struct store_event *event, int64_t now, bool *ret_found)
{
    sqlite3_stmt *q = db_statement(db, DB_EVENT_COUNT_UP);
    if (!q)
        return false;
    bind_what(q, event, now);
    if (!db_run(q))
        return false;
    *ret_found = sqlite3_changes(db->sqlite) > 0;
    return true;
}

static bool add(struct db *db, const struct store_event *event, int64_t now)
{
    sqlite3_stmt *q = db_statement(db, DB_EVENT_ADD);
    if (!q)
        return false;
    bind_what(q, event, now);
    db_bind(q, 6, event->about.group);
    db_bind(q, 7, event->about.kind);
    db_bind(q, 8, event->about.namespace);
    db_bind(q, 9, event->about.name);
    return db_run(q);
}

static bool drop_old(struct db *db, int64_t before, int64_t *n)
{
    sqlite3_stmt *q = db_statement(db, DB_EVENT_DROP_OLD);
    if (!q)
        return false;
    db_bind_int(q, 1, before);
    if (!db_run(q))
        return false;
    *n -= sqlite3_changes(db->sqlite);
    return true;
}

/* `*ret_n`: the number of events afterwards. */
static bool record(struct local *s, const struct store_event *event, int64_t *ret_n)
{
    struct db *db = &s->writer;
    int64_t now = s->clock->wall_ns(s->clock);
    bool found = false;
    if (!db_do(db, DB_BEGIN_WRITE) || !local_recount(s))
        return false;
    int64_t n = s->n_events;
    if (!drop_old(db, now - STORE_EVENT_AGE_NS, &n) || !count_up(db, event, now, &found))
        return false;
    if (!found && !add(db, event, now))
        return false;
    n += found ? 0 : 1;
    for (; n > s->max_events; n--) {
        if (!db_do(db, DB_EVENT_DROP_OLDEST))
            return false;
    }
    *ret_n = n;
    return db_do(db, DB_COMMIT);
}

enum store_result local_record(struct store *store, const struct store_event *event, struct diags *diags)
{
    struct local *s = local_of(store);
    enum store_result result = STORE_OK;
    mutex_lock(&s->write_lock);
    int64_t n = 0;
    if (record(s, event, &n))
        s->n_events = n;
    else
        result = db_problem(&s->writer, diags);
    db_rollback(&s->writer);
    mutex_unlock(&s->write_lock);
    return result;
}

static struct store_event event_of(struct arena *a, sqlite3_stmt *q)
{
    return (struct store_event){
        .about = {arena_str(a, db_text(q, EVENT_GROUP)), arena_str(a, db_text(q, EVENT_KIND)),
                  arena_str(a, db_text(q, EVENT_NAMESPACE)), arena_str(a, db_text(q, EVENT_NAME))},
        .uid = arena_str(a, db_text(q, EVENT_UID)),
        .type = arena_str(a, db_text(q, EVENT_TYPE)),
        .reason = arena_str(a, db_text(q, EVENT_REASON)),
        .message = arena_str(a, db_text(q, EVENT_MESSAGE)),
        .count = sqlite3_column_int64(q, EVENT_COUNT),
        .first_ns = sqlite3_column_int64(q, EVENT_FIRST),
        .last_ns = sqlite3_column_int64(q, EVENT_LAST),
    };
}

enum store_result local_events(struct store *store, struct arena *a, struct str uid, struct diags *diags,
                               struct store_events *ret)
{
    struct local *s = local_of(store);
    struct local_reader *r = local_take_reader(s, diags);
    if (!r)
        return STORE_FAILED;
    VEC(struct store_event) events = {0};
    sqlite3_stmt *q = db_statement(&r->db, uid.n > 0 ? DB_EVENT_LIST : DB_EVENT_LIST_ALL);
    if (q && uid.n > 0)
        db_bind(q, 1, uid);
    int code = db_step(q);
    for (; code == SQLITE_ROW; code = db_step(q))
        *VEC_PUSH(a, &events) = event_of(a, q);
    enum store_result result = code == SQLITE_DONE ? STORE_OK : db_problem(&r->db, diags);
    local_give_reader(s, r);
    if (result == STORE_OK)
        *ret = (struct store_events){events.v, events.n};
    return result;
}
