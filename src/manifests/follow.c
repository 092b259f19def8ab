#include "manifests/follow.h"

#include "base/map.h"
#include "base/must.h"
#include "base/vec.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_EVENTS = 64 << 10, /* bytes read at once */
    MAX_NAMES = 1 << 20,   /* bytes of remembered names: beyond that everything is read again */
    MASK = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF |
           IN_ATTRIB,
};

struct watched_folder {
    int wd;
    const char *path;
};

struct follow {
    int inotify, wake;
    struct arena *arena; /* of the maps below; emptied by a restart */
    VEC(struct watched_folder) watched;
    struct map writing; /* path -> time of the last write in nanoseconds, as int64_t *; 0: closed */
    bool must_restart;
    bool untold; /* a change was noticed, but a wake came before it was returned */
};

static void begin(struct follow *f)
{
    f->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    f->arena = arena_new(NULL, 0);
    f->watched.v = NULL;
    f->watched.n = f->watched.cap = 0;
    map_init(&f->writing, f->arena);
    f->must_restart = false;
}

static void end(struct follow *f)
{
    if (f->inotify >= 0)
        (void)close(f->inotify);
    arena_free(f->arena);
}

struct follow *follow_new(void)
{
    struct follow *f = must(calloc(1, sizeof *f));
    f->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    begin(f);
    return f;
}

void follow_free(struct follow *f)
{
    if (!f)
        return;
    end(f);
    if (f->wake >= 0)
        (void)close(f->wake);
    free(f);
}

void follow_restart(struct follow *f)
{
    end(f);
    begin(f);
}

void follow_add(struct follow *f, const char *folder)
{
    int wd = f->inotify >= 0 ? inotify_add_watch(f->inotify, folder, MASK | IN_ONLYDIR) : -1;
    for (size_t i = 0; i < f->watched.n; i++)
        if (f->watched.v[i].wd == wd)
            return;
    if (wd >= 0)
        *VEC_PUSH(f->arena, &f->watched) = (struct watched_folder){wd, arena_str(f->arena, str_of(folder)).p};
}

/* ---- events ---- */

static const char *folder_of(const struct follow *f, int wd)
{
    for (size_t i = 0; i < f->watched.n; i++)
        if (f->watched.v[i].wd == wd)
            return f->watched.v[i].path;
    return NULL;
}

/* A hard link to a file is complete at once; a newly created file will be written. */
static bool is_made_to_be_written(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

static void take_event(struct follow *f, const struct inotify_event *e)
{
    const uint32_t of_folders = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE;
    if ((e->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)) || ((e->mask & IN_ISDIR) && (e->mask & of_folders)))
        f->must_restart = true;
    const char *folder = e->len > 0 ? folder_of(f, e->wd) : NULL;
    if (!folder || (e->mask & IN_ISDIR))
        return;
    struct str path = arena_printf(f->arena, "%s/%s", folder, e->name);
    int64_t *since = map_get(&f->writing, path);
    bool begins = (e->mask & IN_MODIFY) || ((e->mask & IN_CREATE) && is_made_to_be_written(path.p));
    if (!since && begins) {
        since = arena_make(f->arena, int64_t);
        map_put(&f->writing, path, since);
    }
    if (since)
        *since = begins ? clock_now(&system_clock) : (e->mask & IN_ATTRIB) ? *since : 0;
}

/* False: there were no events. */
static bool take_events(struct follow *f)
{
    _Alignas(struct inotify_event) char buffer[MAX_EVENTS];
    bool any = false;
    for (;;) {
        ssize_t n = f->inotify >= 0 ? read(f->inotify, buffer, sizeof buffer) : -1;
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return any;
        any = true;
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(buffer + at);
            take_event(f, e);
            at += (ssize_t)sizeof *e + (ssize_t)e->len;
        }
    }
}

/* ---- waiting ---- */

static int milliseconds_until(int64_t moment)
{
    if (moment == NO_DEADLINE)
        return -1;
    int64_t left = moment - clock_now(&system_clock);
    return left <= 0 ? 0 : left > INT32_MAX * NS_PER_MS ? INT32_MAX : (int)(left / NS_PER_MS) + 1;
}

enum heard { HEARD_NOTHING, HEARD_CHANGE, HEARD_WAKE };

static enum heard listen_until(struct follow *f, int64_t moment)
{
    struct pollfd fds[] = {{f->wake, POLLIN, 0}, {f->inotify, POLLIN, 0}};
    int n = 0;
    do
        n = poll(fds, 2, milliseconds_until(moment));
    while (n < 0 && errno == EINTR);
    uint64_t count;
    if (n > 0 && fds[0].revents && read(f->wake, &count, sizeof count) == (ssize_t)sizeof count)
        return HEARD_WAKE;
    return n > 0 && take_events(f) ? HEARD_CHANGE : HEARD_NOTHING;
}

bool follow_wait(struct follow *f, int64_t deadline, int64_t quiet_ns, int64_t settle_ns)
{
    if (!f->untold && listen_until(f, deadline) != HEARD_CHANGE)
        return false;
    int64_t settled = clock_now(&system_clock) + settle_ns;
    enum heard heard = HEARD_CHANGE;
    while (heard == HEARD_CHANGE && clock_now(&system_clock) < settled)
        heard = listen_until(f, clock_now(&system_clock) + quiet_ns);
    f->untold = heard == HEARD_WAKE;
    return !f->untold;
}

void follow_wake(struct follow *f)
{
    uint64_t one = 1;
    (void)!write(f->wake, &one, sizeof one);
}

bool follow_must_restart(struct follow *f)
{
    (void)take_events(f);
    bool must = f->must_restart || arena_used(f->arena) > MAX_NAMES;
    f->must_restart = false;
    return must;
}

bool follow_is_being_written(struct follow *f, const char *path, int64_t limit_ns)
{
    const int64_t *since = map_get(&f->writing, str_of(path));
    return since && *since != 0 && clock_now(&system_clock) - *since < limit_ns;
}
