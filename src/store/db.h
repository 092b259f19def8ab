/* One connection to the database: prepared statements, transactions, and the meaning of its errors. */
#pragma once

#include "store/store.h"

#include <sqlite3.h>

enum db_statement {
    DB_BEGIN_READ,
    DB_BEGIN_WRITE,
    DB_COMMIT,
    DB_ROLLBACK,
    DB_HEAD,
    DB_DATA_VERSION,
    DB_META_GET,
    DB_META_SET,
    DB_OBJECT_GET,
    DB_OBJECT_EXISTS,
    DB_OBJECT_LIST,
    DB_OBJECT_LIST_ALL,
    DB_OBJECT_KEYS,
    DB_VERSION_GET,
    DB_OBJECT_PUT,
    DB_OBJECT_DELETE,
    DB_VERSION_ADD,
    DB_VERSION_DELETE,
    DB_VERSION_NEXT,
    DB_SUPERSEDED_ADD,
    DB_SUPERSEDED_FIRST,
    DB_SUPERSEDED_DELETE,
    DB_SUPERSEDED_BYTES,
    DB_EVENT_COUNT_UP,
    DB_EVENT_ADD,
    DB_EVENT_DROP_OLD,
    DB_EVENT_DROP_OLDEST,
    DB_EVENT_COUNT,
    DB_EVENT_LIST,
    DB_EVENT_LIST_ALL,
    DB_N_STATEMENTS
};

struct db {
    sqlite3 *sqlite;
    const char *path; /* belongs to the caller of db_open() */
    sqlite3_stmt *statements[DB_N_STATEMENTS];
};

/* The file must exist. Call db_close() afterwards even if this fails. */
bool db_open(struct db *db, const char *path, int flags, struct diags *diags);
void db_close(struct db *db);

/* The statement, ready for binding; NULL: db_problem() says why. */
sqlite3_stmt *db_statement(struct db *db, enum db_statement which);
void db_bind(sqlite3_stmt *q, int at, struct str text);
void db_bind_bytes(sqlite3_stmt *q, int at, struct str bytes);
void db_bind_int(sqlite3_stmt *q, int at, int64_t number);
struct str db_text(sqlite3_stmt *q, int column); /* valid until the next step */

/* SQLITE_ROW, SQLITE_DONE or an error. Unless it returns a row, the statement is reset. */
int db_step(sqlite3_stmt *q);
/* Runs a statement that has no rows, or whose rows are not needed. */
bool db_run(sqlite3_stmt *q);
bool db_do(struct db *db, enum db_statement which);
bool db_exec(struct db *db, const char *sql);
/* The single number that the statement returns; `fallback` when it has no row. */
bool db_number(sqlite3_stmt *q, int64_t fallback, int64_t *ret);

/* Rolls back a failed transaction, unless SQLite has done so already. */
void db_rollback(struct db *db);

/* Returns STORE_FAILED and reports the connection's last error. */
enum store_result db_problem(struct db *db, struct diags *diags);
/* Reports that the database is inconsistent. */
enum store_result db_damaged(const char *path, const char *what, struct diags *diags);
