/* Sources of objects, the list, and names. What is wrong with a file: tests/scenario/import. */
#include "import/worklist.h"

#include "base/testing.h"
#include "import/names.h"
#include "state/state.h"

#include <unistd.h>

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

/* A state of n objects in a file, of which `list` is made. */
static void state_of(struct arena *a, size_t n, struct worklist *list, const char *path)
{
    struct buf text BUF_AUTO = BUF_INIT(64 << 20);
    struct diags diags;
    diags_init(&diags, a);
    buf_addz(&text, "{\"version\":4,\"serial\":1,\"lineage\":\"l\",\"resources\":[");
    for (size_t i = 0; i < n; i++)
        buf_printf(&text,
                   "%s{\"mode\":\"managed\",\"type\":\"t\",\"name\":\"n%zu\",\"provider\":\"p\",\"instances\":[{"
                   "\"index_key\":1,\"schema_version\":0,\"attributes\":{\"id\":\"i%zu\"}}]}",
                   i > 0 ? "," : "", i, i);
    buf_addz(&text, "]}");
    assert_true(file_write(path, buf_str(&text), 0600, &diags));
    worklist_init(list, a);
    (void)worklist_read(list, STR_EMPTY, path, &diags);
    testing_no_errors(&diags);
}

/* The list written and read again: how much that took. */
static size_t used_again(struct arena *a, const struct worklist *list, struct diags *diags)
{
    struct arena *own ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(64 << 20);
    struct worklist again;
    diags_init(diags, a);
    worklist_write(&out, list, STR("p"));
    worklist_init(&again, own);
    if (worklist_read(&again, buf_str(&out), "x.json", diags))
        for (size_t i = 0; i < list->items.n; i++)
            testing_text(state_instance_id(again.items.v[i].stored), list->items.v[i].id.p);
    return arena_used(own);
}

static void objects_of_a_state_are_found_again_at_the_cost_of_each(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct worklist few, many;
    struct diags diags;
    char path[] = "/tmp/terrane-worklist-XXXXXX.tfstate";
    int fd = mkstemps(path, (int)strlen(".tfstate"));
    assert_true(fd >= 0);
    (void)close(fd);
    state_of(a, 1000, &few, path);
    size_t for_few = used_again(a, &few, &diags);
    testing_no_errors(&diags);
    state_of(a, 4000, &many, path);
    size_t for_many = used_again(a, &many, &diags);
    testing_no_errors(&diags);
    if (for_many > 6 * for_few)
        fail_msg("1000 objects take %zu bytes, 4000 take %zu", for_few, for_many);
    many.items.v[7].at = STR("t.nobody[1]");
    (void)used_again(a, &many, &diags);
    testing_says(&diags, "does not have \"t.nobody[1]\" any more");
    (void)unlink(path);
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
        cmocka_unit_test(objects_of_a_state_are_found_again_at_the_cost_of_each),
        cmocka_unit_test(snake),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
