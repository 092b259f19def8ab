#include "managed/sensitive.h"

#include "base/map.h"
#include "base/vec.h"
#include "managed/edit.h"
#include "managed/object.h"
#include "managed/translate.h"

enum { MAX_VALUE = 1 << 20 }; /* Kubernetes' limit for a Secret */

/* --- which --- */

static struct managed_secret_paths paths_of(struct arena *a, const struct xp_kind *k, bool outputs)
{
    struct managed_secret_paths list = {0};
    for (size_t i = 0; i < k->n_secrets; i++)
        if (outputs || !k->secrets[i].output)
            *VEC_PUSH(a, &list) = (struct managed_secret_path){k->secrets[i].terraform, k->secrets[i].object, k->secrets[i].json};
    return list;
}

struct managed_secret_paths managed_secret_inputs(struct arena *a, const struct xp_kind *k)
{
    return paths_of(a, k, false);
}

struct managed_secret_paths managed_secret_attributes(struct arena *a, const struct xp_kind *k)
{
    return paths_of(a, k, true);
}

/* --- from references to values --- */

bool managed_secret_place(struct arena *a, const struct managed_secret_path *path, struct managed_path object_path,
                          struct diags *diags, struct managed_path *ret)
{
    struct managed_path terraform, object;
    if (!managed_path_parse(a, path->terraform, diags, &terraform) || !managed_path_parse(a, path->object, diags, &object))
        return false;
    if (terraform.n < object.n || object.n != object_path.n)
        return diags_fail(diags, "Paths do not fit", "tf path must be longer than xp path");
    struct managed_step *steps = arena_make_n(a, struct managed_step, terraform.n);
    size_t o = 0;
    for (size_t i = 0; i < terraform.n; i++) {
        bool any = terraform.v[i].kind == MANAGED_STEP_ANY, same = o < object.n && (object.v[o].kind == MANAGED_STEP_ANY) == any;
        steps[i] = terraform.v[i];
        if (any)
            steps[i] = same ? object_path.v[o] : (struct managed_step){.kind = MANAGED_STEP_INDEX, .index = 0};
        o += same;
    }
    if (o != object.n)
        return diags_fail(diags, "Paths do not fit", "tf path must be longer than xp path");
    *ret = (struct managed_path){steps, terraform.n};
    return true;
}

struct reading {
    struct arena *arena;
    const struct json *parameters;
    struct managed_changes changes;
    struct map changed;   /* paths that are set already, as text */
    struct str namespace; /* of the object; empty: cluster-scoped */
    managed_secret_fn *look_up;
    void *ctx;
    struct managed_missing_list *missing;
    struct diags *diags;
    bool failed;
};

static const struct json *no_secret(struct reading *r, struct str namespace, struct str name, struct str key)
{
    *VEC_PUSH(r->arena, r->missing) = (struct managed_missing){name, namespace, key};
    return json_make_string(r->arena, STR_EMPTY);
}

/* Parses a value that a key holds as JSON. Errors do not show the value. */
static const struct json *value_of_json(struct reading *r, struct str text, struct str name, struct str key)
{
    const struct json *value = json_parse_lenient(r->arena, text);
    if (!value) {
        r->failed = true;
        (void)diags_fail(r->diags, "Secret is not JSON",
                         "The key \"" STR_FMT "\" of the Secret \"" STR_FMT
                         "\" must hold a value as JSON, because its argument is not a string.",
                         STR_ARG(key), STR_ARG(name));
    }
    return value;
}

/* Reads {name, namespace, key}, or {name, namespace} for all data of the Secret. NULL: error. */
static const struct json *read_reference(struct reading *r, const struct json *reference, bool as_json)
{
    struct str name = managed_text(json_get(reference, "name")), namespace = managed_text(json_get(reference, "namespace"));
    const struct json *key = json_get(reference, "key");
    if (!managed_is_object(reference) || name.n == 0 || (!managed_is_absent(key) && key->kind != JSON_STRING)) {
        r->failed = true;
        (void)diags_fail(r->diags, "Invalid secret reference",
                         "A reference to a Secret must have a name, and the key where one value is meant.");
        return NULL;
    }
    namespace = r->namespace.n > 0 ? r->namespace : namespace;
    const struct json *data = r->look_up(r->ctx, namespace, name);
    if (managed_is_absent(key) && !data) {
        (void)no_secret(r, namespace, name, STR_EMPTY);
        return json_make_object(r->arena, NULL, 0);
    }
    if (managed_is_absent(key))
        return data;
    const struct json *value = json_get_str(data, key->text);
    if (!value || value->kind != JSON_STRING)
        return no_secret(r, namespace, name, key->text);
    return as_json ? value_of_json(r, value->text, name, key->text) : value;
}

static const struct json *read_references(struct reading *r, const struct json *v, bool as_json)
{
    if (v->kind != JSON_ARRAY)
        return read_reference(r, v, as_json);
    const struct json **items = arena_make_n(r->arena, const struct json *, v->array.n);
    for (size_t i = 0; i < v->array.n && !r->failed; i++)
        items[i] = read_reference(r, v->array.items[i], as_json);
    return r->failed ? NULL : json_make_array(r->arena, items, v->array.n);
}

/* The first value for a place wins; is there one already? */
static bool is_taken(struct reading *r, struct managed_path place)
{
    struct str text = managed_path_text(r->arena, place);
    return !managed_is_absent(managed_path_get(r->parameters, place)) || !map_add(&r->changed, text, r);
}

static bool add_found(struct reading *r, const struct managed_secret_path *path, struct managed_path at,
                      const struct json *reference)
{
    struct managed_path place = {0};
    if (managed_is_absent(reference))
        return true;
    if (!managed_secret_place(r->arena, path, at, r->diags, &place))
        return false;
    if (is_taken(r, place))
        return true;
    const struct json *value = read_references(r, reference, path->json);
    if (value)
        managed_change_add(r->arena, &r->changes, place, value);
    return value != NULL;
}

static bool add_of_tree(struct reading *r, const struct managed_secret_path *path, const struct json *values)
{
    struct managed_path pattern = {0};
    struct managed_paths found;
    if (!values)
        return true;
    if (!managed_path_parse(r->arena, path->object, r->diags, &pattern) ||
        !managed_path_expand(r->arena, values, pattern, r->diags, &found))
        return false;
    for (size_t i = 0; i < found.n; i++)
        if (!add_found(r, path, found.v[i], managed_path_get(values, found.v[i])))
            return false;
    return true;
}

bool managed_add_secrets(struct arena *a, struct managed_secret_paths paths, const struct json *object,
                         const struct json *parameters, managed_secret_fn *look_up, void *ctx, struct diags *diags,
                         struct managed_missing_list *missing, const struct json **ret)
{
    struct reading r = {.arena = a,
                        .parameters = parameters,
                        .namespace = managed_namespace(object),
                        .look_up = look_up,
                        .ctx = ctx,
                        .missing = missing,
                        .diags = diags};
    map_init(&r.changed, a);
    for (int tree = FOR_PROVIDER; tree <= INIT_PROVIDER; tree++)
        for (size_t i = 0; i < paths.n; i++)
            if (!add_of_tree(&r, &paths.v[i], managed_at(object, "spec", xp_tree_names[tree], NULL)))
                return false;
    return managed_apply(a, parameters, &r.changes, diags, ret);
}

void managed_say_missing(struct diags *diags, const struct managed_missing_list *missing)
{
    for (size_t i = 0; i < missing->n; i++) {
        const struct managed_missing *m = &missing->v[i];
        (void)diags_fail(diags, "Secret is missing",
                         "The object waits for %s" STR_FMT "%sthe Secret \"" STR_FMT "\"%s" STR_FMT
                         "%s, which it refers to and which does not exist.",
                         m->key.n > 0 ? "the key \"" : "", STR_ARG(m->key), m->key.n > 0 ? "\" of " : "", STR_ARG(m->name),
                         m->namespace.n > 0 ? " in the namespace \"" : "", STR_ARG(m->namespace), m->namespace.n > 0 ? "\"" : "");
    }
}

/* --- generated secrets --- */

static const struct xp_secret *secret_at(const struct xp_kind *k, struct str terraform)
{
    for (size_t i = 0; i < k->n_secrets; i++)
        if (!k->secrets[i].output && str_eq(k->secrets[i].terraform, terraform))
            return &k->secrets[i];
    return NULL;
}

void managed_generated_secrets(struct arena *a, const struct xp_kind *k, const struct json *object,
                               struct managed_missing_list *ret)
{
    const struct json *values = managed_at(object, "spec", "forProvider", NULL), *flags;
    struct diags ignored; /* the translation reports errors of the object */
    diags_init(&ignored, a);
    *ret = (struct managed_missing_list){0};
    if (!managed_beside(a, k, object, &ignored, &flags))
        return;
    for (size_t i = 0; i < k->config.n_generated_secrets; i++) {
        const struct xp_generated_secret *g = &k->config.generated_secrets[i];
        const struct xp_secret *secret = secret_at(k, g->path);
        struct managed_path path = {0};
        if (!secret || !json_bool(json_get_str(flags, g->name), false) || !managed_path_parse(a, secret->object, &ignored, &path))
            continue;
        const struct json *reference = managed_path_get(values, path);
        struct str own = managed_namespace(object), said = managed_text(json_get(reference, "namespace"));
        struct managed_missing one = {managed_text(json_get(reference, "name")), own.n > 0 ? own : said,
                                      managed_text(json_get(reference, "key"))};
        if (one.name.n > 0 && one.key.n > 0)
            *VEC_PUSH(a, ret) = one;
    }
}

/* --- from the state to the connection secret --- */

struct details {
    struct arena *arena;
    struct diags *diags;
    VEC(struct json_member) members;
    struct map keys; /* keys of the members */
};

static bool cannot_be_text(const struct details *d, struct managed_path at)
{
    return diags_fail(d->diags, "No text", "cannot not get a string for fieldpath \"" STR_FMT "\"",
                      STR_ARG(managed_path_text(d->arena, at)));
}

/* Values other than strings are written as JSON. */
static struct str text_of(struct arena *a, const struct json *v)
{
    if (v->kind == JSON_STRING)
        return v->text;
    struct buf out BUF_AUTO = BUF_INIT(MAX_VALUE);
    struct json_writer w = {.out = &out};
    json_write(&w, v);
    (void)json_finish(&w);
    return buf_copy(&out, a);
}

static bool is_scalar(const struct json *v)
{
    return v->kind == JSON_STRING || v->kind == JSON_NUMBER || v->kind == JSON_BOOL;
}

static void add_detail(struct details *d, struct str key, const struct json *value)
{
    struct str name = arena_printf(d->arena, MANAGED_ATTRIBUTE_PREFIX STR_FMT, STR_ARG(key));
    if (!map_add(&d->keys, name, d)) {
        diags_warn(d->diags, "Two values for one key",
                   "Two secret attributes would both be \"" STR_FMT "\" in the connection secret; the first one is.",
                   STR_ARG(name));
        return;
    }
    *VEC_PUSH(d->arena, &d->members) = (struct json_member){
        .key = name,
        .value = json_make_string(d->arena, text_of(d->arena, value)),
    };
}

/* A whole list or map: one key for each element. */
static bool add_elements(struct details *d, struct str key, struct managed_path at, const struct json *v)
{
    if (str_ends(key, STR("s")))
        key = str_slice(key, 0, key.n - 1);
    for (size_t i = 0; i < managed_count(v); i++) {
        const struct json *element = v->kind == JSON_ARRAY ? v->array.items[i] : v->object.members[i].value;
        struct str name = v->kind == JSON_ARRAY ? arena_printf(d->arena, "%zu", i) : v->object.members[i].key;
        if (!is_scalar(element))
            return cannot_be_text(d, at);
        add_detail(d, arena_printf(d->arena, STR_FMT "." STR_FMT, STR_ARG(key), STR_ARG(name)), element);
    }
    return true;
}

static bool add_value(struct details *d, const struct managed_secret_path *path, struct managed_path at, const struct json *v)
{
    struct str key = managed_path_secret_key(d->arena, at);
    if (managed_is_absent(v))
        return true;
    if (is_scalar(v) || path->json)
        add_detail(d, key, v);
    else
        return add_elements(d, key, at, v);
    return true;
}

static bool add_path(struct details *d, const struct managed_secret_path *path, const struct json *parameters)
{
    struct managed_path pattern = {0};
    struct managed_paths found;
    struct diags why;
    diags_init(&why, d->arena);
    if (!managed_path_parse(d->arena, path->terraform, d->diags, &pattern))
        return false;
    if (!managed_path_expand(d->arena, parameters, pattern, &why, &found))
        return diags_fail(d->diags, why.v[0].summary.p, "cannot expand wildcards: " STR_FMT, STR_ARG(why.v[0].detail));
    for (size_t i = 0; i < found.n; i++)
        if (!add_value(d, path, found.v[i], managed_path_get(parameters, found.v[i])))
            return false;
    return true;
}

static bool add_others(struct details *d, const struct json *parameters, managed_details_fn *additional, void *ctx)
{
    struct diags why;
    diags_init(&why, d->arena);
    const struct json *more = additional(ctx, d->arena, parameters, &why);
    if (!more)
        return diags_fail(d->diags, "Connection details failed", "cannot get additional connection details: " STR_FMT,
                          STR_ARG(why.n > 0 ? why.v[0].detail : STR("no reason was given")));
    for (size_t i = 0; managed_is_object(more) && i < more->object.n; i++) {
        struct json_member m = more->object.members[i];
        if (str_starts(m.key, STR(MANAGED_ATTRIBUTE_PREFIX)))
            return diags_fail(d->diags, "Connection details failed",
                              "overriding a reserved connection key (\"" STR_FMT "\") is not allowed", STR_ARG(m.key));
        *VEC_PUSH(d->arena, &d->members) = m;
    }
    return true;
}

bool managed_connection_details(struct arena *a, struct managed_secret_paths paths, const struct json *parameters,
                                managed_details_fn *additional, void *ctx, struct diags *diags, const struct json **ret)
{
    struct details d = {.arena = a, .diags = diags};
    map_init(&d.keys, a);
    for (size_t i = 0; i < paths.n; i++)
        if (!add_path(&d, &paths.v[i], parameters))
            return false;
    if (additional && !add_others(&d, parameters, additional, ctx))
        return false;
    *ret = json_make_object(a, d.members.v, d.members.n);
    return true;
}

/* --- more keys --- */

/* Replaces each * of the key by the index of the corresponding element of the path. */
static struct str numbered_key(struct arena *a, struct str key, struct managed_path at)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_VALUE);
    size_t step = 0;
    for (size_t i = 0; i < key.n; i++) {
        while (key.p[i] == '*' && step < at.n && at.v[step].kind != MANAGED_STEP_INDEX)
            step++;
        if (key.p[i] == '*' && step < at.n)
            buf_printf(&out, "%zu", at.v[step++].index);
        else if (key.p[i] != '*')
            buf_addc(&out, key.p[i]);
    }
    return buf_copy(&out, a);
}

const struct json *managed_configured_details(void *ctx, struct arena *a, const struct json *parameters, struct diags *diags)
{
    const struct managed_state_details *state = ctx;
    const struct xp_resource_config *config = &state->kind->config;
    const struct json *result = json_make_object(a, NULL, 0);
    (void)parameters;
    for (size_t i = 0; i < config->n_connection_details; i++) {
        const struct xp_connection_detail *detail = &config->connection_details[i];
        struct managed_path pattern = {0};
        struct managed_paths found;
        struct diags not_there;
        diags_init(&not_there, a);
        if (!managed_path_parse(a, detail->path, diags, &pattern))
            return NULL;
        if (!managed_path_expand(a, state->attributes, pattern, &not_there, &found))
            continue;
        for (size_t j = 0; j < found.n; j++) {
            const struct json *value = managed_path_get(state->attributes, found.v[j]);
            if (value && is_scalar(value))
                result = json_with(a, result, numbered_key(a, detail->key, found.v[j]), json_make_string(a, text_of(a, value)));
        }
    }
    return result;
}

/* --- and back --- */

static bool fits_pattern(struct managed_path path, struct managed_path pattern)
{
    if (path.n != pattern.n)
        return false;
    for (size_t i = 0; i < path.n; i++) {
        const struct managed_step *step = &path.v[i], *wanted = &pattern.v[i];
        bool same = step->kind == wanted->kind && str_eq(step->key, wanted->key) && step->index == wanted->index;
        if (!same && wanted->kind != MANAGED_STEP_ANY)
            return false;
    }
    return true;
}

/* Is this the key of an element of the map? Its name has lost its final "s", and the rest is the element's key. */
static bool is_element(struct arena *a, struct str key, struct managed_path map, struct managed_path *ret)
{
    struct str name = managed_path_secret_key(a, map);
    name = str_ends(name, STR("s")) ? str_slice(name, 0, name.n - 1) : name;
    if (key.n <= name.n + 1 || !str_starts(key, name) || key.p[name.n] != '.')
        return false;
    struct managed_step step = {.kind = MANAGED_STEP_KEY, .key = str_slice(key, name.n + 1, key.n)};
    *ret = managed_path_join(a, map, (struct managed_path){&step, 1});
    return true;
}

/* A parsed path of a secret attribute. */
struct pattern {
    struct managed_path path;
    bool json, wild;
};

static bool read_patterns(struct arena *a, struct managed_secret_paths paths, struct diags *diags, struct pattern **ret)
{
    struct pattern *patterns = arena_make_n(a, struct pattern, paths.n);
    for (size_t i = 0; i < paths.n; i++) {
        patterns[i].json = paths.v[i].json;
        patterns[i].wild = str_find(paths.v[i].terraform, '*', 0) != SIZE_MAX;
        if (!managed_path_parse(a, paths.v[i].terraform, diags, &patterns[i].path))
            return false;
    }
    *ret = patterns;
    return true;
}

/* The path for the value of this key, and whether it is JSON: from the first pattern that fits; otherwise the key is parsed. */
static bool place_of_key(struct arena *a, const struct pattern *patterns, size_t n, struct str key, struct diags *diags,
                         struct managed_path *ret, bool *ret_json)
{
    *ret_json = false;
    if (!managed_path_of_secret_key(a, key, diags, ret))
        return false;
    for (size_t i = 0; i < n; i++)
        if (fits_pattern(*ret, patterns[i].path)) {
            *ret_json = patterns[i].json;
            return true;
        }
    for (size_t i = 0; i < n; i++)
        if (!patterns[i].wild && is_element(a, key, patterns[i].path, ret))
            break;
    return true;
}

bool managed_add_connection_secret(struct arena *a, struct managed_secret_paths paths, const struct json *parameters,
                                   const struct json *data, struct diags *diags, const struct json **ret)
{
    const struct str prefix = STR(MANAGED_ATTRIBUTE_PREFIX);
    struct managed_changes changes = {0};
    struct pattern *patterns;
    if (!read_patterns(a, paths, diags, &patterns))
        return false;
    for (size_t i = 0; managed_is_object(data) && i < data->object.n; i++) {
        const struct json_member *m = &data->object.members[i];
        struct managed_path path = {0};
        bool as_json;
        if (!str_starts(m->key, prefix))
            continue;
        if (!place_of_key(a, patterns, paths.n, str_slice(m->key, prefix.n, m->key.n), diags, &path, &as_json))
            return false;
        const struct json *value = as_json ? json_parse_lenient(a, managed_text(m->value)) : m->value;
        if (value)
            managed_change_add(a, &changes, path, value);
    }
    return managed_apply(a, parameters, &changes, diags, ret);
}
