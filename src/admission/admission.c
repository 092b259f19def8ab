#include "admission/admission.h"

#include "admission/check_private.h"
#include "base/vec.h"

struct admission_version {
    struct str name;
    bool has_status; /* has the status subresource */
    const struct openapi *schema;
};

/* --- kinds --- */

static bool refuse(struct diags *diags, struct str name, const char *what)
{
    return diags_fail(diags, "Invalid CustomResourceDefinition", "CustomResourceDefinition \"" STR_FMT "\": %s.", STR_ARG(name),
                      what);
}

static bool compile_version(struct arena *a, struct str crd, const struct json *version, struct diags *diags,
                            struct admission_version *ret)
{
    const struct json *schema = json_get(json_get(version, "schema"), "openAPIV3Schema");
    ret->name = json_text(json_get(version, "name"), STR_EMPTY);
    ret->has_status = json_get(json_get(version, "subresources"), "status") != NULL;
    if (!schema || ret->name.n == 0)
        return refuse(diags, crd, "a version has no name or no schema");
    struct str where =
        arena_printf(a, "CustomResourceDefinition \"" STR_FMT "\", version " STR_FMT, STR_ARG(crd), STR_ARG(ret->name));
    return openapi_compile(a, schema, where.p, diags, &ret->schema);
}

bool admission_compile(struct arena *a, const struct json *crd, struct diags *diags, const struct admission_kind **ret)
{
    const struct json *spec = json_get(crd, "spec"), *names = json_get(spec, "names"), *versions = json_get(spec, "versions");
    struct str name = json_text(json_get(json_get(crd, "metadata"), "name"), STR("without a name"));
    struct admission_kind *k = arena_make(a, struct admission_kind);
    VEC(struct admission_version) served = {0};
    k->group = json_text(json_get(spec, "group"), STR_EMPTY);
    k->kind = json_text(json_get(names, "kind"), STR_EMPTY);
    k->plural = json_text(json_get(names, "plural"), STR_EMPTY);
    k->namespaced = str_eqz(json_text(json_get(spec, "scope"), STR_EMPTY), "Namespaced");
    if (k->group.n == 0 || k->kind.n == 0 || !versions || versions->kind != JSON_ARRAY)
        return refuse(diags, name, "it has no group, kind or versions");
    for (size_t i = 0; i < versions->array.n; i++)
        if (json_bool(json_get(versions->array.items[i], "served"), false) &&
            !compile_version(a, name, versions->array.items[i], diags, VEC_PUSH(a, &served)))
            return false;
    k->versions = served.v;
    k->n_versions = served.n;
    *ret = k;
    return true;
}

/* --- choosing the version --- */

static struct str versions_text(struct arena *a, const struct admission_kind *k)
{
    struct str text = STR_EMPTY;
    for (size_t i = 0; i < k->n_versions; i++)
        text = arena_printf(a, STR_FMT "%s" STR_FMT "/" STR_FMT, STR_ARG(text), i > 0 ? ", " : "", STR_ARG(k->group),
                            STR_ARG(k->versions[i].name));
    return text;
}

/* NULL: another kind, or a version that is not served. */
static const struct admission_version *check_kind(struct checker *c, const struct admission_kind *k, const struct json *object)
{
    struct at root = {0}, at_version = at_name(&root, STR("apiVersion")), at_kind = at_name(&root, STR("kind"));
    const struct json *version = json_get(object, "apiVersion"), *kind = json_get(object, "kind");
    const struct admission_version *found = NULL;
    struct str text = version && version->kind == JSON_STRING ? version->text : STR_EMPTY, group = str_cut(&text, '/');
    for (size_t i = 0; str_eq(group, k->group) && i < k->n_versions; i++)
        if (str_eq(text, k->versions[i].name))
            found = &k->versions[i];
    bool is_kind = kind && kind->kind == JSON_STRING && str_eq(kind->text, k->kind);
    if (!is_kind)
        problem_add(c->problems, PROBLEM_BLOCKING, &at_kind, DIAG_AT_VALUE, "Wrong kind", "must be " STR_FMT ".",
                    STR_ARG(k->kind));
    if (!found)
        problem_add(c->problems, PROBLEM_BLOCKING, &at_version, DIAG_AT_VALUE, "Wrong version", "must be one of: " STR_FMT ".",
                    STR_ARG(versions_text(c->problems->arena, k)));
    return is_kind ? found : NULL;
}

/* --- checks --- */

static const struct json *check_all(struct checker *c, const struct admission_kind *k, const struct json *object,
                                    const struct json *old, const struct admission_options *options)
{
    const struct admission_version *version = check_kind(c, k, object);
    if (!version)
        return NULL;
    const struct openapi *s = version->schema;
    const struct json *metadata = check_metadata_shape(c, json_get(object, "metadata"));
    object = check_shape(c, s, object);
    if (!metadata)
        return NULL;
    metadata = check_namespace_use(c, metadata, k->namespaced, options->in_namespace);
    object = check_with(c->arena, object, STR("metadata"), metadata);
    if (version->has_status) /* status is written only through its subresource */
        object = check_with(c->arena, object, STR("status"), json_get(old, "status"));
    check_metadata(c, metadata, k->namespaced, NAME_OF_OBJECT, old != NULL);
    check_schema(c, s, object, old);
    struct problems ignored = {.arena = c->problems->arena};
    struct checker before = {c->arena, c->scratch, &ignored, false};
    if (old)
        check_lists(&before, s, old);
    if (ignored.errors == 0)
        check_lists(c, s, object);
    if (c->problems->blocking == 0)
        check_rules(c, s, object, old);
    return object;
}

bool admission_check(struct arena *a, const struct admission_kind *kind, const struct json *object, const struct json *old,
                     const struct admission_options *options, struct diags *diags, const struct json **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0), *told ARENA_AUTO = arena_new(NULL, 0);
    struct problems problems = {.arena = told};
    struct admission_options none = {.in_namespace = STR_EMPTY};
    options = options ? options : &none;
    struct checker c = {a, scratch, &problems, options->strict};
    if (!object || object->kind != JSON_OBJECT)
        return diags_fail(diags, "Not an object", "A manifest must be an object with apiVersion, kind and metadata.");
    const struct json *checked = check_all(&c, kind, object, old, options);
    if (!problems_tell(&problems, diags))
        return false;
    *ret = checked;
    return true;
}
