/*
 * Every error names the file and the system's reason. file_write() keeps one invariant: whatever happens, the path has the
 * complete old or the complete new content, and the temporary file is gone when the function returns. A temporary file left by a
 * killed process is removed by the next process that writes the same path.
 */
#include "base/file.h"

#include "base/ascii.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Size of one read from a pipe or device, whose total size is unknown. */
enum { READ_STEP = 64 << 10 };

/* How often another random name is tried when a name exists; more collisions in a row are not an accident. */
enum { TEMPORARY_TRIES = 16 };

/* How many numbered names file_save_new() tries before it gives up. */
enum { NEW_NAME_TRIES = 100 };

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}
#define FD_AUTO __attribute__((cleanup(close_fd)))

static bool fail_errno(struct diags *diags, const char *summary, const char *path)
{
    return diags_fail(diags, summary, "%s: %s.", path, strerror(errno));
}

/* Reading */

/* The descriptor that ends waiting, or -1. */
static atomic_int waiting_ends_with = -1;

void file_waiting_ends_with(int fd)
{
    waiting_ends_with = fd;
}

bool file_wait(int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = waiting_ends_with, .events = POLLIN}};
    while (poll(fds, 2, -1) < 0)
        if (errno != EINTR)
            return false;
    if (fds[1].revents)
        errno = ECANCELED;
    return !fds[1].revents;
}

/* Reads to the end of the file or until the buffer is full. */
static bool read_all(int fd, bool may_wait, size_t size_hint, struct buf *content)
{
    for (size_t step = size_hint + 1;; step = READ_STEP) {
        if (step > content->max - content->n)
            step = content->max - content->n;
        char *room = step > 0 ? buf_room(content, step) : NULL;
        if (!room)
            return true;
        if (may_wait && !file_wait(fd))
            return false;
        ssize_t n = read(fd, room, step);
        if (n < 0 && (errno == EINTR || (may_wait && errno == EAGAIN)))
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            return true;
        buf_grew(content, (size_t)n);
    }
}

static bool read_open(struct arena *a, int fd, const char *name, size_t max, struct diags *diags, struct str *ret)
{
    static const char summary[] = "Cannot read file";
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_errno(diags, summary, name);
    if (S_ISDIR(st.st_mode))
        return diags_fail(diags, summary, "%s: expected a file, found a folder.", name);
    bool regular = S_ISREG(st.st_mode);
    size_t size_hint = regular ? (size_t)st.st_size : 0;
    /* Reading one byte more than allowed distinguishes "too large" from "just fits", also when the file grows meanwhile. */
    struct buf content BUF_AUTO = BUF_INIT(max < SIZE_MAX ? max + 1 : max);
    if (size_hint <= max && !read_all(fd, !regular, size_hint, &content))
        return fail_errno(diags, summary, name);
    if (!buf_ok(&content))
        return diags_fail(diags, summary, "%s: not enough memory for its content.", name);
    if (size_hint > max || content.n > max)
        return diags_fail(diags, summary, "%s: larger than the limit of %zu bytes.", name, max);
    *ret = buf_copy(&content, a);
    return true;
}

bool file_read(struct arena *a, const char *path, size_t max, struct diags *diags, struct str *ret)
{
    /* O_NONBLOCK: otherwise open() blocks on a named pipe without a writer. */
    int fd FD_AUTO = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return read_open(a, fd, path, max, diags, ret);
}

bool file_read_input(struct arena *a, size_t max, struct diags *diags, struct str *ret)
{
    return read_open(a, STDIN_FILENO, "standard input", max, diags, ret);
}

/* Writing */

/* The parent folder of `path`, NUL-terminated. */
static struct str folder_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return STR(".");
    return arena_str(a, (struct str){path, slash == path ? 1 : (size_t)(slash - path)});
}

bool file_put(int fd, struct str content)
{
    while (content.n > 0) {
        ssize_t n = write(fd, content.p, content.n);
        if (n < 0 && errno == EAGAIN) {
            /* The descriptor was given to us as non-blocking, and its reader is slow: wait. */
            (void)poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        content = str_slice(content, (size_t)n, content.n);
    }
    return true;
}

/*
 * Temporary files. A writer holds a lock on its file until the file has its final name. An unlocked one was left by a killed
 * process, and the next writer of the same path removes it.
 */

static bool is_temporary_of(const char *entry, const char *name)
{
    enum { DIGITS = 16 };
    size_t n = strlen(name);
    if (strlen(entry) != n + 1 + DIGITS + strlen(".tmp") || strncmp(entry, name, n) != 0 || entry[n] != '.')
        return false;
    const char *digits = entry + n + 1;
    for (size_t i = 0; i < DIGITS; i++)
        if (!is_digit(digits[i]) && (digits[i] < 'a' || digits[i] > 'f'))
            return false;
    return strcmp(digits + DIGITS, ".tmp") == 0;
}

/* On some network file systems locks are local to this machine: there a missing lock does not prove that a writer on another
 * machine is dead. */
static bool locks_are_for_all(int fd)
{
    static const uint32_t networks[] = {0x6969 /* NFS */,      0x517b /* SMB */,      0xff534d42 /* CIFS */,
                                        0xfe534d42 /* SMB2 */, 0x65735546 /* FUSE */, 0x01021997 /* 9P */};
    struct statfs fs;
    bool known = fstatfs(fd, &fs) == 0;
    for (size_t i = 0; known && i < sizeof networks / sizeof networks[0]; i++)
        known = (uint32_t)fs.f_type != networks[i];
    return known;
}

/* Removes the entry if it is our own, a regular file and not locked. Symbolic links are not followed. */
static void remove_if_dead(int folder, const char *entry)
{
    struct stat st;
    if (folder < 0)
        return;
    int fd FD_AUTO = openat(folder, entry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1 &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder, entry, 0);
}

static void remove_dead_temporaries(const char *folder, const char *name)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    bool safe = locks_are_for_all(dirfd(dir));
    for (struct dirent *e; safe && (e = readdir(dir));)
        if (is_temporary_of(e->d_name, name))
            remove_if_dead(dirfd(dir), e->d_name);
    (void)closedir(dir);
}

/* False when another process took the new file for a leftover and removed it before it was locked. A file system without locks is
 * not an error. */
static bool lock_new(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK;
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

/* Creates and locks a new file in the folder of `path`; *ret_name is its path. */
static int create_temporary(struct arena *a, const char *path, mode_t mode, const char **ret_name)
{
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        const char *name = arena_printf(a, "%s.%016" PRIx64 ".tmp", path, random).p;
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd < 0 && errno != EEXIST)
            return -1;
        if (fd >= 0 && lock_new(fd)) {
            *ret_name = name;
            return fd;
        }
        if (fd >= 0)
            (void)close(fd);
        errno = EAGAIN;
    }
    return -1;
}

/* Makes the rename durable. Some file systems cannot sync folders (EINVAL), which is ignored. */
static bool sync_folder(const char *folder)
{
    int fd FD_AUTO = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
}

/* Devices, pipes and names of open descriptors are written to directly: renaming a file onto them would replace them. */
static bool is_no_file(const char *path)
{
    struct stat st;
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0 || (stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)));
}

static bool write_through(const char *path, struct str content)
{
    int fd FD_AUTO = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return fd >= 0 && file_put(fd, content);
}

/* A temporary file that is to be renamed. */
struct staged {
    const char *temporary; /* NULL: none, or renamed already */
    int fd;                /* holds the lock; -1: none */
};

/* Everything except the rename: errors such as lack of space, missing permissions or a missing folder occur here. */
static bool stage(struct arena *a, const struct file_content *file, mode_t mode, struct staged *ret)
{
    struct stat st;
    const char *slash = strrchr(file->path, '/');
    if (is_no_file(file->path))
        return true;
    if (lstat(file->path, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return false;
    }
    remove_dead_temporaries(folder_of(a, file->path).p, slash ? slash + 1 : file->path);
    ret->fd = create_temporary(a, file->path, mode, &ret->temporary);
    return ret->fd >= 0 && file_put(ret->fd, file->content) && fsync(ret->fd) == 0;
}

static bool give_name(struct arena *a, const struct file_content *file, struct staged *s)
{
    if (s->fd < 0)
        return write_through(file->path, file->content);
    if (rename(s->temporary, file->path) != 0)
        return false;
    s->temporary = NULL;
    return sync_folder(folder_of(a, file->path).p);
}

/* Preserves errno. */
static void end_staging(struct staged *s)
{
    int reason = errno;
    if (s->temporary)
        (void)unlink(s->temporary);
    if (s->fd >= 0)
        (void)close(s->fd);
    errno = reason;
}

bool file_write_all(const struct file_content *files, size_t n, mode_t mode, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct staged *staged = arena_make_n(scratch, struct staged, n);
    const char *failed = NULL;
    for (size_t i = 0; i < n; i++)
        staged[i].fd = -1;
    for (size_t i = 0; !failed && i < n; i++)
        failed = stage(scratch, &files[i], mode, &staged[i]) ? NULL : files[i].path;
    for (size_t i = 0; !failed && i < n; i++)
        failed = give_name(scratch, &files[i], &staged[i]) ? NULL : files[i].path;
    for (size_t i = 0; i < n; i++)
        end_staging(&staged[i]);
    return !failed || fail_errno(diags, "Cannot write file", failed);
}

bool file_write(const char *path, struct str content, mode_t mode, struct diags *diags)
{
    return file_write_all(&(struct file_content){path, content}, 1, mode, diags);
}

const char *file_save_new(struct arena *a, const char *folder, const char *name, const char *ending, struct str content)
{
    for (int i = 0; i < NEW_NAME_TRIES; i++) {
        const char *number = i > 0 ? arena_printf(a, "-%d", i).p : "";
        const char *path = arena_printf(a, "%s/%s%s%s", folder, name, number, ending).p;
        int fd FD_AUTO = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return NULL;
        if (file_put(fd, content) && fsync(fd) == 0 && sync_folder(folder))
            return path;
        (void)unlink(path);
        return NULL;
    }
    return NULL;
}

/* Folders */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool make_one(const char *path, mode_t mode, struct diags *diags)
{
    if (mkdir(path, mode) == 0)
        return true;
    int reason = errno;
    /* It exists already. mkdir() may report EROFS or EACCES instead of EEXIST for an existing folder. */
    if (is_folder(path))
        return true;
    errno = reason == EEXIST ? ENOTDIR : reason;
    return fail_errno(diags, "Cannot create folder", path);
}

bool file_make_folder(const char *path, mode_t mode, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str whole = str_of(path);
    for (size_t at = str_find(whole, '/', 1); at != SIZE_MAX; at = str_find(whole, '/', at + 1)) {
        const char *parent = arena_str(scratch, str_slice(whole, 0, at)).p;
        if (!make_one(parent, mode, diags))
            return false;
    }
    return make_one(path, mode, diags);
}

bool file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* Standard descriptors */

bool file_hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        /* Opened for the wrong direction, so that reading or writing fails as on a closed descriptor. open() uses the lowest free
         * number. */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}
