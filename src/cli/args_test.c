#include "cli/args.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct command command = {.name = "schema", .usage = "PROVIDER", .summary = "the schema"};

struct parsed {
    bool json;
    const char *resource;
    int64_t timeout, limit;
    struct option_texts ignore;
    const char *flavour, *emit;
    int n;
    enum args_result result;
    struct diags diags;
};

static struct parsed parse(struct arena *a, int argc, const char **argv)
{
    static struct parsed p; /* the option table points into it */
    p = (struct parsed){0};
    diags_init(&p.diags, a);
    const struct option options[] = {
        {.name = "json", .kind = OPTION_FLAG, .target = &p.json, .help = "as JSON"},
        {.name = "resource", .letter = 'r', .kind = OPTION_TEXT, .target = &p.resource, .value = "TYPE", .help = "only this"},
        {.name = "timeout", .kind = OPTION_DURATION, .target = &p.timeout, .value = "TIME", .help = "limit"},
        {.name = "limit", .kind = OPTION_NUMBER, .target = &p.limit, .value = "N", .help = "at most"},
        {.name = "ignore", .kind = OPTION_LIST, .target = &p.ignore, .value = "PATH", .help = "not this"},
        {.name = "flavour", .kind = OPTION_CHOICE, .target = &p.flavour, .value = "cluster|both", .help = "which"},
        {.name = "emit", .kind = OPTION_CHOICES, .target = &p.emit, .value = "crds|go|docs", .help = "what"},
        {0},
    };
    p.result = args_parse(&command, options, argc, argv, &p.diags, &p.n);
    return p;
}

#define PARSE(a, ...) parse((a), (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *[]){__VA_ARGS__})

static int set_up(void **state)
{
    *state = arena_new(NULL, 0);
    return 0;
}

static int tear_down(void **state)
{
    arena_free(*state);
    return 0;
}

static void options_stand_anywhere(void **state)
{
    const char *argv[] = {"--json", "aws", "-r", "aws_s3_bucket", "--timeout=90s"};
    struct parsed p = parse(*state, 5, argv);
    assert_int_equal(p.result, ARGS_OK);
    assert_int_equal(p.n, 1);
    assert_string_equal(argv[0], "aws");
    assert_true(p.json);
    assert_string_equal(p.resource, "aws_s3_bucket");
    assert_int_equal(p.timeout, 90 * NS_PER_S);
}

static void two_dashes_end_options(void **state)
{
    const char *argv[] = {"--", "--json"};
    struct parsed p = parse(*state, 2, argv);
    assert_int_equal(p.result, ARGS_OK);
    assert_int_equal(p.n, 1);
    assert_string_equal(argv[0], "--json");
    assert_false(p.json);
}

static void letter_with_value_attached(void **state)
{
    struct parsed p = PARSE(*state, "-raws_vpc");
    assert_int_equal(p.result, ARGS_OK);
    assert_string_equal(p.resource, "aws_vpc");
}

static void durations_have_units(void **state)
{
    assert_int_equal(PARSE(*state, "--timeout", "500ms").timeout, 500 * NS_PER_MS);
    assert_int_equal(PARSE(*state, "--timeout", "2m").timeout, 120 * NS_PER_S);
    assert_int_equal(PARSE(*state, "--timeout", "7").timeout, 7 * NS_PER_S);
    assert_int_equal(PARSE(*state, "--timeout", "0").result, ARGS_WRONG);
    assert_int_equal(PARSE(*state, "--timeout", "-1s").result, ARGS_WRONG);
    assert_int_equal(PARSE(*state, "--timeout", "9999999999999h").result, ARGS_WRONG);
    assert_int_equal(PARSE(*state, "--timeout", "soon").result, ARGS_WRONG);
}

static void numbers_are_whole_and_positive(void **state)
{
    assert_int_equal(PARSE(*state, "--limit", "12").limit, 12);
    assert_int_equal(PARSE(*state, "--limit", "0").result, ARGS_WRONG);
    assert_int_equal(PARSE(*state, "--limit", "-1").result, ARGS_WRONG);
    assert_int_equal(PARSE(*state, "--limit", "1.5").result, ARGS_WRONG);
    assert_int_equal(PARSE(*state, "--limit", "99999999999999999999").result, ARGS_WRONG);
}

static void lists_keep_all_that_is_given(void **state)
{
    struct parsed p = PARSE(*state, "--ignore", "a", "--json", "--ignore=b");
    assert_int_equal(p.result, ARGS_OK);
    assert_int_equal(p.ignore.n, 2);
    assert_string_equal(p.ignore.v[0], "a");
    assert_string_equal(p.ignore.v[1], "b");
    assert_int_equal(PARSE(*state, "--json").ignore.n, 0);
}

static void choices_are_checked(void **state)
{
    assert_string_equal(PARSE(*state, "--flavour", "both").flavour, "both");
    struct parsed p = PARSE(*state, "--flavour=cluster|both");
    assert_int_equal(p.result, ARGS_WRONG);
    assert_string_equal(p.diags.v[0].detail.p, "--flavour must be cluster or both, not \"cluster|both\".");
    assert_int_equal(PARSE(*state, "--flavour", "").result, ARGS_WRONG);
    assert_string_equal(PARSE(*state, "--emit", "go,crds").emit, "go,crds");
    p = PARSE(*state, "--emit", "go,crd");
    assert_int_equal(p.result, ARGS_WRONG);
    assert_string_equal(p.diags.v[0].detail.p, "--emit must be crds, go or docs, not \"crd\".");
    assert_int_equal(PARSE(*state, "--emit", "go,").result, ARGS_OK);
    assert_int_equal(PARSE(*state, "--emit", ",go").result, ARGS_WRONG);
}

static void wrong_lines_say_what_to_type(void **state)
{
    struct parsed p = PARSE(*state, "--jsom");
    assert_int_equal(p.result, ARGS_WRONG);
    assert_non_null(strstr(p.diags.v[0].detail.p, "--json?"));
    p = PARSE(*state, "--resource");
    assert_int_equal(p.result, ARGS_WRONG);
    assert_non_null(strstr(p.diags.v[0].detail.p, "--resource TYPE"));
    p = PARSE(*state, "--json=yes");
    assert_int_equal(p.result, ARGS_WRONG);
    assert_non_null(strstr(p.diags.v[0].detail.p, "is given alone, or as"));
    p = PARSE(*state, "--quite-another-thing");
    assert_int_equal(p.result, ARGS_WRONG);
    assert_non_null(strstr(p.diags.v[0].detail.p, "--help"));
}

static void help_lists_every_option(void **state)
{
    assert_int_equal(PARSE(*state, "aws", "--help").result, ARGS_HELP);
    bool flag;
    const struct option options[] = {
        {.name = "json", .kind = OPTION_FLAG, .target = &flag, .help = "as JSON"},
        {.name = "a-name-that-is-longer-than-the-column", .kind = OPTION_TEXT, .target = &flag, .value = "X", .help = "wraps"},
        {0},
    };
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    args_help(&out, &command, options);
    buf_addc(&out, '\0');
    assert_non_null(strstr(out.p, "--json"));
    assert_non_null(strstr(out.p, "--a-name-that-is-longer-than-the-column X\n"));
    assert_non_null(strstr(out.p, "--help"));
}

static void closest_word(void **state)
{
    (void)state;
    const char *const names[] = {"schema", "provider list", "version", NULL};
    assert_string_equal(args_closest("shema", names), "schema");
    assert_string_equal(args_closest("verison", names), "version");
    assert_null(args_closest("destroy", names));
}

static void usages_say_what_arguments_are(void **state)
{
    (void)state;
    static const struct {
        const char *usage;
        size_t number;
        const char *argument;
    } cases[] = {
        {"KIND[.GROUP]|all [NAME...] [options]", 0, "KIND"},
        {"KIND[.GROUP]|all [NAME...] [options]", 1, "NAME"},
        {"KIND[.GROUP]|all [NAME...] [options]", 9, "NAME"},
        {"(KIND[.GROUP] NAME... | KIND/NAME... | -f FILE) [options]", 0, "KIND"},
        {"TYPE NAME -c FILE", 1, "NAME"},
        {"TYPE NAME -c FILE", 2, ""},
        {"PROVIDER | --schema FILE [--config FILE] -o DIR", 0, "PROVIDER"},
        {"PROVIDER | --schema FILE [--config FILE] -o DIR", 1, ""},
        {"-f FILE|DIR [options]", 0, ""},
        {"[--json]", 0, ""},
        {"[--strict] [--all] [TYPE...]", 3, "TYPE"},
        {"bash|zsh|fish", 0, "bash|zsh|fish"},
        {"", 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str found = args_argument(cases[i].usage, cases[i].number);
        if (!str_eqz(found, cases[i].argument))
            fail_msg("argument %zu of \"%s\": expected \"%s\", found \"" STR_FMT "\"", cases[i].number, cases[i].usage,
                     cases[i].argument, STR_ARG(found));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(options_stand_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_dashes_end_options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(letter_with_value_attached, set_up, tear_down),
        cmocka_unit_test_setup_teardown(durations_have_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_are_whole_and_positive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_keep_all_that_is_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(choices_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_lines_say_what_to_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(help_lists_every_option, set_up, tear_down),
        cmocka_unit_test(closest_word),
        cmocka_unit_test(usages_say_what_arguments_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
