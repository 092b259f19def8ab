#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    const struct json *list = json_get(c->row, "paths");
    struct path *paths = arena_make_n(c->arena, struct path, list->array.n);
    for (size_t i = 0; i < list->array.n; i++)
        if (!change_path_read(c->arena, c->schema, list->array.items[i], &paths[i]))
            return "the path is not read";
    struct diags diags;
    diags_init(&diags, c->arena);
    struct change_paths all = {paths, list->array.n};
    bool ok = change_check_references(c->schema, all, &diags) && change_check_ignored(c->schema, all, &diags);
    if (ok != !diags_has_errors(&diags))
        return "the answer and the diagnostics disagree";
    return agree_diagnostics(c, &diags);
}

static void wrong_paths_are_told_as_terraform_tells_them(void **state)
{
    (void)state;
    run_rule("ignored.jsonl", "ignored", check);
}

static const char schema_text[] =
    "{\"attributes\":{\"name\":{\"type\":\"string\",\"optional\":true},\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true}"
    ","
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},\"t\":{\"type\":[\"tuple\",[\"string\",[\"map\",\"string\"]]],\"optional\":"
    "true},\"o\":{\"type\":[\"object\",{\"x\":[\"list\",[\"object\",{\"y\":\"string\"}]],\"s\":[\"set\",[\"object\",{\"y\":"
    "\"string\"}]],\"l\":[\"list\",\"string\"]}],\"optional\":true},\"n\":{\"nested_type\":{\"nesting_mode\":\"map\","
    "\"attributes\":{"
    "\"p\":{\"type\":\"string\",\"optional\":true},\"c\":{\"type\":\"string\",\"computed\":true}}},\"optional\":true}},"
    "\"block_types\":{\"m\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"x\":{\"type\":\"string\",\"optional\":true}}}}"
    ","
    "\"l\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"x\":{\"type\":\"string\",\"optional\":true}}}}}}";

static void the_schema_tells_keys_from_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
    } rows[] = {
        {"[\"name\"]", ".name"},
        {"[\"tags\",\"a.b\"]", ".tags[\"a.b\"]"},
        {"[\"n\",\"k\",\"p\"]", ".n[\"k\"].p"},
        {"[\"m\",\"k\",\"x\"]", ".m[\"k\"].x"},
        {"[\"l\",0,\"x\"]", ".l[0].x"},
        {"[\"t\",1,\"k\"]", ".t[1][\"k\"]"},
        {"[\"t\",7,\"k\"]", ".t[7].k"},
        {"[\"o\",\"x\",0,\"y\"]", ".o.x[0].y"},
        {"[\"zzz\",\"k\",0]", ".zzz.k[0]"},
        {"[\"o\",\"zzz\",\"k\"]", ".o.zzz.k"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct path path;
        assert_true(change_path_read(a, s, testing_json(a, str_of(rows[i].json)), &path));
        assert_string_equal(change_path_text(a, path).p, rows[i].text);
    }
}

static void what_is_no_path_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {"\"name\"", "{}", "[null]", "[1.5]", "[[\"name\"]]", "[true]", "[]"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    struct path path;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_false(change_path_read(a, s, testing_json(a, str_of(rows[i])), &path));
    assert_false(change_path_read(a, s, NULL, &path));
}

/* Cases that the table's providers do not have; the messages are those in OpenTofu's source for the same rule. */
static void steps_are_checked_against_types(void **state)
{
    (void)state;
    static const struct {
        const char *path, *detail; /* NULL: fine */
    } rows[] = {
        {"[\"any\",\"x\",\"k\"]", NULL},
        {"[\"m\",\"k\",\"x\"]", NULL},
        {"[\"n\",\"k\",\"p\"]", NULL},
        {"[\"t\",1,\"k\"]", NULL},
        {"[\"t\",\"1\"]", NULL},
        {"[\"o\",\"x\",0,\"y\"]", NULL},
        {"[\"o\",\"zzz\"]", "This object does not have an attribute named \"zzz\"."},
        {"[\"t\",\"y\"]", "The given key does not identify an element in this collection value: a number is required."},
        {"[\"m\",\"k\",\"z\"]", "This object has no argument, nested block, or exported attribute named \"z\". Did you mean "
                                "\"x\"?"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct path path;
        assert_true(change_path_read(a, s, testing_json(a, str_of(rows[i].path)), &path));
        struct diags diags;
        diags_init(&diags, a);
        assert_int_equal(change_check_ignored(s, (struct change_paths){&path, 1}, &diags), !rows[i].detail);
        assert_int_equal(diags.n, rows[i].detail ? 1 : 0);
        if (rows[i].detail)
            assert_string_equal(diags.v[0].detail.p, rows[i].detail);
    }
}

static void a_nested_attribute_of_the_provider_is_redundant(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    struct path path = testing_path(a, testing_json(a, STR("[\"n\",[\"k\"],\"c\"]")));
    struct diags diags;
    diags_init(&diags, a);
    assert_true(change_check_ignored(s, (struct change_paths){&path, 1}, &diags));
    assert_int_equal(diags.n, 1);
    assert_int_equal(diags.v[0].severity, DIAG_WARNING);
    assert_non_null(strstr(diags.v[0].detail.p, "The attribute n[\"k\"].c is decided by the provider alone"));
}

static struct change_paths paths_of(struct arena *a, const struct schema_block *s, const char *json)
{
    const struct json *list = testing_json(a, str_of(json));
    struct path *paths = arena_make_n(a, struct path, list->array.n);
    for (size_t i = 0; i < list->array.n; i++)
        assert_true(change_path_read(a, s, list->array.items[i], &paths[i]));
    return (struct change_paths){paths, list->array.n};
}

static void what_is_no_reference_hides_all_other_errors(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    struct change_paths paths = paths_of(a, s, "[[\"zzz\"],[\"name\",0],[\"zzz\",1]]");
    struct diags diags;
    diags_init(&diags, a);
    assert_false(change_check_references(s, paths, &diags));
    assert_int_equal(diags.n, 2);
    assert_string_equal(diags.v[0].summary.p, "Invalid expression");
    assert_string_equal(path_text(a, diags.v[0].path).p, "lifecycle.ignore_changes[1]");
    assert_string_equal(path_text(a, diags.v[1].path).p, "lifecycle.ignore_changes[2]");
}

/* The messages of Terraform 1.11.4 for ignore_changes = [name[0]] and others. */
static void an_index_in_brackets_is_against_the_schema(void **state)
{
    (void)state;
    static const struct {
        const char *path, *summary, *detail;
    } rows[] = {
        {"[[\"name\",0]]", "Invalid index", "This value does not have any indices."},
        {"[[\"m\",\"k\",0]]", "Invalid index operation", "Only attribute access is allowed here, using the dot operator."},
        {"[[\"zzz\",0]]", "Unsupported attribute",
         "This object has no argument, nested block, or exported attribute named \"zzz\"."},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct change_paths paths = paths_of(a, s, rows[i].path);
        struct diags diags;
        diags_init(&diags, a);
        assert_false(change_check_ignored(s, paths, &diags));
        assert_int_equal(diags.n, 1);
        assert_string_equal(diags.v[0].summary.p, rows[i].summary);
        assert_string_equal(diags.v[0].detail.p, rows[i].detail);
    }
}

static void deprecated_attributes_are_told_each_time_and_redundant_ones_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a, "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"old\":{\"type\":[\"map\",\"string\"],"
           "\"optional\":true,\"deprecated\":true}}}");
    struct diags diags;
    diags_init(&diags, a);
    assert_true(change_check_ignored(s, paths_of(a, s, "[[\"id\"],[\"old\"],[\"id\"],[\"old\",\"k\"]]"), &diags));
    assert_int_equal(diags.n, 3);
    assert_string_equal(diags.v[0].summary.p, "Redundant ignore_changes element");
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(diags.v[i].severity, DIAG_WARNING);
        assert_string_equal(diags.v[i].detail.p,
                            "The attribute \"old\" is deprecated. Refer to the provider documentation for details.");
    }
    assert_string_equal(path_text(a, diags.v[2].path).p, "lifecycle.ignore_changes[3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_paths_are_told_as_terraform_tells_them),
        cmocka_unit_test(the_schema_tells_keys_from_attributes),
        cmocka_unit_test(what_is_no_path_is_refused),
        cmocka_unit_test(steps_are_checked_against_types),
        cmocka_unit_test(a_nested_attribute_of_the_provider_is_redundant),
        cmocka_unit_test(what_is_no_reference_hides_all_other_errors),
        cmocka_unit_test(an_index_in_brackets_is_against_the_schema),
        cmocka_unit_test(deprecated_attributes_are_told_each_time_and_redundant_ones_once),
    };
    return cmocka_run_group_tests_name("change/ignore_paths", tests, NULL, NULL);
}
