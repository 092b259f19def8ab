#include "plugin/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket's path has room for 107 bytes; what providers put behind the folder is about "/plugin4294967295". */
enum { LONGEST_NAME = 20, LONGEST_FOLDER = sizeof((struct sockaddr_un *)0)->sun_path - 1 - LONGEST_NAME };

#define TEMPLATE "terrane-XXXXXX"
#define LOCK "owner.lock"

enum { FOLDER_TRIES = 16 };

static const char *temporary_folder(void)
{
    const char *path = getenv("TMPDIR");
    return path && path[0] == '/' && strlen(path) + sizeof("/" TEMPLATE) - 1 <= LONGEST_FOLDER ? path : "/tmp";
}

/*
 * Folders of the dead. Whoever makes a folder holds a lock on a file in it for as long as he lives: where it can be had, nobody
 * needs the folder any more. Those without that file are not ours to judge.
 */

static void remove_files(int folder)
{
    DIR *dir = fdopendir(folder);
    if (!dir) {
        (void)close(folder);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(folder, e->d_name, 0);
    (void)closedir(dir);
}

static bool is_ours(int fd, mode_t kind)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid();
}

/* The folder is entered by its descriptor and never by a link, so nobody can put another one in its place meanwhile. */
static void remove_if_dead(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    int lock = is_ours(folder, S_IFDIR) ? openat(folder, LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (lock >= 0 && is_ours(lock, S_IFREG) && flock(lock, LOCK_EX | LOCK_NB) == 0) {
        remove_files(folder);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    } else {
        (void)close(folder);
    }
    if (lock >= 0)
        (void)close(lock);
}

static void remove_dead_folders(const char *parent)
{
    DIR *dir = opendir(parent);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        if (strlen(e->d_name) == strlen(TEMPLATE) && strncmp(e->d_name, TEMPLATE, strlen("terrane-")) == 0)
            remove_if_dead(dirfd(dir), e->d_name);
    (void)closedir(dir);
}

/* Held, or impossible here: then the file must go, or it would say that nobody is alive. */
static bool hold_lock(int fd, const char *path)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fstat(fd, &st) == 0 && st.st_nlink > 0;
    return errno != EWOULDBLOCK && unlink(path) == 0;
}

/* False: somebody took the new folder for a dead one before its lock was held. */
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

const char *socket_folder_make(struct arena *a, struct diags *diags, int *ret_lock)
{
    const char *parent = temporary_folder();
    remove_dead_folders(parent);
    for (int i = 0; i < FOLDER_TRIES; i++) {
        char *path = (char *)arena_printf(a, "%s/" TEMPLATE, parent).p;
        if (!mkdtemp(path))
            break;
        if (lock_folder(a, path, ret_lock))
            return path;
        int reason = errno;
        (void)rmdir(path);
        errno = reason;
    }
    (void)diags_fail(diags, "No folder for the provider's socket",
                     "cannot create a folder in %s: %s. Set TMPDIR to a folder in "
                     "which you may write.",
                     parent, strerror(errno));
    return NULL;
}

void socket_folder_remove(const char *path, int lock)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        remove_files(folder);
    (void)rmdir(path);
    (void)close(lock);
}

void socket_remove_stray(struct str path)
{
    char copy[sizeof((struct sockaddr_un *)0)->sun_path];
    if (path.n == 0 || path.n >= sizeof copy || memchr(path.p, '\0', path.n))
        return;
    memcpy(copy, path.p, path.n);
    copy[path.n] = '\0';
    char *slash = strrchr(copy, '/');
    if (!slash || slash == copy)
        return;
    *slash = '\0';
    if (strcmp(copy, temporary_folder()) != 0 && strcmp(copy, "/tmp") != 0)
        return;
    *slash = '/';
    struct stat st;
    if (lstat(copy, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
        (void)unlink(copy);
}
