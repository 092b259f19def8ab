#include "jsonrpc/plan_token.h"

#include "base/base64.h"
#include "change/testing_tables.h"

enum { LIMIT = 1 << 20 };

static const char schema_text[] =
    "{\"resource_schemas\":{\"t\":{\"version\":3,\"block\":{\"attributes\":{"
    "\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},\"size\":{\"type\":\"number\",\"optional\":true},"
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true}}}}},"
    "\"resource_identity_schemas\":{\"t\":{\"version\":1,\"attributes\":{\"id\":{\"type\":\"string\",\"required_for_import\":"
    "true}}}}}";

struct world {
    struct arena *arena;
    struct rpc_plan_key key;
    const struct provider_schema *schema;
    struct resource resource;
    struct diags diags;
};

static void world_init(struct world *w)
{
    w->arena = arena_new(NULL, 0);
    rpc_plan_key_make(&w->key);
    diags_init(&w->diags, w->arena);
    w->schema = testing_provider(w->arena, schema_text);
    w->resource = (struct resource){
        .type = STR("t"),
        .address = STR("t.this"),
        .schema = map_get(&w->schema->resources, STR("t")),
        .identity = map_get(&w->schema->identities, STR("t")),
    };
    assert_non_null(w->resource.identity);
}

static void world_end(struct world *w)
{
    rpc_plan_key_done(&w->key);
    arena_free(w->arena);
}

static struct path path_of(struct arena *a, const char *attr, const char *key)
{
    struct path path = path_attr(a, PATH_ROOT, str_of(attr));
    return key ? path_key(a, path, str_of(key)) : path;
}

static struct change_paths paths_of(struct arena *a, struct path one, struct path two)
{
    struct path *v = arena_make_n(a, struct path, 2);
    v[0] = one;
    v[1] = two;
    return (struct change_paths){v, 2};
}

static const struct value *identity_of(struct world *w, const char *id)
{
    const struct value *v = value_string(w->arena, str_of(id));
    return value_object(w->arena, w->resource.identity->type, &v);
}

/* Something in every field. */
static struct plan full_plan(struct world *w)
{
    struct arena *a = w->arena;
    const struct schema_block *block = w->resource.schema->block;
    struct plan plan = {
        .action = ACTION_DELETE_THEN_CREATE,
        .reason = "replace_because_cannot_update",
        .prior = {.value = testing_value(a, block,
                                         "{\"id\":\"i\",\"name\":\"old\",\"size\":0.1,\"tags\":{\"a\":\"b\"},"
                                         "\"any\":{\"type\":[\"tuple\",[\"bool\"]],\"value\":[true]}}"),
                  .identity = identity_of(w, "i"),
                  .private = {"p\0q", 3},
                  .tainted = true,
                  .create_before_destroy = true},
        .config = {.json =
                       testing_json(a, STR("{\"name\":\"new\",\"size\":\"12345678901234567890123456789\",\"any\":[1,null]}"))},
        .options = {.no_refresh = true, .replace = true, .create_before_destroy = true, .ignore_all = true},
        .planned = testing_value(a, block, "{\"id\":{\"$unknown\":{\"not_null\":true,\"prefix\":\"t-\"}},\"name\":\"new\"}"),
        .planned_private = STR("planned"),
        .planned_identity = identity_of(w, "j"),
        .replace_paths = paths_of(a, path_of(a, "name", NULL), path_index(a, path_of(a, "any", NULL), 7)),
    };
    plan.config.value = change_config_read(a, block, plan.config.json, NULL, &w->diags);
    assert_non_null(plan.config.value);
    plan.options.ignore = paths_of(a, path_of(a, "tags", "a"), path_of(a, "size", NULL));
    struct change_paths marks = paths_of(a, path_of(a, "tags", "a"), path_of(a, "id", NULL));
    plan.prior.sensitive = marks_make(a, marks.v, 1);
    plan.before_sensitive = marks_make(a, marks.v, 2);
    plan.after_sensitive = marks_make(a, marks.v + 1, 1);
    return plan;
}

static struct str seal(struct world *w, const struct rpc_plan_header *header, const struct plan *plan)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    assert_true(rpc_plan_seal(&out, &w->key, header, w->schema, &w->resource, plan, &w->diags));
    return buf_copy(&out, w->arena);
}

static bool same_value(const struct value *a, const struct value *b)
{
    return a && b ? value_raw_eq(a, b) : a == b;
}

static bool same_paths(struct change_paths a, struct change_paths b)
{
    bool same = a.n == b.n;
    for (size_t i = 0; same && i < a.n; i++)
        same = path_eq(a.v[i], b.v[i]);
    return same;
}

static void assert_same_plan(const struct plan *a, const struct plan *b)
{
    assert_int_equal(a->action, b->action);
    assert_true(str_eq(str_of(a->reason), str_of(b->reason)));
    assert_true(same_value(a->prior.value, b->prior.value) && same_value(a->prior.identity, b->prior.identity));
    assert_true(str_eq(a->prior.private, b->prior.private) && marks_eq(a->prior.sensitive, b->prior.sensitive));
    assert_int_equal(a->prior.tainted, b->prior.tainted);
    assert_int_equal(a->prior.create_before_destroy, b->prior.create_before_destroy);
    assert_true(same_value(a->config.value, b->config.value));
    assert_true(a->config.json ? json_eq(a->config.json, b->config.json) : !b->config.json);
    assert_int_equal(a->options.no_refresh, b->options.no_refresh);
    assert_int_equal(a->options.replace, b->options.replace);
    assert_int_equal(a->options.ignore_all, b->options.ignore_all);
    assert_int_equal(a->options.create_before_destroy, b->options.create_before_destroy);
    assert_true(same_paths(a->options.ignore, b->options.ignore));
    assert_true(same_value(a->planned, b->planned) && same_value(a->planned_identity, b->planned_identity));
    assert_true(str_eq(a->planned_private, b->planned_private));
    assert_true(marks_eq(a->before_sensitive, b->before_sensitive) && marks_eq(a->after_sensitive, b->after_sensitive));
    assert_true(same_paths(a->replace_paths, b->replace_paths));
}

static void a_plan_comes_back_whole(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    const struct value *nothing = value_null(w.arena, w.resource.schema->type);
    struct plan plans[] = {full_plan(&w), {.action = ACTION_NO_OP, .config = {.value = nothing}, .planned = nothing}};
    for (size_t i = 0; i < 2; i++) {
        struct rpc_plan_header header = {.handle = 12, .sequence = UINT64_MAX - i, .complete = true, .type = STR("t")};
        struct rpc_sealed_plan sealed;
        struct plan back;
        assert_true(rpc_plan_unseal(w.arena, &w.key, seal(&w, &header, &plans[i]), &sealed));
        assert_true(sealed.header.handle == 12 && sealed.header.sequence == UINT64_MAX - i && sealed.header.complete);
        assert_true(str_eqz(sealed.header.type, "t"));
        assert_true(rpc_plan_decode(w.arena, &w.key, &sealed, w.schema, &w.resource, &back));
        assert_same_plan(&plans[i], &back);
    }
    world_end(&w);
}

static void what_does_not_change_is_there_once(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct plan plan = full_plan(&w), back;
    const struct rpc_plan_header header = {.handle = 1, .sequence = 1, .complete = true, .type = STR("t")};
    plan.planned = value_copy(w.arena, plan.prior.value);
    struct str twice = seal(&w, &header, &plan);
    plan.planned = plan.prior.value;
    struct str once = seal(&w, &header, &plan);
    assert_true(once.n < twice.n);
    struct rpc_sealed_plan sealed;
    assert_true(rpc_plan_unseal(w.arena, &w.key, once, &sealed));
    assert_true(rpc_plan_decode(w.arena, &w.key, &sealed, w.schema, &w.resource, &back));
    assert_same_plan(&back, &plan);
    assert_ptr_equal(back.planned, back.prior.value);
    world_end(&w);
}

static void an_incomplete_one_is_a_header(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct plan plan = full_plan(&w);
    struct rpc_plan_header header = {.handle = 1, .sequence = 2, .type = STR("t")};
    struct rpc_sealed_plan sealed;
    struct plan back;
    assert_true(rpc_plan_unseal(w.arena, &w.key, seal(&w, &header, &plan), &sealed));
    assert_false(sealed.header.complete);
    assert_int_equal(sealed.body.n, 0);
    assert_false(rpc_plan_decode(w.arena, &w.key, &sealed, w.schema, &w.resource, &back));
    world_end(&w);
}

/* A change of any byte, or a truncation, is detected. */
static void forgeries_are_refused(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct plan plan = full_plan(&w);
    struct rpc_plan_header header = {.handle = 1, .sequence = 2, .complete = true, .type = STR("t")};
    struct str text = seal(&w, &header, &plan), bytes;
    struct rpc_sealed_plan sealed;
    assert_true(base64_read(w.arena, text, &bytes));
    for (size_t i = 0; i < bytes.n; i++) {
        struct buf changed BUF_AUTO = BUF_INIT(LIMIT), encoded BUF_AUTO = BUF_INIT(LIMIT);
        buf_add(&changed, bytes);
        changed.p[i] ^= (char)(1 << (i % 8));
        base64_write(&encoded, buf_str(&changed));
        assert_false(rpc_plan_unseal(w.arena, &w.key, buf_str(&encoded), &sealed));
        buf_clear(&encoded);
        base64_write(&encoded, str_slice(bytes, 0, i));
        assert_false(rpc_plan_unseal(w.arena, &w.key, buf_str(&encoded), &sealed));
    }
    struct rpc_plan_key other PLAN_KEY_AUTO;
    rpc_plan_key_make(&other);
    assert_false(rpc_plan_unseal(w.arena, &other, text, &sealed));
    assert_false(rpc_plan_unseal(w.arena, &w.key, STR(""), &sealed));
    assert_false(rpc_plan_unseal(w.arena, &w.key, STR("%%%"), &sealed));
    world_end(&w);
}

static void another_schema_is_another_provider(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct plan plan = full_plan(&w), back;
    struct rpc_plan_header header = {.handle = 1, .sequence = 2, .complete = true, .type = STR("t")};
    struct rpc_sealed_plan sealed;
    assert_true(rpc_plan_unseal(w.arena, &w.key, seal(&w, &header, &plan), &sealed));
    const struct provider_schema *other = testing_provider(w.arena, schema_text);
    assert_false(rpc_plan_decode(w.arena, &w.key, &sealed, other, &w.resource, &back));
    assert_true(rpc_plan_decode(w.arena, &w.key, &sealed, w.schema, &w.resource, &back));
    /* The content is checked for bounds in spite of the checksum. */
    for (size_t n = 0; n < sealed.body.n; n++) {
        struct rpc_sealed_plan cut = sealed;
        cut.body.n = n;
        assert_false(rpc_plan_decode(w.arena, &w.key, &cut, w.schema, &w.resource, &back));
    }
    world_end(&w);
}

static void what_does_not_fit_is_said(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct plan plan = full_plan(&w);
    struct rpc_plan_header header = {.handle = 1, .sequence = 2, .complete = true, .type = STR("t")};
    struct buf small BUF_AUTO = BUF_INIT(16);
    assert_false(rpc_plan_seal(&small, &w.key, &header, w.schema, &w.resource, &plan, &w.diags));
    assert_true(diags_has_errors(&w.diags));
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_comes_back_whole),
        cmocka_unit_test(what_does_not_change_is_there_once),
        cmocka_unit_test(an_incomplete_one_is_a_header),
        cmocka_unit_test(forgeries_are_refused),
        cmocka_unit_test(another_schema_is_another_provider),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests_name("jsonrpc/plan_token", tests, NULL, NULL);
}
