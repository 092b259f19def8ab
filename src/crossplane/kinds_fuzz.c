/*
 * Any bytes as the schema of a provider: for whatever can be read kinds are built both ways, and their CRDs are YAML. An Upjet
 * side file among the bytes gives a configuration that can be read.
 */
#include "base/yaml.h"
#include "crossplane/crd.h"
#include "crossplane/upjet.h"
#include "schema/schema_json.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20, MAX_TYPES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(struct arena *a, struct str type, const struct schema *s, enum model_mode mode)
{
    struct diags diags;
    struct notes notes = {.arena = a};
    struct kind kind;
    struct resource_config config;
    diags_init(&diags, a);
    config_resolve(config_default(a, STR("x")), a, type, FLAVOUR_NAMESPACED, &config);
    if (kind_build(a, type, s, &config, mode, &notes, &diags, &kind) != MODEL_OK)
        return;
    struct buf out BUF_AUTO = BUF_INIT(CRD_MAX_TEXT);
    if (crd_write(&out, &kind, FLAVOUR_NAMESPACED, &notes, &diags) && !yaml_parse(a, buf_str(&out), "crd", &diags))
        abort();
}

static void convert(struct arena *a, const struct json *side)
{
    struct diags diags;
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    diags_init(&diags, a);
    if (config_from_upjet(a, side, &out, &diags) && !yaml_parse(a, buf_str(&out), "provider.yaml", &diags))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *document = json_parse(a, (struct str){(const char *)data, size}, "fuzz", &diags);
    if (!document)
        return 0;
    convert(a, document);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    for (size_t i = 0; s && i < s->resources.n && i < MAX_TYPES; i++) {
        build(a, s->resources.entries[i].key, s->resources.entries[i].value, MODEL_DEFAULT);
        build(a, s->resources.entries[i].key, s->resources.entries[i].value, MODEL_UPJET);
    }
    return 0;
}
