#include "generate/crd_private.h"

/* --- descriptions --- */

/* Strips remarks at the start of documentation, which CRDs express differently: "- (Optional) The name." */
static struct str clean(struct str s)
{
    s = str_trim(s);
    if (str_starts(s, STR("- ")))
        s = str_trim(str_slice(s, 2, s.n));
    if (str_starts(s, STR("(Optional")) || str_starts(s, STR("(Required"))) {
        size_t end = str_find(s, ')', 0);
        if (end != SIZE_MAX)
            s = str_trim(str_slice(s, end + 1, s.n));
    }
    return s;
}

/* The additional bytes of a string in an API server's JSON, which has \" and \\ and \n, but \u003c for <. */
static size_t json_escapes(struct str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        n += c == '<' || c == '>' || c == '&' ? 5 : c == '"' || c == '\\' || c == '\n' || c == '\t';
    }
    return n;
}

static void write_description(struct crd_writer *w, struct str text)
{
    if (!w->descriptions || text.n == 0)
        return;
    yaml_text(&w->y, STR("description"), text);
    w->y.json_bytes += json_escapes(text);
}

void crd_write_kind_description(struct crd_writer *w)
{
    write_description(w, clean(w->kind->description));
}

static struct str attr_description(struct crd_writer *w, const struct xp_tree_attr *attr)
{
    struct str text = clean(attr->description);
    if (!attr->deprecated)
        return text;
    struct str why = str_trim(attr->deprecation_message);
    return arena_printf(w->scratch, STR_FMT "%sDeprecated%s" STR_FMT, STR_ARG(text), text.n > 0 ? "\n" : "",
                        why.n > 0 ? ": " : ".", STR_ARG(why));
}

static struct str reference_target(struct crd_writer *w, const struct xp_reference_rule *rule)
{
    struct xp_group_kind target = xp_name_group_kind(&w->kind->config.config->names, w->scratch, rule->to);
    struct xp_resource_config config;
    xp_config_resolve(w->kind->config.config, w->scratch, rule->to, w->flavour, &config);
    struct str group = config.has_group ? config.group : target.group, kind = config.kind.n > 0 ? config.kind : target.kind;
    return group.n > 0 ? arena_printf(w->scratch, STR_FMT " in " STR_FMT, STR_ARG(kind), STR_ARG(group)) : kind;
}

static struct str field_description(struct crd_writer *w, const struct xp_field *f)
{
    switch (f->role) {
    case FIELD_VALUE:
        return attr_description(w, f->attr);
    case FIELD_SECRET_REF: {
        struct str text = attr_description(w, f->attr);
        const char *how = f->shape->json_secret ? "Names the key of a secret that holds this value as JSON." : "";
        return arena_printf(w->scratch, STR_FMT "%s%s", STR_ARG(text), text.n > 0 && how[0] ? "\n" : "", how);
    }
    case FIELD_REFERENCE:
        return arena_printf(w->scratch, "Reference%s to %s" STR_FMT " to populate " STR_FMT ".",
                            f->shape->kind == SHAPE_LIST ? "s" : "", f->shape->kind == SHAPE_LIST ? "" : "a ",
                            STR_ARG(reference_target(w, f->attr->reference)), STR_ARG(xp_name_json(w->scratch, f->attr->name)));
    case FIELD_SELECTOR:
        return arena_printf(w->scratch, "Selector for a " STR_FMT " to populate " STR_FMT ".",
                            STR_ARG(reference_target(w, f->attr->reference)), STR_ARG(xp_name_json(w->scratch, f->attr->name)));
    case FIELD_INJECTED:
        return STR("Key that identifies elements of this list.");
    case FIELD_ADDED:
        break;
    }
    return STR_EMPTY;
}

/* --- shapes; keys in alphabetical order, as other tools write them --- */

static void write_shape(struct crd_writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description,
                        const struct xp_field *f);

static const char policy_lines[] = "policy:\n"
                                   "  properties:\n"
                                   "    resolution:\n"
                                   "      default: Required\n"
                                   "      enum:\n"
                                   "      - Required\n"
                                   "      - Optional\n"
                                   "      type: string\n"
                                   "    resolve:\n"
                                   "      enum:\n"
                                   "      - Always\n"
                                   "      - IfNotPresent\n"
                                   "      type: string\n"
                                   "  type: object\n";

void crd_write_config_ref(struct yaml_out *y, bool with_default)
{
    yaml_begin(y, STR("providerConfigRef"));
    if (with_default)
        yaml_lines(y, "default:\n"
                      "  name: default\n"
                      "description: The ProviderConfig that says how to reach the provider.\n");
    yaml_begin(y, STR("properties"));
    yaml_lines(y, "name:\n"
                  "  type: string\n");
    yaml_lines(y, policy_lines);
    yaml_end(y);
    yaml_lines(y, "required:\n"
                  "- name\n"
                  "type: object\n");
    yaml_end(y);
}

static void write_text_property(struct crd_writer *w, const char *name)
{
    yaml_begin(&w->y, str_of(name));
    yaml_plain(&w->y, "type", "string");
    yaml_end(&w->y);
}

static void write_secret_parts(struct crd_writer *w, bool key)
{
    bool with_namespace = w->flavour == FLAVOUR_CLUSTER;
    yaml_begin(&w->y, STR("properties"));
    if (key)
        write_text_property(w, "key");
    write_text_property(w, "name");
    if (with_namespace)
        write_text_property(w, "namespace");
    yaml_end(&w->y);
    const struct str parts[] = {STR("key"), STR("name"), STR("namespace")};
    yaml_texts(&w->y, STR("required"), parts + !key, 1 + (size_t)key + (size_t)with_namespace);
    yaml_plain(&w->y, "type", "object");
}

static void write_reference_parts(struct crd_writer *w)
{
    yaml_begin(&w->y, STR("properties"));
    write_text_property(w, "name");
    if (w->flavour == FLAVOUR_NAMESPACED)
        write_text_property(w, "namespace");
    yaml_lines(&w->y, policy_lines);
    yaml_end(&w->y);
    const struct str name = STR("name");
    yaml_texts(&w->y, STR("required"), &name, 1);
    yaml_plain(&w->y, "type", "object");
}

static void write_selector_parts(struct crd_writer *w)
{
    yaml_begin(&w->y, STR("properties"));
    yaml_lines(&w->y, "matchControllerRef:\n"
                      "  type: boolean\n"
                      "matchLabels:\n"
                      "  additionalProperties:\n"
                      "    type: string\n"
                      "  type: object\n");
    if (w->flavour == FLAVOUR_NAMESPACED)
        write_text_property(w, "namespace");
    yaml_lines(&w->y, policy_lines);
    yaml_end(&w->y);
    yaml_plain(&w->y, "type", "object");
}

static void write_field(struct crd_writer *w, const struct xp_field *f, enum xp_tree_name tree, int depth)
{
    yaml_begin(&w->y, f->json);
    write_shape(w, f->shape, tree, depth, w->descriptions ? field_description(w, f) : STR_EMPTY, f);
    if (f->immutable && tree == FOR_PROVIDER && !w->older) /* in a list the old value is not available for comparison */
        yaml_lines(&w->y, "x-kubernetes-validations:\n"
                          "- message: cannot be changed once it is set\n"
                          "  rule: self == oldSelf\n");
    yaml_end(&w->y);
}

static void write_required(struct crd_writer *w, struct xp_fields fields)
{
    size_t n = 0;
    for (size_t i = 0; i < fields.n; i++)
        n += fields.v[i].required;
    if (n == 0)
        return;
    struct str *names = arena_make_n(w->scratch, struct str, n);
    n = 0;
    for (size_t i = 0; i < fields.n; i++)
        if (fields.v[i].required)
            names[n++] = fields.v[i].json;
    yaml_texts(&w->y, STR("required"), names, n);
}

static void write_object(struct crd_writer *w, struct xp_fields fields, enum xp_tree_name tree, int depth)
{
    bool cut = depth >= w->depth[tree] && fields.n > 0;
    if (fields.n > 0 && !cut) {
        size_t before = w->y.json_bytes;
        yaml_begin(&w->y, STR("properties"));
        for (size_t i = 0; i < fields.n; i++)
            write_field(w, &fields.v[i], tree, depth + 1);
        yaml_end(&w->y);
        write_required(w, fields);
        if (depth < CRD_MAX_DEPTH) {
            w->savings[tree][depth].bytes += w->y.json_bytes - before;
            w->savings[tree][depth].objects++;
        }
    }
    yaml_plain(&w->y, "type", "object");
    if (cut)
        yaml_plain(&w->y, "x-kubernetes-preserve-unknown-fields", "true");
}

static void write_list(struct crd_writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description)
{
    static const char *const types[] = {[LIST_ATOMIC] = "atomic", [LIST_OF_SET] = "set", [LIST_OF_MAP] = "map"};
    write_description(w, description);
    yaml_begin(&w->y, STR("items"));
    write_shape(w, s->element, tree, depth, STR_EMPTY, NULL);
    yaml_end(&w->y);
    yaml_plain(&w->y, "type", "array");
    if (s->list_type == LIST_OF_MAP)
        yaml_texts(&w->y, STR("x-kubernetes-list-map-keys"), s->keys.v, s->keys.n);
    if (s->list_type != LIST_PLAIN)
        yaml_plain(&w->y, "x-kubernetes-list-type", types[s->list_type]);
}

static void write_map(struct crd_writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description)
{
    yaml_begin(&w->y, STR("additionalProperties"));
    write_shape(w, s->element, tree, depth, STR_EMPTY, NULL);
    yaml_end(&w->y);
    write_description(w, description);
    yaml_plain(&w->y, "type", "object");
    if (s->map_type != MAP_PLAIN)
        yaml_plain(&w->y, "x-kubernetes-map-type", s->map_type == MAP_ATOMIC ? "atomic" : "granular");
}

static void write_raw(struct crd_writer *w, const struct json *raw)
{
    for (size_t i = 0; raw->kind == JSON_OBJECT && i < raw->object.n; i++)
        yaml_json(&w->y, raw->object.members[i].key, raw->object.members[i].value);
}

static void write_scalar(struct crd_writer *w, const char *type, const char *format, struct str description,
                         const struct xp_field *f)
{
    if (f && f->by_default)
        yaml_json(&w->y, STR("default"), f->by_default);
    write_description(w, description);
    if (format)
        yaml_plain(&w->y, "format", format);
    yaml_plain(&w->y, "type", type);
}

static void write_once_list(struct crd_writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth,
                            struct str description)
{
    write_description(w, description);
    yaml_begin(&w->y, STR("items"));
    write_object(w, s->fields, tree, depth);
    yaml_end(&w->y);
    yaml_plain(&w->y, "type", "array");
}

static void write_shape(struct crd_writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description,
                        const struct xp_field *f)
{
    if (w->older && s->kind == SHAPE_OBJECT && s->singleton) {
        write_once_list(w, s, tree, depth, description);
        return;
    }
    switch (s->kind) {
    case SHAPE_STRING:
        write_scalar(w, "string", NULL, description, f);
        return;
    case SHAPE_NUMBER:
        write_scalar(w, "number", NULL, description, f);
        return;
    case SHAPE_INTEGER:
        write_scalar(w, "integer", "int64", description, f);
        return;
    case SHAPE_BOOL:
        write_scalar(w, "boolean", NULL, description, f);
        return;
    case SHAPE_LIST:
    case SHAPE_SET:
        write_list(w, s, tree, depth, description);
        return;
    case SHAPE_MAP:
        write_map(w, s, tree, depth, description);
        return;
    case SHAPE_RAW:
        write_raw(w, s->raw);
        return;
    default:
        break;
    }
    write_description(w, description);
    switch (s->kind) {
    case SHAPE_OBJECT:
        write_object(w, s->fields, tree, depth);
        break;
    case SHAPE_SECRET_KEY:
    case SHAPE_SECRET:
        write_secret_parts(w, s->kind == SHAPE_SECRET_KEY);
        break;
    case SHAPE_REFERENCE:
        write_reference_parts(w);
        break;
    case SHAPE_SELECTOR:
        write_selector_parts(w);
        break;
    default:
        yaml_plain(&w->y, "x-kubernetes-preserve-unknown-fields", "true");
        break;
    }
}

void crd_write_tree(struct crd_writer *w, enum xp_tree_name tree, const char *description)
{
    yaml_begin(&w->y, str_of(xp_tree_names[tree]));
    write_description(w, str_of(description));
    write_object(w, w->kind->trees[tree], tree, 0);
    yaml_end(&w->y);
}

/* --- for other generators --- */

struct str crd_describe(struct arena *a, const struct xp_kind *k, enum xp_flavour flavour, const struct xp_field *f)
{
    struct crd_writer w = {.kind = k, .flavour = flavour, .scratch = a};
    return field_description(&w, f);
}

void crd_write_object(struct yaml_out *y, const struct xp_kind *k, enum xp_flavour flavour, struct xp_fields fields)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct crd_writer w = {.y = *y, .kind = k, .flavour = flavour, .scratch = scratch, .descriptions = true};
    for (int t = 0; t < N_TREES; t++)
        w.depth[t] = CRD_NO_LIMIT;
    write_object(&w, fields, FOR_PROVIDER, 0);
    *y = w.y;
}
