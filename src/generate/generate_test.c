/* What fails a whole run: configurations with rules that match nothing, or that leave nothing to generate. */
#include "generate/generate.h"

#include "crossplane/testing_crossplane.h"

/* Against a provider with x_thing_kind { name, rule { key } }. */
static const struct {
    const char *yaml, *says[3];
} unused[] = {
    {"provider: x\nresources:\n  x_thing_knd: {version: v2}\n",
     {"p.yaml:3", "matches no resource type", "did you mean \"x_thing_kind\""}},
    {"provider: x\nexclude: [\"y_*\"]\n", {"p.yaml:2", "\"y_*\" under \"exclude\""}},
    {"provider: x\nresources:\n  x_thing_kind:\n    omit: [nme]\n", {"p.yaml:4", "no field \"nme\"", "did you mean \"name\""}},
    {"provider: x\nresources:\n  x_thing_kind:\n    fields:\n      rule.kye: {sensitive: true}\n",
     {"p.yaml:5", "did you mean \"rule.key\""}},
    {"provider: x\nresources:\n  \"*\":\n    fields:\n      \"**.zone\": {sensitive: true}\n", {"p.yaml:5", "no field \"zone\""}},
    {"provider: x\nresources:\n  x_thing_kind:\n    references: {name: x_thing_kint}\n",
     {"p.yaml:4", "no resource type \"x_thing_kint\"", "x_thing_kind"}},
    {"provider: x\nresources:\n  x_thing_kind:\n    add: {forProvider: {nowhere.x: {type: string}}}\n",
     {"p.yaml:4", "nowhere.x"}},
    {"provider: x\nexclude: [\"x_*\"]\n", {"Nothing to generate"}},
};

static bool run_generate(struct arena *a, const char *yaml, struct diags *diags)
{
    struct output out;
    struct generated done;
    struct generate_options options = {
        .schema =
            testing_schema(a, "{\"attributes\":{\"name\":{\"type\":\"string\",\"optional\":true}},\"block_types\":{\"rule\":{"
                              "\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"key\":{\"type\":\"string\","
                              "\"optional\":true}}}}}}"),
        .config = testing_config(a, yaml),
        .flavours = FLAVOUR_BOTH,
    };
    output_init(&out, a, "/nonexistent");
    bool ok = generate(a, &options, &out, diags, &done);
    output_discard(&out);
    return ok;
}

static void unused_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        assert_false(run_generate(a, unused[i].yaml, &diags));
        for (size_t j = 0; j < 3 && unused[i].says[j]; j++)
            testing_says(&diags, unused[i].says[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
