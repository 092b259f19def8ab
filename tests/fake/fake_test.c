/*
 * The parts of the fake provider (script, cloud, shapes), and the whole over the wire, where it must be a well-behaved provider
 * wherever its script is silent.
 */
#include "base/file.h"
#include "cloud.h"
#include "plugin/launch.h"
#include "schema/schema_json.h"
#include "script.h"
#include "shape.h"
#include "traits.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER TERRANE_SOURCE "/tests/fake/"

/* ---- helpers ---- */

struct fixture {
    struct arena *a;
    struct diags diags;
    const struct provider_schema *schema;
};

static void assert_clean(const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_write(&text, diags, false);
    if (diags->n > 0)
        fail_msg(STR_FMT, STR_ARG(buf_str(&text)));
}

static void setup(struct fixture *f, const char *schema)
{
    f->a = arena_new(NULL, 0);
    diags_init(&f->diags, f->a);
    struct str text = STR_EMPTY;
    assert_true(file_read(f->a, arena_printf(f->a, FOLDER "%s", schema).p, 1 << 20, &f->diags, &text));
    const struct json *document = json_parse(f->a, text, schema, &f->diags);
    assert_non_null(document);
    f->schema = schema_read_document(f->a, document, STR_EMPTY, NULL, &f->diags);
    assert_clean(&f->diags);
}

static const struct schema *resource(const struct fixture *f, const char *type_name)
{
    const struct schema *s = map_get(&f->schema->resources, str_of(type_name));
    assert_non_null(s);
    return s;
}

/* An object of the schema's type; what the JSON lacks is null or, for blocks, empty. */
static const struct value *object(struct fixture *f, const struct schema *s, const char *json)
{
    struct diags diags;
    diags_init(&diags, f->a);
    const struct json *j = json_parse(f->a, str_of(json), "test", &diags);
    assert_non_null(j);
    const struct value *v = shape_from_json(f->a, j, s->type, &diags);
    assert_clean(&diags);
    const struct value *empty = schema_empty_value(f->a, s->block);
    const struct value **elements = arena_make_n(f->a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        elements[i] = value_is_null(v->elements[i]) ? empty->elements[i] : v->elements[i];
    return value_object(f->a, s->type, elements);
}

static const struct value *at(const struct value *v, const char *a, const char *b)
{
    v = value_get(v, str_of(a));
    return b ? value_get(v, str_of(b)) : v;
}

static const char *temporary_folder(struct arena *a)
{
    char *path = (char *)arena_printf(a, "/tmp/fake-XXXXXX").p;
    assert_non_null(mkdtemp(path));
    return path;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            char inner[1024];
            (void)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
            if (unlink(inner) != 0)
                remove_folder(inner);
        }
    (void)closedir(folder);
    (void)rmdir(path);
}

/* ---- script ---- */

static void every_example_can_be_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    DIR *folder = opendir(FOLDER "examples");
    assert_non_null(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        if (!str_ends(str_of(e->d_name), STR(".yaml")))
            continue;
        struct str text;
        assert_true(file_read(a, arena_printf(a, FOLDER "examples/%s", e->d_name).p, 1 << 20, &diags, &text));
        struct script s;
        (void)script_read(a, text, e->d_name, &diags, &s);
        assert_clean(&diags);
        assert_true(s.n_rules > 0);
        script_done(&s);
        n++;
    }
    (void)closedir(folder);
    assert_true(n > 5);
}

static void mistakes_in_a_script_are_errors_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"rulez: []", "line 1, column 1: unknown key \"rulez\""},
        {"rules:\n  - match: {rpc: X}\n    do: {crsh: kill}", "line 3, column 10: unknown key \"crsh\""},
        {"rules:\n  - do: {crash: softly}", "expected one of: exit abort kill panic stop client"},
        {"rules:\n  - match: {nth: 0}", "expected a whole number from 1"},
        {"rules:\n  - do: {bytes: abc}", "even number of hexadecimal digits"},
        {"rules: 1", "expected a list of rules"},
        {"protocol: 4", "expected a whole number from 5 to 6"},
        {"types: {fake_thing: {id: 1}}", "expected a string"},
        {"types: {fake_thing: {hashed: name}}", "expected a list of attribute names"},
        {"types: {fake_thing: {ids: x}}", "unknown key \"ids\""},
        {"counts: yes", "expected one of: process cloud"},
        {"[", "script"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        struct script s;
        assert_false(script_read(a, str_of(cases[i].text), "script", &diags, &s));
        struct buf text BUF_AUTO = BUF_INIT(1 << 16);
        diags_write(&text, &diags, false);
        if (!strstr(buf_copy(&text, a).p, cases[i].says))
            fail_msg("%s\n" STR_FMT, cases[i].text, STR_ARG(buf_str(&text)));
    }
}

/* The calls among the first ones that a rule applies to, as "-x-x". */
static void assert_turns(const char *match, const char *expected)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct script s;
    struct str text = arena_printf(a, "rules: [{match: %s, do: {latency_ms: 1}}]", match);
    (void)script_read(a, text, "script", &diags, &s);
    assert_clean(&diags);
    const struct script_call call = {
        .rpc = STR("ReadResource"),
        .type = STR("fake_thing"),
        .request = STR("bytes with unlucky"),
        .configuration = STR("user and password"),
    };
    char turns[16] = "";
    for (size_t i = 0; i < strlen(expected); i++)
        turns[i] = script_match(&s, &call) ? 'x' : '-';
    assert_string_equal(turns, expected);
    script_done(&s);
}

static void rules_match_by_call_type_content_and_count(void **state)
{
    (void)state;
    assert_turns("{}", "xxxx");
    assert_turns("{rpc: ReadResource}", "xxxx");
    assert_turns("{rpc: PlanResourceChange}", "----");
    assert_turns("{type: fake_thing, contains: unlucky}", "xxxx");
    assert_turns("{type: fake_link}", "----");
    assert_turns("{contains: lucky one}", "----");
    assert_turns("{configured: password}", "xxxx");
    assert_turns("{configured: passport}", "----");
    assert_turns("{operation: create}", "----");
    assert_turns("{nth: 3}", "--x-");
    assert_turns("{from: 2}", "-xxx");
    assert_turns("{from: 2, to: 3}", "-xx-");
    assert_turns("{every: 3}", "x--x--x");
    assert_turns("{from: 3, every: 3}", "--x--x");
    assert_true(str_eqz(script_rpc_name(STR("/tfplugin5.Provider/GetSchema")), "GetProviderSchema"));
    assert_true(str_eqz(script_rpc_name(STR("/tfplugin6.Provider/ReadResource")), "ReadResource"));
}

static void the_first_rule_whose_turn_it_is_wins_and_all_count(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct script s;
    (void)script_read(a,
                      STR("rules:\n- {match: {nth: 1}, do: {latency_ms: 1}}\n- {match: {nth: 2}, do: {latency_ms: 2}}\n"
                          "- {do: {latency_ms: 3}}\n"),
                      "script", &diags, &s);
    assert_clean(&diags);
    for (int64_t i = 1; i <= 4; i++)
        assert_int_equal(script_match(&s, &(struct script_call){.rpc = STR("X")})->latency_ms, i < 3 ? i : 3);
    script_done(&s);
}

/* ---- cloud ---- */

static void objects_come_and_go(const char *folder)
{
    struct fixture f;
    setup(&f, "schema.json");
    const struct schema *s = resource(&f, "fake_bare");
    struct cloud *c = cloud_new(folder, &f.diags);
    assert_non_null(c);
    const struct cloud_key key = {STR("fake_bare"), STR("a/../b %\xc3\xa9")}, other = {STR("fake_bare"), STR("z")};
    const struct value *one = object(&f, s, "{\"key\":\"k\",\"value\":\"1\"}"), *two = object(&f, s, "{\"key\":\"k\"}"),
                       *got = NULL;
    assert_int_equal(cloud_get(c, f.a, key, s->type, &f.diags, &got), CLOUD_ABSENT);
    assert_int_equal(cloud_update(c, key, one, s->type, &f.diags), CLOUD_ABSENT);
    assert_int_equal(cloud_delete(c, key, &f.diags), CLOUD_ABSENT);
    assert_int_equal(cloud_create(c, key, one, s->type, &f.diags), CLOUD_DONE);
    assert_int_equal(cloud_create(c, key, two, s->type, &f.diags), CLOUD_EXISTS);
    assert_int_equal(cloud_create(c, other, two, s->type, &f.diags), CLOUD_DONE);
    assert_int_equal(cloud_get(c, f.a, key, s->type, &f.diags, &got), CLOUD_DONE);
    assert_true(value_raw_eq(got, one));
    assert_int_equal(cloud_update(c, key, two, s->type, &f.diags), CLOUD_DONE);
    if (folder) {
        cloud_free(c);
        c = cloud_new(folder, &f.diags);
    }
    assert_int_equal(cloud_get(c, f.a, key, s->type, &f.diags, &got), CLOUD_DONE);
    assert_true(value_raw_eq(got, two));
    struct cloud_ids ids = cloud_list(c, f.a, STR("fake_bare"));
    assert_int_equal(ids.n, 2);
    assert_true(str_eq(ids.v[0], key.id) && str_eq(ids.v[1], other.id));
    assert_int_equal(cloud_delete(c, key, &f.diags), CLOUD_DONE);
    assert_int_equal(cloud_list(c, f.a, STR("fake_bare")).n, 1);
    assert_int_equal(cloud_list(c, f.a, STR("fake_link")).n, 0);
    assert_clean(&f.diags);
    cloud_free(c);
    arena_free(f.a);
}

static void a_cloud_in_memory_and_one_in_a_folder_behave_the_same(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    objects_come_and_go(NULL);
    const char *folder = temporary_folder(a);
    objects_come_and_go(folder);
    remove_folder(folder);
}

/* ---- shapes ---- */

static void computed_attributes_without_configuration_become_unknown_at_any_depth(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "schema6.json");
    const struct schema *s = resource(&f, "fake_nested");
    const struct value *config =
        object(&f, s,
               "{\"name\":\"n\",\"secret\":\"s\",\"settings\":{\"mode\":\"m\"},\"members\":{\"a\":{\"role\":\"r\"}},"
               "\"steps\":[{\"run\":\"x\",\"number\":7},{\"run\":\"y\"}],\"peers\":[{\"host\":\"h\"},{\"host\":\"i\"}]}");
    const struct value *planned = shape_mark_computed(f.a, s, config, shape_null_write_only(f.a, s, config), NULL);
    assert_true(value_is_null(at(planned, "secret", NULL)));
    assert_int_equal(at(planned, "id", NULL)->state, VALUE_UNKNOWN);
    assert_int_equal(at(planned, "settings", "token")->state, VALUE_UNKNOWN);
    assert_true(str_eqz(at(planned, "settings", "mode")->string, "m"));
    assert_int_equal(value_get(at(planned, "members", "a"), STR("member_id"))->state, VALUE_UNKNOWN);
    const struct value *steps = at(planned, "steps", NULL);
    assert_int_equal(value_get(steps->elements[0], STR("number"))->state, VALUE_KNOWN);
    assert_int_equal(value_get(steps->elements[1], STR("number"))->state, VALUE_UNKNOWN);
    const struct value *peers = at(planned, "peers", NULL);
    assert_int_equal(peers->n, 2);
    assert_int_equal(value_get(peers->elements[0], STR("state"))->state, VALUE_UNKNOWN);

    const struct value *filled = shape_fill(f.a, planned, STR("the-id"), 1);
    assert_true(filled->wholly_known);
    assert_true(str_eqz(at(filled, "id", NULL)->string, "the-id"));
    assert_int_equal(at(filled, "peers", NULL)->n, 2);
    assert_true(value_raw_eq(filled, shape_fill(f.a, planned, STR("the-id"), 1)));
    assert_false(value_raw_eq(filled, shape_fill(f.a, planned, STR("the-id"), 2)));
    const struct value *kept = shape_mark_computed(f.a, s, config, config, filled);
    assert_true(str_eqz(at(kept, "id", NULL)->string, "the-id"));
    assert_true(value_is_null(at(shape_config_of(f.a, s, filled), "id", NULL)));
    arena_free(f.a);
}

static void state_of_another_version_is_fitted(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "schema.json");
    const struct schema *s = resource(&f, "fake_thing");
    const struct value *v =
        object(&f, s, "{\"name\":\"n\",\"gone\":{\"x\":[1]},\"rule\":[{\"port\":1,\"gone\":2}],\"size\":\"7\"}");
    assert_true(str_eqz(at(v, "name", NULL)->string, "n"));
    assert_true(value_is_null(at(v, "zone", NULL)));
    assert_int_equal(at(v, "rule", NULL)->n, 1);
    int64_t size;
    assert_true(number_to_i64(at(v, "size", NULL)->number, &size) && size == 7);
    arena_free(f.a);
}

/* ---- traits ---- */

static const char *id_for_import(struct fixture *f, const struct trait *t, const struct schema *s, const char *id)
{
    struct diags diags;
    diags_init(&diags, f->a);
    const struct value *v = trait_import(f->a, t, str_of(id), schema_empty_value(f->a, s->block), &diags);
    assert_int_equal(v == NULL, diags_has_errors(&diags));
    return v ? arena_printf(f->a, STR_FMT, STR_ARG(at(v, "id", NULL)->string)).p : NULL;
}

static void a_type_behaves_as_the_script_says(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f, "schema.json");
    struct script script;
    assert_true(script_read(f.a,
                            STR("types: {fake_thing: {id: '{name}@{zone}', defaults: {zone: home, size: 3}, hashed: [password],"
                                " unread: [password], import: '{name}/{zone}'}}"),
                            "script", &f.diags, &script));
    const struct schema *s = resource(&f, "fake_thing");
    const struct trait *t = trait_of(&script, STR("fake_thing"));
    assert_null(trait_of(&script, STR("fake_link")));

    const struct value *config = object(&f, s, "{\"name\":\"n\",\"password\":\"abc\",\"size\":4}");
    const struct value *planned = trait_plan(f.a, t, config, config, &f.diags);
    assert_clean(&f.diags);
    assert_true(str_eqz(at(planned, "zone", NULL)->string, "home"));
    assert_true(value_raw_eq(at(planned, "size", NULL), at(config, "size", NULL)));
    assert_true(str_eqz(at(planned, "password", NULL)->string, /* SHA-256 of "abc", FIPS 180-2 */
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    assert_true(str_eqz(trait_id(f.a, t, planned), "n@home"));
    assert_int_equal(trait_id(f.a, t, config).n, 0);
    assert_true(value_raw_eq(trait_plan(f.a, NULL, config, config, &f.diags), config));
    const struct value *read = trait_read(f.a, t, planned, config);
    assert_true(value_raw_eq(at(read, "password", NULL), at(planned, "password", NULL)));
    assert_true(value_is_null(at(read, "zone", NULL)));

    assert_string_equal(id_for_import(&f, t, s, "a@b/c"), "a@b@c");
    assert_null(id_for_import(&f, t, s, "a"));
    assert_null(id_for_import(&f, t, s, "/c"));
    assert_null(id_for_import(&f, t, s, ""));
    script_done(&script);
    arena_free(f.a);
}

static void what_is_about_to_be_done_is_in_the_journal(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *folder = temporary_folder(a);
    struct cloud *c = cloud_new(folder, &diags);
    cloud_note(c, "create", (struct cloud_key){STR("fake_thing"), STR_EMPTY});
    cloud_note(c, "delete", (struct cloud_key){STR("fake_thing"), STR("x y")});
    struct str text;
    assert_true(file_read(a, arena_printf(a, "%s/.journal", folder).p, 1 << 20, &diags, &text));
    assert_true(str_eqz(text, "create fake_thing -\ndelete fake_thing x y\n"));
    cloud_free(c);
    remove_folder(folder);
}

/* ---- over the wire ---- */

struct session {
    struct fixture f;
    struct loop *loop;
    struct provider *provider;
    const char *schema, *cloud, *script, *protocol; /* NULL: schema.json, in memory, none, the highest */
};

static void start(struct session *t)
{
    const char *env[8] = {NULL};
    size_t n = 0;
    env[n++] = arena_printf(t->f.a, "TERRANE_FAKE_SCHEMA=" FOLDER "%s", t->schema).p;
    if (t->cloud)
        env[n++] = arena_printf(t->f.a, "TERRANE_FAKE_CLOUD=%s", t->cloud).p;
    if (t->script)
        env[n++] = arena_printf(t->f.a, "TERRANE_FAKE_SCRIPT=" FOLDER "examples/%s", t->script).p;
    if (t->protocol)
        env[n++] = arena_printf(t->f.a, "TERRANE_FAKE_PROTOCOL=%s", t->protocol).p;
    const struct launch_options options = {
        .loop = t->loop, .path = getenv("TERRANE_FAKE"), .name = STR("terrane/fake"), .env = env};
    (void)provider_launch(&options, &t->f.diags, &t->provider);
    assert_clean(&t->f.diags);
}

static void begin(struct session *t)
{
    if (!t->schema)
        t->schema = "schema.json";
    setup(&t->f, t->schema);
    t->loop = loop_new();
    start(t);
}

static void end(struct session *t)
{
    provider_free(t->provider);
    loop_free(t->loop);
    arena_free(t->f.a);
}

static const struct grpc_call_options patient = {0};

/* What core proposes, as far as these schemas need it: computed values that are not configured stay. */
static const struct value *propose(struct session *t, const struct schema *s, const struct value *prior,
                                   const struct value *config)
{
    if (value_is_null(config) || value_is_null(prior))
        return config;
    const struct value **elements = arena_make_n(t->f.a, const struct value *, config->n);
    for (size_t i = 0; i < config->n; i++) {
        const struct schema_attr *attr = schema_block_attr(s->block, s->type->attrs[i].name);
        bool keep = attr && attr->computed && value_is_null(config->elements[i]);
        elements[i] = (keep ? prior : config)->elements[i];
    }
    return value_object(t->f.a, s->type, elements);
}

static struct plan_response plan_proposed(struct session *t, const struct value *prior, const struct value *proposed,
                                          const struct value *config)
{
    const struct plan_request request = {
        .type_name = STR("fake_thing"), .prior_state = prior, .proposed_new_state = proposed, .config = config};
    struct plan_response response = {0};
    assert_int_equal(provider_plan(t->provider, t->f.a, &request, &patient, &t->f.diags, &response), PROVIDER_OK);
    return response;
}

static struct plan_response plan(struct session *t, const struct value *prior, const struct value *config)
{
    return plan_proposed(t, prior, propose(t, resource(&t->f, "fake_thing"), prior, config), config);
}

static enum provider_status apply(struct session *t, const struct value *prior, const struct value *planned,
                                  struct apply_response *ret)
{
    const struct apply_request request = {
        .type_name = STR("fake_thing"), .prior_state = prior, .planned_state = planned, .config = planned};
    return provider_apply(t->provider, t->f.a, &request, &patient, &t->f.diags, ret);
}

static const struct value *apply_well(struct session *t, const struct value *prior, const struct value *config)
{
    struct apply_response response = {0};
    assert_int_equal(apply(t, prior, plan(t, prior, config).planned_state, &response), PROVIDER_OK);
    assert_clean(&t->f.diags);
    assert_non_null(response.new_state);
    return response.new_state;
}

static const struct value *refresh(struct session *t, const struct value *object_state)
{
    const struct read_request request = {.type_name = STR("fake_thing"), .state = object_state};
    struct read_response response = {0};
    assert_int_equal(provider_read(t->provider, t->f.a, &request, &patient, &t->f.diags, &response), PROVIDER_OK);
    assert_clean(&t->f.diags);
    return response.state;
}

static void live(const char *protocol, const char *cloud)
{
    struct session t = {.protocol = protocol, .cloud = cloud};
    begin(&t);
    struct arena *a = t.f.a;
    const struct schema *s = resource(&t.f, "fake_thing");
    const struct value *nothing = value_null(a, s->type);
    const struct value *config =
        object(&t.f, s,
               "{\"name\":\"n\",\"zone\":\"z\",\"tags\":{\"k\":\"v\"},\"aliases\":[\"b\",\"a\"],"
               "\"rule\":[{\"port\":1},{\"port\":2}],\"disk\":[{\"size\":1},{\"size\":2}],\"network\":{}}");

    struct plan_response planned = plan(&t, nothing, config);
    assert_clean(&t.f.diags);
    assert_int_equal(at(planned.planned_state, "id", NULL)->state, VALUE_UNKNOWN);
    assert_int_equal(at(planned.planned_state, "endpoint", NULL)->state, VALUE_UNKNOWN);
    assert_int_equal(at(planned.planned_state, "rule", NULL)->elements[0]->elements[1]->state, VALUE_UNKNOWN);
    const struct value *created = apply_well(&t, nothing, config);
    assert_true(created->wholly_known);
    assert_true(str_starts(at(created, "id", NULL)->string, STR("fake_thing-")));
    assert_int_equal(at(created, "disk", NULL)->n, 2);
    assert_true(value_raw_eq(refresh(&t, created), created));

    /* The same configuration again: no change. */
    assert_true(value_raw_eq(plan_proposed(&t, created, created, shape_config_of(a, s, created)).planned_state, created));

    /* A second object of the same configuration has another id. */
    const struct value *twin = apply_well(&t, nothing, config);
    assert_false(str_eq(at(twin, "id", NULL)->string, at(created, "id", NULL)->string));

    /* Update: the id stays, other computed values are computed again. */
    const struct value *wanted = object(&t.f, s, "{\"name\":\"other\"}");
    planned = plan(&t, created, wanted);
    assert_true(value_raw_eq(at(planned.planned_state, "id", NULL), at(created, "id", NULL)));
    assert_int_equal(at(planned.planned_state, "etag", NULL)->state, VALUE_UNKNOWN);
    const struct value *updated = apply_well(&t, created, wanted);
    assert_true(str_eqz(at(updated, "name", NULL)->string, "other"));
    assert_true(value_raw_eq(at(updated, "etag", NULL), at(created, "etag", NULL)));

    /* Import only knows the id; reading finds the rest. */
    struct import_response imported = {0};
    const struct import_request import = {.type_name = STR("fake_thing"), .id = at(updated, "id", NULL)->string};
    assert_int_equal(provider_import(t.provider, a, &import, &patient, &t.f.diags, &imported), PROVIDER_OK);
    assert_int_equal(imported.n_resources, 1);
    assert_true(value_raw_eq(refresh(&t, imported.resources[0].state), updated));

    /* Upgrade of a JSON state. */
    struct upgrade_state_response upgraded = {0};
    const struct upgrade_state_request upgrade = {
        .type_name = STR("fake_thing"), .raw = {.json = STR("{\"id\":\"x\",\"name\":\"n\",\"was\":1,\"rule\":[],\"disk\":[]}")}};
    assert_int_equal(provider_upgrade_state(t.provider, a, &upgrade, &patient, &t.f.diags, &upgraded), PROVIDER_OK);
    assert_true(str_eqz(at(upgraded.state, "name", NULL)->string, "n"));

    /* Data sources. */
    const struct schema *lookup = map_get(&t.f.schema->data_sources, STR("fake_lookup"));
    struct read_data_response data = {0};
    const struct read_data_request ask = {.type_name = STR("fake_lookup"), .config = object(&t.f, lookup, "{\"name\":\"n\"}")};
    assert_int_equal(provider_read_data(t.provider, a, &ask, &patient, &t.f.diags, &data), PROVIDER_OK);
    assert_true(data.state->wholly_known && !value_is_null(at(data.state, "found", NULL)));

    assert_true(value_is_null(apply_well(&t, updated, nothing)));
    assert_true(value_is_null(refresh(&t, updated)));
    assert_true(value_is_null(apply_well(&t, updated, nothing))); /* an object that is gone already is fine */
    assert_clean(&t.f.diags);
    end(&t);
}

static void an_object_lives_and_dies_under_both_protocols_and_clouds(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *folder = temporary_folder(a);
    live("5", NULL);
    live("6", NULL);
    live("6", folder);
    remove_folder(folder);
}

static void rules_spoil_states_and_listed_attributes_force_replacement(void **state)
{
    (void)state;
    struct session t = {.script = "wrong_values.yaml"};
    begin(&t);
    const struct schema *s = resource(&t.f, "fake_thing");
    const struct value *nothing = value_null(t.f.a, s->type);
    const struct value *config = object(&t.f, s, "{\"name\":\"n\",\"zone\":\"a\"}");
    const struct value *planned = plan(&t, nothing, config).planned_state;
    struct apply_response r[6] = {0};

    assert_int_equal(apply(&t, nothing, planned, &r[0]), PROVIDER_OK);
    assert_int_equal(at(r[0].new_state, "id", NULL)->state, VALUE_UNKNOWN);
    assert_int_equal(apply(&t, nothing, planned, &r[1]), PROVIDER_OK);
    assert_true(value_is_null(r[1].new_state));
    assert_int_equal(apply(&t, nothing, planned, &r[2]), PROVIDER_OK);
    assert_null(r[2].new_state);
    assert_clean(&t.f.diags);
    assert_int_equal(apply(&t, nothing, planned, &r[3]), PROVIDER_BROKEN);
    assert_int_equal(apply(&t, nothing, planned, &r[4]), PROVIDER_BROKEN);
    size_t n = t.f.diags.n;
    assert_true(n >= 2);
    assert_int_equal(apply(&t, nothing, planned, &r[5]), PROVIDER_OK);
    assert_int_equal(t.f.diags.n, n + 1);
    assert_true(str_eqz(t.f.diags.v[n].summary, "Half done"));
    assert_int_equal(at(r[5].new_state, "id", NULL)->state, VALUE_KNOWN);

    struct plan_response replaced = plan(&t, r[5].new_state, object(&t.f, s, "{\"name\":\"n\",\"zone\":\"b\"}"));
    assert_int_equal(replaced.n_requires_replace, 1);
    assert_true(str_eqz(path_text(t.f.a, replaced.requires_replace[0]), "zone"));
    assert_int_equal(plan(&t, r[5].new_state, object(&t.f, s, "{\"name\":\"m\",\"zone\":\"a\"}")).n_requires_replace, 0);
    end(&t);
}

static void an_object_whose_creator_died_before_saying_so_is_in_the_cloud(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *folder = temporary_folder(a);
    struct session t = {.script = "crash_lost_create.yaml", .cloud = folder};
    begin(&t);
    const struct schema *s = resource(&t.f, "fake_thing");
    const struct value *nothing = value_null(t.f.a, s->type);
    (void)apply_well(&t, nothing, object(&t.f, s, "{\"name\":\"first\"}"));
    const struct value *planned = plan(&t, nothing, object(&t.f, s, "{\"name\":\"second\"}")).planned_state;
    struct apply_response response = {0};
    assert_int_equal(apply(&t, nothing, planned, &response), PROVIDER_GONE);
    if (!strstr(t.f.diags.v[0].detail.p, "exited with status 4"))
        fail_msg("%s", t.f.diags.v[0].detail.p);
    provider_free(t.provider);

    /* The next process continues the count of this one. */
    diags_init(&t.f.diags, t.f.a);
    start(&t);
    struct cloud *cloud = cloud_new(folder, &t.f.diags);
    assert_int_equal(cloud_list(cloud, t.f.a, STR("fake_thing")).n, 2);
    (void)apply_well(&t, nothing, object(&t.f, s, "{\"name\":\"third\"}"));
    assert_int_equal(cloud_list(cloud, t.f.a, STR("fake_thing")).n, 3);
    cloud_free(cloud);
    end(&t);
    remove_folder(folder);
}

static void throttling_and_errors_come_as_diagnostics_and_nothing_is_done(void **state)
{
    (void)state;
    struct session t = {.script = "throttled.yaml"};
    begin(&t);
    const struct schema *s = resource(&t.f, "fake_thing");
    const struct value *nothing = value_null(t.f.a, s->type);
    struct apply_response r = {0};
    const struct value *unlucky = plan(&t, nothing, object(&t.f, s, "{\"name\":\"unlucky\"}")).planned_state;
    assert_int_equal(apply(&t, nothing, unlucky, &r), PROVIDER_OK);
    assert_int_equal(t.f.diags.n, 1);
    assert_true(str_eqz(path_text(t.f.a, t.f.diags.v[0].path), "name"));
    assert_true(value_is_null(r.new_state));
    const struct value *fine = plan(&t, nothing, object(&t.f, s, "{\"name\":\"fine\"}")).planned_state;
    assert_int_equal(apply(&t, nothing, fine, &r), PROVIDER_OK);
    assert_int_equal(t.f.diags.n, 1);
    assert_int_equal(apply(&t, nothing, fine, &r), PROVIDER_OK);
    assert_int_equal(t.f.diags.n, 2);
    assert_non_null(strstr(t.f.diags.v[1].detail.p, "ThrottlingException"));
    end(&t);
}

static bool count_event(void *ctx, const struct list_event *event)
{
    assert_true(event->identity && event->display_name.n > 0);
    assert_true(str_eq(at(event->identity, "id", NULL)->string, at(event->resource, "id", NULL)->string));
    ++*(int *)ctx;
    return true;
}

static bool note_event(void *ctx, const struct action_event *event)
{
    *(int *)ctx += event->completed ? 100 : 1;
    return true;
}

static void what_only_protocol_6_has_is_served_too(void **state)
{
    (void)state;
    struct session t = {.schema = "schema6.json"};
    begin(&t);
    struct arena *a = t.f.a;
    struct diags *diags = &t.f.diags;
    const struct schema *s = resource(&t.f, "fake_nested");
    const struct value *nothing = value_null(a, s->type);
    const struct value *config =
        object(&t.f, s, "{\"name\":\"n\",\"secret\":\"s\",\"members\":{\"a\":{\"role\":\"r\"}},\"peers\":[{\"host\":\"h\"}]}");
    struct plan_response planned = {0};
    const struct plan_request plan_request = {
        .type_name = STR("fake_nested"), .prior_state = nothing, .proposed_new_state = config, .config = config};
    assert_int_equal(provider_plan(t.provider, a, &plan_request, &patient, diags, &planned), PROVIDER_OK);
    struct apply_response applied = {0};
    const struct apply_request apply_request = {
        .type_name = STR("fake_nested"), .prior_state = nothing, .planned_state = planned.planned_state, .config = config};
    assert_int_equal(provider_apply(t.provider, a, &apply_request, &patient, diags, &applied), PROVIDER_OK);
    assert_clean(diags);
    assert_true(applied.new_state->wholly_known && value_is_null(at(applied.new_state, "secret", NULL)));

    for (int i = 0; i < 3; i++)
        (void)apply_well(&t, value_null(a, resource(&t.f, "fake_thing")->type),
                         object(&t.f, resource(&t.f, "fake_thing"), "{\"name\":\"listed\"}"));
    int n = 0;
    const struct schema *lists = map_get(&t.f.schema->lists, STR("fake_thing"));
    struct list_request list = {.type_name = STR("fake_thing"), .config = object(&t.f, lists, "{}"), .include_resource = true};
    assert_int_equal(provider_list(t.provider, &list, &patient, diags, count_event, &n), PROVIDER_OK);
    assert_int_equal(n, 3);
    list.limit = 2;
    assert_int_equal(provider_list(t.provider, &list, &patient, diags, count_event, &n), PROVIDER_OK);
    assert_int_equal(n, 5);

    const struct schema *tokens = map_get(&t.f.schema->ephemerals, STR("fake_token"));
    const struct open_ephemeral_request open = {.type_name = STR("fake_token"),
                                                .config = object(&t.f, tokens, "{\"name\":\"n\"}")};
    struct open_ephemeral_response opened = {0};
    assert_int_equal(provider_open_ephemeral(t.provider, a, &open, &patient, diags, &opened), PROVIDER_OK);
    assert_true(opened.has_private && opened.result->wholly_known);

    const struct value *text = value_string(a, STR("hello"));
    struct call_function_response called = {0};
    const struct call_function_request echo = {.name = STR("echo"), .arguments = &text, .n_arguments = 1};
    assert_int_equal(provider_call_function(t.provider, a, &echo, &patient, diags, &called), PROVIDER_OK);
    assert_true(value_raw_eq(called.result, text));

    const struct schema *restart = map_get(&t.f.schema->actions, STR("fake_restart"));
    const struct invoke_action_request invoke = {.type_name = STR("fake_restart"),
                                                 .config = object(&t.f, restart, "{\"id\":\"x\"}")};
    int events = 0;
    assert_int_equal(provider_invoke_action(t.provider, &invoke, &patient, diags, note_event, &events), PROVIDER_OK);
    assert_int_equal(events, 101);
    assert_clean(diags);
    end(&t);
}

static void states_are_kept(const char *cloud)
{
    struct session t = {.schema = "schema6.json", .cloud = cloud};
    begin(&t);
    struct arena *a = t.f.a;
    struct diags *diags = &t.f.diags;
    struct state_store_request r = {STR("fake_store"), STR("default"), STR_EMPTY, STR_EMPTY};
    const struct schema *store = map_get(&t.f.schema->state_stores, r.type_name);
    const struct configure_state_store_request configure = {r.type_name, object(&t.f, store, "{}"), 10};
    struct configure_state_store_response agreed = {0};
    assert_int_equal(provider_configure_state_store(t.provider, a, &configure, &patient, diags, &agreed), PROVIDER_OK);
    assert_int_equal(agreed.chunk_size, 10);
    struct str text = STR("{\"version\":4,\"serial\":7}"), found = text;
    assert_int_equal(provider_read_state(t.provider, a, &r, &patient, diags, &found), PROVIDER_OK);
    assert_int_equal(found.n, 0);
    assert_int_equal(provider_write_state(t.provider, &r, STR("old"), 10, &patient, diags), PROVIDER_OK);
    assert_int_equal(provider_write_state(t.provider, &r, text, 10, &patient, diags), PROVIDER_OK);
    assert_int_equal(provider_read_state(t.provider, a, &r, &patient, diags, &found), PROVIDER_OK);
    assert_true(str_eq(found, text));
    struct get_states_response states = {0};
    assert_int_equal(provider_get_states(t.provider, a, &r, &patient, diags, &states), PROVIDER_OK);
    assert_true(states.n_state_ids == 1 && str_eqz(states.state_ids[0], "default"));
    assert_int_equal(provider_delete_state(t.provider, a, &r, &patient, diags), PROVIDER_OK);
    assert_int_equal(provider_get_states(t.provider, a, &r, &patient, diags, &states), PROVIDER_OK);
    assert_int_equal(states.n_state_ids, 0);
    assert_clean(diags);
    assert_int_equal(provider_write_state(t.provider, &r, STR("\xff"), 10, &patient, diags), PROVIDER_OK);
    assert_int_equal(diags->n_errors, 1);
    end(&t);
}

static void states_are_kept_in_memory_and_in_a_folder(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *folder = temporary_folder(a);
    states_are_kept(NULL);
    states_are_kept(folder);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_can_be_read),
        cmocka_unit_test(mistakes_in_a_script_are_errors_with_their_place),
        cmocka_unit_test(rules_match_by_call_type_content_and_count),
        cmocka_unit_test(the_first_rule_whose_turn_it_is_wins_and_all_count),
        cmocka_unit_test(a_cloud_in_memory_and_one_in_a_folder_behave_the_same),
        cmocka_unit_test(computed_attributes_without_configuration_become_unknown_at_any_depth),
        cmocka_unit_test(state_of_another_version_is_fitted),
        cmocka_unit_test(a_type_behaves_as_the_script_says),
        cmocka_unit_test(what_is_about_to_be_done_is_in_the_journal),
        cmocka_unit_test(an_object_lives_and_dies_under_both_protocols_and_clouds),
        cmocka_unit_test(rules_spoil_states_and_listed_attributes_force_replacement),
        cmocka_unit_test(an_object_whose_creator_died_before_saying_so_is_in_the_cloud),
        cmocka_unit_test(throttling_and_errors_come_as_diagnostics_and_nothing_is_done),
        cmocka_unit_test(what_only_protocol_6_has_is_served_too),
        cmocka_unit_test(states_are_kept_in_memory_and_in_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
