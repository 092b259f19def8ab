/* The rules of an API server, without a store. */
#include "store/rules.h"

#include "base/testing.h"
#include "store/object.h"

static const struct rules_moment moment = {{"u-1", 3}, {"2026-11-15T07:38:06Z", 20}, {"bcdfg", 5}};

struct fixture {
    struct arena *arena;
    struct diags diags;
};

static void begin(struct fixture *f)
{
    f->arena = arena_new(NULL, 0);
    diags_init(&f->diags, f->arena);
}

static const struct json *create(struct fixture *f, const char *text)
{
    const struct json *made = NULL;
    assert_int_equal(rules_create(f->arena, testing_jsonz(f->arena, text), &moment, &f->diags, &made), STORE_OK);
    testing_no_errors(&f->diags);
    return made;
}

static void equals(struct fixture *f, const struct json *got, const char *expected)
{
    if (json_eq(got, testing_jsonz(f->arena, expected)))
        return;
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &text};
    json_write(&w, got);
    fail_msg("got " STR_FMT "\nexpected %s", STR_ARG(buf_str(&text)), expected);
}

static void a_new_object_gets_what_is_the_stores(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    equals(&f,
           create(&f, "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"uid\":\"mine\",\"generation\":7,"
                      "\"creationTimestamp\":null,\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"},\"spec\":{\"a\":1},\"status\":{"
                      "\"b\":2}}"),
           "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"uid\":\"u-1\",\"generation\":1,"
           "\"creationTimestamp\":\"2026-11-15T07:38:06Z\"},\"spec\":{\"a\":1}}");
    const struct json *named = create(&f, "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"generateName\":\"web-\"}}");
    testing_text(object_metadata_text(named, "name"), "web-bcdfg");
    equals(&f,
           json_get(create(&f, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\"data\":{\"a\":\"eA=="
                               "\",\"b\":\"eA==\"},"
                               "\"stringData\":{\"b\":\"hello\"}}"),
                    "data"),
           "{\"a\":\"eA==\",\"b\":\"aGVsbG8=\"}");
    arena_free(f.arena);
}

static void objects_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *object, *says;
    } bad[] = {
        {"[]", "metadata: required"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"K\"}", "metadata: required"},
        {"{\"kind\":\"K\",\"metadata\":{\"name\":\"n\"}}", "apiVersion: required"},
        {"{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}", "kind: required"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{}}", "metadata.name: required, or metadata.generateName"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":1}}", "name: expected text"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":1}}}",
         "expected an object with string values"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"finalizers\":[1]}}", "expected a list of strings"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"1\"}}", "must not be set"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"n\"},\"data\":{\"a\":1}}",
         "data, stringData: expected an object with string values"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fixture f;
        begin(&f);
        const struct json *made = NULL;
        assert_int_equal(rules_create(f.arena, testing_jsonz(f.arena, bad[i].object), &moment, &f.diags, &made), STORE_INVALID);
        testing_says(&f.diags, bad[i].says);
        assert_null(made);
        arena_free(f.arena);
    }
}

#define STORED                                                                                                                   \
    "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"uid\":\"u-1\",\"generation\":3,\"resourceVersion\":" \
    "\"5\",\"creationTimestamp\":\"2026-11-15T07:38:06Z\",\"finalizers\":[\"f\"]},\"spec\":{\"a\":1},\"status\":{\"s\":1}}"
#define DELETING                                                                                                                 \
    "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\",\"uid\":\"u-1\",\"generation\":4,\"resourceVersion\":" \
    "\"6\",\"deletionTimestamp\":\"2026-11-15T08:00:00Z\",\"deletionGracePeriodSeconds\":0,\"finalizers\":[\"f\"]},"             \
    "\"spec\":{\"a\":1}}"
#define META(more) "{\"apiVersion\":\"g/v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"n\"" more "}"

static const struct {
    const char *what, *old, *object;
    enum store_result result;
    enum rules_action action;
    int generation;
    const char *says;
} updates[] = {
    {"the same", STORED, STORED, STORE_OK, RULES_KEEP, 3, ""},
    {"another status is ignored", STORED,
     META(",\"resourceVersion\":\"5\",\"finalizers\":[\"f\"]") ",\"spec\":{\"a\":1.0},\"status\":{\"s\":9}}", STORE_OK,
     RULES_KEEP, 3, ""},
    {"the store's metadata cannot be changed", STORED,
     META(",\"resourceVersion\":\"5\",\"finalizers\":[\"f\"],\"generation\":99") ",\"spec\":{\"a\":1}"
                                                                                 "}",
     STORE_OK, RULES_KEEP, 3, ""},
    {"spec", STORED, META(",\"resourceVersion\":\"5\",\"finalizers\":[\"f\"]") ",\"spec\":{\"a\":2}}", STORE_OK, RULES_WRITE, 4,
     ""},
    {"anything beside metadata and status", STORED,
     META(",\"resourceVersion\":\"5\",\"finalizers\":[\"f\"]") ",\"spec\":{\"a\":1},\"extra\":true}", STORE_OK, RULES_WRITE, 4,
     ""},
    {"metadata", STORED, META(",\"resourceVersion\":\"5\",\"labels\":{\"x\":\"y\"}") ",\"spec\":{\"a\":1}}", STORE_OK,
     RULES_WRITE, 3, ""},
    {"no version", STORED, META("") ",\"spec\":{\"a\":2}}", STORE_INVALID, 0, 0, "must be specified for an update"},
    {"an old version", STORED, META(",\"resourceVersion\":\"4\"") "}", STORE_CONFLICT, 0, 0,
     "metadata.resourceVersion is \"5\", and \"4\" was expected"},
    {"another object", STORED, META(",\"resourceVersion\":\"5\",\"uid\":\"u-0\"") "}", STORE_CONFLICT, 0, 0,
     "metadata.uid is \"u-1\""},
    {"another time of creation is ignored", STORED,
     META(",\"resourceVersion\":\"5\",\"finalizers\":[\"f\"],\"creationTimestamp\":\"2020-01-01T00:00:00Z\"") ",\"spec\":{\"a\":"
                                                                                                              "1}}",
     STORE_OK, RULES_KEEP, 3, ""},
    {"deleted by an update", STORED, META(",\"resourceVersion\":\"5\",\"deletionTimestamp\":\"2026-11-15T08:00:00Z\"") "}",
     STORE_INVALID, 0, 0, "metadata.deletionTimestamp: field is immutable"},
    {"another time of deletion is ignored", DELETING,
     META(",\"resourceVersion\":\"6\",\"finalizers\":[\"f\"],\"deletionTimestamp\":\"2020-01-01T00:00:00Z\"") ",\"spec\":{\"a\":"
                                                                                                              "1}}",
     STORE_OK, RULES_KEEP, 4, ""},
    {"a finalizer more while it is deleted", DELETING,
     META(",\"resourceVersion\":\"6\",\"finalizers\":[\"f\",\"g\"]") ",\"spec\":{\"a\":1}}", STORE_INVALID, 0, 0,
     "no new finalizers can be added"},
    {"the last finalizer", DELETING, META(",\"resourceVersion\":\"6\"") ",\"spec\":{\"a\":1}}", STORE_OK, RULES_REMOVE, 4, ""},
    {"the last finalizer of one that stays", STORED, META(",\"resourceVersion\":\"5\"") ",\"spec\":{\"a\":1}}", STORE_OK,
     RULES_WRITE, 3, ""},
};

static void what_an_update_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        struct fixture f;
        begin(&f);
        const struct json *old = testing_jsonz(f.arena, updates[i].old);
        struct rules_answer answer = {0};
        enum store_result result = rules_update(f.arena, old, testing_jsonz(f.arena, updates[i].object), &f.diags, &answer);
        testing_says(&f.diags, updates[i].says);
        if (result != updates[i].result || answer.action != updates[i].action ||
            (result == STORE_OK && json_int(object_metadata(answer.object, "generation"), 0) != updates[i].generation))
            fail_msg("%s: result %d, action %d", updates[i].what, (int)result, (int)answer.action);
        if (result == STORE_OK)
            assert_true(json_eq(json_get(answer.object, "status"), json_get(old, "status")) || !json_get(old, "status"));
        arena_free(f.arena);
    }
}

static void a_status_changes_nothing_else(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct json *old = testing_jsonz(f.arena, STORED);
    struct rules_answer answer;
    const struct json *object = testing_jsonz(
        f.arena, META(",\"resourceVersion\":\"5\",\"labels\":{\"x\":\"y\"}") ",\"spec\":{\"a\":7},\"status\":{\"s\":2}}");
    assert_int_equal(rules_update_status(f.arena, old, object, &f.diags, &answer), STORE_OK);
    assert_int_equal(answer.action, RULES_WRITE);
    assert_true(json_eq(answer.object, object_with(f.arena, old, "status", testing_jsonz(f.arena, "{\"s\":2}"))));
    assert_int_equal(rules_update_status(f.arena, old, old, &f.diags, &answer), STORE_OK);
    assert_int_equal(answer.action, RULES_KEEP);
    object = testing_jsonz(f.arena, META(",\"resourceVersion\":\"4\"") ",\"status\":{\"s\":2}}");
    assert_int_equal(rules_update_status(f.arena, old, object, &f.diags, &answer), STORE_CONFLICT);
    arena_free(f.arena);
}

static void what_a_deletion_does(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    const struct json *old = testing_jsonz(f.arena, STORED);
    struct rules_answer answer;
    assert_int_equal(rules_remove(f.arena, old, NULL, moment.time, &f.diags, &answer), STORE_OK);
    assert_int_equal(answer.action, RULES_WRITE);
    testing_text(object_metadata_text(answer.object, "deletionTimestamp"), "2026-11-15T07:38:06Z");
    assert_int_equal(json_int(object_metadata(answer.object, "deletionGracePeriodSeconds"), -1), 0);
    assert_int_equal(json_int(object_metadata(answer.object, "generation"), -1), 4);

    assert_int_equal(rules_remove(f.arena, testing_jsonz(f.arena, DELETING), NULL, moment.time, &f.diags, &answer), STORE_OK);
    assert_int_equal(answer.action, RULES_KEEP);
    const struct json *free = object_with_metadata(f.arena, old, "finalizers", NULL);
    assert_int_equal(rules_remove(f.arena, free, NULL, moment.time, &f.diags, &answer), STORE_OK);
    assert_int_equal(answer.action, RULES_REMOVE);

    struct store_preconditions same = {STR("u-1"), STR("5")}, other = {STR("u-2"), STR_EMPTY}, older = {STR_EMPTY, STR("4")};
    assert_int_equal(rules_remove(f.arena, free, &same, moment.time, &f.diags, &answer), STORE_OK);
    assert_int_equal(rules_remove(f.arena, free, &other, moment.time, &f.diags, &answer), STORE_CONFLICT);
    assert_int_equal(rules_remove(f.arena, free, &older, moment.time, &f.diags, &answer), STORE_CONFLICT);
    arena_free(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_object_gets_what_is_the_stores),
        cmocka_unit_test(objects_that_are_refused),
        cmocka_unit_test(what_an_update_does),
        cmocka_unit_test(a_status_changes_nothing_else),
        cmocka_unit_test(what_a_deletion_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
