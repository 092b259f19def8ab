/* testdata/changes.jsonl has changes and objects with the text that Terraform prints for them. */
#include "render/plan_text.h"

#include "schema/testing_schema.h"

#define FOLDER TERRANE_SOURCE "/src/render/testdata"

/* The table */

static struct str json_line(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

static enum change_action action_of(const struct json *actions)
{
    struct str first = actions->array.items[0]->text;
    if (actions->array.n == 2)
        return str_eqz(first, "delete") ? ACTION_DELETE_THEN_CREATE : ACTION_CREATE_THEN_DELETE;
    return str_eqz(first, "create") ? ACTION_CREATE : str_eqz(first, "update") ? ACTION_UPDATE : ACTION_DELETE;
}

static struct str text_of_row(struct arena *a, const struct json *row, bool colour)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct text_style style = {.colour = colour};
    struct text_object object = {
        .address = STR("t.it"),
        .type = STR("t"),
        .name = STR("it"),
        .schema = testing_block(a, json_line(a, json_get(row, "schema")).p),
    };
    const struct json *change = json_get(row, "change");
    if (change) {
        struct str reason = json_text(json_get(row, "reason"), STR_EMPTY);
        struct text_change c = {
            .object = object,
            .action = action_of(json_get(change, "actions")),
            .reason = reason.n > 0 ? reason.p : NULL,
            .change = change,
        };
        change_text(&out, &c, &style);
    } else {
        object_text(&out, &object, json_get(row, "value"), json_get(row, "sensitive"), &style);
    }
    assert_true(buf_ok(&out));
    return buf_copy(&out, a);
}

static struct str without_escapes(struct arena *a, struct str s)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\033')
            i = str_find(s, 'm', i);
        else
            buf_addc(&out, s.p[i]);
    }
    return buf_copy(&out, a);
}

static void changes_look_as_in_terraform(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str rest = testing_file_in(a, FOLDER, "changes.jsonl");
    assert_non_null(json_get(testing_json(a, str_cut(&rest, '\n')), "oracle"));
    size_t rows = 0;
    for (; rest.n > 0; rows++) {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        const struct json *row = testing_json(scratch, str_cut(&rest, '\n'));
        struct str want = json_get(row, "text")->text, got = text_of_row(scratch, row, false);
        if (!str_eq(got, want))
            fail_msg("%s: wanted\n%s\ngot\n%s", json_get(row, "note")->text.p, want.p, got.p);
        assert_string_equal(without_escapes(scratch, text_of_row(scratch, row, true)).p, want.p);
    }
    assert_true(rows > 100);
}

/* What stands above a change */

static const char *first_lines(struct arena *a, struct text_change c, bool colour)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    c.object.address = STR("module.m.t.it[0]");
    c.object.type = STR("t");
    c.object.name = STR("it");
    c.object.schema = testing_block(a, "{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true}}}");
    c.change = testing_json(a, STR("{\"before\":{\"a\":\"1\"},\"after\":{\"a\":\"2\"}}"));
    change_text(&out, &c, &(struct text_style){.colour = colour});
    struct str text = buf_copy(&out, a);
    for (size_t at = 0; (at = str_find(text, '\n', at)) != SIZE_MAX; at++)
        if (!str_starts(str_slice(text, at + 1, text.n), STR("  #")))
            return arena_str(a, str_slice(text, 0, at)).p;
    return text.p;
}

static void the_comment_says_what_and_why(void **state)
{
    (void)state;
    static const struct {
        struct text_change change;
        const char *text;
    } cases[] = {
        {{.action = ACTION_CREATE}, "  # module.m.t.it[0] will be created"},
        {{.action = ACTION_UPDATE}, "  # module.m.t.it[0] will be updated in-place"},
        {{.action = ACTION_UPDATE, .drift = true}, "  # module.m.t.it[0] has changed"},
        {{.action = ACTION_DELETE}, "  # module.m.t.it[0] will be destroyed"},
        {{.action = ACTION_DELETE, .drift = true}, "  # module.m.t.it[0] has been deleted"},
        {{.action = ACTION_DELETE, .object.deposed = {"0badcafe", 8}},
         "  # module.m.t.it[0] (deposed object 0badcafe) will be destroyed\n"
         "  # (left over from a partially-failed replacement of this instance)"},
        {{.action = ACTION_DELETE, .reason = "delete_because_no_resource_config"},
         "  # module.m.t.it[0] will be destroyed\n  # (because t.it is not in configuration)"},
        {{.action = ACTION_DELETE_THEN_CREATE, .reason = "replace_because_cannot_update"},
         "  # module.m.t.it[0] must be replaced"},
        {{.action = ACTION_CREATE_THEN_DELETE, .reason = "replace_because_tainted"},
         "  # module.m.t.it[0] is tainted, so must be replaced"},
        {{.action = ACTION_DELETE_THEN_CREATE, .reason = "replace_by_request"},
         "  # module.m.t.it[0] will be replaced, as requested"},
        {{.action = ACTION_DELETE_THEN_CREATE, .reason = "replace_by_triggers"},
         "  # module.m.t.it[0] will be replaced due to changes in replace_triggered_by"},
        {{.action = ACTION_READ}, "  # module.m.t.it[0] will be read during apply"},
        {{.action = ACTION_NO_OP}, ""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(first_lines(a, cases[i].change, false), cases[i].text);
    assert_string_equal(first_lines(a, (struct text_change){.action = ACTION_DELETE}, true),
                        "\033[1m  # module.m.t.it[0]\033[0m will be \033[31mdestroyed\033[0m");
}

/* Whole plans */

static const char *plan_of(struct arena *a, const enum change_action *actions, size_t n, enum text_plan kind, size_t width)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct text_change *changes = arena_make_n(a, struct text_change, n);
    for (size_t i = 0; i < n; i++)
        changes[i] = (struct text_change){
            .object = {.address = STR("t.it"), .type = STR("t"), .name = STR("it"), .schema = testing_block(a, "{}")},
            .action = actions[i],
            .change = testing_json(a, STR("{}")),
        };
    plan_text(&out, changes, n, kind, &(struct text_style){.width = width});
    return buf_copy(&out, a).p;
}

static void a_plan_counts_and_explains(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    enum change_action all[] = {
        ACTION_NO_OP, ACTION_CREATE, ACTION_UPDATE, ACTION_DELETE, ACTION_DELETE_THEN_CREATE, ACTION_CREATE_THEN_DELETE};
    const char *text = plan_of(a, all, 6, TEXT_PLAN_NORMAL, TEXT_DEFAULT_WIDTH);
    const char *start = "\nTerrane used the selected provider to generate the following execution plan.\n"
                        "Resource actions are indicated with the following symbols:\n"
                        "  + create\n"
                        "  ~ update in-place\n"
                        "  - destroy\n"
                        "-/+ destroy and then create replacement\n"
                        "+/- create replacement and then destroy\n"
                        "\nTerrane will perform the following actions:\n"
                        "\n  # t.it will be created\n"
                        "  + resource \"t\" \"it\" {}\n"
                        "\n  # t.it will be updated in-place\n";
    assert_true(str_starts(str_of(text), str_of(start)));
    assert_true(str_ends(str_of(text), STR("\nPlan: 3 to add, 1 to change, 3 to destroy.\n")));
}

static void a_plan_without_changes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    enum change_action none[] = {ACTION_NO_OP};
    assert_string_equal(plan_of(a, none, 1, TEXT_PLAN_NORMAL, TEXT_DEFAULT_WIDTH),
                        "\nNo changes. Your infrastructure matches the configuration.\n\n"
                        "Terrane has compared your real infrastructure against your configuration and\n"
                        "found no differences, so no changes are needed.\n");
    assert_string_equal(plan_of(a, none, 0, TEXT_PLAN_DESTROY, 0),
                        "\nNo changes. No objects need to be destroyed.\n\n"
                        "Either you have not created any objects yet or the existing objects were already deleted outside of "
                        "Terrane.\n");
}

/* Odd things */

static const char *change_of(struct arena *a, const char *type, const char *change)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct str schema = arena_printf(a, "{\"attributes\":{\"v\":{\"type\":%s,\"optional\":true}}}", type);
    struct text_change c = {
        .object = {.address = STR("t.it"), .type = STR("t"), .name = STR("it"), .schema = testing_block(a, schema.p)},
        .action = ACTION_UPDATE,
        .change = testing_json(a, str_of(change)),
    };
    change_text(&out, &c, &(struct text_style){0});
    return buf_copy(&out, a).p;
}

static void nothing_steers_the_terminal(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *text =
        change_of(a, "\"string\"", "{\"before\":{\"v\":\"a\\n\\u001b[31mred\\u009b\"},\"after\":{\"v\":\"\\u001b[31m\\tx\"}}");
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "- \\x1b[31mred\\u009b\n"));
    assert_non_null(strstr(text, "+ \\x1b[31m\tx\n"));
}

/* Thousands of elements: only the common start and end are paired, and no element is lost. */
static void long_lists_end(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf before BUF_AUTO = BUF_INIT(TESTING_MAX), after BUF_AUTO = BUF_INIT(TESTING_MAX);
    enum { LENGTH = 6000 };
    buf_addz(&before, "first");
    buf_addz(&after, "first");
    for (int i = 0; i < LENGTH; i++) {
        buf_printf(&before, "\\nb%d", i);
        buf_printf(&after, "\\na%d", i);
    }
    buf_addz(&after, "\\none more"); /* lists of one length are compared place by place */
    struct str change = arena_printf(a, "{\"before\":{\"v\":\"%s\\nlast\"},\"after\":{\"v\":\"%s\\nlast\"}}",
                                     buf_copy(&before, a).p, buf_copy(&after, a).p);
    struct str text = str_of(change_of(a, "\"string\"", change.p));
    size_t lines = 0;
    for (size_t at = 0; (at = str_find(text, '\n', at)) != SIZE_MAX; at++)
        lines++;
    assert_int_equal(lines, 2 * LENGTH + 1 + 2 /* first, last */ + 2 /* quotes */ + 3 /* resource */);
    assert_non_null(strstr(text.p, "            first\n          - b0\n"));
    assert_non_null(strstr(text.p, "            last\n        EOT\n"));
}

static void an_object_that_is_tainted_or_deposed_says_so(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct text_object o = {.address = STR("t.it"), .type = STR("t"), .name = STR("it"), .schema = testing_block(a, "{}")};
    o.tainted = true;
    object_text(&out, &o, testing_json(a, STR("{}")), NULL, &(struct text_style){0});
    o.deposed = STR("0badcafe");
    o.data = true;
    object_text(&out, &o, testing_json(a, STR("{}")), NULL, &(struct text_style){0});
    assert_string_equal(buf_copy(&out, a).p, "# t.it: (tainted)\nresource \"t\" \"it\" {}\n"
                                             "# t.it: (deposed object 0badcafe)\ndata \"t\" \"it\" {}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_look_as_in_terraform),
        cmocka_unit_test(the_comment_says_what_and_why),
        cmocka_unit_test(a_plan_counts_and_explains),
        cmocka_unit_test(a_plan_without_changes),
        cmocka_unit_test(nothing_steers_the_terminal),
        cmocka_unit_test(long_lists_end),
        cmocka_unit_test(an_object_that_is_tainted_or_deposed_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
