#include "managed/late_init.h"

#include "managed/testing_managed.h"

/* --- the facts: types as data --- */

static const struct xp_shape *shape_of(struct arena *a, const struct json *type);

static struct xp_fields fields_of(struct arena *a, const struct json *type)
{
    const struct json *fields = json_get(type, "fields");
    size_t n = fields ? fields->object.n : 0;
    struct xp_field *v = arena_make_n(a, struct xp_field, n);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct xp_field){.json = fields->object.members[i].key,
                                 .role = FIELD_VALUE,
                                 .shape = shape_of(a, json_get(fields->object.members[i].value, "type"))};
    return (struct xp_fields){v, n};
}

static const struct xp_shape *shape_of(struct arena *a, const struct json *type)
{
    struct xp_shape *s = arena_make(a, struct xp_shape);
    struct str name = type->kind == JSON_ARRAY ? type->array.items[0]->text : json_text(type, STR_EMPTY);
    if (type->kind == JSON_OBJECT)
        *s = (struct xp_shape){.kind = SHAPE_OBJECT, .fields = fields_of(a, type)};
    else if (type->kind == JSON_ARRAY && (str_eqz(name, "list") || str_eqz(name, "map")))
        *s = (struct xp_shape){.kind = str_eqz(name, "list") ? SHAPE_LIST : SHAPE_MAP,
                               .element = shape_of(a, type->array.items[1])};
    else if (str_eqz(name, "string") || str_eqz(name, "number"))
        s->kind = str_eqz(name, "string") ? SHAPE_STRING : SHAPE_NUMBER;
    else
        fail_msg("unknown type " STR_FMT, STR_ARG(name));
    return s;
}

static const struct json *together(struct arena *a, const struct json *desired, const struct json *add)
{
    for (size_t i = 0; i < add->object.n; i++)
        desired = json_with(a, desired, add->object.members[i].key, add->object.members[i].value);
    return desired;
}

static void check_fact(struct arena *a, const struct json *c)
{
    const struct json *filters = json_get(c, "filters"), *expect = json_get(c, "expect"), *desired = json_get(c, "desired"), *add;
    struct str *skip = arena_make_n(a, struct str, filters->array.n);
    struct managed_late_rules rules = {skip, filters->array.n, NULL};
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < filters->array.n; i++) {
        if (!str_eqz(testing_member(filters->array.items[i], "skip"), "zero values of fields marked omit_empty"))
            fail_msg("unknown filter");
        skip[i] = testing_member(filters->array.items[i], "field");
    }
    bool ok =
        managed_late_values(a, fields_of(a, json_get(c, "desired_type")), desired, json_get(c, "observed"), &rules, &diags, &add);
    if (ok == json_bool(json_get(expect, "error"), true))
        fail_msg(STR_FMT ": %s", STR_ARG(testing_member(c, "id")), testing_said(&diags));
    if (!ok)
        return;
    if ((add->object.n > 0) != json_bool(json_get(expect, "modified"), false) ||
        !json_eq(together(a, desired, add), json_get(expect, "object")))
        fail_msg(STR_FMT ": %s", STR_ARG(testing_member(c, "id")), testing_line(a, add));
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "late_init.json");
    assert_true(cases->array.n >= 20);
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

/* --- of a kind --- */

static const char schema[] = "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},"
                             "\"name\":{\"type\":\"string\",\"optional\":true,\"computed\":true},"
                             "\"prefix\":{\"type\":\"string\",\"optional\":true,\"computed\":true},"
                             "\"size\":{\"type\":\"number\",\"optional\":true,\"computed\":true},"
                             "\"open\":{\"type\":\"bool\",\"optional\":true,\"computed\":true},"
                             "\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
                             "\"kept\":{\"type\":\"string\",\"optional\":true,\"computed\":true}},"
                             "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{"
                             "\"a\":{\"type\":\"string\",\"optional\":true},\"b\":{\"type\":\"string\",\"optional\":true}}}}}}";
static const char yaml[] = "provider: x\nresources:\n  x_thing_kind:\n    external_name: provider\n    fields:\n"
                           "      kept: {late_init: false}\n";
static const char observed[] = "{\"id\":\"1\",\"name\":\"n\",\"prefix\":\"p\",\"size\":0.0,\"open\":false,\"password\":\"pw\","
                               "\"kept\":\"k\",\"rule\":[{\"a\":\"1\",\"b\":\"\"}]}";

static const struct json *late(struct arena *a, const char *spec, managed_accept_fn *accept, void *ctx)
{
    struct xp_kind *k = testing_kind_of(a, schema, yaml);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *object = testing_json(a, arena_printf(a, "{\"spec\":%s}", spec)), *got = NULL;
    (void)managed_late_initialize(a, k, object, testing_jsonz(a, observed), accept, ctx, &diags, &got);
    testing_no_errors(&diags);
    return got == object ? NULL : managed_at(got, "spec", "forProvider", NULL);
}

/*
 * Not copied: outputs, secrets, zero values, what the configuration excludes, what initProvider has. A block is copied as a
 * whole.
 */
static void of_a_kind(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *rule = testing_kind_of(a, schema, yaml)->config.config->embed_singletons ? "{\"a\":\"1\",\"b\":\"\"}"
                                                                                         : "[{\"a\":\"1\",\"b\":\"\"}]";
    testing_same(a, late(a, "{\"forProvider\":{}}", NULL, NULL),
                 arena_printf(a, "{\"name\":\"n\",\"prefix\":\"p\",\"rule\":%s}", rule).p);
    testing_same(a, late(a, "{}", NULL, NULL), arena_printf(a, "{\"name\":\"n\",\"prefix\":\"p\",\"rule\":%s}", rule).p);
    testing_same(a, late(a, "{\"forProvider\":{\"name\":\"mine\"},\"initProvider\":{\"prefix\":\"q\"}}", NULL, NULL),
                 arena_printf(a, "{\"name\":\"mine\",\"rule\":%s}", rule).p);
    assert_null(late(a, arena_printf(a, "{\"forProvider\":{\"name\":\"n\",\"prefix\":\"p\",\"rule\":%s}}", rule).p, NULL, NULL));
}

/* Stands for a provider that rejects a name together with a prefix. */
static bool not_both(void *ctx, const struct json *object)
{
    const struct json *values = managed_at(object, "spec", "forProvider", NULL);
    ++*(size_t *)ctx;
    return !(json_get(values, "name") && json_get(values, "prefix"));
}

static bool never(void *ctx, const struct json *object)
{
    (void)object;
    ++*(size_t *)ctx;
    return false;
}

static void no_conflicts(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    size_t asked = 0;
    const struct json *got = late(a, "{\"forProvider\":{}}", not_both, &asked);
    testing_text(json_text(json_get(got, "name"), STR_EMPTY), "n");
    assert_null(json_get(got, "prefix"));
    assert_non_null(json_get(got, "rule"));
    assert_int_equal(asked, 4);
    asked = 0;
    got = late(a, "{\"forProvider\":{\"prefix\":\"p\"}}", not_both, &asked);
    assert_null(json_get(got, "name"));
    assert_non_null(json_get(got, "rule"));
    assert_null(late(a, "{\"forProvider\":{}}", never, &asked));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(of_a_kind),
        cmocka_unit_test(no_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
