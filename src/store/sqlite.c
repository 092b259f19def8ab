/* Opening and closing. */
#include "store/sqlite.h"

#include "base/file.h"
#include "base/must.h"
#include "store/local.h"
#include "store/schema.h"
#include "store/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char key_check_text[] = "the key of this store";

static bool holds_lease(struct store *s)
{
    return store_lease_held(local_of(s)->lease);
}

static void close_store(struct store *store)
{
    struct local *s = local_of(store);
    local_stop_looking(s);
    while (s->readers) {
        struct local_reader *r = s->readers;
        s->readers = r->next;
        db_close(&r->db);
        free(r);
    }
    db_close(&s->writer);
    if (s->log >= 0)
        (void)close(s->log);
    sealer_close(s->sealer);
    store_lease_release(s->lease); /* last, so that the next process finds everything closed */
    mutex_destroy(&s->write_lock);
    mutex_destroy(&s->readers_lock);
    mutex_destroy(&s->watch_lock);
    mutex_destroy(&s->flush_lock);
    cond_destroy(&s->flush_ended);
    cond_destroy(&s->changed);
    cond_destroy(&s->look);
    free(s->path);
    free(s);
}

static const struct store_ops ops = {
    .get = local_get,
    .list = local_list,
    .create = local_create,
    .update = local_update,
    .update_status = local_update_status,
    .remove = local_remove,
    .watch = local_watch,
    .watch_next = local_watch_next,
    .watch_stop = local_watch_stop,
    .watch_close = local_watch_close,
    .record = local_record,
    .events = local_events,
    .holds_lease = holds_lease,
    .close = close_store,
};

static int64_t smaller(int64_t asked, int64_t most)
{
    return asked > 0 && asked < most ? asked : most;
}

static struct local *new_store(const struct store_sqlite_options *options)
{
    static const struct store_sqlite_options usual = {0};
    const struct store_sqlite_options *o = options ? options : &usual;
    struct local *s = must(calloc(1, sizeof *s));
    s->store.ops = &ops;
    s->data_version = -1; /* not counted yet */
    s->log = -1;
    s->clock = o->clock ? o->clock : &system_clock;
    s->max_history = smaller(o->max_history, STORE_MAX_HISTORY);
    s->max_history_bytes = smaller(o->max_history_bytes, STORE_MAX_HISTORY_BYTES);
    s->max_events = smaller(o->max_events, STORE_MAX_EVENTS);
    mutex_init(&s->write_lock);
    mutex_init(&s->readers_lock);
    mutex_init(&s->watch_lock);
    mutex_init(&s->flush_lock);
    cond_init(&s->flush_ended);
    cond_init(&s->changed);
    cond_init(&s->look);
    return s;
}

/* SQLite creates -wal and -shm with the mode of the database. */
static bool make_file(const char *path, struct diags *diags)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return diags_fail(diags, "Store cannot be used", "%s: %s.", path, strerror(errno));
    (void)close(fd);
    return private_check(path, diags);
}

/*
 * SQLite takes an empty file for a new database. The key is made after the first page, so beside a key an empty file is one that
 * has lost its content: starting anew would create a second time what the provider names.
 */
static bool check_not_emptied(const struct local *s, const char *key_file, struct diags *diags)
{
    struct stat st;
    if (stat(s->path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > 0 || !file_exists(key_file))
        return true;
    (void)db_damaged(s->path, "the file is empty, but its key is there", diags);
    return false;
}

static bool configure(struct local *s, const char *pragmas, struct diags *diags)
{
    if (db_exec(&s->writer, pragmas))
        return true;
    (void)db_problem(&s->writer, diags);
    return false;
}

/* NORMAL: SQLite flushes checkpoints; we flush commits (flush.c). */
#define PRAGMAS "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864"

static bool open_database(struct local *s, struct diags *diags)
{
    return make_file(s->path, diags) && db_open(&s->writer, s->path, SQLITE_OPEN_READWRITE, diags) &&
           store_schema_check(&s->writer, diags) && configure(s, "PRAGMA journal_mode = WAL; " PRAGMAS, diags) &&
           store_schema_migrate(&s->writer, diags);
}

/*
 * The process that reconciles has checked the whole database, and only it creates or changes tables: visitors find them in place.
 */
static bool visit_database(struct local *s, struct diags *diags)
{
    return private_check(s->path, diags) && db_open(&s->writer, s->path, SQLITE_OPEN_READWRITE, diags) &&
           store_schema_check_format(&s->writer, diags) && configure(s, PRAGMAS, diags);
}

/* ---- the key ---- */

static bool read_key_check(struct local *s, struct arena *a, struct diags *diags, struct str *ret)
{
    sqlite3_stmt *q = db_statement(&s->writer, DB_META_GET);
    if (q)
        db_bind(q, 1, STR(LOCAL_KEY_CHECK));
    int code = db_step(q);
    *ret = code == SQLITE_ROW ? arena_str(a, db_text(q, 0)) : STR_EMPTY;
    if (code == SQLITE_ROW)
        (void)sqlite3_reset(q);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        (void)db_problem(&s->writer, diags);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

static bool write_key_check(struct local *s, struct diags *diags)
{
    struct buf sealed BUF_AUTO = BUF_INIT(1024);
    sqlite3_stmt *q = db_statement(&s->writer, DB_META_SET);
    if (q && seal(s->sealer, STR(LOCAL_KEY_CHECK), STR(key_check_text), &sealed)) {
        db_bind(q, 1, STR(LOCAL_KEY_CHECK));
        db_bind_bytes(q, 2, buf_str(&sealed));
        if (db_run(q))
            return true;
    }
    (void)db_problem(&s->writer, diags);
    return false;
}

static bool open_key(struct local *s, const char *key_file, bool may_make, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct buf plain BUF_AUTO = BUF_INIT(1024);
    struct str check;
    if (!read_key_check(s, scratch, diags, &check))
        return false;
    s->sealer = sealer_open(key_file, may_make && check.n == 0, diags);
    if (!s->sealer)
        return false;
    if (check.n == 0)
        return write_key_check(s, diags);
    if (unseal(s->sealer, STR(LOCAL_KEY_CHECK), check, &plain))
        return true;
    return diags_fail(
        diags, "Wrong key of the store",
        "The Secrets of %s were sealed with another key than that of %s. Use the key file that was made with the store, "
        "or set " SEAL_VARIABLE " to its content.",
        s->path, sealer_source(s->sealer));
}

bool local_recount(struct local *s)
{
    int64_t version = 0;
    if (!db_number(db_statement(&s->writer, DB_DATA_VERSION), 0, &version))
        return false;
    if (version == s->data_version)
        return true;
    if (!db_number(db_statement(&s->writer, DB_SUPERSEDED_BYTES), 0, &s->history_bytes) ||
        !db_number(db_statement(&s->writer, DB_EVENT_COUNT), 0, &s->n_events))
        return false;
    s->data_version = version;
    return true;
}

static bool count(struct local *s, struct diags *diags)
{
    if (db_number(db_statement(&s->writer, DB_HEAD), 0, &s->head))
        return true;
    (void)db_problem(&s->writer, diags);
    return false;
}

static bool check_is_there(const char *folder, const char *lock, const char *path, struct diags *diags)
{
    if (file_exists(lock) && file_exists(path))
        return true;
    return diags_fail(diags, "No store", "There is no store in %s. `terrane up` makes one; --data says in which folder.", folder);
}

struct store *store_sqlite_open(const char *folder, const struct store_sqlite_options *options, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str lock = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_LOCK);
    struct str key = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_KEY);
    struct str path = arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_DATABASE);
    bool visit = options && options->visit;
    if ((visit && !check_is_there(folder, lock.p, path.p, diags)) || !private_folder(folder, diags))
        return NULL;
    struct local *s = new_store(options);
    s->path = must(strdup(path.p));
    s->lease = store_lease_take(lock.p, visit ? STORE_LEASE_VISIT : STORE_LEASE_RECONCILE,
                                diags); /* first, so that no other process's database is touched */
    if (s->lease && check_not_emptied(s, key.p, diags) && (visit ? visit_database(s, diags) : open_database(s, diags)) &&
        open_key(s, key.p, !visit, diags) && count(s, diags) && local_flush_open(s, diags))
        return &s->store;
    close_store(&s->store);
    return NULL;
}

bool store_sqlite_is_reconciled(const char *folder)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return store_lease_is_taken(arena_printf(scratch, "%s/%s", folder, STORE_SQLITE_LOCK).p);
}
