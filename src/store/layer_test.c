/* A layer behaves like a store and never changes the one below. */
#include "store/layer.h"

#include "store/testing_store.h"

static void assert_names(struct store *s, struct testing_store *w, const struct selector *selector, const char *expected)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 10);
    struct str version;
    const struct store_query query = {.group = STR("s3.aws.example.org"), .kind = STR("Bucket"), .selector = selector};
    assert_int_equal(store_list(s, w->arena, &query, testing_store_take_name, &names, &w->diags, &version), STORE_OK);
    testing_text(buf_str(&names), expected);
}

/* Replaces the test's store by a layer over a visit of it. */
static struct store *put_layer(struct testing_store *w)
{
    struct store *real = w->store;
    struct store *below = store_sqlite_open(w->folder, &(struct store_sqlite_options){.visit = true}, &w->diags);
    assert_non_null(below);
    w->store = store_layer(below, NULL);
    return real;
}

static void take_layer(struct testing_store *w, struct store *real)
{
    store_close(w->store);
    w->store = real;
}

static void what_is_written_hides_what_is_below(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b"), *d = testing_store_bucket(&w, "d");
    (void)testing_store_bucket(&w, "e");
    struct store *real = put_layer(&w);
    assert_true(json_eq(testing_store_get(&w, "b"), b));
    const struct json *grown = testing_store_update(&w, object_with(w.arena, b, "spec", testing_jsonz(w.arena, "{\"size\":2}")));
    assert_int_equal(json_int(object_metadata(grown, "generation"), 0), 2);
    testing_text(object_metadata_text(grown, "uid"), object_metadata_text(b, "uid").p);
    (void)testing_store_delete(&w, "d");
    const struct json *c = testing_store_bucket(&w, "c");
    (void)testing_store_bucket(&w, "a");
    (void)testing_store_bucket(&w, "z");
    assert_int_equal(object_metadata_text(c, "uid").n, 36);
    assert_true(json_eq(testing_store_get(&w, "b"), grown));
    assert_names(w.store, &w, NULL, "a b c e z");
    assert_names(real, &w, NULL, "b d e");
    take_layer(&w, real);
    assert_true(json_eq(testing_store_get(&w, "b"), b));
    assert_true(json_eq(testing_store_get(&w, "d"), d));
    testing_store_end(&w);
}

static void the_rules_are_those_of_a_store(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    const struct json *b = testing_store_bucket(&w, "b"), *none = NULL;
    struct store *real = put_layer(&w);
    const struct json *bucket = testing_jsonz(w.arena, BUCKET("b"));
    testing_store_failed(&w, store_create(w.store, w.arena, bucket, &w.diags, &none), STORE_EXISTS, "Object exists already");
    const struct json *ready = testing_store_status(&w, b, "{\"ready\":true}");
    assert_int_equal(json_int(object_metadata(ready, "generation"), 0), 1);
    testing_store_failed(&w, store_update(w.store, w.arena, b, &w.diags, &none), STORE_CONFLICT, "Read the object again");
    const struct json *same = testing_store_update(&w, ready);
    testing_text(object_metadata_text(same, "resourceVersion"), object_metadata_text(ready, "resourceVersion").p);
    (void)testing_store_delete(&w, "b");
    struct store_key key = bucket_key("b");
    testing_store_failed(&w, store_get(w.store, w.arena, &key, &w.diags, &none), STORE_NOT_FOUND, "\"b\" is not in the store");
    testing_store_failed(&w, store_remove(w.store, w.arena, &key, NULL, &w.diags, &none), STORE_NOT_FOUND, "is not in the store");
    (void)testing_store_bucket(&w, "b");
    struct store_watch *watch = NULL;
    testing_store_failed(&w, store_watch_open(w.store, &(struct store_query){0}, STR("1"), &w.diags, &watch), STORE_FAILED,
                         "watched");
    assert_false(store_holds_lease(w.store));
    take_layer(&w, real);
    testing_store_end(&w);
}

static void labels_count_as_they_are_in_the_layer(void **state)
{
    (void)state;
    struct testing_store w;
    struct selector web;
    testing_store_init(&w);
    assert_true(selector_parse(w.arena, STR("app=web"), &w.diags, &web));
    testing_store_open(&w, NULL);
    const struct json *a = testing_store_bucket(&w, "a"), *b = testing_store_bucket(&w, "b");
    const struct json *label = testing_jsonz(w.arena, "{\"app\":\"web\"}");
    (void)testing_store_update(&w, object_with_metadata(w.arena, b, "labels", label));
    struct store *real = put_layer(&w);
    assert_names(w.store, &w, &web, "b");
    (void)testing_store_update(&w, object_with_metadata(w.arena, a, "labels", label));
    (void)testing_store_update(&w, object_with_metadata(w.arena, testing_store_get(&w, "b"), "labels", NULL));
    assert_names(w.store, &w, &web, "a");
    take_layer(&w, real);
    assert_names(w.store, &w, &web, "b");
    testing_store_end(&w);
}

static void nothing_may_be_below(void **state)
{
    (void)state;
    struct testing_store w;
    testing_store_init(&w);
    w.store = store_layer(NULL, NULL);
    assert_names(w.store, &w, NULL, "");
    (void)testing_store_bucket(&w, "b");
    assert_names(w.store, &w, NULL, "b");
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_hides_what_is_below),
        cmocka_unit_test(the_rules_are_those_of_a_store),
        cmocka_unit_test(labels_count_as_they_are_in_the_layer),
        cmocka_unit_test(nothing_may_be_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
