/* The contents of pages, and their limited size. */
#include "generate/page.h"

#include "crossplane/testing_crossplane.h"
#include "crossplane/text.h"

static const char *page_of(struct arena *a, const char *block, const char *yaml, const struct xp_notes *more)
{
    struct testing_kind t = testing_build(a, block, yaml, COMPAT_OWN);
    testing_no_errors(&t.diags);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    page_write(&out, &t.kind, more ? more : &t.notes, FLAVOUR_BOTH);
    assert_true(buf_ok(&out));
    return buf_copy(&out, a).p;
}

static void has(const char *page, const char *part)
{
    if (!strstr(page, part))
        fail_msg("\"%s\" is not in:\n%s", part, page);
}

static void has_not(const char *page, const char *part)
{
    if (strstr(page, part))
        fail_msg("\"%s\" is in:\n%s", part, page);
}

static const char block[] =
    "{\"description\":\"A thing.\\nUseful.\",\"attributes\":{"
    "\"name\":{\"type\":\"string\",\"required\":true,\"description\":\"(Required) Its name: a|b or <c>, `d<e`\"},"
    "\"vpc_id\":{\"type\":\"string\",\"optional\":true,\"description\":\"Where.\"},"
    "\"password\":{\"type\":\"string\",\"required\":true,\"sensitive\":true},"
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true,\"computed\":true},"
    "\"pair\":{\"type\":[\"tuple\",[\"string\"]],\"optional\":true},"
    "\"id\":{\"type\":\"string\",\"computed\":true},\"arn\":{\"type\":\"string\",\"computed\":true},"
    "\"token\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}},"
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"port\":{\"type\":\"number\",\"required\":"
    "true},\"id\":{\"type\":\"string\",\"computed\":true}}}}}}";
static const char yaml[] = "provider: x\nresources:\n  x_*:\n    references: {vpc_id: x_vpc}\n    immutable: [name]\n"
                           "    identifiers: [vpc_id]\n    cluster: {version: v9}\n";

static void parts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *page = page_of(a, block, yaml, NULL);
    has(page, "# Kind\n\nTerraform resource `x_thing_kind`.\n\nA thing. Useful.\n");
    has(page, "| namespaced | `thing.x.m.terrane.dev/v1alpha1` | `kinds.thing.x.m.terrane.dev` |\n"
              "| cluster-scoped | `thing.x.terrane.dev/v9` | `kinds.thing.x.terrane.dev` |\n");
    has(page, "```yaml\napiVersion: thing.x.m.terrane.dev/v1alpha1\n");
    has(page, "| `name` | string | yes | Its name: a\\|b or \\<c>, `d<e`. Cannot be changed. |\n");
    has(page, "| `passwordSecretRef` | key of a secret | yes | |\n");
    has(page, "| `tags` | map of string | | |\n");
    has(page, "| `rule` | list of object | | |\n| `rule[].port` | number | yes | |\n");
    has(page, "| `vpcId` | string | | Where. Part of the id. `vpcIdRef`: Reference to a VPC in x to populate vpcId. "
              "`vpcIdSelector`: Selector for a VPC in x to populate vpcId. |\n");
    has(page, "## Outputs\n\nOf `status.atProvider`, which repeats the parameters that are not secret.\n\n"
              "| field | type | |\n|---|---|---|\n| `arn` | string | |\n| `id` | string | |\n| `rule[].id` | string | |\n\n");
    has(page, "- `attribute.token`\n");
    has(page, "## External name\n\nAnnotation `crossplane.io/external-name`: the id, which the provider gives.");
    has(page, "## Notes\n\n- `pair`: A tuple");
}

static void only_its_notes(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_notes notes = {.arena = a};
    xp_notes_add(&notes, NOTE_REDUCED, STR("x_other"), STR_EMPTY, "of another");
    has_not(page_of(a, "{}", NULL, &notes), "## Notes");
    xp_notes_add(&notes, NOTE_REDUCED, STR("x_thing_kind"), STR_EMPTY, "of this one");
    const char *page = page_of(a, "{}", NULL, &notes);
    has(page, "- of this one\n");
    has_not(page, "of another");
    has(page, "## Parameters\n\nOf `spec.forProvider`; what applies at creation only may be set in `spec.initProvider` "
              "instead.\n\nNone.\n");
}

static void add_blocks(struct buf *out, int depth, int width)
{
    buf_addz(out, "{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true}}");
    for (int i = 0; depth > 0 && i < width; i++) {
        buf_printf(out, "%s\"block_%d\":{\"nesting_mode\":\"list\",\"block\":", i ? "," : ",\"block_types\":{", i);
        add_blocks(out, depth - 1, width);
        buf_addz(out, i + 1 < width ? "}" : "}}");
    }
    buf_addz(out, "}");
}

/* 10^4 blocks: the page shows the first levels, and says where to find the others. */
static void bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(TESTING_MAX);
    add_blocks(&text, 4, 10);
    const char *page = page_of(a, buf_copy(&text, a).p, NULL, NULL);
    assert_true(strlen(page) < 100000);
    has(page, "| `block9[].block9` | list of object | | |\n");
    has_not(page, "block9[].block9[].block9");
    has(page, "Deeper levels: `kubectl explain kinds.spec.forProvider --recursive`.\n");
}

static void external_names(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *strategy, *says;
    } cases[] = {
        {"{strategy: name}", "the argument `name`, which is the id too"},
        {"{strategy: parameter, field: bucket}", "the argument `bucket`, which is the id too"},
        {"{strategy: template, field: name, template: \"a/{{ .parameters.vpc }}/{{ .external_name }}\"}",
         "the argument `name`. The id is `a/{{ .parameters.vpc }}/{{ .external_name }}`.\n\nTo bring one that exists under "
         "management, give its external name and the parameters that are part of its id"},
        {"{strategy: computed, field: arn}", "the attribute `arn`, which the provider computes"},
        {"{strategy: provider, name_field: vpc}", "the attribute `vpc`.\n"},
        {"{strategy: provider}", "the attribute `arn`.\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str config = arena_printf(a, "provider: x\nresources:\n  x_*: {external_name: %s}\n", cases[i].strategy);
        has(page_of(a,
                    "{\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true},\"bucket\":{\"type\":\"string\","
                    "\"required\":true},\"vpc\":{\"type\":\"string\",\"required\":true},\"arn\":{\"type\":\"string\","
                    "\"computed\":true}}}",
                    config.p, NULL),
            cases[i].says);
    }
}

static void texts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *text, *line, *sentence;
        size_t max;
    } cases[] = {
        {" one\n two\t\x01three ", "one two three", "one two three", 20},
        {"One. Two.", "One. Two.", "One.", 20},
        {"One\n\nTwo.", "One Two.", "One", 20},
        {"Ask for v1.2, e.g. this. Then", "Ask for v1.2, e.g. this. Then", "Ask for v1.2, e.g. this.", 60},
        {"one two three four", "one two...", "one two...", 13},
        {"one two, three", "one two...", "one two...", 13},
        {"abcdefghijklmnop", "abcdefg...", "abcdefg...", 10},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9\xc3\xa9...", "\xc3\xa9\xc3\xa9\xc3\xa9...", 10},
        {"a\xff\xc3(b", "a(b", "a(b", 10},
        {"", "", "", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(xp_text_line(a, str_of(cases[i].text), cases[i].max).p, cases[i].line);
        assert_string_equal(xp_text_sentence(a, str_of(cases[i].text), cases[i].max).p, cases[i].sentence);
    }
}

static void markdown(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *text, *cell, *paragraph;
    } cases[] = {
        {"a *b* `c` [d](https://e) 1. f", "a *b* `c` [d](https://e) 1. f", "a *b* `c` [d](https://e) 1. f"},
        {"a|b", "a\\|b", "a\\|b"},
        {"a\\|b \\<b> \\_", "a\\|b \\<b> \\_", "a\\|b \\<b> \\_"}, /* escaped already */
        {"a\\\\|b c\\", "a\\\\\\|b c\\\\", "a\\\\\\|b c\\\\"},
        {"<b> `<b>`", "\\<b> `<b>`", "\\<b> `<b>`"},
        {"`a|b`", "`a\\|b`", "`a|b`"},
        {"`a\\|b`", "\\`a\\|b\\`", "\\`a\\|b\\`"}, /* cannot be code in a table */
        {"`cut <b>", "\\`cut \\<b>", "\\`cut \\<b>"},
        {"`` ` ``<b>", "`` ` ``\\<b>", "`` ` ``\\<b>"},
        {"` `` ` <b> ``", "` `` ` \\<b> \\`\\`", "` `` ` \\<b> \\`\\`"},
        {"[a](javascript:b) ![c](https://d)", "[a\\](javascript:b) \\![c](https://d)", "[a\\](javascript:b) \\![c](https://d)"},
        {"# a", "# a", "\\# a"},
        {"~~~", "~~~", "\\~~~"},
        {"- a", "- a", "\\- a"},
        {"12. a", "12. a", "12\\. a"},
        {"[a]: b", "[a]: b", "\\[a]: b"},
        {"12", "12", "12"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf cell BUF_AUTO = BUF_INIT(TESTING_MAX), paragraph BUF_AUTO = BUF_INIT(TESTING_MAX);
        xp_text_cell(&cell, str_of(cases[i].text));
        xp_text_paragraph(&paragraph, str_of(cases[i].text));
        assert_string_equal(buf_copy(&cell, a).p, cases[i].cell);
        assert_string_equal(buf_copy(&paragraph, a).p, cases[i].paragraph);
    }
    static const char *const names[][2] = {{"a.b", "`a.b`"}, {"a`b", "`` a`b ``"}, {"a``|\n`b", "``` a``\\| `b ```"}, {"", "``"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct buf code BUF_AUTO = BUF_INIT(TESTING_MAX);
        xp_text_code(a, &code, str_of(names[i][0]));
        assert_string_equal(buf_copy(&code, a).p, names[i][1]);
    }
}

static void index_of_kinds(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct generated done = {0};
    const char *const kinds[][4] = {{"x_z_b", "z", "B", "bs"}, {"x_a", "", "A", "as"}, {"x_z_a", "z", "A", "as"}};
    for (size_t i = 0; i < 3; i++)
        *VEC_PUSH(a, &done.kinds) = (struct generated_kind){.type = str_of(kinds[i][0]),
                                                            .group = str_of(kinds[i][1]),
                                                            .kind = str_of(kinds[i][2]),
                                                            .plural = str_of(kinds[i][3])};
    struct generate_options options = {.address = STR("r/n/x"), .version = STR("1.2"), .emit = EMIT_DOCS};
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    page_write_index(&out, &options, &done);
    assert_string_equal(buf_copy(&out, a).p, "# Kinds of r/n/x 1.2\n\n## root\n\n| kind | Terraform |\n|---|---|\n"
                                             "| [A](root_as.md) | `x_a` |\n\n## z\n\n| kind | Terraform |\n|---|---|\n"
                                             "| [A](z_as.md) | `x_z_a` |\n| [B](z_bs.md) | `x_z_b` |\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),          cmocka_unit_test(only_its_notes), cmocka_unit_test(bounded),
        cmocka_unit_test(external_names), cmocka_unit_test(texts),          cmocka_unit_test(markdown),
        cmocka_unit_test(index_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
