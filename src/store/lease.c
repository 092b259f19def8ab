#include "store/lease.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/must.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOLDER_MAX = 512 };

/*
 * A process that is killed while it starts a provider leaves a forked child that holds its locks for some milliseconds, until
 * exec. A restart waits for that.
 */
enum { TRIES = 20, BETWEEN_TRIES_NS = 50 * 1000 * 1000 };

/* The meaning of each locked byte. Locks may lie beyond the end of the file; its text is independent of them. */
enum { BYTE_RECONCILES = 1 << 20, BYTE_IN_USE };

struct store_lease {
    int fd;
    char *path;
    bool reconciles;
};

/* "process 4711 on host since 2026-11-15T07:38:06Z". The holder has written it with sign(); only its length is bounded here. */
static void holder(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (n <= 0)
        (void)snprintf(text, size, "another process");
}

static bool sign(int fd)
{
    char host[256] = "this machine", since[CLOCK_TEXT];
    (void)gethostname(host, sizeof host - 1);
    clock_format(system_clock.wall_ns(&system_clock), since);
    struct buf text BUF_AUTO = BUF_INIT(HOLDER_MAX);
    buf_printf(&text, "process %ld on %s since %s", (long)getpid(), host, since);
    return ftruncate(fd, 0) == 0 && file_put(fd, buf_str(&text));
}

/* Locks belong to the open file, not to the process: two stores in one process exclude each other as well. */
static bool set(int fd, short type, off_t byte)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool trouble(const char *path, struct diags *diags)
{
    return diags_fail(diags, "Store cannot be used", "%s: %s.", path, strerror(errno));
}

static bool is_taken(void)
{
    return errno == EAGAIN || errno == EACCES;
}

static bool set_patiently(int fd, short type, off_t byte)
{
    bool done = set(fd, type, byte);
    for (int tries = 1; !done && is_taken() && tries < TRIES; tries++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = BETWEEN_TRIES_NS}, NULL);
        done = set(fd, type, byte);
    }
    return done;
}

static bool take_reconciling(struct store_lease *l, struct diags *diags)
{
    char who[HOLDER_MAX];
    if (set_patiently(l->fd, F_WRLCK, BYTE_RECONCILES)) {
        l->reconciles = true;
        return sign(l->fd) || errno == ENOSPC || trouble(l->path, diags); /* a full disk must not prevent reading */
    }
    if (!is_taken())
        return trouble(l->path, diags);
    holder(l->fd, who, sizeof who);
    return diags_fail(
        diags, "Store is in use",
        "%s is locked by %s. Only one process may reconcile what is in a store: end that one, or use another folder.", l->path,
        who);
}

static bool take_use(struct store_lease *l, bool alone, struct diags *diags)
{
    if (set(l->fd, alone ? F_WRLCK : F_RDLCK, BYTE_IN_USE))
        return true;
    if (!is_taken())
        return trouble(l->path, diags);
    return diags_fail(diags, "Store is in use",
                      alone ? "%s is locked by a command that uses the store. Try again when it has ended."
                            : "%s is locked by a command that replaces the store. Try again when it has ended.",
                      l->path);
}

struct store_lease *store_lease_take(const char *path, enum store_lease_kind kind, struct diags *diags)
{
    int flags = kind == STORE_LEASE_VISIT ? O_RDWR : O_RDWR | O_CREAT; /* a visitor creates no file */
    int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        (void)trouble(path, diags);
        return NULL;
    }
    struct store_lease *l = must(calloc(1, sizeof *l));
    *l = (struct store_lease){.fd = fd, .path = must(strdup(path))};
    if ((kind == STORE_LEASE_VISIT || take_reconciling(l, diags)) && take_use(l, kind == STORE_LEASE_ALONE, diags))
        return l;
    store_lease_release(l);
    return NULL;
}

bool store_lease_is_taken(const char *path)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = BYTE_RECONCILES, .l_len = 1};
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool taken = fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (fd >= 0)
        (void)close(fd);
    return taken;
}

bool store_lease_held(const struct store_lease *l)
{
    struct stat mine, there;
    return l->reconciles && fstat(l->fd, &mine) == 0 && stat(l->path, &there) == 0 && mine.st_dev == there.st_dev &&
           mine.st_ino == there.st_ino;
}

void store_lease_release(struct store_lease *l)
{
    if (!l)
        return;
    (void)set(l->fd, F_UNLCK, BYTE_IN_USE); /* a forked child before exec has the descriptor, too */
    if (l->reconciles)
        (void)set(l->fd, F_UNLCK, BYTE_RECONCILES);
    (void)close(l->fd);
    free(l->path);
    free(l);
}
