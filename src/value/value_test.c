#include "value/value.h"

#include "table_test.h"
#include "value/testing_random.h"

static const char *check_set(struct arena *a, const struct json *row)
{
    const struct json *in = json_get(row, "in"), *order = json_get(row, "order");
    const struct value **v = arena_make_n(a, const struct value *, in->array.n);
    for (size_t i = 0; i < in->array.n; i++)
        v[i] = notation_value(a, in->array.items[i]);
    const struct value *set = value_set(a, notation_type(a, json_get(row, "element")), v, in->array.n);
    if (set->n != order->array.n)
        return arena_printf(a, "%zu elements", set->n).p;
    for (size_t i = 0; i < set->n; i++)
        if (!value_raw_eq(set->elements[i], notation_value(a, order->array.items[i])))
            return arena_printf(a, "element %zu is another", i).p;
    return NULL;
}

static void sets_list_their_elements_as_terraform_does(void **state)
{
    (void)state;
    run_table("set.jsonl", NULL, check_set);
}

static const char *check_equal(struct arena *a, const struct json *row)
{
    static const char *const names[] = {[TRI_FALSE] = "false", [TRI_TRUE] = "true", [TRI_UNKNOWN] = "unknown"};
    const struct value *x = notation_value(a, json_get(row, "a")), *y = notation_value(a, json_get(row, "b"));
    if (value_raw_eq(x, y) != json_get(row, "raw")->boolean)
        return "wrong raw equality";
    if (value_raw_eq(x, y) && value_hash(x) != value_hash(y))
        return "equal values of different hash";
    enum tristate equals = value_equals(x, y);
    return str_eqz(json_get(row, "equals")->text, names[equals]) ? NULL : names[equals];
}

static void values_are_compared_as_by_terraform(void **state)
{
    (void)state;
    run_table("equal.jsonl", NULL, check_equal);
}

static void a_set_is_the_same_whatever_order_it_was_filled_in(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    /* Both have the same order key, where unknown parts and long numbers look alike. */
    const struct value *x = notation_parse(
        a, "{\"$set\":[\"object\",{\"a\":\"number\"}],\"of\":[{\"a\":123456789012},{\"a\":"
           "123456789013},{\"a\":{\"$unknown\":\"number\"}},{\"a\":{\"$unknown\":\"number\",\"not_null\":true}}]}");
    const struct value *y =
        notation_parse(a, "{\"$set\":[\"object\",{\"a\":\"number\"}],\"of\":[{\"a\":{\"$unknown\":\"number\","
                          "\"not_null\":true}},{\"a\":123456789013},{\"a\":123456789012},{\"a\":{\"$unknown\":\"number\"}}]}");
    assert_int_equal(x->n, 4);
    assert_true(value_raw_eq(x, y));
    assert_false(value_raw_eq(x->elements[0], x->elements[1]));
}

static void large_sets_with_many_lookalikes_are_built_quickly(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    enum { N = 50000 };
    struct type_attr attr = {.name = STR("a"), .type = &type_number};
    const struct type *t = type_object(a, &attr, 1);
    const struct value **v = arena_make_n(a, const struct value *, 2 * N);
    for (size_t i = 0; i < N; i++) {
        const struct value *number = value_int(a, INT64_C(1234567890000000) + (int64_t)(i / 2)),
                           *unknown = value_unknown(a, &type_number);
        v[2 * i] = value_object(a, t, &number);
        v[2 * i + 1] = value_object(a, t, &unknown);
    }
    assert_int_equal(value_set(a, t, v, 2 * N)->n, N / 2 + N);
}

static void refinements_collapse_when_only_one_value_is_left(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"{\"$unknown\":\"number\",\"not_null\":true,\"min\":[5,true],\"max\":[5,true]}", "5"},
        {"{\"$unknown\":[\"list\",\"bool\"],\"not_null\":true,\"max_length\":0}", "{\"$list\":\"bool\",\"of\":[]}"},
        {"{\"$unknown\":[\"set\",\"bool\"],\"not_null\":true,\"max_length\":0}", "{\"$set\":\"bool\",\"of\":[]}"},
        {"{\"$unknown\":[\"map\",\"bool\"],\"not_null\":true,\"max_length\":0}", "{\"$map\":\"bool\",\"of\":{}}"},
        {"{\"$unknown\":[\"list\",\"bool\"],\"not_null\":true,\"min_length\":2,\"max_length\":2}",
         "{\"$list\":\"bool\",\"of\":[{\"$unknown\":\"bool\"},{\"$unknown\":\"bool\"}]}"},
        {"{\"$unknown\":[\"set\",\"bool\"],\"not_null\":true,\"min_length\":1,\"max_length\":1}",
         "{\"$set\":\"bool\",\"of\":[{\"$unknown\":\"bool\"}]}"},
        {"{\"$unknown\":\"dynamic\",\"not_null\":true}", "{\"$unknown\":\"dynamic\"}"},
        {"{\"$unknown\":\"string\",\"min_length\":1}", "{\"$unknown\":\"string\"}"},
        {"{\"$unknown\":\"number\",\"min\":[{\"$double\":\"-inf\"},true]}", "{\"$unknown\":\"number\"}"},
        {"{\"$unknown\":[\"list\",\"bool\"],\"min_length\":0}", "{\"$unknown\":[\"list\",\"bool\"]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct value *v = notation_parse(a, cases[i].in);
        assert_true(value_raw_eq(v, notation_parse(a, cases[i].out)));
    }
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const kept[] = {
        "{\"$unknown\":\"number\",\"min\":[5,true],\"max\":[5,true]}",
        "{\"$unknown\":[\"list\",\"bool\"],\"not_null\":true,\"min_length\":5000,\"max_length\":5000}",
        "{\"$unknown\":[\"set\",\"bool\"],\"not_null\":true,\"min_length\":2,\"max_length\":2}",
        "{\"$unknown\":[\"map\",\"bool\"],\"not_null\":true,\"min_length\":1,\"max_length\":1}"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const struct value *v = notation_parse(a, kept[i]);
        assert_int_equal(v->state, VALUE_UNKNOWN);
        assert_non_null(v->refinement);
        assert_false(v->wholly_known);
    }
}

static void strings_are_checked_and_normalised(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_null(value_string(a, STR("\xff")));
    assert_true(str_eqz(value_string(a, STR("e\xcc\x81"))->string, "\xc3\xa9"));
}

static void of_equal_map_keys_the_last_one_counts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str keys[] = {STR("b"), STR("a"), STR("b")};
    const struct value *v[] = {value_int(a, 1), value_int(a, 2), value_int(a, 3)};
    const struct value *m = value_map(a, &type_number, keys, v, 3);
    assert_int_equal(m->n, 2);
    assert_true(str_eqz(m->keys[0], "a"));
    assert_int_equal(value_get(m, STR("b"))->number.i, 3);
    assert_null(value_get(m, STR("c")));
}

static void untyped_parts_of_a_collection_take_its_type(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct value *v[] = {value_null(a, &type_dynamic), value_string(a, STR("x")), value_unknown(a, &type_dynamic)};
    const struct value *list = value_list(a, &type_dynamic, v, 3);
    assert_true(type_eq(list->type->element, &type_string));
    for (size_t i = 0; i < 3; i++)
        assert_ptr_equal(list->elements[i]->type, &type_string);
    assert_int_equal(list->elements[0]->state, VALUE_NULL);
    assert_int_equal(list->elements[2]->state, VALUE_UNKNOWN);
    assert_false(list->wholly_known);
    const struct value *mixed[] = {value_int(a, 1), value_string(a, STR("x"))};
    assert_false(value_have_one_type(mixed, 2));
}

static void an_object_takes_the_types_of_its_open_attributes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct type_attr attrs[] = {{.name = STR("a"), .type = &type_dynamic},
                                {.name = STR("b"), .type = &type_bool, .optional = true}};
    const struct value *v[] = {value_int(a, 1), value_bool(a, true)};
    const struct value *object = value_object(a, type_object(a, attrs, 2), v);
    assert_true(str_eqz(type_to_json(a, object->type), "[\"object\",{\"a\":\"number\",\"b\":\"bool\"}]"));
    assert_ptr_equal(object->type->plain, object->type);
}

static void paths_lead_to_parts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct value *v =
        notation_parse(a, "{\"l\":[{\"x\":5}],\"m\":{\"$map\":\"string\",\"of\":{\"k\":\"v\"}},\"s\":{\"$set\":\"string\",\"of\":"
                          "[\"p\",\"q\"]},\"n\":{\"$null\":[\"object\",{\"y\":\"string\"}]}}");
    struct path l = path_attr(a, PATH_ROOT, STR("l"));
    assert_int_equal(value_at(v, path_attr(a, path_index(a, l, 0), STR("x")))->number.i, 5);
    assert_null(value_at(v, path_index(a, l, 1)));
    assert_null(value_at(v, path_index(a, l, -1)));
    assert_null(value_at(v, path_attr(a, l, STR("x"))));
    assert_true(str_eqz(value_at(v, path_key(a, path_attr(a, PATH_ROOT, STR("m")), STR("k")))->string, "v"));
    assert_null(value_at(v, path_key(a, path_attr(a, PATH_ROOT, STR("m")), STR("z"))));
    assert_null(value_at(v, path_attr(a, path_attr(a, PATH_ROOT, STR("n")), STR("y"))));
    struct path s = path_attr(a, PATH_ROOT, STR("s"));
    assert_true(str_eqz(value_at(v, path_element(a, s, value_string(a, STR("q"))))->string, "q"));
    assert_null(value_at(v, path_element(a, s, value_string(a, STR("r")))));
    assert_ptr_equal(value_at(v, PATH_ROOT), v);
}

static const struct value *numbers_to_text(void *ctx, struct arena *a, struct path path, const struct value *v)
{
    (void)path;
    ++*(size_t *)ctx;
    return v->state == VALUE_KNOWN && v->type->kind == TYPE_NUMBER ? value_string(a, number_text(a, v->number)) : v;
}

static void a_transformed_value_takes_the_types_of_its_new_parts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct value *v = notation_parse(
        a, "{\"a\":[1,true],\"l\":{\"$list\":\"number\",\"of\":[1,2]},\"s\":\"x\",\"set\":{\"$set\":\"number\",\"of\":[10,9]},"
           "\"m\":{\"$map\":\"number\",\"of\":{\"k\":3}}}");
    const struct value *want = notation_parse(
        a, "{\"a\":[\"1\",true],\"l\":{\"$list\":\"string\",\"of\":[\"1\",\"2\"]},\"s\":\"x\",\"set\":{\"$set\":\"string\","
           "\"of\":[\"10\",\"9\"]},\"m\":{\"$map\":\"string\",\"of\":{\"k\":\"3\"}}}");
    size_t visits = 0;
    const struct value *got = value_transform(a, v, numbers_to_text, &visits);
    assert_true(value_raw_eq(got, want));
    assert_int_equal(visits, 13);
    assert_ptr_equal(value_get(got, STR("s")), value_get(v, STR("s")));
}

static bool collect_paths(void *ctx, struct path path, const struct value *v)
{
    struct buf *out = ctx;
    path_write(out, path);
    buf_addc(out, '\n');
    return v->type->kind != TYPE_TUPLE;
}

static void walking_visits_parents_first_and_can_skip(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct value *v = notation_parse(
        a, "{\"b\":[1],\"m\":{\"$map\":\"string\",\"of\":{\"k\":\"v\"}},\"s\":{\"$set\":\"string\",\"of\":[\"p\"]},"
           "\"l\":{\"$list\":\"string\",\"of\":[\"x\",\"y\"]}}");
    struct buf out BUF_AUTO = BUF_INIT(1000);
    value_walk(a, v, collect_paths, &out);
    buf_addc(&out, '\0');
    assert_string_equal(out.p, "\nb\nl\nl[0]\nl[1]\nm\nm[\"k\"]\ns\ns[...]\n");
}

static void unknowns_can_be_replaced(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct value *v = notation_parse(
        a,
        "{\"a\":{\"$unknown\":\"string\",\"not_null\":true},\"s\":{\"$set\":\"string\",\"of\":[\"p\",{\"$unknown\":\"string\"},"
        "{\"$unknown\":\"string\",\"prefix\":\"x\"}]}}");
    const struct value *nulls =
        notation_parse(a, "{\"a\":{\"$null\":\"string\"},\"s\":{\"$set\":\"string\",\"of\":[\"p\",{\"$null\":\"string\"}]}}");
    const struct value *plain =
        notation_parse(a, "{\"a\":{\"$unknown\":\"string\"},\"s\":{\"$set\":\"string\",\"of\":[\"p\",{\"$unknown\":\"string\"},"
                          "{\"$unknown\":\"string\"}]}}");
    assert_true(value_raw_eq(value_unknown_to_null(a, v), nulls));
    assert_true(value_unknown_to_null(a, v)->wholly_known);
    assert_true(value_raw_eq(value_plain_unknowns(a, v), plain));
    assert_false(value_raw_eq(v, plain));
    assert_true(value_eq_ignoring_refinements(a, v, plain));
    assert_false(value_eq_ignoring_refinements(a, v, nulls));
    assert_ptr_equal(value_unknown_to_null(a, nulls), nulls);
}

static void random_values_keep_the_laws(void **state)
{
    (void)state;
    struct random r = {.state = 88172645463325252u, .unknowns = true, .dynamics = true, .infinities = true};
    for (int i = 0; i < 1500; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0), *other ARENA_AUTO = arena_new(NULL, 0);
        const struct type *t = random_type(&r, a, 3);
        const struct value *x = random_value(&r, a, t), *y = random_value(&r, a, t);
        assert_true(type_conforms(x->type, t));
        const struct value *copy = value_copy(other, x);
        assert_true(value_raw_eq(x, copy) && value_raw_eq(copy, x));
        assert_int_equal(value_cmp(x, copy), 0);
        assert_int_equal(value_hash(x), value_hash(copy));
        assert_int_equal(value_raw_eq(x, y), value_raw_eq(y, x));
        assert_int_equal(value_equals(x, y), value_equals(y, x));
        if (x->wholly_known)
            assert_int_equal(value_equals(x, copy), TRI_TRUE);
        if (type_eq(x->type, y->type)) {
            int order = value_cmp(x, y), reverse = value_cmp(y, x);
            assert_int_equal((order > 0) - (order < 0), (reverse < 0) - (reverse > 0));
            assert_int_equal(order == 0, value_raw_eq(x, y));
        }
        assert_true(value_unknown_to_null(a, x)->wholly_known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_list_their_elements_as_terraform_does),
        cmocka_unit_test(values_are_compared_as_by_terraform),
        cmocka_unit_test(a_set_is_the_same_whatever_order_it_was_filled_in),
        cmocka_unit_test(large_sets_with_many_lookalikes_are_built_quickly),
        cmocka_unit_test(refinements_collapse_when_only_one_value_is_left),
        cmocka_unit_test(strings_are_checked_and_normalised),
        cmocka_unit_test(of_equal_map_keys_the_last_one_counts),
        cmocka_unit_test(untyped_parts_of_a_collection_take_its_type),
        cmocka_unit_test(an_object_takes_the_types_of_its_open_attributes),
        cmocka_unit_test(paths_lead_to_parts),
        cmocka_unit_test(a_transformed_value_takes_the_types_of_its_new_parts),
        cmocka_unit_test(walking_visits_parents_first_and_can_skip),
        cmocka_unit_test(unknowns_can_be_replaced),
        cmocka_unit_test(random_values_keep_the_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
