/*
 * Every error names the file and the system's reason. file_write keeps one invariant: whatever happens, the path holds the
 * whole old content or the whole new one, and the temporary file is gone when the function returns.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much is asked of a pipe or device, whose size nobody knows. */
enum { READ_STEP = 64 << 10 };

/* A name that is taken is tried again with another; more than a few times in a row is no accident. */
enum { TEMPORARY_TRIES = 16 };

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

/* Fills the buffer to the end of the file, or to one byte past `max`. */
static bool read_all(int fd, size_t size_hint, struct buf *content)
{
    for (size_t step = size_hint + 1;; step = READ_STEP) {
        if (step > content->max - content->n)
            step = content->max - content->n;
        char *room = step > 0 ? buf_room(content, step) : NULL;
        if (!room)
            return true;
        ssize_t n = read(fd, room, step);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            return true;
        buf_grew(content, (size_t)n);
    }
}

bool file_read(struct arena *a, const char *path, size_t max, struct diags *diags, struct str *ret)
{
    static const char summary[] = "Cannot read file";
    int fd FD_AUTO = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return fail_errno(diags, summary, path);
    if (S_ISDIR(st.st_mode))
        return diags_fail(diags, summary, "%s: expected a file, found a folder.", path);
    size_t size_hint = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    /* One byte more than allowed tells "too large" from "just fits", also when the file grows meanwhile. */
    struct buf content BUF_AUTO = BUF_INIT(max < SIZE_MAX ? max + 1 : max);
    if (size_hint <= max && !read_all(fd, size_hint, &content))
        return fail_errno(diags, summary, path);
    if (!buf_ok(&content))
        return diags_fail(diags, summary, "%s: not enough memory for its content.", path);
    if (size_hint > max || content.n > max)
        return diags_fail(diags, summary, "%s: larger than the limit of %zu bytes.", path, max);
    *ret = buf_copy(&content, a);
    return true;
}

/* Writing */

/* The folder that holds `path`, as text with NUL. */
static struct str folder_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return STR(".");
    return arena_str(a, (struct str){path, slash == path ? 1 : (size_t)(slash - path)});
}

static bool write_all(int fd, struct str content)
{
    while (content.n > 0) {
        ssize_t n = write(fd, content.p, content.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        content = str_slice(content, (size_t)n, content.n);
    }
    return true;
}

/* A new file beside `path`; *ret_name is its path. */
static int create_temporary(struct arena *a, const char *path, mode_t mode, const char **ret_name)
{
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        uint64_t random;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        const char *name = arena_printf(a, "%s.%016" PRIx64 ".tmp", path, random).p;
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0)
            *ret_name = name;
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Writes, flushes and closes; errno says why not. */
static bool fill_and_close(int fd, struct str content)
{
    bool ok = write_all(fd, content) && fsync(fd) == 0;
    int reason = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        reason = errno;
    }
    errno = reason;
    return ok;
}

/* Makes the rename itself last. Some file systems have no such operation on folders (EINVAL): then it is as good as it gets. */
static bool sync_folder(const char *folder)
{
    int fd FD_AUTO = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
}

bool file_write(const char *path, struct str content, mode_t mode, struct diags *diags)
{
    static const char summary[] = "Cannot write file";
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const char *temporary = NULL;
    int fd = create_temporary(scratch, path, mode, &temporary);
    if (fd < 0)
        return fail_errno(diags, summary, path);
    if (!fill_and_close(fd, content) || rename(temporary, path) < 0) {
        int reason = errno;
        (void)unlink(temporary);
        errno = reason;
        return fail_errno(diags, summary, path);
    }
    if (!sync_folder(folder_of(scratch, path).p))
        return fail_errno(diags, summary, path);
    return true;
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
    /* Made by someone else, or by an earlier run. mkdir may also say EROFS or EACCES for what exists. */
    if (is_folder(path))
        return true;
    errno = reason == EEXIST ? ENOTDIR : reason;
    return fail_errno(diags, "Cannot make folder", path);
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
