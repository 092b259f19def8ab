#include "base/file.h"
#include "output/output_list.h"
#include "output/output_place.h"
#include "output/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0777, FILE_MODE = 0666, SECRET_MODE = 0600, PIECE = 64 << 10 };

#define STAGING ".terrane-XXXXXX"

enum { MAX_LISTED = 10 }; /* how many conflicting files are named; the others are counted */

/* One file to put in place or to remove, and what is needed to undo that. */
struct move {
    const char *from;   /* in the staging folder; NULL: the file is removed */
    struct str place;   /* path in the folder */
    const char *backup; /* in the staging folder: the previous file; NULL: there was none */
    enum output_care care;
    bool done;
};

struct moves {
    struct move *v;
    size_t n, cap;
    VEC(struct str) folders; /* created folders, outermost first */
};

void output_init(struct output *o, struct arena *a, const char *folder)
{
    *o = (struct output){.scope = STR_EMPTY, .arena = a, .folder = folder, .dir = -1, .staging_dir = -1};
    map_init(&o->paths, a);
}

static bool failed(struct diags *diags, const char *what, const char *path)
{
    return diags_fail(diags, "Output failed", "%s %s: %s.", what, path, strerror(errno));
}

static bool interrupted(struct output *o, struct diags *diags)
{
    if (!cancel_fired(o->cancel))
        return false;
    if (!o->is_broken)
        (void)diags_fail(diags, "Interrupted", "Nothing was written.");
    return o->is_broken = true;
}

static const char *place_of(const struct output *o, struct str path)
{
    return arena_printf(o->arena, "%s/" STR_FMT, o->folder, STR_ARG(path)).p;
}

/* --- the hidden folder --- */

/* Removes the staging folders of killed runs; no other run can be active, because this one has the lock. */
static void remove_abandoned(struct output *o)
{
    int fd = openat(o->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries));) {
        struct str name = str_of(e->d_name), prefix = STR(".terrane-");
        struct stat st;
        if (name.n == sizeof STAGING - 1 && str_starts(name, prefix) &&
            fstatat(o->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
            temporary_remove_tree(o->dir, e->d_name);
    }
    if (entries)
        (void)closedir(entries);
    else if (fd >= 0)
        (void)close(fd);
}

/* The folder itself may be a link: the user named it. */
static bool open_folder(struct output *o)
{
    if (o->dir < 0)
        o->dir = open(o->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return o->dir >= 0;
}

/* On a file system without locks there is no lock. */
static bool lock(struct output *o, struct diags *diags)
{
    if (!open_folder(o))
        return failed(diags, "Cannot read the folder", o->folder);
    if (flock(o->dir, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return diags_fail(diags, "Folder in use", "Another run is writing to %s. Wait until it has finished.", o->folder);
    return true;
}

static void close_folder(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* The outermost missing folder on the path to `folder`; NULL when the folder exists. */
static const char *first_missing(struct arena *a, const char *folder)
{
    const char *missing = NULL;
    struct str path = arena_str(a, str_of(folder));
    while (path.n > 0 && !file_exists(path.p)) {
        missing = path.p;
        while (path.n > 1 && path.p[path.n - 1] == '/')
            path.n--;
        while (path.n > 0 && path.p[path.n - 1] != '/')
            path.n--;
        path = arena_str(a, path);
    }
    return missing;
}

static bool make_staging(struct output *o, struct diags *diags)
{
    if (o->staging)
        return true;
    o->made = first_missing(o->arena, o->folder);
    if (!file_make_folder(o->folder, FOLDER_MODE, diags) || !lock(o, diags))
        return false;
    remove_abandoned(o);
    struct str path = arena_printf(o->arena, "%s/" STAGING, o->folder);
    if (!mkdtemp((char *)path.p))
        return failed(diags, "Cannot make a folder in", o->folder);
    o->staging = path.p + strlen(o->folder) + 1;
    o->staging_dir = openat(o->dir, o->staging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return o->staging_dir >= 0 || failed(diags, "Cannot read the folder", path.p);
}

/* Removes the folders that this run made, innermost first; folders that are not empty stay. */
static void remove_made(struct output *o)
{
    if (!o->made)
        return;
    struct str path = str_of(o->folder), outermost = str_of(o->made);
    while (path.n >= outermost.n && (rmdir(arena_str(o->arena, path).p) == 0 || errno == ENOENT)) {
        while (path.n > 0 && path.p[path.n - 1] == '/')
            path.n--;
        while (path.n > 0 && path.p[path.n - 1] != '/')
            path.n--;
    }
    o->made = NULL;
}

void output_discard(struct output *o)
{
    close_folder(&o->staging_dir);
    if (o->staging && !o->keep_staging)
        temporary_remove_tree(o->dir, o->staging);
    o->staging = NULL;
    remove_made(o);
    close_folder(&o->dir);
}

/* --- adding --- */

/* True when the file has this content. */
static bool has_content(struct output *o, struct str path, struct str content)
{
    int fd = open_folder(o) ? output_open(o->dir, path) : -1;
    struct stat st;
    bool same = fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size == content.n;
    char piece[PIECE];
    while (same && content.n > 0) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        same = n > 0 && (size_t)n <= content.n && memcmp(piece, content.p, (size_t)n) == 0;
        content = str_slice(content, same ? (size_t)n : 0, content.n);
    }
    close_folder(&fd);
    return same;
}

/* No fsync(): generated files can be generated again. */
static bool write_staged(struct output *o, const char *name, struct str content, mode_t mode, struct diags *diags)
{
    const char *path = arena_printf(o->arena, "%s/%s/%s", o->folder, o->staging, name).p;
    int fd = openat(o->staging_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
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

static bool check_path(struct output *o, struct str path, struct diags *diags)
{
    if (!output_path_is_safe(path) || str_eqz(path, OUTPUT_LIST))
        return diags_fail(diags, "Output failed", "\"" STR_FMT "\" is not a path that a file can be written to.", STR_ARG(path));
    return map_add(&o->paths, path, o) ||
           diags_fail(diags, "Output failed", "Two files would be written to " STR_FMT ".", STR_ARG(path));
}

/* True when other users may read the existing file, although its content may be right. */
static bool is_open(struct output *o, struct str path)
{
    int fd = output_open(o->dir, path);
    struct stat st;
    bool open = fd < 0 || fstat(fd, &st) != 0 || (st.st_mode & 0077) != 0;
    close_folder(&fd);
    return open;
}

bool output_add(struct output *o, struct str path, struct str content, struct diags *diags)
{
    return output_add_careful(o, path, content, OUTPUT_PLAIN, diags);
}

bool output_add_careful(struct output *o, struct str path, struct str content, enum output_care care, struct diags *diags)
{
    struct output_file file = {
        .path = arena_str(o->arena, path), .staged = STR_EMPTY, .hash = output_hash(content), .care = care};
    if (interrupted(o, diags) || !check_path(o, file.path, diags) || (o->watch && !o->watch(o->watch_ctx, path, content, diags)))
        return false;
    if (!o->folder)
        return true;
    if (has_content(o, path, content) && (care == OUTPUT_PLAIN || !is_open(o, path))) {
        o->n_unchanged++;
    } else {
        file.staged = arena_printf(o->arena, "%zu", o->files.n);
        o->is_broken = o->is_broken || !make_staging(o, diags) ||
                       !write_staged(o, file.staged.p, content, care == OUTPUT_PLAIN ? FILE_MODE : SECRET_MODE, diags);
        if (o->is_broken)
            return false;
        o->n_written++;
    }
    *VEC_PUSH(o->arena, &o->files) = file;
    return true;
}

/* --- what is in the way --- */

/* True when this run may write at the path; otherwise a diagnostic says why not. */
static bool may_write(struct output *o, struct str path, bool ours, struct map *links_told, struct diags *diags)
{
    struct str link;
    enum output_place place = output_look(o->dir, path, &link);
    if (place == PLACE_BEHIND_LINK) {
        if (map_add(links_told, arena_str(o->arena, link), o)) /* report a link once, however many files are behind it */
            (void)diags_fail(diags, "File in the way",
                             "%s is a symbolic link, and files would be written where it leads. Remove it first.",
                             place_of(o, link));
        return false;
    }
    if (o->force || place == PLACE_FREE || place == PLACE_FOLDER || (place == PLACE_FILE && ours))
        return true;
    return diags_fail(diags, "File in the way", "%s %s. Move it away, or replace it with --force.", place_of(o, path),
                      place == PLACE_LINK   ? "is a symbolic link"
                      : place == PLACE_FILE ? "was not written by terrane and would be overwritten"
                                            : "is not a file");
}

/* `written` is the hash of the content that a run wrote there. */
static bool may_replace(struct output *o, const struct move *m, const uint64_t *written, struct diags *diags)
{
    uint64_t now;
    if (o->force || m->care != OUTPUT_STATE || !written || !output_hash_file(o->dir, m->place, &now) || now == *written)
        return true;
    return diags_fail(diags, "File in the way",
                      "%s was changed since it was written, perhaps by terraform. Move it away, or replace it with --force.",
                      place_of(o, m->place));
}

/* Nothing is changed until all places have been checked. */
static bool check_places(struct output *o, const struct output_lists *lists, const struct moves *moves, struct diags *diags)
{
    bool all_free = true;
    size_t told = 0;
    struct map links_told;
    struct diags more;
    map_init(&links_told, o->arena);
    diags_init(&more, o->arena);
    for (size_t i = 0; i < moves->n; i++) {
        const struct move *m = &moves->v[i];
        const uint64_t *written = map_get(&lists->listed, m->place);
        bool ours = str_eqz(m->place, OUTPUT_LIST) ? lists->is_ours : written != NULL;
        struct diags *said = told < MAX_LISTED ? diags : &more;
        size_t before = said->n;
        all_free &= !m->from || (may_write(o, m->place, ours, &links_told, said) && may_replace(o, m, written, said));
        told += said->n > before;
    }
    if (told > MAX_LISTED)
        return diags_fail(diags, "File in the way", "%zu more files in %s would be overwritten.", told - MAX_LISTED, o->folder);
    return all_free;
}

/* --- all at once --- */

/* Creates each missing folder on the path to a file. */
static bool make_folders(struct output *o, struct moves *moves, struct str place, struct diags *diags)
{
    for (size_t i = 0; (i = str_find(place, '/', i)) != SIZE_MAX; i++) {
        struct str folder = str_slice(place, 0, i);
        const char *name;
        int parent = output_parent(o->dir, folder, &name, o->arena);
        bool made = parent >= 0 && mkdirat(parent, name, FOLDER_MODE) == 0;
        bool ok = made || (parent >= 0 && errno == EEXIST);
        int error = errno;
        close_folder(&parent);
        errno = error;
        if (!ok)
            return failed(diags, "Cannot make the folder", place_of(o, folder));
        if (made)
            *VEC_PUSH(o->arena, &moves->folders) = folder;
    }
    return true;
}

/* Makes a hard link to the old content, so that the file never disappears; if that is not possible, the file is moved. */
static bool keep_backup(struct output *o, struct move *m, int parent, const char *name, const char *backup, struct diags *diags)
{
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || failed(diags, "Cannot write", place_of(o, m->place));
    if (S_ISDIR(st.st_mode))
        return diags_fail(diags, "Output failed", "Cannot write %s: a folder of that name exists.", place_of(o, m->place));
    if ((!m->from || linkat(parent, name, o->staging_dir, backup, 0) != 0) && renameat(parent, name, o->staging_dir, backup) != 0)
        return failed(diags, "Cannot write", place_of(o, m->place));
    m->backup = backup;
    return true;
}

static bool move_to(struct output *o, struct move *m, int parent, const char *name, const char *backup, struct diags *diags)
{
    if (!keep_backup(o, m, parent, name, backup, diags))
        return false;
    if (m->from && renameat(o->staging_dir, m->from, parent, name) != 0)
        return failed(diags, "Cannot write", place_of(o, m->place));
    m->done = true;
    return true;
}

static bool move_one(struct output *o, struct moves *moves, size_t i, struct diags *diags)
{
    struct move *m = &moves->v[i];
    const char *name;
    if (!make_folders(o, moves, m->place, diags))
        return false;
    int parent = output_parent(o->dir, m->place, &name, o->arena);
    if (parent < 0)
        return failed(diags, "Cannot write", place_of(o, m->place));
    bool ok = move_to(o, m, parent, name, arena_printf(o->arena, "old-%zu", i).p, diags);
    close_folder(&parent);
    return ok;
}

static bool undo_one(struct output *o, const struct move *m)
{
    const char *name;
    int parent = m->backup || m->done ? output_parent(o->dir, m->place, &name, o->arena) : -1;
    bool ok = true;
    if (m->backup)
        ok = parent >= 0 && renameat(o->staging_dir, m->backup, parent, name) == 0;
    else if (m->done)
        ok = parent >= 0 && unlinkat(parent, name, 0) == 0;
    close_folder(&parent);
    return ok;
}

static void remove_folder(struct output *o, struct str path)
{
    const char *name;
    int parent = output_parent(o->dir, path, &name, o->arena);
    if (parent >= 0)
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    close_folder(&parent);
}

/* Reports a file that could not be restored, and keeps its old content where the next run does not remove it. */
static void say_left(struct output *o, const struct move *m, struct diags *diags)
{
    if (!m->backup) {
        (void)diags_fail(diags, "Output failed", "%s is new and could not be removed again.", place_of(o, m->place));
        return;
    }
    if (!o->keep_staging) {
        struct str kept = arena_printf(o->arena, "terrane-old%s", strrchr(o->staging, '-'));
        o->staging = renameat(o->dir, o->staging, o->dir, kept.p) == 0 ? kept.p : o->staging;
    }
    o->keep_staging = true;
    (void)diags_fail(diags, "Output failed", "%s could not be restored: its old content is in %s/%s/%s.", place_of(o, m->place),
                     o->folder, o->staging, m->backup);
}

static void undo(struct output *o, struct moves *moves, struct diags *diags)
{
    for (size_t i = moves->n; i-- > 0;)
        if (!undo_one(o, &moves->v[i]))
            say_left(o, &moves->v[i], diags);
    for (size_t i = moves->folders.n; i-- > 0;)
        remove_folder(o, moves->folders.v[i]);
}

static bool move_all(struct output *o, struct moves *moves, struct diags *diags)
{
    for (size_t i = 0; i < moves->n; i++)
        if (!move_one(o, moves, i, diags)) {
            undo(o, moves, diags);
            return false;
        }
    return true;
}

/* Removes folders that became empty because files were removed from them. */
static void remove_empty(struct output *o, struct str path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/')
            remove_folder(o, str_slice(path, 0, i));
}

static void warn_changed(const struct output *o, const struct output_lists *lists, struct diags *diags)
{
    for (size_t i = 0; i < lists->stale_changed.n; i++)
        diags_warn(diags, "File left alone", "%s is no longer generated. It was changed since it was written, so it was kept.",
                   place_of(o, lists->stale_changed.v[i]));
}

static bool stage_list(struct output *o, struct str text, struct moves *moves, struct diags *diags)
{
    if (has_content(o, STR(OUTPUT_LIST), text))
        return true;
    if (!make_staging(o, diags))
        return false;
    *VEC_PUSH(o->arena, moves) = (struct move){.from = "list", .place = STR(OUTPUT_LIST)};
    return write_staged(o, "list", text, FILE_MODE, diags);
}

/* The list is replaced after the removals and before the new files: if the process is killed, it names too many files, never too
 * few. */
static bool plan_moves(struct output *o, const struct output_lists *lists, struct diags *diags, struct moves *ret)
{
    for (size_t i = 0; i < lists->stale.n; i++)
        *VEC_PUSH(o->arena, ret) = (struct move){.place = lists->stale.v[i]};
    if (!stage_list(o, lists->text, ret, diags))
        return false;
    for (size_t i = 0; i < o->files.n; i++)
        if (o->files.v[i].staged.n > 0)
            *VEC_PUSH(o->arena, ret) =
                (struct move){.from = o->files.v[i].staged.p, .place = o->files.v[i].path, .care = o->files.v[i].care};
    return ret->n == 0 || make_staging(o, diags);
}

bool output_commit(struct output *o, struct diags *diags)
{
    if (interrupted(o, diags))
        return false;
    if (!o->folder)
        return true;
    struct output_lists lists;
    struct moves moves = {0};
    (void)open_folder(o);
    output_list_update(o, &lists);
    if (!plan_moves(o, &lists, diags, &moves) || !check_places(o, &lists, &moves, diags) || !move_all(o, &moves, diags))
        return false;
    for (size_t i = 0; i < lists.stale.n; i++)
        remove_empty(o, lists.stale.v[i]);
    warn_changed(o, &lists, diags);
    o->n_removed = lists.stale.n;
    o->made = NULL;
    output_discard(o);
    return true;
}
