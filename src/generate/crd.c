#include "generate/crd.h"

#include "crossplane/versions.h"
#include "yaml/yaml_out.h"

enum { NO_LIMIT = 1 << 16, LEAST_DEPTH = 2, MAX_DEPTH = 64, CUT_BYTES = 50 };

/* Of more attributes than this the size is found out first. */
enum { LARGE_KIND = 4000 };

/* What cutting at a depth would save: all that is in the objects there. */
struct saving {
    size_t bytes, objects;
};

struct writer {
    struct yaml_out y;
    const struct xp_kind *kind;
    enum xp_flavour flavour;
    struct arena *scratch;
    bool descriptions;
    const struct crd_webhook *webhook;
    bool older;         /* an older version is being written: what may stand once is a list there */
    int depth[N_TREES]; /* levels of objects that are written out */
    struct saving savings[N_TREES][MAX_DEPTH];
};

/* --- descriptions --- */

/* The remarks that documentation puts before a text, which CRDs say otherwise: "- (Optional) The name." */
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

/* What a server's JSON needs beyond the bytes of a text: it writes \" and \\ and \n, but < as \u003c. */
static size_t json_escapes(struct str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        n += c == '<' || c == '>' || c == '&' ? 5 : c == '"' || c == '\\' || c == '\n' || c == '\t';
    }
    return n;
}

static void write_description(struct writer *w, struct str text)
{
    if (!w->descriptions || text.n == 0)
        return;
    yaml_text(&w->y, STR("description"), text);
    w->y.json_bytes += json_escapes(text);
}

static struct str attr_description(struct writer *w, const struct xp_tree_attr *attr)
{
    struct str text = clean(attr->description);
    if (!attr->deprecated)
        return text;
    struct str why = str_trim(attr->deprecation_message);
    return arena_printf(w->scratch, STR_FMT "%sDeprecated%s" STR_FMT, STR_ARG(text), text.n > 0 ? "\n" : "",
                        why.n > 0 ? ": " : ".", STR_ARG(why));
}

static struct str reference_target(struct writer *w, const struct xp_reference_rule *rule)
{
    struct xp_group_kind target = xp_name_group_kind(&w->kind->config.config->names, w->scratch, rule->to);
    struct xp_resource_config config;
    xp_config_resolve(w->kind->config.config, w->scratch, rule->to, w->flavour, &config);
    struct str group = config.has_group ? config.group : target.group, kind = config.kind.n > 0 ? config.kind : target.kind;
    return group.n > 0 ? arena_printf(w->scratch, STR_FMT " in " STR_FMT, STR_ARG(kind), STR_ARG(group)) : kind;
}

static struct str field_description(struct writer *w, const struct xp_field *f)
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

static void write_shape(struct writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description,
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

static void write_text_property(struct writer *w, const char *name)
{
    yaml_begin(&w->y, str_of(name));
    yaml_plain(&w->y, "type", "string");
    yaml_end(&w->y);
}

static void write_secret_parts(struct writer *w, bool key)
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

static void write_reference_parts(struct writer *w)
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

static void write_selector_parts(struct writer *w)
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

static void write_field(struct writer *w, const struct xp_field *f, enum xp_tree_name tree, int depth)
{
    yaml_begin(&w->y, f->json);
    write_shape(w, f->shape, tree, depth, w->descriptions ? field_description(w, f) : STR_EMPTY, f);
    if (f->immutable && tree == FOR_PROVIDER && !w->older) /* in a list nothing can be compared with what it was */
        yaml_lines(&w->y, "x-kubernetes-validations:\n"
                          "- message: cannot be changed once it is set\n"
                          "  rule: self == oldSelf\n");
    yaml_end(&w->y);
}

static void write_required(struct writer *w, struct xp_fields fields)
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

static void write_object(struct writer *w, struct xp_fields fields, enum xp_tree_name tree, int depth)
{
    bool cut = depth >= w->depth[tree] && fields.n > 0;
    if (fields.n > 0 && !cut) {
        size_t before = w->y.json_bytes;
        yaml_begin(&w->y, STR("properties"));
        for (size_t i = 0; i < fields.n; i++)
            write_field(w, &fields.v[i], tree, depth + 1);
        yaml_end(&w->y);
        write_required(w, fields);
        if (depth < MAX_DEPTH) {
            w->savings[tree][depth].bytes += w->y.json_bytes - before;
            w->savings[tree][depth].objects++;
        }
    }
    yaml_plain(&w->y, "type", "object");
    if (cut)
        yaml_plain(&w->y, "x-kubernetes-preserve-unknown-fields", "true");
}

static void write_list(struct writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description)
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

static void write_map(struct writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description)
{
    yaml_begin(&w->y, STR("additionalProperties"));
    write_shape(w, s->element, tree, depth, STR_EMPTY, NULL);
    yaml_end(&w->y);
    write_description(w, description);
    yaml_plain(&w->y, "type", "object");
    if (s->map_type != MAP_PLAIN)
        yaml_plain(&w->y, "x-kubernetes-map-type", s->map_type == MAP_ATOMIC ? "atomic" : "granular");
}

static void write_raw(struct writer *w, const struct json *raw)
{
    for (size_t i = 0; raw->kind == JSON_OBJECT && i < raw->object.n; i++)
        yaml_json(&w->y, raw->object.members[i].key, raw->object.members[i].value);
}

static void write_scalar(struct writer *w, const char *type, const char *format, struct str description, const struct xp_field *f)
{
    if (f && f->by_default)
        yaml_json(&w->y, STR("default"), f->by_default);
    write_description(w, description);
    if (format)
        yaml_plain(&w->y, "format", format);
    yaml_plain(&w->y, "type", type);
}

static void write_once_list(struct writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description)
{
    write_description(w, description);
    yaml_begin(&w->y, STR("items"));
    write_object(w, s->fields, tree, depth);
    yaml_end(&w->y);
    yaml_plain(&w->y, "type", "array");
}

static void write_shape(struct writer *w, const struct xp_shape *s, enum xp_tree_name tree, int depth, struct str description,
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

static void write_tree(struct writer *w, enum xp_tree_name tree, const char *description)
{
    yaml_begin(&w->y, str_of(xp_tree_names[tree]));
    write_description(w, str_of(description));
    write_object(w, w->kind->trees[tree], tree, 0);
    yaml_end(&w->y);
}

/* --- the frame: the same for every kind of a flavour --- */

/* In the order of the columns; before Upjet 1.0 READY came first. */
static const char synced_column[] = "- jsonPath: .status.conditions[?(@.type=='Synced')].status\n"
                                    "  name: SYNCED\n"
                                    "  type: string\n";
static const char ready_column[] = "- jsonPath: .status.conditions[?(@.type=='Ready')].status\n"
                                   "  name: READY\n"
                                   "  type: string\n";
static const char other_columns[] = "- jsonPath: .metadata.annotations.crossplane\\.io/external-name\n"
                                    "  name: EXTERNAL-NAME\n"
                                    "  type: string\n"
                                    "- jsonPath: .metadata.creationTimestamp\n"
                                    "  name: AGE\n"
                                    "  type: date\n";

const char crd_object_lines[] = "apiVersion:\n"
                                "  description: Version of the schema of this object.\n"
                                "  type: string\n"
                                "kind:\n"
                                "  description: What this object is.\n"
                                "  type: string\n"
                                "metadata:\n"
                                "  type: object\n";

static const char deletion_lines[] = "deletionPolicy:\n"
                                     "  default: Delete\n"
                                     "  description: What happens to the external resource when this object is deleted.\n"
                                     "  enum:\n"
                                     "  - Orphan\n"
                                     "  - Delete\n"
                                     "  type: string\n";

static const char policies_lines[] = "managementPolicies:\n"
                                     "  default:\n"
                                     "  - '*'\n"
                                     "  description: What may be done to the external resource. An empty list pauses it.\n"
                                     "  items:\n"
                                     "    enum:\n"
                                     "    - Observe\n"
                                     "    - Create\n"
                                     "    - Update\n"
                                     "    - Delete\n"
                                     "    - LateInitialize\n"
                                     "    - '*'\n"
                                     "    type: string\n"
                                     "  type: array\n";

static const char observe_lines[] = "managementPolicies:\n"
                                    "  default:\n"
                                    "  - Observe\n"
                                    "  description: A data source can only be observed. An empty list pauses it.\n"
                                    "  items:\n"
                                    "    enum:\n"
                                    "    - Observe\n"
                                    "    type: string\n"
                                    "  type: array\n";

static const char connection_lines[] = "writeConnectionSecretToRef:\n"
                                       "  description: The secret that connection details are written to.\n"
                                       "  properties:\n"
                                       "    name:\n"
                                       "      type: string\n"
                                       "    namespace:\n"
                                       "      type: string\n"
                                       "  required:\n"
                                       "  - name\n"
                                       "  - namespace\n"
                                       "  type: object\n";

static const char namespaced_lines[] = "providerConfigRef:\n"
                                       "  default:\n"
                                       "    kind: ClusterProviderConfig\n"
                                       "    name: default\n"
                                       "  description: The provider configuration that says how to reach the provider.\n"
                                       "  properties:\n"
                                       "    kind:\n"
                                       "      type: string\n"
                                       "    name:\n"
                                       "      type: string\n"
                                       "  required:\n"
                                       "  - kind\n"
                                       "  - name\n"
                                       "  type: object\n"
                                       "writeConnectionSecretToRef:\n"
                                       "  description: The secret that connection details are written to.\n"
                                       "  properties:\n"
                                       "    name:\n"
                                       "      type: string\n"
                                       "  required:\n"
                                       "  - name\n"
                                       "  type: object\n";

#define CONDITION_START                                                                                                          \
    "conditions:\n"                                                                                                              \
    "  description: The state of this object.\n"                                                                                 \
    "  items:\n"                                                                                                                 \
    "    properties:\n"                                                                                                          \
    "      lastTransitionTime:\n"                                                                                                \
    "        format: date-time\n"                                                                                                \
    "        type: string\n"                                                                                                     \
    "      message:\n"                                                                                                           \
    "        type: string\n"
#define CONDITION_END                                                                                                            \
    "      reason:\n"                                                                                                            \
    "        type: string\n"                                                                                                     \
    "      status:\n"                                                                                                            \
    "        type: string\n"                                                                                                     \
    "      type:\n"                                                                                                              \
    "        type: string\n"                                                                                                     \
    "    required:\n"                                                                                                            \
    "    - lastTransitionTime\n"                                                                                                 \
    "    - reason\n"                                                                                                             \
    "    - status\n"                                                                                                             \
    "    - type\n"                                                                                                               \
    "    type: object\n"                                                                                                         \
    "  type: array\n"

const char crd_condition_lines[] = CONDITION_START "      observedGeneration:\n"
                                                   "        format: int64\n"
                                                   "        type: integer\n" CONDITION_END "  x-kubernetes-list-map-keys:\n"
                                                   "  - type\n"
                                                   "  x-kubernetes-list-type: map\n";
static const char old_condition_lines[] = CONDITION_START CONDITION_END;

static const char status_lines[] = "lastHandledReconcileAt:\n"
                                   "  description: The last request for a reconciliation that was handled.\n"
                                   "  type: string\n"
                                   "observedGeneration:\n"
                                   "  description: The generation of this object that the status is about.\n"
                                   "  format: int64\n"
                                   "  type: integer\n";

#define POLICIES "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies)"

/* CEL knows a field by its type: it does not see one that may hold anything, nor a list or map of such. */
static bool cel_sees_raw(const struct json *raw)
{
    const struct json *element = json_get(raw, "items") ? json_get(raw, "items") : json_get(raw, "additionalProperties");
    bool typed = json_get(raw, "type") || json_get(raw, "x-kubernetes-int-or-string");
    return typed && (!element || element->kind != JSON_OBJECT || cel_sees_raw(element));
}

static bool cel_sees(const struct xp_shape *s)
{
    switch (s->kind) {
    case SHAPE_ANY:
        return false;
    case SHAPE_RAW:
        return cel_sees_raw(s->raw);
    case SHAPE_LIST:
    case SHAPE_SET:
    case SHAPE_MAP:
        return cel_sees(s->element);
    default:
        return true;
    }
}

bool crd_rule_in_cel(const struct xp_kind *k, const struct xp_required_rule *rule)
{
    const struct xp_fields *fields = &k->trees[FOR_PROVIDER];
    for (size_t i = 0; i < fields->n; i++)
        if (str_eq(fields->v[i].json, rule->json))
            return cel_sees(fields->v[i].shape);
    return true;
}

static size_t count_rules(const struct xp_kind *k, bool in_cel)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n_rules; i++)
        n += crd_rule_in_cel(k, &k->rules[i]) == in_cel;
    return n;
}

struct str crd_rule_text(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *r)
{
    bool old = k->config.config->old_envelope; /* an initProvider that is absent was not thought of */
    struct str init =
        !r->init ? STR_EMPTY
        : old    ? arena_printf(a, " || has(self.initProvider." STR_FMT ")", STR_ARG(r->in_cel))
                 : arena_printf(a, " || (has(self.initProvider) && has(self.initProvider." STR_FMT "))", STR_ARG(r->in_cel));
    return arena_printf(a, POLICIES " || has(self.forProvider." STR_FMT ")" STR_FMT, STR_ARG(r->in_cel), STR_ARG(init));
}

struct str crd_rule_message(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *r)
{
    return arena_printf(a, "%s" STR_FMT " is a required parameter", k->config.config->old_envelope ? "" : "spec.forProvider.",
                        STR_ARG(r->json));
}

static void write_cel_rule(struct writer *w, const struct xp_required_rule *r)
{
    yaml_item(&w->y);
    yaml_text(&w->y, STR("message"), crd_rule_message(w->scratch, w->kind, r));
    yaml_text(&w->y, STR("rule"), crd_rule_text(w->scratch, w->kind, r));
    yaml_end(&w->y);
}

static void write_cel_rules(struct writer *w)
{
    const struct xp_kind *k = w->kind;
    if (count_rules(k, true) == 0)
        return;
    yaml_list(&w->y, STR("x-kubernetes-validations"));
    for (size_t i = 0; i < k->n_rules; i++)
        if (crd_rule_in_cel(k, &k->rules[i]))
            write_cel_rule(w, &k->rules[i]);
}

/*
 * If no alternative holds, a server speaks of the one of which most parts do. It shall be this one for forProvider, so it asks
 * for what is always so of the policies.
 */
static void write_tree_has(struct writer *w, enum xp_tree_name tree, const struct xp_required_rule *r)
{
    yaml_item(&w->y);
    yaml_begin(&w->y, STR("properties"));
    yaml_begin(&w->y, str_of(xp_tree_names[tree]));
    yaml_texts(&w->y, STR("required"), &r->json, 1);
    yaml_end(&w->y);
    if (tree == FOR_PROVIDER)
        yaml_lines(&w->y, "managementPolicies:\n"
                          "  items:\n"
                          "    minLength: 1\n");
    yaml_end(&w->y);
    struct str name = str_of(xp_tree_names[tree]);
    if (tree != FOR_PROVIDER)
        yaml_texts(&w->y, STR("required"), &name, 1);
    yaml_end(&w->y);
}

/* The same rule for parameters that CEL does not see, in plain OpenAPI; servers word the message themselves. */
static void write_plain_rules(struct writer *w)
{
    const struct xp_kind *k = w->kind;
    if (count_rules(k, false) == 0)
        return;
    yaml_list(&w->y, STR("allOf"));
    for (size_t i = 0; i < k->n_rules; i++) {
        if (crd_rule_in_cel(k, &k->rules[i]))
            continue;
        yaml_item(&w->y);
        yaml_list(&w->y, STR("anyOf"));
        write_tree_has(w, FOR_PROVIDER, &k->rules[i]);
        if (k->rules[i].init)
            write_tree_has(w, INIT_PROVIDER, &k->rules[i]);
        yaml_lines(&w->y, "- properties:\n"
                          "    managementPolicies:\n"
                          "      items:\n"
                          "        enum:\n"
                          "        - Observe\n"
                          "        - Delete\n"
                          "        - LateInitialize\n");
        yaml_end(&w->y);
    }
}

static void write_spec(struct writer *w)
{
    bool cluster = w->flavour == FLAVOUR_CLUSTER;
    yaml_begin(&w->y, STR("spec"));
    write_plain_rules(w);
    yaml_begin(&w->y, STR("properties"));
    if (cluster && !w->kind->data_source)
        yaml_lines(&w->y, deletion_lines);
    write_tree(w, FOR_PROVIDER, "Desired state of the external resource.");
    if (w->kind->has_init)
        write_tree(w, INIT_PROVIDER, "Desired state at creation only. Later changes made elsewhere are kept.");
    yaml_lines(&w->y, w->kind->data_source ? observe_lines : policies_lines);
    if (cluster) {
        crd_write_config_ref(&w->y, true);
        yaml_lines(&w->y, connection_lines);
    } else
        yaml_lines(&w->y, namespaced_lines);
    yaml_end(&w->y);
    const struct str required = STR("forProvider");
    yaml_texts(&w->y, STR("required"), &required, 1);
    yaml_plain(&w->y, "type", "object");
    write_cel_rules(w);
    yaml_end(&w->y);
}

static void write_status(struct writer *w)
{
    yaml_begin(&w->y, STR("status"));
    yaml_begin(&w->y, STR("properties"));
    write_tree(w, AT_PROVIDER, "Observed state of the external resource.");
    bool old = w->kind->config.config->old_envelope;
    yaml_lines(&w->y, old ? old_condition_lines : crd_condition_lines);
    if (!old)
        yaml_lines(&w->y, status_lines);
    yaml_end(&w->y);
    yaml_plain(&w->y, "type", "object");
    yaml_end(&w->y);
}

static void write_schema(struct writer *w)
{
    yaml_begin(&w->y, STR("schema"));
    yaml_begin(&w->y, STR("openAPIV3Schema"));
    write_description(w, clean(w->kind->description));
    yaml_begin(&w->y, STR("properties"));
    yaml_lines(&w->y, crd_object_lines);
    write_spec(w);
    write_status(w);
    yaml_end(&w->y);
    const struct str required = STR("spec");
    yaml_texts(&w->y, STR("required"), &required, 1);
    yaml_plain(&w->y, "type", "object");
    yaml_end(&w->y);
    yaml_end(&w->y);
}

/*
 * A kind that is a plural itself (LFTags) has another plural when its own belongs to somebody else (LFTag): lftagses. Then its
 * singular would be that other kind's plural, and a server takes no name twice.
 */
static struct str singular(struct writer *w)
{
    const struct xp_kind *k = w->kind;
    bool is_plural = str_eq(xp_name_plural(w->scratch, k->kind), k->singular);
    bool is_another = str_eq(k->plural, arena_printf(w->scratch, STR_FMT "es", STR_ARG(k->singular)));
    return is_plural && is_another ? k->plural : k->singular;
}

static void write_names(struct writer *w)
{
    const struct xp_kind *k = w->kind;
    const struct str categories[] = {STR("crossplane"), STR("managed"), k->config.config->short_name};
    yaml_begin(&w->y, STR("names"));
    yaml_texts(&w->y, STR("categories"), categories, 3);
    yaml_text(&w->y, STR("kind"), k->kind);
    yaml_text(&w->y, STR("listKind"), k->list_kind);
    yaml_text(&w->y, STR("plural"), k->plural);
    if (k->config.short_names.n > 0)
        yaml_texts(&w->y, STR("shortNames"), k->config.short_names.v, k->config.short_names.n);
    yaml_text(&w->y, STR("singular"), singular(w));
    yaml_end(&w->y);
}

static bool has_older(const struct writer *w)
{
    for (size_t i = 0; i < w->kind->config.other_versions.n; i++)
        if (xp_version_is_older(w->kind->config.other_versions.v[i], w->kind->version))
            return true;
    return false;
}

static void write_version(struct writer *w, struct str name, bool storage)
{
    bool old = w->kind->config.config->old_envelope;
    yaml_item(&w->y);
    yaml_list(&w->y, STR("additionalPrinterColumns"));
    yaml_lines(&w->y, old ? ready_column : synced_column);
    yaml_lines(&w->y, old ? synced_column : ready_column);
    yaml_lines(&w->y, other_columns);
    yaml_text(&w->y, STR("name"), name);
    write_schema(w);
    yaml_plain(&w->y, "served", "true");
    yaml_plain(&w->y, "storage", storage ? "true" : "false");
    yaml_begin(&w->y, STR("subresources"));
    yaml_empty(&w->y, STR("status"));
    yaml_end(&w->y);
    yaml_end(&w->y);
}

/*
 * An API server refuses a CRD that lacks a version in which it may hold objects. Such a version is kept; it is served if somebody
 * converts it.
 */
static void write_other_versions(struct writer *w)
{
    for (size_t i = 0; i < w->kind->config.other_versions.n; i++) {
        struct str name = w->kind->config.other_versions.v[i];
        if (w->webhook && xp_version_is_older(name, w->kind->version)) {
            w->older = true;
            write_version(w, name, false);
            w->older = false;
            continue;
        }
        yaml_item(&w->y);
        yaml_text(&w->y, STR("name"), name);
        yaml_lines(&w->y, "schema:\n"
                          "  openAPIV3Schema:\n"
                          "    type: object\n"
                          "    x-kubernetes-preserve-unknown-fields: true\n"
                          "served: false\n"
                          "storage: false\n");
        yaml_end(&w->y);
    }
}

static void write_versions(struct writer *w)
{
    yaml_list(&w->y, STR("versions"));
    write_other_versions(w);
    write_version(w, w->kind->version, true);
}

static void write_conversion(struct writer *w)
{
    const struct crd_webhook *hook = w->webhook;
    if (!hook || !has_older(w))
        return;
    yaml_begin(&w->y, STR("conversion"));
    yaml_plain(&w->y, "strategy", "Webhook");
    yaml_begin(&w->y, STR("webhook"));
    yaml_begin(&w->y, STR("clientConfig"));
    if (hook->ca_bundle.n > 0)
        yaml_text(&w->y, STR("caBundle"), hook->ca_bundle);
    if (hook->url.n > 0)
        yaml_text(&w->y, STR("url"), hook->url);
    else {
        yaml_begin(&w->y, STR("service"));
        yaml_text(&w->y, STR("name"), hook->service);
        yaml_text(&w->y, STR("namespace"), hook->namespace);
        yaml_plain(&w->y, "path", CRD_WEBHOOK_PATH);
        yaml_plain(&w->y, "port", arena_printf(w->scratch, "%d", CRD_WEBHOOK_PORT).p);
        yaml_end(&w->y);
    }
    yaml_end(&w->y);
    const struct str review = STR("v1");
    yaml_texts(&w->y, STR("conversionReviewVersions"), &review, 1);
    yaml_end(&w->y);
    yaml_end(&w->y);
}

static void write_document(struct writer *w)
{
    const struct xp_kind *k = w->kind;
    struct str group = xp_kind_group(w->scratch, k, w->flavour);
    yaml_lines(&w->y, "---");
    yaml_plain(&w->y, "apiVersion", "apiextensions.k8s.io/v1");
    yaml_plain(&w->y, "kind", "CustomResourceDefinition");
    yaml_begin(&w->y, STR("metadata"));
    yaml_begin(&w->y, STR("annotations"));
    yaml_text(&w->y, STR("terrane/terraform-type"), k->terraform_type);
    yaml_end(&w->y);
    yaml_text(&w->y, STR("name"), arena_printf(w->scratch, STR_FMT "." STR_FMT, STR_ARG(k->plural), STR_ARG(group)));
    yaml_end(&w->y);
    yaml_begin(&w->y, STR("spec"));
    write_conversion(w);
    yaml_text(&w->y, STR("group"), group);
    write_names(w);
    yaml_plain(&w->y, "scope", w->flavour == FLAVOUR_CLUSTER ? "Cluster" : "Namespaced");
    write_versions(w);
    yaml_end(&w->y);
}

bool crd_webhook_read(struct str text, struct diags *diags, struct crd_webhook *ret)
{
    if (str_starts(text, STR("https://"))) {
        *ret = (struct crd_webhook){.url = text};
        return true;
    }
    struct crd_webhook hook = {.service = text};
    hook.namespace = str_cut(&hook.service, '/');
    if (hook.namespace.n == 0 || hook.service.n == 0 || str_find(hook.service, '/', 0) != SIZE_MAX)
        return diags_fail(diags, "Not an address of a webhook",
                          "\"" STR_FMT "\": https://HOST[:PORT]/PATH or NAMESPACE/SERVICE was expected.", STR_ARG(text));
    *ret = hook;
    return true;
}

/* --- size --- */

static size_t count_bytes(struct writer *w)
{
    memset(w->savings, 0, sizeof w->savings);
    w->y = (struct yaml_out){.out = NULL};
    write_document(w);
    arena_reset(w->scratch);
    return w->y.json_bytes;
}

static size_t saved(const struct writer *w, enum xp_tree_name tree, int depth)
{
    if (depth >= MAX_DEPTH)
        return 0;
    const struct saving *s = &w->savings[tree][depth];
    size_t costs = s->objects * CUT_BYTES;
    return s->bytes > costs ? s->bytes - costs : 0;
}

static bool fits(const struct writer *w, size_t bytes)
{
    size_t all = 0;
    for (int t = 0; t < N_TREES; t++)
        all += saved(w, (enum xp_tree_name)t, w->depth[t]);
    return bytes <= CRD_MAX_JSON + all;
}

/*
 * The greatest depth that fits, tree by tree: what the user says in forProvider is to be checked before all, then initProvider;
 * the status, which nobody writes by hand, gets what is left.
 */
static void choose_depth(struct writer *w, size_t bytes)
{
    static const enum xp_tree_name order[] = {FOR_PROVIDER, INIT_PROVIDER, AT_PROVIDER};
    for (int t = 0; t < N_TREES; t++)
        w->depth[t] = LEAST_DEPTH;
    for (size_t i = 0; i < N_TREES; i++) {
        int *depth = &w->depth[order[i]];
        while (*depth < MAX_DEPTH && fits(w, bytes))
            (*depth)++;
        if (!fits(w, bytes) && *depth > LEAST_DEPTH)
            (*depth)--;
        if (*depth == MAX_DEPTH)
            *depth = NO_LIMIT;
    }
}

static void note_cut(const struct writer *w, struct xp_notes *notes)
{
    struct buf where BUF_AUTO = BUF_INIT(256);
    for (int t = 0; t < N_TREES; t++)
        if (w->depth[t] < NO_LIMIT)
            buf_printf(&where, where.n > 0 ? " and %d in %s" : "%d levels in %s", w->depth[t], xp_tree_names[t]);
    if (where.n > 0)
        xp_notes_add(notes, NOTE_REDUCED, w->kind->terraform_type, STR_EMPTY,
                     "Too large for the API server: what lies deeper than " STR_FMT " is accepted unchecked.",
                     STR_ARG(buf_str(&where)));
    else
        xp_notes_add(notes, NOTE_REDUCED, w->kind->terraform_type, STR_EMPTY,
                     "Too large for the API server with descriptions: written without.");
}

/* Descriptions go only if that is not enough without them, or is just enough. */
static void reduce(struct writer *w)
{
    w->descriptions = false;
    size_t bytes = count_bytes(w);
    if (bytes > CRD_MAX_JSON)
        choose_depth(w, bytes);
    if (bytes > CRD_MAX_JSON)
        return;
    w->descriptions = true;
    w->descriptions = count_bytes(w) <= CRD_MAX_JSON;
}

static bool write_checked(struct buf *out, struct writer *w)
{
    size_t before = out->n;
    w->y = (struct yaml_out){.out = out};
    write_document(w);
    if (w->y.json_bytes <= CRD_MAX_JSON)
        return true;
    out->n = before;
    return false;
}

static bool is_reduced(const struct writer *w)
{
    bool whole = w->depth[FOR_PROVIDER] == NO_LIMIT && w->depth[INIT_PROVIDER] == NO_LIMIT && w->depth[AT_PROVIDER] == NO_LIMIT;
    return !w->descriptions || !whole;
}

bool crd_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour, const struct crd_webhook *webhook,
               struct xp_notes *notes, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.kind = k, .flavour = flavour, .scratch = scratch, .descriptions = true, .webhook = webhook};
    for (int t = 0; t < N_TREES; t++)
        w.depth[t] = NO_LIMIT;
    bool written = k->tree.n_nodes < LARGE_KIND && write_checked(out, &w);
    if (!written) {
        reduce(&w);
        written = write_checked(out, &w);
    }
    if (!written || !buf_ok(out))
        return diags_fail(diags, "Kind too large", STR_FMT " cannot be written within the limits of an API server.",
                          STR_ARG(k->terraform_type));
    if (is_reduced(&w))
        note_cut(&w, notes);
    return true;
}

/* --- for other generators --- */

struct str crd_describe(struct arena *a, const struct xp_kind *k, enum xp_flavour flavour, const struct xp_field *f)
{
    struct writer w = {.kind = k, .flavour = flavour, .scratch = a};
    return field_description(&w, f);
}

void crd_write_object(struct yaml_out *y, const struct xp_kind *k, enum xp_flavour flavour, struct xp_fields fields)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.y = *y, .kind = k, .flavour = flavour, .scratch = scratch, .descriptions = true};
    for (int t = 0; t < N_TREES; t++)
        w.depth[t] = NO_LIMIT;
    write_object(&w, fields, FOR_PROVIDER, 0);
    *y = w.y;
}
