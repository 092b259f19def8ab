#include "crossplane/output.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0777, FILE_MODE = 0666, PIECE = 64 << 10 };

void output_init(struct output *o, struct arena *a, const char *folder)
{
    *o = (struct output){.arena = a, .folder = folder};
}

static bool failed(struct diags *diags, const char *what, const char *path)
{
    return diags_fail(diags, "Output failed", "%s %s: %s.", what, path, strerror(errno));
}

static bool make_staging(struct output *o, struct diags *diags)
{
    if (o->staging)
        return true;
    o->made_folder = !file_exists(o->folder);
    if (!file_make_folder(o->folder, FOLDER_MODE, diags))
        return false;
    struct str path = arena_printf(o->arena, "%s/.terrane-XXXXXX", o->folder);
    if (!mkdtemp((char *)path.p))
        return failed(diags, "Cannot make a folder in", o->folder);
    o->staging = path.p;
    return true;
}

/* Is that the content of the file? */
static bool has_content(const char *path, struct str content)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == content.n;
    char piece[PIECE];
    while (same && content.n > 0) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        same = n > 0 && (size_t)n <= content.n && memcmp(piece, content.p, (size_t)n) == 0;
        content = str_slice(content, same ? (size_t)n : 0, content.n);
    }
    if (fd >= 0)
        (void)close(fd);
    return same;
}

/* No fsync: what is generated can be generated again. */
static bool write_staged(const char *path, struct str content, struct diags *diags)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return failed(diags, "Cannot write", path);
    while (content.n > 0) {
        ssize_t n = write(fd, content.p, content.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            (void)failed(diags, "Cannot write", path);
            (void)close(fd);
            return false;
        }
        content = str_slice(content, (size_t)n, content.n);
    }
    return close(fd) == 0 || failed(diags, "Cannot write", path);
}

bool output_add(struct output *o, struct str path, struct str content, struct diags *diags)
{
    struct output_file file = {.path = arena_str(o->arena, path)};
    struct str place = arena_printf(o->arena, "%s/" STR_FMT, o->folder, STR_ARG(path));
    if (has_content(place.p, content)) {
        o->n_unchanged++;
    } else {
        if (!make_staging(o, diags))
            return false;
        file.staged = arena_printf(o->arena, "%s/%zu", o->staging, o->files.n);
        if (!write_staged(file.staged.p, content, diags))
            return false;
        o->n_written++;
    }
    *VEC_PUSH(o->arena, &o->files) = file;
    return true;
}

static bool make_folders(struct output *o, struct diags *diags)
{
    struct str last = STR_EMPTY;
    for (size_t i = 0; i < o->files.n; i++) {
        struct str path = o->files.v[i].path;
        size_t slash = path.n;
        while (slash > 0 && path.p[slash - 1] != '/')
            slash--;
        struct str folder = str_slice(path, 0, slash);
        if (slash == 0 || str_eq(folder, last))
            continue;
        last = folder;
        if (!file_make_folder(arena_printf(o->arena, "%s/" STR_FMT, o->folder, STR_ARG(folder)).p, FOLDER_MODE, diags))
            return false;
    }
    return true;
}

bool output_commit(struct output *o, struct diags *diags)
{
    if (!o->staging)
        return true;
    if (!make_folders(o, diags))
        return false;
    for (size_t i = 0; i < o->files.n; i++) {
        struct output_file *f = &o->files.v[i];
        if (f->staged.n == 0)
            continue;
        struct str place = arena_printf(o->arena, "%s/" STR_FMT, o->folder, STR_ARG(f->path));
        if (rename(f->staged.p, place.p) != 0)
            return failed(diags, "Cannot write", place.p);
        f->staged = STR_EMPTY;
    }
    (void)rmdir(o->staging);
    o->staging = NULL;
    return true;
}

void output_discard(struct output *o)
{
    if (!o->staging)
        return;
    for (size_t i = 0; i <= o->files.n; i++) /* the last one may be half written */
        (void)unlink(arena_printf(o->arena, "%s/%zu", o->staging, i).p);
    (void)rmdir(o->staging);
    if (o->made_folder)
        (void)rmdir(o->folder);
    o->staging = NULL;
}
