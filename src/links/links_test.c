/* Patterns, the text of a table, and which rule wins. */
#include "links/links.h"

#include "links/pattern.h"
#include "links/testing_links.h"

static void type_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"aws_s3_bucket", "aws_s3_bucket", true},
        {"aws_s3_*", "aws_s3_bucket", true},
        {"aws_s3_*", "aws_sns_topic", false},
        {"*", "x", true},
        {"*_bucket", "aws_s3_bucket", true},
        {"aws_?3_*", "aws_s3_bucket", true},
        {"aws_{s3,sns}_*", "aws_sns_topic", true},
        {"aws_{s3,sns}_*", "aws_sqs_q", false},
        {"*a*b*", "xxaxxbxx", true},
        {"*a*b", "xxaxxbxx", false},
        {"", "", true},
        {"", "x", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (link_pattern_match(str_of(cases[i].pattern), str_of(cases[i].text)) != cases[i].matches)
            fail_msg("%s on %s", cases[i].pattern, cases[i].text);
}

static void path_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool matches;
    } cases[] = {
        {"a.b", "a.b", true},
        {"a.b", "a", false},
        {"a", "a.b", false},
        {"*", "a.b", false},
        {"*.b", "a.b", true},
        {"**.b", "b", true},
        {"**.b", "a.x.b", true},
        {"**.b", "a.x.bb", false},
        {"a.**", "a", true},
        {"a.**", "a.b.c", true},
        {"a.**.c", "a.c", true},
        {"**.*_id", "a.b.vpc_id", true},
        {"**", "a.b", true},
        {"**.a.**", "x.a.y", true},
        {"**.a.**", "x.b.y", false},
        {"**.a.b", "a.a.b", true},
        {"**.a.**.b", "a.b.a", false},
        {"**.a.**.b", "x.a.y.a.b", true},
        {"**", "", true},
        {"", "a", false},
        {"a.**.**.b", "a.b", true},
        {"a.**.b", "a.b.c", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (link_path_pattern_match(str_of(cases[i].pattern), str_of(cases[i].path)) != cases[i].matches)
            fail_msg("%s on %s", cases[i].pattern, cases[i].path);
}

static void many_stars_cost_little(void **state)
{
    (void)state;
    char pattern[301], path[601];
    for (size_t i = 0; i < 300; i += 3)
        memcpy(pattern + i, "**.", 3);
    for (size_t i = 0; i < 600; i += 2)
        memcpy(path + i, "a.", 2);
    assert_false(link_path_pattern_match(arena_printf(testing_arena, "%.*sb", 300, pattern), (struct str){path, 599}));
}

static const struct {
    const char *text, *written;
} tables[] = {
    {"", ""},
    {"# nothing\n\n   \t\n", ""},
    {"aws_a b -> aws_c.id", "aws_a b -> aws_c.id\n"},
    {"aws_a\tb[].c{}  ->  aws_c.d[].e  whole # why\r\n", "aws_a b[].c{} -> aws_c.d[].e\n"},
    {"aws_a b -> aws_c.arn part\naws_a b -> none\n", "aws_a b -> aws_c.arn part\naws_a b -> none\n"},
    {"aws_{a,b}_* **.x_?? -> aws_c.id\n", "aws_{a,b}_* **.x_?? -> aws_c.id\n"},
    {"aws_a b -> aws_c.id\naws_a b[] -> aws_c.id\naws_a b -> aws_d.id\n", "aws_a b -> aws_c.id\naws_a b -> aws_d.id\n"},
};

static void text_of_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct link_table t = testing_table(testing_arena, tables[i].text), again;
        struct str written = testing_written(testing_arena, &t);
        if (!str_eqz(written, tables[i].written))
            fail_msg("%zu: " STR_FMT, i, STR_ARG(written));
        again = testing_table(testing_arena, written.p);
        assert_true(str_eq(testing_written(testing_arena, &again), written));
    }
}

static const struct {
    const char *text, *says[2];
} mistakes[] = {
    {"aws_a", {"t:1: a rule is TYPE PATH -> TARGET.ATTRIBUTE"}},
    {"\n#\naws_a b aws_c.id", {"t:3: ", "expected \"->\", found \"aws_c.id\""}},
    {"aws_a b => aws_c.id", {"did you mean \"->\"?"}},
    {"aws_a b ->", {"a rule is"}},
    {"aws_a b -> aws_c", {"has no attribute; did you mean \"aws_c.id\"?"}},
    {"aws_a b -> aws_c.", {"has no attribute"}},
    {"aws_a b -> aws_c.id prat", {"\"prat\" is not a valid kind of link; did you mean \"part\"?"}},
    {"aws_a b -> aws_c.id everything", {"only \"part\" is allowed"}},
    {"aws_a b -> aws_c.id part of", {"unexpected \"of\""}},
    {"aws_a b -> none part", {"unexpected \"part\""}},
    {"aws_a b..c -> aws_c.id", {"\"b..c\" is not a valid path"}},
    {"aws_a b.c. -> aws_c.id", {"is not a valid path"}},
    {"aws_a .b -> aws_c.id", {"is not a valid path"}},
    {"aws_a b[0] -> aws_c.id", {"\"b[0]\" is not a valid path"}},
    {"aws_a [] -> aws_c.id", {"is not a valid path"}},
    {"aws_a b -> aws_c.*", {"\"*\" is not a valid attribute"}},
    {"aws_a b -> aws_*.id", {"\"aws_*\" is not a valid resource type"}},
    {"aws_{a b -> aws_c.id", {"is not a valid resource type"}},
    {"aws_{} b -> aws_c.id", {"is not a valid resource type"}},
    {"aws_{a,b}{c} b -> aws_c.id", {"is not a valid resource type"}},
    {"a,b b -> aws_c.id", {"is not a valid resource type"}},
    {"aws_\xff b -> aws_c.id", {"is not a valid resource type"}},
};

static void each_mistake_has_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct link_table t;
        struct diags diags;
        links_init(&t, testing_arena);
        diags_init(&diags, testing_arena);
        if (links_read(&t, str_of(mistakes[i].text), "t", &diags) || diags.n != 1)
            fail_msg("%s: %zu", mistakes[i].text, diags.n);
        for (size_t j = 0; j < 2 && mistakes[i].says[j]; j++)
            if (!strstr(diags.v[0].detail.p, mistakes[i].says[j]))
                fail_msg("%s: %s", mistakes[i].text, diags.v[0].detail.p);
    }
}

static void mistakes_are_said_at_once_up_to_a_limit(void **state)
{
    (void)state;
    struct link_table t;
    struct diags diags;
    struct buf text BUF_AUTO = BUF_INIT(LINKS_MAX_FILE);
    links_init(&t, testing_arena);
    diags_init(&diags, testing_arena);
    for (size_t i = 0; i < 1000; i++)
        buf_addz(&text, "x\naws_a b -> aws_c.id\n");
    assert_false(links_read(&t, buf_str(&text), "t", &diags));
    assert_int_equal(diags.n, LINKS_MAX_ERRORS);
}

/* What a search for an argument finds in the table below, best first. */
static const char searched[] = "aws_a b -> aws_one.id\n"
                               "aws_* vpc_id -> aws_vpc.id\n"
                               "aws_a vpc_id -> aws_other.id\n"
                               "aws_a c.d[] -> aws_two.arn part\n"
                               "aws_kms_* **.kms_key_arn -> none\n"
                               "aws_* **.kms_key_arn -> aws_kms_key.arn\n"
                               "aws_late **.kms_key_arn -> none\n"
                               "aws_a stop -> none\n"
                               "aws_* stop -> aws_one.id\n"
                               "aws_a twice -> aws_one.id\n"
                               "* twice -> aws_one.id\n"
                               "* twice -> aws_two.id\n"
                               "* id -> aws_vpc.id\n";
static const struct {
    const char *type, *path, *found;
} searches[] = {
    {"aws_a", "b", "aws_one.id"},
    {"aws_b", "b", ""},
    {"aws_a", "vpc_id", "aws_vpc.id aws_other.id"},
    {"aws_b", "vpc_id", "aws_vpc.id"},
    {"google_b", "vpc_id", ""},
    {"aws_a", "c.d", "aws_two.arn"},
    {"aws_a", "c[].d", "aws_two.arn"},
    {"aws_a", "c", ""},
    {"aws_s3", "a[].b{}.kms_key_arn", "aws_kms_key.arn"},
    {"aws_kms_x", "kms_key_arn", ""},
    {"aws_late", "kms_key_arn", "aws_kms_key.arn"},
    {"aws_a", "stop", ""},
    {"aws_b", "stop", "aws_one.id"},
    {"aws_a", "twice", "aws_one.id aws_two.id"},
    {"aws_subnet", "id", "aws_vpc.id"},
    {"aws_vpc", "id", ""},
    {"", "", ""},
};

static void first_match_wins(void **state)
{
    (void)state;
    struct link_table t = testing_table(testing_arena, searched);
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
        const struct link_rule *found[8];
        size_t n = links_find_all(&t, str_of(searches[i].type), str_of(searches[i].path), found, 8);
        struct buf out BUF_AUTO = BUF_INIT(1000);
        for (size_t j = 0; j < n; j++)
            buf_printf(&out, "%s" STR_FMT "." STR_FMT, j > 0 ? " " : "", STR_ARG(found[j]->target), STR_ARG(found[j]->attribute));
        if (!str_eqz(buf_str(&out), searches[i].found))
            fail_msg("%s %s: " STR_FMT, searches[i].type, searches[i].path, STR_ARG(buf_str(&out)));
        const struct link_rule *first = links_find(&t, str_of(searches[i].type), str_of(searches[i].path));
        assert_ptr_equal(first, n > 0 ? found[0] : NULL);
    }
}

static void files_are_read_one_after_the_other(void **state)
{
    (void)state;
    struct diags diags;
    struct link_table t = testing_table(testing_arena, "aws_a b -> aws_mine.id\n");
    diags_init(&diags, testing_arena);
    assert_true(links_read(&t, STR("aws_a b -> aws_theirs.id\naws_a c -> aws_theirs.id\n"), "second", &diags));
    assert_true(str_eqz(links_find(&t, STR("aws_a"), STR("b"))->target, "aws_mine"));
    const struct link_rule *c = links_find(&t, STR("aws_a"), STR("c"));
    assert_string_equal(c->source, "second");
    assert_int_equal(c->line, 2);
}

static void long_paths_match_nothing(void **state)
{
    (void)state;
    struct link_table t = testing_table(testing_arena, "* ** -> aws_vpc.id\n");
    struct buf path BUF_AUTO = BUF_INIT(10000);
    while (path.n <= LINKS_MAX_PATH)
        buf_addz(&path, "a.");
    assert_null(links_find(&t, STR("x"), buf_str(&path)));
    assert_non_null(links_find(&t, buf_str(&path), STR("x")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_patterns),
        cmocka_unit_test(path_patterns),
        cmocka_unit_test(many_stars_cost_little),
        cmocka_unit_test(text_of_a_table),
        cmocka_unit_test(each_mistake_has_its_line),
        cmocka_unit_test(mistakes_are_said_at_once_up_to_a_limit),
        cmocka_unit_test(first_match_wins),
        cmocka_unit_test(files_are_read_one_after_the_other),
        cmocka_unit_test(long_paths_match_nothing),
    };
    return cmocka_run_group_tests(tests, testing_begin, testing_end);
}
