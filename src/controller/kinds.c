#include "controller/kinds.h"

#include "base/lock.h"
#include "crossplane/catalogue.h"
#include "generate/config_crd.h"
#include "store/object.h"
#include "yaml/yaml.h"

#include <stdlib.h>

/* What the two flavours of a provider's type have in common. */
struct shared_model {
    const struct schema *schema; /* NULL: the provider block */
    const struct xp_kind *model; /* NULL: not created yet */
    struct str plural;
};

struct entry {
    struct kind kind; /* first */
    struct shared_model *model;
    const struct config_kind *config; /* KIND_CONFIG, KIND_USAGE */
    const struct json *crd;           /* NULL: not created yet */
};

/* All kinds with this name. */
struct word {
    struct entry **v;
    size_t n, cap;
};

struct served {
    const struct kinds_provider *provider;
    struct map by_type[2]; /* per flavour: Terraform type -> struct entry */
    struct entry *configs[N_CONFIG_KINDS];
};

struct kinds {
    struct arena *arena;
    VEC(struct entry *) all;
    VEC(struct served *) served;
    struct map by_name;   /* "group/Kind" -> struct entry */
    struct map words;     /* in lower case -> struct word */
    struct map groups;    /* a set: the values have no meaning */
    pthread_mutex_t lock; /* protects what is created later: models, CRDs, and their arena */
    struct arena *later;
    const struct crd_webhook *webhook; /* NULL: older versions are not served */
};

/* --- names --- */

static void add_word(struct kinds *k, struct str text, struct entry *e)
{
    struct str key = arena_lower(k->arena, text);
    struct word *w = map_get(&k->words, key);
    if (!w) {
        w = arena_make(k->arena, struct word);
        map_put(&k->words, key, w);
    }
    if (w->n > 0 && w->v[w->n - 1] == e) /* the singular is often the same as the kind */
        return;
    vec_reserve(k->arena, (void **)&w->v, &w->cap, w->n + 1, sizeof *w->v, alignof(max_align_t));
    w->v[w->n++] = e;
}

static struct str name_key(struct arena *a, struct str group, struct str kind)
{
    return arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(kind));
}

static void add_entry(struct kinds *k, struct entry *e)
{
    const struct kind *kind = &e->kind;
    *VEC_PUSH(k->arena, &k->all) = e;
    map_put(&k->by_name, name_key(k->arena, kind->group, kind->kind), e);
    map_put(&k->groups, kind->group, e);
    add_word(k, kind->kind, e);
    add_word(k, kind->singular, e);
    add_word(k, kind->plural, e);
    for (size_t i = 0; i < kind->short_names.n; i++)
        add_word(k, kind->short_names.v[i], e);
}

/* --- plain kinds --- */

static void add_plain(struct kinds *k, const char *name, const char *plural, struct str short_name, bool namespaced)
{
    struct entry *e = arena_make(k->arena, struct entry);
    struct str *shorts = arena_make(k->arena, struct str);
    *shorts = short_name;
    e->kind = (struct kind){.role = KIND_PLAIN,
                            .kind = str_of(name),
                            .plural = str_of(plural),
                            .singular = arena_lower(k->arena, str_of(name)),
                            .version = STR("v1"),
                            .short_names = {shorts, short_name.n > 0},
                            .namespaced = namespaced};
    add_entry(k, e);
}

struct kinds *kinds_new(void)
{
    struct arena *a = arena_new(NULL, 0);
    struct kinds *k = arena_make(a, struct kinds);
    k->arena = a;
    k->later = arena_new(NULL, 0);
    mutex_init(&k->lock);
    map_init(&k->by_name, a);
    map_init(&k->words, a);
    map_init(&k->groups, a);
    add_plain(k, "Secret", "secrets", STR_EMPTY, true);
    add_plain(k, "ConfigMap", "configmaps", STR("cm"), true);
    add_plain(k, "Namespace", "namespaces", STR("ns"), false);
    return k;
}

void kinds_free(struct kinds *k)
{
    if (!k)
        return;
    mutex_destroy(&k->lock);
    arena_free(k->later);
    arena_free(k->arena);
}

/* --- a provider's kinds --- */

struct adding {
    struct kinds *kinds;
    struct served *served;
    struct arena *scratch;
    struct xp_catalogue catalogue;
    VEC(struct entry *) entries; /* in the arena of `kinds`, but not in its tables yet */
};

static struct str keep(struct adding *d, struct str s)
{
    return arena_str(d->kinds->arena, s);
}

static struct xp_str_list keep_list(struct adding *d, struct xp_str_list list)
{
    struct str *kept = arena_make_n(d->kinds->arena, struct str, list.n);
    for (size_t i = 0; i < list.n; i++)
        kept[i] = keep(d, list.v[i]);
    return (struct xp_str_list){kept, list.n};
}

static void add_flavour(struct adding *d, struct str type, enum xp_flavour flavour, struct shared_model *model)
{
    struct xp_resource_config config;
    struct xp_kind names = {.terraform_type = type};
    xp_config_resolve(d->catalogue.config, d->scratch, type, flavour, &config);
    if (config.external_name.mistake.n > 0) /* the external name's configuration is unusable; `generate` reports that */
        return;
    xp_kind_names(d->scratch, &config, &names);
    xp_catalogue_name(&d->catalogue, &names);
    struct entry *e = arena_make(d->kinds->arena, struct entry);
    names.config = config;
    e->kind = (struct kind){
        .role = KIND_MANAGED,
        .provider = d->served->provider,
        .group = keep(d, xp_kind_group(d->scratch, &names, flavour)),
        .kind = keep(d, names.kind),
        .plural = keep(d, names.plural),
        .singular = keep(d, names.singular),
        .version = keep(d, names.version),
        .short_names = keep_list(d, config.short_names),
        .flavour = flavour,
        .namespaced = flavour == FLAVOUR_NAMESPACED,
        .terraform_type = keep(d, type),
    };
    e->model = model;
    model->plural = e->kind.plural;
    *VEC_PUSH(d->scratch, &d->entries) = e;
}

static void add_type(struct adding *d, struct str type, const struct schema *schema)
{
    struct shared_model *models = arena_make_n(d->kinds->arena, struct shared_model, 2);
    models[0].schema = models[1].schema = schema;
    bool differ = xp_config_flavours_differ(d->catalogue.config, type);
    add_flavour(d, type, FLAVOUR_NAMESPACED, &models[0]);
    add_flavour(d, type, FLAVOUR_CLUSTER, &models[differ]);
}

static void add_configs(struct adding *d)
{
    struct shared_model *model = arena_make(d->kinds->arena, struct shared_model);
    for (size_t i = 0; i < N_CONFIG_KINDS; i++) {
        const struct config_kind *c = &config_kinds[i];
        struct entry *e = arena_make(d->kinds->arena, struct entry);
        e->kind = (struct kind){
            .role = c->usage ? KIND_USAGE : KIND_CONFIG,
            .provider = d->served->provider,
            .group = keep(d, config_group(d->catalogue.config, c->flavour)),
            .kind = str_of(c->kind),
            .plural = str_of(c->plural),
            .singular = arena_lower(d->kinds->arena, str_of(c->kind)),
            .version = STR(CONFIG_VERSION),
            .flavour = c->flavour,
            .namespaced = c->namespaced,
        };
        e->model = model;
        e->config = c;
        d->served->configs[i] = e;
        *VEC_PUSH(d->scratch, &d->entries) = e;
    }
}

static bool is_taken(struct adding *d, const struct kind *new, struct diags *diags)
{
    const struct entry *other = map_get(&d->kinds->by_name, name_key(d->scratch, new->group, new->kind));
    if (!other)
        return false;
    (void)diags_fail(diags, "Duplicate kind",
                     STR_FMT "." STR_FMT " is served by " STR_FMT " already; " STR_FMT
                             " has it too. Give one of the two another root group in its configuration.",
                     STR_ARG(new->kind), STR_ARG(new->group), STR_ARG(other->kind.provider->address),
                     STR_ARG(new->provider->address));
    return true;
}

bool kinds_add(struct kinds *k, const struct kinds_provider *provider, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct xp_notes notes = {.arena = scratch};
    struct adding d = {.kinds = k, .scratch = scratch, .served = arena_make(k->arena, struct served)};
    struct kinds_provider *own = arena_make(k->arena, struct kinds_provider);
    *own = *provider;
    d.served->provider = own;
    xp_catalogue_collect(&d.catalogue, scratch, provider->schema, provider->config, false, STR_EMPTY, &notes);
    if (!xp_catalogue_claim(&d.catalogue, diags))
        return false;
    for (size_t i = 0; i < d.catalogue.types.n; i++)
        if (xp_catalogue_wants(&d.catalogue, d.catalogue.types.entries[i].key))
            add_type(&d, d.catalogue.types.entries[i].key, d.catalogue.types.entries[i].value);
    add_configs(&d);
    for (size_t i = 0; i < d.entries.n; i++)
        if (is_taken(&d, &d.entries.v[i]->kind, diags))
            return false;
    for (size_t f = 0; f < 2; f++)
        map_init(&d.served->by_type[f], k->arena);
    for (size_t i = 0; i < d.entries.n; i++) {
        struct entry *e = d.entries.v[i];
        add_entry(k, e);
        if (e->kind.role == KIND_MANAGED)
            map_put(&d.served->by_type[e->kind.flavour == FLAVOUR_NAMESPACED], e->kind.terraform_type, e);
    }
    *VEC_PUSH(k->arena, &k->served) = d.served;
    return true;
}

/* --- lookups --- */

static struct kinds_list list_of(struct entry *const *v, size_t n)
{
    return (struct kinds_list){(const struct kind *const *)v, n};
}

struct kinds_list kinds_all(const struct kinds *k)
{
    return list_of(k->all.v, k->all.n);
}

const struct kind *kinds_find(const struct kinds *k, struct str group, struct str kind)
{
    char key[2 * STORE_MAX_NAME + 2];
    if (group.n > STORE_MAX_NAME || kind.n > STORE_MAX_NAME)
        return NULL;
    if (group.n > 0)
        memcpy(key, group.p, group.n);
    key[group.n] = '/';
    if (kind.n > 0)
        memcpy(key + group.n + 1, kind.p, kind.n);
    return map_get(&k->by_name, (struct str){key, group.n + 1 + kind.n});
}

struct str kind_gvk(struct arena *a, const struct kind *kind)
{
    return arena_printf(a, STR_FMT "/" STR_FMT ", Kind=" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->version),
                        STR_ARG(kind->kind));
}

const struct kind *kinds_of_object(const struct kinds *k, const struct json *object)
{
    return kinds_find(k, object_group(object), object_kind(object));
}

bool kinds_serve_group(const struct kinds *k, struct str group)
{
    return map_get(&k->groups, group) != NULL;
}

static const struct served *served_by(const struct kinds *k, const struct kinds_provider *provider)
{
    for (size_t i = 0; i < k->served.n; i++)
        if (k->served.v[i]->provider == provider)
            return k->served.v[i];
    return NULL;
}

const struct kind *kinds_of_type(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                 struct str type)
{
    const struct served *s = served_by(k, provider);
    return s ? map_get(&s->by_type[flavour == FLAVOUR_NAMESPACED], type) : NULL;
}

static const struct kind *config_kind(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                      enum kind_role role, bool namespaced)
{
    const struct served *s = served_by(k, provider);
    for (size_t i = 0; s && i < N_CONFIG_KINDS; i++) {
        const struct kind *c = &s->configs[i]->kind;
        if (c->role == role && c->flavour == flavour && c->namespaced == namespaced)
            return c;
    }
    return NULL;
}

const struct kind *kinds_config(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour,
                                bool cluster)
{
    return config_kind(k, provider, flavour, KIND_CONFIG, flavour == FLAVOUR_NAMESPACED && !cluster);
}

const struct kind *kinds_usage(const struct kinds *k, const struct kinds_provider *provider, enum xp_flavour flavour)
{
    return config_kind(k, provider, flavour, KIND_USAGE, flavour == FLAVOUR_NAMESPACED);
}

/* True for GROUP, its first labels, or one of these after VERSION. */
static bool group_is_meant(const struct kind *kind, struct str said)
{
    if (said.n == 0)
        return true;
    if (said.n <= kind->group.n && str_eq_nocase(str_slice(kind->group, 0, said.n), said) &&
        (said.n == kind->group.n || kind->group.p[said.n] == '.'))
        return true;
    struct str rest = said, first = str_cut(&rest, '.');
    return rest.n > 0 && str_eq_nocase(first, kind->version) && group_is_meant(kind, rest);
}

static bool is_word_for_managed(struct str word)
{
    return str_eq_nocase(word, STR("all")) || str_eq_nocase(word, STR("managed"));
}

struct kinds_list kinds_named(const struct kinds *k, struct arena *a, struct str words)
{
    VEC(struct entry *) found = {0};
    struct str group = words, word = str_cut(&group, '.');
    const struct word *meant = map_get(&k->words, arena_lower(a, word));
    bool managed = is_word_for_managed(word) && !meant;
    size_t n = managed ? k->all.n : meant ? meant->n : 0;
    for (size_t i = 0; i < n; i++) {
        struct entry *e = managed ? k->all.v[i] : meant->v[i];
        if ((!managed || e->kind.role == KIND_MANAGED) && group_is_meant(&e->kind, group))
            *VEC_PUSH(a, &found) = e;
    }
    return list_of(found.v, found.n);
}

struct str kinds_closest(const struct kinds *k, struct arena *a, struct str words)
{
    struct str group = words, word = str_cut(&group, '.');
    struct str lower = arena_lower(a, word);
    const struct word *meant = map_get(&k->words, lower);
    if (!meant) {
        lower = map_closest(&k->words, lower);
        meant = lower.n > 0 ? map_get(&k->words, lower) : NULL;
    }
    if (!meant)
        return STR_EMPTY;
    const struct kind *kind = &meant->v[0]->kind;
    for (size_t i = meant->n; i-- > 0;)
        if (group_is_meant(&meant->v[i]->kind, group))
            kind = &meant->v[i]->kind;
    return group.n > 0 ? arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(kind->kind), STR_ARG(kind->group)) : kind->plural;
}

struct str kinds_closest_group(const struct kinds *k, struct str group)
{
    return map_closest(&k->groups, group);
}

/* --- catalogues of names --- */

/* A kind is an array: these strings, then its short names. */
enum { NAME_ROLE, NAME_SCOPE, NAME_GROUP, NAME_KIND, NAME_PLURAL, NAME_SINGULAR, NAME_VERSION, NAME_TYPE, N_NAMES };
static const char *const role_names[] = {[KIND_MANAGED] = "managed", [KIND_CONFIG] = "config", [KIND_USAGE] = "usage"};
#define SCOPE_NAMESPACED "namespaced"

static const struct json *names_of(struct arena *a, const struct kind *kind)
{
    struct str fixed[N_NAMES] = {
        [NAME_ROLE] = str_of(role_names[kind->role]),
        [NAME_SCOPE] = kind->namespaced ? STR(SCOPE_NAMESPACED) : STR("cluster"),
        [NAME_GROUP] = kind->group,
        [NAME_KIND] = kind->kind,
        [NAME_PLURAL] = kind->plural,
        [NAME_SINGULAR] = kind->singular,
        [NAME_VERSION] = kind->version,
        [NAME_TYPE] = kind->terraform_type,
    };
    size_t n = N_NAMES + kind->short_names.n;
    const struct json **items = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++)
        items[i] = json_make_string(a, i < N_NAMES ? fixed[i] : kind->short_names.v[i - N_NAMES]);
    return json_make_array(a, items, n);
}

const struct json *kinds_names(const struct kinds *k, struct arena *a)
{
    VEC(const struct json *) items = {0};
    for (size_t i = 0; i < k->all.n; i++)
        if (k->all.v[i]->kind.role != KIND_PLAIN)
            *VEC_PUSH(a, &items) = names_of(a, &k->all.v[i]->kind);
    return json_make_array(a, items.v, items.n);
}

static bool role_named(struct str name, enum kind_role *ret)
{
    for (size_t i = 0; i < sizeof role_names / sizeof *role_names; i++)
        if (str_eqz(name, role_names[i]))
            return *ret = (enum kind_role)i, true;
    return false;
}

static struct entry *entry_of_names(struct arena *a, const struct json *names)
{
    enum kind_role role;
    struct str texts[N_NAMES];
    if (names->kind != JSON_ARRAY || names->array.n < N_NAMES)
        return NULL;
    for (size_t i = 0; i < N_NAMES; i++)
        texts[i] = arena_str(a, json_text(names->array.items[i], STR_EMPTY));
    if (!role_named(texts[NAME_ROLE], &role) || texts[NAME_KIND].n == 0)
        return NULL;
    struct entry *e = arena_make(a, struct entry);
    struct str *shorts = arena_make_n(a, struct str, names->array.n - N_NAMES);
    for (size_t i = N_NAMES; i < names->array.n; i++)
        shorts[i - N_NAMES] = arena_str(a, json_text(names->array.items[i], STR_EMPTY));
    e->kind = (struct kind){.role = role,
                            .group = texts[NAME_GROUP],
                            .kind = texts[NAME_KIND],
                            .plural = texts[NAME_PLURAL],
                            .singular = texts[NAME_SINGULAR],
                            .version = texts[NAME_VERSION],
                            .short_names = {shorts, names->array.n - N_NAMES},
                            .namespaced = str_eqz(texts[NAME_SCOPE], SCOPE_NAMESPACED),
                            .terraform_type = texts[NAME_TYPE]};
    e->kind.flavour = e->kind.namespaced ? FLAVOUR_NAMESPACED : FLAVOUR_CLUSTER;
    return e;
}

bool kinds_add_names(struct kinds *k, const struct json *names)
{
    VEC(struct entry *) entries = {0};
    if (!names || names->kind != JSON_ARRAY)
        return false;
    for (size_t i = 0; i < names->array.n; i++) {
        struct entry *e = entry_of_names(k->arena, names->array.items[i]);
        if (!e)
            return false;
        *VEC_PUSH(k->arena, &entries) = e;
    }
    for (size_t i = 0; i < entries.n; i++)
        add_entry(k, entries.v[i]);
    return true;
}

/* --- models and CRDs, created on first use --- */

static bool cannot_be_made(const struct kind *kind, const struct xp_notes *notes, struct diags *diags)
{
    return diags_fail(diags, "Kind not available", STR_FMT " cannot be served as " STR_FMT ": " STR_FMT,
                      STR_ARG(kind->terraform_type), STR_ARG(kind->kind),
                      STR_ARG(notes->n > 0 ? notes->v[notes->n - 1].text : STR("its schema cannot be represented.")));
}

static bool build_managed(struct kinds *k, const struct entry *e, struct diags *diags, struct xp_kind *ret)
{
    struct xp_notes notes = {.arena = k->later};
    struct xp_resource_config config;
    xp_config_resolve(e->kind.provider->config, k->later, e->kind.terraform_type, e->kind.flavour, &config);
    switch (xp_kind_build(k->later, e->kind.terraform_type, e->model->schema, &config, &notes, diags, ret)) {
    case MODEL_OK:
        ret->plural = e->model->plural;
        return true;
    case MODEL_REFUSED:
        return cannot_be_made(&e->kind, &notes, diags);
    case MODEL_FAILED:
        break;
    }
    return false;
}

static const struct xp_kind *locked_model(struct kinds *k, struct entry *e, struct diags *diags)
{
    if (e->model->model)
        return e->model->model;
    struct xp_notes notes = {.arena = k->later};
    struct xp_kind *made = arena_make(k->later, struct xp_kind);
    bool ok = e->config ? config_model(k->later, e->kind.provider->schema, e->kind.provider->config, &notes, diags, made)
                        : build_managed(k, e, diags, made);
    if (ok)
        e->model->model = made;
    return e->model->model;
}

const struct xp_kind *kinds_model(struct kinds *k, const struct kind *kind, struct diags *diags)
{
    if (kind->role == KIND_PLAIN)
        return NULL;
    MUTEX_GUARD(&k->lock);
    return locked_model(k, (struct entry *)kind, diags);
}

void kinds_serve_older(struct kinds *k, const struct crd_webhook *webhook)
{
    k->webhook = webhook;
}

static const struct json *locked_crd(struct kinds *k, struct arena *a, struct entry *e, struct diags *diags)
{
    const struct xp_kind *model = locked_model(k, e, diags);
    struct buf text BUF_AUTO = BUF_INIT(CRD_MAX_TEXT);
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct xp_notes notes = {.arena = scratch};
    if (!model)
        return NULL;
    if (e->config)
        config_crd_write(&text, e->kind.provider->config, model, e->config);
    else if (!crd_write(&text, model, e->kind.flavour, k->webhook, &notes, diags))
        return NULL;
    return yaml_parse(a, buf_str(&text), "CustomResourceDefinition", diags);
}

const struct json *kinds_crd(struct kinds *k, const struct kind *kind, struct diags *diags)
{
    struct entry *e = (struct entry *)kind;
    if (kind->role == KIND_PLAIN)
        return NULL;
    MUTEX_GUARD(&k->lock);
    if (!e->crd)
        e->crd = locked_crd(k, k->later, e, diags);
    return e->crd;
}

const struct json *kinds_make_crd(struct kinds *k, struct arena *a, const struct kind *kind, struct diags *diags)
{
    if (kind->role == KIND_PLAIN)
        return NULL;
    MUTEX_GUARD(&k->lock);
    return locked_crd(k, a, (struct entry *)kind, diags);
}
