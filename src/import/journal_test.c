/* What a resumed run has of an object: the same, and as little, as of one that is read anew. */
#include "import/journal.h"

#include "crossplane/testing_crossplane.h"
#include "import/keep.h"
#include "state/state_value.h"
#include "value/json_value.h"

#include <fcntl.h>
#include <unistd.h>

#define BLOCK "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true}}}"
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
    *w = (struct world){.arena = a, .folder = "/tmp/terrane-journal-XXXXXX", .schema = testing_schema(a, BLOCK)};
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

static struct import_result *result_of(struct world *w)
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
    item->result = result_of(&w);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resumed_run_keeps_what_a_fresh_one_does),
        cmocka_unit_test(lines_of_another_form_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
