/* Reads the configuration of single fields. */
#include "crossplane/config_read_private.h"

static bool is_path_pattern(struct str s)
{
    bool any = s.n > 0;
    for (struct str rest = s; rest.n > 0 && any;)
        any = str_cut(&rest, '.').n > 0;
    return any && s.p[s.n - 1] != '.';
}

static struct xp_field_settings *new_rule(struct xp_config_reader *r, struct str pattern, uint32_t line, uint32_t column)
{
    struct xp_field_rule *rule = VEC_PUSH(r->config->arena, &r->rule->fields);
    rule->pattern = arena_str(r->config->arena, pattern);
    rule->line = line;
    rule->column = column;
    if (!is_path_pattern(pattern))
        xp_config_wrong(r, line, column, "Wrong path",
                        "\"" STR_FMT "\" is not a valid path; expected attribute names joined with dots, without indices.",
                        STR_ARG(pattern));
    return &rule->set;
}

/* Reads a list of paths: shorthand for one setting of each field. */
void xp_read_paths(struct xp_config_reader *r, const struct json_member *m, void (*set)(struct xp_field_settings *),
                   const char *prefix)
{
    if (!xp_config_is_texts(r, m))
        return;
    for (size_t i = 0; i < m->value->array.n; i++) {
        const struct json *item = m->value->array.items[i];
        set(new_rule(r, arena_printf(r->config->arena, "%s" STR_FMT, prefix, STR_ARG(item->text)), item->line, item->column));
    }
}

static void read_type(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    static const char *const types[] = {[SCALAR_STRING] = "string",
                                        [SCALAR_NUMBER] = "number",
                                        [SCALAR_INTEGER] = "integer",
                                        [SCALAR_BOOLEAN] = "boolean",
                                        [SCALAR_ANY] = "any"};
    for (size_t i = SCALAR_STRING; i <= SCALAR_ANY; i++)
        if (str_eqz(json_text(m->value, STR_EMPTY), types[i])) {
            *(enum xp_scalar_type *)target = (enum xp_scalar_type)i;
            return;
        }
    xp_config_wrong_kind(r, m, "string, number, integer, boolean or any");
}

static void read_json(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)r;
    *(const struct json **)target = m->value;
}

static const struct xp_config_key merge_keys[] = {
    {"list_type", xp_read_text, offsetof(struct xp_merge_rule, list_type), VALUE_TEXT, NULL, "atomic set map",
     "How lists are merged."},
    {"map_type", xp_read_text, offsetof(struct xp_merge_rule, map_type), VALUE_TEXT, NULL, "atomic granular",
     "How maps are merged."},
    {"keys", xp_read_texts, offsetof(struct xp_merge_rule, keys), VALUE_TEXTS, NULL, NULL,
     "Keys of the elements of a list of type map."},
    {"inject_key", xp_read_text, offsetof(struct xp_merge_rule, inject_key), VALUE_TEXT, NULL, NULL,
     "A property put into every element, to serve as key."},
    {"inject_default", read_json, offsetof(struct xp_merge_rule, inject_default), VALUE_ANY, NULL, NULL, "Its default."},
    {0},
};
static const struct xp_config_table merge_table = {"merge", merge_keys};

static bool is_one_of(struct str text, const char *choices)
{
    for (struct str rest = str_of(choices); rest.n > 0;)
        if (str_eq(str_cut(&rest, ' '), text))
            return true;
    return text.n == 0;
}

static void read_merge(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!xp_config_is_object(r, m))
        return;
    struct xp_merge_rule *merge = arena_make(r->config->arena, struct xp_merge_rule);
    xp_read_table(r, &merge_table, m->value, merge);
    if (!is_one_of(merge->list_type, "atomic set map") || !is_one_of(merge->map_type, "atomic granular"))
        xp_config_wrong(r, m->line, m->column, "Wrong value",
                        "list_type must be atomic, set or map; map_type must be atomic or granular.");
    else if (str_eqz(merge->list_type, "map") && merge->keys.n == 0)
        xp_config_wrong(r, m->line, m->column, "Missing key", "A list of type map needs \"keys\".");
    else
        *(const struct xp_merge_rule **)target = merge;
}

static const struct xp_config_key reference_keys[] = {
    {"to", xp_read_text, offsetof(struct xp_reference_rule, to), VALUE_TEXT, NULL, NULL, "Terraform type of the other object."},
    {"attribute", xp_read_text, offsetof(struct xp_reference_rule, attribute), VALUE_TEXT, NULL, NULL,
     "Its attribute that is the value; without it, its external name."},
    {"function", xp_read_text, offsetof(struct xp_reference_rule, function), VALUE_TEXT, NULL, NULL,
     "How Upjet's providers make the value where no attribute is it: ARNExtractor(), TerraformID() and others that are known; "
     "of another one the external name is taken."},
    {"ref", xp_read_text, offsetof(struct xp_reference_rule, ref), VALUE_TEXT, NULL, NULL,
     "Name of the reference, in camel case."},
    {"selector", xp_read_text, offsetof(struct xp_reference_rule, selector), VALUE_TEXT, NULL, NULL,
     "Name of the selector, in camel case."},
    {0},
};
const struct xp_config_table xp_config_reference_table = {"reference", reference_keys};

static void read_reference(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_reference_rule *rule = arena_make(r->config->arena, struct xp_reference_rule);
    rule->source = r->source;
    rule->line = m->line;
    if (m->value->kind == JSON_STRING)
        rule->to = arena_str(r->config->arena, m->value->text);
    else if (xp_config_is_object(r, m))
        xp_read_table(r, &xp_config_reference_table, m->value, rule);
    else
        return;
    if (rule->to.n == 0)
        xp_config_wrong(r, m->line, m->column, "Missing key",
                        "A reference needs \"to\", the Terraform type of the other object.");
    *(const struct xp_reference_rule **)target = rule;
}

void xp_read_references(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *ref = &m->value->object.members[i];
        read_reference(r, ref, &new_rule(r, ref->key, ref->line, ref->column)->reference);
    }
}

#define FIELD(name) offsetof(struct xp_field_settings, name)
static const struct xp_config_key field_keys[] = {
    {"name", xp_read_text, FIELD(name), VALUE_TEXT, NULL, NULL, "Its name in manifests."},
    {"description", xp_read_text, FIELD(description), VALUE_TEXT, NULL, NULL, "Its description, instead of the schema's."},
    {"type", read_type, FIELD(type), VALUE_TEXT, NULL, "string number integer boolean any", "Another type than the schema's."},
    {"omit", xp_read_said, FIELD(omit), VALUE_BOOL, NULL, NULL, "Leave it out."},
    {"identifier", xp_read_said, FIELD(identifier), VALUE_BOOL, NULL, NULL, "Part of the id: in forProvider only."},
    {"sensitive", xp_read_said, FIELD(sensitive), VALUE_BOOL, NULL, NULL, "A secret, or not, whatever the schema says."},
    {"optional", xp_read_said, FIELD(optional), VALUE_BOOL, NULL, NULL, "Optional, or not, whatever the schema says."},
    {"computed", xp_read_said, FIELD(computed), VALUE_BOOL, NULL, NULL,
     "Computed by the provider, or not, whatever the schema says."},
    {"required", xp_read_said, FIELD(required), VALUE_BOOL, NULL, NULL, "Required although the schema says optional."},
    {"status_only", xp_read_said, FIELD(status_only), VALUE_BOOL, NULL, NULL,
     "Shown in the status only, with all that is in it."},
    {"embed", xp_read_said, FIELD(embed), VALUE_BOOL, NULL, NULL, "Show a list of at most one as that one, or not."},
    {"immutable", xp_read_said, FIELD(immutable), VALUE_BOOL, NULL, NULL, "The API server refuses changes."},
    {"late_init", xp_read_said, FIELD(late_init), VALUE_BOOL, NULL, NULL, "false: never copied from the provider into the spec."},
    {"late_init_if_in_init", xp_read_said, FIELD(late_init_if), VALUE_BOOL, NULL, NULL,
     "false: not copied when initProvider has it."},
    {"reference", read_reference, FIELD(reference), VALUE_TEXT_OR_TABLE, &xp_config_reference_table, NULL,
     "The object that gives the value."},
    {"merge", read_merge, FIELD(merge), VALUE_TABLE, &merge_table, NULL, "How server-side apply merges it."},
    {0},
};
const struct xp_config_table xp_config_field_table = {"field", field_keys};

void xp_read_fields(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *field = &m->value->object.members[i];
        struct xp_field_settings *settings = new_rule(r, field->key, field->line, field->column);
        if (xp_config_is_object(r, field))
            xp_read_table(r, &xp_config_field_table, field->value, settings);
    }
}
