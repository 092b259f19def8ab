#include "store/db.h"

#include <errno.h>
#include <stdlib.h>

/*
 * How long to wait for other writers, checkpoints and backups. SQLite's own handler sleeps up to 100 ms at a time, and then meets
 * the next transaction of a process that writes much.
 */
enum { BUSY_MS = 10000, BUSY_STEP_MS = 5 };

/*
 * Page cache of each of a dozen connections; the kernel caches the pages anyway. SQLite's default of 2 MiB was most of the
 * resident memory.
 */
#define CACHE "PRAGMA cache_size = -256"

#define ROW "v.version, v.uid, v.labels, v.body"

static const char *const sql[DB_N_STATEMENTS] = {
    [DB_BEGIN_READ] = "BEGIN",
    [DB_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [DB_COMMIT] = "COMMIT",
    [DB_ROLLBACK] = "ROLLBACK",
    [DB_HEAD] = "SELECT seq FROM sqlite_sequence WHERE name = 'versions'",
    [DB_DATA_VERSION] = "PRAGMA data_version",
    [DB_META_GET] = "SELECT value FROM meta WHERE name = ?1",
    [DB_META_SET] = "INSERT INTO meta(name, value) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
    [DB_OBJECT_GET] = "SELECT " ROW " FROM objects o JOIN versions v ON v.version = o.version"
                      " WHERE o.grp = ?1 AND o.kind = ?2 AND o.namespace = ?3 AND o.name = ?4",
    [DB_OBJECT_EXISTS] = "SELECT 1 FROM objects WHERE grp = ?1 AND kind = ?2 AND namespace = ?3 AND name = ?4",
    [DB_OBJECT_LIST] = "SELECT " ROW ", o.grp, o.kind, o.namespace FROM objects o CROSS JOIN versions v ON v.version = o.version"
                       " WHERE o.grp = ?1 AND o.kind = ?2 AND o.namespace >= ?3 AND o.namespace <= ?4"
                       " ORDER BY o.grp, o.kind, o.namespace, o.name",
    [DB_OBJECT_LIST_ALL] =
        "SELECT " ROW ", o.grp, o.kind, o.namespace FROM objects o CROSS JOIN versions v ON v.version = o.version"
        " ORDER BY o.grp, o.kind, o.namespace, o.name",
    [DB_OBJECT_KEYS] = "SELECT grp, kind, namespace, name, version FROM objects WHERE ?1 = '' OR (grp = ?2 AND kind = ?1)"
                       " ORDER BY grp, kind, namespace, name",
    [DB_VERSION_GET] = "SELECT " ROW " FROM versions v WHERE v.version = ?1",
    [DB_OBJECT_PUT] = "INSERT INTO objects(grp, kind, namespace, name, version) VALUES(?1, ?2, ?3, ?4, ?5)"
                      " ON CONFLICT(grp, kind, namespace, name) DO UPDATE SET version = excluded.version",
    [DB_OBJECT_DELETE] = "DELETE FROM objects WHERE grp = ?1 AND kind = ?2 AND namespace = ?3 AND name = ?4",
    [DB_VERSION_ADD] = "INSERT INTO versions(grp, kind, namespace, name, version, change, uid, labels, labels_before, body)"
                       " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [DB_VERSION_DELETE] = "DELETE FROM versions WHERE version = ?1",
    [DB_VERSION_NEXT] = "SELECT " ROW ", v.grp, v.kind, v.namespace, v.change, v.labels_before FROM versions v"
                        " WHERE v.version > ?1 ORDER BY v.version",
    [DB_SUPERSEDED_ADD] = "INSERT INTO superseded(version, bytes) VALUES(?1, ?2)",
    [DB_SUPERSEDED_FIRST] = "SELECT version, bytes FROM superseded ORDER BY version LIMIT 1",
    [DB_SUPERSEDED_DELETE] = "DELETE FROM superseded WHERE version = ?1",
    [DB_SUPERSEDED_BYTES] = "SELECT sum(bytes) FROM superseded",
    [DB_EVENT_COUNT_UP] = "UPDATE events SET count = count + 1, last_ns = max(last_ns, ?5)"
                          " WHERE uid = ?1 AND type = ?2 AND reason = ?3 AND message = ?4",
    [DB_EVENT_ADD] = "INSERT INTO events(uid, type, reason, message, first_ns, last_ns, count, grp, kind, namespace, name)"
                     " VALUES(?1, ?2, ?3, ?4, ?5, ?5, 1, ?6, ?7, ?8, ?9)",
    [DB_EVENT_DROP_OLD] = "DELETE FROM events WHERE last_ns < ?1",
    [DB_EVENT_DROP_OLDEST] = "DELETE FROM events WHERE id = (SELECT id FROM events ORDER BY last_ns, id LIMIT 1)",
    [DB_EVENT_COUNT] = "SELECT count(*) FROM events",
    [DB_EVENT_LIST] = "SELECT uid, type, reason, message, first_ns, last_ns, count, grp, kind, namespace, name FROM events"
                      " WHERE uid = ?1 ORDER BY last_ns, id",
    [DB_EVENT_LIST_ALL] = "SELECT uid, type, reason, message, first_ns, last_ns, count, grp, kind, namespace, name FROM events"
                          " ORDER BY last_ns, id",
};

static int wait_a_moment(void *ctx, int tries)
{
    (void)ctx;
    bool again = tries < BUSY_MS / BUSY_STEP_MS;
    if (again)
        (void)sqlite3_sleep(tries == 0 ? 1 : BUSY_STEP_MS);
    return again;
}

bool db_open(struct db *db, const char *path, int flags, struct diags *diags)
{
    *db = (struct db){.path = path};
    if (sqlite3_open_v2(path, &db->sqlite, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        (void)db_problem(db, diags);
        return false;
    }
    (void)sqlite3_extended_result_codes(db->sqlite, 1);
    (void)sqlite3_busy_handler(db->sqlite, wait_a_moment, NULL);
    (void)db_exec(db, CACHE); /* only a hint */
    return true;
}

void db_close(struct db *db)
{
    for (size_t i = 0; i < DB_N_STATEMENTS; i++)
        (void)sqlite3_finalize(db->statements[i]);
    (void)sqlite3_close(db->sqlite);
    *db = (struct db){0};
}

sqlite3_stmt *db_statement(struct db *db, enum db_statement which)
{
    sqlite3_stmt **q = &db->statements[which];
    if (!*q)
        (void)sqlite3_prepare_v3(db->sqlite, sql[which], -1, SQLITE_PREPARE_PERSISTENT, q, NULL);
    else
        (void)sqlite3_reset(*q);
    return *q;
}

/* Binding fails only for lack of memory, and the next step reports that. Bound data must outlive the step. */
void db_bind(sqlite3_stmt *q, int at, struct str text)
{
    (void)sqlite3_bind_text64(q, at, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
}

void db_bind_bytes(sqlite3_stmt *q, int at, struct str bytes)
{
    (void)sqlite3_bind_blob64(q, at, bytes.p ? bytes.p : "", bytes.n, SQLITE_STATIC);
}

void db_bind_int(sqlite3_stmt *q, int at, int64_t number)
{
    (void)sqlite3_bind_int64(q, at, number);
}

struct str db_text(sqlite3_stmt *q, int column)
{
    const char *p = sqlite3_column_blob(q, column); /* for text this returns its bytes, without conversion */
    int n = sqlite3_column_bytes(q, column);
    return p && n > 0 ? (struct str){p, (size_t)n} : STR_EMPTY;
}

int db_step(sqlite3_stmt *q)
{
    int code = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (code == SQLITE_ROW)
        return code;
    if (q) {
        (void)sqlite3_reset(q);
        (void)sqlite3_clear_bindings(q);
    }
    return code;
}

bool db_run(sqlite3_stmt *q)
{
    int code = db_step(q);
    while (code == SQLITE_ROW)
        code = db_step(q);
    return code == SQLITE_DONE;
}

bool db_do(struct db *db, enum db_statement which)
{
    return db_run(db_statement(db, which));
}

bool db_exec(struct db *db, const char *text)
{
    return sqlite3_exec(db->sqlite, text, NULL, NULL, NULL) == SQLITE_OK;
}

bool db_number(sqlite3_stmt *q, int64_t fallback, int64_t *ret)
{
    int code = db_step(q);
    int64_t number = code == SQLITE_ROW ? sqlite3_column_int64(q, 0) : fallback;
    if (code == SQLITE_ROW)
        (void)sqlite3_reset(q);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return false;
    *ret = number;
    return true;
}

void db_rollback(struct db *db)
{
    if (db->sqlite && !sqlite3_get_autocommit(db->sqlite))
        (void)db_do(db, DB_ROLLBACK);
}

enum store_result db_damaged(const char *path, const char *what, struct diags *diags)
{
    (void)diags_fail(diags, "Store is damaged",
                     "%s: %s. Restore a backup of it; without one, move the file aside and apply the manifests again.", path,
                     what);
    return STORE_FAILED;
}

enum store_result db_problem(struct db *db, struct diags *diags)
{
    int code = db->sqlite ? sqlite3_errcode(db->sqlite) : SQLITE_NOMEM;
    const char *said = db->sqlite ? sqlite3_errmsg(db->sqlite) : "out of memory";
    bool is_full =
        code == SQLITE_FULL || (db->sqlite && (code & 0xff) == SQLITE_IOERR && sqlite3_system_errno(db->sqlite) == ENOSPC);
    if ((code & 0xff) == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return db_damaged(db->path, said, diags);
    if (is_full)
        (void)diags_fail(diags, "Store's disk is full",
                         "%s: no space left on the device. Nothing was written; make room and try again.", db->path);
    else if ((code & 0xff) == SQLITE_BUSY)
        (void)diags_fail(diags, "Store is busy",
                         "%s: another process has been writing for %d seconds. Nothing was written; try again.", db->path,
                         BUSY_MS / 1000);
    else
        (void)diags_fail(diags, "Store failed", "%s: %s.", db->path, said);
    return STORE_FAILED;
}
