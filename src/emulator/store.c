#include "emulator/store.h"

#include <sqlite3.h>
#include <stdlib.h>

enum { BUSY_MS = 5000, APPLICATION_ID = 0x54434331 /* TCC1 */ };

struct cc_store {
    sqlite3 *db;
};

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS objects(type TEXT, id TEXT, model TEXT, PRIMARY KEY(type, id)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS requests(number INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT UNIQUE,"
    " client_token TEXT, digest TEXT, type TEXT, id TEXT, id_known INTEGER, operation TEXT, status TEXT,"
    " error TEXT, message TEXT, model TEXT, event_ns INTEGER, due_ns INTEGER);"
    "CREATE INDEX IF NOT EXISTS by_client_token ON requests(client_token);"
    "CREATE INDEX IF NOT EXISTS by_state ON requests(status, due_ns);"
    "CREATE INDEX IF NOT EXISTS by_object ON requests(type, id, status);";

#define COLUMNS                                                                                                                  \
    "number, token, client_token, digest, type, id, id_known, operation, status, error, message, model, event_ns, due_ns"
#define RUNNING "status IN ('PENDING', 'IN_PROGRESS', 'CANCEL_IN_PROGRESS')"

static bool execute(struct cc_store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int64_t pragma_of(struct cc_store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        value = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    return value;
}

/* A file of somebody else is not written to. */
static bool is_ours(struct cc_store *s)
{
    int64_t id = pragma_of(s, "PRAGMA application_id"), n = pragma_of(s, "SELECT count(*) FROM sqlite_master");
    return id == APPLICATION_ID || (id == 0 && n == 0);
}

struct cc_store *cc_store_open(const char *path, struct diags *diags)
{
    struct cc_store *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    const char *why = NULL;
    if (sqlite3_open_v2(path ? path : ":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        why = s->db ? sqlite3_errmsg(s->db) : "out of memory";
    else if (!is_ours(s))
        why = "it is not a file of the emulator";
    else if (!execute(s, "PRAGMA application_id = 0x54434331; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL") ||
             !execute(s, tables))
        why = sqlite3_errmsg(s->db);
    if (!why) {
        (void)sqlite3_busy_timeout(s->db, BUSY_MS);
        return s;
    }
    (void)diags_fail(diags, "Data file cannot be used", "%s: %s.", path ? path : "memory", why);
    cc_store_close(s);
    return NULL;
}

void cc_store_close(struct cc_store *s)
{
    if (!s)
        return;
    (void)sqlite3_close(s->db);
    free(s);
}

bool cc_store_begin(struct cc_store *s)
{
    return execute(s, "BEGIN IMMEDIATE");
}

bool cc_store_end(struct cc_store *s, bool keep)
{
    if (keep && execute(s, "COMMIT"))
        return true;
    (void)execute(s, "ROLLBACK");
    return !keep;
}

const char *cc_store_problem(const struct cc_store *s)
{
    return sqlite3_errmsg(s->db);
}

/* --- queries --- */

static sqlite3_stmt *prepare(struct cc_store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    return sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK ? q : NULL;
}

static void bind_text(sqlite3_stmt *q, int i, struct str text)
{
    if (q)
        (void)sqlite3_bind_text64(q, i, text.p, text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void bind_int(sqlite3_stmt *q, int i, int64_t n)
{
    if (q)
        (void)sqlite3_bind_int64(q, i, n);
}

static struct str column_text(sqlite3_stmt *q, int i, struct arena *a)
{
    const unsigned char *text = sqlite3_column_text(q, i);
    struct str view = {text ? (const char *)text : "", (size_t)sqlite3_column_bytes(q, i)};
    return a ? arena_str(a, view) : view;
}

/* For statements without rows. */
static bool finish(sqlite3_stmt *q)
{
    bool done = q && sqlite3_step(q) == SQLITE_DONE;
    (void)sqlite3_finalize(q);
    return done;
}

/* --- objects --- */

bool cc_store_get(struct cc_store *s, struct arena *a, struct str type, struct str id, struct str *ret_model)
{
    sqlite3_stmt *q = prepare(s, "SELECT model FROM objects WHERE type = ? AND id = ?");
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    bool found = q && sqlite3_step(q) == SQLITE_ROW;
    if (found)
        *ret_model = column_text(q, 0, a);
    (void)sqlite3_finalize(q);
    return found;
}

bool cc_store_put(struct cc_store *s, struct str type, struct str id, struct str model)
{
    sqlite3_stmt *q = prepare(s, "INSERT OR REPLACE INTO objects VALUES(?, ?, ?)");
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    bind_text(q, 3, model);
    return finish(q);
}

bool cc_store_delete(struct cc_store *s, struct str type, struct str id)
{
    sqlite3_stmt *q = prepare(s, "DELETE FROM objects WHERE type = ? AND id = ?");
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    return finish(q);
}

bool cc_store_each(struct cc_store *s, struct str type, struct str after, cc_store_object_fn *fn, void *ctx)
{
    sqlite3_stmt *q = prepare(s, "SELECT id, model FROM objects WHERE type = ? AND id > ? ORDER BY id");
    bind_text(q, 1, type);
    bind_text(q, 2, after);
    int step = SQLITE_ERROR;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW)
        if (!fn(ctx, column_text(q, 0, NULL), column_text(q, 1, NULL)))
            break;
    (void)sqlite3_finalize(q);
    return step == SQLITE_ROW || step == SQLITE_DONE;
}

/* --- requests --- */

bool cc_store_put_request(struct cc_store *s, const struct cc_stored_request *r)
{
    sqlite3_stmt *q = prepare(s, "INSERT INTO requests(token, client_token, digest, type, id, id_known, operation, status, error,"
                                 " message, model, event_ns, due_ns) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                                 " ON CONFLICT(token) DO UPDATE SET id = excluded.id, id_known = excluded.id_known,"
                                 " status = excluded.status, error = excluded.error, message = excluded.message,"
                                 " model = excluded.model, event_ns = excluded.event_ns, due_ns = excluded.due_ns");
    const struct str texts[] = {r->token, r->client_token, r->digest, r->type, r->id};
    for (int i = 0; i < 5; i++)
        bind_text(q, i + 1, texts[i]);
    bind_int(q, 6, r->id_known);
    bind_text(q, 7, str_of(cc_operation_name(r->operation)));
    bind_text(q, 8, str_of(cc_status_name(r->status)));
    bind_text(q, 9, r->error);
    bind_text(q, 10, r->message);
    bind_text(q, 11, r->model);
    bind_int(q, 12, r->event_ns);
    bind_int(q, 13, r->due_ns);
    return finish(q);
}

static struct cc_stored_request read_request(sqlite3_stmt *q, struct arena *a)
{
    return (struct cc_stored_request){
        .number = sqlite3_column_int64(q, 0),
        .token = column_text(q, 1, a),
        .client_token = column_text(q, 2, a),
        .digest = column_text(q, 3, a),
        .type = column_text(q, 4, a),
        .id = column_text(q, 5, a),
        .id_known = sqlite3_column_int(q, 6) != 0,
        .operation = cc_operation_named(column_text(q, 7, NULL)),
        .status = cc_status_named(column_text(q, 8, NULL)),
        .error = column_text(q, 9, a),
        .message = column_text(q, 10, a),
        .model = column_text(q, 11, a),
        .event_ns = sqlite3_column_int64(q, 12),
        .due_ns = sqlite3_column_int64(q, 13),
    };
}

static bool first_request(sqlite3_stmt *q, struct arena *a, struct cc_stored_request *ret)
{
    bool found = q && sqlite3_step(q) == SQLITE_ROW;
    if (found)
        *ret = read_request(q, a);
    (void)sqlite3_finalize(q);
    return found;
}

bool cc_store_request(struct cc_store *s, struct arena *a, const char *column, struct str value, struct cc_stored_request *ret)
{
    bool by_token = strcmp(column, "token") == 0;
    sqlite3_stmt *q = prepare(s, by_token ? "SELECT " COLUMNS " FROM requests WHERE token = ?"
                                          : "SELECT " COLUMNS " FROM requests WHERE client_token = ? ORDER BY number DESC");
    bind_text(q, 1, value);
    return first_request(q, a, ret);
}

bool cc_store_running(struct cc_store *s, struct arena *a, struct str type, struct str id, struct cc_stored_request *ret)
{
    sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS " FROM requests WHERE type = ? AND id = ? AND " RUNNING);
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    return first_request(q, a, ret);
}

bool cc_store_due(struct cc_store *s, struct arena *a, int64_t now_ns, struct cc_stored_request *ret)
{
    sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS " FROM requests WHERE " RUNNING " AND due_ns <= ? ORDER BY number LIMIT 1");
    bind_int(q, 1, now_ns);
    return first_request(q, a, ret);
}

bool cc_store_each_request(struct cc_store *s, struct arena *a, int64_t before, cc_store_request_fn *fn, void *ctx)
{
    sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS " FROM requests WHERE number < ? ORDER BY number DESC");
    bind_int(q, 1, before > 0 ? before : INT64_MAX);
    int step = SQLITE_ERROR;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        struct cc_stored_request r = read_request(q, a);
        if (!fn(ctx, &r))
            break;
    }
    (void)sqlite3_finalize(q);
    return step == SQLITE_ROW || step == SQLITE_DONE;
}

bool cc_store_forget(struct cc_store *s, int64_t before_ns)
{
    sqlite3_stmt *q = prepare(s, "DELETE FROM requests WHERE event_ns < ? AND NOT " RUNNING);
    bind_int(q, 1, before_ns);
    return finish(q);
}
