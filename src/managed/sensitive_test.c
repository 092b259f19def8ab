#include "managed/sensitive.h"

#include "managed/testing_managed.h"
#include "managed/translate.h"

/* --- the facts --- */

static struct str relative(struct str path)
{
    const struct str prefix = STR("spec.forProvider.");
    return str_starts(path, prefix) ? str_slice(path, prefix.n, path.n) : path;
}

static struct managed_secret_paths mapping_of(struct arena *a, const struct json *c)
{
    struct managed_secret_paths list = {0};
    const struct json *mapping = json_get(c, "mapping"), *paths = json_get(c, "paths");
    for (size_t i = 0; mapping && i < mapping->object.n; i++)
        *VEC_PUSH(a, &list) =
            (struct managed_secret_path){mapping->object.members[i].key, relative(mapping->object.members[i].value->text), false};
    for (size_t i = 0; paths && i < paths->array.n; i++)
        *VEC_PUSH(a, &list) = (struct managed_secret_path){paths->array.items[i]->text, STR_EMPTY, false};
    return list;
}

struct secrets {
    struct arena *arena;
    const struct json *list;
};

/* Entries have one key each, or all data of a Secret. */
static const struct json *look_up(void *ctx, struct str namespace, struct str name)
{
    const struct secrets *s = ctx;
    const struct json *data = NULL;
    for (size_t i = 0; s->list && i < s->list->array.n; i++) {
        const struct json *one = s->list->array.items[i];
        if (!str_eq(testing_member(one, "name"), name) || !str_eq(testing_member(one, "namespace"), namespace) ||
            json_bool(json_get(one, "missing"), false))
            continue;
        if (json_get(one, "data"))
            return json_get(one, "data");
        data = json_with(s->arena, data, testing_member(one, "key"), json_get(one, "value"));
    }
    return data;
}

static const struct json *additional(void *ctx, struct arena *a, const struct json *parameters, struct diags *diags)
{
    const struct json *wanted = ctx, *result = json_make_object(a, NULL, 0);
    if (json_get(wanted, "error")) {
        (void)diags_fail(diags, "Failed", "%s", testing_member(wanted, "error").p);
        return NULL;
    }
    for (size_t i = 0; managed_is_object(wanted) && i < wanted->object.n; i++)
        result = json_with(a, result, wanted->object.members[i].key,
                           json_get_str(parameters, testing_member(wanted->object.members[i].value, "from_attribute")));
    return result;
}

static size_t count_missing(const struct json *secrets)
{
    size_t n = 0;
    for (size_t i = 0; secrets && i < secrets->array.n; i++)
        n += json_bool(json_get(secrets->array.items[i], "missing"), false);
    return n;
}

static bool parameters_fact(struct arena *a, const struct json *c, struct diags *diags, const struct json **ret)
{
    struct secrets secrets = {a, json_get(c, "secrets")};
    struct managed_missing_list missing = {0};
    bool ok = managed_add_secrets(a, mapping_of(a, c), json_get(c, "object"), json_get(c, "parameters"), look_up, &secrets, diags,
                                  &missing, ret);
    assert_int_equal(missing.n, count_missing(secrets.list));
    return ok;
}

static bool observation_fact(struct arena *a, const struct json *c, struct diags *diags, const struct json **ret)
{
    struct secrets secrets = {a, json_get(c, "secrets")};
    const struct json *from = json_get(c, "connection_secret");
    const struct json *data = look_up(&secrets, testing_member(from, "namespace"), testing_member(from, "name"));
    return managed_add_connection_secret(a, mapping_of(a, c), json_get(c, "state"), data, diags, ret);
}

static bool place_fact(struct arena *a, const struct json *c, struct diags *diags, const struct json **ret)
{
    struct managed_secret_paths mapping = mapping_of(a, c);
    struct managed_path object, place;
    if (!managed_path_parse(a, testing_member(c, "object_path"), diags, &object) ||
        !managed_secret_place(a, &mapping.v[0], object, diags, &place))
        return false;
    *ret = json_make_string(a, managed_path_text(a, place));
    return true;
}

static bool key_fact(struct arena *a, const struct json *c, struct diags *diags, bool to_key, const struct json **ret)
{
    struct managed_path path;
    struct str input = testing_member(c, "input");
    if (to_key ? !managed_path_parse(a, input, diags, &path) : !managed_path_of_secret_key(a, input, diags, &path))
        return false;
    *ret = json_make_string(a, to_key ? managed_path_secret_key(a, path) : managed_path_text(a, path));
    return true;
}

static bool details_fact(struct arena *a, const struct json *c, struct diags *diags, const struct json **ret)
{
    const struct json *more = json_get(c, "additional");
    bool ok = managed_connection_details(a, mapping_of(a, c), json_get(c, "attributes"),
                                         managed_is_object(more) ? additional : NULL, (void *)(uintptr_t)more, diags, ret);
    if (ok && (*ret)->object.n == 0)
        *ret = json_make_null(a);
    return ok;
}

/* The operation's result; *ret_key: the member of `expect` to compare with, "" for `expect` itself. */
static bool run_case(struct arena *a, const struct json *c, struct diags *diags, const char **ret_key, const struct json **ret)
{
    struct str operation = testing_member(c, "operation");
    *ret_key = "secret";
    if (str_eqz(operation, "connection_details") || str_eqz(operation, "sensitive_attributes"))
        return details_fact(a, c, diags, ret);
    *ret_key = "parameters";
    if (str_eqz(operation, "sensitive_parameters"))
        return parameters_fact(a, c, diags, ret);
    *ret_key = "state";
    if (str_eqz(operation, "sensitive_observation"))
        return observation_fact(a, c, diags, ret);
    *ret_key = "terraform_path";
    if (str_eqz(operation, "terraform_path_of"))
        return place_fact(a, c, diags, ret);
    *ret_key = "";
    if (str_eqz(operation, "secret_key_to_field_path") || str_eqz(operation, "field_path_to_secret_key"))
        return key_fact(a, c, diags, str_eqz(operation, "field_path_to_secret_key"), ret);
    fail_msg("unknown operation " STR_FMT, STR_ARG(operation));
    return false;
}

static void check_fact(struct arena *a, const struct json *c)
{
    const struct json *expect = json_get(c, "expect"), *error = json_get(expect, "error"), *got = NULL;
    const char *key;
    struct diags diags;
    diags_init(&diags, a);
    bool ok = run_case(a, c, &diags, &key, &got);
    if (error) {
        assert_false(ok);
        testing_text(diags.v[0].detail, error->text.p);
        return;
    }
    testing_no_errors(&diags);
    const struct json *wanted = *key ? json_get(expect, key) : expect;
    if (!wanted || !json_eq(got, wanted))
        fail_msg(STR_FMT ": got %s, expected %s", STR_ARG(testing_member(c, "id")), testing_line(a, got),
                 testing_line(a, wanted));
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "sensitive.json");
    assert_true(cases->array.n >= 51);
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

/* --- of a kind --- */

static const char schema[] =
    "{\"attributes\":{\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
    "\"keys\":{\"type\":[\"list\",\"string\"],\"optional\":true,\"sensitive\":true},"
    "\"pairs\":{\"type\":[\"map\",\"string\"],\"optional\":true,\"sensitive\":true},"
    "\"shape\":{\"type\":[\"object\",{\"a\":\"number\"}],\"optional\":true,\"sensitive\":true},"
    "\"token\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}},"
    "\"block_types\":{\"login\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{"
    "\"pin\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}},"
    "\"user\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"name\":{\"type\":\"string\",\"optional\":true},"
    "\"pin\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}}}}";

static const char all_secrets[] = "[{\"name\":\"s\",\"namespace\":\"n\",\"data\":{\"pw\":\"P\",\"k0\":\"A\",\"k1\":\"B\","
                                  "\"json\":\"{\\\"a\\\":1}\",\"bad\":\"{\"}},"
                                  "{\"name\":\"m\",\"namespace\":\"n\",\"data\":{\"a.b\":\"1\",\"c\":\"2\"}},"
                                  "{\"name\":\"s\",\"namespace\":\"other\",\"data\":{\"pw\":\"not yours\"}}]";

static bool add_secrets(struct arena *a, const char *spec, struct diags *diags, struct managed_missing_list *missing,
                        const struct json **ret)
{
    struct xp_kind *k = testing_kind_of(a, schema, NULL);
    struct secrets secrets = {a, testing_jsonz(a, all_secrets)};
    const struct json *object = testing_json(a, arena_printf(a, "{\"metadata\":{\"namespace\":\"n\"},\"spec\":%s}", spec));
    const struct json *parameters = NULL;
    diags_init(diags, a);
    *missing = (struct managed_missing_list){0};
    assert_true(managed_parameters(a, k, object, diags, &parameters));
    return managed_add_secrets(a, managed_secret_inputs(a, k), object, parameters, look_up, &secrets, diags, missing, ret);
}

static void inputs_of_a_kind(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct managed_missing_list missing;
    const struct json *got;
    assert_true(add_secrets(a,
                            "{\"forProvider\":{\"passwordSecretRef\":{\"name\":\"s\",\"namespace\":\"other\",\"key\":\"pw\"},"
                            "\"keysSecretRef\":[{\"name\":\"s\",\"key\":\"k0\"},{\"name\":\"s\",\"key\":\"k1\"}],"
                            "\"pairsSecretRef\":{\"name\":\"m\"},\"shapeSecretRef\":{\"name\":\"s\",\"key\":\"json\"},"
                            "\"login\":{\"pinSecretRef\":{\"name\":\"s\",\"key\":\"pw\"}}},"
                            "\"initProvider\":{\"user\":[{\"name\":\"u\",\"pinSecretRef\":{\"name\":\"s\",\"key\":\"k0\"}}]}}",
                            &diags, &missing, &got));
    testing_no_errors(&diags);
    assert_int_equal(missing.n, 0);
    testing_same(a, got,
                 "{\"password\":\"P\",\"keys\":[\"A\",\"B\"],\"pairs\":{\"a.b\":\"1\",\"c\":\"2\"},\"shape\":{\"a\":1},"
                 "\"login\":[{\"pin\":\"P\"}],\"user\":[{\"name\":\"u\",\"pin\":\"A\"}]}");
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct managed_missing_list missing;
    const struct json *got;
    assert_true(add_secrets(a,
                            "{\"forProvider\":{\"passwordSecretRef\":{\"name\":\"s\",\"key\":\"gone\"},"
                            "\"pairsSecretRef\":{\"name\":\"never\"}}}",
                            &diags, &missing, &got));
    assert_int_equal(missing.n, 2);
    managed_say_missing(&diags, &missing);
    testing_says(&diags, "the key \"gone\" of the Secret \"s\" in the namespace \"n\"");
    testing_says(&diags, "waits for the Secret \"never\" in the namespace \"n\"");
}

/* Messages never contain values of a Secret. */
static void bad_references(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "{\"forProvider\":{\"passwordSecretRef\":3}}", "{\"forProvider\":{\"passwordSecretRef\":{\"key\":\"pw\"}}}",
        "{\"forProvider\":{\"passwordSecretRef\":{\"name\":\"s\",\"key\":3}}}", "{\"forProvider\":{\"keysSecretRef\":[null,4]}}",
        "{\"forProvider\":{\"shapeSecretRef\":{\"name\":\"s\",\"key\":\"bad\"}}}"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct diags diags;
        struct managed_missing_list missing;
        const struct json *got;
        assert_false(add_secrets(a, specs[i], &diags, &missing, &got));
        assert_true(diags_has_errors(&diags));
    }
}

/* From the state into the connection secret and back: nothing is lost, even for a singleton block or a map key with dots. */
static void connection_and_back(void **state)
{
    (void)state;
    static const char values[] =
        "{\"password\":\"P\",\"keys\":[\"A\",\"B\"],\"pairs\":{\"a.b\":\"1\",\"c\":\"2\"},\"shape\":{\"a\":1},\"token\":\"T\","
        "\"login\":{\"pin\":\"1\"},\"user\":[{\"name\":\"u\",\"pin\":\"2\"}]}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, schema, NULL);
    struct managed_secret_paths paths = managed_secret_attributes(a, k);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *details, *back;
    assert_true(managed_connection_details(a, paths, managed_parameters_of_state(a, k, testing_jsonz(a, values)), NULL, NULL,
                                           &diags, &details));
    testing_same(
        a, details,
        "{\"attribute.password\":\"P\",\"attribute.keys.0\":\"A\",\"attribute.keys.1\":\"B\",\"attribute.pair.a.b\":\"1\","
        "\"attribute.pair.c\":\"2\",\"attribute.shape\":\"{\\\"a\\\":1}\",\"attribute.token\":\"T\","
        "\"attribute.login.0.pin\":\"1\",\"attribute.user.0.pin\":\"2\"}");
    const struct json *known = testing_jsonz(a, "{\"user\":[{\"name\":\"u\"}]}");
    assert_true(managed_add_connection_secret(a, paths, known, details, &diags, &back));
    testing_no_errors(&diags);
    testing_same(a, managed_terraform_of(a, k, back), values);
}

static const struct json *taken(void *ctx, struct arena *a, const struct json *parameters, struct diags *diags)
{
    (void)parameters;
    (void)diags;
    return json_with(a, NULL, str_of(ctx), json_make_string(a, STR("x")));
}

static void reserved_keys(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char same[] = "attribute.password", other[] = "password";
    struct xp_kind *k = testing_kind_of(a, schema, NULL);
    const struct json *values = testing_jsonz(a, "{\"password\":\"P\"}"), *got;
    struct diags diags;
    diags_init(&diags, a);
    assert_false(managed_connection_details(a, managed_secret_attributes(a, k), values, taken, same, &diags, &got));
    testing_says(&diags, "overriding a reserved connection key (\"attribute.password\") is not allowed");
    assert_true(managed_connection_details(a, managed_secret_attributes(a, k), values, taken, other, &diags, &got));
    testing_same(a, got, "{\"attribute.password\":\"P\",\"password\":\"x\"}");
}

/* The configured details: strings, numbers and bools of the state, and elements of lists by index; nothing else. */
static void configured_details(void **state)
{
    (void)state;
    static const char block[] =
        "{\"attributes\":{\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
        "\"port\":{\"type\":\"number\",\"computed\":true},\"address\":{\"type\":\"string\",\"computed\":true},"
        "\"tls\":{\"type\":\"bool\",\"computed\":true},\"reader\":{\"type\":\"string\",\"computed\":true},"
        "\"node\":{\"type\":[\"list\",[\"object\",{\"url\":\"string\",\"ends\":[\"list\",\"string\"]}]],"
        "\"computed\":true}}}";
    static const char config[] =
        "provider: x\nresources:\n  x_*:\n    connection_details: {host: reader, password: password, port: port, "
        "tls: tls, reader: reader, gone: gone, whole: node, 'node_*_url': 'node[*].url', "
        "'node_*_end_*': 'node[*].ends[*]', odd: 'port[*].x'}\n"
        "  x_thing_kind:\n    connection_details: {host: address}\n";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, block, config);
    const struct json *got,
        *values = testing_jsonz(a, "{\"password\":\"P\",\"port\":5432,\"address\":\"db\",\"tls\":true,\"reader\":null,"
                                   "\"node\":[{\"url\":\"u0\",\"ends\":[\"a\",\"b\"]},{\"url\":\"u1\",\"ends\":[]}]}");
    struct managed_state_details more = {k, values};
    struct diags diags;
    diags_init(&diags, a);
    assert_true(
        managed_connection_details(a, managed_secret_attributes(a, k), values, managed_configured_details, &more, &diags, &got));
    testing_no_errors(&diags);
    testing_same(a, got,
                 "{\"attribute.password\":\"P\",\"host\":\"db\",\"password\":\"P\",\"port\":\"5432\",\"tls\":\"true\","
                 "\"node_0_url\":\"u0\",\"node_1_url\":\"u1\",\"node_0_end_0\":\"a\",\"node_0_end_1\":\"b\"}");
}

/* Two attributes whose elements have the same key: one is kept, and the loss is reported. */
static void one_key_for_two(void **state)
{
    (void)state;
    static const char block[] = "{\"attributes\":{\"key\":{\"type\":[\"list\",\"string\"],\"computed\":true,\"sensitive\":true},"
                                "\"keys\":{\"type\":[\"map\",\"string\"],\"computed\":true,\"sensitive\":true}}}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, block, NULL);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *got, *values = testing_jsonz(a, "{\"key\":[\"A\"],\"keys\":{\"0\":\"B\",\"x\":\"C\"}}");
    assert_true(managed_connection_details(a, managed_secret_attributes(a, k), values, NULL, NULL, &diags, &got));
    testing_same(a, got, "{\"attribute.key.0\":\"A\",\"attribute.key.x\":\"C\"}");
    testing_says(&diags, "would both be \"attribute.key.0\"");
    assert_false(diags_has_errors(&diags));
}

/* A forged connection secret cannot make us allocate a list of arbitrary length. */
static void hostile_connection_secret(void **state)
{
    (void)state;
    static const char *const keys[] = {"attribute.keys.99999999", "attribute.", "attribute.a..b", "attribute.password.x",
                                       "attribute....x"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct managed_secret_paths none = {0};
    const struct json *known = testing_jsonz(a, "{\"password\":\"P\"}");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        const struct json *data = json_with(a, NULL, str_of(keys[i]), json_make_string(a, STR("v"))), *got = NULL;
        bool ok = managed_add_connection_secret(a, none, known, data, &diags, &got);
        if (ok)
            fail_msg("%s: %s", keys[i], testing_line(a, got));
    }
}

static void made_up(void **state)
{
    (void)state;
    static const char block[] = "{\"attributes\":{\"password\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}";
    static const char yaml[] =
        "provider: x\nresources:\n  x_thing_kind:\n    generated_secrets: {password: auto_generate_password}\n";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = testing_kind_of(a, block, yaml);
    struct managed_missing_list list;
    for (int flag = 0; flag < 2; flag++) {
        struct str text =
            arena_printf(a,
                         "{\"metadata\":{\"namespace\":\"n\"},\"spec\":{\"forProvider\":{\"autoGeneratePassword\":%s,"
                         "\"passwordSecretRef\":{\"name\":\"s\",\"namespace\":\"other\",\"key\":\"k\"}}}}",
                         flag ? "true" : "false");
        managed_generated_secrets(a, k, testing_json(a, text), &list);
        assert_int_equal(list.n, flag);
    }
    testing_text(list.v[0].name, "s");
    testing_text(list.v[0].namespace, "n");
    testing_text(list.v[0].key, "k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(inputs_of_a_kind),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(bad_references),
        cmocka_unit_test(connection_and_back),
        cmocka_unit_test(reserved_keys),
        cmocka_unit_test(configured_details),
        cmocka_unit_test(hostile_connection_secret),
        cmocka_unit_test(made_up),
        cmocka_unit_test(one_key_for_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
