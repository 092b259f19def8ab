/* Sources of objects, the list, and names. What is wrong with a file: tests/scenario/import. */
#include "import/worklist.h"

#include "base/testing.h"
#include "import/names.h"

static struct worklist *list_of(struct arena *a, const char *text, const char *name)
{
    struct worklist *w = arena_make(a, struct worklist);
    struct diags diags;
    diags_init(&diags, a);
    worklist_init(w, a);
    (void)worklist_read(w, str_of(text), name, &diags);
    testing_no_errors(&diags);
    assert_true(worklist_sort(w, &diags));
    return w;
}

/* "TYPE KEY NAME STATUS; ..." */
static struct str text_of(struct arena *a, const struct worklist *w)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < w->items.n; i++) {
        const struct import_item *item = &w->items.v[i];
        buf_printf(&out, "%s" STR_FMT " " STR_FMT " " STR_FMT " %s", i > 0 ? "; " : "", STR_ARG(item->type), STR_ARG(item->key),
                   STR_ARG(item->name), import_status_name(item->status));
    }
    return buf_copy(&out, a);
}

static void sources(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *expected;
    } table[] = {
        {"ids", "", ""},
        {"ids", "# all\n\n b  2\na\t1 name\r\na 1\n", "a 1 name waiting; b 2  waiting"},
        {"x.csv", "Type,ID,Name\na,\"x, \"\"y\"\"\n z\",n\n,,\nb,2\n", "a x, \"y\"\n z n waiting; b 2  waiting"},
        {"x.csv", "a,1,,more,of,it", "a 1  waiting"},
        {"x.tf", "resource \"a\" \"b\" {}\nimport {\n to = a.b\n id = \"$${x}\"\n}\n", "a ${x} b waiting"},
        {"x.tf", "import {\n to = a.b\n identity = { n = \"x\", port = 1 }\n}\n", "a {\"n\":\"x\",\"port\":1} b waiting"},
        {"x.json",
         "{\"version\":1,\"objects\":[{\"type\":\"b\",\"id\":\"1\",\"status\":\"skipped\"},{\"type\":\"a\",\"id\":\"1\"}]}",
         "a 1  waiting; b 1  skipped"},
        /* The same id in two regions is two objects; of one region it is one. */
        {"x.json",
         "{\"version\":1,\"regions\":[\"r\",\"s\"],\"objects\":[{\"type\":\"a\",\"id\":\"1\",\"region\":\"s\",\"name\":\"x\"},"
         "{\"type\":\"a\",\"id\":\"1\",\"name\":\"y\"},{\"type\":\"a\",\"id\":\"1\",\"region\":\"s\",\"name\":\"z\"}]}",
         "a 1 y waiting; a 1 x waiting"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        testing_text(text_of(a, list_of(a, table[i].text, table[i].name)), table[i].expected);
}

static void written_and_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct worklist *w =
        list_of(a, "import {\n to = a.b\n identity = { n = \"x\" }\n}\nimport {\n to = a.c\n id = \"1\"\n}\n", "x.tf");
    w->items.v[0].status = IMPORT_FAILED;
    w->items.v[0].error = STR("why");
    struct buf out BUF_AUTO = BUF_INIT(1 << 20), again BUF_AUTO = BUF_INIT(1 << 20);
    worklist_write(&out, w, STR("p"));
    worklist_write(&again, list_of(a, buf_copy(&out, a).p, "x.json"), STR("p"));
    testing_text(buf_str(&again), buf_copy(&out, a).p);
    w->items.v[0].region = STR("s");
    *VEC_PUSH(a, &w->regions) = STR("s");
    out.n = again.n = 0;
    worklist_write(&out, w, STR("p"));
    worklist_write(&again, list_of(a, buf_copy(&out, a).p, "x.json"), STR("p"));
    testing_text(buf_str(&again), buf_copy(&out, a).p);
}

static void snake(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"web", "web"},
        {"Web Server", "web_server"},
        {"webServer", "web_server"},
        {"EC2Instance", "ec2_instance"},
        {"--a--b--", "a_b"},
        {"10.0.0.1", "r_10_0_0_1"},
        {"", "object"},
        {"\xc3\xa9t\xc3\xa9", "t"},
        {"\xe6\x97\xa5", "object"},
        {"A", "a"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        testing_text(import_snake(a, str_of(table[i][0])), table[i][1]);
}

static struct import_result *result_of(struct arena *a, const char *name, const char *id)
{
    struct type_attr attrs[] = {{.name = STR("id"), .type = &type_string}, {.name = STR("name"), .type = &type_string}};
    const struct value *null = value_null(a, &type_string);
    const struct value *values[] = {value_string(a, str_of(id)), name ? value_string(a, str_of(name)) : null};
    struct import_result *r = arena_make(a, struct import_result);
    r->arena = a;
    r->state = value_object(a, type_object(a, attrs, 2), values);
    return r;
}

static void names_are_unique(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct worklist *w = list_of(a, "t 1\nt 2\nt 3 web\nt 4\nu 1\nt 5\n", "ids");
    static const char *const found[][2] = {{"web", "1"}, {"web", "2"}, {"x", "3"}, {NULL, "arn:aws:sns:us-east-1:1:topic"},
                                           {"Web", "5"}, {"web", "1"}};
    for (size_t i = 0; i < w->items.n; i++)
        w->items.v[i].result = result_of(a, found[i][0], found[i][1]);
    import_choose_names(w);
    testing_text(text_of(a, w), "t 1 web_2 waiting; t 2 web_3 waiting; t 3 web waiting; t 4 topic waiting; t 5 web_4 waiting; "
                                "u 1 web waiting");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(snake),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
