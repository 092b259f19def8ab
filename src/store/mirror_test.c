/* A mirror answers as the store below would, with as few requests to it as possible. */
#include "store/mirror.h"

#include "store/object.h"
#include "store/testing_store.h"

/* The store below, counting requests. */
struct counting {
    struct store store;
    struct store *real;
    struct store_ops ops;
    size_t gets, writes, lists;
    bool away; /* unavailable for removals and updates */
};

static struct counting *counting_of(struct store *s)
{
    return (struct counting *)s;
}

static enum store_result count_get(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                   const struct json **ret)
{
    counting_of(s)->gets++;
    return store_get(counting_of(s)->real, a, key, diags, ret);
}

static enum store_result count_list(struct store *s, struct arena *a, const struct store_query *query, store_each *each,
                                    void *ctx, struct diags *diags, struct str *ret_version)
{
    counting_of(s)->lists++;
    return store_list(counting_of(s)->real, a, query, each, ctx, diags, ret_version);
}

static enum store_result count_create(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret)
{
    counting_of(s)->writes++;
    return store_create(counting_of(s)->real, a, object, diags, ret);
}

static enum store_result count_update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret)
{
    counting_of(s)->writes++;
    if (counting_of(s)->away)
        return STORE_FAILED;
    return store_update(counting_of(s)->real, a, object, diags, ret);
}

static enum store_result count_status(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret)
{
    counting_of(s)->writes++;
    return store_update_status(counting_of(s)->real, a, object, diags, ret);
}

static enum store_result count_remove(struct store *s, struct arena *a, const struct store_key *key,
                                      const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    counting_of(s)->writes++;
    if (counting_of(s)->away)
        return STORE_FAILED;
    return store_remove(counting_of(s)->real, a, key, must, diags, ret);
}

static enum store_result count_watch(struct store *s, const struct store_query *query, struct str version, struct diags *diags,
                                     struct store_watch **ret)
{
    return store_watch_open(counting_of(s)->real, query, version, diags, ret);
}

static void leave_open(struct store *s)
{
    (void)s;
}

static const struct str prefixes[] = {STR("state-")};
static const struct mirror_kind kinds[] = {{STR("s3.aws.example.org"), STR("Bucket"), false, false},
                                           {STR("s3.aws.example.org"), STR("Use"), false, true}};

static struct store *put_mirror(struct testing_store *w, struct counting *c)
{
    *c = (struct counting){.real = w->store};
    c->ops = (struct store_ops){.get = count_get,
                                .list = count_list,
                                .create = count_create,
                                .update = count_update,
                                .update_status = count_status,
                                .remove = count_remove,
                                .watch = count_watch,
                                .close = leave_open};
    c->store.ops = &c->ops;
    w->store = store_mirror(&(struct mirror_options){.below = &c->store,
                                                     .kinds = kinds,
                                                     .n_kinds = 2,
                                                     .records = STR("own"),
                                                     .finalizer = STR("f"),
                                                     .prefixes = prefixes,
                                                     .n_prefixes = 1});
    return c->real;
}

static void take_mirror(struct testing_store *w, struct counting *c)
{
    store_close(w->store);
    w->store = c->real;
    testing_store_end(w);
}

static bool is_theirs; /* all buckets are another process's */

static bool keeps(void *ctx, const struct json *object)
{
    (void)ctx, (void)object;
    return !is_theirs;
}

static bool nothing(void *ctx, struct arena *a, const struct json *object)
{
    (void)ctx, (void)a, (void)object;
    return true;
}

static struct str list_all(struct testing_store *w)
{
    struct str version;
    assert_int_equal(store_list(w->store, w->arena, &(struct store_query){0}, nothing, NULL, &w->diags, &version), STORE_OK);
    return version;
}

static void reads_are_from_memory(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b");
    (void)put_mirror(&w, &c);
    assert_true(json_eq(testing_store_get(&w, "b"), b)); /* before the first list: read below */
    assert_int_equal(c.gets, 1);
    (void)list_all(&w);
    for (int i = 0; i < 3; i++)
        assert_true(json_eq(testing_store_get(&w, "b"), b));
    assert_int_equal(c.gets, 1);
    const struct json *grown = testing_store_update(&w, object_with(w.arena, b, "spec", testing_jsonz(w.arena, "{\"size\":2}")));
    assert_true(json_eq(testing_store_get(&w, "b"), grown));
    assert_true(json_eq(testing_store_update(&w, grown), grown)); /* no change: not sent */
    assert_int_equal(c.writes, 1);
    assert_int_equal(c.gets, 1);
    const struct json *shown = testing_store_status(&w, grown, "{\"ready\":true}");
    assert_true(json_eq(testing_store_get(&w, "b"), shown));
    const struct store_query of_kind = {.group = STR("s3.aws.example.org"), .kind = STR("Bucket")};
    assert_string_equal(testing_store_names(&w, &of_kind), "b");
    assert_int_equal(c.lists, 1);
    take_mirror(&w, &c);
}

static void a_conflict_is_read_below(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    const struct json *now;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b");
    struct store *real = put_mirror(&w, &c);
    (void)list_all(&w);
    const struct json *theirs = object_with(w.arena, b, "spec", testing_jsonz(w.arena, "{\"size\":7}"));
    assert_int_equal(store_update(real, w.arena, theirs, &w.diags, &now), STORE_OK);
    const struct json *ours = object_with(w.arena, b, "spec", testing_jsonz(w.arena, "{\"size\":8}")), *ignored;
    assert_int_equal(store_update(w.store, w.arena, ours, &w.diags, &ignored), STORE_CONFLICT);
    diags_init(&w.diags, w.arena);
    assert_true(json_eq(testing_store_get(&w, "b"), now));
    take_mirror(&w, &c);
}

static void changes_are_followed(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    struct store_watch *watch;
    struct store_change change;
    const struct json *now;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b");
    struct store *real = put_mirror(&w, &c);
    struct str version = list_all(&w);
    assert_int_equal(store_watch_open(w.store, &(struct store_query){0}, version, &w.diags, &watch), STORE_OK);
    const struct json *theirs = object_with(w.arena, b, "spec", testing_jsonz(w.arena, "{\"size\":7}"));
    assert_int_equal(store_update(real, w.arena, theirs, &w.diags, &now), STORE_OK);
    assert_true(json_eq(testing_store_get(&w, "b"), b)); /* change not seen yet */
    int64_t soon = clock_now(&system_clock) + 30 * NS_PER_S;
    /* A watch below a mirror uses its own store's functions. */
    assert_int_equal(store_watch_next(watch, w.arena, soon, &w.diags, &change), STORE_OK);
    assert_true(json_eq(testing_store_get(&w, "b"), now));
    struct store_key key = bucket_key("b");
    assert_int_equal(store_remove(real, w.arena, &key, NULL, &w.diags, &now), STORE_OK);
    assert_int_equal(store_watch_next(watch, w.arena, soon, &w.diags, &change), STORE_OK);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &now), STORE_NOT_FOUND);
    assert_int_equal(c.gets, 0);
    store_watch_close(watch);
    take_mirror(&w, &c);
}

static void records_of_new_objects_are_known_not_to_be_there(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    const struct json *object;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b");
    (void)put_mirror(&w, &c);
    (void)list_all(&w);
    struct str name = arena_printf(w.arena, "state-" STR_FMT, STR_ARG(object_metadata_text(b, "uid")));
    const struct store_key key = {.kind = STR("Secret"), .namespace = STR("own"), .name = name};
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_NOT_FOUND);
    assert_int_equal(c.gets, 0);
    struct str text =
        arena_printf(w.arena,
                     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"namespace\":\"own\",\"name\":\"" STR_FMT
                     "\"},\"data\":{\"a\":\"YQ==\"}}",
                     STR_ARG(name));
    assert_int_equal(store_create(w.store, w.arena, testing_jsonz(w.arena, text.p), &w.diags, &object), STORE_OK);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_OK);
    assert_int_equal(c.gets, 0);
    store_mirror_doubt_records(w.store);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_OK);
    assert_int_equal(c.gets, 1);
    assert_int_equal(store_remove(w.store, w.arena, &key, NULL, &w.diags, &object), STORE_OK);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_NOT_FOUND);
    assert_int_equal(c.gets, 1);
    take_mirror(&w, &c);
}

/* Nothing follows what others write any more: everything is read below again. */
static void all_is_doubted(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    const struct json *object;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b");
    const struct store_key key = object_key(b);
    (void)put_mirror(&w, &c);
    (void)list_all(&w);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_OK);
    assert_int_equal(c.gets, 0);
    store_mirror_doubt_all(w.store);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_OK);
    assert_int_equal(c.gets, 1);
    (void)list_all(&w);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &object), STORE_OK);
    assert_int_equal(c.gets, 1);
    take_mirror(&w, &c);
}

static void a_list_of_all_forgets_what_it_does_not_show(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    const struct json *gone;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "b");
    (void)testing_store_bucket(&w, "d");
    struct store *real = put_mirror(&w, &c);
    (void)list_all(&w);
    struct store_key key = bucket_key("b");
    assert_int_equal(store_remove(real, w.arena, &key, NULL, &w.diags, &gone), STORE_OK);
    (void)list_all(&w);
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &gone), STORE_NOT_FOUND);
    assert_true(store_mirror_size(w.store).bytes > 0);
    take_mirror(&w, &c);
}

/* For a believed kind, too: an object whose removal failed still exists. */
static void a_removal_that_failed(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    const struct json *gone;
    const struct store_key key = {STR("s3.aws.example.org"), STR("Use"), STR_EMPTY, STR("u")};
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)put_mirror(&w, &c);
    (void)list_all(&w);
    (void)testing_store_create(&w, "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Use\",\"metadata\":{\"name\":\"u\"}}");
    c.away = true;
    assert_int_equal(store_remove(w.store, w.arena, &key, NULL, &w.diags, &gone), STORE_FAILED);
    c.away = false;
    assert_int_equal(store_remove(w.store, w.arena, &key, NULL, &w.diags, &gone), STORE_OK);
    assert_int_equal(store_remove(w.store, w.arena, &key, NULL, &w.diags, &gone), STORE_NOT_FOUND);
    take_mirror(&w, &c);
}

/* As after a missing right: it still exists, and must not be created again. */
static void an_update_that_failed(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    const struct json *now;
    const struct store_key key = {STR("s3.aws.example.org"), STR("Use"), STR_EMPTY, STR("u")};
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)put_mirror(&w, &c);
    (void)list_all(&w);
    const struct json *made =
        testing_store_create(&w, "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Use\",\"metadata\":{\"name\":\"u\"}}");
    c.away = true;
    const struct json *next = object_with(w.arena, made, "ref", json_make_string(w.arena, STR("other")));
    assert_int_equal(store_update(w.store, w.arena, next, &w.diags, &now), STORE_FAILED);
    c.away = false;
    assert_int_equal(store_get(w.store, w.arena, &key, &w.diags, &now), STORE_OK);
    assert_true(json_eq(now, made));
    take_mirror(&w, &c);
}

/* As soon as the other process changes the object, and not when it comes back: it may be read before anybody notices that. */
static void records_of_what_another_process_changes(void **state)
{
    (void)state;
    struct testing_store w;
    struct counting c;
    struct store_watch *watch;
    struct store_change change;
    const struct json *object;
    static const struct mirror_kind shared[] = {{STR("s3.aws.example.org"), STR("Bucket"), true, false}};
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b");
    struct store *real = put_mirror(&w, &c);
    struct store *m = store_mirror(&(struct mirror_options){.below = &c.store,
                                                            .kinds = shared,
                                                            .n_kinds = 1,
                                                            .records = STR("own"),
                                                            .finalizer = STR("f"),
                                                            .prefixes = prefixes,
                                                            .n_prefixes = 1,
                                                            .keeps = keeps});
    struct str version;
    assert_int_equal(store_list(m, w.arena, &(struct store_query){0}, nothing, NULL, &w.diags, &version), STORE_OK);
    const struct store_query own = {.group = STR("s3.aws.example.org"), .kind = STR("Bucket"), .own = true};
    struct store *above = w.store;
    w.store = m;
    size_t lists = c.lists;
    assert_string_equal(testing_store_names(&w, &own), "b");
    is_theirs = true;
    assert_string_equal(testing_store_names(&w, &own), "");
    is_theirs = false;
    assert_int_equal(c.lists, lists);
    w.store = above;
    assert_int_equal(store_watch_open(m, &(struct store_query){0}, version, &w.diags, &watch), STORE_OK);
    const struct store_key key = {.kind = STR("Secret"),
                                  .namespace = STR("own"),
                                  .name = arena_printf(w.arena, "state-" STR_FMT, STR_ARG(object_metadata_text(b, "uid")))};
    assert_int_equal(store_get(m, w.arena, &key, &w.diags, &object), STORE_NOT_FOUND);
    assert_int_equal(c.gets, 0);
    is_theirs = true;
    const struct json *next = object_with(w.arena, b, "spec", testing_jsonz(w.arena, "{\"size\":7}"));
    assert_int_equal(store_update(real, w.arena, next, &w.diags, &object), STORE_OK);
    assert_int_equal(store_watch_next(watch, w.arena, clock_now(&system_clock) + 30 * NS_PER_S, &w.diags, &change), STORE_OK);
    is_theirs = false;
    assert_int_equal(store_get(m, w.arena, &key, &w.diags, &object), STORE_NOT_FOUND);
    assert_int_equal(c.gets, 1);
    store_watch_close(watch);
    store_close(m);
    take_mirror(&w, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_are_from_memory),
        cmocka_unit_test(a_conflict_is_read_below),
        cmocka_unit_test(changes_are_followed),
        cmocka_unit_test(records_of_new_objects_are_known_not_to_be_there),
        cmocka_unit_test(a_list_of_all_forgets_what_it_does_not_show),
        cmocka_unit_test(all_is_doubted),
        cmocka_unit_test(a_removal_that_failed),
        cmocka_unit_test(an_update_that_failed),
        cmocka_unit_test(records_of_what_another_process_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
