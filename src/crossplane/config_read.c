#include "crossplane/config_private.h"
#include "yaml/yaml.h"

#include <stdlib.h>

/* --- messages --- */

__attribute__((format(printf, 5, 6))) static void wrong(struct xp_config_reader *r, uint32_t line, uint32_t column,
                                                        const char *summary, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(r->config->arena, format, args);
    va_end(args);
    diags_fail(r->diags, summary, "%s:%u:%u: " STR_FMT, r->source->name, line, column, STR_ARG(text));
}

static void wrong_kind(struct xp_config_reader *r, const struct json_member *m, const char *expected)
{
    static const char *const kinds[] = {[JSON_NULL] = "nothing",    [JSON_BOOL] = "true or false", [JSON_NUMBER] = "a number",
                                        [JSON_STRING] = "a string", [JSON_ARRAY] = "a list",       [JSON_OBJECT] = "a mapping"};
    wrong(r, m->value->line ? m->value->line : m->line, m->value->line ? m->value->column : m->column, "Wrong value",
          "\"" STR_FMT "\" must be %s, not %s.", STR_ARG(m->key), expected, kinds[m->value->kind]);
}

static const struct xp_config_key *find_key(const struct xp_config_table *table, struct str name)
{
    for (const struct xp_config_key *k = table->keys; k->name; k++)
        if (str_eqz(name, k->name))
            return k;
    return NULL;
}

static void unknown_key(struct xp_config_reader *r, const struct xp_config_table *table, const struct json_member *m)
{
    const char *meant = NULL;
    size_t least = m->key.n / 2 + 2;
    for (const struct xp_config_key *k = table->keys; k->name; k++) {
        size_t distance = str_distance(str_of(k->name), m->key);
        if (distance < least) {
            least = distance;
            meant = k->name;
        }
    }
    if (meant)
        wrong(r, m->line, m->column, "Unknown key", "\"" STR_FMT "\" is not a valid key of %s; did you mean \"%s\"?",
              STR_ARG(m->key), table->name, meant);
    else
        wrong(r, m->line, m->column, "Unknown key", "\"" STR_FMT "\" is not a valid key of %s.", STR_ARG(m->key), table->name);
}

static void read_table(struct xp_config_reader *r, const struct xp_config_table *table, const struct json *object, void *target)
{
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        const struct xp_config_key *key = find_key(table, m->key);
        if (key)
            key->read(r, m, (char *)target + key->offset);
        else
            unknown_key(r, table, m);
    }
}

static bool is_object(struct xp_config_reader *r, const struct json_member *m)
{
    if (m->value->kind == JSON_OBJECT)
        return true;
    wrong_kind(r, m, "a mapping");
    return false;
}

/* --- values --- */

static void read_text(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (m->value->kind != JSON_STRING)
        wrong_kind(r, m, "a string (in quotes, if it looks like something else)");
    else
        *(struct str *)target = arena_str(r->config->arena, m->value->text);
}

/* What becomes a name of the API must be one that an API server takes: it is also part of paths of files. */
static bool check_name(struct xp_config_reader *r, const struct json_member *m, const struct json *value,
                       bool (*is_name)(struct str), const char *what)
{
    if (is_name(value->text))
        return true;
    wrong(r, value->line ? value->line : m->line, value->line ? value->column : m->column, "Wrong name",
          "\"" STR_FMT "\" cannot be \"" STR_FMT "\": %s.", STR_ARG(m->key), STR_ARG(value->text), what);
    return false;
}

static const char label_rule[] = "lower case letters, digits and '-', a letter first and no '-' last, at most 63";
static const char domain_rule[] = "lower case letters, digits and '-', in parts joined with dots";
static const char kind_rule[] = "letters and digits, a capital first, at most 63";

static void read_name(struct xp_config_reader *r, const struct json_member *m, void *target, bool (*is_name)(struct str),
                      const char *what)
{
    if (m->value->kind != JSON_STRING || check_name(r, m, m->value, is_name, what))
        read_text(r, m, target);
}

static void read_label(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    read_name(r, m, target, xp_name_is_label, label_rule);
}

static void read_domain(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    read_name(r, m, target, xp_name_is_domain, domain_rule);
}

static void read_kind(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    read_name(r, m, target, xp_name_is_kind, kind_rule);
}

static void read_bool(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (m->value->kind != JSON_BOOL)
        wrong_kind(r, m, "true or false");
    else
        *(bool *)target = m->value->boolean;
}

static void read_said(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    bool yes = false;
    if (m->value->kind != JSON_BOOL)
        wrong_kind(r, m, "true or false");
    else
        yes = m->value->boolean;
    *(enum xp_said *)target = yes ? SAID_YES : SAID_NO;
}

/* Every text of the list; false: it is no list of texts, which has been said. */
static bool is_texts(struct xp_config_reader *r, const struct json_member *m)
{
    if (m->value->kind != JSON_ARRAY) {
        wrong_kind(r, m, "a list of strings");
        return false;
    }
    for (size_t i = 0; i < m->value->array.n; i++)
        if (m->value->array.items[i]->kind != JSON_STRING) {
            const struct json_member item = {m->key, m->value->array.items[i], m->line, m->column};
            wrong_kind(r, &item, "a list of strings");
            return false;
        }
    return true;
}

static void read_texts(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!is_texts(r, m))
        return;
    struct str *v = arena_make_n(r->config->arena, struct str, m->value->array.n);
    for (size_t i = 0; i < m->value->array.n; i++)
        v[i] = arena_str(r->config->arena, m->value->array.items[i]->text);
    *(struct xp_str_list *)target = (struct xp_str_list){v, m->value->array.n};
}

static void read_labels(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!is_texts(r, m))
        return;
    for (size_t i = 0; i < m->value->array.n; i++)
        (void)check_name(r, m, m->value->array.items[i], xp_name_is_label, label_rule);
    read_texts(r, m, target);
}

static void read_patterns(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct pattern_list *list = target;
    if (!is_texts(r, m))
        return;
    struct arena *a = r->config->arena;
    list->source = r->source;
    list->n = m->value->array.n;
    list->v = arena_make_n(a, struct str, list->n);
    list->lines = arena_make_n(a, uint32_t, list->n);
    list->used = arena_make_n(a, _Atomic bool, list->n);
    for (size_t i = 0; i < list->n; i++) {
        list->v[i] = arena_str(a, m->value->array.items[i]->text);
        list->lines[i] = m->value->array.items[i]->line;
    }
}

static void read_acronyms(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_names *names = target;
    if (!is_object(r, m))
        return;
    for (size_t i = 0; i < m->value->object.n; i++) {
        const struct json_member *word = &m->value->object.members[i];
        struct str casing = STR_EMPTY;
        read_text(r, word, &casing);
        if (str_eq(arena_lower(r->config->arena, casing), arena_lower(r->config->arena, word->key)))
            xp_names_add(names, word->key, casing);
        else if (casing.n > 0)
            wrong(r, word->line, word->column, "Wrong acronym", "\"" STR_FMT "\" is \"" STR_FMT "\" in another casing only.",
                  STR_ARG(word->key), STR_ARG(casing));
    }
}

/* "90s", "30m", "2h" */
static void read_duration(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct str text = json_text(m->value, STR_EMPTY);
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    int64_t n = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (text.n > 1 && text.p[text.n - 1] == units[i].unit && str_to_i64(str_slice(text, 0, text.n - 1), &n) && n > 0 &&
            n < 1 << 20) {
            *(int64_t *)target = n * units[i].seconds;
            return;
        }
    wrong_kind(r, m, "a duration such as 90s, 30m or 2h");
}

static void read_compat(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!xp_compat_named(json_text(m->value, STR_EMPTY), target))
        wrong_kind(r, m, "own, upjet or upjet-exact");
}

/* --- rules of fields --- */

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
        wrong(r, line, column, "Wrong path",
              "\"" STR_FMT "\" is not a valid path; expected attribute names joined with dots, without indices.",
              STR_ARG(pattern));
    return &rule->set;
}

/* A list of paths is short for one setting of each. */
static void read_paths(struct xp_config_reader *r, const struct json_member *m, void (*set)(struct xp_field_settings *),
                       const char *prefix)
{
    if (!is_texts(r, m))
        return;
    for (size_t i = 0; i < m->value->array.n; i++) {
        const struct json *item = m->value->array.items[i];
        set(new_rule(r, arena_printf(r->config->arena, "%s" STR_FMT, prefix, STR_ARG(item->text)), item->line, item->column));
    }
}

#define READ_PATHS(name, prefix, assignment)                                                                                     \
    static void set_##name(struct xp_field_settings *s)                                                                          \
    {                                                                                                                            \
        s->assignment;                                                                                                           \
    }                                                                                                                            \
    static void read_##name(struct xp_config_reader *r, const struct json_member *m, void *target)                               \
    {                                                                                                                            \
        (void)target;                                                                                                            \
        read_paths(r, m, set_##name, prefix);                                                                                    \
    }

READ_PATHS(omit, "", omit = SAID_YES)
READ_PATHS(identifiers, "**.", identifier = SAID_YES)
READ_PATHS(status_only, "", status_only = SAID_YES)
READ_PATHS(embed, "", embed = SAID_YES)
READ_PATHS(no_embed, "", embed = SAID_NO)
READ_PATHS(sensitive, "", sensitive = SAID_YES)
READ_PATHS(required, "", required = SAID_YES)
READ_PATHS(optional, "", optional = SAID_YES)
READ_PATHS(immutable, "", immutable = SAID_YES)
READ_PATHS(late_never, "", late_init = SAID_NO)
READ_PATHS(late_unless, "", late_init_if = SAID_NO)

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
    wrong_kind(r, m, "string, number, integer, boolean or any");
}

static void read_json(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)r;
    *(const struct json **)target = m->value;
}

static const struct xp_config_key merge_keys[] = {
    {"list_type", read_text, offsetof(struct xp_merge_rule, list_type), VALUE_TEXT, NULL, "atomic set map",
     "How lists are merged."},
    {"map_type", read_text, offsetof(struct xp_merge_rule, map_type), VALUE_TEXT, NULL, "atomic granular",
     "How maps are merged."},
    {"keys", read_texts, offsetof(struct xp_merge_rule, keys), VALUE_TEXTS, NULL, NULL,
     "Keys of the elements of a list of type map."},
    {"inject_key", read_text, offsetof(struct xp_merge_rule, inject_key), VALUE_TEXT, NULL, NULL,
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
    if (!is_object(r, m))
        return;
    struct xp_merge_rule *merge = arena_make(r->config->arena, struct xp_merge_rule);
    read_table(r, &merge_table, m->value, merge);
    if (!is_one_of(merge->list_type, "atomic set map") || !is_one_of(merge->map_type, "atomic granular"))
        wrong(r, m->line, m->column, "Wrong value", "list_type must be atomic, set or map; map_type must be atomic or granular.");
    else if (str_eqz(merge->list_type, "map") && merge->keys.n == 0)
        wrong(r, m->line, m->column, "Missing key", "A list of type map needs \"keys\".");
    else
        *(const struct xp_merge_rule **)target = merge;
}

static const struct xp_config_key reference_keys[] = {
    {"to", read_text, offsetof(struct xp_reference_rule, to), VALUE_TEXT, NULL, NULL, "Terraform type of the other object."},
    {"attribute", read_text, offsetof(struct xp_reference_rule, attribute), VALUE_TEXT, NULL, NULL,
     "Its attribute that is the value; without it, its external name."},
    {"function", read_text, offsetof(struct xp_reference_rule, function), VALUE_TEXT, NULL, NULL,
     "How another tool gets the value; kept for the record."},
    {"ref", read_text, offsetof(struct xp_reference_rule, ref), VALUE_TEXT, NULL, NULL, "Name of the reference, in camel case."},
    {"selector", read_text, offsetof(struct xp_reference_rule, selector), VALUE_TEXT, NULL, NULL,
     "Name of the selector, in camel case."},
    {0},
};
static const struct xp_config_table reference_table = {"reference", reference_keys};

static void read_reference(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_reference_rule *rule = arena_make(r->config->arena, struct xp_reference_rule);
    rule->source = r->source;
    rule->line = m->line;
    if (m->value->kind == JSON_STRING)
        rule->to = arena_str(r->config->arena, m->value->text);
    else if (is_object(r, m))
        read_table(r, &reference_table, m->value, rule);
    else
        return;
    if (rule->to.n == 0)
        wrong(r, m->line, m->column, "Missing key", "A reference needs \"to\", the Terraform type of the other object.");
    *(const struct xp_reference_rule **)target = rule;
}

static void read_references(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *ref = &m->value->object.members[i];
        read_reference(r, ref, &new_rule(r, ref->key, ref->line, ref->column)->reference);
    }
}

#define FIELD(name) offsetof(struct xp_field_settings, name)
static const struct xp_config_key field_keys[] = {
    {"name", read_text, FIELD(name), VALUE_TEXT, NULL, NULL, "Its name in manifests."},
    {"description", read_text, FIELD(description), VALUE_TEXT, NULL, NULL, "Its description, instead of the schema's."},
    {"type", read_type, FIELD(type), VALUE_TEXT, NULL, "string number integer boolean any", "Another type than the schema's."},
    {"omit", read_said, FIELD(omit), VALUE_BOOL, NULL, NULL, "Leave it out."},
    {"identifier", read_said, FIELD(identifier), VALUE_BOOL, NULL, NULL, "Part of the id: in forProvider only."},
    {"sensitive", read_said, FIELD(sensitive), VALUE_BOOL, NULL, NULL, "A secret, or not, whatever the schema says."},
    {"optional", read_said, FIELD(optional), VALUE_BOOL, NULL, NULL, "Optional, or not, whatever the schema says."},
    {"computed", read_said, FIELD(computed), VALUE_BOOL, NULL, NULL,
     "Computed by the provider, or not, whatever the schema says."},
    {"required", read_said, FIELD(required), VALUE_BOOL, NULL, NULL, "Required although the schema says optional."},
    {"status_only", read_said, FIELD(status_only), VALUE_BOOL, NULL, NULL, "Shown in the status only, with all that is in it."},
    {"embed", read_said, FIELD(embed), VALUE_BOOL, NULL, NULL, "Show a list of at most one as that one, or not."},
    {"immutable", read_said, FIELD(immutable), VALUE_BOOL, NULL, NULL, "The API server refuses changes."},
    {"late_init", read_said, FIELD(late_init), VALUE_BOOL, NULL, NULL, "false: never copied from the provider into the spec."},
    {"late_init_if_in_init", read_said, FIELD(late_init_if), VALUE_BOOL, NULL, NULL,
     "false: not copied when initProvider has it."},
    {"reference", read_reference, FIELD(reference), VALUE_TEXT_OR_TABLE, &reference_table, NULL,
     "The object that gives the value."},
    {"merge", read_merge, FIELD(merge), VALUE_TABLE, &merge_table, NULL, "How server-side apply merges it."},
    {0},
};
static const struct xp_config_table field_table = {"field", field_keys};

static void read_fields(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *field = &m->value->object.members[i];
        struct xp_field_settings *settings = new_rule(r, field->key, field->line, field->column);
        if (is_object(r, field))
            read_table(r, &field_table, field->value, settings);
    }
}

/* --- the parts of a resource --- */

static bool is_tree_name(struct str name)
{
    return str_eqz(name, "forProvider") || str_eqz(name, "initProvider") || str_eqz(name, "atProvider");
}

static void read_added(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *tree = &m->value->object.members[i];
        if (!is_tree_name(tree->key)) {
            wrong(r, tree->line, tree->column, "Unknown key",
                  "\"" STR_FMT "\" is not a valid key; expected forProvider, initProvider or atProvider.", STR_ARG(tree->key));
            continue;
        }
        for (size_t j = 0; is_object(r, tree) && j < tree->value->object.n; j++) {
            const struct json_member *field = &tree->value->object.members[j];
            if (!is_object(r, field))
                continue;
            struct xp_added_field *added = VEC_PUSH(r->config->arena, &r->rule->added);
            added->tree = arena_str(r->config->arena, tree->key);
            added->path = arena_str(r->config->arena, field->key);
            added->schema = field->value;
            added->line = field->line;
        }
    }
}

static const struct {
    const char *name;
    enum xp_external_name_strategy strategy;
    bool needs_field, needs_template;
} strategies[] = {
    {"provider", EXTERNAL_NAME_PROVIDER, false, false},  {"name", EXTERNAL_NAME_NAME, false, false},
    {"parameter", EXTERNAL_NAME_PARAMETER, true, false}, {"template", EXTERNAL_NAME_TEMPLATE, false, true},
    {"computed", EXTERNAL_NAME_COMPUTED, true, false},   {"custom", EXTERNAL_NAME_CUSTOM, false, false},
};
#define STRATEGIES "provider name parameter template computed custom"

static void read_strategy(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++)
        if (str_eqz(json_text(m->value, STR_EMPTY), strategies[i].name)) {
            *(enum xp_external_name_strategy *)target = strategies[i].strategy;
            return;
        }
    wrong_kind(r, m, "one of " STRATEGIES);
}

static void read_own_omit(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    ((struct xp_external_name *)target)->has_omit = true;
    read_texts(r, m, &((struct xp_external_name *)target)->omit);
}

static void read_own_identifiers(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    ((struct xp_external_name *)target)->has_identifiers = true;
    read_texts(r, m, &((struct xp_external_name *)target)->identifiers);
}

#define NAME(name) offsetof(struct xp_external_name, name)
static const struct xp_config_key external_name_keys[] = {
    {"strategy", read_strategy, NAME(strategy), VALUE_TEXT, NULL, STRATEGIES, "Where the name comes from."},
    {"field", read_text, NAME(field), VALUE_TEXT, NULL, NULL, "The argument or attribute that is the name."},
    {"template", read_text, NAME(template), VALUE_TEXT, NULL, NULL,
     "How the id is made: .external_name, .parameters.X, .setup.X."},
    {"placeholder", read_text, NAME(placeholder), VALUE_TEXT, NULL, NULL, "The id until the provider has computed one."},
    {"name_from_provider", read_bool, NAME(name_from_provider), VALUE_BOOL, NULL, NULL,
     "true: the name is known only after the creation."},
    {"name_template", read_text, NAME(name_template), VALUE_TEXT, NULL, NULL,
     "How the name is made where it is not in the id: .parameters.X."},
    {"name_field", read_text, NAME(name_field), VALUE_TEXT, NULL, NULL,
     "The attribute that is the name where it is not in the id."},
    {"name_after", read_text, NAME(name_after), VALUE_TEXT, NULL, NULL, "The name is what follows the last such text in the id."},
    {"prefix", read_text, NAME(prefix), VALUE_TEXT, NULL, NULL,
     "What the argument and the id have before the name (strategies name and parameter)."},
    {"function", read_text, NAME(function), VALUE_TEXT, NULL, NULL, "Function of another tool; kept for the record."},
    {"arguments", read_texts, NAME(arguments), VALUE_TEXTS, NULL, NULL, "Its arguments; kept for the record."},
    {"omit", read_own_omit, 0, VALUE_TEXTS, NULL, NULL,
     "Arguments that the name replaces, instead of those that the strategy implies."},
    {"identifiers", read_own_identifiers, 0, VALUE_TEXTS, NULL, NULL,
     "Parameters that are part of the id, instead of those in the template."},
    {0},
};
static const struct xp_config_table external_name_table = {"external_name", external_name_keys};

/* A template that cannot be read concerns the types of this entry, not all others: it is remembered for them. */
static void check_templates(struct xp_config_reader *r, const struct json_member *m, struct xp_external_name *e)
{
    struct diags why;
    diags_init(&why, r->config->arena);
    const char *where = arena_printf(r->config->arena, "%s:%u:%u", r->source->name, m->line, m->column).p;
    if (!xp_template_check(e->template, where, &why) || !xp_template_check(e->name_template, where, &why))
        e->mistake = why.v[0].detail;
}

static void read_external_name(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_resource_rule *rule = target;
    struct xp_external_name e = {0};
    if (m->value->kind == JSON_STRING)
        read_strategy(r, m, &e.strategy);
    else if (is_object(r, m))
        read_table(r, &external_name_table, m->value, &e);
    else
        return;
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        if (strategies[i].strategy != e.strategy)
            continue;
        if (strategies[i].needs_field && e.field.n == 0)
            wrong(r, m->line, m->column, "Missing key", "Strategy %s needs \"field\".", strategies[i].name);
        if (strategies[i].needs_template && e.template.n == 0)
            wrong(r, m->line, m->column, "Missing key", "Strategy %s needs \"template\".", strategies[i].name);
    }
    if (e.prefix.n > 0 && e.strategy != EXTERNAL_NAME_NAME && e.strategy != EXTERNAL_NAME_PARAMETER)
        wrong(r, m->line, m->column, "Invalid key", "\"prefix\" is for the strategies name and parameter.");
    check_templates(r, m, &e);
    rule->has_external_name = true;
    rule->external_name = e;
}

static void read_group(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_resource_rule *rule = target;
    rule->has_group = true;
    if (m->value->kind == JSON_STRING && m->value->text.n == 0)
        rule->group = STR_EMPTY;
    else
        read_domain(r, m, &rule->group);
}

static void read_async(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_resource_rule *rule = target;
    rule->has_async = true;
    read_bool(r, m, &rule->async);
}

#define RULE(name) offsetof(struct xp_resource_rule, name)
static const struct xp_config_key timeout_keys[] = {
    {"create", read_duration, RULE(timeout_create), VALUE_DURATION, NULL, NULL, "For creating."},
    {"read", read_duration, RULE(timeout_read), VALUE_DURATION, NULL, NULL, "For reading."},
    {"update", read_duration, RULE(timeout_update), VALUE_DURATION, NULL, NULL, "For changing."},
    {"delete", read_duration, RULE(timeout_delete), VALUE_DURATION, NULL, NULL, "For deleting."},
    {0},
};
static const struct xp_config_table timeout_table = {"timeouts", timeout_keys};

static const struct xp_config_key late_init_keys[] = {
    {"never", read_late_never, 0, VALUE_TEXTS, NULL, NULL, "Fields that are never copied from the provider into the spec."},
    {"unless_in_init", read_late_unless, 0, VALUE_TEXTS, NULL, NULL, "Fields that are not copied when initProvider has them."},
    {0},
};
static const struct xp_config_table late_init_table = {"late_init", late_init_keys};

static void read_timeouts(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (is_object(r, m))
        read_table(r, &timeout_table, m->value, target);
}

static void read_late_init(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (is_object(r, m))
        read_table(r, &late_init_table, m->value, target);
}

/* NAME: required, optional or none */
static void read_provider_arguments(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *argument = &m->value->object.members[i];
        struct str how = json_text(argument->value, STR_EMPTY);
        if (!str_eqz(how, "required") && !str_eqz(how, "optional") && !str_eqz(how, "none")) {
            wrong_kind(r, argument, "required, optional or none");
            continue;
        }
        *VEC_PUSH(r->config->arena, &r->rule->provider_arguments) = (struct xp_provider_argument){
            .name = arena_str(r->config->arena, argument->key),
            .said = str_eqz(how, "none") ? SAID_NO : SAID_YES,
            .required = str_eqz(how, "required"),
        };
    }
}

static void read_generated_secrets(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *secret = &m->value->object.members[i];
        struct xp_generated_secret *s = VEC_PUSH(r->config->arena, &r->rule->generated_secrets);
        s->path = arena_str(r->config->arena, secret->key);
        s->name = STR_EMPTY;
        read_text(r, secret, &s->name);
    }
}

static void read_flavour(struct xp_config_reader *r, const struct json_member *m, void *target);

static const struct xp_config_table resource_table;
static const struct xp_config_key resource_keys[] = {
    {"group", read_group, 0, VALUE_TEXT, NULL, NULL, "API group without the root group; \"\" for the root group alone."},
    {"kind", read_kind, RULE(kind), VALUE_TEXT, NULL, NULL, "Kind, in camel case."},
    {"plural", read_label, RULE(plural), VALUE_TEXT, NULL, NULL, "Plural, in lower case."},
    {"short_names", read_labels, RULE(short_names), VALUE_TEXTS, NULL, NULL, "Short names for kubectl."},
    {"version", read_label, RULE(version), VALUE_TEXT, NULL, NULL, "API version."},
    {"other_versions", read_labels, RULE(other_versions), VALUE_TEXTS, NULL, NULL,
     "Older API versions that clusters may hold: kept in the CRD, not served."},
    {"description", read_text, RULE(description), VALUE_TEXT, NULL, NULL, "Description of the kind."},
    {"external_name", read_external_name, 0, VALUE_TEXT_OR_TABLE, &external_name_table, STRATEGIES,
     "How the external name and the id become one another."},
    {"omit", read_omit, 0, VALUE_TEXTS, NULL, NULL, "Fields that are left out."},
    {"identifiers", read_identifiers, 0, VALUE_TEXTS, NULL, NULL, "Names, at any depth, that are part of the id."},
    {"status_only", read_status_only, 0, VALUE_TEXTS, NULL, NULL, "Fields that are shown in the status only."},
    {"embed", read_embed, 0, VALUE_TEXTS, NULL, NULL, "Lists of at most one that are shown as that one."},
    {"no_embed", read_no_embed, 0, VALUE_TEXTS, NULL, NULL, "Lists of at most one that stay lists."},
    {"sensitive", read_sensitive, 0, VALUE_TEXTS, NULL, NULL, "Secrets that the schema does not mark as sensitive."},
    {"required", read_required, 0, VALUE_TEXTS, NULL, NULL, "Fields that are required although the schema says optional."},
    {"optional", read_optional, 0, VALUE_TEXTS, NULL, NULL, "Fields that are optional although the schema says required."},
    {"immutable", read_immutable, 0, VALUE_TEXTS, NULL, NULL, "Fields that cannot be changed once they are set."},
    {"late_init", read_late_init, 0, VALUE_TABLE, &late_init_table, NULL, "Exceptions of late initialisation."},
    {"references", read_references, 0, VALUE_TEXT_OR_TABLE_MAP, &reference_table, NULL,
     "Path -> the object that gives the value."},
    {"fields", read_fields, 0, VALUE_TABLE_MAP, &field_table, NULL, "Path -> all settings of a field."},
    {"add", read_added, 0, VALUE_ANY_MAP, NULL, NULL, "Tree -> path in manifests -> OpenAPI of a field that the schema lacks."},
    {"provider_arguments", read_provider_arguments, 0, VALUE_TEXT_MAP, NULL, "required optional none",
     "Argument of the provider's own configuration that each object may give in forProvider -> required, optional or none."},
    {"generated_secrets", read_generated_secrets, 0, VALUE_TEXT_MAP, NULL, NULL,
     "Secret argument -> name of the flag in forProvider that has it made up when it is absent."},
    {"async", read_async, 0, VALUE_BOOL, NULL, NULL, "false: operations are waited for."},
    {"tags", read_text, RULE(tags), VALUE_TEXT, NULL, NULL, "Argument that the default tags go to."},
    {"timeouts", read_timeouts, 0, VALUE_TABLE, &timeout_table, NULL, "How long operations may take."},
    {"cluster", read_flavour, 0, VALUE_TABLE, &resource_table, NULL, "Settings for the cluster-scoped kind only."},
    {"namespaced", read_flavour, 0, VALUE_TABLE, &resource_table, NULL, "Settings for the namespaced kind only."},
    {0},
};
static const struct xp_config_table resource_table = {"resource", resource_keys};

/* A rule of its own, after the one it stands in. `target` is that one, which moves when the list grows. */
static void read_flavour(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_resource_rule *outer = target;
    if (outer->flavour != FLAVOUR_BOTH) {
        wrong(r, m->line, m->column, "Wrong place", "\"" STR_FMT "\" is not allowed inside another flavour.", STR_ARG(m->key));
        return;
    }
    if (!is_object(r, m))
        return;
    struct xp_resource_rule inner = {
        .source = r->source,
        .pattern = outer->pattern,
        .line = m->line,
        .column = m->column,
        .exact = outer->exact,
        .types = outer->types,
        .flavour = str_eqz(m->key, "cluster") ? FLAVOUR_CLUSTER : FLAVOUR_NAMESPACED,
    };
    r->rule = &inner;
    read_table(r, &resource_table, m->value, &inner);
    r->rule = outer;
    *VEC_PUSH(r->config->arena, &r->pending) = inner;
}

/*
 * The types that a pattern of alternatives alone stands for; NULL when it has wildcards. Shipped files have hundreds of these,
 * and each type is looked for in all of them.
 */
static const struct map *expand(struct arena *a, struct str pattern)
{
    size_t open = str_find(pattern, '{', 0), close = open == SIZE_MAX ? SIZE_MAX : str_find(pattern, '}', open);
    if (close == SIZE_MAX || pattern.n > PATTERN_MAX || str_find(pattern, '*', 0) != SIZE_MAX ||
        str_find(pattern, '?', 0) != SIZE_MAX)
        return NULL;
    struct str before = str_slice(pattern, 0, open), after = str_slice(pattern, close + 1, pattern.n);
    struct str choices = str_slice(pattern, open + 1, close);
    struct map *types = arena_make(a, struct map);
    map_init(types, a);
    while (choices.n > 0) {
        struct str choice = str_cut(&choices, ',');
        struct str type = arena_printf(a, STR_FMT STR_FMT STR_FMT, STR_ARG(before), STR_ARG(choice), STR_ARG(after));
        map_put(types, type, types); /* only that it is there counts */
    }
    return types;
}

static void read_resources(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *entry = &m->value->object.members[i];
        struct xp_resource_rule rule = {
            .source = r->source,
            .pattern = arena_str(r->config->arena, entry->key),
            .line = entry->line,
            .column = entry->column,
            .flavour = FLAVOUR_BOTH,
        };
        rule.exact = !memchr(entry->key.p, '*', entry->key.n) && !memchr(entry->key.p, '?', entry->key.n) &&
                     !memchr(entry->key.p, '{', entry->key.n);
        rule.types = expand(r->config->arena, rule.pattern);
        r->rule = &rule;
        r->pending.n = 0;
        if (entry->value->kind == JSON_OBJECT)
            read_table(r, &resource_table, entry->value, &rule);
        else if (entry->value->kind != JSON_NULL)
            wrong_kind(r, entry, "a mapping");
        *VEC_PUSH(r->config->arena, &r->config->rules) = rule;
        for (size_t j = 0; j < r->pending.n; j++)
            *VEC_PUSH(r->config->arena, &r->config->rules) = r->pending.v[j];
    }
}

/* --- the file --- */

static const struct xp_config_key root_keys[] = {
    {"cluster", read_domain, offsetof(struct xp_config, root_cluster), VALUE_TEXT, NULL, NULL, "Of cluster-scoped kinds."},
    {"namespaced", read_domain, offsetof(struct xp_config, root_namespaced), VALUE_TEXT, NULL, NULL, "Of namespaced kinds."},
    {0},
};
static const struct xp_config_table root_table = {"root_group", root_keys};

static void read_root(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (is_object(r, m))
        read_table(r, &root_table, m->value, target);
}

static void read_links(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    if (!is_texts(r, m))
        return;
    for (size_t i = 0; i < m->value->array.n; i++) {
        const struct json *item = m->value->array.items[i];
        struct str name = arena_str(r->config->arena, item->text);
        *VEC_PUSH(r->config->arena, &r->config->links) = (struct xp_config_file_name){r->source, name, item->line, item->column};
        if (name.n == 0 || memchr(name.p, '\0', name.n))
            wrong(r, item->line, item->column, "Wrong value", "\"links\" must be a list of file names.");
    }
}

static void read_nothing(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)r;
    (void)m;
    (void)target;
}

static void read_base(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    struct str text = json_text(m->value, STR_EMPTY);
    if (!str_eqz(text, "shipped") && !str_eqz(text, "none"))
        wrong_kind(r, m, "shipped or none");
}

static void read_provider_config(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    if (!is_object(r, m))
        return;
    for (size_t i = 0; i < m->value->object.n; i++)
        (void)is_object(r, &m->value->object.members[i]);
    r->config->provider_config = m->value;
}

/* NAME: DATA_SOURCE.ATTRIBUTE; a later file's entry of a name is in the place of an earlier one's. */
static void read_client_metadata(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *entry = &m->value->object.members[i];
        struct str attribute = entry->value->kind == JSON_STRING ? entry->value->text : STR_EMPTY;
        struct str data_source = str_cut(&attribute, '.');
        if (data_source.n == 0 || attribute.n == 0) {
            wrong_kind(r, entry, "DATA_SOURCE.ATTRIBUTE");
            continue;
        }
        size_t at = 0;
        while (at < r->config->client_metadata.n && !str_eq(r->config->client_metadata.v[at].name, entry->key))
            at++;
        if (at == r->config->client_metadata.n)
            (void)VEC_PUSH(r->config->arena, &r->config->client_metadata);
        r->config->client_metadata.v[at] = (struct xp_client_metadata){entry->key, data_source, attribute};
    }
}

#define FILE_KEY(name) offsetof(struct xp_config, name)
static const struct xp_config_key file_keys[] = {
    {"provider", read_nothing, 0, VALUE_TEXT, NULL, NULL, "Type name of the provider, for example aws."},
    {"source", read_nothing, 0, VALUE_TEXTS, NULL, NULL,
     "NAMESPACE/TYPE of the providers that a shipped file is for, in any registry."},
    {"base", read_base, 0, VALUE_TEXT, NULL, "shipped none",
     "What this file is merged over: the file that is shipped for the provider (default), or nothing."},
    {"short_name", read_label, FILE_KEY(short_name), VALUE_TEXT, NULL, NULL, "Category of all kinds (kubectl get NAME)."},
    {"root_group", read_root, 0, VALUE_TABLE, &root_table, NULL, "The end of every API group."},
    {"version", read_label, FILE_KEY(version), VALUE_TEXT, NULL, NULL, "API version of kinds that do not set another."},
    {"description", read_text, FILE_KEY(description), VALUE_TEXT, NULL, NULL, "Of the package."},
    {"compat", read_compat, FILE_KEY(compat), VALUE_TEXT, NULL, COMPAT_NAMES,
     "How closely kinds follow Upjet: own, upjet (also where its rules are stricter), upjet-exact (also its faults)."},
    {"embed_singletons", read_bool, FILE_KEY(embed_singletons), VALUE_BOOL, NULL, NULL, "Show lists of at most one as that one."},
    {"init_provider", read_bool, FILE_KEY(init_provider), VALUE_BOOL, NULL, NULL, "Kinds have initProvider."},
    {"references_in_init", read_bool, FILE_KEY(references_in_init), VALUE_BOOL, NULL, NULL, "initProvider has references."},
    {"secrets_in_init", read_bool, FILE_KEY(secrets_in_init), VALUE_BOOL, NULL, NULL, "initProvider has references to secrets."},
    {"ssa_markers", read_bool, FILE_KEY(ssa_markers), VALUE_BOOL, NULL, NULL,
     "Sets and maps of scalars say how server-side apply merges them."},
    {"single_block_computed", read_bool, FILE_KEY(single_block_computed), VALUE_BOOL, NULL, NULL,
     "With upjet-exact: a SINGLE block with something required in it is an output, as releases of Upjet have it."},
    {"old_envelope", read_bool, FILE_KEY(old_envelope), VALUE_BOOL, NULL, NULL,
     "The frame of Upjet before 1.0 (2023): columns, conditions and texts of rules."},
    {"acronyms", read_acronyms, FILE_KEY(names), VALUE_TEXT_MAP, NULL, NULL, "Word -> its casing in kinds and Go names."},
    {"provider_config", read_provider_config, 0, VALUE_ANY_MAP, NULL, NULL,
     "Property of the spec of ProviderConfigs, beside configuration -> its OpenAPI; `credentials` replaces the usual one."},
    {"client_metadata", read_client_metadata, 0, VALUE_TEXT_MAP, NULL, NULL,
     "Name in templates of ids (.setup.client_metadata.NAME) -> DATA_SOURCE.ATTRIBUTE, read once for a ProviderConfig."},
    {"links", read_links, 0, VALUE_TEXTS, NULL, NULL,
     "Link tables, relative to this file; references are made of them where this file says nothing."},
    {"listed_only", read_bool, FILE_KEY(listed_only), VALUE_BOOL, NULL, NULL,
     "Generate only types that `resources` names in full."},
    {"include", read_patterns, FILE_KEY(include), VALUE_TEXTS, NULL, NULL,
     "Patterns of the resource types to generate; absent: all."},
    {"exclude", read_patterns, FILE_KEY(exclude), VALUE_TEXTS, NULL, NULL, "Patterns of the resource types to leave out."},
    {"resources", read_resources, 0, VALUE_TABLE_MAP, &resource_table, NULL, "Pattern of resource types -> their settings."},
    {0},
};
const struct xp_config_table xp_config_file_table = {"file", file_keys};

/* What the file is for; NULL and a diagnostic: it does not say so. */
static const struct json *provider_of(const struct json *file, const char *source, struct diags *diags)
{
    const struct json *provider = json_get(file, "provider");
    if (provider && provider->kind == JSON_STRING && provider->text.n > 0)
        return provider;
    (void)diags_fail(diags, "Missing key",
                     "%s:1:1: \"provider\" must name the provider that this file is for, for example \"provider: aws\".", source);
    return NULL;
}

static bool read_file(struct xp_config *c, const struct json *file, struct xp_config_source source, struct diags *diags)
{
    size_t before = diags->n_errors;
    struct xp_config_source *kept = arena_make(c->arena, struct xp_config_source);
    *kept = (struct xp_config_source){arena_str(c->arena, str_of(source.name)).p, source.shipped};
    c->source = kept->name;
    struct xp_config_reader r = {.config = c, .source = kept, .diags = diags};
    read_table(&r, &xp_config_file_table, file, c);
    return diags->n_errors == before;
}

struct xp_config *xp_config_read(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    const struct json *file = yaml_parse(a, text, source, diags);
    const struct json *provider = file ? provider_of(file, source, diags) : NULL;
    struct xp_config *c = provider ? xp_config_default(a, arena_str(a, provider->text)) : NULL;
    return c && read_file(c, file, (struct xp_config_source){source, false}, diags) ? c : NULL;
}

bool xp_config_read_over(struct xp_config *c, struct str text, struct xp_config_source source, struct diags *diags)
{
    const struct json *file = yaml_parse(c->arena, text, source.name, diags);
    const struct json *provider = file ? provider_of(file, source.name, diags) : NULL;
    if (!provider)
        return false;
    if (!str_eq(provider->text, c->provider))
        return diags_fail(diags, "Wrong provider", "%s is for provider \"" STR_FMT "\", not for \"" STR_FMT "\".", source.name,
                          STR_ARG(provider->text), STR_ARG(c->provider));
    return read_file(c, file, source, diags);
}

bool xp_config_is_for(struct str text, const char *source, struct str address, struct diags *diags, bool *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct json *file = yaml_parse(scratch, text, source, diags), *list = file ? json_get(file, "source") : NULL;
    bool found = false;
    (void)str_cut(&address, '/'); /* the registry */
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->array.n; i++)
        found |= str_eq(json_text(list->array.items[i], STR_EMPTY), address);
    if (file)
        *ret = found;
    return file != NULL;
}
