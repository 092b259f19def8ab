#include "store/lease.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/must.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOLDER_MAX = 512 };

struct lease {
    int fd;
    char *path;
};

/* "process 4711 on host since 2026-11-15T07:38:06Z". Written by the holder, so it is as long and as printable as that. */
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

struct lease *lease_take(const char *path, struct diags *diags)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        (void)diags_fail(diags, "Store cannot be used", "%s: %s.", path, strerror(errno));
        return NULL;
    }
    struct lease *l = must(calloc(1, sizeof *l));
    *l = (struct lease){fd, must(strdup(path))};
    char who[HOLDER_MAX];
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        bool is_taken = errno == EWOULDBLOCK;
        int error = errno;
        holder(fd, who, sizeof who);
        (void)diags_fail(diags, is_taken ? "Store is in use" : "Store cannot be used",
                         is_taken ? "%s is locked by %s. Only one process may use a store: end that one, or use another folder."
                                  : "%s: %s.",
                         path, is_taken ? who : strerror(error));
    } else if (!sign(fd) && errno != ENOSPC) { /* a full disk keeps nobody from reading */
        (void)diags_fail(diags, "Store cannot be used", "%s: %s.", path, strerror(errno));
    } else {
        return l;
    }
    lease_release(l);
    return NULL;
}

bool lease_held(const struct lease *l)
{
    struct stat mine, there;
    return fstat(l->fd, &mine) == 0 && stat(l->path, &there) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

void lease_release(struct lease *l)
{
    if (!l)
        return;
    (void)flock(l->fd, LOCK_UN); /* a child that has not called exec yet has the descriptor too */
    (void)close(l->fd);
    free(l->path);
    free(l);
}
