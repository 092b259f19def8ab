/*
 * Requests with the fake provider: the order and the words of core's and the provider's diagnostics, and the life of an object
 * from its first plan to its destruction.
 */
#include "engine/request.h"

#include "engine/testing_pool.h"

#define ADDRESS "registry.terraform.io/terrane/fake"

static const char schema[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"" ADDRESS "\":{\"provider\":{\"version\":0,\"block\":{}},"
    "\"resource_schemas\":{\"fake_thing\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"required\":true},"
    "\"size\":{\"type\":\"number\",\"optional\":true}}}}},"
    "\"data_source_schemas\":{\"fake_fact\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"key\":{\"type\":\"string\",\"required\":true},\"answer\":{\"type\":\"string\",\"computed\":true}}}}}}}}";

/* The provider has diagnostics for configurations with these words. */
static const char script[] = "rules:\n"
                             "  - match: {rpc: ValidateResourceConfig, contains: doubtful}\n"
                             "    do: {diagnostics: [{severity: warning, summary: Doubtful, attribute: name}]}\n"
                             "  - match: {rpc: ValidateResourceConfig, contains: wrong}\n"
                             "    do: {diagnostics: [{severity: error, summary: Wrong, attribute: name}]}\n";

/* A provider, an engine that uses it, and a request that is used again and again. */
struct set {
    struct stage stage;
    struct pool_provider *opened;
    struct lease lease;
    struct diags warnings;
    struct engine engine;
    struct request q;
};

static void set_begin(struct set *t)
{
    *t = (struct set){0};
    stage_begin(&t->stage, script, (struct pool_options){0});
    (void)stage_file(&t->stage, "schema.json", schema);
    t->opened = must_open(&t->stage, "{}");
    t->lease = must_borrow(&t->stage, t->opened);
    diags_init(&t->warnings, t->stage.arena);
    diags_warn(&t->warnings, "Old region", "It will go.");
    t->engine = (struct engine){
        .arena = t->stage.arena,
        .diags = &t->stage.diags,
        .provider = t->lease.provider,
        .memo = t->lease.memo,
        .schema = t->lease.schema,
        .provider_address = STR(ADDRESS),
    };
    t->q = (struct request){.engine = &t->engine, .type = STR("fake_thing"), .name = STR("this"), .warnings = &t->warnings};
}

static void set_end(struct set *t)
{
    lease_return(&t->lease);
    pool_provider_close(t->opened);
    stage_end(&t->stage);
}

static const struct json *parse(struct set *t, const char *text)
{
    return text ? json_parse(t->stage.arena, str_of(text), "test", &t->stage.diags) : NULL;
}

/* The summaries since the last look, "|" between them. */
static const char *said(struct set *t)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    for (size_t i = 0; i < t->stage.diags.n; i++)
        buf_printf(&out, "%s" STR_FMT, i > 0 ? "|" : "", STR_ARG(t->stage.diags.v[i].summary));
    diags_init(&t->stage.diags, t->stage.arena);
    return buf_copy(&out, t->stage.arena).p;
}

static const struct state_instance *store(struct set *t, const struct object *o)
{
    struct state_instance *stored = arena_make(t->stage.arena, struct state_instance);
    assert_true(engine_store(&t->engine, &t->q.resource, o, stored));
    return stored;
}

static void complaints_come_in_cores_order(void **state)
{
    (void)state;
    static const struct {
        const char *config, *ignore, *said;
    } rows[] = {
        /* A path that cannot be a reference is found before all else. */
        {"{\"bogus\": 1}", "[[\"name\", 0], [\"nothing\"]]", "Old region|Invalid expression"},
        /* If core refuses the configuration, the provider is not asked, and paths are not looked up. */
        {"{\"bogus\": 1}", "[[\"nothing\"]]", "Old region|Extraneous JSON object property|Missing required argument"},
        {"{\"name\": \"wrong\", \"bogus\": 1}", "[[\"nothing\"]]", "Old region|Extraneous JSON object property"},
        /* The provider is asked even if paths are wrong. */
        {"{\"name\": \"wrong\"}", "[[\"nothing\"]]", "Old region|Unsupported attribute|Wrong"},
        {"{\"name\": \"doubtful\"}", "[[\"nothing\"]]", "Old region|Unsupported attribute|Doubtful"},
        {"{\"name\": \"fine\"}", "[[\"nothing\"]]", "Old region|Unsupported attribute"},
        {"{\"name\": \"wrong\"}", "[[\"id\"]]", "Old region|Redundant ignore_changes element|Wrong"},
        {"{\"name\": \"wrong\"}", "[[]]", "Old region|Invalid path"},
        {"{\"name\": \"wrong\"}", NULL, "Old region|Wrong"},
    };
    struct set t;
    set_begin(&t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wanted wanted = {.config = parse(&t, rows[i].config), .ignore = parse(&t, rows[i].ignore)};
        struct plan plan;
        assert_int_equal(request_plan(&t.q, NULL, &wanted, &plan), ENGINE_FAILED);
        assert_string_equal(said(&t), rows[i].said);
        assert_int_equal(request_validate(&t.q, &wanted), ENGINE_FAILED);
        assert_string_equal(said(&t), rows[i].said);
    }
    set_end(&t);
}

static void what_is_fine_is_planned_with_what_was_warned_of(void **state)
{
    (void)state;
    struct set t;
    set_begin(&t);
    struct wanted wanted = {.config = parse(&t, "{\"name\": \"doubtful\"}"), .ignore = parse(&t, "[[\"id\"]]")};
    struct plan plan;
    assert_int_equal(request_plan(&t.q, NULL, &wanted, &plan), ENGINE_OK);
    assert_string_equal(said(&t), "Old region|Redundant ignore_changes element|Doubtful");
    assert_int_equal(plan.action, ACTION_CREATE);
    assert_int_equal(plan.options.ignore.n, 1);
    /* Without object and configuration the provider is not used, so there are no warnings. */
    assert_int_equal(request_plan(&t.q, NULL, &(struct wanted){0}, &plan), ENGINE_OK);
    assert_string_equal(said(&t), "");
    assert_int_equal(plan.action, ACTION_NO_OP);
    set_end(&t);
}

static void who_names_a_type_that_is_missing_hears_other_words(void **state)
{
    (void)state;
    struct set t;
    set_begin(&t);
    t.q.type = STR("fake_thin");
    t.q.warnings = NULL;
    struct wanted wanted = {.config = parse(&t, "{}")};
    struct state_instance stored = {.attributes = parse(&t, "{}")};
    struct plan plan;
    struct object object;
    struct imports imports;
    const struct value *value;
    static const char unread[] = "no schema available for fake_thin.this while reading state; this is a bug in Terraform and "
                                 "should be reported";
    assert_int_equal(request_plan(&t.q, NULL, &wanted, &plan), ENGINE_FAILED);
    must_say(&t.stage, "The provider terrane/fake does not support resource type \"fake_thin\". Did you mean \"fake_thing\"?");
    assert_string_equal(said(&t), "Invalid resource type");
    assert_false(request_find(&t.q));
    assert_string_equal(said(&t), "Invalid resource type");
    assert_int_equal(request_plan(&t.q, &stored, &(struct wanted){0}, &plan), ENGINE_FAILED);
    assert_string_equal(said(&t), unread);
    assert_int_equal(request_refresh(&t.q, &stored, NULL, &object), ENGINE_FAILED);
    assert_string_equal(said(&t), unread);
    assert_int_equal(request_upgrade(&t.q, &stored, &object), ENGINE_FAILED);
    assert_string_equal(said(&t), unread);
    t.q.address = STR("module.net.fake_thin.this");
    assert_int_equal(request_import(&t.q, &(struct import_target){.id = STR("x")}, &imports), ENGINE_FAILED);
    assert_string_equal(said(&t), "provider does not support resource type for \"module.net.fake_thin.this\"");
    assert_int_equal(request_read_data(&t.q, wanted.config, &value), ENGINE_FAILED);
    assert_string_equal(said(&t), "Invalid data source");
    set_end(&t);
}

/* Plans, applies and stores. */
static const struct state_instance *change(struct set *t, const struct state_instance *stored, const struct wanted *wanted,
                                           enum change_action action)
{
    struct plan plan;
    struct applied applied;
    assert_int_equal(request_plan(&t->q, stored, wanted, &plan), ENGINE_OK);
    assert_int_equal(plan.action, action);
    assert_int_equal(plan.planned == plan.prior.value, action == ACTION_NO_OP);
    assert_int_equal(request_apply(&t->q, &plan, &applied), ENGINE_OK);
    assert_int_equal(applied.called, action != ACTION_NO_OP);
    return applied.object.value ? store(t, &applied.object) : NULL;
}

static void an_object_lives_from_plan_to_plan(void **state)
{
    (void)state;
    struct set t;
    set_begin(&t);
    t.q.warnings = NULL;
    struct wanted one = {.config = parse(&t, "{\"name\": \"a\", \"size\": 1}")};
    struct wanted two = {.config = parse(&t, "{\"name\": \"a\", \"size\": 2}")};
    struct wanted kept = two;
    kept.ignore = parse(&t, "[[\"size\"]]");
    const struct state_instance *stored = change(&t, NULL, &one, ACTION_CREATE);
    stored = change(&t, stored, &one, ACTION_NO_OP);
    stored = change(&t, stored, &kept, ACTION_NO_OP);
    stored = change(&t, stored, &two, ACTION_UPDATE);
    two.replace = true;
    stored = change(&t, stored, &two, ACTION_DELETE_THEN_CREATE);
    struct object before, now;
    assert_int_equal(request_refresh(&t.q, stored, &before, &now), ENGINE_OK);
    assert_true(value_raw_eq(before.value, now.value));
    struct imports imports;
    struct import_target target = {.id = value_get(now.value, STR("id"))->string};
    assert_int_equal(request_import(&t.q, &target, &imports), ENGINE_OK);
    assert_true(value_raw_eq(imports.v[0].object.value, now.value));
    assert_null(change(&t, stored, &(struct wanted){0}, ACTION_DELETE));
    must_be_silent(&t.stage);
    set_end(&t);
}

static void without_a_process_a_plan_changes_nothing(void **state)
{
    (void)state;
    struct set t;
    set_begin(&t);
    struct wanted one = {.config = parse(&t, "{\"name\": \"a\"}")}, two = {.config = parse(&t, "{\"name\": \"b\"}")};
    const struct state_instance *stored = change(&t, NULL, &one, ACTION_CREATE);
    struct plan plan;
    struct applied applied;
    assert_int_equal(request_plan(&t.q, stored, &two, &plan), ENGINE_OK);
    (void)said(&t);
    t.engine.provider = NULL;
    assert_int_equal(request_apply(&t.q, &plan, &applied), ENGINE_LOST);
    assert_ptr_equal(applied.object.value, plan.prior.value);
    assert_false(applied.called);
    assert_string_equal(said(&t), "Old region");
    set_end(&t);
}

static void a_data_source_is_read_after_cores_rules(void **state)
{
    (void)state;
    struct set t;
    set_begin(&t);
    t.q.type = STR("fake_fact");
    const struct value *v;
    assert_int_equal(request_read_data(&t.q, parse(&t, "{}"), &v), ENGINE_FAILED);
    assert_string_equal(said(&t), "Old region|Missing required argument");
    assert_int_equal(request_read_data(&t.q, parse(&t, "{\"key\": \"k\"}"), &v), ENGINE_OK);
    assert_string_equal(said(&t), "Old region");
    assert_string_equal(t.q.resource.address.p, "data.fake_fact.this");
    assert_true(v->wholly_known && !value_is_null(value_get(v, STR("answer"))));
    set_end(&t);
}

static void cores_own_arguments_are_known(void **state)
{
    (void)state;
    struct set t;
    set_begin(&t);
    assert_null(request_core_argument(parse(&t, "{\"name\": \"count\"}")));
    assert_string_equal(request_core_argument(parse(&t, "{\"name\": \"a\", \"for_each\": null}")), "for_each");
    set_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complaints_come_in_cores_order),
        cmocka_unit_test(what_is_fine_is_planned_with_what_was_warned_of),
        cmocka_unit_test(who_names_a_type_that_is_missing_hears_other_words),
        cmocka_unit_test(an_object_lives_from_plan_to_plan),
        cmocka_unit_test(without_a_process_a_plan_changes_nothing),
        cmocka_unit_test(a_data_source_is_read_after_cores_rules),
        cmocka_unit_test(cores_own_arguments_are_known),
    };
    return cmocka_run_group_tests_name("engine/request", tests, NULL, NULL);
}
