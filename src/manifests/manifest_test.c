/* Parsing files, and their errors. */
#include "manifests/manifest.h"

#include "base/testing.h"
#include "store/object.h"

static struct arena *arena;
static struct diags diags;

static int begin(void **state)
{
    (void)state;
    arena = arena_new(NULL, 0);
    diags_init(&diags, arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* "Kind/namespace/name@line ...", and whether parsing succeeded. */
static const char *read(const char *text, const char *source, bool *ok)
{
    struct manifests list = {0};
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    *ok = manifests_parse(arena, str_of(text), source, &diags, &list);
    for (size_t i = 0; i < list.n; i++)
        buf_printf(&out, "%s" STR_FMT "/" STR_FMT "/" STR_FMT "@%u", i > 0 ? " " : "", STR_ARG(list.v[i].key.kind),
                   STR_ARG(list.v[i].key.namespace), STR_ARG(list.v[i].key.name), list.v[i].line);
    return buf_copy(&out, arena).p;
}

static void reads(const char *text, const char *source, const char *expected)
{
    bool ok;
    assert_string_equal(read(text, source, &ok), expected);
    testing_no_errors(&diags);
    assert_true(ok);
}

static void refuses(const char *text, const char *source, const char *says)
{
    bool ok;
    (void)read(text, source, &ok);
    assert_false(ok);
    testing_says(&diags, says);
    diags_init(&diags, arena);
}

#define SECRET(name) "apiVersion: v1\nkind: Secret\nmetadata: {name: " name "}\n"

static void what_files_have(void **state)
{
    (void)state;
    reads("", "a.yaml", "");
    reads("# nothing\n---\n---\n", "a.yaml", "");
    reads(SECRET("a"), "a.yaml", "Secret//a@1");
    reads(SECRET("a") "---\n# comment\n---\n" SECRET("b"), "a.yaml", "Secret//a@1 Secret//b@7");
    reads("\xef\xbb\xbf" SECRET("a"), "a.yaml", "Secret//a@1");
    reads("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}", "a.json",
          "Secret/n/a@1");
    reads("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"a\"}}", "standard input", "Secret//a@1");
    reads(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n- apiVersion: v1\n  kind: "
        "SecretList\n  items: []\n",
        "a.yaml", "Secret//a@4");
    reads("x: &x {name: a}\napiVersion: v1\nkind: Secret\nmetadata: *x\n", "a.yaml", "Secret//a@1");
}

static void what_is_wrong(void **state)
{
    (void)state;
    refuses("a: 1\n  b: 2\n", "a.yaml", "a.yaml:");
    refuses("- 1\n", "a.yaml", "a.yaml:1:1: expected an object with apiVersion, kind and metadata, found a list");
    refuses("kind: Secret\n", "a.yaml", "a.yaml:1:1: apiVersion is missing; expected a string, such as apiVersion: v1");
    refuses("apiVersion: ''\nkind: Secret\n", "a.yaml", "apiVersion is empty; expected a string, such as apiVersion: v1");
    refuses("apiVersion: v1\nkind: 7\n", "a.yaml", "a.yaml:2:7: kind is a number; expected a string");
    refuses("apiVersion: v1\nkind: Secret\n", "a.yaml", "metadata must be an object");
    refuses("apiVersion: v1\nkind: Secret\nmetadata: {}\n", "a.yaml", "a.yaml:3:11: name is missing");
    refuses("apiVersion: v1\nkind: Secret\nmetadata: {generateName: a-}\n", "a.yaml", "needs metadata.name");
    refuses("apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: 1}\n", "a.yaml", "metadata.namespace must be a string");
    refuses(SECRET("a") "kind: Secret\n", "a.yaml", "a.yaml:4:1");
    refuses("{\"apiVersion\":\"v1\",}", "a.json", "a.json:1:20");
    refuses("{\"a\":1,\"a\":2}", "a.json", "a.json:1:8");
}

static void the_others_of_a_file_count(void **state)
{
    (void)state;
    bool ok;
    assert_string_equal(read(SECRET("a") "---\nkind: Secret\n---\n" SECRET("b"), "a.yaml", &ok), "Secret//a@1 Secret//b@7");
    assert_false(ok);
    testing_says(&diags, "a.yaml:5:1: apiVersion is missing");
}

static void hostile_texts(void **state)
{
    (void)state;
    struct buf deep BUF_AUTO = BUF_INIT(1 << 20);
    for (int i = 0; i < 100000; i++)
        buf_addc(&deep, '[');
    refuses(buf_copy(&deep, arena).p, "a.yaml", "a.yaml:1:");
    refuses(
        "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
        "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
        "g: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
        "a.yaml", "a.yaml:");
    struct buf many BUF_AUTO = BUF_INIT(MANIFEST_MAX_FILE);
    for (int i = 0; i <= MANIFEST_MAX_DOCUMENTS; i++)
        buf_printf(&many, "---\n" SECRET("a%d"), i);
    refuses(buf_copy(&many, arena).p, "a.yaml", "more than 10000 objects in one file");
    refuses("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: "
            "[{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: []}]}]}]}]\n",
            "a.yaml", "nested too deeply");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_files_have, begin, end),
        cmocka_unit_test_setup_teardown(what_is_wrong, begin, end),
        cmocka_unit_test_setup_teardown(the_others_of_a_file_count, begin, end),
        cmocka_unit_test_setup_teardown(hostile_texts, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
