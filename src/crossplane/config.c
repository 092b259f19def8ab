#include "crossplane/config.h"

#include "crossplane/text.h"

enum { MAX_SHOWN = 100 }; /* bytes of a name in a message */

static const char *const compat_names[] = {[COMPAT_OWN] = "own", [COMPAT_UPJET] = "upjet", [COMPAT_UPJET_EXACT] = "upjet-exact"};

const char *xp_compat_name(enum xp_compat compat)
{
    return compat_names[compat];
}

bool xp_compat_named(struct str name, enum xp_compat *ret)
{
    for (enum xp_compat i = COMPAT_OWN; i <= COMPAT_UPJET_EXACT; i++)
        if (str_eqz(name, compat_names[i])) {
            *ret = i;
            return true;
        }
    return false;
}

/* --- defaults --- */

bool xp_config_check_provider(struct str name, struct diags *diags)
{
    if (str_find(name, '.', 0) == SIZE_MAX && xp_name_is_domain(name))
        return true;
    return diags_fail(diags, "Invalid provider name",
                      "\"" STR_FMT "\" is not a valid provider name; expected lowercase letters, digits and dashes.",
                      STR_ARG(xp_text_line(diags->arena, name, MAX_SHOWN)));
}

struct xp_config *xp_config_default(struct arena *a, struct str provider)
{
    struct xp_config *c = arena_make(a, struct xp_config);
    c->arena = a;
    c->provider = provider;
    c->short_name = provider;
    c->root_cluster = arena_printf(a, STR_FMT ".terrane.dev", STR_ARG(provider));
    c->root_namespaced = arena_printf(a, STR_FMT ".m.terrane.dev", STR_ARG(provider));
    c->version = STR("v1alpha1");
    c->embed_singletons = c->init_provider = c->references_in_init = c->secrets_in_init = true;
    c->ssa_markers = c->single_block_computed = true;
    xp_names_init(&c->names, a);
    map_init(&c->linked, a);
    return c;
}

static bool any_matches(const struct pattern_list *list, struct str type)
{
    bool matches = false;
    for (size_t i = 0; i < list->n; i++)
        if (link_pattern_match(list->v[i], type)) {
            list->used[i] = true;
            matches = true;
        }
    return matches;
}

static bool is_listed(const struct xp_config *c, struct str type)
{
    for (size_t i = 0; i < c->rules.n; i++)
        if (c->rules.v[i].exact && str_eq(c->rules.v[i].pattern, type))
            return true;
    return false;
}

bool xp_config_includes(const struct xp_config *c, struct str type)
{
    bool included = c->include.n == 0 || any_matches(&c->include, type);
    return !any_matches(&c->exclude, type) && included && (!c->listed_only || is_listed(c, type));
}

/* --- merging --- */

static void take_scalars(struct xp_resource_config *r, const struct xp_resource_rule *rule)
{
    if (rule->has_group) {
        r->has_group = true;
        r->group = rule->group;
    }
    const struct {
        struct str from;
        struct str *to;
    } texts[] = {{rule->kind, &r->kind},
                 {rule->version, &r->version},
                 {rule->plural, &r->plural},
                 {rule->tags, &r->tags},
                 {rule->description, &r->description}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].from.n > 0)
            *texts[i].to = texts[i].from;
    const struct {
        int64_t from;
        int64_t *to;
    } times[] = {{rule->timeout_create, &r->timeout_create},
                 {rule->timeout_read, &r->timeout_read},
                 {rule->timeout_update, &r->timeout_update},
                 {rule->timeout_delete, &r->timeout_delete}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (times[i].from > 0)
            *times[i].to = times[i].from;
    if (rule->short_names.n > 0)
        r->short_names = rule->short_names;
    if (rule->other_versions.n > 0)
        r->other_versions = rule->other_versions;
    if (rule->has_external_name)
        r->external_name = rule->external_name;
    if (rule->has_async)
        r->async = rule->async;
}

static bool rule_applies(const struct xp_resource_rule *rule, struct str type, enum xp_flavour flavour)
{
    if (!(rule->flavour & flavour))
        return false;
    if (rule->types)
        return map_get(rule->types, type) != NULL;
    return rule->exact ? str_eq(rule->pattern, type) : link_pattern_match(rule->pattern, type);
}

/* Field rules implied by the external name come first, so that any line of the file can override them. */
static void add_implied(struct arena *a, struct xp_resource_config *r, struct xp_field_rule **out)
{
    const struct xp_external_name *e = &r->external_name;
    for (size_t i = 0; i < e->omit.n + e->identifiers.n; i++) {
        struct xp_field_rule *rule = arena_make(a, struct xp_field_rule);
        bool omit = i < e->omit.n;
        rule->implied = true;
        if (omit) {
            rule->pattern = e->omit.v[i];
            rule->set.omit = SAID_YES;
        } else {
            rule->pattern = arena_printf(a, "**." STR_FMT, STR_ARG(e->identifiers.v[i - e->omit.n]));
            rule->set.identifier = SAID_YES;
        }
        out[r->n_fields++] = rule;
    }
}

/* Later rules override earlier ones for the same argument, and for the same key. */
static void take_arguments(struct arena *a, struct xp_resource_config *r, struct xp_resource_rule *const *rules, size_t n)
{
    VEC(struct xp_provider_argument) arguments = {0};
    VEC(struct xp_generated_secret) secrets = {0};
    VEC(struct xp_connection_detail) details = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < rules[i]->provider_arguments.n; j++) {
            size_t k = 0;
            while (k < arguments.n && !str_eq(arguments.v[k].name, rules[i]->provider_arguments.v[j].name))
                k++;
            *(k < arguments.n ? &arguments.v[k] : VEC_PUSH(a, &arguments)) = rules[i]->provider_arguments.v[j];
        }
        for (size_t j = 0; j < rules[i]->generated_secrets.n; j++)
            *VEC_PUSH(a, &secrets) = rules[i]->generated_secrets.v[j];
        for (size_t j = 0; j < rules[i]->connection_details.n; j++) {
            size_t k = 0;
            while (k < details.n && !str_eq(details.v[k].key, rules[i]->connection_details.v[j].key))
                k++;
            *(k < details.n ? &details.v[k] : VEC_PUSH(a, &details)) = rules[i]->connection_details.v[j];
        }
    }
    r->provider_arguments = arguments.v;
    r->n_provider_arguments = arguments.n;
    r->generated_secrets = secrets.v;
    r->n_generated_secrets = secrets.n;
    r->connection_details = details.v;
    r->n_connection_details = details.n;
}

/* Later rules override earlier ones for the same old name. */
static void take_renamed(struct arena *a, struct xp_resource_config *r, struct xp_resource_rule *const *rules, size_t n)
{
    VEC(struct xp_renamed_field) renamed = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < rules[i]->renamed.n; j++) {
            size_t k = 0;
            while (k < renamed.n && !str_eq(renamed.v[k].old, rules[i]->renamed.v[j].old))
                k++;
            *(k < renamed.n ? &renamed.v[k] : VEC_PUSH(a, &renamed)) = rules[i]->renamed.v[j];
        }
    }
    r->renamed = renamed.v;
    r->n_renamed = renamed.n;
}

void xp_config_resolve(const struct xp_config *c, struct arena *a, struct str type, enum xp_flavour flavour,
                       struct xp_resource_config *ret)
{
    struct xp_resource_config r = {
        .config = c, .arena = a, .type = type, .flavour = flavour, .compat = c->compat, .version = c->version, .async = true};
    size_t n_fields = 0, n_added = 0;
    VEC(struct xp_resource_rule *) applying = {0};
    for (size_t i = 0; i < c->rules.n; i++) {
        struct xp_resource_rule *rule = &c->rules.v[i];
        if (!rule_applies(rule, type, flavour))
            continue;
        rule->used = true;
        take_scalars(&r, rule);
        n_fields += rule->fields.n;
        n_added += rule->added.n;
        *VEC_PUSH(a, &applying) = rule;
    }
    xp_external_name_imply(a, &r.external_name);
    const struct xp_linked_rules *linked = map_get(&c->linked, type);
    n_fields += r.external_name.omit.n + r.external_name.identifiers.n + (linked ? linked->n : 0);
    r.fields = arena_make_n(a, struct xp_field_rule *, n_fields);
    r.added = arena_make_n(a, struct xp_added_field *, n_added);
    add_implied(a, &r, r.fields);
    for (size_t i = 0; linked && i < linked->n; i++)
        r.fields[r.n_fields++] = &linked->v[i];
    for (size_t i = 0; i < applying.n; i++) {
        struct xp_resource_rule *rule = applying.v[i];
        for (size_t j = 0; j < rule->fields.n; j++)
            r.fields[r.n_fields++] = &rule->fields.v[j];
        for (size_t j = 0; j < rule->added.n; j++)
            r.added[r.n_added++] = &rule->added.v[j];
    }
    take_arguments(a, &r, applying.v, applying.n);
    take_renamed(a, &r, applying.v, applying.n);
    *ret = r;
}

bool xp_config_flavours_differ(const struct xp_config *c, struct str type)
{
    for (size_t i = 0; i < c->rules.n; i++) {
        const struct xp_resource_rule *rule = &c->rules.v[i];
        bool one_flavour = rule->flavour != FLAVOUR_BOTH;
        if (one_flavour && rule_applies(rule, type, rule->flavour))
            return true;
    }
    return false;
}

static void take_settings(struct xp_field_settings *to, const struct xp_field_settings *from)
{
    const struct {
        enum xp_said from;
        enum xp_said *to;
    } flags[] = {{from->omit, &to->omit},
                 {from->identifier, &to->identifier},
                 {from->sensitive, &to->sensitive},
                 {from->optional, &to->optional},
                 {from->computed, &to->computed},
                 {from->required, &to->required},
                 {from->status_only, &to->status_only},
                 {from->embed, &to->embed},
                 {from->immutable, &to->immutable},
                 {from->late_init, &to->late_init},
                 {from->late_init_if, &to->late_init_if}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].from != SAID_NOTHING)
            *flags[i].to = flags[i].from;
    if (from->type != SCALAR_UNSET)
        to->type = from->type;
    if (from->name.n > 0)
        to->name = from->name;
    if (from->description.n > 0)
        to->description = from->description;
    if (from->reference)
        to->reference = from->reference;
    if (from->merge)
        to->merge = from->merge;
}

static bool matches_go_names(const struct xp_resource_config *r, struct str names, struct str path)
{
    while (names.n > 0 && path.n > 0)
        if (!str_eq(str_cut(&names, '.'), xp_name_camel(&r->config->names, r->arena, str_cut(&path, '.'))))
            return false;
    return names.n == 0 && path.n == 0;
}

static bool matches_path(const struct xp_resource_config *r, struct str pattern, struct str path)
{
    bool go = pattern.n > 0 && pattern.p[0] >= 'A' && pattern.p[0] <= 'Z';
    return link_path_pattern_match(pattern, path) || (go && matches_go_names(r, pattern, path));
}

static bool merge_field(const struct xp_resource_config *r, struct str path, bool mark, struct xp_field_settings *ret)
{
    bool any = false;
    for (size_t i = 0; i < r->n_fields; i++) {
        struct xp_field_rule *rule = r->fields[i];
        if (!matches_path(r, rule->pattern, path))
            continue;
        if (!any)
            *ret = (struct xp_field_settings){0};
        any = true;
        if (mark)
            rule->used = true;
        take_settings(ret, &rule->set);
    }
    return any;
}

bool xp_config_field(const struct xp_resource_config *r, struct str path, struct xp_field_settings *ret)
{
    return merge_field(r, path, true, ret);
}

bool xp_config_field_peek(const struct xp_resource_config *r, struct str path, struct xp_field_settings *ret)
{
    return merge_field(r, path, false, ret);
}
