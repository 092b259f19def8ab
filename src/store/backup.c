/* Backups while the store is used, and how one comes back. */
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

/* A new, empty file of ours alone; what a killed process left there goes. */
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

/* The file, complete, takes its place; its folder is flushed too. */
static bool finish(struct arena *a, const char *part, const char *path, struct diags *diags)
{
    char *copy = (char *)(uintptr_t)arena_str(a, str_of(path)).p; /* dirname() changes it */
    if (sync_path(part, O_RDWR) && rename(part, path) == 0 && sync_path(dirname(copy), O_RDONLY | O_DIRECTORY))
        return true;
    return trouble(path, diags);
}

/* All pages at one moment of `from`. */
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
              /* It is flushed at the end, and nothing when it is not complete: a journal would only be left beside it. */
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

/* A backup is one file that nobody writes to: SQLite is told so, and puts nothing beside it. */
static bool open_backup(struct arena *a, struct db *db, const char *path, struct diags *diags)
{
    struct buf uri BUF_AUTO = BUF_INIT(64 << 10);
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

/*
 * The log of the old database goes first: it would be applied to the new one. Whoever is killed in between has the old database
 * as of its last check-point, and restores again.
 */
static bool replace(struct arena *a, const char *part, const char *path, struct diags *diags)
{
    static const char *const companions[] = {"-wal", "-shm"};
    for (size_t i = 0; i < 2; i++) {
        struct str name = arena_printf(a, "%s%s", path, companions[i]);
        if (unlink(name.p) != 0 && errno != ENOENT)
            return trouble(name.p, diags);
    }
    return finish(a, part, path, diags);
}

bool store_sqlite_restore(const char *backup, const char *folder, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str lock = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_LOCK);
    struct str path = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_DATABASE);
    struct str part = arena_printf(scratch, "%s.part", path.p);
    if (!private_folder(folder, diags))
        return false;
    struct lease *lease = lease_take(lock.p, LEASE_ALONE, diags);
    if (!lease)
        return false;
    struct db from = {0};
    bool ok = open_backup(scratch, &from, backup, diags) && check_is_store(&from, diags) && copy_database(&from, part.p, diags) &&
              replace(scratch, part.p, path.p, diags);
    db_close(&from);
    if (!ok)
        (void)unlink(part.p);
    lease_release(lease);
    return ok;
}
