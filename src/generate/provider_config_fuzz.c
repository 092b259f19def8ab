/*
 * Any bytes as the configuration of a provider: reading never crashes; if it can be read, a kind is built with it, and its CRD is
 * valid YAML.
 */
#include "generate/crd.h"
#include "schema/schema_json.h"
#include "yaml/yaml.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"r/t/x\":{\"resource_schemas\":{\"x_a_b\":{\"version\":0,\"block\":{"
    "\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true},\"ids\":{\"type\":[\"set\",\"string\"],\"optional\":true},"
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true},\"key\":{\"type\":\"string\",\"computed\":true,\"sensitive\":"
    "true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},\"n\":{\"type\":\"number\",\"optional\":true,\"sensitive\":true}},"
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"name\":{\"type\":"
    "\"string\","
    "\"required\":true}},\"block_types\":{\"part\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"password\":{\"type\":"
    "\"string\",\"required\":true,\"sensitive\":true}}}}}}}}}}}}}}";

static void build(struct arena *a, const struct provider_schema *s, struct xp_config *c, enum xp_flavour flavour,
                  enum xp_compat compat)
{
    struct diags diags;
    struct xp_notes notes = {.arena = a};
    struct xp_kind kind;
    struct xp_resource_config config;
    struct str type = STR("x_a_b");
    diags_init(&diags, a);
    c->compat = compat;
    xp_config_resolve(c, a, type, flavour, &config);
    if (xp_kind_build(a, type, map_get(&s->resources, type), &config, &notes, &diags, &kind) != MODEL_OK)
        return;
    struct buf out BUF_AUTO = BUF_INIT(CRD_MAX_TEXT);
    if (crd_write(&out, &kind, flavour, NULL, &notes, &diags) && !yaml_parse(a, buf_str(&out), "crd", &diags))
        abort();
}

/* Valid templates run, and give a string or a diagnostic. */
static void make_ids(struct arena *a, const struct xp_config *c)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *parameters =
        json_parse(a, STR("{\"name\":\"N\",\"list\":[{\"name\":\"x\"}],\"n\":0,\"none\":null}"), "parameters", &diags);
    for (size_t i = 0; i < c->rules.n; i++) {
        const struct xp_external_name *e = &c->rules.v[i].external_name;
        size_t before = diags.n_errors;
        struct str id;
        if (e->mistake.n > 0)
            continue;
        if (xp_external_name_id(a, e, STR("name"), parameters, NULL, &diags, &id) == (diags.n_errors > before))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    struct xp_config *c = xp_config_read(a, (struct str){(const char *)data, size}, "fuzz", &diags);
    if ((c == NULL) != diags_has_errors(&diags))
        abort();
    if (!c)
        return 0;
    const struct provider_schema *s =
        schema_read_document(a, json_parse(a, STR(document), "schema", &diags), STR_EMPTY, NULL, &diags);
    build(a, s, c, FLAVOUR_CLUSTER, COMPAT_OWN);
    build(a, s, c, FLAVOUR_NAMESPACED, COMPAT_UPJET_EXACT);
    make_ids(a, c);
    (void)xp_config_check_used(c, &s->resources, &diags);
    return 0;
}
