#include "value/json_value.h"

#include "table_test.h"
#include "value/testing_random.h"

enum { MAX_JSON = 16 << 20 };

static bool write(struct buf *out, const struct value *v, const struct type *t, struct diags *diags)
{
    struct json_writer w = {.out = out, .html_escape = true};
    return value_write_json(&w, v, t, diags) && json_finish(&w);
}

static const struct value *read(struct arena *a, struct str text, const struct type *t, struct diags *diags)
{
    const struct json *j = json_parse(a, text, "test", diags);
    return j ? value_from_json(a, j, t, PATH_ROOT, diags) : NULL;
}

static const char *check_path(struct arena *a, const struct diags *diags, const struct json *row)
{
    return str_eq(path_text(a, diags->v[diags->n - 1].path), json_get(row, "path")->text) ? NULL : "wrong path";
}

static const char *check_write(struct arena *a, const struct json *row)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = notation_type(a, json_get(row, "type"));
    const struct value *v = notation_value(a, json_get(row, "value"));
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    bool ok = write(&out, v, t, &diags);
    if (json_get(row, "error"))
        return ok ? "written" : NULL;
    if (!ok || !str_eq(buf_str(&out), json_get(row, "json")->text))
        return arena_printf(a, "wrong JSON " STR_FMT, STR_ARG(buf_str(&out))).p;
    const struct value *back = read(a, buf_str(&out), t, &diags);
    return back && value_raw_eq(back, notation_value(a, json_get(row, "back"))) ? NULL : "read back as another value";
}

static void values_are_written_as_by_terraform(void **state)
{
    (void)state;
    run_table("json.jsonl", "value", check_write);
}

static const char *check_read(struct arena *a, const struct json *row)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = read(a, json_get(row, "read")->text, notation_type(a, json_get(row, "type")), &diags);
    if (json_get(row, "panic"))
        return v ? "accepted" : NULL;
    if (json_get(row, "error"))
        return v ? "accepted" : check_path(a, &diags, row);
    if (!v)
        return arena_printf(a, "refused: " STR_FMT, STR_ARG(diags.v[0].detail)).p;
    return value_raw_eq(v, notation_value(a, json_get(row, "back"))) ? NULL : "another value";
}

static void json_is_read_as_leniently_as_by_terraform(void **state)
{
    (void)state;
    run_table("json.jsonl", "read", check_read);
}

static const char *check_implied(struct arena *a, const struct json *row)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, json_get(row, "implied")->text, "test", &diags);
    if (!type_eq(type_implied_by_json(a, j), notation_type(a, json_get(row, "type"))))
        return "another type";
    return value_raw_eq(value_implied_by_json(a, j, &diags), notation_value(a, json_get(row, "back"))) ? NULL : "another value";
}

static void json_implies_a_type(void **state)
{
    (void)state;
    run_table("json.jsonl", "implied", check_implied);
}

static void names_in_implied_types_are_normalised(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, STR("{\"e\xcc\x81\":1,\"\xc3\xa9\":\"x\"}"), "test", &diags);
    const struct value *v = value_implied_by_json(a, j, &diags);
    assert_int_equal(v->n, 1);
    assert_true(str_eqz(value_get(v, STR("\xc3\xa9"))->string, "x")); /* the later one counts */
    j = json_parse(a, STR("{\"e\xcc\x81\":1}"), "test", &diags);
    v = value_implied_by_json(a, j, &diags);
    assert_int_equal(value_get(v, STR("\xc3\xa9"))->number.i, 1);
}

static void numbers_out_of_bounds_are_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(read(a, STR("1e999999999"), &type_number, &diags));
    assert_true(diags_has_errors(&diags));
}

static void known_random_values_come_back(void **state)
{
    (void)state;
    struct random r = {.state = 987654321, .dynamics = true};
    for (int i = 0; i < 1000; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = random_type(&r, a, 4);
        const struct value *v = random_value(&r, a, t);
        struct buf out BUF_AUTO = BUF_INIT(MAX_JSON), again BUF_AUTO = BUF_INIT(MAX_JSON);
        assert_true(write(&out, v, t, &diags));
        const struct value *back = read(a, buf_str(&out), t, &diags);
        assert_non_null(back);
        assert_true(type_eq(back->type, v->type));
        /* A large integer that was received as a double reads back as the integer of its text, so texts are compared. */
        assert_true(write(&again, back, t, &diags));
        assert_true(str_eq(buf_str(&out), buf_str(&again)));
    }
}

static void unknown_and_infinity_cannot_be_written(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(MAX_JSON);
    const struct value *v = notation_parse(a, "{\"a\":[1,{\"$unknown\":\"string\"}]}");
    assert_false(write(&out, v, v->type, &diags));
    assert_string_equal(diags.v[0].detail.p, "a[1]: value is not known");
    diags_init(&diags, a);
    assert_false(write(&out, notation_parse(a, "{\"$double\":\"inf\"}"), &type_number, &diags));
    assert_string_equal(diags.v[0].detail.p, "cannot serialize infinity as JSON");
    diags_init(&diags, a);
    assert_false(write(&out, notation_parse(a, "1"), &type_string, &diags));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_as_by_terraform),
        cmocka_unit_test(json_is_read_as_leniently_as_by_terraform),
        cmocka_unit_test(json_implies_a_type),
        cmocka_unit_test(names_in_implied_types_are_normalised),
        cmocka_unit_test(numbers_out_of_bounds_are_refused),
        cmocka_unit_test(known_random_values_come_back),
        cmocka_unit_test(unknown_and_infinity_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
