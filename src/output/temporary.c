#include "output/temporary.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK "owner.lock"
#define UNIQUE "XXXXXX"
enum { TRIES = 16, MAX_DEPTH = 64 };

const char *temporary_parent(size_t longest)
{
    const char *path = getenv("TMPDIR");
    return path && path[0] == '/' && strlen(path) <= longest ? path : "/tmp";
}

/* --- removing --- */

static void remove_entries(int folder, unsigned depth);

static void remove_entry(int parent, const char *name, unsigned depth)
{
    if (unlinkat(parent, name, 0) == 0)
        return;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && depth < MAX_DEPTH)
        remove_entries(folder, depth + 1);
    else if (folder >= 0)
        (void)close(folder);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Closes the descriptor. */
static void remove_entries(int folder, unsigned depth)
{
    DIR *dir = fdopendir(folder);
    if (!dir) {
        (void)close(folder);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_entry(folder, e->d_name, depth);
    (void)closedir(dir);
}

void temporary_remove_tree(int parent, const char *name)
{
    remove_entry(parent, name, 0);
}

void temporary_remove(struct temporary *t)
{
    temporary_remove_tree(AT_FDCWD, t->path);
    (void)close(t->lock);
    t->lock = -1;
}

/* --- folders of the dead --- */

static bool is_ours(int fd, mode_t kind)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid();
}

/* The folder is opened by descriptor without following links, so that nobody can replace it meanwhile. */
static void remove_if_dead(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    int lock = is_ours(folder, S_IFDIR) ? openat(folder, LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (lock >= 0 && is_ours(lock, S_IFREG) && flock(lock, LOCK_EX | LOCK_NB) == 0) {
        remove_entries(folder, 0);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    } else {
        (void)close(folder);
    }
    if (lock >= 0)
        (void)close(lock);
}

static void remove_dead(const char *parent, const char *prefix)
{
    DIR *dir = opendir(parent);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        if (strlen(e->d_name) == strlen(prefix) + strlen(UNIQUE) && str_starts(str_of(e->d_name), str_of(prefix)))
            remove_if_dead(dirfd(dir), e->d_name);
    (void)closedir(dir);
}

/* --- making --- */

/* Takes the lock. If locks are not possible here, the file is removed; otherwise it would look as if the owner were dead. */
static bool hold_lock(int fd, const char *path)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fstat(fd, &st) == 0 && st.st_nlink > 0;
    return errno != EWOULDBLOCK && unlink(path) == 0;
}

/* False when another process took the new folder for a leftover before it was locked. */
static bool lock_folder(struct arena *a, const char *folder, int *ret_lock)
{
    const char *path = arena_printf(a, "%s/" LOCK, folder).p;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && hold_lock(fd, path)) {
        *ret_lock = fd;
        return true;
    }
    int reason = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = reason;
    return false;
}

bool temporary_make(struct arena *a, const char *parent, const char *prefix, struct temporary *ret)
{
    remove_dead(parent, prefix);
    for (int i = 0; i < TRIES; i++) {
        char *path = (char *)arena_printf(a, "%s/%s" UNIQUE, parent, prefix).p;
        int lock;
        if (!mkdtemp(path))
            return false;
        if (lock_folder(a, path, &lock)) {
            *ret = (struct temporary){path, lock};
            return true;
        }
        int reason = errno;
        (void)rmdir(path);
        errno = reason;
    }
    return false;
}
