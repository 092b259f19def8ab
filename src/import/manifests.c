#include "import/manifests.h"

#include "admission/names.h"
#include "crossplane/model.h"
#include "import/names.h"
#include "managed/edit.h"
#include "managed/object.h"
#include "managed/translate.h"
#include "value/json_value.h"
#include "yaml/yaml.h"

#include <stdlib.h>

enum { MAX_FILE = 1 << 30, MAX_VALUE = 256 << 20 };

#define NAMESPACE "default"
#define CREDENTIALS_NAMESPACE "crossplane-system"

/* One object and its kind. */
struct manifest {
    size_t item;
    const struct xp_kind *kind;
    struct str name, external_name;
    const struct json *parameters, *values; /* for forProvider */
};

struct maker {
    const struct import_manifests *in;
    struct arena *arena;
    struct import_files *files;
    struct diags *diags;
    enum xp_flavour flavour;
    struct map kinds;  /* type -> struct xp_kind *, or `refused` */
    struct map owners; /* "TYPE ATTRIBUTE VALUE", with an empty ATTRIBUTE for external names -> struct manifest * or `several` */
    struct map names;  /* used names of Secrets */
    VEC(struct manifest *) all;
    VEC(const struct json *) secrets;
};

static char refused, several; /* addresses used as markers in the maps */

/* --- kinds --- */

static struct str root_of(const struct maker *m)
{
    return m->flavour == FLAVOUR_CLUSTER ? m->in->config->root_cluster : m->in->config->root_namespaced;
}

static const struct xp_kind *kind_of(struct maker *m, struct str type, const struct schema *schema)
{
    void *known = map_get(&m->kinds, type);
    if (known)
        return known == &refused ? NULL : known;
    struct xp_notes notes = {.arena = m->arena};
    struct xp_resource_config *config = arena_make(m->arena, struct xp_resource_config);
    struct xp_kind *k = arena_make(m->arena, struct xp_kind);
    struct diags found;
    diags_init(&found, m->arena);
    xp_config_resolve(m->in->config, m->arena, type, m->flavour, config);
    bool ok = xp_kind_build(m->arena, type, schema, config, &notes, &found, k) == MODEL_OK;
    map_put(&m->kinds, type, ok ? (void *)k : &refused);
    if (!ok)
        diags_warn(m->diags, "No manifests of a type", STR_FMT " cannot be a kind: " STR_FMT, STR_ARG(type),
                   STR_ARG(notes.n > 0   ? notes.v[notes.n - 1].text
                           : found.n > 0 ? found.v[0].detail
                                         : STR("its schema cannot be represented")));
    return ok ? k : NULL;
}

/* --- values --- */

static const struct json *json_of(struct maker *m, const struct value *v)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_VALUE);
    struct json_writer w = {.out = &out};
    if (!value_write_json(&w, v, v->type, m->diags) || !json_finish(&w))
        return NULL;
    return json_parse(m->arena, buf_copy(&out, m->arena), "value", m->diags);
}

static struct str dashed(struct arena *a, struct str name)
{
    char *out = (char *)(uintptr_t)arena_str(a, name).p;
    for (size_t i = 0; i < name.n; i++)
        if (out[i] == '_')
            out[i] = '-';
    return (struct str){out, name.n};
}

/* The name of an object's Secret. All types share one namespace. */
static struct str secret_name(struct arena *a, struct str type, struct str name)
{
    return arena_printf(a, STR_FMT "-" STR_FMT, STR_ARG(dashed(a, type)), STR_ARG(name));
}

/* A valid Kubernetes name made from the name in the configuration; it and the name of its Secret are unique. */
static struct str choose_name(struct maker *m, const struct import_item *item)
{
    struct arena *a = m->arena;
    struct str base = dashed(a, item->name);
    if (name_subdomain(base) || name_subdomain(secret_name(a, item->type, base)))
        base = dashed(a, import_snake(a, item->name));
    struct str name = base;
    for (size_t n = 2; !map_add(&m->names, secret_name(a, item->type, name), m); n++)
        name = arena_printf(a, STR_FMT "-%zu", STR_ARG(base), n);
    return name;
}

/* Adds values of the provider's configuration that belong to the object: its region. */
static const struct json *add_beside(struct maker *m, const struct import_item *item, const struct xp_kind *k,
                                     const struct json *values)
{
    const struct import_region *region = import_region_named(&m->in->regions, item->region);
    const struct json *config = region ? region->config : m->in->provider_config;
    const struct xp_fields *fields = &k->trees[FOR_PROVIDER];
    for (size_t i = 0; i < fields->n; i++) {
        const struct xp_field *f = &fields->v[i];
        const struct json *v =
            f->role == FIELD_VALUE && f->attr && f->attr->beside && config ? json_get_str(config, f->attr->name) : NULL;
        if (v && v->kind != JSON_NULL && !json_get_str(values, f->json))
            values = json_with(m->arena, values, f->json, v);
    }
    return values;
}

static struct str owner_key(struct arena *a, struct str type, struct str attribute, struct str value)
{
    return arena_printf(a, STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(type), STR_ARG(attribute), STR_ARG(value));
}

static void add_owner(struct maker *m, struct str type, struct str attribute, struct str value, struct manifest *one)
{
    struct str key = owner_key(m->arena, type, attribute, value);
    const void *known = map_get(&m->owners, key);
    map_put(&m->owners, key, known && known != one ? (void *)&several : (void *)one);
}

static bool add_object(struct maker *m, size_t i)
{
    struct arena *a = m->arena;
    const struct import_item *item = &m->in->list->items.v[i];
    const struct xp_kind *k = kind_of(m, item->type, item->result->resource.schema);
    const struct json *state = item->result->instance.attributes;
    if (!k)
        return true;
    struct manifest *one = arena_make(a, struct manifest);
    *one = (struct manifest){.item = i, .kind = k, .name = choose_name(m, item)};
    const struct json *config = json_of(m, item->result->configured.config);
    if (!config)
        return false;
    one->parameters = managed_parameters_of_state(a, k, config);
    if (!managed_values_of(a, k, FOR_PROVIDER, one->parameters, m->diags, &one->values))
        return false;
    one->values = add_beside(m, item, k, one->values ? one->values : json_make_object(a, NULL, 0));
    struct diags found;
    diags_init(&found, a);
    /* If the name is the provider's id and the object was found by another id: adoption imports the object by its name. */
    const struct xp_external_name *e = &k->config.external_name;
    bool is_id = e->strategy == EXTERNAL_NAME_PROVIDER || e->strategy == EXTERNAL_NAME_CUSTOM;
    bool by_id = is_id && !item->identity && item->id.n > 0;
    if (!xp_external_name_of_state(a, e, state, &found, &one->external_name) && !(by_id && e->without_id)) {
        diags_warn(m->diags, "No external name", STR_FMT "." STR_FMT " is left out of the manifests: " STR_FMT,
                   STR_ARG(item->type), STR_ARG(item->name),
                   STR_ARG(found.n > 0 ? found.v[0].detail : STR("its state does not have one")));
        return true;
    }
    struct str own = one->external_name;
    if (by_id)
        one->external_name = item->id;
    *VEC_PUSH(a, &m->all) = one;
    if (str_eq(own, one->external_name))
        add_owner(m, item->type, STR_EMPTY, one->external_name, one);
    for (size_t n = 0; state && state->kind == JSON_OBJECT && n < state->object.n; n++)
        if (state->object.members[n].value->kind == JSON_STRING)
            add_owner(m, item->type, state->object.members[n].key, state->object.members[n].value->text, one);
    return true;
}

/* --- references --- */

static const struct manifest *target_of(struct maker *m, const struct manifest *from, const struct xp_reference_rule *rule,
                                        const struct json *value)
{
    if (value->kind != JSON_STRING || value->text.n == 0)
        return NULL;
    struct manifest *to = map_get(&m->owners, owner_key(m->arena, rule->to, rule->attribute, value->text));
    return (void *)to != &several && to != from ? to : NULL;
}

static const struct json *reference_to(struct maker *m, const struct manifest *to)
{
    struct json_member *members = arena_make(m->arena, struct json_member);
    *members = (struct json_member){.key = STR("name"), .value = json_make_string(m->arena, to->name)};
    return json_make_object(m->arena, members, 1);
}

/* Resolved lists are sorted and without duplicates, so only lists that may be sorted can be references. */
static bool may_be_sorted(const struct xp_field *f, const struct json *list)
{
    bool ordered = true;
    for (size_t i = 1; i < list->array.n; i++)
        ordered &= str_cmp(json_text(list->array.items[i - 1], STR_EMPTY), json_text(list->array.items[i], STR_EMPTY)) < 0;
    return ordered || f->shape->kind == SHAPE_SET;
}

/* The references that replace a value; NULL: the value stays. */
static const struct json *references_for(struct maker *m, const struct manifest *from, const struct xp_field *f,
                                         const struct json *value)
{
    const struct xp_reference_rule *rule = f->attr->reference;
    if (value->kind != JSON_ARRAY) {
        const struct manifest *to = target_of(m, from, rule, value);
        return to ? reference_to(m, to) : NULL;
    }
    const struct json **items = arena_make_n(m->arena, const struct json *, value->array.n);
    for (size_t i = 0; i < value->array.n; i++) {
        const struct manifest *to = target_of(m, from, rule, value->array.items[i]);
        if (!to)
            return NULL;
        items[i] = reference_to(m, to);
    }
    return value->array.n > 0 && may_be_sorted(f, value) ? json_make_array(m->arena, items, value->array.n) : NULL;
}

static const struct xp_field *field_named(struct xp_fields fields, struct str json)
{
    for (size_t i = 0; i < fields.n; i++)
        if (fields.v[i].role == FIELD_VALUE && str_eq(fields.v[i].json, json))
            return &fields.v[i];
    return NULL;
}

static const struct xp_field *reference_field(struct xp_fields fields, const struct xp_tree_attr *attr)
{
    for (size_t i = 0; i < fields.n; i++)
        if (fields.v[i].role == FIELD_REFERENCE && fields.v[i].attr == attr)
            return &fields.v[i];
    return NULL;
}

/* Recursion is as deep as the schema, which is bounded. */
static const struct json *with_references(struct maker *m, const struct manifest *from, struct xp_fields fields,
                                          const struct json *values);

static const struct json *part_with_references(struct maker *m, const struct manifest *from, const struct xp_shape *shape,
                                               const struct json *value)
{
    if (shape->kind == SHAPE_OBJECT && value->kind == JSON_OBJECT)
        return with_references(m, from, shape->fields, value);
    if ((shape->kind != SHAPE_LIST && shape->kind != SHAPE_SET) || value->kind != JSON_ARRAY)
        return value;
    const struct json **items = arena_make_n(m->arena, const struct json *, value->array.n);
    for (size_t i = 0; i < value->array.n; i++)
        items[i] = part_with_references(m, from, shape->element, value->array.items[i]);
    return json_make_array(m->arena, items, value->array.n);
}

static const struct json *with_references(struct maker *m, const struct manifest *from, struct xp_fields fields,
                                          const struct json *values)
{
    struct json_member *members = arena_make_n(m->arena, struct json_member, values->object.n);
    for (size_t i = 0; i < values->object.n; i++) {
        members[i] = values->object.members[i];
        const struct xp_field *f = field_named(fields, members[i].key);
        const struct xp_field *other = f && f->attr && f->attr->reference ? reference_field(fields, f->attr) : NULL;
        const struct json *to = other ? references_for(m, from, f, members[i].value) : NULL;
        if (to)
            members[i] = (struct json_member){.key = other->json, .value = to};
        else if (f)
            members[i].value = part_with_references(m, from, f->shape, members[i].value);
    }
    return json_make_object(m->arena, members, values->object.n);
}

/* --- secrets --- */

static const struct json *text_json(struct maker *m, struct str text)
{
    return json_make_string(m->arena, text);
}

static const struct json *make_object(struct maker *m, const char *version, const char *kind, struct str name,
                                      const char *namespace)
{
    struct arena *a = m->arena;
    const struct json *o = json_make_object(a, NULL, 0);
    o = managed_put(a, o, text_json(m, str_of(version)), "apiVersion", NULL);
    o = managed_put(a, o, text_json(m, str_of(kind)), "kind", NULL);
    o = managed_put(a, o, text_json(m, name), "metadata", "name", NULL);
    return namespace ? managed_put(a, o, text_json(m, str_of(namespace)), "metadata", "namespace", NULL) : o;
}

/* Moves secrets of top-level arguments into Secrets; nested ones are reported, because their references are inside lists. */
static const struct json *with_secrets(struct maker *m, const struct manifest *one, const struct json *values)
{
    struct arena *a = m->arena;
    const struct import_item *item = &m->in->list->items.v[one->item];
    struct str name = secret_name(a, item->type, one->name);
    const struct json *secret = NULL;
    for (size_t i = 0; i < one->kind->n_secrets; i++) {
        const struct xp_secret *s = &one->kind->secrets[i];
        const struct json *v = s->output ? NULL : json_get_str(one->parameters, s->terraform);
        bool nested = str_find(s->terraform, '.', 0) != SIZE_MAX || str_find(s->terraform, '[', 0) != SIZE_MAX;
        if (nested && !s->output)
            diags_warn(m->diags, "Secret left out",
                       STR_FMT "." STR_FMT ": write a Secret for " STR_FMT ", if it is set, and refer to it in the manifest.",
                       STR_ARG(item->type), STR_ARG(item->name), STR_ARG(s->terraform));
        if (nested || !v || v->kind != JSON_STRING || v->text.n == 0 || s->json)
            continue;
        secret = managed_put(a, secret ? secret : make_object(m, "v1", "Secret", name, NAMESPACE), v, "stringData",
                             arena_str(a, s->terraform).p, NULL);
        const struct json *ref = json_make_object(a, NULL, 0);
        ref = managed_put(a, ref, text_json(m, name), "name", NULL);
        if (m->flavour == FLAVOUR_CLUSTER)
            ref = managed_put(a, ref, text_json(m, STR(NAMESPACE)), "namespace", NULL);
        ref = managed_put(a, ref, text_json(m, s->terraform), "key", NULL);
        values = json_with(a, values, s->object, ref);
    }
    if (secret)
        *VEC_PUSH(a, &m->secrets) = secret;
    return values;
}

/* --- documents --- */

/*
 * Would adoption change the object at once? Kinds with default tags would set these, and manifests have no ignore_changes: the
 * user decides when.
 */
static bool would_be_changed(const struct maker *m, const struct manifest *one)
{
    const struct xp_kind *k = one->kind;
    bool tags = k->config.tags.n > 0 && field_named(k->trees[FOR_PROVIDER], k->config.tags) != NULL;
    return tags || m->in->list->items.v[one->item].result->configured.ignored.n > 0;
}

static const struct json *document(struct maker *m, const struct manifest *one)
{
    static const char *const adopting[] = {"Observe", "Create", "Delete", "LateInitialize"};
    struct arena *a = m->arena;
    const struct xp_kind *k = one->kind;
    struct str group = xp_kind_group(a, k, m->flavour);
    struct str version = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(k->version));
    bool namespaced = m->flavour != FLAVOUR_CLUSTER;
    const struct json *o = make_object(m, version.p, arena_str(a, k->kind).p, one->name, namespaced ? NAMESPACE : NULL);
    o = managed_put(a, o, text_json(m, one->external_name), "metadata", "annotations", MANAGED_EXTERNAL_NAME, NULL);
    const struct json *values = with_references(m, one, k->trees[FOR_PROVIDER], one->values);
    o = managed_put(a, o, with_secrets(m, one, values), "spec", "forProvider", NULL);
    if (would_be_changed(m, one)) {
        const struct json *items[4];
        for (size_t i = 0; i < 4; i++)
            items[i] = text_json(m, str_of(adopting[i]));
        o = managed_put(a, o, json_make_array(a, items, 4), "spec", "managementPolicies", NULL);
    }
    if (namespaced)
        o = managed_put(a, o, text_json(m, STR("ProviderConfig")), "spec", "providerConfigRef", "kind", NULL);
    return managed_put(a, o, text_json(m, STR("default")), "spec", "providerConfigRef", "name", NULL);
}

static bool add_file(struct maker *m, struct str name, struct buf *text, enum output_care care)
{
    if (!buf_ok(text))
        return diags_fail(m->diags, "File too large", STR_FMT ".yaml would be larger than 1 GiB.", STR_ARG(name));
    struct str path = arena_printf(m->arena, "manifests/%s/" STR_FMT ".yaml",
                                   m->flavour == FLAVOUR_CLUSTER ? "cluster" : "namespaced", STR_ARG(name));
    *VEC_PUSH(m->arena, &m->files->files) =
        (struct import_file){.path = path, .content = buf_copy(text, m->arena), .care = care, .to = IMPORT_TO_MANIFESTS};
    return true;
}

static void add_document(struct buf *out, const struct json *o)
{
    buf_addz(out, out->n > 0 ? "---\n" : "");
    yaml_write(out, o);
}

/* Writes one file for each type; the list is sorted by type. */
static bool write_objects(struct maker *m)
{
    for (size_t i = 0; i < m->all.n;) {
        struct str type = m->in->list->items.v[m->all.v[i]->item].type;
        struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
        for (; i < m->all.n && str_eq(m->in->list->items.v[m->all.v[i]->item].type, type); i++)
            add_document(&text, document(m, m->all.v[i]));
        if (!add_file(m, type, &text, OUTPUT_PLAIN))
            return false;
    }
    return true;
}

static bool write_secrets(struct maker *m)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
    for (size_t i = 0; i < m->secrets.n; i++)
        add_document(&text, m->secrets.v[i]);
    return m->secrets.n == 0 || add_file(m, STR("secrets"), &text, OUTPUT_SECRET);
}

/* The provider's configuration of this run as credentials: JSON with the provider's own names. */
static bool write_provider_config(struct maker *m)
{
    struct arena *a = m->arena;
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE), credentials BUF_AUTO = BUF_INIT(MAX_FILE);
    bool namespaced = m->flavour != FLAVOUR_CLUSTER;
    struct str version = arena_printf(a, STR_FMT "/v1beta1", STR_ARG(root_of(m)));
    const struct json *o = make_object(m, version.p, "ProviderConfig", STR("default"), namespaced ? NAMESPACE : NULL);
    struct str name = arena_printf(a, STR_FMT "-credentials", STR_ARG(m->in->provider_name));
    const char *where = namespaced ? NAMESPACE : CREDENTIALS_NAMESPACE;
    if (m->in->provider_config) {
        struct json_writer w = {.out = &credentials};
        json_write(&w, m->in->provider_config);
        if (!json_finish(&w))
            return diags_fail(m->diags, "Configuration too large", "The provider's configuration cannot be written.");
        const struct json *secret = make_object(m, "v1", "Secret", name, where);
        secret = managed_put(a, secret, text_json(m, buf_copy(&credentials, a)), "stringData", "credentials", NULL);
        add_document(&text, secret);
        o = managed_put(a, o, text_json(m, name), "spec", "credentials", "secretRef", "name", NULL);
        o = managed_put(a, o, text_json(m, str_of(where)), "spec", "credentials", "secretRef", "namespace", NULL);
        o = managed_put(a, o, text_json(m, STR("credentials")), "spec", "credentials", "secretRef", "key", NULL);
    }
    o = managed_put(a, o, text_json(m, m->in->provider_config ? STR("Secret") : STR("None")), "spec", "credentials", "source",
                    NULL);
    add_document(&text, o);
    return add_file(m, STR("provider-config"), &text, OUTPUT_SECRET);
}

static bool make_flavour(const struct import_manifests *in, enum xp_flavour flavour, struct import_files *files,
                         struct diags *diags)
{
    struct maker m = {.in = in, .arena = in->arena, .files = files, .diags = diags, .flavour = flavour};
    map_init(&m.kinds, in->arena);
    map_init(&m.owners, in->arena);
    map_init(&m.names, in->arena);
    for (size_t i = 0; i < in->list->items.n; i++)
        if (in->list->items.v[i].result && in->list->items.v[i].place != IMPORT_MANAGED && !add_object(&m, i))
            return false;
    return write_objects(&m) && write_secrets(&m) && write_provider_config(&m);
}

bool import_make_manifests(const struct import_manifests *in, struct import_files *files, struct diags *diags)
{
    struct diags second;
    diags_init(&second, in->arena);
    if (!make_flavour(in, FLAVOUR_CLUSTER, files, diags))
        return false;
    bool ok = make_flavour(in, FLAVOUR_NAMESPACED, files, &second); /* the second run would repeat the warnings */
    if (!ok)
        diags_append(diags, &second);
    return ok;
}
