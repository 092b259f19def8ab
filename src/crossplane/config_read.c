#include "crossplane/config_read_private.h"
#include "yaml/yaml.h"

static const struct xp_config_key root_keys[] = {
    {"cluster", xp_read_domain, offsetof(struct xp_config, root_cluster), VALUE_TEXT, NULL, NULL, "Of cluster-scoped kinds."},
    {"namespaced", xp_read_domain, offsetof(struct xp_config, root_namespaced), VALUE_TEXT, NULL, NULL, "Of namespaced kinds."},
    {0},
};
static const struct xp_config_table root_table = {"root_group", root_keys};

static void read_root(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (xp_config_is_object(r, m))
        xp_read_table(r, &root_table, m->value, target);
}

static void read_links(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    if (!xp_config_is_texts(r, m))
        return;
    for (size_t i = 0; i < m->value->array.n; i++) {
        const struct json *item = m->value->array.items[i];
        struct str name = arena_str(r->config->arena, item->text);
        *VEC_PUSH(r->config->arena, &r->config->links) = (struct xp_config_file_name){r->source, name, item->line, item->column};
        if (name.n == 0 || memchr(name.p, '\0', name.n))
            xp_config_wrong(r, item->line, item->column, "Wrong value", "\"links\" must be a list of file names.");
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
        xp_config_wrong_kind(r, m, "shipped or none");
}

static void read_provider_config(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    (void)target;
    if (!xp_config_is_object(r, m))
        return;
    for (size_t i = 0; i < m->value->object.n; i++)
        (void)xp_config_is_object(r, &m->value->object.members[i]);
    r->config->provider_config = m->value;
}

/* NAME: DATA_SOURCE.ATTRIBUTE; an entry in a later file replaces an earlier one with the same name. */
static void read_data_attributes(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_data_attributes *list = target;
    for (size_t i = 0; xp_config_is_object(r, m) && i < m->value->object.n; i++) {
        const struct json_member *entry = &m->value->object.members[i];
        struct str attribute = entry->value->kind == JSON_STRING ? entry->value->text : STR_EMPTY;
        struct str data_source = str_cut(&attribute, '.');
        if (data_source.n == 0 || attribute.n == 0) {
            xp_config_wrong_kind(r, entry, "DATA_SOURCE.ATTRIBUTE");
            continue;
        }
        size_t at = 0;
        while (at < list->n && !str_eq(list->v[at].name, entry->key))
            at++;
        if (at == list->n)
            (void)VEC_PUSH(r->config->arena, list);
        list->v[at] = (struct xp_data_attribute){entry->key, data_source, attribute};
    }
}

#define FILE_KEY(name) offsetof(struct xp_config, name)
static const struct xp_config_key file_keys[] = {
    {"provider", read_nothing, 0, VALUE_TEXT, NULL, NULL, "Type name of the provider, for example aws."},
    {"source", read_nothing, 0, VALUE_TEXTS, NULL, NULL,
     "NAMESPACE/TYPE of the providers that a shipped file is for, in any registry."},
    {"base", read_base, 0, VALUE_TEXT, NULL, "shipped none",
     "What this file is merged over: the file that is shipped for the provider (default), or nothing."},
    {"short_name", xp_read_label, FILE_KEY(short_name), VALUE_TEXT, NULL, NULL, "Category of all kinds (kubectl get NAME)."},
    {"root_group", read_root, 0, VALUE_TABLE, &root_table, NULL, "The end of every API group."},
    {"version", xp_read_label, FILE_KEY(version), VALUE_TEXT, NULL, NULL, "API version of kinds that do not set another."},
    {"description", xp_read_text, FILE_KEY(description), VALUE_TEXT, NULL, NULL, "Of the package."},
    {"compat", xp_read_compat, FILE_KEY(compat), VALUE_TEXT, NULL, COMPAT_NAMES,
     "How closely kinds follow Upjet: own, upjet (also where its rules are stricter), upjet-exact (also its faults)."},
    {"embed_singletons", xp_read_bool, FILE_KEY(embed_singletons), VALUE_BOOL, NULL, NULL,
     "Show lists of at most one as that one."},
    {"init_provider", xp_read_bool, FILE_KEY(init_provider), VALUE_BOOL, NULL, NULL, "Kinds have initProvider."},
    {"references_in_init", xp_read_bool, FILE_KEY(references_in_init), VALUE_BOOL, NULL, NULL, "initProvider has references."},
    {"secrets_in_init", xp_read_bool, FILE_KEY(secrets_in_init), VALUE_BOOL, NULL, NULL,
     "initProvider has references to secrets."},
    {"ssa_markers", xp_read_bool, FILE_KEY(ssa_markers), VALUE_BOOL, NULL, NULL,
     "Sets and maps of scalars say how server-side apply merges them."},
    {"single_block_computed", xp_read_bool, FILE_KEY(single_block_computed), VALUE_BOOL, NULL, NULL,
     "With upjet-exact: a SINGLE block with something required in it is an output, as releases of Upjet have it."},
    {"old_envelope", xp_read_bool, FILE_KEY(old_envelope), VALUE_BOOL, NULL, NULL,
     "The frame of Upjet before 1.0 (2023): columns, conditions and messages of rules."},
    {"acronyms", xp_read_acronyms, FILE_KEY(names), VALUE_TEXT_MAP, NULL, NULL, "Word -> its casing in kinds and Go names."},
    {"provider_config", read_provider_config, 0, VALUE_ANY_MAP, NULL, NULL,
     "Property of the spec of ProviderConfigs, beside configuration -> its OpenAPI; `credentials` replaces the usual one."},
    {"client_metadata", read_data_attributes, FILE_KEY(client_metadata), VALUE_TEXT_MAP, NULL, NULL,
     "Name in templates of ids (.setup.client_metadata.NAME) -> DATA_SOURCE.ATTRIBUTE, read once for a ProviderConfig."},
    {"found_by_tags", read_data_attributes, FILE_KEY(found_by_tags), VALUE_TEXT_MAP, NULL, NULL,
     "Resource type -> DATA_SOURCE.ATTRIBUTE with the ids of those that have certain `tags`: finds what a lost creation has "
     "made."},
    {"links", read_links, 0, VALUE_TEXTS, NULL, NULL,
     "Link tables, relative to this file; references are made of them where this file says nothing."},
    {"listed_only", xp_read_bool, FILE_KEY(listed_only), VALUE_BOOL, NULL, NULL,
     "Generate only types that `resources` names in full."},
    {"include", xp_read_patterns, FILE_KEY(include), VALUE_TEXTS, NULL, NULL,
     "Patterns of the resource types to generate; absent: all."},
    {"exclude", xp_read_patterns, FILE_KEY(exclude), VALUE_TEXTS, NULL, NULL, "Patterns of the resource types to leave out."},
    {"resources", xp_read_resources, 0, VALUE_TABLE_MAP, &xp_config_resource_table, NULL,
     "Pattern of resource types -> their settings."},
    {0},
};
const struct xp_config_table xp_config_file_table = {"file", file_keys};

/* The provider that the file is for; NULL and a diagnostic if it does not say. */
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
    xp_read_table(&r, &xp_config_file_table, file, c);
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
