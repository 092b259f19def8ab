/*
 * For the tests of this folder: makes schemas, configurations and models from strings, and dumps models in a short form.
 */
#pragma once

#include "base/testing.h"
#include "crossplane/model.h"
#include "schema/schema_json.h"

/* A provider "x" with the one resource type "x_thing_kind", whose block is given as JSON. */
static inline const struct provider_schema *testing_schema(struct arena *a, const char *block)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text = arena_printf(a,
                                   "{\"format_version\":\"1.0\",\"provider_schemas\":{\"registry.terraform.io/test/x\":"
                                   "{\"resource_schemas\":{\"x_thing_kind\":{\"version\":0,\"block\":%s}}}}}",
                                   block);
    const struct json *document = json_parse(a, text, "schema", &diags);
    testing_no_errors(&diags);
    const struct provider_schema *s = schema_read_document(a, document, STR_EMPTY, NULL, &diags);
    testing_no_errors(&diags);
    return s;
}

static inline struct xp_config *testing_config(struct arena *a, const char *yaml)
{
    struct diags diags;
    diags_init(&diags, a);
    struct xp_config *c = yaml ? xp_config_read(a, str_of(yaml), "p.yaml", &diags) : xp_config_default(a, STR("x"));
    testing_no_errors(&diags);
    return c;
}

struct testing_kind {
    enum xp_model_result result;
    struct xp_kind kind;
    struct xp_notes notes;
    struct diags diags;
};

/* `type`: a resource type, or with the prefix "data." treated as a data source. */
static inline struct testing_kind testing_build_type(struct arena *a, struct str type, const char *block, const char *yaml,
                                                     enum xp_compat compat)
{
    struct testing_kind t = {.notes = {.arena = a}};
    diags_init(&t.diags, a);
    const struct provider_schema *s = testing_schema(a, block);
    struct xp_resource_config config;
    struct xp_config *c = testing_config(a, yaml);
    c->compat = c->compat > compat ? c->compat : compat;
    xp_config_resolve(c, a, type, FLAVOUR_NAMESPACED, &config);
    t.result = xp_kind_build(a, type, map_get(&s->resources, STR("x_thing_kind")), &config, &t.notes, &t.diags, &t.kind);
    return t;
}

static inline struct testing_kind testing_build(struct arena *a, const char *block, const char *yaml, enum xp_compat compat)
{
    return testing_build_type(a, STR("x_thing_kind"), block, yaml, compat);
}

static inline void testing_dump_fields(struct buf *out, struct xp_fields fields);

static inline void testing_dump_shape(struct buf *out, const struct xp_shape *s)
{
    static const char *const names[] = {[SHAPE_STRING] = "string", [SHAPE_NUMBER] = "number", [SHAPE_INTEGER] = "integer",
                                        [SHAPE_BOOL] = "bool",     [SHAPE_ANY] = "any",       [SHAPE_SECRET_KEY] = "secretkey",
                                        [SHAPE_SECRET] = "secret", [SHAPE_REFERENCE] = "ref", [SHAPE_SELECTOR] = "selector",
                                        [SHAPE_RAW] = "raw"};
    if (s->kind == SHAPE_OBJECT) {
        testing_dump_fields(out, s->fields);
        return;
    }
    if (!s->element) {
        buf_printf(out, "%s%s", names[s->kind], s->json_secret ? "(json)" : "");
        return;
    }
    buf_addz(out, s->kind == SHAPE_MAP ? "map" : "list");
    if (s->list_type == LIST_OF_SET || s->map_type == MAP_GRANULAR)
        buf_addc(out, '*');
    buf_addc(out, '(');
    testing_dump_shape(out, s->element);
    buf_addc(out, ')');
}

static inline void testing_dump_fields(struct buf *out, struct xp_fields fields)
{
    buf_addc(out, '{');
    for (size_t i = 0; i < fields.n; i++) {
        buf_printf(out, "%s" STR_FMT "%s:", i > 0 ? " " : "", STR_ARG(fields.v[i].json), fields.v[i].required ? "!" : "");
        testing_dump_shape(out, fields.v[i].shape);
    }
    buf_addc(out, '}');
}

/* {name:string tags:map*(string)}: `!` after a required name, `*` after a collection with a merge marker. */
static inline const char *testing_dump(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    testing_dump_fields(&out, k->trees[tree]);
    return buf_copy(&out, a).p;
}

/* The value at a path in a document. Steps are separated by blanks; a number selects an element of a list. */
static inline const struct json *testing_at(const struct json *j, const char *path)
{
    for (struct str rest = str_of(path); rest.n > 0 && j;) {
        struct str step = str_cut(&rest, ' ');
        int64_t i;
        if (j->kind == JSON_ARRAY)
            j = str_to_i64(step, &i) && (size_t)i < j->array.n ? j->array.items[i] : NULL;
        else
            j = json_get_str(j, step);
    }
    return j;
}
