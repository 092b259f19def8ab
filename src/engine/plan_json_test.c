#include "engine/plan_json.h"

#include "change/testing_tables.h"

enum { LIMIT = 1 << 20 };

struct world {
    struct arena *arena;
    struct diags diags;
    struct engine engine;
    struct schema schema;
    struct resource resource;
};

static void world_init(struct world *w, const char *block)
{
    *w = (struct world){.arena = arena_new(NULL, 0)};
    diags_init(&w->diags, w->arena);
    w->engine = (struct engine){.arena = w->arena, .diags = &w->diags};
    w->schema.block = testing_schema(w->arena, block);
    w->schema.type = w->schema.block->type;
    w->schema.version = 2;
    w->resource = (struct resource){.type = STR("t"), .address = STR("t.this"), .schema = &w->schema};
}

static const struct value *value_of(struct world *w, const char *text)
{
    return text ? testing_value(w->arena, w->schema.block, text) : value_null(w->arena, w->schema.type);
}

static const char *write_plan(struct world *w, const struct plan *plan)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer writer = {.out = &out};
    json_begin_object(&writer);
    assert_true(plan_write_json(&writer, &w->engine, &w->resource, plan));
    json_end_object(&writer);
    assert_true(json_finish(&writer));
    testing_no_errors(&w->diags);
    return buf_copy(&out, w->arena).p;
}

/* One member of the plan's JSON, as text. */
static const char *member(struct world *w, const struct plan *plan, const char *name)
{
    const struct json *j = testing_json(w->arena, str_of(write_plan(w, plan)));
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer writer = {.out = &out};
    assert_non_null(json_get(j, name));
    json_write(&writer, json_get(j, name));
    assert_true(json_finish(&writer));
    return buf_copy(&out, w->arena).p;
}

/* What `terraform show -json` of 1.11.4 prints for such values. */
static const char everything[] =
    "{\"attributes\":{\"text\":{\"type\":\"string\",\"optional\":true},\"list\":{\"type\":[\"list\",\"string\"],\"optional\":"
    "true},"
    "\"set\":{\"type\":[\"set\",\"string\"],\"optional\":true},\"map\":{\"type\":[\"map\",\"string\"],\"optional\":true},"
    "\"object\":{\"type\":[\"object\",{\"a\":\"string\",\"b\":\"number\"}],\"optional\":true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},\"empty\":{\"type\":[\"object\",{}],\"optional\":true}},"
    "\"block_types\":{\"disk\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"size\":{\"type\":\"number\",\"optional\":"
    "true},"
    "\"id\":{\"type\":\"string\",\"computed\":true}}}}}}";

static const struct {
    const char *planned, *after, *unknown;
} values[] = {
    {"{\"text\":\"t\",\"list\":[\"a\",null],\"map\":{\"k\":\"v\"},\"object\":{\"a\":\"x\"}}",
     "{\"any\":null,\"disk\":[],\"empty\":null,\"list\":[\"a\",null],\"map\":{\"k\":\"v\"},\"object\":{\"a\":\"x\",\"b\":null},"
     "\"set\":null,\"text\":\"t\"}",
     "{}"},
    {"{\"text\":{\"$unknown\":{}},\"list\":{\"$unknown\":{}},\"set\":{\"$unknown\":{}},\"map\":{\"$unknown\":{}},"
     "\"object\":{\"$unknown\":{}},\"any\":{\"$unknown\":{}}}",
     "{\"disk\":[],\"empty\":null}",
     "{\"any\":true,\"disk\":[],\"list\":true,\"map\":true,\"object\":true,\"set\":true,\"text\":true}"},
    {"{\"text\":\"t\",\"list\":[\"a\",{\"$unknown\":{}}],\"set\":[\"a\",{\"$unknown\":{}}],\"map\":{\"k\":\"v\",\"u\":{\"$"
     "unknown\":{}}},"
     "\"object\":{\"a\":{\"$unknown\":{}},\"b\":1},\"empty\":{},\"disk\":[{\"size\":1,\"id\":{\"$unknown\":{}}},{\"size\":2}]}",
     "{\"any\":null,\"disk\":[{\"size\":1},{\"id\":null,\"size\":2}],\"empty\":{},\"list\":[\"a\",null],\"map\":{\"k\":\"v\"},"
     "\"object\":{\"b\":1},\"set\":[\"a\",null],\"text\":\"t\"}",
     "{\"disk\":[{\"id\":true},{}],\"empty\":{},\"list\":[false,true],\"map\":{\"u\":true},\"object\":{\"a\":true},"
     "\"set\":[false,true]}"},
    {"{\"any\":{\"type\":[\"tuple\",[\"bool\",[\"object\",{\"x\":\"number\"}]]],\"value\":[true,{\"x\":0.1}]}}",
     "{\"any\":[true,{\"x\":0.1}],\"disk\":[],\"empty\":null,\"list\":null,\"map\":null,\"object\":null,\"set\":null,\"text\":"
     "null}",
     "{}"},
};

static void what_is_known_and_what_is_not(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, everything);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct plan plan = {.action = ACTION_CREATE, .planned = value_of(&w, values[i].planned)};
        assert_string_equal(member(&w, &plan, "after"), values[i].after);
        assert_string_equal(member(&w, &plan, "after_unknown"), values[i].unknown);
        assert_string_equal(member(&w, &plan, "before"), "null");
        assert_string_equal(member(&w, &plan, "before_sensitive"), "false");
        assert_string_equal(member(&w, &plan, "refreshed"), "null");
    }
    arena_free(w.arena);
}

static struct path path_from(struct world *w, const char *text)
{
    return testing_path(w->arena, testing_json(w->arena, str_of(text)));
}

static void what_is_sensitive(void **state)
{
    (void)state;
    static const struct {
        const char *value, *marks[4], *sensitive;
    } cases[] = {
        {"{\"text\":\"t\",\"list\":[\"a\",\"b\"],\"map\":{\"k\":\"v\"},\"set\":[\"a\"],\"object\":{\"a\":\"x\"},\"empty\":{}}",
         {NULL},
         "{\"disk\":[],\"empty\":{},\"list\":[false,false],\"map\":{},\"object\":{},\"set\":[false]}"},
        {"{\"text\":\"t\",\"list\":[\"a\",\"b\"],\"map\":{\"k\":\"v\",\"l\":\"w\"},\"object\":{\"a\":\"x\"}}",
         {"[\"text\"]", "[\"list\",[1]]", "[\"map\",[\"l\"]]", "[\"object\",\"a\"]"},
         "{\"disk\":[],\"list\":[false,true],\"map\":{\"l\":true},\"object\":{\"a\":true},\"text\":true}"},
        {"{\"set\":[\"a\",\"b\"],\"map\":{\"k\":\"v\"},\"disk\":[{\"size\":1},{\"size\":2}]}",
         {"[\"set\"]", "[\"map\"]", "[\"disk\",[1],\"size\"]", "[\"text\"]"},
         "{\"disk\":[{},{\"size\":true}],\"map\":true,\"set\":true,\"text\":true}"},
        {"{\"list\":{\"$unknown\":{}},\"map\":{\"$unknown\":{}},\"object\":{\"$unknown\":{}},\"any\":{\"$unknown\":{}}}",
         {"[\"object\"]"},
         "{\"disk\":[],\"list\":[],\"map\":{},\"object\":true}"},
    };
    struct world w;
    world_init(&w, everything);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct path paths[4];
        size_t n = 0;
        for (; n < 4 && cases[i].marks[n]; n++)
            paths[n] = path_from(&w, cases[i].marks[n]);
        struct plan plan = {.action = ACTION_CREATE, .planned = value_of(&w, cases[i].value)};
        plan.after_sensitive = marks_make(w.arena, paths, n);
        assert_string_equal(member(&w, &plan, "after_sensitive"), cases[i].sensitive);
    }
    arena_free(w.arena);
}

static void paths_are_in_the_order_of_core(void **state)
{
    (void)state;
    /* As terraform printed them for modern_nested_replace and modern_replace. */
    static const char *const orders[][7] = {
        {"[\"members\",[\"a\"],\"zone\"]", "[\"placement\"]", "[\"boot\",\"image\"]", "[\"order\"]", "[\"disks\",[0],\"type\"]",
         NULL},
        {"[\"placement\"]", "[\"subnet\"]", "[\"zones\"]", "[\"labels\"]", "[\"engine\"]", "[\"disk\",[0],\"image\"]", NULL},
    };
    static const char *const written[] = {
        "[[\"members\",\"a\",\"zone\"],[\"placement\"],[\"boot\",\"image\"],[\"order\"],[\"disks\",0,\"type\"]]",
        "[[\"placement\"],[\"subnet\"],[\"zones\"],[\"labels\"],[\"engine\"],[\"disk\",0,\"image\"]]",
    };
    struct world w;
    world_init(&w, everything);
    for (size_t i = 0; i < 2; i++) {
        size_t n = 0;
        while (orders[i][n])
            n++;
        struct path paths[7]; /* backwards: the order in which a provider names them does not matter */
        for (size_t k = 0; k < n; k++)
            paths[n - 1 - k] = path_from(&w, orders[i][k]);
        struct plan plan = {.action = ACTION_DELETE_THEN_CREATE, .reason = "replace_because_cannot_update"};
        plan.planned = value_of(&w, "{\"text\":\"t\"}");
        plan.replace_paths = (struct change_paths){paths, n};
        assert_string_equal(member(&w, &plan, "replace_paths"), written[i]);
        assert_string_equal(member(&w, &plan, "actions"), "[\"delete\",\"create\"]");
        assert_string_equal(member(&w, &plan, "action_reason"), "\"replace_because_cannot_update\"");
    }
    arena_free(w.arena);
}

static void whole_plans(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true}}}");
    struct state_instance stored = {.dependencies = (struct str[]){STR("a.b")}, .n_dependencies = 1};
    struct plan plan = {.action = ACTION_DELETE, .planned = value_of(&w, NULL)};
    plan.prior = (struct object){
        .value = value_of(&w, "{\"id\":\"i\"}"), .private = STR("null"), .create_before_destroy = true, .stored = &stored};
    assert_string_equal(
        write_plan(&w, &plan),
        "{\"actions\":[\"delete\"],\"before\":{\"id\":\"i\"},\"after\":null,\"after_unknown\":{},"
        "\"before_sensitive\":{},\"after_sensitive\":false,\"replace_paths\":[],\"refreshed\":{\"schema_version\":2,"
        "\"attributes\":{\"id\":\"i\"},\"sensitive_attributes\":[],\"private\":\"bnVsbA==\"}}");
    /* There is no object, before or after. */
    plan = (struct plan){.action = ACTION_NO_OP, .planned = value_of(&w, NULL)};
    assert_string_equal(
        write_plan(&w, &plan),
        "{\"actions\":[\"no-op\"],\"before\":null,\"after\":null,\"after_unknown\":null,\"before_sensitive\":null,"
        "\"after_sensitive\":null,\"replace_paths\":[],\"refreshed\":null}");
    arena_free(w.arena);
}

/* The object's text is made once and used in three places; where types are written with it, as in a state, the text differs. */
static void an_object_that_stays_stands_in_three_places(void **state)
{
    (void)state;
    static const struct {
        const char *type, *plain, *stored;
    } rows[] = {
        {"\"string\"", "\"<v> \\u0001\"", "\"<v> \\u0001\""},
        {"[\"list\",\"number\"]", "[1,0.10]", "[1,0.1]"},
        {"\"dynamic\"", "{\"type\":\"string\",\"value\":\"v\"}", "{\"value\":\"v\",\"type\":\"string\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        world_init(&w, arena_printf(a, "{\"attributes\":{\"x\":{\"type\":%s,\"optional\":true}}}", rows[i].type).p);
        const struct value *v = value_of(&w, arena_printf(a, "{\"x\":%s}", rows[i].plain).p);
        struct plan plan = {.action = ACTION_NO_OP, .prior = {.value = v}, .planned = v};
        const char *before = member(&w, &plan, "before");
        assert_string_equal(member(&w, &plan, "after"), before);
        plan.planned = value_copy(w.arena, v);
        assert_string_equal(member(&w, &plan, "after"), before);
        assert_string_equal(
            member(&w, &plan, "refreshed"),
            arena_printf(a, "{\"schema_version\":2,\"attributes\":{\"x\":%s},\"sensitive_attributes\":[]}", rows[i].stored).p);
        arena_free(w.arena);
    }
}

static void diagnostics(void **state)
{
    (void)state;
    struct world w;
    world_init(&w, everything);
    struct path in_set = path_element(w.arena, path_from(&w, "[\"set\"]"), value_of(&w, NULL));
    diags_warn(&w.diags, "W", "%s", "line\nline");
    (void)diags_fail_at(&w.diags, path_from(&w, "[\"tags\",[\"k\"],[3]]"), "E", "%s", "");
    (void)diags_fail_at(&w.diags, path_attr(w.arena, in_set, STR("x")), "S", "%s", "d");
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer writer = {.out = &out};
    diags_write_json(&writer, &w.diags);
    assert_true(json_finish(&writer));
    assert_string_equal(buf_copy(&out, w.arena).p,
                        "[{\"severity\":\"warning\",\"summary\":\"W\",\"detail\":\"line\\nline\"},"
                        "{\"severity\":\"error\",\"summary\":\"E\",\"detail\":\"\",\"path\":[\"tags\",\"k\",3]},"
                        "{\"severity\":\"error\",\"summary\":\"S\",\"detail\":\"d\",\"path\":[\"set\"]}]");
    arena_free(w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_and_what_is_not),
        cmocka_unit_test(what_is_sensitive),
        cmocka_unit_test(paths_are_in_the_order_of_core),
        cmocka_unit_test(whole_plans),
        cmocka_unit_test(an_object_that_stays_stands_in_three_places),
        cmocka_unit_test(diagnostics),
    };
    return cmocka_run_group_tests_name("engine/plan_json", tests, NULL, NULL);
}
