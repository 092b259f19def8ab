#include "store/schema.h"

#include <stdio.h>

/*
 * Each brings a database one format further, in the same transaction as the number. They are never changed once released.
 *
 * objects: which version is the object now. versions: every change with the object as it was then, the body last so that
 * filtering does not read it. superseded: versions that are kept for watches only.
 */
static const char *const migrations[] = {
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE objects(grp TEXT NOT NULL, kind TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,"
    " version INTEGER NOT NULL, PRIMARY KEY(grp, kind, namespace, name)) WITHOUT ROWID;"
    "CREATE TABLE versions(version INTEGER PRIMARY KEY AUTOINCREMENT, change INTEGER NOT NULL, grp TEXT NOT NULL, kind TEXT NOT "
    "NULL,"
    " namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL, labels TEXT NOT NULL, labels_before TEXT NOT NULL,"
    " body BLOB NOT NULL);"
    "CREATE TABLE superseded(version INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);"
    "CREATE TABLE events(id INTEGER PRIMARY KEY, uid TEXT NOT NULL, type TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT "
    "NULL,"
    " first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, count INTEGER NOT NULL, grp TEXT NOT NULL, kind TEXT NOT NULL,"
    " namespace TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(uid, type, reason, message));"
    "CREATE INDEX events_by_time ON events(last_ns);",
};

enum { N_MIGRATIONS = sizeof migrations / sizeof *migrations };

int schema_version(void)
{
    return N_MIGRATIONS;
}

static bool ask(struct db *db, const char *sql, int64_t *ret)
{
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(db->sqlite, sql, -1, &q, NULL) == SQLITE_OK && db_number(q, 0, ret);
    (void)sqlite3_finalize(q);
    return ok;
}

static bool check_sound(struct db *db, struct diags *diags)
{
    sqlite3_stmt *q = NULL;
    bool asked = sqlite3_prepare_v2(db->sqlite, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK && db_step(q) == SQLITE_ROW;
    bool ok = asked && str_eqz(db_text(q, 0), "ok");
    if (!asked)
        (void)db_problem(db, diags);
    else if (!ok)
        (void)db_damaged(db->path, (const char *)sqlite3_column_text(q, 0), diags);
    (void)sqlite3_finalize(q);
    return ok;
}

static bool check_identity(struct db *db, struct diags *diags, int64_t *ret_version)
{
    int64_t id = 0, n = 0, version = 0;
    if (!ask(db, "PRAGMA application_id", &id) || !ask(db, "PRAGMA user_version", &version) ||
        !ask(db, "SELECT count(*) FROM sqlite_master", &n)) {
        (void)db_problem(db, diags);
        return false;
    }
    if (id != SCHEMA_APPLICATION_ID && (id != 0 || n != 0))
        return diags_fail(diags, "Not a store", "%s is a database of another program. Choose another folder.", db->path);
    if (version > N_MIGRATIONS)
        return diags_fail(
            diags, "Store is newer than this program",
            "%s has format %lld, and this program knows formats up to %d. Use the version of Terrane that wrote it, or "
            "restore a backup that was made before.",
            db->path, (long long)version, N_MIGRATIONS);
    *ret_version = version;
    return true;
}

bool store_schema_check(struct db *db, struct diags *diags)
{
    int64_t version = 0;
    return check_identity(db, diags, &version) && check_sound(db, diags);
}

bool store_schema_check_format(struct db *db, struct diags *diags)
{
    int64_t version = 0;
    if (!check_identity(db, diags, &version))
        return false;
    if (version == N_MIGRATIONS)
        return true;
    return diags_fail(diags, "Store has an older format",
                      "%s has format %lld, and this program uses format %d. Start `terrane up` of this program on it once.",
                      db->path, (long long)version, N_MIGRATIONS);
}

static bool migrate(struct db *db)
{
    int64_t version = 0;
    char number[128];
    if (!ask(db, "PRAGMA user_version", &version))
        return false;
    for (int64_t i = version; i < N_MIGRATIONS; i++) {
        if (!db_exec(db, migrations[i]))
            return false;
    }
    (void)snprintf(number, sizeof number, "PRAGMA application_id = %d; PRAGMA user_version = %d", SCHEMA_APPLICATION_ID,
                   N_MIGRATIONS);
    return version == N_MIGRATIONS || db_exec(db, number);
}

bool store_schema_migrate(struct db *db, struct diags *diags)
{
    if (db_exec(db, "BEGIN IMMEDIATE") && migrate(db) && db_exec(db, "COMMIT"))
        return true;
    (void)db_problem(db, diags);
    db_rollback(db);
    return false;
}
