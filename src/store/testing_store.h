/* For the tests of this folder: a store in a folder of its own, objects from text, and what is said about it. */
#pragma once

#include "base/testing.h"
#include "store/object.h"
#include "store/sqlite.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
    struct arena *arena;
    struct diags diags;
    char root[64];
    const char *folder; /* of the store, in the root */
    struct store *store;
};

/* Without a store. */
static inline void world_init(struct world *w)
{
    *w = (struct world){.arena = arena_new(NULL, 0)};
    diags_init(&w->diags, w->arena);
    (void)snprintf(w->root, sizeof w->root, "/tmp/terrane-store-XXXXXX");
    assert_non_null(mkdtemp(w->root));
    w->folder = arena_printf(w->arena, "%s/store", w->root).p;
}

static inline void world_open(struct world *w, const struct store_sqlite_options *options)
{
    w->store = store_sqlite_open(w->folder, options, &w->diags);
    testing_no_errors(&w->diags);
    assert_non_null(w->store);
}

static inline void world_close(struct world *w)
{
    store_close(w->store);
    w->store = NULL;
}

static inline int world_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static inline void world_end(struct world *w)
{
    world_close(w);
    assert_int_equal(nftw(w->root, world_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
    arena_free(w->arena);
}

static inline const char *world_file(struct world *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->folder, name).p;
}

/* The last call failed so, and said this; the list of diagnostics is new afterwards. */
static inline void world_failed(struct world *w, enum store_result got, enum store_result expected, const char *says)
{
    testing_says(&w->diags, says);
    assert_int_equal(got, expected);
    diags_init(&w->diags, w->arena);
}

/* Opening is refused, with these words. */
static inline void world_refuses(struct world *w, const char *says)
{
    assert_null(store_sqlite_open(w->folder, NULL, &w->diags));
    world_failed(w, STORE_OK, STORE_OK, says);
}

#define BUCKET(name)                                                                                                             \
    "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Bucket\",\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"size\":1}}"

static inline struct store_key bucket_key(const char *name)
{
    return (struct store_key){STR("s3.aws.example.org"), STR("Bucket"), STR_EMPTY, str_of(name)};
}

static inline const struct json *world_create(struct world *w, const char *text)
{
    const struct json *made = NULL;
    enum store_result result = store_create(w->store, w->arena, testing_jsonz(w->arena, text), &w->diags, &made);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return made;
}

static inline const struct json *world_bucket(struct world *w, const char *name)
{
    return world_create(w, arena_printf(w->arena, BUCKET("%s"), name).p);
}

static inline const struct json *world_get(struct world *w, const char *name)
{
    struct store_key key = bucket_key(name);
    const struct json *got = NULL;
    enum store_result result = store_get(w->store, w->arena, &key, &w->diags, &got);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return got;
}

static inline const struct json *world_update(struct world *w, const struct json *object)
{
    const struct json *made = NULL;
    enum store_result result = store_update(w->store, w->arena, object, &w->diags, &made);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return made;
}

static inline const struct json *world_status(struct world *w, const struct json *object, const char *status)
{
    const struct json *made = NULL;
    object = object_with(w->arena, object, "status", testing_jsonz(w->arena, status));
    enum store_result result = store_update_status(w->store, w->arena, object, &w->diags, &made);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return made;
}

static inline const struct json *world_delete(struct world *w, const char *name)
{
    struct store_key key = bucket_key(name);
    const struct json *last = NULL;
    enum store_result result = store_remove(w->store, w->arena, &key, NULL, &w->diags, &last);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return last;
}

static inline bool world_take_name(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    struct buf *names = ctx;
    buf_printf(names, "%s" STR_FMT, names->n > 0 ? " " : "", STR_ARG(object_metadata_text(object, "name")));
    return true;
}

/* The names of what the query finds, with blanks between them. */
static inline const char *world_names(struct world *w, const struct store_query *query)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    struct str version;
    enum store_result result = store_list(w->store, w->arena, query, world_take_name, &names, &w->diags, &version);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return buf_copy(&names, w->arena).p;
}

/* The version that the store is at. */
static inline struct str world_version(struct world *w)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    struct str version = STR_EMPTY;
    assert_int_equal(store_list(w->store, w->arena, &(struct store_query){0}, world_take_name, &names, &w->diags, &version),
                     STORE_OK);
    return version;
}

static inline struct selector world_selector(struct world *w, const char *text)
{
    struct selector s = {0};
    assert_true(selector_parse(w->arena, str_of(text), &w->diags, &s));
    return s;
}
