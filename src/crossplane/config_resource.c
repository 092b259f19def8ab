/* Reads the configuration of a resource type. */
#include "base/ascii.h"
#include "crossplane/config_read_private.h"

/* --- lists of fields --- */

#define READ_PATHS(name, prefix, assignment)                                                                                     \
    static void set_##name(struct xp_field_settings *s)                                                                          \
    {                                                                                                                            \
        s->assignment;                                                                                                           \
    }                                                                                                                            \
    static void read_##name(struct xp_config_reader *r, const struct json_member *m, void *target)                               \
    {                                                                                                                            \
        (void)target;                                                                                                            \
        xp_read_paths(r, m, set_##name, prefix);                                                                                 \
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

static bool is_tree_name(struct str name)
{
    return str_eqz(name, "forProvider") || str_eqz(name, "initProvider") || str_eqz(name, "atProvider");
}

static void read_added(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *tree = &m->value->object.members[i];
        if (!is_tree_name(tree->key)) {
            xp_config_wrong(r, tree->line, tree->column, "Unknown key",
                            "\"" STR_FMT "\" is not a valid key; expected forProvider, initProvider or atProvider.",
                            STR_ARG(tree->key));
            continue;
        }
        for (size_t j = 0; xp_config_is_object(r, tree) && j < tree->value->object.n; j++) {
            const struct json_member *field = &tree->value->object.members[j];
            if (!xp_config_is_object(r, field))
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
    xp_config_wrong_kind(r, m, "one of " STRATEGIES);
}

static void read_own_omit(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    ((struct xp_external_name *)target)->has_omit = true;
    xp_read_texts(r, m, &((struct xp_external_name *)target)->omit);
}

static void read_own_identifiers(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    ((struct xp_external_name *)target)->has_identifiers = true;
    xp_read_texts(r, m, &((struct xp_external_name *)target)->identifiers);
}

#define NAME(name) offsetof(struct xp_external_name, name)
static const struct xp_config_key external_name_keys[] = {
    {"strategy", read_strategy, NAME(strategy), VALUE_TEXT, NULL, STRATEGIES, "Where the name comes from."},
    {"field", xp_read_text, NAME(field), VALUE_TEXT, NULL, NULL, "The argument or attribute that is the name."},
    {"template", xp_read_text, NAME(template), VALUE_TEXT, NULL, NULL,
     "How the id is made: .external_name, .parameters.X, .setup.X."},
    {"placeholder", xp_read_text, NAME(placeholder), VALUE_TEXT, NULL, NULL, "The id until the provider has computed one."},
    {"name_from_provider", xp_read_bool, NAME(name_from_provider), VALUE_BOOL, NULL, NULL,
     "true: the name is known only after the creation."},
    {"name_template", xp_read_text, NAME(name_template), VALUE_TEXT, NULL, NULL,
     "How the name is made where it is not in the id: .parameters.X."},
    {"name_field", xp_read_text, NAME(name_field), VALUE_TEXT, NULL, NULL,
     "The attribute that is the name where it is not in the id."},
    {"name_after", xp_read_text, NAME(name_after), VALUE_TEXT, NULL, NULL,
     "The name is what follows the last such text in the id."},
    {"prefix", xp_read_text, NAME(prefix), VALUE_TEXT, NULL, NULL,
     "What the argument and the id have before the name (strategies name and parameter)."},
    {"function", xp_read_text, NAME(function), VALUE_TEXT, NULL, NULL, "Function of another tool; kept for the record."},
    {"arguments", xp_read_texts, NAME(arguments), VALUE_TEXTS, NULL, NULL, "Its arguments; kept for the record."},
    {"omit", read_own_omit, 0, VALUE_TEXTS, NULL, NULL,
     "Arguments that the name replaces, instead of those that the strategy implies."},
    {"identifiers", read_own_identifiers, 0, VALUE_TEXTS, NULL, NULL,
     "Parameters that are part of the id, instead of those in the template."},
    {0},
};
static const struct xp_config_table external_name_table = {"external_name", external_name_keys};

/* An invalid template concerns only the types of this entry, so the error is stored for them. */
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
    else if (xp_config_is_object(r, m))
        xp_read_table(r, &external_name_table, m->value, &e);
    else
        return;
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        if (strategies[i].strategy != e.strategy)
            continue;
        if (strategies[i].needs_field && e.field.n == 0)
            xp_config_wrong(r, m->line, m->column, "Missing key", "Strategy %s needs \"field\".", strategies[i].name);
        if (strategies[i].needs_template && e.template.n == 0)
            xp_config_wrong(r, m->line, m->column, "Missing key", "Strategy %s needs \"template\".", strategies[i].name);
    }
    if (e.prefix.n > 0 && e.strategy != EXTERNAL_NAME_NAME && e.strategy != EXTERNAL_NAME_PARAMETER)
        xp_config_wrong(r, m->line, m->column, "Invalid key", "\"prefix\" is for the strategies name and parameter.");
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
        xp_read_domain(r, m, &rule->group);
}

static void read_async(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_resource_rule *rule = target;
    rule->has_async = true;
    xp_read_bool(r, m, &rule->async);
}

#define RULE(name) offsetof(struct xp_resource_rule, name)
static const struct xp_config_key timeout_keys[] = {
    {"create", xp_read_duration, RULE(timeout_create), VALUE_DURATION, NULL, NULL, "For creating."},
    {"read", xp_read_duration, RULE(timeout_read), VALUE_DURATION, NULL, NULL, "For reading."},
    {"update", xp_read_duration, RULE(timeout_update), VALUE_DURATION, NULL, NULL, "For changing."},
    {"delete", xp_read_duration, RULE(timeout_delete), VALUE_DURATION, NULL, NULL, "For deleting."},
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
    if (xp_config_is_object(r, m))
        xp_read_table(r, &timeout_table, m->value, target);
}

static void read_late_init(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (xp_config_is_object(r, m))
        xp_read_table(r, &late_init_table, m->value, target);
}

/* NAME: required, optional or none */
static void read_provider_arguments(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *argument = &m->value->object.members[i];
        struct str how = json_text(argument->value, STR_EMPTY);
        if (!str_eqz(how, "required") && !str_eqz(how, "optional") && !str_eqz(how, "none")) {
            xp_config_wrong_kind(r, argument, "required, optional or none");
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
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *secret = &m->value->object.members[i];
        struct xp_generated_secret *s = VEC_PUSH(r->config->arena, &r->rule->generated_secrets);
        s->path = arena_str(r->config->arena, secret->key);
        s->name = STR_EMPTY;
        xp_read_text(r, secret, &s->name);
    }
}

static bool is_field_name(struct str name)
{
    size_t n = 0;
    while (n < name.n && (is_letter(name.p[n]) || is_digit(name.p[n])))
        n++;
    return n > 0 && n == name.n;
}

static bool is_field_path(struct str path)
{
    bool ok = path.n > 0 && path.p[path.n - 1] != '.';
    while (ok && path.n > 0)
        ok = is_field_name(str_cut(&path, '.'));
    return ok;
}

/* OLD: NEW */
static void read_renamed(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *field = &m->value->object.members[i];
        struct str new = json_text(field->value, STR_EMPTY);
        if (!is_field_path(field->key) || !is_field_path(new)) {
            xp_config_wrong_kind(r, field, "a path of fields as in manifests (dbName, or storage.volumeSize)");
            continue;
        }
        struct arena *a = r->config->arena;
        *VEC_PUSH(a, &r->rule->renamed) = (struct xp_renamed_field){.old = arena_str(a, field->key), .new = arena_str(a, new)};
    }
}

static bool is_secret_key(struct str key)
{
    bool fits = key.n > 0 && key.n <= 253 && !str_starts(key, STR("attribute."));
    for (size_t i = 0; fits && i < key.n; i++)
        fits = is_letter(key.p[i]) || is_digit(key.p[i]) || (key.p[i] && strchr("-_.*", key.p[i]));
    return fits;
}

static void read_connection_details(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *detail = &m->value->object.members[i];
        bool is_text = detail->value->kind == JSON_STRING && detail->value->text.n > 0;
        if (!is_secret_key(detail->key) || !is_text) {
            xp_config_wrong_kind(r, detail,
                                 "a key of a Secret that does not begin with \"attribute.\", with the path of an attribute");
            continue;
        }
        *VEC_PUSH(r->config->arena, &r->rule->connection_details) = (struct xp_connection_detail){
            arena_str(r->config->arena, detail->key), arena_str(r->config->arena, detail->value->text)};
    }
}

static void read_flavour(struct xp_config_reader *r, const struct json_member *m, void *target);

static const struct xp_config_key resource_keys[] = {
    {"group", read_group, 0, VALUE_TEXT, NULL, NULL, "API group without the root group; \"\" for the root group alone."},
    {"kind", xp_read_kind, RULE(kind), VALUE_TEXT, NULL, NULL, "Kind, in camel case."},
    {"plural", xp_read_label, RULE(plural), VALUE_TEXT, NULL, NULL, "Plural, in lower case."},
    {"short_names", xp_read_labels, RULE(short_names), VALUE_TEXTS, NULL, NULL, "Short names for kubectl."},
    {"version", xp_read_label, RULE(version), VALUE_TEXT, NULL, NULL, "API version."},
    {"other_versions", xp_read_labels, RULE(other_versions), VALUE_TEXTS, NULL, NULL,
     "Older API versions that clusters may hold: kept in the CRD, served with --webhook."},
    {"renamed", read_renamed, 0, VALUE_TEXT_MAP, NULL, NULL,
     "Field as older API versions have it -> the field that it is now; paths as in manifests."},
    {"description", xp_read_text, RULE(description), VALUE_TEXT, NULL, NULL, "Description of the kind."},
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
    {"references", xp_read_references, 0, VALUE_TEXT_OR_TABLE_MAP, &xp_config_reference_table, NULL,
     "Path -> the object that gives the value."},
    {"fields", xp_read_fields, 0, VALUE_TABLE_MAP, &xp_config_field_table, NULL, "Path -> all settings of a field."},
    {"add", read_added, 0, VALUE_ANY_MAP, NULL, NULL, "Tree -> path in manifests -> OpenAPI of a field that the schema lacks."},
    {"provider_arguments", read_provider_arguments, 0, VALUE_TEXT_MAP, NULL, "required optional none",
     "Argument of the provider's own configuration that each object may give in forProvider -> required, optional or none."},
    {"generated_secrets", read_generated_secrets, 0, VALUE_TEXT_MAP, NULL, NULL,
     "Secret argument -> name of the flag in forProvider that has it generated when it is absent."},
    {"connection_details", read_connection_details, 0, VALUE_TEXT_MAP, NULL, NULL,
     "More keys of the connection secret -> attribute; [*] in its path are all elements, and * in the key the number of each."},
    {"async", read_async, 0, VALUE_BOOL, NULL, NULL, "false: operations are waited for."},
    {"tags", xp_read_text, RULE(tags), VALUE_TEXT, NULL, NULL, "Argument that the default tags go to."},
    {"timeouts", read_timeouts, 0, VALUE_TABLE, &timeout_table, NULL, "How long operations may take."},
    {"cluster", read_flavour, 0, VALUE_TABLE, &xp_config_resource_table, NULL, "Settings for the cluster-scoped kind only."},
    {"namespaced", read_flavour, 0, VALUE_TABLE, &xp_config_resource_table, NULL, "Settings for the namespaced kind only."},
    {0},
};
const struct xp_config_table xp_config_resource_table = {"resource", resource_keys};

/* Adds a separate rule after the enclosing one. `target` is the enclosing rule, which moves when the list grows. */
static void read_flavour(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_resource_rule *outer = target;
    if (outer->flavour != FLAVOUR_BOTH) {
        xp_config_wrong(r, m->line, m->column, "Wrong place", "\"" STR_FMT "\" is not allowed inside another flavour.",
                        STR_ARG(m->key));
        return;
    }
    if (!xp_config_is_object(r, m))
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
    xp_read_table(r, &xp_config_resource_table, m->value, &inner);
    r->rule = outer;
    *VEC_PUSH(r->config->arena, &r->pending) = inner;
}

/*
 * The types that a pattern whose only wildcards are alternatives matches; NULL if it has others. Shipped files have hundreds of
 * such patterns, and each type is looked up in all of them.
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
        map_put(types, type, types); /* used as a set */
    }
    return types;
}

void xp_read_resources(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
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
            xp_read_table(r, &xp_config_resource_table, entry->value, &rule);
        else if (entry->value->kind != JSON_NULL)
            xp_config_wrong_kind(r, entry, "a mapping");
        *VEC_PUSH(r->config->arena, &r->config->rules) = rule;
        for (size_t j = 0; j < r->pending.n; j++)
            *VEC_PUSH(r->config->arena, &r->config->rules) = r->pending.v[j];
    }
}
