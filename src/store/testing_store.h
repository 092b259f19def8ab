/* For the tests of this folder: a store in a temporary folder, objects from text, and checks of results. */
#pragma once

#include "base/testing.h"
#include "store/object.h"
#include "store/sqlite.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct testing_store {
    struct arena *arena;
    struct diags diags;
    char root[64];
    const char *folder; /* of the store, inside `root` */
    struct store *store;
};

/* Does not open a store. */
static inline void testing_store_init(struct testing_store *w)
{
    *w = (struct testing_store){.arena = arena_new(NULL, 0)};
    diags_init(&w->diags, w->arena);
    (void)snprintf(w->root, sizeof w->root, "/tmp/terrane-store-XXXXXX");
    assert_non_null(mkdtemp(w->root));
    w->folder = arena_printf(w->arena, "%s/store", w->root).p;
}

static inline void testing_store_open(struct testing_store *w, const struct store_sqlite_options *options)
{
    w->store = store_sqlite_open(w->folder, options, &w->diags);
    testing_no_errors(&w->diags);
    assert_non_null(w->store);
}

static inline void testing_store_close(struct testing_store *w)
{
    store_close(w->store);
    w->store = NULL;
}

static inline int testing_store_remove(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static inline void testing_store_end(struct testing_store *w)
{
    testing_store_close(w);
    assert_int_equal(nftw(w->root, testing_store_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
    arena_free(w->arena);
}

static inline const char *testing_store_file(struct testing_store *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->folder, name).p;
}

/* Checks the result and the message of the last call; clears the diagnostics. */
static inline void testing_store_failed(struct testing_store *w, enum store_result got, enum store_result expected,
                                        const char *says)
{
    testing_says(&w->diags, says);
    assert_int_equal(got, expected);
    diags_init(&w->diags, w->arena);
}

/* Checks that opening fails with this message. */
static inline void testing_store_refuses(struct testing_store *w, const char *says)
{
    assert_null(store_sqlite_open(w->folder, NULL, &w->diags));
    testing_store_failed(w, STORE_OK, STORE_OK, says);
}

#define BUCKET(name)                                                                                                             \
    "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Bucket\",\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"size\":1}}"

static inline struct store_key bucket_key(const char *name)
{
    return (struct store_key){STR("s3.aws.example.org"), STR("Bucket"), STR_EMPTY, str_of(name)};
}

static inline const struct json *testing_store_create(struct testing_store *w, const char *text)
{
    const struct json *made = NULL;
    enum store_result result = store_create(w->store, w->arena, testing_jsonz(w->arena, text), &w->diags, &made);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return made;
}

static inline const struct json *testing_store_bucket(struct testing_store *w, const char *name)
{
    return testing_store_create(w, arena_printf(w->arena, BUCKET("%s"), name).p);
}

static inline const struct json *testing_store_get(struct testing_store *w, const char *name)
{
    struct store_key key = bucket_key(name);
    const struct json *got = NULL;
    enum store_result result = store_get(w->store, w->arena, &key, &w->diags, &got);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return got;
}

static inline const struct json *testing_store_update(struct testing_store *w, const struct json *object)
{
    const struct json *made = NULL;
    enum store_result result = store_update(w->store, w->arena, object, &w->diags, &made);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return made;
}

static inline const struct json *testing_store_status(struct testing_store *w, const struct json *object, const char *status)
{
    const struct json *made = NULL;
    object = object_with(w->arena, object, "status", testing_jsonz(w->arena, status));
    enum store_result result = store_update_status(w->store, w->arena, object, &w->diags, &made);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return made;
}

static inline const struct json *testing_store_delete(struct testing_store *w, const char *name)
{
    struct store_key key = bucket_key(name);
    const struct json *last = NULL;
    enum store_result result = store_remove(w->store, w->arena, &key, NULL, &w->diags, &last);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return last;
}

static inline bool testing_store_take_name(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    struct buf *names = ctx;
    buf_printf(names, "%s" STR_FMT, names->n > 0 ? " " : "", STR_ARG(object_metadata_text(object, "name")));
    return true;
}

/* The names of the objects that the query finds, separated by blanks. */
static inline const char *testing_store_names(struct testing_store *w, const struct store_query *query)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    struct str version;
    enum store_result result = store_list(w->store, w->arena, query, testing_store_take_name, &names, &w->diags, &version);
    testing_no_errors(&w->diags);
    assert_int_equal(result, STORE_OK);
    return buf_copy(&names, w->arena).p;
}

/* The store's current version. */
static inline struct str testing_store_version(struct testing_store *w)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    struct str version = STR_EMPTY;
    assert_int_equal(
        store_list(w->store, w->arena, &(struct store_query){0}, testing_store_take_name, &names, &w->diags, &version), STORE_OK);
    return version;
}

static inline struct selector testing_store_selector(struct testing_store *w, const char *text)
{
    struct selector s = {0};
    assert_true(selector_parse(w->arena, str_of(text), &w->diags, &s));
    return s;
}
