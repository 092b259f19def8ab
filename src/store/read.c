/* Reading: connections of readers, the object of a row, one object, lists. */
#include "base/must.h"
#include "store/local.h"
#include "store/object.h"

#include <inttypes.h>
#include <stdlib.h>

/* The order of columns in DB_OBJECT_* and DB_VERSION_NEXT. */
enum { ROW_VERSION, ROW_UID, ROW_LABELS, ROW_BODY, ROW_GROUP, ROW_KIND, ROW_NAMESPACE };

struct local_reader *local_take_reader(struct local *s, struct diags *diags)
{
    mutex_lock(&s->readers_lock);
    struct local_reader *r = s->readers;
    if (r) {
        s->readers = r->next;
        s->n_readers--;
    }
    mutex_unlock(&s->readers_lock);
    if (r)
        return r;
    r = must(calloc(1, sizeof *r));
    if (db_open(&r->db, s->path, SQLITE_OPEN_READONLY, diags))
        return r;
    db_close(&r->db);
    free(r);
    return NULL;
}

void local_give_reader(struct local *s, struct local_reader *r)
{
    db_rollback(&r->db);
    mutex_lock(&s->readers_lock);
    bool keep = s->n_readers < LOCAL_IDLE_READERS;
    if (keep) {
        r->next = s->readers;
        s->readers = r;
        s->n_readers++;
    }
    mutex_unlock(&s->readers_lock);
    if (keep)
        return;
    db_close(&r->db);
    free(r);
}

struct str local_context(struct arena *a, struct str uid, int64_t version)
{
    return arena_printf(a, STR_FMT "/%" PRId64, STR_ARG(uid), version);
}

static const struct json *parse(struct local *s, struct arena *a, struct str text, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags unread; /* the parser's position inside the stored text does not help users */
    diags_init(&unread, scratch);
    const struct json *object = json_parse(a, text, "object", &unread);
    if (!object)
        (void)db_damaged(s->path, "an object in it is not JSON", diags);
    return object;
}

static const struct json *parse_secret(struct local *s, struct arena *a, struct str context, struct str body, struct diags *diags)
{
    struct buf plain = BUF_INIT(body.n + 1);
    const struct json *object = NULL;
    if (!unseal(s->sealer, context, body, &plain))
        (void)db_damaged(s->path, "a Secret in it was not sealed by this store for this object", diags);
    else
        object = parse(s, a, buf_str(&plain), diags);
    buf_wipe(&plain);
    if (object)
        seal_wipe_with(a, object);
    return object;
}

const struct json *local_row_object(struct local *s, struct arena *a, sqlite3_stmt *q, bool is_secret, struct diags *diags)
{
    struct str body = db_text(q, ROW_BODY);
    if (!is_secret)
        return parse(s, a, body, diags);
    return parse_secret(s, a, local_context(a, db_text(q, ROW_UID), sqlite3_column_int64(q, ROW_VERSION)), body, diags);
}

bool local_is_asked_for(const struct store_query *query, struct str group, struct str kind, struct str namespace)
{
    return (query->kind.n == 0 || (str_eq(query->kind, kind) && str_eq(query->group, group))) &&
           (query->namespace.n == 0 || str_eq(query->namespace, namespace));
}

bool local_labels_match(const struct selector *selector, struct str labels)
{
    if (!selector || selector->n == 0)
        return true;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return selector_matches(selector, labels.n > 0 ? json_parse_lenient(scratch, labels) : NULL);
}

static enum store_result not_found(const struct store_key *key, struct diags *diags)
{
    struct str title = object_title(diags->arena, key);
    (void)diags_fail(diags, "Object does not exist", STR_FMT " is not in the store.", STR_ARG(title));
    return STORE_NOT_FOUND;
}

enum store_result local_find(struct local *s, struct db *db, struct arena *a, const struct store_key *key, struct diags *diags,
                             struct local_found *ret)
{
    sqlite3_stmt *q = db_statement(db, DB_OBJECT_GET);
    if (!q)
        return db_problem(db, diags);
    db_bind(q, 1, key->group);
    db_bind(q, 2, key->kind);
    db_bind(q, 3, key->namespace);
    db_bind(q, 4, key->name);
    int code = db_step(q);
    if (code == SQLITE_DONE)
        return not_found(key, diags);
    if (code != SQLITE_ROW)
        return db_problem(db, diags);
    struct local_found found = {
        .version = sqlite3_column_int64(q, ROW_VERSION),
        .bytes = sqlite3_column_bytes(q, ROW_BODY),
        .labels = arena_str(a, db_text(q, ROW_LABELS)),
        .object = local_row_object(s, a, q, object_is_secret(key->group, key->kind), diags),
    };
    (void)sqlite3_reset(q);
    if (!found.object)
        return STORE_FAILED;
    *ret = found;
    return STORE_OK;
}

enum store_result local_get(struct store *store, struct arena *a, const struct store_key *key, struct diags *diags,
                            const struct json **ret)
{
    struct local *s = local_of(store);
    struct local_reader *r = local_take_reader(s, diags);
    if (!r)
        return STORE_FAILED;
    struct local_found found = {0};
    enum store_result result = local_find(s, &r->db, a, key, diags, &found);
    local_give_reader(s, r);
    if (result == STORE_OK)
        *ret = found.object;
    return result;
}

/* ---- lists ---- */

struct listing {
    struct local *s;
    struct db *db;
    const struct store_query *query;
    store_each *each;
    void *ctx;
    struct diags *diags;
};

static sqlite3_stmt *list_statement(const struct listing *l)
{
    bool has_kind = l->query->kind.n > 0, has_namespace = l->query->namespace.n > 0;
    enum db_statement which = l->query->wants ? DB_OBJECT_KEYS : has_kind ? DB_OBJECT_LIST : DB_OBJECT_LIST_ALL;
    sqlite3_stmt *q = db_statement(l->db, which);
    if (q && l->query->wants) {
        db_bind(q, 1, l->query->kind);
        db_bind(q, 2, l->query->group);
    } else if (q && has_kind) {
        db_bind(q, 1, l->query->group);
        db_bind(q, 2, l->query->kind);
        db_bind(q, 3, l->query->namespace);
        db_bind(q, 4, has_namespace ? l->query->namespace : STR("\xf4\x8f\xbf\xbf")); /* the highest code point */
    }
    return q;
}

/* Handles one row of this kind; false ends the listing. */
static bool list_row(const struct listing *l, struct arena *a, sqlite3_stmt *q, bool is_secret, enum store_result *result)
{
    if (!local_labels_match(l->query->selector, db_text(q, ROW_LABELS)))
        return true;
    const struct json *object = local_row_object(l->s, a, q, is_secret, l->diags);
    if (!object)
        *result = STORE_FAILED;
    return object && l->each(l->ctx, a, object);
}

static bool list_whole(const struct listing *l, struct arena *a, sqlite3_stmt *q, enum store_result *result)
{
    struct str group = db_text(q, ROW_GROUP), kind = db_text(q, ROW_KIND);
    return !local_is_asked_for(l->query, group, kind, db_text(q, ROW_NAMESPACE)) ||
           list_row(l, a, q, object_is_secret(group, kind), result);
}

/* Handles a row of DB_OBJECT_KEYS: reads the object only if it is wanted. */
static bool list_wanted(const struct listing *l, struct arena *a, sqlite3_stmt *q, enum store_result *result)
{
    const struct store_key key = {db_text(q, 0), db_text(q, 1), db_text(q, 2), db_text(q, 3)};
    if (!local_is_asked_for(l->query, key.group, key.kind, key.namespace) || !l->query->wants(l->ctx, &key))
        return true;
    sqlite3_stmt *row = db_statement(l->db, DB_VERSION_GET);
    if (row)
        db_bind_int(row, 1, sqlite3_column_int64(q, 4));
    if (db_step(row) != SQLITE_ROW) { /* both are read in the same transaction */
        *result = db_problem(l->db, l->diags);
        return false;
    }
    bool go_on = list_row(l, a, row, object_is_secret(key.group, key.kind), result);
    (void)sqlite3_reset(row);
    return go_on;
}

static enum store_result list_rows(const struct listing *l)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    sqlite3_stmt *q = list_statement(l);
    enum store_result result = STORE_OK;
    int code = db_step(q);
    while (code == SQLITE_ROW && (l->query->wants ? list_wanted : list_whole)(l, a, q, &result)) {
        arena_reset(a);
        code = db_step(q);
    }
    if (code == SQLITE_ROW)
        (void)sqlite3_reset(q);
    else if (code != SQLITE_DONE)
        return db_problem(l->db, l->diags);
    return result;
}

enum store_result local_list(struct store *store, struct arena *a, const struct store_query *query, store_each *each, void *ctx,
                             struct diags *diags, struct str *ret_version)
{
    struct local *s = local_of(store);
    struct local_reader *r = local_take_reader(s, diags);
    if (!r)
        return STORE_FAILED;
    struct listing l = {s, &r->db, query, each, ctx, diags};
    int64_t head = 0;
    enum store_result result = STORE_OK;
    if (!db_do(&r->db, DB_BEGIN_READ) || !db_number(db_statement(&r->db, DB_HEAD), 0, &head))
        result = db_problem(&r->db, diags);
    else
        result = list_rows(&l);
    local_give_reader(s, r);
    if (result == STORE_OK)
        *ret_version = arena_printf(a, "%" PRId64, head);
    return result;
}
