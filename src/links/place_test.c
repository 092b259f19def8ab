/* Looks up paths in a schema with every kind of nesting. */
#include "links/place.h"

#include "links/testing_links.h"

static const char types[] =
    "\"x_a\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"name\":{\"type\":\"string\",\"optional\":true},"
    "\"size\":{\"type\":\"number\",\"optional\":true},"
    "\"arn\":{\"type\":\"string\",\"computed\":true},"
    "\"ids\":{\"type\":[\"set\",\"string\"],\"required\":true},"
    "\"deep\":{\"type\":[\"list\",[\"list\",\"string\"]],\"optional\":true},"
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},"
    "\"pair\":{\"type\":[\"tuple\",[\"string\",\"number\"]],\"optional\":true},"
    "\"old\":{\"type\":[\"list\",[\"object\",{\"key\":\"string\",\"more\":[\"map\",\"string\"]}]],\"optional\":true},"
    "\"single\":{\"nested_type\":{\"nesting_mode\":\"single\",\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true}}},"
    "\"optional\":true},"
    "\"many\":{\"nested_type\":{\"nesting_mode\":\"list\",\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true}}},"
    "\"optional\":true},"
    "\"keyed\":{\"nested_type\":{\"nesting_mode\":\"map\",\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true,"
    "\"sensitive\":true}}},\"optional\":true}},"
    "\"block_types\":{"
    "\"one\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true}"
    "},"
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"id\":{\"type\":\"string\","
    "\"required\":true}}}}}}},"
    "\"alone\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"labelled\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"optional\":true}}}}}}}";

static const struct {
    enum link_place_mode mode;
    const char *path;
    enum link_place_result result;
    const char *says; /* FOUND: the path; else "step closest" */
} cases[] = {
    {PLACE_OF_TABLE, "name", PLACE_FOUND, "name"},
    {PLACE_OF_TABLE, "size", PLACE_FOUND, "size"},
    {PLACE_OF_TABLE, "arn", PLACE_FOUND, "arn"},
    {PLACE_OF_TABLE, "ids", PLACE_FOUND, "ids[]"},
    {PLACE_OF_TABLE, "ids[]", PLACE_FOUND, "ids[]"},
    {PLACE_OF_TABLE, "ids{}", PLACE_NO_MARKS, "ids []"},
    {PLACE_OF_TABLE, "ids[][]", PLACE_NO_MARKS, "ids "},
    {PLACE_OF_TABLE, "name[]", PLACE_NO_MARKS, "name "},
    {PLACE_OF_TABLE, "deep[][]", PLACE_FOUND, "deep[][]"},
    {PLACE_OF_TABLE, "deep[]", PLACE_NO_MARKS, "deep []"},
    {PLACE_OF_TABLE, "tags", PLACE_FOUND, "tags{}"},
    {PLACE_OF_TABLE, "tags{}", PLACE_FOUND, "tags{}"},
    {PLACE_OF_TABLE, "tags[]", PLACE_NO_MARKS, "tags {}"},
    {PLACE_OF_TABLE, "tags.Name", PLACE_FOUND, "tags.Name"},
    {PLACE_OF_TABLE, "tags.Name[]", PLACE_NO_MARKS, "Name "},
    {PLACE_OF_TABLE, "tags.Name.more", PLACE_NO_NAME, "more "},
    {PLACE_OF_TABLE, "tags{}.Name", PLACE_NO_NAME, "Name "},
    {PLACE_OF_TABLE, "any", PLACE_FOUND, "any"},
    {PLACE_OF_TABLE, "any.thing.in.it", PLACE_FOUND, "any"},
    {PLACE_OF_TABLE, "pair", PLACE_NO_VALUE, " "},
    {PLACE_OF_TABLE, "old", PLACE_NO_VALUE, " "},
    {PLACE_OF_TABLE, "old[].key", PLACE_FOUND, "old[].key"},
    {PLACE_OF_TABLE, "old.kye", PLACE_NO_NAME, "kye key"},
    {PLACE_OF_TABLE, "old.more", PLACE_FOUND, "old[].more{}"},
    {PLACE_OF_TABLE, "single.id", PLACE_FOUND, "single.id"},
    {PLACE_OF_TABLE, "single[].id", PLACE_NO_MARKS, "single "},
    {PLACE_OF_TABLE, "many.id", PLACE_FOUND, "many[].id"},
    {PLACE_OF_TABLE, "many{}.id", PLACE_NO_MARKS, "many []"},
    {PLACE_OF_TABLE, "keyed.id", PLACE_FOUND, "keyed{}.id"},
    {PLACE_OF_TABLE, "keyed{}.id", PLACE_FOUND, "keyed{}.id"},
    {PLACE_OF_TABLE, "keyed[].id", PLACE_NO_MARKS, "keyed {}"},
    {PLACE_OF_TABLE, "one", PLACE_NO_VALUE, " "},
    {PLACE_OF_TABLE, "one.id", PLACE_FOUND, "one.id"},
    {PLACE_OF_TABLE, "one[].id", PLACE_FOUND, "one.id"},
    {PLACE_OF_TABLE, "one{}.id", PLACE_NO_MARKS, "one "},
    {PLACE_OF_TABLE, "one.rule[].id", PLACE_FOUND, "one.rule[].id"},
    {PLACE_OF_TABLE, "one.rule.id", PLACE_FOUND, "one.rule[].id"},
    {PLACE_OF_TABLE, "one.rule.name", PLACE_NO_NAME, "name "},
    {PLACE_OF_TABLE, "alone.id", PLACE_FOUND, "alone.id"},
    {PLACE_OF_TABLE, "alone[].id", PLACE_NO_MARKS, "alone "},
    {PLACE_OF_TABLE, "labelled.id", PLACE_FOUND, "labelled{}.id"},
    {PLACE_OF_TABLE, "labelled{}.id", PLACE_FOUND, "labelled{}.id"},
    {PLACE_OF_TABLE, "labelled[].id", PLACE_NO_MARKS, "labelled {}"},
    {PLACE_OF_TABLE, "nmae", PLACE_NO_NAME, "nmae name"},
    {PLACE_OF_TABLE, "zzzzzzzz", PLACE_NO_NAME, "zzzzzzzz "},
    {PLACE_OF_EXAMPLE, "tags.Name", PLACE_FOUND, "tags{}"},
    {PLACE_OF_EXAMPLE, "tags{}", PLACE_FOUND, "tags{}"},
    {PLACE_OF_EXAMPLE, "tags", PLACE_FOUND, "tags{}"},
    {PLACE_OF_EXAMPLE, "tags.Name.more", PLACE_NO_NAME, "more "},
    {PLACE_OF_EXAMPLE, "keyed.first.id", PLACE_FOUND, "keyed{}.id"},
    {PLACE_OF_EXAMPLE, "keyed{}.id", PLACE_FOUND, "keyed{}.id"},
    {PLACE_OF_EXAMPLE, "labelled.id", PLACE_FOUND, "labelled{}.id"},
    {PLACE_OF_EXAMPLE, "ids[][]", PLACE_FOUND, "ids[]"},
    {PLACE_OF_EXAMPLE, "name[]", PLACE_FOUND, "name"},
    {PLACE_OF_EXAMPLE, "old[].more.k", PLACE_FOUND, "old[].more{}"},
};

static void paths(void **state)
{
    (void)state;
    const struct schema *s = map_get(&testing_schema(testing_arena, types)->resources, STR("x_a"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct link_place p;
        enum link_place_result result = link_place_find(testing_arena, s->block, str_of(cases[i].path), cases[i].mode, &p);
        struct str got = result == PLACE_FOUND
                             ? p.path
                             : arena_printf(testing_arena, STR_FMT " " STR_FMT, STR_ARG(p.step), STR_ARG(p.closest));
        if (result != cases[i].result || !str_eqz(got, cases[i].says))
            fail_msg("%s: %d " STR_FMT, cases[i].path, result, STR_ARG(got));
    }
}

static void what_a_place_is(void **state)
{
    (void)state;
    const struct schema *s = map_get(&testing_schema(testing_arena, types)->resources, STR("x_a"));
    struct link_place p;
    assert_int_equal(link_place_find(testing_arena, s->block, STR("ids"), PLACE_OF_TABLE, &p), PLACE_FOUND);
    assert_true(p.settable && !p.sensitive && p.shape->kind == TYPE_SET && p.type->kind == TYPE_STRING);
    assert_int_equal(link_place_find(testing_arena, s->block, STR("arn"), PLACE_OF_TABLE, &p), PLACE_FOUND);
    assert_false(p.settable);
    assert_int_equal(link_place_find(testing_arena, s->block, STR("keyed.id"), PLACE_OF_TABLE, &p), PLACE_FOUND);
    assert_true(p.sensitive && p.shape->kind == TYPE_STRING);
    assert_int_equal(link_place_find(testing_arena, s->block, STR("any"), PLACE_OF_TABLE, &p), PLACE_FOUND);
    assert_int_equal(p.type->kind, TYPE_DYNAMIC);
}

struct listing {
    struct buf out;
    size_t left;
};

static bool list(void *ctx, const struct link_place *p)
{
    struct listing *l = ctx;
    buf_printf(&l->out, STR_FMT " ", STR_ARG(p->path));
    return --l->left > 0;
}

static void all_places(void **state)
{
    (void)state;
    const struct schema *s = map_get(&testing_schema(testing_arena, types)->resources, STR("x_a"));
    struct listing l = {.out = BUF_INIT(TESTING_MAX), .left = SIZE_MAX};
    assert_true(link_places(s->block, list, &l));
    assert_string_equal(buf_copy(&l.out, testing_arena).p,
                        "any arn deep ids keyed.id many.id name old.key old.more single.id size tags alone.id labelled.id one.id "
                        "one.rule.id ");
    buf_clear(&l.out);
    l.left = 2;
    assert_false(link_places(s->block, list, &l));
    assert_string_equal(buf_copy(&l.out, testing_arena).p, "any arn ");
    buf_free(&l.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(what_a_place_is),
        cmocka_unit_test(all_places),
    };
    return cmocka_run_group_tests(tests, testing_begin, testing_end);
}
