#include "crossplane/upjet.h"

#include "crossplane/config.h"
#include "crossplane/text.h"
#include "yaml/yaml.h"

enum { MAX_SOURCE = 200 }; /* bytes of the source that the head of the file names */

/* A JSON object under construction. */
struct members {
    VEC(struct json_member) members;
};

struct converter {
    struct arena *arena;
    struct diags *diags;
    struct str type; /* resource at hand */
};

static void put(struct converter *c, struct members *o, const char *key, const struct json *value)
{
    *VEC_PUSH(c->arena, &o->members) = (struct json_member){.key = str_of(key), .value = value};
}

static void put_str(struct converter *c, struct members *o, struct str key, const struct json *value)
{
    *VEC_PUSH(c->arena, &o->members) = (struct json_member){.key = key, .value = value};
}

static void put_text(struct converter *c, struct members *o, const char *key, struct str text)
{
    put(c, o, key, json_make_string(c->arena, text));
}

static const struct json *finish(struct converter *c, const struct members *o)
{
    return json_make_object(c->arena, o->members.v, o->members.n);
}

static void put_object(struct converter *c, struct members *o, const char *key, const struct members *value)
{
    if (value->members.n > 0)
        put(c, o, key, finish(c, value));
}

static const struct json *text_list(struct converter *c, const struct str *v, size_t n)
{
    const struct json **items = arena_make_n(c->arena, const struct json *, n);
    for (size_t i = 0; i < n; i++)
        items[i] = json_make_string(c->arena, v[i]);
    return json_make_array(c->arena, items, n);
}

static size_t length(const struct json *list)
{
    return list && list->kind == JSON_ARRAY ? list->array.n : 0;
}

static bool list_has(const struct json *list, struct str s)
{
    for (size_t i = 0; i < length(list); i++)
        if (str_eq(json_text(list->array.items[i], STR_EMPTY), s))
            return true;
    return false;
}

/* --- external names --- */

static const struct {
    const char *theirs, *ours;
    enum xp_external_name_strategy strategy;
} strategies[] = {
    {"IdentifierFromProvider", "provider", EXTERNAL_NAME_PROVIDER},
    {"NameAsIdentifier", "name", EXTERNAL_NAME_NAME},
    {"ParameterAsIdentifier", "parameter", EXTERNAL_NAME_PARAMETER},
    {"TemplatedStringAsIdentifier", "template", EXTERNAL_NAME_TEMPLATE},
    {"FrameworkResourceWithComputedIdentifier", "computed", EXTERNAL_NAME_COMPUTED},
    {"custom", "custom", EXTERNAL_NAME_CUSTOM},
};

/* Does the list contain all implied names? Ignores `name_prefix`, which is implied but rarely exists. */
static bool all_in(struct xp_str_list implied, const struct json *list)
{
    for (size_t i = 0; i < implied.n; i++)
        if (!list_has(list, implied.v[i]) && !str_eqz(implied.v[i], "name_prefix"))
            return false;
    return true;
}

static bool is_in(struct xp_str_list list, struct str s)
{
    for (size_t i = 0; i < list.n; i++)
        if (str_eq(list.v[i], s))
            return true;
    return false;
}

/* Writes the list only if it differs from what the strategy implies: completely if an implied name is missing from it, else only
 * the additional names. */
static void put_list(struct converter *c, struct members *name, struct members *resource, const char *key,
                     struct xp_str_list implied, const struct json *list)
{
    if (!all_in(implied, list)) {
        put(c, name, key, list ? list : json_make_array(c->arena, NULL, 0));
        return;
    }
    struct str *more = arena_make_n(c->arena, struct str, length(list));
    size_t n = 0;
    for (size_t i = 0; i < length(list); i++) {
        struct str s = json_text(list->array.items[i], STR_EMPTY);
        if (!is_in(implied, s))
            more[n++] = s;
    }
    if (n > 0)
        put(c, resource, key, text_list(c, more, n));
}

/* Keys of an external name that have the same name in our configuration. */
static const char *const naming_copied[] = {"field",      "template",   "placeholder", "name_from_provider", "name_template",
                                            "name_field", "name_after", "function",    "arguments"};
enum { N_COPIED = sizeof naming_copied / sizeof naming_copied[0] };

static void tell_not_converted(struct converter *c, const char *where, struct str key)
{
    diags_warn(c->diags, "Not converted", STR_FMT ": Terrane has no setting for \"%s" STR_FMT "\".", STR_ARG(c->type), where,
               STR_ARG(key));
}

static void tell_unknown_naming(struct converter *c, const struct json *theirs)
{
    for (size_t i = 0; theirs && theirs->kind == JSON_OBJECT && i < theirs->object.n; i++) {
        struct str key = theirs->object.members[i].key;
        size_t at = 0;
        while (at < N_COPIED && !str_eqz(key, naming_copied[at]))
            at++;
        if (at == N_COPIED && !str_eqz(key, "strategy"))
            tell_not_converted(c, "external_name.", key);
    }
}

static void put_external_name(struct converter *c, struct members *resource, const struct json *entry)
{
    const struct json *theirs = json_get(entry, "external_name");
    struct str called = json_text(json_get(theirs, "strategy"), STR("custom"));
    struct xp_external_name e = {.strategy = EXTERNAL_NAME_CUSTOM,
                                 .field = json_text(json_get(theirs, "field"), STR_EMPTY),
                                 .template = json_text(json_get(theirs, "template"), STR_EMPTY)};
    const char *ours = NULL;
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++)
        if (str_eqz(called, strategies[i].theirs)) {
            ours = strategies[i].ours;
            e.strategy = strategies[i].strategy;
        }
    struct members name = {0};
    put_text(c, &name, "strategy", str_of(ours ? ours : "custom"));
    if (!ours && !json_get(theirs, "function"))
        put_text(c, &name, "function", called);
    tell_unknown_naming(c, theirs);
    for (size_t i = 0; i < N_COPIED; i++)
        if (json_get(theirs, naming_copied[i]) && json_text(json_get(theirs, naming_copied[i]), STR("-")).n > 0)
            put(c, &name, naming_copied[i], json_get(theirs, naming_copied[i]));
    xp_external_name_imply(c->arena, &e);
    struct members beside = {0};
    put_list(c, &name, &beside, "omit", e.omit, json_get(entry, "omit"));
    put_list(c, &name, &beside, "identifiers", e.identifiers, json_get(entry, "identifiers"));
    put(c, resource, "external_name", name.members.n == 1 ? name.members.v[0].value : finish(c, &name));
    for (size_t i = 0; i < beside.members.n; i++)
        *VEC_PUSH(c->arena, &resource->members) = beside.members.v[i];
}

/* --- references --- */

/* ExtractParamPath("object_id",true) -> object_id */
static bool param_path(struct str extractor, struct str *ret)
{
    struct str rest = extractor;
    if (!str_starts(rest, STR("ExtractParamPath(\"")))
        return false;
    (void)str_cut(&rest, '"');
    *ret = str_cut(&rest, '"');
    return ret->n > 0;
}

static const struct json *reference(struct converter *c, const struct json *theirs)
{
    struct members o = {0};
    struct str to = json_text(json_get(theirs, "type"), STR_EMPTY);
    struct str extractor = json_text(json_get(theirs, "extractor"), STR_EMPTY), path;
    put_text(c, &o, "to", to);
    if (str_eqz(extractor, "ExtractResourceID()"))
        put_text(c, &o, "attribute", STR("id"));
    else if (param_path(extractor, &path))
        put_text(c, &o, "attribute", path);
    else if (extractor.n > 0)
        put_text(c, &o, "function", extractor);
    if (json_get(theirs, "ref"))
        put(c, &o, "ref", json_get(theirs, "ref"));
    if (json_get(theirs, "selector"))
        put(c, &o, "selector", json_get(theirs, "selector"));
    return o.members.n == 1 ? o.members.v[0].value : finish(c, &o);
}

static void put_references(struct converter *c, struct members *resource, const struct json *theirs)
{
    struct members o = {0};
    for (size_t i = 0; theirs->kind == JSON_OBJECT && i < theirs->object.n; i++)
        put_str(c, &o, theirs->object.members[i].key, reference(c, theirs->object.members[i].value));
    put_object(c, resource, "references", &o);
}

/* --- fields --- */

static struct members *field_at(struct converter *c, struct map *fields, struct str path)
{
    struct members *o = map_get(fields, path);
    if (!o) {
        o = arena_make(c->arena, struct members);
        map_put(fields, path, o);
    }
    return o;
}

static void take_flags(struct converter *c, struct map *fields, const struct json *theirs)
{
    for (size_t i = 0; theirs && theirs->kind == JSON_OBJECT && i < theirs->object.n; i++) {
        const struct json_member *m = &theirs->object.members[i];
        for (size_t j = 0; m->value->kind == JSON_OBJECT && j < m->value->object.n; j++)
            put_str(c, field_at(c, fields, m->key), m->value->object.members[j].key, m->value->object.members[j].value);
    }
}

static bool is_scalar(struct str type)
{
    return str_eqz(type, "string") || str_eqz(type, "number") || str_eqz(type, "integer") || str_eqz(type, "boolean");
}

static void take_types(struct converter *c, struct map *fields, const struct json *theirs)
{
    for (size_t i = 0; theirs && theirs->kind == JSON_OBJECT && i < theirs->object.n; i++) {
        const struct json *type = json_get(theirs->object.members[i].value, "type");
        if (is_scalar(json_text(type, STR_EMPTY)))
            put(c, field_at(c, fields, theirs->object.members[i].key), "type", type);
        else
            diags_warn(c->diags, "Not converted", STR_FMT ": the type of " STR_FMT " is not a scalar.", STR_ARG(c->type),
                       STR_ARG(theirs->object.members[i].key));
    }
}

static void take_names(struct converter *c, struct map *fields, const struct json *theirs)
{
    for (size_t i = 0; theirs && theirs->kind == JSON_OBJECT && i < theirs->object.n; i++)
        put(c, field_at(c, fields, theirs->object.members[i].key), "name", theirs->object.members[i].value);
}

static void take_merges(struct converter *c, struct map *fields, const struct json *theirs)
{
    static const char *const copied[] = {"list_type", "map_type", "keys"};
    for (size_t i = 0; theirs && theirs->kind == JSON_OBJECT && i < theirs->object.n; i++) {
        const struct json *marks = theirs->object.members[i].value, *inject = json_get(marks, "inject");
        struct members o = {0};
        for (size_t j = 0; j < sizeof copied / sizeof copied[0]; j++)
            if (json_get(marks, copied[j]))
                put(c, &o, copied[j], json_get(marks, copied[j]));
        if (json_get(inject, "key"))
            put(c, &o, "inject_key", json_get(inject, "key"));
        if (json_get(inject, "default"))
            put(c, &o, "inject_default", json_get(inject, "default"));
        put_object(c, field_at(c, fields, theirs->object.members[i].key), "merge", &o);
    }
}

static void put_fields(struct converter *c, struct members *resource, const struct json *entry)
{
    struct map fields;
    map_init(&fields, c->arena);
    take_flags(c, &fields, json_get(entry, "schema"));
    take_types(c, &fields, json_get(entry, "types"));
    take_names(c, &fields, json_get(entry, "rename"));
    take_merges(c, &fields, json_get(entry, "ssa"));
    struct members o = {0};
    for (size_t i = 0; i < fields.n; i++)
        put_str(c, &o, fields.entries[i].key, finish(c, fields.entries[i].value));
    put_object(c, resource, "fields", &o);
}

static void put_late_init(struct converter *c, struct members *resource, const struct json *entry)
{
    const struct json *never = json_get(entry, "lateinit_ignored");
    const struct json *unless = json_get(entry, "lateinit_conditionally_ignored");
    struct members o = {0};
    if (never)
        put(c, &o, "never", never);
    if (unless)
        put(c, &o, "unless_in_init", unless);
    put_object(c, resource, "late_init", &o);
}

/* --- one resource --- */

static const struct {
    const char *theirs, *ours;
} same_value[] = {
    {"group", "group"},
    {"kind", "kind"},
    {"version", "version"},
    {"plural", "plural"},
    {"other_versions", "other_versions"},
    {"embedded", "embed"},
    {"not_embedded", "no_embed"},
    {"moved_to_status", "status_only"},
    {"required", "required"},
    {"use_async", "async"},
    {"added", "add"},
};

static bool is_known(struct str key)
{
    static const char *const others[] = {"external_name",
                                         "omit",
                                         "identifiers",
                                         "references",
                                         "schema",
                                         "types",
                                         "rename",
                                         "ssa",
                                         "cluster",
                                         "namespaced",
                                         "nested_required",
                                         "lateinit_ignored",
                                         "lateinit_conditionally_ignored",
                                         "storage_version"};
    for (size_t i = 0; i < sizeof same_value / sizeof same_value[0]; i++)
        if (str_eqz(key, same_value[i].theirs))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (str_eqz(key, others[i]))
            return true;
    return false;
}

/* These three belong together, because the lists depend on what the strategy implies. */
static const char *const naming[] = {"external_name", "omit", "identifiers"};
enum { N_NAMING = sizeof naming / sizeof naming[0] };

static void put_entry(struct converter *c, struct members *resource, const struct json *entry)
{
    for (size_t i = 0; i < entry->object.n; i++)
        if (!is_known(entry->object.members[i].key))
            tell_not_converted(c, "", entry->object.members[i].key);
    for (size_t i = 0; i < sizeof same_value / sizeof same_value[0]; i++)
        if (json_get(entry, same_value[i].theirs))
            put(c, resource, same_value[i].ours, json_get(entry, same_value[i].theirs));
    if (json_get(entry, "external_name")) {
        put_external_name(c, resource, entry);
    } else {
        for (size_t i = 0; i < N_NAMING; i++)
            if (json_get(entry, naming[i]))
                put(c, resource, naming[i], json_get(entry, naming[i]));
    }
    if (json_get(entry, "references"))
        put_references(c, resource, json_get(entry, "references"));
    put_fields(c, resource, entry);
    put_late_init(c, resource, entry);
}

/* What one flavour replaces: of the three keys that belong together all or none. */
static const struct json *replacement(struct converter *c, const struct json *entry, const struct json *flavour)
{
    struct members o = {0};
    bool names = false;
    for (size_t i = 0; i < flavour->object.n; i++)
        *VEC_PUSH(c->arena, &o.members) = flavour->object.members[i];
    for (size_t i = 0; i < N_NAMING; i++)
        names |= json_get(flavour, naming[i]) != NULL;
    for (size_t i = 0; names && i < N_NAMING; i++)
        if (!json_get(flavour, naming[i]) && json_get(entry, naming[i]))
            put(c, &o, naming[i], json_get(entry, naming[i]));
    return finish(c, &o);
}

/* The members of `entry` whose key is (or is not) in `other`, which replaces whole keys; without the flavours themselves. */
static const struct json *split(struct converter *c, const struct json *entry, const struct json *other, bool shared)
{
    struct members o = {0};
    for (size_t i = 0; i < entry->object.n; i++) {
        const struct json_member *m = &entry->object.members[i];
        bool flavour = str_eqz(m->key, "cluster") || str_eqz(m->key, "namespaced");
        if (!flavour && (json_get_str(other, m->key) != NULL) != shared)
            *VEC_PUSH(c->arena, &o.members) = *m;
    }
    return finish(c, &o);
}

static void put_flavours(struct converter *c, struct members *resource, const struct json *entry)
{
    const struct json *cluster = json_get(entry, "cluster"), *namespaced = json_get(entry, "namespaced");
    const struct json *replaced = cluster ? cluster : namespaced;
    if (!replaced || replaced->kind != JSON_OBJECT) {
        put_entry(c, resource, entry);
        return;
    }
    replaced = replacement(c, entry, replaced);
    put_entry(c, resource, split(c, entry, replaced, true));
    struct members one = {0}, two = {0};
    put_entry(c, &one, replaced);
    put_entry(c, &two, split(c, entry, replaced, false));
    put_object(c, resource, cluster ? "cluster" : "namespaced", &one);
    put_object(c, resource, cluster ? "namespaced" : "cluster", &two);
}

/* --- the file --- */

/* All settings of a side file, and how each is converted. */
enum setting_use {
    SETTING_COPIED,    /* as `ours` */
    SETTING_SWITCH,    /* as `ours`, if it differs from `usual` */
    SETTING_ELSEWHERE, /* handled by put_settings(), or only says where the schema comes from */
    SETTING_LOST,      /* we have no equivalent for values other than `usual` */
};
static const struct setting {
    const char *theirs, *ours;
    enum setting_use use;
    bool usual; /* the default if the side file does not have it */
} known_settings[] = {
    {"provider", "provider", SETTING_COPIED, false},
    {"short_name", "short_name", SETTING_COPIED, false},
    {"root_group", "root_group", SETTING_COPIED, false},
    {"version", "version", SETTING_COPIED, false},
    {"init_provider", "init_provider", SETTING_SWITCH, true},
    {"references_in_init", "references_in_init", SETTING_SWITCH, true},
    {"secret_refs_in_init", "secrets_in_init", SETTING_SWITCH, true},
    {"ssa_markers", "ssa_markers", SETTING_SWITCH, true},
    {"single_block_computed", "single_block_computed", SETTING_SWITCH, true},
    {"old_envelope", "old_envelope", SETTING_SWITCH, false},
    {"acronyms", NULL, SETTING_ELSEWHERE, false},
    {"embed_singletons", NULL, SETTING_ELSEWHERE, false},
    {"terraform_source", NULL, SETTING_ELSEWHERE, false},
    {"terraform_version", NULL, SETTING_ELSEWHERE, false},
    {"integers", NULL, SETTING_LOST, false},
    {"raw_secret_collections_in_init", NULL, SETTING_LOST, true},
};
enum { N_SETTINGS = sizeof known_settings / sizeof known_settings[0] };

static const struct setting *find_setting(struct str name)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        if (str_eqz(name, known_settings[i].theirs))
            return &known_settings[i];
    return NULL;
}

/* An unknown setting may change all kinds, so ignoring it could make the result wrong. */
static bool check_settings(struct converter *c, const struct json *settings)
{
    bool ok = true;
    for (size_t i = 0; i < settings->object.n; i++) {
        const struct json_member *m = &settings->object.members[i];
        const struct setting *known = find_setting(m->key);
        bool is_switch = known && (known->use == SETTING_SWITCH || known->use == SETTING_LOST);
        if (!known)
            ok = diags_fail(c->diags, "Unknown setting",
                            "settings.\"" STR_FMT
                            "\" is not a known setting of Upjet, so the kinds that it makes are not known either.",
                            STR_ARG(xp_text_line(c->arena, m->key, MAX_SOURCE)));
        else if (is_switch && m->value->kind != JSON_BOOL)
            ok = diags_fail(c->diags, "Wrong setting", "settings.%s must be true or false.", known->theirs);
        else if (known->use == SETTING_LOST && m->value->boolean != known->usual)
            diags_warn(c->diags, "Not converted", "Terrane has no equivalent of settings.%s: %s.", known->theirs,
                       m->value->boolean ? "true" : "false");
    }
    return ok;
}

static void put_settings(struct converter *c, struct members *file, const struct json *settings)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        if (known_settings[i].use == SETTING_COPIED && json_get(settings, known_settings[i].theirs))
            put(c, file, known_settings[i].ours, json_get(settings, known_settings[i].theirs));
    struct str source = json_text(json_get(settings, "terraform_source"), STR_EMPTY);
    (void)str_cut(&source, '/'); /* the registry */
    if (source.n > 0)
        put(c, file, "source", text_list(c, &source, 1));
    put_text(c, file, "compat", STR("upjet"));
    put(c, file, "listed_only", json_make_bool(c->arena, true));
    put(c, file, "embed_singletons", json_make_bool(c->arena, json_bool(json_get(settings, "embed_singletons"), false)));
    for (size_t i = 0; i < N_SETTINGS; i++) {
        const struct setting *s = &known_settings[i];
        const struct json *value = json_get(settings, s->theirs);
        if (value && s->use == SETTING_SWITCH && value->boolean != s->usual)
            put(c, file, s->ours, value);
    }
    const struct json *acronyms = json_get(settings, "acronyms");
    if (acronyms && acronyms->kind == JSON_OBJECT && acronyms->object.n > 0)
        put(c, file, "acronyms", acronyms);
}

bool xp_config_from_upjet(struct arena *a, const struct json *side, struct buf *out, struct diags *diags)
{
    const struct json *settings = json_get(side, "settings"), *resources = json_get(side, "resources");
    if (!settings || settings->kind != JSON_OBJECT || !resources || resources->kind != JSON_OBJECT ||
        !json_get(settings, "provider"))
        return diags_fail(diags, "Not a side file", "The file must have \"settings\" (with \"provider\") and \"resources\".");
    struct converter c = {.arena = a, .diags = diags};
    struct members file = {0}, all = {0};
    if (!check_settings(&c, settings))
        return false;
    put_settings(&c, &file, settings);
    for (size_t i = 0; i < resources->object.n; i++) {
        const struct json_member *m = &resources->object.members[i];
        struct members resource = {0};
        c.type = m->key;
        if (m->value->kind == JSON_OBJECT)
            put_flavours(&c, &resource, m->value);
        put_str(&c, &all, m->key, finish(&c, &resource));
    }
    put(&c, &file, "resources", finish(&c, &all));
    const struct json *source = json_get(side, "source");
    buf_addz(out, "# Made by `terrane config from-upjet`");
    if (json_get(source, "repository"))
        buf_printf(out, " from " STR_FMT,
                   STR_ARG(xp_text_line(a, json_text(json_get(source, "repository"), STR_EMPTY), MAX_SOURCE)));
    if (json_get(source, "commit"))
        buf_printf(out, " at " STR_FMT, STR_ARG(xp_text_line(a, json_text(json_get(source, "commit"), STR_EMPTY), MAX_SOURCE)));
    buf_addz(out, ".\n");
    yaml_write(out, finish(&c, &file));
    return true;
}
