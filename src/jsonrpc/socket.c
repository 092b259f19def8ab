#include "jsonrpc/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 64 };

static bool fail(struct diags *diags, const char *path, const char *what)
{
    return diags_fail(diags, "Cannot listen on the socket", "%s: %s.", path, what);
}

/* Opens and locks the folder; -1 with a diagnostic. */
static int lock_folder(const char *path, struct diags *diags)
{
    const char *slash = strrchr(path, '/');
    const char *folder = slash == path ? "/"
                         : slash       ? arena_str(diags->arena, (struct str){path, (size_t)(slash - path)}).p
                                       : ".";
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int locked;
    do
        locked = fd < 0 ? -1 : flock(fd, LOCK_EX);
    while (locked < 0 && errno == EINTR);
    if (locked == 0)
        return fd;
    (void)fail(diags, folder, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static bool fill_address(const char *path, struct diags *diags, struct sockaddr_un *ret)
{
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof ret->sun_path)
        return diags_fail(diags, "Cannot listen on the socket", "The path of a socket has 1 to %zu bytes, this one has %zu.",
                          sizeof ret->sun_path - 1, n);
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret->sun_path, path, n);
    return true;
}

/* Does a program listen on the socket? */
static bool is_alive(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return true;
    bool refused = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED;
    (void)close(fd);
    return !refused;
}

static bool clear_place(const char *path, const struct sockaddr_un *address, struct diags *diags)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT || fail(diags, path, strerror(errno));
    if (!S_ISSOCK(st.st_mode))
        return fail(diags, path, "the path exists and is not a socket; it was left unchanged");
    if (is_alive(address))
        return fail(diags, path, "another program listens there");
    return unlink(path) == 0 || fail(diags, path, strerror(errno));
}

static bool bind_and_listen(int fd, const struct sockaddr_un *address, struct rpc_socket_file *file, struct diags *diags)
{
    struct stat st;
    /* The file gets its mode from the socket: no other user can open it at any time. */
    if (fchmod(fd, S_IRUSR | S_IWUSR) != 0 || bind(fd, (const struct sockaddr *)address, sizeof *address) != 0)
        return fail(diags, file->path, strerror(errno));
    if (lstat(file->path, &st) == 0 && listen(fd, BACKLOG) == 0) {
        file->fd = fd;
        file->device = st.st_dev;
        file->inode = st.st_ino;
        return true;
    }
    (void)fail(diags, file->path, strerror(errno));
    (void)unlink(file->path);
    return false;
}

bool rpc_socket_file_listen(const char *path, struct diags *diags, struct rpc_socket_file *ret)
{
    struct sockaddr_un address;
    if (!fill_address(path, diags, &address))
        return false;
    int folder = lock_folder(path, diags);
    if (folder < 0)
        return false;
    struct rpc_socket_file file = {.path = path};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool ok = fd >= 0 || fail(diags, path, strerror(errno));
    ok = ok && clear_place(path, &address, diags) && bind_and_listen(fd, &address, &file, diags);
    if (!ok && fd >= 0)
        (void)close(fd);
    (void)close(folder);
    if (ok)
        *ret = file;
    return ok;
}

void rpc_socket_file_close(struct rpc_socket_file *s)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored;
    diags_init(&ignored, scratch);
    struct stat st;
    int folder = lock_folder(s->path, &ignored);
    if (lstat(s->path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode)
        (void)unlink(s->path);
    (void)close(s->fd);
    if (folder >= 0)
        (void)close(folder);
}
