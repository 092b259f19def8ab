#include "emulator/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 5000, APPLICATION_ID = 0x54434331 /* TCC1 */, VERSION = 1 };

struct emulator_store {
    sqlite3 *db;
};

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS objects(type TEXT, id TEXT, model TEXT, PRIMARY KEY(type, id)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS requests(number INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT UNIQUE,"
    " client_token TEXT, digest TEXT, type TEXT, id TEXT, id_known INTEGER, operation TEXT, status TEXT,"
    " error TEXT, message TEXT, model TEXT, begun_ns INTEGER, event_ns INTEGER, due_ns INTEGER, hook TEXT, hooks_token TEXT);"
    "CREATE INDEX IF NOT EXISTS by_client_token ON requests(client_token);"
    "CREATE INDEX IF NOT EXISTS by_state ON requests(status, due_ns);"
    "CREATE INDEX IF NOT EXISTS by_object ON requests(type, id, status);"
    "CREATE INDEX IF NOT EXISTS by_event ON requests(event_ns);";

/* Upgrades files of version 0, which have no hooks. */
static const char from_0[] = "ALTER TABLE requests ADD COLUMN begun_ns INTEGER; ALTER TABLE requests ADD COLUMN hook TEXT;"
                             "ALTER TABLE requests ADD COLUMN hooks_token TEXT; UPDATE requests SET begun_ns = event_ns";

#define COLUMNS                                                                                                                  \
    "number, token, client_token, digest, type, id, id_known, operation, status, error, message, model, begun_ns, event_ns,"     \
    " due_ns, hook, hooks_token"
#define RUNNING "status IN ('PENDING', 'IN_PROGRESS', 'CANCEL_IN_PROGRESS')"

static bool execute(struct emulator_store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int64_t pragma_of(struct emulator_store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        value = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    return value;
}

/* Why the file cannot be used; NULL if it can. Never writes to a file that belongs to another program. */
static const char *refusal(struct emulator_store *s)
{
    int64_t id = pragma_of(s, "PRAGMA application_id"), n = pragma_of(s, "SELECT count(*) FROM sqlite_master");
    if (n < 0)
        return sqlite3_errmsg(s->db);
    if (id != APPLICATION_ID && (id != 0 || n != 0))
        return "it is a database of a different program";
    if (pragma_of(s, "PRAGMA user_version") > VERSION)
        return "it was created by a newer version of this program";
    if (sqlite3_db_readonly(s->db, "main") == 1)
        return "it cannot be written to";
    return NULL;
}

/* In one transaction, because other processes may do the same at the same time. */
static bool prepare_tables(struct emulator_store *s)
{
    if (!execute(s, "BEGIN IMMEDIATE"))
        return false;
    bool old = pragma_of(s, "PRAGMA user_version") == 0 &&
               pragma_of(s, "SELECT count(*) FROM sqlite_master WHERE name = 'requests'") == 1;
    if ((!old || execute(s, from_0)) && execute(s, tables) &&
        execute(s, "PRAGMA application_id = 0x54434331; PRAGMA user_version = 1") && execute(s, "COMMIT"))
        return true;
    return false; /* the caller closes it, which rolls back */
}

static bool is_sound(struct emulator_store *s, char *ret_problem, size_t size)
{
    sqlite3_stmt *q = NULL;
    const char *said = "it cannot be read";
    if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        said = (const char *)sqlite3_column_text(q, 0);
    bool ok = said && strcmp(said, "ok") == 0;
    if (!ok)
        (void)snprintf(ret_problem, size, "the database is damaged (%.*s)", said ? (int)strcspn(said, "\n") : 0,
                       said ? said : "");
    (void)sqlite3_finalize(q);
    return ok;
}

/* Creates a new file with access for its owner only, because it may contain secrets; SQLite gives -wal and -shm the same mode.
 * Ignores errors: SQLite reports what is wrong with the path. */
static void create_privately(const char *path)
{
    bool is_file = path && path[0] != ':'; /* SQLite's :memory: is not a file */
    int fd = is_file ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR) : -1;
    if (fd >= 0)
        (void)close(fd);
}

/* Removes access for others from an existing file (from an older version, or after a chmod). Works by path, because closing a
 * descriptor of the database file would release SQLite's locks on it. */
static bool make_private(const char *path)
{
    static const char *const files[] = {"", "-wal", "-shm"};
    char name[PATH_MAX];
    struct stat st;
    for (size_t i = 0; path && path[0] != ':' && i < sizeof files / sizeof files[0]; i++) {
        int n = snprintf(name, sizeof name, "%s%s", path, files[i]);
        if (n < 0 || (size_t)n >= sizeof name || stat(name, &st) != 0 || (st.st_mode & (S_IRWXG | S_IRWXO)) == 0)
            continue;
        if (chmod(name, S_IRUSR | S_IWUSR) != 0 && errno != ENOENT) /* -wal and -shm may appear and disappear */
            return false;
    }
    return true;
}

struct emulator_store *emulator_store_open(const char *path, struct diags *diags)
{
    struct emulator_store *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    char damage[256];
    const char *why = NULL;
    create_privately(path);
    if (sqlite3_open_v2(path ? path : ":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        why = s->db ? sqlite3_errmsg(s->db) : "out of memory";
    else
        (void)sqlite3_busy_timeout(s->db, BUSY_MS);
    if (!why)
        why = refusal(s);
    if (!why && !is_sound(s, damage, sizeof damage))
        why = damage;
    if (!why && !make_private(path))
        why = "others can read it, and its mode cannot be changed";
    if (!why && (!execute(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL") || !prepare_tables(s)))
        why = sqlite3_errmsg(s->db);
    if (!why)
        return s;
    (void)diags_fail(diags, "Cannot use the data file", "%s: %s.", path ? path : "memory", why);
    emulator_store_close(s);
    return NULL;
}

void emulator_store_close(struct emulator_store *s)
{
    if (!s)
        return;
    (void)sqlite3_close(s->db);
    free(s);
}

bool emulator_store_begin(struct emulator_store *s)
{
    return execute(s, "BEGIN IMMEDIATE");
}

bool emulator_store_end(struct emulator_store *s, bool keep)
{
    if (keep && execute(s, "COMMIT"))
        return true;
    (void)execute(s, "ROLLBACK");
    return !keep;
}

const char *emulator_store_problem(const struct emulator_store *s)
{
    return sqlite3_errmsg(s->db);
}

/* --- queries --- */

static sqlite3_stmt *prepare(struct emulator_store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    return sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK ? q : NULL;
}

static void bind_text(sqlite3_stmt *q, int i, struct str text)
{
    if (q)
        (void)sqlite3_bind_text64(q, i, text.n > 0 ? text.p : "", text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
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

bool emulator_store_get(struct emulator_store *s, struct arena *a, struct str type, struct str id, struct str *ret_model)
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

bool emulator_store_put(struct emulator_store *s, struct str type, struct str id, struct str model)
{
    sqlite3_stmt *q = prepare(s, "INSERT OR REPLACE INTO objects VALUES(?, ?, ?)");
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    bind_text(q, 3, model);
    return finish(q);
}

bool emulator_store_delete(struct emulator_store *s, struct str type, struct str id)
{
    sqlite3_stmt *q = prepare(s, "DELETE FROM objects WHERE type = ? AND id = ?");
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    return finish(q);
}

bool emulator_store_each(struct emulator_store *s, struct str type, struct str after, emulator_store_object_fn *fn, void *ctx)
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

bool emulator_store_put_request(struct emulator_store *s, const struct emulator_stored_request *r)
{
    sqlite3_stmt *q =
        prepare(s, "INSERT INTO requests(token, client_token, digest, type, hook, hooks_token, operation, id, status,"
                   " error, message, model, id_known, begun_ns, event_ns, due_ns)"
                   " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                   " ON CONFLICT(token) DO UPDATE SET id = excluded.id, id_known = excluded.id_known,"
                   " status = excluded.status, error = excluded.error, message = excluded.message,"
                   " model = excluded.model, event_ns = excluded.event_ns, due_ns = excluded.due_ns");
    const struct str operation = str_of(emulator_operation_name(r->operation)), status = str_of(emulator_status_name(r->status));
    const struct str texts[] = {r->token,  r->client_token, r->digest, r->type,  r->hook,    r->hooks_token,
                                operation, r->id,           status,    r->error, r->message, r->model};
    enum { N_TEXTS = sizeof texts / sizeof texts[0] };
    for (int i = 0; i < N_TEXTS; i++)
        bind_text(q, i + 1, texts[i]);
    const int64_t numbers[] = {r->id_known, r->begun_ns, r->event_ns, r->due_ns};
    for (int i = 0; i < 4; i++)
        bind_int(q, N_TEXTS + i + 1, numbers[i]);
    return finish(q);
}

static struct emulator_stored_request read_request(sqlite3_stmt *q, struct arena *a)
{
    return (struct emulator_stored_request){
        .number = sqlite3_column_int64(q, 0),
        .token = column_text(q, 1, a),
        .client_token = column_text(q, 2, a),
        .digest = column_text(q, 3, a),
        .type = column_text(q, 4, a),
        .id = column_text(q, 5, a),
        .id_known = sqlite3_column_int(q, 6) != 0,
        .operation = emulator_operation_named(column_text(q, 7, NULL)),
        .status = emulator_status_named(column_text(q, 8, NULL)),
        .error = column_text(q, 9, a),
        .message = column_text(q, 10, a),
        .model = column_text(q, 11, a),
        .begun_ns = sqlite3_column_int64(q, 12),
        .event_ns = sqlite3_column_int64(q, 13),
        .due_ns = sqlite3_column_int64(q, 14),
        .hook = column_text(q, 15, a),
        .hooks_token = column_text(q, 16, a),
    };
}

static bool first_request(sqlite3_stmt *q, struct arena *a, struct emulator_stored_request *ret)
{
    bool found = q && sqlite3_step(q) == SQLITE_ROW;
    if (found)
        *ret = read_request(q, a);
    (void)sqlite3_finalize(q);
    return found;
}

bool emulator_store_request(struct emulator_store *s, struct arena *a, struct str token, struct emulator_stored_request *ret)
{
    sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS " FROM requests WHERE token = ?");
    bind_text(q, 1, token);
    return first_request(q, a, ret);
}

bool emulator_store_request_of(struct emulator_store *s, struct arena *a, struct str client_token, int64_t since_ns,
                               struct emulator_stored_request *ret)
{
    sqlite3_stmt *q =
        prepare(s, "SELECT " COLUMNS " FROM requests WHERE client_token = ? AND begun_ns >= ? ORDER BY number DESC");
    bind_text(q, 1, client_token);
    bind_int(q, 2, since_ns);
    return first_request(q, a, ret);
}

bool emulator_store_running(struct emulator_store *s, struct arena *a, struct str type, struct str id,
                            struct emulator_stored_request *ret)
{
    sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS " FROM requests WHERE type = ? AND id = ? AND " RUNNING);
    bind_text(q, 1, type);
    bind_text(q, 2, id);
    return first_request(q, a, ret);
}

bool emulator_store_due(struct emulator_store *s, struct arena *a, int64_t now_ns, struct emulator_stored_request *ret)
{
    sqlite3_stmt *q = prepare(s, "SELECT " COLUMNS " FROM requests WHERE " RUNNING " AND due_ns <= ? ORDER BY number LIMIT 1");
    bind_int(q, 1, now_ns);
    return first_request(q, a, ret);
}

bool emulator_store_each_request(struct emulator_store *s, struct arena *a, const struct emulator_store_filter *filter,
                                 emulator_store_request_fn *fn, void *ctx)
{
    sqlite3_stmt *q =
        prepare(s, "SELECT " COLUMNS " FROM requests WHERE number < ? AND (?2 = '' OR instr(?2, ',' || operation || ','))"
                   " AND (?3 = '' OR instr(?3, ',' || status || ',')) ORDER BY number DESC");
    bind_int(q, 1, filter->before > 0 ? filter->before : INT64_MAX);
    bind_text(q, 2, filter->operations);
    bind_text(q, 3, filter->statuses);
    int step = SQLITE_ERROR;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        struct emulator_stored_request r = read_request(q, a);
        if (!fn(ctx, &r))
            break;
    }
    (void)sqlite3_finalize(q);
    return step == SQLITE_ROW || step == SQLITE_DONE;
}

bool emulator_store_forget(struct emulator_store *s, int64_t before_ns)
{
    sqlite3_stmt *q = prepare(s, "DELETE FROM requests WHERE event_ns < ? AND NOT " RUNNING);
    bind_int(q, 1, before_ns);
    return finish(q);
}
