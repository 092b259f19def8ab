#include "base/file.h"
#include "crossplane/output_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0777, FILE_MODE = 0666, PIECE = 64 << 10 };

#define STAGING ".terrane-XXXXXX"

/* One file that is put in place or taken away, and what it takes to undo that. */
struct move {
    const char *from; /* NULL: it is taken away */
    const char *place;
    const char *backup; /* what was there before; NULL: nothing was */
    bool done;
};

struct moves {
    struct move *v;
    size_t n, cap;
    VEC(const char *) folders; /* that were made, outermost first */
};

void output_init(struct output *o, struct arena *a, const char *folder)
{
    *o = (struct output){.scope = STR_EMPTY, .arena = a, .folder = folder, .lock = -1};
    map_init(&o->paths, a);
}

static bool failed(struct diags *diags, const char *what, const char *path)
{
    return diags_fail(diags, "Output failed", "%s %s: %s.", what, path, strerror(errno));
}

static bool interrupted(const struct output *o, struct diags *diags)
{
    return cancel_fired(o->cancel) && !diags_fail(diags, "Interrupted", "Nothing was written.");
}

static const char *place_of(const struct output *o, struct str path)
{
    return arena_printf(o->arena, "%s/" STR_FMT, o->folder, STR_ARG(path)).p;
}

/* --- the hidden folder --- */

/* It holds files only. */
static void remove_staging(struct arena *a, const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlink(arena_printf(a, "%s/%s", path, e->d_name).p);
    if (dir)
        (void)closedir(dir);
    (void)rmdir(path);
}

/* Of runs that were killed: whoever has the lock is alone here. */
static void remove_abandoned(struct output *o)
{
    DIR *dir = opendir(o->folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct str name = str_of(e->d_name), prefix = STR(".terrane-");
        struct stat st;
        const char *path = arena_printf(o->arena, "%s/%s", o->folder, e->d_name).p;
        if (name.n == sizeof STAGING - 1 && str_starts(name, prefix) && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            remove_staging(o->arena, path);
    }
    if (dir)
        (void)closedir(dir);
}

/* A file system that knows no locks does without. */
static bool lock(struct output *o, struct diags *diags)
{
    int fd = open(o->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return failed(diags, "Cannot read the folder", o->folder);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        (void)close(fd);
        return diags_fail(diags, "Folder in use", "Another run is writing to %s. Wait until it has ended.", o->folder);
    }
    o->lock = fd;
    return true;
}

static void unlock(struct output *o)
{
    if (o->lock >= 0)
        (void)close(o->lock);
    o->lock = -1;
}

/* The outermost of a folder and those around it that is missing; NULL: it is there. */
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
    o->staging = path.p;
    return true;
}

/* Folders that this run made, from the inside out; those with something in them stay. */
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
    if (o->staging)
        remove_staging(o->arena, o->staging);
    o->staging = NULL;
    remove_made(o);
    unlock(o);
}

/* --- adding --- */

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

static bool check_path(struct output *o, struct str path, struct diags *diags)
{
    if (!output_path_is_safe(path) || str_eqz(path, OUTPUT_LIST))
        return diags_fail(diags, "Output failed", "\"" STR_FMT "\" is no path that a file can be written to.", STR_ARG(path));
    return map_add(&o->paths, path, o) ||
           diags_fail(diags, "Output failed", "Two files would be written to " STR_FMT ".", STR_ARG(path));
}

bool output_add(struct output *o, struct str path, struct str content, struct diags *diags)
{
    struct output_file file = {.path = arena_str(o->arena, path), .staged = STR_EMPTY, .hash = output_hash(content)};
    if (interrupted(o, diags) || !check_path(o, file.path, diags) || (o->watch && !o->watch(o->watch_ctx, path, content, diags)))
        return false;
    if (!o->folder)
        return true;
    if (has_content(place_of(o, path), content)) {
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

/* --- all at once --- */

/* Each folder that is missing on the way to a file. */
static bool make_folders(struct output *o, struct moves *moves, const char *place, struct diags *diags)
{
    struct str path = str_of(place);
    for (size_t i = strlen(o->folder) + 1; (i = str_find(path, '/', i)) != SIZE_MAX; i++) {
        const char *folder = arena_str(o->arena, str_slice(path, 0, i)).p;
        if (mkdir(folder, FOLDER_MODE) == 0)
            *VEC_PUSH(o->arena, &moves->folders) = folder;
        else if (errno != EEXIST)
            return failed(diags, "Cannot make the folder", folder);
    }
    return true;
}

/* A second name for the old content, so that there is no moment without the file; else it is moved away. */
static bool keep_backup(struct move *m, const char *backup, struct diags *diags)
{
    struct stat st;
    if (lstat(m->place, &st) != 0)
        return errno == ENOENT || failed(diags, "Cannot write", m->place);
    if (S_ISDIR(st.st_mode))
        return diags_fail(diags, "Output failed", "Cannot write %s: there is a folder of that name.", m->place);
    if ((!m->from || link(m->place, backup) != 0) && rename(m->place, backup) != 0)
        return failed(diags, "Cannot write", m->place);
    m->backup = backup;
    return true;
}

static bool move_one(struct output *o, struct moves *moves, size_t i, struct diags *diags)
{
    struct move *m = &moves->v[i];
    if (!make_folders(o, moves, m->place, diags) || !keep_backup(m, arena_printf(o->arena, "%s/old-%zu", o->staging, i).p, diags))
        return false;
    if (m->from && rename(m->from, m->place) != 0)
        return failed(diags, "Cannot write", m->place);
    m->done = true;
    return true;
}

static void undo(struct moves *moves)
{
    for (size_t i = moves->n; i-- > 0;) {
        struct move *m = &moves->v[i];
        if (m->backup)
            (void)rename(m->backup, m->place);
        else if (m->done)
            (void)unlink(m->place);
    }
    for (size_t i = moves->folders.n; i-- > 0;)
        (void)rmdir(moves->folders.v[i]);
}

static bool move_all(struct output *o, struct moves *moves, struct diags *diags)
{
    for (size_t i = 0; i < moves->n; i++)
        if (!move_one(o, moves, i, diags)) {
            undo(moves);
            return false;
        }
    return true;
}

/* Folders that are empty now, as far as files were taken from them. */
static void remove_empty(struct output *o, struct str path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/' && rmdir(place_of(o, str_slice(path, 0, i))) != 0)
            return;
}

static void warn_changed(const struct output *o, const struct output_lists *lists, struct diags *diags)
{
    for (size_t i = 0; i < lists->stale_changed.n; i++)
        diags_warn(diags, "File left alone", "%s is not generated any more. It was changed since it was written, so it stays.",
                   place_of(o, lists->stale_changed.v[i]));
}

static bool stage_list(struct output *o, struct str text, struct moves *moves, struct diags *diags)
{
    const char *place = place_of(o, STR(OUTPUT_LIST));
    if (has_content(place, text))
        return true;
    if (!make_staging(o, diags))
        return false;
    const char *staged = arena_printf(o->arena, "%s/list", o->staging).p;
    *VEC_PUSH(o->arena, moves) = (struct move){.from = staged, .place = place};
    return write_staged(staged, text, diags);
}

/* The list after what is taken away and before what is new: should the process be killed, it names too much, never too little. */
static bool plan_moves(struct output *o, const struct output_lists *lists, struct diags *diags, struct moves *ret)
{
    for (size_t i = 0; i < lists->stale.n; i++)
        *VEC_PUSH(o->arena, ret) = (struct move){.place = place_of(o, lists->stale.v[i])};
    if (!stage_list(o, lists->text, ret, diags))
        return false;
    for (size_t i = 0; i < o->files.n; i++)
        if (o->files.v[i].staged.n > 0)
            *VEC_PUSH(o->arena, ret) = (struct move){.from = o->files.v[i].staged.p, .place = place_of(o, o->files.v[i].path)};
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
    output_list_update(o, &lists);
    if (!plan_moves(o, &lists, diags, &moves) || !move_all(o, &moves, diags))
        return false;
    for (size_t i = 0; i < lists.stale.n; i++)
        remove_empty(o, lists.stale.v[i]);
    warn_changed(o, &lists, diags);
    o->n_removed = lists.stale.n;
    o->made = NULL;
    output_discard(o);
    return true;
}
