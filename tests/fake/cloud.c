/*
 * Memory: a map from "TYPE/ID" to an object in an arena of its own; a deleted object leaves its key without an object.
 *
 * Folder: an object is written to a temporary file, which is then renamed (update) or linked (create, which fails if the name
 * exists), so that other processes only see whole objects. No fsync: objects must survive a crash of the process, not of the
 * machine.
 */
#include "cloud.h"

#include "base/file.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/vec.h"
#include "value/json_value.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_OBJECT = 64 << 20, HOLD_STEP_NS = 5000000 };

struct object {
    struct arena *arena;
    const struct value *value;
};

struct cloud {
    struct arena *arena;
    const char *folder; /* NULL: in memory */
    atomic_uint_fast64_t n_temporary;
    pthread_mutex_t lock; /* protects what follows */
    struct map objects;
};

struct cloud *cloud_new(const char *folder, struct diags *diags)
{
    if (folder && !file_make_folder(folder, 0700, diags))
        return NULL;
    struct cloud *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->arena = arena_new(NULL, 0);
    c->folder = folder ? arena_str(c->arena, str_of(folder)).p : NULL;
    map_init(&c->objects, c->arena);
    mutex_init(&c->lock);
    return c;
}

void cloud_free(struct cloud *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->objects.n; i++) {
        struct object *o = c->objects.entries[i].value;
        if (o)
            arena_free(o->arena);
    }
    mutex_destroy(&c->lock);
    arena_free(c->arena);
    free(c);
}

/* ---- in memory ---- */

static struct str memory_key(struct arena *a, struct cloud_key key)
{
    return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(key.type_name), STR_ARG(key.id));
}

/* Replaces the object (NULL: removes it) if one exists, or does not, as expected. */
static bool memory_swap(struct cloud *c, struct cloud_key key, bool expect_object, struct object *o)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str text = memory_key(scratch, key);
    mutex_lock(&c->lock);
    struct object *old = map_get(&c->objects, text);
    bool ok = (old != NULL) == expect_object;
    if (ok)
        map_put(&c->objects, arena_str(c->arena, text), o);
    mutex_unlock(&c->lock);
    struct object *loser = ok ? old : o;
    if (loser)
        arena_free(loser->arena);
    return ok;
}

static struct object *memory_object(const struct value *v)
{
    struct arena *a = arena_new(NULL, 0);
    struct object *o = arena_make(a, struct object);
    *o = (struct object){a, value_copy(a, v)};
    return o;
}

static const struct value *memory_get(struct cloud *c, struct arena *a, struct cloud_key key)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str text = memory_key(scratch, key);
    mutex_lock(&c->lock);
    const struct object *o = map_get(&c->objects, text);
    const struct value *v = o ? value_copy(a, o->value) : NULL;
    mutex_unlock(&c->lock);
    return v;
}

/* ---- in a folder ---- */

/* Ids become file names: characters other than letters, digits, '-', '_' and inner '.' are written as %XX. */
static struct str file_name(struct arena *a, struct str id)
{
    struct buf out BUF_AUTO = BUF_INIT(id.n * 3 + sizeof ".json");
    for (size_t i = 0; i < id.n; i++) {
        unsigned char c = (unsigned char)id.p[i];
        if (isalnum(c) || c == '-' || c == '_' || (c == '.' && i > 0))
            buf_addc(&out, (char)c);
        else
            buf_printf(&out, "%%%02X", (unsigned)c);
    }
    buf_addz(&out, ".json");
    return buf_copy(&out, a);
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : toupper((unsigned char)c) - 'A' + 10;
}

static struct str id_of_file(struct arena *a, struct str name)
{
    char *id = arena_alloc(a, name.n + 1, 1);
    size_t n = 0, length = name.n - (sizeof ".json" - 1);
    for (size_t i = 0; i < length; i++) {
        bool escaped = name.p[i] == '%' && i + 2 < length;
        id[n++] = escaped ? (char)(hex_digit(name.p[i + 1]) << 4 | hex_digit(name.p[i + 2])) : name.p[i];
        i += escaped ? 2 : 0;
    }
    return (struct str){id, n};
}

static const char *object_path(const struct cloud *c, struct arena *a, struct cloud_key key)
{
    return arena_printf(a, "%s/" STR_FMT "/" STR_FMT, c->folder, STR_ARG(key.type_name), STR_ARG(file_name(a, key.id))).p;
}

static enum cloud_result fail_io(struct diags *diags, const char *path)
{
    (void)diags_fail(diags, "The fake cloud failed", "%s: %s", path, strerror(errno));
    return CLOUD_FAILED;
}

static bool write_whole(const char *path, struct str text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = true;
    while (ok && text.n > 0) {
        ssize_t n = write(fd, text.p, text.n);
        ok = n >= 0 || errno == EINTR;
        text = str_slice(text, n > 0 ? (size_t)n : 0, text.n);
    }
    return close(fd) == 0 && ok;
}

static enum cloud_result folder_write(struct cloud *c, struct cloud_key key, bool create, const struct value *v,
                                      const struct type *t, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(MAX_OBJECT);
    struct json_writer w = {.out = &text, .indent = 2};
    if (!value_write_json(&w, v, t, diags) || !json_finish(&w))
        return CLOUD_FAILED;
    buf_addc(&text, '\n');
    const char *path = object_path(c, a, key);
    const char *folder = arena_printf(a, "%s/" STR_FMT, c->folder, STR_ARG(key.type_name)).p;
    const char *temporary =
        arena_printf(a, "%s/.new-%d-%llu", folder, (int)getpid(), (unsigned long long)atomic_fetch_add(&c->n_temporary, 1)).p;
    if (!file_make_folder(folder, 0700, diags))
        return CLOUD_FAILED;
    if (!write_whole(temporary, buf_str(&text)))
        return fail_io(diags, temporary);
    enum cloud_result result = CLOUD_DONE;
    if (create) {
        if (link(temporary, path) != 0)
            result = errno == EEXIST ? CLOUD_EXISTS : fail_io(diags, path);
        (void)unlink(temporary);
    } else if (access(path, F_OK) != 0) {
        (void)unlink(temporary);
        result = CLOUD_ABSENT;
    } else if (rename(temporary, path) != 0) {
        result = fail_io(diags, path);
    }
    return result;
}

static enum cloud_result folder_read(struct cloud *c, struct arena *a, struct cloud_key key, const struct type *t,
                                     struct diags *diags, const struct value **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const char *path = object_path(c, scratch, key);
    struct str text;
    if (!file_exists(path))
        return CLOUD_ABSENT;
    if (!file_read(scratch, path, MAX_OBJECT, diags, &text))
        return CLOUD_FAILED;
    const struct json *j = json_parse(scratch, text, path, diags);
    const struct value *v = j ? value_from_json(a, j, t, PATH_ROOT, diags) : NULL;
    if (!v)
        return CLOUD_FAILED;
    *ret = v;
    return CLOUD_DONE;
}

/* ---- both ---- */

enum cloud_result cloud_create(struct cloud *c, struct cloud_key key, const struct value *v, const struct type *t,
                               struct diags *diags)
{
    if (c->folder)
        return folder_write(c, key, /* create= */ true, v, t, diags);
    return memory_swap(c, key, /* expect_object= */ false, memory_object(v)) ? CLOUD_DONE : CLOUD_EXISTS;
}

enum cloud_result cloud_update(struct cloud *c, struct cloud_key key, const struct value *v, const struct type *t,
                               struct diags *diags)
{
    if (c->folder)
        return folder_write(c, key, /* create= */ false, v, t, diags);
    return memory_swap(c, key, /* expect_object= */ true, memory_object(v)) ? CLOUD_DONE : CLOUD_ABSENT;
}

enum cloud_result cloud_delete(struct cloud *c, struct cloud_key key, struct diags *diags)
{
    if (!c->folder)
        return memory_swap(c, key, /* expect_object= */ true, NULL) ? CLOUD_DONE : CLOUD_ABSENT;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *path = object_path(c, a, key);
    if (unlink(path) == 0)
        return CLOUD_DONE;
    return errno == ENOENT ? CLOUD_ABSENT : fail_io(diags, path);
}

enum cloud_result cloud_get(struct cloud *c, struct arena *a, struct cloud_key key, const struct type *t, struct diags *diags,
                            const struct value **ret)
{
    if (c->folder)
        return folder_read(c, a, key, t, diags, ret);
    const struct value *v = memory_get(c, a, key);
    if (!v)
        return CLOUD_ABSENT;
    *ret = v;
    return CLOUD_DONE;
}

void cloud_note(const struct cloud *c, const char *operation, struct cloud_key key)
{
    if (!c->folder)
        return;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str id = key.id.n > 0 ? key.id : STR("-");
    struct str line = arena_printf(a, "%s " STR_FMT " " STR_FMT "\n", operation, STR_ARG(key.type_name), STR_ARG(id));
    int fd = open(arena_printf(a, "%s/.journal", c->folder).p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, line.p, line.n) < 0) /* a test that expects the line fails */
        (void)fputs("cannot write the journal of the fake cloud\n", stderr);
    if (fd >= 0)
        (void)close(fd);
    const char *hold = arena_printf(a, "%s/.hold", c->folder).p;
    while (access(hold, F_OK) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = HOLD_STEP_NS}, NULL);
}

typedef VEC(struct str) str_vec;

static void list_memory(struct cloud *c, struct arena *a, struct str type_name, str_vec *ids)
{
    struct str prefix = arena_printf(a, STR_FMT "/", STR_ARG(type_name));
    mutex_lock(&c->lock);
    for (size_t i = 0; i < c->objects.n; i++) {
        const struct map_entry *e = &c->objects.entries[i];
        if (e->value && str_starts(e->key, prefix))
            *VEC_PUSH(a, ids) = arena_str(a, str_slice(e->key, prefix.n, e->key.n));
    }
    mutex_unlock(&c->lock);
}

static void list_folder(struct cloud *c, struct arena *a, struct str type_name, str_vec *ids)
{
    DIR *folder = opendir(arena_printf(a, "%s/" STR_FMT, c->folder, STR_ARG(type_name)).p);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.' && str_ends(str_of(e->d_name), STR(".json")))
            *VEC_PUSH(a, ids) = id_of_file(a, str_of(e->d_name));
    (void)closedir(folder);
}

struct cloud_ids cloud_list(struct cloud *c, struct arena *a, struct str type_name)
{
    str_vec ids = {0};
    (c->folder ? list_folder : list_memory)(c, a, type_name, &ids);
    if (ids.n > 0)
        qsort(ids.v, ids.n, sizeof *ids.v, str_cmp_qsort);
    return (struct cloud_ids){ids.v, ids.n};
}
