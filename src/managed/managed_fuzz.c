/*
 * Any bytes as an object, and as a state, of a kind with every construct: what can be translated translates back to the same
 * value, secrets never get into the status, and each function accepts the results of the others.
 */
#include "base/must.h"
#include "managed/identity.h"
#include "managed/init_provider.h"
#include "managed/late_init.h"
#include "managed/object.h"
#include "managed/policies.h"
#include "managed/poll.h"
#include "managed/references.h"
#include "managed/sensitive.h"
#include "managed/translate.h"
#include "schema/schema_json.h"

enum { LIMIT = 256 << 20, MAX_INPUT = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"registry.terraform.io/test/x\":{\"resource_schemas\":{\"x_thing_kind\":"
    "{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},"
    "\"text\":{\"type\":\"string\",\"optional\":true,\"computed\":true},\"number\":{\"type\":\"number\",\"optional\":true},"
    "\"flag\":{\"type\":\"bool\",\"optional\":true},\"list\":{\"type\":[\"list\",\"string\"],\"optional\":true},"
    "\"deep\":{\"type\":[\"list\",[\"set\",\"number\"]],\"optional\":true},\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":"
    "true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},\"object\":{\"type\":[\"object\",{\"a_b\":\"string\"}],\"optional\":true},"
    "\"tuple\":{\"type\":[\"tuple\",[\"string\",\"number\"]],\"optional\":true},"
    "\"vpc_id\":{\"type\":\"string\",\"optional\":true},\"subnets\":{\"type\":[\"set\",\"string\"],\"optional\":true},"
    "\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
    "\"keys\":{\"type\":[\"list\",\"string\"],\"optional\":true,\"sensitive\":true},"
    "\"pairs\":{\"type\":[\"map\",\"string\"],\"optional\":true,\"sensitive\":true},"
    "\"odd\":{\"type\":[\"list\",\"number\"],\"optional\":true,\"sensitive\":true},"
    "\"token\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}},\"block_types\":{"
    "\"one\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true},"
    "\"pin\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}},"
    "\"alone\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{\"a\":{\"type\":\"string\",\"optional\":true},"
    "\"pin\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}},"
    "\"many\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"vpc_id\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"by_key\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"a\":{\"type\":\"number\",\"optional\":true}}}}}}}}}}}";
static const char config_text[] =
    "provider: x\nresources:\n  x_thing_kind:\n    tags: tags\n    external_name: {strategy: template, "
    "field: name, template: \"{{ .parameters.text }}/{{ .external_name }}\"}\n"
    "    references: {\"**.vpc_id\": x_thing_kind, subnets: {to: x_thing_kind, attribute: id}}\n"
    "    omit: []\n";

static struct xp_kind *the_kind(struct arena *a)
{
    struct diags diags;
    struct xp_notes notes = {.arena = a};
    struct xp_resource_config resource;
    struct xp_kind *k = arena_make(a, struct xp_kind);
    diags_init(&diags, a);
    const struct json *document = json_parse(a, STR(schema_text), "schema", &diags);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    struct xp_config *c = xp_config_read(a, STR(config_text), "p.yaml", &diags);
    must_hold(s && c);
    xp_config_resolve(c, a, STR("x_thing_kind"), FLAVOUR_NAMESPACED, &resource);
    must_hold(xp_kind_build(a, STR("x_thing_kind"), map_get(&s->resources, STR("x_thing_kind")), &resource, &notes, &diags, k) ==
              MODEL_OK);
    return k;
}

/* The input itself is the Secret, so it has any keys. */
static const struct json *look_up(void *ctx, struct str namespace, struct str name)
{
    (void)namespace;
    return json_get_str(ctx, name);
}

static bool accept(void *ctx, const struct json *object)
{
    return json_get(managed_at(object, "spec", "forProvider", NULL), "text") != ctx;
}

/* Manifest to parameters and back: the result translates to the same parameters. */
static void out_and_back(struct arena *a, const struct xp_kind *k, const struct json *object)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *parameters, *back, *again, *more;
    struct managed_missing_list missing = {0};
    struct managed_ignored ignored;
    if (!managed_parameters(a, k, object, &diags, &parameters))
        return;
    must_hold(managed_ignored_of(a, k, object, &diags, &ignored));
    const struct json *terraform = managed_terraform_of(a, k, parameters);
    must_hold(json_eq(managed_parameters_of_state(a, k, terraform), parameters));
    if (managed_values_of(a, k, FOR_PROVIDER, parameters, &diags, &back)) {
        must_hold(managed_parameters_of(a, k, FOR_PROVIDER, back, &diags, &again));
        must_hold(json_get(parameters, "any") || json_eq(again, parameters)); /* a value of type "any" may lose its type */
    }
    if (managed_add_secrets(a, managed_secret_inputs(a, k), object, parameters, look_up, (void *)(uintptr_t)object, &diags,
                            &missing, &more)) {
        struct str id;
        more = managed_add_name(a, k, object, more);
        (void)managed_id(a, k, object, more, NULL, &diags, &id);
    }
    managed_say_missing(&diags, &missing);
}

/* The input as a state. */
static void in(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *observed, *details, *with, *late;
    struct managed_secret_paths paths = managed_secret_attributes(a, k);
    const struct json *parameters = managed_parameters_of_state(a, k, state);
    if (managed_set_observed(a, k, object, state, &diags, &observed)) {
        const struct json *status = managed_at(observed, "status", "atProvider", NULL);
        must_hold(!json_get(status, "password") && !json_get(status, "token") && !json_get(json_get(status, "alone"), "pin"));
        if (managed_late_initialize(a, k, object, state, accept, NULL, &diags, &late))
            (void)managed_late_initialize(a, k, late, state, NULL, NULL, &diags, &late);
    }
    if (managed_connection_details(a, paths, parameters, NULL, NULL, &diags, &details))
        (void)managed_add_connection_secret(a, paths, json_make_object(a, NULL, 0), details, &diags, &with);
    (void)managed_add_connection_secret(a, paths, parameters, state, &diags, &with);
    (void)managed_take_name(a, k, object, state, &diags, &with);
}

static void resolve(struct arena *a, const struct xp_kind *k, const struct json *object)
{
    struct managed_reference_list list;
    struct diags diags;
    diags_init(&diags, a);
    managed_references(a, k, object, &list);
    struct managed_changes changes = {0};
    const struct json *result;
    for (size_t i = 0; i < list.n; i++)
        (void)managed_resolve(a, object, &list.v[i], k, &object, 1, &diags, &changes);
    must_hold(managed_apply(a, object, &changes, &diags, &result));
}

static void envelope(struct arena *a, const struct xp_kind *k, const struct json *object)
{
    struct diags diags;
    diags_init(&diags, a);
    struct managed_policies p = managed_policies(object, true, true);
    (void)managed_policies_check(a, &p, &diags);
    struct managed_condition c = {STR("Ready"), STR("True"), STR("Available"), STR_EMPTY, managed_generation(object)};
    const struct json *o = managed_set_condition(a, object, &c, 1);
    must_hold(managed_condition(o, "Ready", &c));
    o = managed_add_tags(a, k, managed_init_external_name(a, k, managed_add_finalizer(a, o, MANAGED_FINALIZER)));
    must_hold(managed_has_finalizer(o, MANAGED_FINALIZER));
    must_hold(!managed_has_finalizer(managed_remove_finalizer(a, o, MANAGED_FINALIZER), MANAGED_FINALIZER));
    (void)managed_creation_is_incomplete(o);
    (void)managed_poll_after(&(struct managed_poll){1, 1, 1}, managed_reconcile_handled(a, o), 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *forever;
    static const struct xp_kind *k;
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    if (!k)
        k = the_kind(forever = arena_new(NULL, 0));
    diags_init(&diags, a);
    const struct json *input = size < MAX_INPUT ? json_parse(a, (struct str){(const char *)data, size}, "fuzz", &diags) : NULL;
    if (!input)
        return 0;
    envelope(a, k, input);
    out_and_back(a, k, input);
    in(a, k, input, json_get(input, "state") ? json_get(input, "state") : input);
    resolve(a, k, input);
    return 0;
}
