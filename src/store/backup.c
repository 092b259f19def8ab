/* Backups of a store in use, and restoring them. */
#include "base/must.h"
#include "store/local.h"
#include "store/schema.h"
#include "store/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool trouble(const char *path, struct diags *diags)
{
    return diags_fail(diags, "Backup failed", "%s: %s.", path, strerror(errno));
}

/* Creates a new, empty file that only we can access; replaces one that a killed process left. */
static bool make_part(const char *part, struct diags *diags)
{
    (void)unlink(part);
    int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return trouble(part, diags);
    (void)close(fd);
    return true;
}

static bool sync_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

/* Renames the complete file to its final name and flushes its folder. */
static bool finish(struct arena *a, const char *part, const char *path, struct diags *diags)
{
    char *copy = (char *)(uintptr_t)arena_str(a, str_of(path)).p; /* dirname() changes it */
    if (sync_path(part, O_RDWR) && rename(part, path) == 0 && sync_path(dirname(copy), O_RDONLY | O_DIRECTORY))
        return true;
    return trouble(path, diags);
}

/* Copies all pages of `from` as they are at one moment. */
static bool copy_pages(struct db *from, struct db *to, struct diags *diags)
{
    sqlite3_backup *backup = sqlite3_backup_init(to->sqlite, "main", from->sqlite, "main");
    if (!backup) {
        (void)db_problem(to, diags);
        return false;
    }
    int code = sqlite3_backup_step(backup, -1);
    (void)sqlite3_backup_finish(backup);
    if (code == SQLITE_DONE)
        return true;
    (void)db_problem(to, diags);
    return false;
}

static bool copy_database(struct db *from, const char *part, struct diags *diags)
{
    struct db to = {0};
    bool ok = make_part(part, diags) && db_open(&to, part, SQLITE_OPEN_READWRITE, diags) &&
              /* The copy is flushed at the end and removed if it is incomplete: a journal would only be left beside it. */
              db_exec(&to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") && copy_pages(from, &to, diags);
    db_close(&to);
    return ok;
}

bool store_sqlite_backup(struct store *store, const char *path, struct diags *diags)
{
    struct local *s = local_of(store);
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str part = arena_printf(scratch, "%s.part", path);
    struct local_reader *r = local_take_reader(s, diags);
    if (!r)
        return false;
    bool ok = copy_database(&r->db, part.p, diags) && finish(scratch, part.p, path, diags);
    local_give_reader(s, r);
    if (!ok)
        (void)unlink(part.p);
    return ok;
}

/* ---- restore ---- */

/* A backup is one file that nobody writes to. SQLite is opened so that it creates no files beside it. */
static bool open_backup(struct arena *a, struct db *db, const char *path, struct diags *diags)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) /* SQLite would block on a pipe */
        return diags_fail(diags, "Not a backup", "%s is not a regular file.", path);
    struct buf uri BUF_AUTO = BUF_INIT(64 << 10);
    if (access(path, R_OK) != 0)
        return diags_fail(diags, "Cannot read the backup", "%s: %s.", path, strerror(errno));
    buf_addz(&uri, "file:");
    for (const char *p = path; *p; p++) {
        if (strchr("%?#", *p))
            buf_printf(&uri, "%%%02x", (unsigned char)*p);
        else
            buf_addc(&uri, *p);
    }
    buf_addz(&uri, "?immutable=1");
    if (!db_open(db, buf_copy(&uri, a).p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, diags))
        return false;
    db->path = path;
    return true;
}

static bool check_is_store(struct db *db, struct diags *diags)
{
    int64_t n = 0;
    if (!store_schema_check(db, diags))
        return false;
    if (db_number(db_statement(db, DB_SUPERSEDED_BYTES), 0, &n))
        return true;
    return diags_fail(diags, "Not a backup", "%s has no objects of a store.", db->path);
}

/* ---- replacing the existing database ---- */

enum over {
    OVER_DONE,
    OVER_DAMAGED, /* the existing file is not a database that SQLite can write to */
    OVER_FAILED,  /* failed, and nothing was changed */
};

/* SQLite would delete the log of a file that is not a database. */
static bool looks_like_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head && memcmp(head, magic, sizeof magic) == 0;
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

/*
 * One transaction of the old database: until it commits, the old content with everything committed to it stays, whatever fails
 * and even if we are killed; its log is replaced with it.
 */
static enum over copy_over(struct db *from, const char *path, struct diags *diags)
{
    struct db to = {0};
    struct diags said;
    diags_init(&said, diags->arena);
    bool ok = db_open(&to, path, SQLITE_OPEN_READWRITE, &said) && db_exec(&to, "PRAGMA synchronous = FULL") &&
              copy_pages(from, &to, &said);
    int code = to.sqlite ? sqlite3_errcode(to.sqlite) & 0xff : SQLITE_NOMEM;
    bool damaged = !ok && (code == SQLITE_NOTADB || code == SQLITE_CORRUPT);
    if (!ok && !damaged && said.n == 0)
        (void)db_problem(&to, &said);
    db_close(&to);
    if (!ok && !damaged)
        diags_append(diags, &said);
    return ok ? OVER_DONE : damaged ? OVER_DAMAGED : OVER_FAILED;
}

/* Gives the file a second name; replaces a file that had that name. */
static bool also_call(const char *path, const char *other, struct diags *diags)
{
    (void)unlink(other);
    return link(path, other) == 0 || errno == ENOENT || trouble(path, diags);
}

/*
 * Replaces a file that cannot be read as a database. It and its log are kept under other names, because some of the data may be
 * recoverable. The log is moved first, or it would be applied to the new database.
 */
static bool replace_damaged(struct arena *a, struct db *from, const char *path, struct diags *diags)
{
    const char *part = arena_printf(a, "%s.part", path).p, *aside = arena_printf(a, "%s.damaged", path).p;
    const char *log = arena_printf(a, "%s-wal", path).p, *log_aside = arena_printf(a, "%s-wal", aside).p;
    bool ok = copy_database(from, part, diags) && also_call(path, aside, diags) && also_call(log, log_aside, diags);
    if (ok) {
        (void)unlink(log);
        (void)unlink(arena_printf(a, "%s-shm", path).p);
        ok = finish(a, part, path, diags);
        if (!ok)
            (void)link(log_aside, log);
    }
    if (!ok)
        (void)unlink(part);
    return ok;
}

static bool put_in_place(struct arena *a, struct db *from, const char *path, struct diags *diags)
{
    const char *part = arena_printf(a, "%s.part", path).p;
    if (access(path, F_OK) != 0) { /* no database to lose; a log without its database is useless */
        (void)unlink(arena_printf(a, "%s-wal", path).p);
        if (copy_database(from, part, diags) && finish(a, part, path, diags))
            return true;
        (void)unlink(part);
        return false;
    }
    enum over over = looks_like_database(path) ? copy_over(from, path, diags) : OVER_DAMAGED;
    return over == OVER_DONE || (over == OVER_DAMAGED && replace_damaged(a, from, path, diags));
}

bool store_sqlite_restore(const char *backup, const char *folder, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str lock = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_LOCK);
    struct str path = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_DATABASE);
    if (!private_folder(folder, diags))
        return false;
    struct store_lease *lease = store_lease_take(lock.p, STORE_LEASE_ALONE, diags);
    if (!lease)
        return false;
    struct db from = {0};
    bool ok =
        open_backup(scratch, &from, backup, diags) && check_is_store(&from, diags) && put_in_place(scratch, &from, path.p, diags);
    db_close(&from);
    store_lease_release(lease);
    return ok;
}
