/*
 * testdata/text.json printed: text.tree.txt is the tree, text.described.txt the tree with descriptions, text.summary.txt the
 * summary.
 */
#include "schema/schema_text.h"

#include "schema/testing_schema.h"

static const struct provider_schema *example(struct arena *a)
{
    return testing_read(a, testing_json(a, testing_file(a, "text.json")));
}

static struct str tree(struct arena *a, const char *only, const struct schema_text_style *style)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    assert_true(schema_text_tree(&out, example(a), str_of(only), style));
    assert_true(buf_ok(&out));
    return buf_copy(&out, a);
}

static void the_tree_is_as_it_should_look(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(tree(a, "", &(struct schema_text_style){0}).p, testing_file(a, "text.tree.txt").p);
    assert_string_equal(tree(a, "", &(struct schema_text_style){.descriptions = true, .width = 60}).p,
                        testing_file(a, "text.described.txt").p);
}

static void one_name_is_printed_wherever_it_stands(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *text = tree(a, "test_plain", &(struct schema_text_style){0}).p;
    assert_non_null(strstr(text, "test_plain  resource, version 3, deprecated\n"));
    assert_non_null(strstr(text, "\ntest_plain  data source, version 0\n"));
    assert_non_null(strstr(text, "\ntest_plain  identity, version 1\n"));
    assert_null(strstr(text, "test_nested"));
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    assert_false(schema_text_tree(&out, example(a), STR("test_none"), &(struct schema_text_style){0}));
    assert_int_equal(out.n, 0);
}

static void only_our_own_escapes_reach_the_terminal(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str plain = tree(a, "", &(struct schema_text_style){.descriptions = true});
    for (size_t i = 0; i < plain.n; i++)
        assert_true((unsigned char)plain.p[i] >= 0x20 || plain.p[i] == '\n');
    assert_null(strstr(plain.p, "\xc2\x9b"));
    struct str coloured = tree(a, "", &(struct schema_text_style){.descriptions = true, .colour = true});
    assert_non_null(strstr(coloured.p, "\033[1mrule\033[0m"));
    assert_null(strstr(coloured.p, "\033[31m"));
    struct buf bare BUF_AUTO = BUF_INIT(TESTING_MAX); /* without the escape sequences it equals the plain text */
    for (size_t i = 0; i < coloured.n; i++) {
        if (coloured.p[i] != '\033')
            buf_addc(&bare, coloured.p[i]);
        else
            i = str_find(coloured, 'm', i);
    }
    assert_string_equal(buf_copy(&bare, a).p, plain.p);
}

static void the_summary_counts_everything(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct schema_summary summary = schema_summarise(example(a));
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    schema_summary_text(&out, &summary, &(struct schema_text_style){0});
    assert_string_equal(buf_copy(&out, a).p, testing_file(a, "text.summary.txt").p);
    buf_clear(&out);
    struct json_writer w = {.out = &out};
    schema_summary_json(&w, &summary);
    assert_true(json_finish(&w));
    assert_string_equal(
        buf_copy(&out, a).p,
        "{\"resources\":2,\"data_sources\":1,\"ephemeral_resources\":0,\"list_resources\":0,\"functions\":1,"
        "\"identities\":1,\"actions\":1,\"state_stores\":0,\"nested_blocks\":6,\"attributes\":12,\"required\":4,"
        "\"optional\":5,\"computed\":3,\"sensitive\":1,\"write_only\":1,\"deprecated\":1,"
        "\"largest\":{\"name\":\"test_plain\",\"attributes\":7},\"deepest\":{\"name\":\"test_nested\",\"levels\":3}}");
}

static void an_empty_provider_has_a_summary_too(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct schema_summary summary = schema_summarise(testing_provider(a, "{}"));
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    schema_summary_text(&out, &summary, &(struct schema_text_style){0});
    assert_null(strstr(buf_copy(&out, a).p, "Largest"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_as_it_should_look),           cmocka_unit_test(one_name_is_printed_wherever_it_stands),
        cmocka_unit_test(only_our_own_escapes_reach_the_terminal), cmocka_unit_test(the_summary_counts_everything),
        cmocka_unit_test(an_empty_provider_has_a_summary_too),
    };
    return cmocka_run_group_tests_name("schema_text", tests, NULL, NULL);
}
