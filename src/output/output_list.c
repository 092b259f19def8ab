#include "output/output_list.h"

#include "base/buf.h"
#include "output/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE ((size_t)1 << 30)

enum { MAX_LIST = 64 << 20, HASH_DIGITS = 16 };

static const char head[] = "# Files that terrane wrote here; it removes those that it no longer generates.\n";
static const struct str scope_mark = {"scope\t", sizeof "scope\t" - 1};

struct entry {
    struct str path, scope;
    uint64_t hash;
};

struct entries {
    struct entry *v;
    size_t n, cap;
};

bool output_path_is_safe(struct str path)
{
    if (path.n == 0 || path.p[path.n - 1] == '/')
        return false;
    for (size_t i = 0; i < path.n; i++)
        if ((unsigned char)path.p[i] < 0x20 || path.p[i] == 0x7f)
            return false;
    while (path.n > 0) {
        struct str step = str_cut(&path, '/');
        if (step.n == 0 || str_eqz(step, ".") || str_eqz(step, ".."))
            return false;
    }
    return true;
}

uint64_t output_hash(struct str content)
{
    return str_hash(content, 0x7465727261); /* only meant to detect manual changes */
}

/* Reads the content of a regular file without following links. */
static bool read_place(struct arena *a, int folder, struct str path, size_t max, struct str *ret)
{
    int fd = output_open(folder, path);
    struct stat st;
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= 0 && (size_t)st.st_size <= max;
    size_t n = ok ? (size_t)st.st_size : 0, have = 0;
    char *content = ok ? arena_alloc(a, n + 1, 1) : NULL;
    while (ok && have < n) {
        ssize_t got = read(fd, content + have, n - have);
        if (got < 0 && errno == EINTR)
            continue;
        ok = got > 0;
        have += ok ? (size_t)got : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    if (ok)
        *ret = (struct str){content, n};
    return ok;
}

bool output_hash_file(int folder, struct str path, uint64_t *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str content;
    if (!read_place(scratch, folder, path, MAX_FILE, &content))
        return false;
    *ret = output_hash(content);
    return true;
}

/* --- reading --- */

static bool parse_hash(struct str text, uint64_t *ret)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        hash = hash << 4 | (uint64_t)digit;
    }
    *ret = hash;
    return text.n == HASH_DIGITS;
}

static struct entries read_list(struct output *o, bool *ret_is_ours)
{
    struct entries entries = {0};
    struct str text;
    *ret_is_ours = false;
    if (o->dir < 0 || !read_place(o->arena, o->dir, STR(OUTPUT_LIST), MAX_LIST, &text) || !str_starts(text, str_of(head)))
        return entries;
    *ret_is_ours = true;
    for (struct str scope = STR_EMPTY; text.n > 0;) {
        struct str line = str_cut(&text, '\n');
        if (str_starts(line, scope_mark)) {
            scope = str_slice(line, scope_mark.n, line.n);
            continue;
        }
        struct str hash = str_cut(&line, '\t');
        struct entry e = {.path = line, .scope = scope};
        if (parse_hash(hash, &e.hash) && output_path_is_safe(e.path))
            *VEC_PUSH(o->arena, &entries) = e;
    }
    return entries;
}

/* --- writing --- */

static int by_scope_and_path(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    int order = str_cmp(a->scope, b->scope);
    return order ? order : str_cmp(a->path, b->path);
}

static struct str write_list(struct output *o, struct entries *entries)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_LIST);
    if (entries->n > 0)
        qsort(entries->v, entries->n, sizeof *entries->v, by_scope_and_path);
    buf_addz(&text, head);
    for (size_t i = 0; i < entries->n; i++) {
        const struct entry *e = &entries->v[i];
        if (i == 0 || !str_eq(e->scope, entries->v[i - 1].scope))
            buf_printf(&text, STR_FMT STR_FMT "\n", STR_ARG(scope_mark), STR_ARG(e->scope));
        buf_printf(&text, "%016" PRIx64 "\t" STR_FMT "\n", e->hash, STR_ARG(e->path));
    }
    return buf_copy(&text, o->arena);
}

/* Decides about a file that another run wrote and this one does not generate. */
static void sort_out(struct output *o, const struct entry *e, struct entries *keep, struct output_lists *lists)
{
    uint64_t hash;
    if (!output_hash_file(o->dir, e->path, &hash))
        return;
    if (!str_eq(e->scope, o->scope))
        *VEC_PUSH(o->arena, keep) = *e;
    else if (hash == e->hash)
        *VEC_PUSH(o->arena, &lists->stale) = e->path;
    else
        *VEC_PUSH(o->arena, &lists->stale_changed) = e->path;
}

/* A scope must fit on one line. */
static struct str one_line(struct arena *a, struct str s)
{
    char *line = (char *)arena_str(a, s).p;
    for (size_t i = 0; i < s.n; i++)
        line[i] = (unsigned char)line[i] < 0x20 ? ' ' : line[i];
    return (struct str){line, s.n};
}

void output_list_update(struct output *o, struct output_lists *ret)
{
    o->scope = one_line(o->arena, o->scope);
    struct output_lists lists = {.text = STR_EMPTY};
    struct entries old = read_list(o, &lists.is_ours), all = {0};
    map_init(&lists.listed, o->arena);
    for (size_t i = 0; i < old.n; i++) {
        map_put(&lists.listed, old.v[i].path, &old.v[i].hash);
        if (!map_get(&o->paths, old.v[i].path))
            sort_out(o, &old.v[i], &all, &lists);
    }
    for (size_t i = 0; i < o->files.n; i++)
        *VEC_PUSH(o->arena, &all) = (struct entry){o->files.v[i].path, o->scope, o->files.v[i].hash};
    lists.text = write_list(o, &all);
    *ret = lists;
}
