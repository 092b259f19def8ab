#include "managed/object.h"

#include "base/clock.h"
#include "base/testing.h"

static const char bucket[] =
    "{\"apiVersion\":\"s3.aws.m.upbound.io/v1beta1\",\"kind\":\"Bucket\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\","
    "\"uid\":\"u-1\",\"generation\":7,\"labels\":{\"app\":\"shop\",\"tier\":\"front\"},\"annotations\":{\"a\":\"b\"},"
    "\"ownerReferences\":[{\"uid\":\"u-2\"},{\"uid\":\"u-3\",\"controller\":true}]},"
    "\"spec\":{\"providerConfigRef\":{\"name\":\"default\"}}}";

static void what_it_is(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = testing_jsonz(a, bucket);
    testing_text(managed_kind(o), "Bucket");
    testing_text(managed_group(o), "s3.aws.m.upbound.io");
    testing_text(managed_name(o), "web");
    testing_text(managed_namespace(o), "shop");
    testing_text(managed_uid(o), "u-1");
    testing_text(managed_provider_config(o), "default");
    testing_text(managed_controller(o), "u-3");
    assert_int_equal(managed_generation(o), 7);
    assert_false(managed_is_deleted(o));
    o = managed_put(a, o, json_make_string(a, STR("2026-01-01T00:00:00Z")), "metadata", "deletionTimestamp", NULL);
    assert_true(managed_is_deleted(o));
    testing_text(managed_group(testing_jsonz(a, "{\"apiVersion\":\"v1\"}")), "");
}

/* Values that are not objects, or of the wrong type, read as empty. */
static void odd_objects(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "null",
        "3",
        "[]",
        "{}",
        "{\"metadata\":[]}",
        "{\"metadata\":{\"name\":3,\"annotations\":[],\"finalizers\":{}}}",
        "{\"metadata\":{\"ownerReferences\":[3,null]},\"status\":{\"conditions\":{\"type\":\"Ready\"}}}"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct json *o = testing_jsonz(a, texts[i]);
        struct managed_condition c;
        testing_text(managed_name(o), "");
        testing_text(managed_annotation(o, MANAGED_EXTERNAL_NAME), "");
        testing_text(managed_controller(o), "");
        assert_int_equal(managed_count_finalizers(o), 0);
        assert_false(managed_condition(o, "Ready", &c));
        assert_false(managed_same_controller(o, o));
        o = managed_annotate(a, o, MANAGED_EXTERNAL_NAME, STR("x"));
        testing_text(managed_annotation(o, MANAGED_EXTERNAL_NAME), "x");
    }
}

static void a_change_leaves_the_rest(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = testing_jsonz(a, bucket);
    const struct json *changed = managed_annotate(a, o, MANAGED_EXTERNAL_NAME, STR("web-1"));
    testing_text(managed_annotation(changed, MANAGED_EXTERNAL_NAME), "web-1");
    testing_text(managed_annotation(changed, "a"), "b");
    testing_text(managed_annotation(o, MANAGED_EXTERNAL_NAME), "");
    assert_ptr_equal(json_get(o, "spec"), json_get(changed, "spec"));
    assert_true(json_eq(managed_unannotate(a, changed, MANAGED_EXTERNAL_NAME), o));
    assert_ptr_equal(managed_unannotate(a, o, "never"), o);
}

static void labels(void **state)
{
    (void)state;
    static const struct {
        const char *labels;
        bool match;
    } cases[] = {
        {"{}", true},
        {"null", true},
        {"{\"app\":\"shop\"}", true},
        {"{\"app\":\"shop\",\"tier\":\"front\"}", true},
        {"{\"app\":\"shop\",\"tier\":\"back\"}", false},
        {"{\"zone\":\"a\"}", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = testing_jsonz(a, bucket);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(managed_labels_match(o, testing_jsonz(a, cases[i].labels)), cases[i].match);
}

static void finalizers(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = testing_jsonz(a, bucket);
    assert_ptr_equal(managed_remove_finalizer(a, o, MANAGED_FINALIZER), o);
    const struct json *one = managed_add_finalizer(a, o, MANAGED_FINALIZER);
    assert_true(managed_has_finalizer(one, MANAGED_FINALIZER));
    assert_ptr_equal(managed_add_finalizer(a, one, MANAGED_FINALIZER), one);
    const struct json *two = managed_add_finalizer(a, one, "other");
    assert_int_equal(managed_count_finalizers(two), 2);
    assert_true(json_eq(managed_remove_finalizer(a, two, "other"), one));
    assert_true(json_eq(managed_remove_finalizer(a, one, MANAGED_FINALIZER), o));
}

static void times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns; /* -1: not a time */
    } cases[] = {
        {"1970-01-01T00:00:01Z", NS_PER_S},
        {"1970-01-01T00:00:01.25z", NS_PER_S + 250 * NS_PER_MS},
        {"1970-01-01T01:00:01+01:00", NS_PER_S},
        {"1970-01-01T00:00:01-00:30", 1801 * NS_PER_S},
        {"2026-11-18T01:02:03Z", INT64_C(1794963723) * NS_PER_S},
        {"", -1},
        {"1970-01-01", -1},
        {"1970-13-01T00:00:01Z", -1},
        {"1970-01-01T24:00:01Z", -1},
        {"1970-01-01T00:00:01", -1},
        {"1970-01-01T00:00:01Zx", -1},
        {"1970-01-01T00:00:01+1:00", -1},
        {"9999-01-01T00:00:01Z", -1},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = -1;
        if (managed_time_parse(str_of(cases[i].text), &ns) != (cases[i].ns >= 0) || ns != cases[i].ns)
            fail_msg("%s: got %lld", cases[i].text, (long long)ns);
    }
    testing_text(managed_time_text(a, INT64_C(1794963723) * NS_PER_S + 5), "2026-11-18T01:02:03Z");
}

static const struct json *marked(struct arena *a, int64_t pending, int64_t succeeded, int64_t failed)
{
    const struct json *o = testing_jsonz(a, bucket);
    o = pending > 0 ? managed_mark(a, o, MANAGED_CREATE_PENDING, pending * NS_PER_S) : o;
    o = succeeded > 0 ? managed_mark(a, o, MANAGED_CREATE_SUCCEEDED, succeeded * NS_PER_S) : o;
    return failed > 0 ? managed_mark(a, o, MANAGED_CREATE_FAILED, failed * NS_PER_S) : o;
}

static void creations(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_false(managed_creation_is_incomplete(marked(a, 0, 0, 0)));
    assert_true(managed_creation_is_incomplete(marked(a, 10, 0, 0)));
    assert_false(managed_creation_is_incomplete(marked(a, 10, 10, 0)));
    assert_false(managed_creation_is_incomplete(marked(a, 10, 0, 11)));
    assert_true(managed_creation_is_incomplete(marked(a, 12, 11, 9)));
    assert_true(managed_creation_is_incomplete(marked(a, 12, 9, 11)));
    assert_true(managed_created_within(marked(a, 9, 10, 0), 30 * NS_PER_S, 39 * NS_PER_S));
    assert_false(managed_created_within(marked(a, 9, 10, 0), 30 * NS_PER_S, 40 * NS_PER_S));
    assert_false(managed_created_within(marked(a, 9, 0, 0), 30 * NS_PER_S, 10 * NS_PER_S));
}

static const struct json *marked_now(struct arena *a, const struct json *o, const char *annotation, int64_t now_ms)
{
    return managed_mark(a, o, annotation, managed_mark_moment(o, annotation, now_ms * NS_PER_MS));
}

/* Within a second, and when the clock is set back, marks still tell which was last. */
static void order_of_marks(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = marked_now(a, testing_jsonz(a, bucket), MANAGED_CREATE_PENDING, 10100);
    assert_int_equal(managed_mark_time(o, MANAGED_CREATE_PENDING), 10 * NS_PER_S);
    o = marked_now(a, o, MANAGED_CREATE_FAILED, 10200);
    assert_false(managed_creation_is_incomplete(o));
    o = marked_now(a, o, MANAGED_CREATE_PENDING, 10300);
    assert_true(managed_creation_is_incomplete(o));
    o = marked_now(a, o, MANAGED_CREATE_SUCCEEDED, 10400);
    assert_false(managed_creation_is_incomplete(o));
    o = marked_now(a, o, MANAGED_CREATE_PENDING, 5000);
    assert_true(managed_creation_is_incomplete(o));
    o = marked_now(a, o, MANAGED_CREATE_FAILED, 4000);
    assert_false(managed_creation_is_incomplete(o));
    o = marked_now(a, o, MANAGED_CREATE_PENDING, 60000);
    assert_int_equal(managed_mark_time(o, MANAGED_CREATE_PENDING), 60 * NS_PER_S);
}

static const struct json *synced(struct arena *a, const struct json *o, const char *status, const char *message,
                                 int64_t generation, int64_t now)
{
    struct managed_condition c = {STR("Synced"), str_of(status), STR("ReconcileSuccess"), str_of(message), generation};
    return managed_set_condition(a, o, &c, now * NS_PER_S);
}

static const char *since(const struct json *o, size_t at)
{
    const struct json *list = managed_at(o, "status", "conditions", NULL);
    return json_text(json_get(list->array.items[at], "lastTransitionTime"), STR_EMPTY).p;
}

static void conditions(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct managed_condition c = {STR("Ready"), STR("False"), STR("Creating"), STR_EMPTY, 0};
    const struct json *o = managed_set_condition(a, testing_jsonz(a, bucket), &c, 1 * NS_PER_S);
    o = synced(a, o, "True", "", 7, 2);
    assert_string_equal(since(o, 1), "1970-01-01T00:00:02Z");
    assert_null(json_get(managed_at(o, "status", "conditions", NULL)->array.items[0], "observedGeneration"));
    assert_null(json_get(managed_at(o, "status", "conditions", NULL)->array.items[0], "message"));
    const struct json *same = synced(a, o, "True", "", 8, 3);
    assert_string_equal(since(same, 1), "1970-01-01T00:00:02Z");
    assert_true(managed_condition(same, "Synced", &c));
    assert_int_equal(c.observed_generation, 8);
    const struct json *said = synced(a, same, "True", "well", 8, 4);
    assert_string_equal(since(said, 1), "1970-01-01T00:00:04Z");
    const struct json *other = synced(a, said, "False", "well", 8, 5);
    assert_string_equal(since(other, 1), "1970-01-01T00:00:05Z");
    assert_string_equal(since(other, 0), "1970-01-01T00:00:01Z");
    assert_int_equal(managed_at(other, "status", "conditions", NULL)->array.n, 2);
    assert_true(managed_condition(other, "Synced", &c));
    testing_text(c.status, "False");
    testing_text(c.message, "well");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_is), cmocka_unit_test(odd_objects),    cmocka_unit_test(a_change_leaves_the_rest),
        cmocka_unit_test(labels),     cmocka_unit_test(finalizers),     cmocka_unit_test(times),
        cmocka_unit_test(creations),  cmocka_unit_test(order_of_marks), cmocka_unit_test(conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
