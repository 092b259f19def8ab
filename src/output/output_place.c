#include "output/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Position of the last segment of a path. */
static size_t last_step(struct str path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/')
        at--;
    return at;
}

int output_parent(int folder, struct str path, const char **ret_name, struct arena *a)
{
    size_t last = last_step(path);
    int at = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (struct str way = str_slice(path, 0, last); way.n > 0 && at >= 0;) {
        struct str step = arena_str(a, str_cut(&way, '/'));
        int next = openat(at, step.p, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        (void)close(at);
        errno = error;
        at = next;
    }
    if (at >= 0)
        *ret_name = arena_str(a, str_slice(path, last, path.n)).p;
    return at;
}

int output_open(int folder, struct str path)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *name;
    int parent = output_parent(folder, path, &name, a);
    if (parent < 0)
        return -1;
    struct stat st;
    int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    (void)close(parent);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    (void)close(fd);
    return -1;
}

static enum output_place look_at(int folder, struct str path)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *name;
    int parent = output_parent(folder, path, &name, a);
    struct stat st;
    bool there = parent >= 0 && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    bool absent = !there && errno == ENOENT;
    if (parent >= 0)
        (void)close(parent);
    if (!there)
        return absent ? PLACE_FREE : PLACE_OTHER;
    return S_ISREG(st.st_mode) ? PLACE_FILE : S_ISDIR(st.st_mode) ? PLACE_FOLDER : S_ISLNK(st.st_mode) ? PLACE_LINK : PLACE_OTHER;
}

enum output_place output_look(int folder, struct str path, struct str *ret_link)
{
    for (size_t i = 0; (i = str_find(path, '/', i)) != SIZE_MAX; i++) {
        enum output_place place = look_at(folder, str_slice(path, 0, i));
        if (place == PLACE_FREE)
            return PLACE_FREE;
        if (place == PLACE_LINK) {
            *ret_link = str_slice(path, 0, i);
            return PLACE_BEHIND_LINK;
        }
        if (place != PLACE_FOLDER)
            return PLACE_OTHER;
    }
    return look_at(folder, path);
}
