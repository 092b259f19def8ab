#include "manifests/folder.h"

#include "base/file.h"
#include "base/map.h"
#include "base/must.h"
#include "base/vec.h"
#include "manifests/follow.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Identifies the version of a file that was read. */
struct version {
    dev_t device;
    ino_t inode;
    off_t size; /* -1: differs from every file */
    struct timespec written, changed;
};

/* A file as it was read. There may be very many, so each keeps only what it needs. */
struct folder_entry {
    struct folder_file file;
    struct arena *arena; /* of its content; NULL: not read, or only `names` is left */
    void *names;         /* its manifests without their objects */
    struct version as_of;
    bool there;   /* found by this scan */
    bool waiting; /* being written, and never read yet */
};

struct folder {
    struct arena *arena;     /* of the paths */
    const char *path, *over; /* and the folder that it is in */
    bool is_input, is_file;
    const char **except;
    size_t n_except;
    struct map kept; /* path -> struct folder_entry */
    struct follow *follow;
    bool was_read;         /* standard input was read */
    struct version folder; /* that was scanned last; size -1: none */
    struct str trouble;    /* why the last scan failed: said once */
    /* The result of the last scan. */
    struct arena *scan_arena;
    bool someone_writes;
    bool told; /* it succeeded, so the caller knows what changed */
    int64_t scanned_ns;
};

/* Frees the content. */
static void drop_text(struct folder_entry *k)
{
    arena_free(k->arena);
    free(k->names);
    k->arena = NULL;
    k->names = NULL;
    k->file.manifests = (struct manifests){0};
    k->file.diags = (struct diags){0};
}

static bool was_read(const struct folder_entry *k)
{
    return k->arena || k->names;
}

/* ---- opening ---- */

static bool is_manifest_name(struct str name)
{
    return !str_starts(name, STR(".")) &&
           (str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml")) || str_ends(name, STR(".json")));
}

/* Where what follows the last "..", or the current folder, begins: only the system knows what ".." of a link is. */
static const char *without_climbing(const char *path)
{
    const char *rest = path;
    for (const char *p = path; *p; p++)
        if ((p == path || p[-1] == '/') && p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2]))
            rest = p + 2;
    return rest;
}

/*
 * The absolute path as it was given: links stay in it, so that one that is pointed elsewhere is followed there, and the files in
 * it and the objects' origin keep their names. NULL: errno.
 */
static const char *absolute(struct arena *a, const char *path)
{
    char whole[PATH_MAX];
    const char *rest = without_climbing(path);
    struct str words = str_of(rest), climbed = str_slice(str_of(path), 0, (size_t)(rest - path));
    struct buf out BUF_AUTO = BUF_INIT(2 * PATH_MAX);
    if (climbed.n > 0 || path[0] != '/') {
        if (!realpath(climbed.n > 0 ? arena_str(a, climbed).p : ".", whole))
            return NULL;
        if (strcmp(whole, "/") != 0)
            buf_addz(&out, whole);
    }
    while (words.n > 0) {
        struct str word = str_cut(&words, '/');
        if (word.n > 0 && !str_eqz(word, "."))
            buf_printf(&out, "/" STR_FMT, STR_ARG(word));
    }
    return out.n > 0 ? buf_copy(&out, a).p : "/";
}

/* The folder that a path is in. */
static const char *over(struct arena *a, const char *path)
{
    size_t n = (size_t)(strrchr(path, '/') - path);
    return arena_str(a, str_slice(str_of(path), 0, n > 0 ? n : 1)).p;
}

static bool find_path(struct folder *f, const char *path, struct diags *diags)
{
    struct stat st;
    f->path = stat(path, &st) == 0 ? absolute(f->arena, path) : NULL;
    if (!f->path)
        return diags_fail(diags, "Cannot read the manifests", "%s: %s.", path, strerror(errno));
    f->is_file = !S_ISDIR(st.st_mode);
    f->over = over(f->arena, f->path);
    return true;
}

struct folder *folder_open(const char *path, const char *const *except, size_t n, struct diags *diags)
{
    struct folder *f = must(calloc(1, sizeof *f));
    f->arena = arena_new(NULL, 0);
    f->scan_arena = arena_new(NULL, 0);
    map_init(&f->kept, f->arena);
    f->follow = follow_new();
    f->is_input = strcmp(path, "-") == 0;
    f->path = "-";
    f->folder.size = -1;
    if (!f->is_input && !find_path(f, path, diags)) {
        folder_free(f);
        return NULL;
    }
    f->except = arena_make_n(f->arena, const char *, n);
    for (size_t i = 0; i < n; i++) {
        const char *whole = absolute(f->arena, except[i]);
        if (whole)
            f->except[f->n_except++] = whole;
    }
    return f;
}

void folder_free(struct folder *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->kept.n; i++)
        drop_text(f->kept.entries[i].value);
    follow_free(f->follow);
    arena_free(f->scan_arena);
    arena_free(f->arena);
    free(f);
}

const char *folder_path(const struct folder *f)
{
    return f->path;
}

bool folder_is_input(const struct folder *f)
{
    return f->is_input;
}

/* ---- one file ---- */

static struct version version_of(const struct stat *st)
{
    return (struct version){st->st_dev, st->st_ino, st->st_size, st->st_mtim, st->st_ctim};
}

static bool is_same_time(struct timespec x, struct timespec y)
{
    return x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec;
}

static bool is_same(const struct version *x, const struct version *y)
{
    return x->device == y->device && x->inode == y->inode && x->size == y->size && is_same_time(x->written, y->written) &&
           is_same_time(x->changed, y->changed);
}

static struct folder_entry *kept_of(struct folder *f, const char *path)
{
    struct folder_entry *k = map_get(&f->kept, str_of(path));
    if (k)
        return k;
    struct str name = arena_str(f->arena, str_of(path));
    k = arena_make(f->arena, struct folder_entry);
    k->file.path = name.p;
    k->as_of.size = -1;
    map_put(&f->kept, name, k);
    return k;
}

static void read_file(struct folder_entry *k, const char *path)
{
    drop_text(k);
    k->arena = arena_new(NULL, 0);
    diags_init(&k->file.diags, k->arena);
    k->file.broken = !manifests_read(k->arena, path, &k->file.diags, &k->file.manifests);
    k->file.changed = true;
    k->waiting = false;
}

/* A file that is being written keeps its previous content. `place`: where it is, if `path` is a link. */
static void look_at_file(struct folder *f, const char *path, const char *place, const struct stat *st)
{
    struct folder_entry *k = kept_of(f, path);
    struct version version = version_of(st);
    k->there = true;
    if (is_same(&version, &k->as_of))
        return;
    if (follow_is_being_written(f->follow, place, FOLDER_WRITING_NS)) {
        f->someone_writes = true;
        k->waiting = !was_read(k);
        return;
    }
    k->as_of = version;
    read_file(k, path);
}

/* ---- the folder ---- */

struct walk {
    struct folder *f;
    struct diags *diags;
    const char *place; /* of the folder, without links */
    struct map except; /* files without links -> any */
    size_t n_files, n_bytes;
    bool vanished; /* something was gone when its turn came: it may have been moved to what was read before */
};

static bool too_much(struct walk *w, const char *what, long long limit, const char *unit)
{
    return diags_fail(w->diags, "Too many manifests", "%s: %s than the limit of %lld%s. Choose a folder that has manifests only.",
                      w->f->path, what, limit, unit);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* A file or a subfolder may have been moved or removed meanwhile; any other error ends the scan. */
static bool is_away(struct walk *w, const char *path)
{
    w->vanished = w->vanished || errno == ENOENT;
    return errno == ENOENT || diags_fail(w->diags, "Cannot read the manifests", "%s: %s.", path, strerror(errno));
}

struct names {
    const char **v;
    size_t n, cap;
};

static bool read_names(struct walk *w, struct arena *a, const char *path, struct names *ret)
{
    DIR *dir = opendir(path);
    if (!dir)
        return is_away(w, path);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        if (entry->d_name[0] != '.')
            *VEC_PUSH(a, ret) = arena_str(a, str_of(entry->d_name)).p;
    (void)closedir(dir);
    if (ret->n > 1)
        qsort(ret->v, ret->n, sizeof *ret->v, by_name);
    return true;
}

static bool walk_folder(struct walk *w, struct arena *a, const char *path, int depth);

/* A link to nowhere, or a folder that may not be searched: what is there and cannot be read must not count as removed. */
static bool walk_unreadable(struct walk *w, const char *path, struct str name)
{
    struct stat link;
    if (lstat(path, &link) != 0)
        return is_away(w, path);
    if (is_manifest_name(name))
        look_at_file(w->f, path, path, &link); /* reading it says why */
    return true;
}

/* Below the top there are no links to folders. */
static bool is_except(struct walk *w, struct arena *a, const char *path, struct str name, int depth)
{
    const char *below = path + strlen(w->f->path);
    return (depth == 0 && str_eqz(name, FOLDER_PROJECT)) ||
           (w->except.n > 0 && map_get(&w->except, arena_printf(a, "%s%s", w->place, below)));
}

static bool walk_entry(struct walk *w, struct arena *a, const char *path, struct str name, int depth)
{
    struct stat st, link;
    if (is_except(w, a, path, name, depth))
        return true;
    if (stat(path, &st) != 0)
        return walk_unreadable(w, path, name);
    if (lstat(path, &link) != 0)
        return is_away(w, path);
    if (S_ISDIR(st.st_mode)) /* symbolic links to folders are skipped: they may form cycles */
        return S_ISLNK(link.st_mode) || walk_folder(w, a, path, depth + 1);
    if (!S_ISREG(st.st_mode) || !is_manifest_name(name))
        return true;
    w->n_bytes += (size_t)st.st_size;
    if (++w->n_files > FOLDER_MAX_FILES)
        return too_much(w, "it has more files", FOLDER_MAX_FILES, "");
    if (w->n_bytes > FOLDER_MAX_BYTES)
        return too_much(w, "its files are larger", FOLDER_MAX_BYTES >> 20, " MiB");
    look_at_file(w->f, path, path, &st);
    return true;
}

static bool walk_folder(struct walk *w, struct arena *a, const char *path, int depth)
{
    struct names names = {0};
    if (depth > FOLDER_MAX_DEPTH)
        return too_much(w, "its folders are nested deeper", FOLDER_MAX_DEPTH, " levels");
    follow_add(w->f->follow, path); /* before reading, so that changes during the read are noticed */
    if (!read_names(w, a, path, &names))
        return false;
    for (size_t i = 0; i < names.n; i++)
        if (!walk_entry(w, a, arena_printf(a, "%s/%s", path, names.v[i]).p, str_of(names.v[i]), depth))
            return false;
    return true;
}

/*
 * Without the folder or the file itself nothing is known, so nothing counts as removed: it may have been renamed, or the link to
 * it may be about to point elsewhere.
 */
static bool not_there(struct folder *f, struct diags *diags)
{
    int why = errno;
    follow_add(f->follow, f->over); /* it may come back */
    return diags_fail(diags, "Cannot read the manifests", "%s: %s.%s", f->path, strerror(why),
                      f->kept.n > 0 ? " What was read from it before stays as it is." : "");
}

static bool scan_file(struct folder *f, struct diags *diags)
{
    struct stat st;
    char place[PATH_MAX];
    if (!realpath(f->path, place) || stat(place, &st) != 0)
        return not_there(f, diags);
    follow_add(f->follow, over(f->scan_arena, place)); /* its events have names without links */
    follow_add(f->follow, f->over);
    look_at_file(f, f->path, place, &st);
    return true;
}

static void forget_scan(struct folder *f)
{
    for (size_t i = 0; i < f->kept.n; i++)
        ((struct folder_entry *)f->kept.entries[i].value)->there = false;
    f->someone_writes = false;
}

static bool any_gone(const struct folder *f)
{
    for (size_t i = 0; i < f->kept.n; i++) {
        const struct folder_entry *k = f->kept.entries[i].value;
        if (!k->there && was_read(k))
            return true;
    }
    return false;
}

static bool is_same_folder(const struct version *x, const struct version *y)
{
    return x->size >= 0 && x->device == y->device && x->inode == y->inode;
}

/* The folder may be another one than before: a link to it was pointed elsewhere. */
static bool find_place(struct walk *w, struct arena *a, char *place)
{
    struct folder *f = w->f;
    struct stat st, link;
    char whole[PATH_MAX];
    if (!realpath(f->path, place) || stat(place, &st) != 0)
        return not_there(f, w->diags);
    struct version now = version_of(&st);
    if (!is_same_folder(&f->folder, &now))
        follow_restart(f->follow);
    f->folder = now;
    if (lstat(f->path, &link) == 0 && S_ISLNK(link.st_mode))
        follow_add(f->follow, f->over);
    w->place = strcmp(place, "/") == 0 ? "" : place;
    map_init(&w->except, a);
    for (size_t i = 0; i < f->n_except; i++)
        if (realpath(f->except[i], whole))
            map_put(&w->except, arena_str(a, str_of(whole)), w);
    return true;
}

/* Did the path lead to this folder all the time? */
static bool is_there_still(const struct folder *f)
{
    struct stat st;
    if (stat(f->path, &st) != 0)
        return false;
    struct version now = version_of(&st);
    return is_same_folder(&f->folder, &now);
}

/*
 * What is moved during a scan may be missed in both places, and what is gone counts as removed by its owner. So a scan that
 * misses something is done again.
 */
static bool scan_folder(struct folder *f, struct diags *diags)
{
    char place[PATH_MAX];
    bool missed = false;
    for (int i = 0; i < FOLDER_TRIES; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct walk w = {.f = f, .diags = diags};
        forget_scan(f);
        if (!find_place(&w, a, place) || !walk_folder(&w, a, f->path, 0))
            return false;
        bool again = any_gone(f) && !missed;
        missed = missed || again;
        if (!w.vanished && !again && is_there_still(f))
            return true;
    }
    return diags_fail(diags, "Cannot read the manifests", "%s: it changes while it is being read.", f->path);
}

static bool scan_input(struct folder *f)
{
    struct folder_entry *k = kept_of(f, "-");
    k->there = true;
    if (!f->was_read)
        read_file(k, "-");
    f->was_read = true;
    return true;
}

static bool scan(struct folder *f, struct diags *diags)
{
    if (f->is_input)
        return scan_input(f);
    if (follow_must_restart(f->follow))
        follow_restart(f->follow);
    return f->is_file ? scan_file(f, diags) : scan_folder(f, diags);
}

static int by_path(const void *x, const void *y)
{
    return strcmp((*(const struct folder_file *const *)x)->path, (*(const struct folder_file *const *)y)->path);
}

/* Drops files that are gone. Their paths stay in the map, without a value. */
static struct folder_files collect(struct folder *f)
{
    const struct folder_file **files = arena_make_n(f->scan_arena, const struct folder_file *, f->kept.n);
    struct folder_files ret = {.v = files};
    for (size_t i = 0; i < f->kept.n; i++) {
        struct folder_entry *k = f->kept.entries[i].value;
        if (k->there && !k->waiting)
            files[ret.n++] = &k->file;
        ret.changed = ret.changed || k->file.changed || (!k->there && was_read(k));
        if (k->there)
            continue;
        drop_text(k);
        *k = (struct folder_entry){.file.path = k->file.path, .as_of.size = -1};
    }
    if (ret.n > 1)
        qsort(files, ret.n, sizeof(const struct folder_file *), by_path);
    return ret;
}

/* Scans are many, and the reason usually stays. */
static void say_trouble(struct folder *f, struct diags *diags, struct diags *said)
{
    struct str why = said->n > 0 ? said->v[0].detail : STR_EMPTY;
    if (str_eq(why, f->trouble))
        return;
    diags_append(diags, said);
    f->trouble = arena_str(f->arena, why);
}

bool folder_scan(struct folder *f, struct diags *diags, struct folder_files *ret)
{
    struct diags said;
    for (size_t i = 0; i < f->kept.n; i++) {
        struct folder_entry *k = f->kept.entries[i].value;
        k->file.changed = k->file.changed && !f->told;
    }
    forget_scan(f);
    arena_reset(f->scan_arena);
    diags_init(&said, f->scan_arena);
    f->scanned_ns = clock_now(&system_clock);
    f->told = scan(f, &said);
    if (!f->told) {
        say_trouble(f, diags, &said);
        return false;
    }
    f->trouble = STR_EMPTY;
    *ret = collect(f);
    return true;
}

/* ---- used files ---- */

static size_t text_size(const struct manifest *m)
{
    return m->key.group.n + m->key.kind.n + m->key.namespace.n + m->key.name.n;
}

static struct str move_text(char **to, struct str text)
{
    char *p = *to;
    if (text.n > 0)
        memcpy(p, text.p, text.n);
    *to += text.n;
    return (struct str){p, text.n};
}

/* Copies the manifests and the names of their objects into one allocation. */
static void keep_names(struct folder_entry *k)
{
    const struct manifests *list = &k->file.manifests;
    size_t size = list->n * sizeof *list->v;
    for (size_t i = 0; i < list->n; i++)
        size += text_size(&list->v[i]);
    struct manifest *v = must(malloc(size + 1)); /* also for an empty file, to mark it as read */
    char *text = (char *)(v + list->n);
    for (size_t i = 0; i < list->n; i++) {
        const struct manifest *m = &list->v[i];
        const char *source = strcmp(k->file.path, "-") == 0 ? m->source : k->file.path; /* the original is in the arena */
        v[i] = (struct manifest){.source = source, .line = m->line, .column = m->column};
        v[i].key.group = move_text(&text, m->key.group);
        v[i].key.kind = move_text(&text, m->key.kind);
        v[i].key.namespace = move_text(&text, m->key.namespace);
        v[i].key.name = move_text(&text, m->key.name);
    }
    size_t n = list->n;
    drop_text(k);
    k->names = v;
    k->file.manifests = (struct manifests){.v = v, .n = n, .cap = n};
}

void folder_used(struct folder *f)
{
    for (size_t i = 0; i < f->kept.n; i++) {
        struct folder_entry *k = f->kept.entries[i].value;
        if (k->arena)
            keep_names(k);
    }
}

static int64_t earlier(int64_t x, int64_t y)
{
    return x == NO_DEADLINE || (y != NO_DEADLINE && y < x) ? y : x;
}

/* The rescan interval counts from the last scan, not from now, so that it also ends for a caller with short deadlines. */
bool folder_wait(struct folder *f, int64_t deadline)
{
    int64_t again = f->is_input ? NO_DEADLINE : f->scanned_ns + (f->someone_writes ? FOLDER_SETTLE_NS : FOLDER_RESCAN_NS);
    return follow_wait(f->follow, earlier(deadline, again), FOLDER_QUIET_NS, FOLDER_SETTLE_NS) ||
           (again != NO_DEADLINE && clock_now(&system_clock) >= again);
}

void folder_wake(struct folder *f)
{
    follow_wake(f->follow);
}
