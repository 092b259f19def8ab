/*
 * Any bytes as the schema of a provider: if it can be read, kinds are built with the least and the most compatibility, their
 * CRDs are valid YAML, and all generated files have the format that their name says. An Upjet side file in the input gives a
 * readable configuration.
 */
#include "crossplane/upjet.h"
#include "generate/crd.h"
#include "generate/generate.h"
#include "schema/schema_json.h"
#include "yaml/yaml.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20, MAX_TYPES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(struct arena *a, struct str type, const struct schema *s, enum xp_compat compat)
{
    struct diags diags;
    struct xp_notes notes = {.arena = a};
    struct xp_kind kind;
    struct xp_resource_config config;
    diags_init(&diags, a);
    struct xp_config *c = xp_config_default(a, STR("x"));
    c->compat = compat;
    xp_config_resolve(c, a, type, FLAVOUR_NAMESPACED, &config);
    if (xp_kind_build(a, type, s, &config, &notes, &diags, &kind) != MODEL_OK)
        return;
    struct buf out BUF_AUTO = BUF_INIT(CRD_MAX_TEXT);
    if (crd_write(&out, &kind, FLAVOUR_NAMESPACED, NULL, &notes, &diags) && !yaml_parse(a, buf_str(&out), "crd", &diags))
        abort();
}

/* Nothing of Go, but what no text from outside may have brought about: controls, and raw strings that do not end in their line.
 */
static bool looks_like_go(struct str content)
{
    bool ok = str_is_utf8(content);
    while (ok && content.n > 0) {
        struct str line = str_cut(&content, '\n'), code = str_trim(line);
        size_t quotes = 0;
        for (size_t i = 0; i < line.n && ok; i++) {
            quotes += line.p[i] == '`';
            ok = (unsigned char)line.p[i] >= ' ' || line.p[i] == '\t';
        }
        ok &= str_starts(code, STR("//")) || quotes % 2 == 0;
    }
    return ok;
}

static bool check_file(void *ctx, struct str path, struct str content, struct diags *diags)
{
    struct arena *a = ctx;
    struct yaml_documents documents;
    struct diags ignored;
    (void)diags;
    diags_init(&ignored, a);
    if (str_ends(path, STR(".yaml")) && !yaml_parse_all(a, content, "file", &ignored, &documents))
        abort();
    if (str_ends(path, STR(".go")) && !looks_like_go(content))
        abort();
    return true;
}

static void generate_all(struct arena *a, const struct provider_schema *s)
{
    struct diags diags;
    struct output out;
    struct generated done;
    struct generate_options options = {
        .config = xp_config_default(a, STR("x")),
        .schema = s,
        .address = STR("registry.terraform.io/test/x"),
        .version = STR_EMPTY,
        .only = STR_EMPTY,
        .data_sources = true,
        .flavours = FLAVOUR_NAMESPACED,
        .emit = EMIT_ALL,
    };
    diags_init(&diags, a);
    output_init(&out, a, NULL);
    out.watch = check_file;
    out.watch_ctx = a;
    (void)generate(a, &options, &out, &diags, &done);
    output_discard(&out);
}

static void convert(struct arena *a, const struct json *side)
{
    struct diags diags;
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    diags_init(&diags, a);
    if (xp_config_from_upjet(a, side, &out, &diags) && !yaml_parse(a, buf_str(&out), "provider.yaml", &diags))
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
    if (s && s->resources.n <= MAX_TYPES)
        generate_all(a, s);
    for (size_t i = 0; s && i < s->resources.n && i < MAX_TYPES; i++) {
        build(a, s->resources.entries[i].key, s->resources.entries[i].value, COMPAT_OWN);
        build(a, s->resources.entries[i].key, s->resources.entries[i].value, COMPAT_UPJET_EXACT);
    }
    return 0;
}
