/*
 * On release the info file is removed before the lock is released. Otherwise we could remove the next holder's info file.
 */
#include "state/state_lock.h"

#include "base/file.h"
#include "base/json.h"
#include "state/state.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    RENAMED_TRIES = 16, /* tries if the file is replaced while we lock it */
    FIRST_PAUSE_MS = 50,
    LAST_PAUSE_MS = 1000,
    MAX_USER_RECORD = 16 << 10,
};

/* Paths */

/* FOLDER/.NAME.lock.info; a dot at the start of the name is not doubled. */
static const char *info_path_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return arena_printf(a, "%.*s.%s.lock.info", (int)(name - path), path, name[0] == '.' ? name + 1 : name).p;
}

/* The info file */

static struct str who_am_i(struct arena *a)
{
    char host[256] = "";
    char *record = arena_alloc(a, MAX_USER_RECORD, 1);
    struct passwd entry, *found = NULL;
    (void)gethostname(host, sizeof host - 1);
    (void)getpwuid_r(getuid(), &entry, record, MAX_USER_RECORD, &found);
    return arena_printf(a, "%s@%s", found ? found->pw_name : "", host);
}

static void write_member(struct json_writer *w, struct str key, struct str value)
{
    json_key(w, key);
    json_write_string(w, value);
}

static bool write_info(const struct state_lock *lock, const struct state_lock_request *request, const struct clock *clock,
                       struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(STATE_LOCK_MAX_INFO);
    struct json_writer w = {.out = &text, .html_escape = true};
    char created[CLOCK_TEXT];
    clock_format(clock->wall_ns(clock), created);
    json_begin_object(&w);
    write_member(&w, STR("ID"), state_new_uuid(scratch));
    write_member(&w, STR("Operation"), str_of(request->operation));
    write_member(&w, STR("Info"), STR_EMPTY);
    write_member(&w, STR("Who"), who_am_i(scratch));
    write_member(&w, STR("Version"), STR("Terrane " TERRANE_VERSION));
    write_member(&w, STR("Created"), str_of(created));
    write_member(&w, STR("Path"), str_of(lock->path));
    json_end_object(&w);
    if (!json_finish(&w))
        return diags_fail(diags, "Error acquiring the state lock", "%s: the path is too long.", lock->path);
    return file_write(lock->info_path, buf_str(&text), 0600, diags);
}

/* 2026-01-02T03:04:05.123Z as Go prints it: 2026-01-02 03:04:05.123 +0000 UTC. */
static struct str readable_time(struct arena *a, struct str time)
{
    size_t t = str_find(time, 'T', 0);
    if (t == SIZE_MAX || !str_ends(time, STR("Z")))
        return time;
    return arena_printf(a, STR_FMT " " STR_FMT " +0000 UTC", STR_ARG(str_slice(time, 0, t)),
                        STR_ARG(str_slice(time, t + 1, time.n - 1)));
}

/* The content of the holder's info file, in Terraform's layout. */
static struct str describe_holder(struct arena *a, const char *info_path)
{
    struct diags ignored;
    struct str text;
    diags_init(&ignored, a);
    const struct json *info = NULL;
    if (file_read(a, info_path, STATE_LOCK_MAX_INFO, &ignored, &text))
        info = json_parse(a, text, info_path, &ignored);
    if (!info)
        return arena_printf(a, "The holder left no readable information in %s.\n", info_path);
    static const char *const rows[] = {"ID", "Path", "Operation", "Who", "Version", "Created", "Info"};
    struct buf out BUF_AUTO = BUF_INIT(2 * STATE_LOCK_MAX_INFO);
    buf_addz(&out, "Lock Info:\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct str value = json_text(json_get(info, rows[i]), STR_EMPTY);
        if (strcmp(rows[i], "Created") == 0)
            value = readable_time(a, value);
        buf_printf(&out, "  %s:%*s" STR_FMT "\n", rows[i], (int)(10 - strlen(rows[i])), "", STR_ARG(value));
    }
    return buf_copy(&out, a);
}

static bool fail_held(const struct state_lock *lock, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return diags_fail(
        diags, "Error acquiring the state lock",
        "Error message: resource temporarily unavailable\n%s\n"
        "Another program works with %s and has locked it, so that no two write it at the same time. Wait until it is "
        "done and try again.",
        describe_holder(scratch, lock->info_path).p, lock->path);
}

/* The lock */

/* 0 or errno. */
static int set_lock(int fd, short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return 0;
    if (errno != EINVAL)
        return errno;
#endif
    return fcntl(fd, F_SETLK, &whole) == 0 ? 0 : errno;
}

static bool still_at_path(int fd, const char *path)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 && open_file.st_dev == named.st_dev &&
           open_file.st_ino == named.st_ino;
}

bool state_lock_is_in_place(const struct state_lock *lock)
{
    return still_at_path(lock->fd, lock->path);
}

static void close_file(struct state_lock *lock)
{
    (void)close(lock->fd);
    lock->fd = -1;
}

/*
 * Is it neither a regular file nor a folder? A pipe has size 0, and would be taken for an empty state. For a folder, open() fails
 * with its own error.
 */
static bool is_unsuitable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int open_file(struct state_lock *lock)
{
    lock->created = !file_exists(lock->path);
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    return lock->fd < 0 ? errno : 0;
}

/* Tries once: 0, EAGAIN if another process holds the lock, or another errno. */
static int try_once(struct state_lock *lock)
{
    int reason = EAGAIN;
    for (int i = 0; i < RENAMED_TRIES; i++) {
        reason = open_file(lock);
        if (reason != 0)
            return reason;
        reason = set_lock(lock->fd, F_WRLCK);
        /* If the file was replaced or removed after we opened it, the lock is on the wrong file. */
        if (reason == 0 && still_at_path(lock->fd, lock->path))
            return 0;
        close_file(lock);
        if (reason != 0)
            return reason == EACCES ? EAGAIN : reason;
    }
    return EAGAIN;
}

static void pause_ms(int64_t ms)
{
    struct timespec span = {ms / 1000, ms % 1000 * NS_PER_MS};
    (void)nanosleep(&span, NULL);
}

static int try_until(struct state_lock *lock, const struct clock *clock, int64_t wait_ns)
{
    int64_t end = clock_now(clock) + wait_ns;
    for (int64_t pause = FIRST_PAUSE_MS;; pause = pause * 2 < LAST_PAUSE_MS ? pause * 2 : LAST_PAUSE_MS) {
        int reason = try_once(lock);
        if (reason != EAGAIN || clock_now(clock) >= end)
            return reason;
        pause_ms(pause);
    }
}

static void release_hook(void *lock)
{
    state_lock_release(lock);
}

bool state_lock_take(struct arena *a, const char *path, const struct state_lock_request *request, struct diags *diags,
                     struct state_lock **ret)
{
    const struct clock *clock = request->clock ? request->clock : &system_clock;
    struct state_lock *lock = arena_make(a, struct state_lock);
    *lock = (struct state_lock){.arena = a, .path = arena_str(a, str_of(path)).p, .info_path = info_path_of(a, path), .fd = -1};
    if (is_unsuitable(path))
        return diags_fail(diags, "Error acquiring the state lock", "%s is not a regular file.", path);
    int reason = try_until(lock, clock, request->wait_ns);
    if (reason == EAGAIN)
        return fail_held(lock, diags);
    if (reason != 0)
        return diags_fail(diags, "Error acquiring the state lock", "%s: %s.", path, strerror(reason));
    arena_on_free(a, release_hook, lock);
    if (write_info(lock, request, clock, diags)) {
        *ret = lock;
        return true;
    }
    state_lock_release(lock);
    return false;
}

void state_lock_release(struct state_lock *lock)
{
    if (lock->fd < 0)
        return;
    struct stat st;
    (void)unlink(lock->info_path);
    if (lock->created && fstat(lock->fd, &st) == 0 && st.st_size == 0 && still_at_path(lock->fd, lock->path))
        (void)unlink(lock->path);
    (void)set_lock(lock->fd, F_UNLCK);
    close_file(lock);
}
