/* Applying manifests to a store while others write the same objects. */
#include "manifests/apply.h"

#include "store/testing_store.h"

static const struct json *manifest(struct testing_store *w, const char *spec)
{
    return testing_json(w->arena, arena_printf(w->arena,
                                               "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Bucket\",\"metadata\":{"
                                               "\"name\":\"a\"},\"spec\":%s}",
                                               spec));
}

static enum apply_outcome apply(struct testing_store *w, const struct apply_options *o, const struct json *wanted,
                                const struct json **ret)
{
    enum apply_outcome outcome;
    bool ok = apply_manifest(o, w->arena, wanted, &w->diags, &outcome, ret);
    testing_no_errors(&w->diags);
    assert_true(ok);
    return outcome;
}

static const char *spec_of(struct testing_store *w, const struct json *object)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer writer = {.out = &text};
    json_write(&writer, json_get(object, "spec"));
    (void)json_finish(&writer);
    return buf_copy(&text, w->arena).p;
}

static void an_objects_life(void **state)
{
    (void)state;
    struct testing_store w;
    const struct json *o = NULL;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct apply_options options = {.store = w.store, .from = STR("/here")};
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":1,\"y\":2}"), &o), APPLY_CREATED);
    const struct json *annotations = object_metadata(o, "annotations");
    testing_text(json_text(json_get(annotations, APPLY_FROM), STR_EMPTY), "/here");
    testing_text(json_text(json_get(annotations, MERGE_LAST_APPLIED), STR_EMPTY),
                 "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Bucket\",\"metadata\":{\"annotations\":{},\"name\":\"a\"},"
                 "\"spec\":{\"x\":1,\"y\":2}}\n");
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":1,\"y\":2}"), &o), APPLY_UNCHANGED);
    testing_text(testing_store_version(&w), "1");

    /* Fields that a controller writes stay. */
    o = testing_store_update(&w, object_with(w.arena, o, "spec", testing_jsonz(w.arena, "{\"x\":1,\"y\":2,\"late\":3}")));
    o = testing_store_update(&w, object_with_metadata(w.arena, o, "finalizers", testing_jsonz(w.arena, "[\"f\"]")));
    o = testing_store_status(&w, o, "{\"s\":1}");
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":1,\"y\":2}"), &o), APPLY_UNCHANGED);
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":5}"), &o), APPLY_CONFIGURED);
    assert_string_equal(spec_of(&w, o), "{\"x\":5,\"late\":3}");
    assert_int_equal(object_n_finalizers(o), 1);
    assert_int_equal(json_int(json_get(json_get(o, "status"), "s"), 0), 1);

    /* A copy of the object with all fields that the store sets is a valid manifest. */
    assert_int_equal(apply(&w, &options, object_with_metadata_text(w.arena, o, "resourceVersion", STR("1")), &o),
                     APPLY_CONFIGURED);
    assert_string_equal(spec_of(&w, o), "{\"x\":5,\"late\":3}");

    (void)testing_store_delete(&w, "a"); /* the finalizer keeps it */
    struct str version = testing_store_version(&w);
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":9}"), &o), APPLY_BEING_DELETED);
    assert_true(str_eq(testing_store_version(&w), version));
    testing_store_end(&w);
}

static void objects_of_others(void **state)
{
    (void)state;
    struct testing_store w;
    const struct json *o = NULL;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct apply_options options = {.store = w.store};
    (void)testing_store_create(&w,
                               "{\"apiVersion\":\"s3.aws.example.org/v1\",\"kind\":\"Bucket\",\"metadata\":{\"name\":\"a\","
                               "\"annotations\":{\"k\":\"v\",\"kubectl.kubernetes.io/last-applied-configuration\":\"not JSON\"}},"
                               "\"spec\":{\"theirs\":1}}");
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":1}"), &o), APPLY_CONFIGURED);
    assert_string_equal(spec_of(&w, o), "{\"theirs\":1,\"x\":1}");
    testing_text(json_text(json_get(object_metadata(o, "annotations"), "k"), STR_EMPTY), "v");
    testing_store_end(&w);
}

struct rival {
    struct testing_store *w;
    int n;
};

/* Another writer changes the object between our read and write, a few times. */
static bool admit_with_a_rival(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                               const struct json **ret)
{
    (void)a, (void)diags;
    struct rival *r = ctx;
    if (old && r->n-- > 0)
        (void)testing_store_status(r->w, old, arena_printf(r->w->arena, "{\"n\":%d}", r->n).p);
    *ret = object;
    return true;
}

static bool admit_nothing(void *ctx, struct arena *a, const struct json *object, const struct json *old, struct diags *diags,
                          const struct json **ret)
{
    (void)ctx, (void)a, (void)object, (void)old, (void)ret;
    return diags_fail(diags, "Invalid object", "spec.x is not known.");
}

static void who_else_writes(void **state)
{
    (void)state;
    struct testing_store w;
    const struct json *o = NULL;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct rival rival = {&w, 3};
    struct apply_options options = {.store = w.store, .admit = admit_with_a_rival, .ctx = &rival};
    (void)testing_store_bucket(&w, "a");
    assert_int_equal(apply(&w, &options, manifest(&w, "{\"x\":1}"), &o), APPLY_CONFIGURED);
    assert_int_equal(json_int(json_get(json_get(o, "status"), "n"), -1), 0);
    assert_string_equal(spec_of(&w, o), "{\"size\":1,\"x\":1}");
    rival.n = APPLY_TRIES + 1;
    enum apply_outcome outcome;
    assert_false(apply_manifest(&options, w.arena, manifest(&w, "{\"x\":2}"), &w.diags, &outcome, &o));
    assert_int_equal(w.diags.n, 1);
    testing_store_failed(&w, STORE_OK, STORE_OK, "Read the object again");
    options.admit = admit_nothing;
    assert_false(apply_manifest(&options, w.arena, manifest(&w, "{\"x\":2}"), &w.diags, &outcome, &o));
    testing_store_failed(&w, STORE_OK, STORE_OK, "spec.x is not known");
    testing_store_end(&w);
}

static void secrets_are_objects_like_others(void **state)
{
    (void)state;
    struct testing_store w;
    const struct json *o = NULL;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    struct apply_options options = {.store = w.store};
    const struct json *secret = testing_jsonz(
        w.arena, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"namespace\":\"default\"},"
                 "\"stringData\":{\"password\":\"hunter2\"}}");
    assert_int_equal(apply(&w, &options, secret, &o), APPLY_CREATED);
    testing_text(json_text(json_get(json_get(o, "data"), "password"), STR_EMPTY), "aHVudGVyMg==");
    assert_int_equal(apply(&w, &options, secret, &o), APPLY_UNCHANGED);
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_objects_life),
        cmocka_unit_test(objects_of_others),
        cmocka_unit_test(who_else_writes),
        cmocka_unit_test(secrets_are_objects_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
