#include "yaml/yaml.h"

#include "base/testing_table.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define DATA TERRANE_SOURCE "/src/yaml/testdata/"

enum { MAX_OUTPUT = 64 << 20 };

static struct str print(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

/* The document as JSON, or "error DETAIL". */
static struct str read_as_json(struct arena *a, struct str yaml)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = yaml_parse(a, yaml, "f", &diags);
    if (j) {
        assert_int_equal(diags.n, 0);
        return print(a, j);
    }
    assert_int_equal(diags.n, 1);
    assert_string_equal(diags.v[0].summary.p, "Invalid YAML");
    assert_true(str_starts(diags.v[0].detail, STR("f:")));
    return arena_printf(a, "error %s", diags.v[0].detail.p + 2);
}

static void scalars_mean_what_kubernetes_takes_them_for(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, DATA "scalars.txt");
    for (size_t i = 0; i < table.n; i++) {
        const struct table_row *row = &table.v[i];
        struct str yaml = arena_printf(a, "k: " STR_FMT "\n", STR_ARG(row->field[0]));
        struct str expected = arena_printf(a, "{\"k\":" STR_FMT "}", STR_ARG(row->field[1]));
        struct str got = read_as_json(a, yaml);
        bool ok = str_eqz(row->field[1], "error") ? str_starts(got, STR("error 1:")) : str_eq(got, expected);
        if (!ok)
            fail_msg("scalars.txt:%zu: %s is %s", row->line, row->field[0].p, got.p);
    }
}

struct document {
    struct str name, yaml, expected;
};

/* The next case of documents.txt; false at the end. */
static bool next_document(struct arena *a, struct str *rest, struct document *ret)
{
    struct str line = STR_EMPTY;
    while (rest->n > 0 && !str_starts(line, STR("=== ")))
        line = str_cut(rest, '\n');
    if (rest->n == 0)
        return false;
    ret->name = arena_str(a, str_slice(line, 4, line.n));
    const char *start = rest->p;
    do
        line = str_cut(rest, '\n');
    while (rest->n > 0 && !str_starts(line, STR("--> ")));
    ret->yaml = table_unescape(a, (struct str){start, (size_t)(line.p - start)});
    ret->expected = table_unescape(a, str_slice(line, 4, line.n));
    return true;
}

static void documents_are_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct str rest;
    struct document document;
    size_t n = 0, n_wrong = 0;
    diags_init(&diags, a);
    assert_true(file_read(a, DATA "documents.txt", TABLE_MAX_FILE, &diags, &rest));
    for (; next_document(a, &rest, &document); n++) {
        struct str got = read_as_json(a, document.yaml);
        bool is_error = str_starts(document.expected, STR("error "));
        if (is_error ? str_starts(got, document.expected) : str_eq(got, document.expected))
            continue;
        print_error("documents.txt: %s: %s\n", document.name.p, got.p);
        n_wrong++;
    }
    assert_int_equal(n_wrong, 0);
    assert_true(n > 70);
}

static void streams_have_several_documents(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct yaml_documents documents;
    diags_init(&diags, a);
    struct str text = STR("# none\n---\na: &x 1\n---\n---\n- 2\n...\n---\nnull\n--- text\n");
    assert_true(yaml_parse_all(a, text, "f", &diags, &documents));
    assert_int_equal(documents.n, 3);
    assert_string_equal(print(a, documents.v[0]).p, "{\"a\":1}");
    assert_string_equal(print(a, documents.v[1]).p, "[2]");
    assert_int_equal(documents.v[1]->line, 6);
    assert_string_equal(print(a, documents.v[2]).p, "\"text\"");
    assert_true(yaml_parse_all(a, STR_EMPTY, "f", &diags, &documents));
    assert_int_equal(documents.n, 0);
    /* Anchors belong to their document. */
    assert_false(yaml_parse_all(a, STR("a: &x 1\n---\nb: *x\n"), "f", &diags, &documents));
    /* One bad document makes the whole stream an error. */
    assert_false(yaml_parse_all(a, STR("a: 1\n---\n[\n"), "f", &diags, &documents));
}

static void positions_are_kept(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = yaml_parse(a, STR("é: {x: 1}\nlist:\n  - a\n  - key: v\n"), "f", &diags);
    assert_non_null(j);
    assert_int_equal(j->object.members[0].column, 1);
    assert_int_equal(json_get(j, "é")->column, 4);
    const struct json *list = json_get(j, "list");
    assert_int_equal(j->object.members[1].line, 2);
    assert_int_equal(list->array.items[1]->line, 4);
    assert_int_equal(json_get(list->array.items[1], "key")->column, 10);
}

static struct str repeat(struct arena *a, const char *text, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    for (size_t i = 0; i < n; i++)
        buf_addz(&out, text);
    return buf_copy(&out, a);
}

static void expect_error(struct arena *a, struct str yaml, const char *part)
{
    struct str got = read_as_json(a, yaml);
    if (!str_starts(got, STR("error ")) || !strstr(got.p, part))
        fail_msg("expected %s, got %.200s", part, got.p);
}

static void laughs_are_bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT), merges BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    buf_addz(&out, "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
    for (int i = 1; i < 30; i++)
        buf_printf(&out, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1, i - 1, i - 1, i - 1,
                   i - 1, i - 1, i - 1, i - 1);
    expect_error(a, buf_str(&out), "too many nodes once its aliases are expanded");
    assert_true(arena_used(a) < 4 << 20); /* nothing was copied */

    buf_addz(&merges, "m0: &m0 {k0: 1, k1: 1, k2: 1}\n");
    for (int i = 1; i < 60; i++)
        buf_printf(&merges, "m%d: &m%d {<<: *m%d, x%d: *m%d}\n", i, i, i - 1, i, i - 1);
    expect_error(a, buf_str(&merges), "too many nodes once its aliases are expanded");
}

static void depth_is_bounded_also_through_aliases(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str open = repeat(a, "[", JSON_MAX_DEPTH), close = repeat(a, "]", JSON_MAX_DEPTH);
    struct str fits = arena_printf(a, "%s%s", open.p, close.p);
    assert_false(str_starts(read_as_json(a, fits), STR("error")));
    expect_error(a, arena_printf(a, "[%s]", fits.p), "nested deeper than 256 levels");
    expect_error(a, repeat(a, "[", 20000), "nested deeper than 256 levels");
    expect_error(a, repeat(a, "- ", 100000), "nested deeper than 256 levels");
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    buf_addz(&out, "a0: &a0 [1]\n");
    for (int i = 1; i < 400; i++)
        buf_printf(&out, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    expect_error(a, buf_str(&out), "nested deeper than 256 levels");
}

/* A list with an anchored list of a thousand, aliases of it, and single items: 1 + 1001 * (1 + n_aliases) + n_single nodes. */
static struct str document_of_nodes(struct arena *a, size_t n_aliases, size_t n_single)
{
    return arena_printf(a, "- &a [%s]\n%s%s", repeat(a, "1,", 1000).p, repeat(a, "- *a\n", n_aliases).p,
                        repeat(a, "- 2\n", n_single).p);
}

static void size_is_bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *small ARENA_AUTO = arena_new(NULL, 1 << 20);
    expect_error(a, repeat(a, "# a comment of thirty two bytes\n", 600000), "expected at most 16 MiB of text");
    struct diags diags;
    diags_init(&diags, a);
    assert_null(yaml_parse(small, repeat(a, "- 1\n", 30000), "f", &diags));
    assert_non_null(strstr(diags.v[0].detail.p, "more than the memory set aside"));
    assert_int_equal(1 + 1001 * (1 + 1046) + 528, YAML_MAX_NODES);
    assert_non_null(yaml_parse(a, document_of_nodes(a, 1046, 528), "f", &diags));
    assert_null(yaml_parse(a, document_of_nodes(a, 1046, 529), "f", &diags));
    assert_non_null(strstr(diags.v[1].detail.p, "too many nodes"));
}

/* A scalar of many thousand lines needs neither deep recursion nor quadratic time. */
static void long_scalars_are_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct str lines = repeat(a, "  x\n", 300000);
    const struct json *j = yaml_parse(a, arena_printf(a, "a: |\n%s", lines.p), "f", &diags);
    assert_int_equal(json_text(json_get(j, "a"), STR_EMPTY).n, 600000);
    j = yaml_parse(a, arena_printf(a, "a: >-\n%s", lines.p), "f", &diags);
    assert_int_equal(json_text(json_get(j, "a"), STR_EMPTY).n, 599999);
    j = yaml_parse(a, arena_printf(a, "a: '%s'", repeat(a, "''", 100000).p), "f", &diags);
    assert_int_equal(json_text(json_get(j, "a"), STR_EMPTY).n, 100000);
}

/* Writing */

static void output_is_block_style(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a,
                                      STR("{\"apiVersion\":\"v1\",\"num\":1.50,\"none\":null,\"yes\":true,\"empty\":[{},[],\"\"],"
                                          "\"list\":[\"a\",{\"b\":\"c: d\",\"e\":[1]},[[2],3]],\"text\":\"one\\n  two\\n\","
                                          "\"strip\":\"x\\ny\",\"deep\":{\"er\":{\"quoted\":\"true\",\"num\":\"12\"}}}"),
                                      "j", &diags);
    yaml_write(&out, j);
    buf_addc(&out, '\0');
    assert_string_equal(out.p, "apiVersion: v1\n"
                               "num: 1.50\n"
                               "none: null\n"
                               "\"yes\": true\n"
                               "empty:\n"
                               "- {}\n"
                               "- []\n"
                               "- \"\"\n"
                               "list:\n"
                               "- a\n"
                               "- b: \"c: d\"\n"
                               "  e:\n"
                               "  - 1\n"
                               "- - - 2\n"
                               "  - 3\n"
                               "text: |\n"
                               "  one\n"
                               "    two\n"
                               "strip: |-\n"
                               "  x\n"
                               "  y\n"
                               "deep:\n"
                               "  er:\n"
                               "    quoted: \"true\"\n"
                               "    num: \"12\"\n");
}

static void round_trip(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    struct diags diags;
    diags_init(&diags, a);
    yaml_write(&out, j);
    assert_true(buf_ok(&out));
    const struct json *again = yaml_parse(a, buf_str(&out), "out", &diags);
    if (!again || !json_eq(j, again))
        fail_msg("%s became\n%.*s", print(a, j).p, (int)out.n, out.p);
}

/* Strings that some reader would not read as strings, alone and as parts of longer ones. */
static const char *const tricky[] = {
    "",
    " ",
    "a",
    "é",
    "true",
    "no",
    "y",
    "~",
    "null",
    "1",
    "0x1f",
    "1e5",
    "1_000",
    ".inf",
    "2024-01-01",
    "12:30:45",
    "-",
    "- ",
    "---",
    "...",
    "?",
    ": ",
    ":",
    "a:",
    "#",
    " #",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%",
    "@",
    "`",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "<<",
    "=",
    "\\",
    "\n",
    "\n\n",
    "\t",
    "\r",
    "a\nb",
    "a\nb\n",
    " a\nb",
    "a \nb",
    "\na",
    "\xc2\x85",
    "\xe2\x80\xa8",
    "\xef\xbb\xbf",
    "\x7f",
    "\x1b",
    "\xef\xbf\xbe",
    "\xf0\x9f\x98\x80",
    "key: value\n- item\n",
    "  indented\nthen not\n",
    "trailing \n",
    "tab\there",
    "x: |\n",
    "10.0.0.0/16",
    "arn:aws:s3:::b/*",
    "a,b",
    "${var.x}",
};
enum { N_TRICKY = sizeof tricky / sizeof tricky[0] };

static void every_tricky_string_survives(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < N_TRICKY; i++)
        for (size_t k = 0; k < N_TRICKY; k++) {
            struct str text = arena_printf(a, "%s%s", tricky[i], tricky[k]);
            const struct json *string = json_make_string(a, text);
            struct json_member member = {.key = text, .value = string};
            const struct json *items[] = {string, json_make_object(a, &member, 1)};
            round_trip(a, string);
            round_trip(a, json_make_array(a, items, 2));
        }
    round_trip(a, json_make_string(a, STR("nul\0inside")));
    round_trip(a, json_make_string(a, repeat(a, "long key ", 500)));
    struct json_member member = {.key = repeat(a, "long key ", 500), .value = json_make_array(a, NULL, 0)};
    round_trip(a, json_make_object(a, &member, 1));
}

static void numbers_survive_whatever_their_size(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "1.0",
                                          "1e5",
                                          "1E+5",
                                          "-1.5e-7",
                                          "1e400",
                                          "-1e400",
                                          "1e-400",
                                          "123456789012345678901234567890",
                                          "18446744073709551616",
                                          "0.1e99999999999999999999"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        round_trip(a, json_make_number(a, str_of(numbers[i])));
    round_trip(a, json_make_number(a, arena_printf(a, "1%s", repeat(a, "0", 10000).p)));
}

/* A small generator with a fixed seed, so that failures can be reproduced. */
static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static struct str random_text(struct arena *a, uint64_t *seed)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    for (uint32_t n = next_random(seed) % 4; n > 0; n--)
        buf_addz(&out, tricky[next_random(seed) % N_TRICKY]);
    return buf_copy(&out, a);
}

static const struct json *random_tree(struct arena *a, uint64_t *seed, int depth)
{
    enum { MOST = 4 };
    uint32_t kind = next_random(seed) % (depth > 0 ? 10 : 6);
    size_t n = next_random(seed) % (MOST + 1);
    if (kind == 0)
        return json_make_null(a);
    if (kind == 1)
        return json_make_bool(a, n % 2);
    if (kind == 2)
        return json_make_number(a, arena_printf(a, "%d.%de%d", (int)n, (int)next_random(seed) % 100, (int)n - 2));
    if (kind < 6)
        return json_make_string(a, random_text(a, seed));
    const struct json *items[MOST];
    struct json_member members[MOST];
    for (size_t i = 0; i < n; i++) {
        items[i] = random_tree(a, seed, depth - 1);
        /* The number makes keys unique. */
        members[i] = (struct json_member){.key = arena_printf(a, "%s%d", random_text(a, seed).p, (int)i), .value = items[i]};
    }
    return kind < 8 ? json_make_array(a, items, n) : json_make_object(a, members, n);
}

static void random_trees_survive(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 3000; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        round_trip(a, random_tree(a, &seed, 5));
    }
}

static void a_full_buffer_is_seen(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(10);
    yaml_write(&out, json_make_string(a, STR("longer than ten bytes")));
    assert_false(buf_ok(&out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_mean_what_kubernetes_takes_them_for),
        cmocka_unit_test(documents_are_read),
        cmocka_unit_test(streams_have_several_documents),
        cmocka_unit_test(positions_are_kept),
        cmocka_unit_test(laughs_are_bounded),
        cmocka_unit_test(depth_is_bounded_also_through_aliases),
        cmocka_unit_test(size_is_bounded),
        cmocka_unit_test(long_scalars_are_read),
        cmocka_unit_test(output_is_block_style),
        cmocka_unit_test(every_tricky_string_survives),
        cmocka_unit_test(numbers_survive_whatever_their_size),
        cmocka_unit_test(random_trees_survive),
        cmocka_unit_test(a_full_buffer_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
