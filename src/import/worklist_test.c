/*
 * Sources of objects, the list, names, what is kept of objects, and their outcomes. tests/scenario/import checks errors in files.
 */
#include "import/worklist.h"

#include "base/testing.h"
#include "crossplane/testing_crossplane.h"
#include "import/journal.h"
#include "import/keep.h"
#include "import/manifests.h"
#include "import/names.h"
#include "state/state_value.h"
#include "value/json_value.h"
#include "yaml/yaml.h"

#include <fcntl.h>
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
        /* The same id in two regions means two objects; within one region it is one. */
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

/* A state file with n objects, and the `list` made from it. */
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

/* Writes the list and reads it again; returns how much memory that took. */
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
    struct type_attr attrs[] = {{.name = STR("broker_name"), .type = &type_string},
                                {.name = STR("id"), .type = &type_string},
                                {.name = STR("name"), .type = &type_string}};
    const struct value *null = value_null(a, &type_string);
    const struct value *values[] = {value_string(a, STR("orders")), value_string(a, str_of(id)),
                                    name ? value_string(a, str_of(name)) : null};
    struct import_result *r = arena_make(a, struct import_result);
    r->arena = a;
    r->state = value_object(a, type_object(a, attrs, 3), values);
    return r;
}

static void names_are_unique(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct worklist *w = list_of(a, "t 1\nt 2\nt 3 web\nt 4\nu 1\nt 5\nv main-db\nv main/db\nx_broker 9f\n", "ids");
    static const char *const found[][2] = {
        {"web", "1"}, {"web", "2"}, {"x", "3"},          {NULL, "arn:aws:sns:us-east-1:1:topic"},
        {"Web", "5"}, {"web", "1"}, {NULL, "db-M5ENSH"}, {NULL, "db-M5ENSH"},
        {NULL, "9f"}};
    for (size_t i = 0; i < w->items.n; i++)
        w->items.v[i].result = result_of(a, found[i][0], found[i][1]);
    import_choose_names(w);
    testing_text(text_of(a, w),
                 "t 1 web_2 waiting; t 2 web_3 waiting; t 3 web waiting; t 4 topic waiting; t 5 web_4 waiting; "
                 "u 1 web waiting; v main-db main_db waiting; v main/db db_m5_ensh waiting; x_broker 9f orders waiting");
}

/* --- the journal --- */

/* A resumed run has the same results as a fresh one, and needs as little memory. */

#define JOURNAL_BLOCK                                                                                                            \
    "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true}}}"
#define ATTRIBUTES "{\"id\":\"i\",\"name\":\"n\"}"

struct world {
    struct arena *arena;
    struct diags diags;
    const struct provider_schema *schema;
    struct worklist list;
    struct import_journal journal;
    char folder[32];
};

static void open_world(struct world *w, struct arena *a)
{
    *w = (struct world){.arena = a, .folder = "/tmp/terrane-journal-XXXXXX", .schema = testing_schema(a, JOURNAL_BLOCK)};
    diags_init(&w->diags, a);
    worklist_init(&w->list, a);
    struct import_item item = {.type = STR("x_thing_kind"), .id = STR("i")};
    assert_true(worklist_add(&w->list, &item, "test", &w->diags));
    assert_non_null(mkdtemp(w->folder));
    assert_true(import_journal_open(&w->journal, a, w->folder, 0, true, &w->diags));
}

static void close_world(struct world *w)
{
    worklist_free_results(&w->list);
    import_journal_close(&w->journal);
    (void)unlink(w->journal.path);
    (void)rmdir(w->folder);
}

static struct import_result *kept_result(struct world *w)
{
    struct arena *a = w->arena;
    struct import_result r = {.arena = a};
    r.resource.type = STR("x_thing_kind");
    r.resource.schema = map_get(&w->schema->resources, r.resource.type);
    r.instance.attributes = testing_jsonz(a, ATTRIBUTES);
    r.state = state_get_attributes(a, &r.instance, r.resource.schema->type, &w->diags);
    r.configured.config =
        value_from_json(a, testing_jsonz(a, "{\"id\":null,\"name\":\"n\"}"), r.resource.schema->type, PATH_ROOT, &w->diags);
    testing_no_errors(&w->diags);
    return import_keep(&r);
}

static void a_resumed_run_keeps_what_a_fresh_one_does(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct world w;
    open_world(&w, a);
    struct import_item *item = &w.list.items.v[0];
    item->result = kept_result(&w);
    item->status = IMPORT_CLEAN;
    assert_true(import_journal_add(&w.journal, item, &w.diags));
    size_t fresh = arena_used(item->result->arena);
    worklist_free_results(&w.list);
    item->status = IMPORT_WAITING;
    import_journal_load(&w.journal, &w.list, w.schema);
    assert_non_null(item->result);
    assert_int_equal(item->status, IMPORT_CLEAN);
    testing_text(json_text(json_get(item->result->instance.attributes, "name"), STR_EMPTY), "n");
    assert_int_equal(arena_used(item->result->arena), fresh);
    close_world(&w);
}

static void lines_of_another_form_are_passed_over(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const states[] = {"\"attributes_flat\":{\"id\":\"i\"}", "\"attributes\":null", "\"other\":1"};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        struct world w;
        open_world(&w, a);
        struct str line =
            arena_printf(a,
                         "{\"asked\":\"x_thing_kind\",\"key\":\"i\",\"type\":\"x_thing_kind\",\"style\":0,\"status\":%d,"
                         "\"state\":{\"schema_version\":0,%s},\"config\":" ATTRIBUTES "}\n",
                         (int)IMPORT_CLEAN, states[i]);
        assert_true(file_put(w.journal.fd, line));
        import_journal_load(&w.journal, &w.list, w.schema);
        assert_null(w.list.items.v[0].result);
        close_world(&w);
    }
}

/* --- manifests --- */

/* Objects of a type with two secrets: their Secrets, and their names. */

#define SECRETS_BLOCK                                                                                                            \
    "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true},"          \
    "\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"                                                   \
    "\"token\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}"

/* The files for one object for each name; the names end with NULL. */
static struct import_files files_of(struct arena *a, const char *const *names)
{
    struct worklist list;
    struct import_files files = {0};
    struct diags diags;
    diags_init(&diags, a);
    worklist_init(&list, a);
    const struct provider_schema *schema = testing_schema(a, SECRETS_BLOCK);
    for (size_t i = 0; names[i]; i++) {
        struct str id = arena_printf(a, "id-%zu", i);
        struct import_item item = {.type = STR("x_thing_kind"), .id = id, .name = str_of(names[i])};
        assert_true(worklist_add(&list, &item, "test", &diags));
        struct import_result *r = arena_make(a, struct import_result);
        r->resource.schema = map_get(&schema->resources, STR("x_thing_kind"));
        r->instance.attributes = testing_json(a, arena_printf(a, "{\"id\":\"" STR_FMT "\"}", STR_ARG(id)));
        r->configured.config =
            value_implied_by_json(a, testing_jsonz(a, "{\"name\":\"n\",\"password\":\"p1\",\"token\":\"t1\"}"), &diags);
        if (str_starts(item.name, STR("ignored")))
            *r = (struct import_result){
                .resource = r->resource,
                .instance = r->instance,
                .configured = {.config = r->configured.config, .ignored = {arena_make(a, struct path), 1}}};
        list.items.v[i].result = r;
    }
    struct import_manifests in = {
        .arena = a, .list = &list, .schema = schema, .config = testing_config(a, NULL), .provider_name = STR("x")};
    bool ok = import_make_manifests(&in, &files, &diags);
    testing_no_errors(&diags);
    assert_true(ok);
    return files;
}

static struct yaml_documents documents(struct arena *a, const struct import_files *files, const char *path)
{
    struct yaml_documents all = {0};
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < files->files.n; i++)
        if (str_eqz(files->files.v[i].path, path))
            assert_true(yaml_parse_all(a, files->files.v[i].content, path, &diags, &all));
    return all;
}

static const struct json *nth(const struct yaml_documents *all, size_t i)
{
    assert_true(i < all->n);
    return all->v ? all->v[i] : NULL;
}

static void an_object_has_one_secret_with_all_its_keys(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct import_files files = files_of(a, (const char *const[]){"web", NULL});
    struct yaml_documents secrets = documents(a, &files, "manifests/namespaced/secrets.yaml");
    assert_int_equal(secrets.n, 1);
    testing_text(json_text(testing_at(secrets.v[0], "metadata name"), STR_EMPTY), "x-thing-kind-web");
    testing_text(json_text(testing_at(secrets.v[0], "stringData password"), STR_EMPTY), "p1");
    testing_text(json_text(testing_at(secrets.v[0], "stringData token"), STR_EMPTY), "t1");
    struct yaml_documents objects = documents(a, &files, "manifests/namespaced/x_thing_kind.yaml");
    assert_int_equal(objects.n, 1);
    testing_text(json_text(testing_at(objects.v[0], "spec forProvider passwordSecretRef key"), STR_EMPTY), "password");
    testing_text(json_text(testing_at(objects.v[0], "spec forProvider tokenSecretRef name"), STR_EMPTY), "x-thing-kind-web");
}

/* A manifest cannot ignore an argument, so such an object is not updated until a user allows it. */
static void what_is_ignored_is_not_updated(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct import_files files = files_of(a, (const char *const[]){"ignored", "web", NULL});
    struct yaml_documents objects = documents(a, &files, "manifests/namespaced/x_thing_kind.yaml");
    assert_true(json_eq(testing_at(nth(&objects, 0), "spec managementPolicies"),
                        testing_jsonz(a, "[\"Observe\",\"Create\",\"Delete\",\"LateInitialize\"]")));
    assert_null(json_get(json_get(nth(&objects, 1), "spec"), "managementPolicies"));
}

static void names_are_those_of_kubernetes_each_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *longer = arena_make_n(a, char, 301);
    memset(longer, 'l', 300);
    const char *const names[] = {"a_b", "a-b", "_x", "Web", "web", "x_", longer, NULL};
    static const char *const expected[] = {"a-b", "a-b-2", "x", "web", "web-2", "x-2"};
    struct import_files files = files_of(a, names);
    struct yaml_documents objects = documents(a, &files, "manifests/cluster/x_thing_kind.yaml");
    struct yaml_documents secrets = documents(a, &files, "manifests/cluster/secrets.yaml");
    assert_int_equal(objects.n, 7);
    assert_int_equal(secrets.n, 7);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        testing_text(json_text(testing_at(nth(&objects, i), "metadata name"), STR_EMPTY), expected[i]);
        testing_text(json_text(testing_at(nth(&secrets, i), "metadata name"), STR_EMPTY),
                     arena_printf(a, "x-thing-kind-%s", expected[i]).p);
    }
    assert_true(json_text(testing_at(nth(&objects, 6), "metadata name"), STR_EMPTY).n < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources),
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(objects_of_a_state_are_found_again_at_the_cost_of_each),
        cmocka_unit_test(snake),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(a_resumed_run_keeps_what_a_fresh_one_does),
        cmocka_unit_test(lines_of_another_form_are_passed_over),
        cmocka_unit_test(an_object_has_one_secret_with_all_its_keys),
        cmocka_unit_test(what_is_ignored_is_not_updated),
        cmocka_unit_test(names_are_those_of_kubernetes_each_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
