#include "managed/references.h"

#include "base/vec.h"
#include "managed/object.h"

#include <stdlib.h>

enum { MAX_TEXT = 16 << 10 };

/* --- references to resolve --- */

struct search {
    struct arena *arena;
    struct managed_reference_list *out;
    struct managed_step steps[MANAGED_PATH_MAX_STEPS];
    size_t n;
    struct buf go; /* mg.Spec.ForProvider.Rule[0] */
};

static bool policy_is(const struct json *reference, const char *what, const char *value)
{
    return str_eqz(managed_text(managed_at(reference, "policy", what, NULL)), value);
}

static bool any_policy(const struct json *given, const char *what, const char *value)
{
    for (size_t i = 0; managed_is_array(given) && i < given->array.n; i++)
        if (policy_is(given->array.items[i], what, value))
            return true;
    return policy_is(given, what, value);
}

static struct managed_path path_with(struct search *s, struct str key)
{
    struct managed_step *steps = arena_make_n(s->arena, struct managed_step, s->n + 1);
    for (size_t i = 0; i < s->n; i++)
        steps[i] = s->steps[i];
    steps[s->n] = (struct managed_step){.kind = MANAGED_STEP_KEY, .key = key};
    return (struct managed_path){steps, s->n + 1};
}

static const struct xp_field *companion(struct xp_fields fields, const struct xp_field *f, enum xp_field_role role)
{
    for (size_t i = 0; i < fields.n; i++)
        if (fields.v[i].role == role && fields.v[i].attr == f->attr)
            return &fields.v[i];
    return NULL;
}

static bool is_set(const struct json *v)
{
    if (managed_is_absent(v))
        return false;
    return v->kind == JSON_STRING ? v->text.n > 0 : v->kind != JSON_ARRAY || v->array.n > 0;
}

static void add_reference(struct search *s, struct xp_fields fields, const struct xp_field *f, const struct json *values)
{
    const struct xp_field *ref = companion(fields, f, FIELD_REFERENCE), *sel = companion(fields, f, FIELD_SELECTOR);
    const struct json *given = ref ? json_get_str(values, ref->json) : NULL;
    const struct json *selector = sel ? json_get_str(values, sel->json) : NULL;
    given = is_set(given) ? given : NULL;
    selector = managed_is_object(selector) ? selector : NULL;
    bool always = selector ? policy_is(selector, "resolve", "Always") : any_policy(given, "resolve", "Always");
    if (selector && always)
        given = NULL; /* ignore the reference that the selector set last time */
    if ((!given && !selector) || (is_set(json_get_str(values, f->json)) && !always))
        return;
    struct str go = buf_str(&s->go);
    *VEC_PUSH(s->arena, s->out) = (struct managed_reference){
        .rule = f->attr->reference,
        .value = path_with(s, f->json),
        .reference = path_with(s, ref ? ref->json : f->json),
        .go_path = arena_printf(s->arena, STR_FMT "." STR_FMT, STR_ARG(go), STR_ARG(f->go)),
        .many = f->shape->kind == SHAPE_LIST || f->shape->kind == SHAPE_SET,
        .shape = f->shape,
        .given = given,
        .selector = selector,
        .optional = any_policy(given ? given : selector, "resolution", "Optional"),
    };
}

static void search_fields(struct search *s, struct xp_fields fields, const struct json *values);

static void search_step(struct search *s, struct managed_step step, const struct xp_shape *shape, const struct json *v);

static void search_value(struct search *s, const struct xp_shape *shape, const struct json *v)
{
    if (shape->kind == SHAPE_OBJECT)
        search_fields(s, shape->fields, v);
    for (size_t i = 0; shape->element && managed_is_array(v) && i < v->array.n; i++)
        search_step(s, (struct managed_step){.kind = MANAGED_STEP_INDEX, .index = i}, shape->element, v->array.items[i]);
    for (size_t i = 0; shape->kind == SHAPE_MAP && managed_is_object(v) && i < v->object.n; i++)
        search_step(s, (struct managed_step){.kind = MANAGED_STEP_KEY, .key = v->object.members[i].key}, shape->element,
                    v->object.members[i].value);
}

static void search_step(struct search *s, struct managed_step step, const struct xp_shape *shape, const struct json *v)
{
    bool nested = shape->kind == SHAPE_OBJECT || shape->element;
    size_t before = s->go.n;
    if (!nested || s->n + 1 >= MANAGED_PATH_MAX_STEPS)
        return;
    s->steps[s->n++] = step;
    if (step.kind == MANAGED_STEP_INDEX)
        buf_printf(&s->go, "[%zu]", step.index);
    search_value(s, shape, v);
    s->n--;
    s->go.n = before;
}

static void search_fields(struct search *s, struct xp_fields fields, const struct json *values)
{
    if (!managed_is_object(values))
        return;
    for (size_t i = 0; i < fields.n; i++) {
        const struct xp_field *f = &fields.v[i];
        if (f->role != FIELD_VALUE)
            continue;
        if (f->attr->reference)
            add_reference(s, fields, f, values);
        size_t before = s->go.n;
        const struct json *v = json_get_str(values, f->json);
        if (managed_is_absent(v))
            continue;
        buf_printf(&s->go, "." STR_FMT, STR_ARG(f->go));
        search_step(s, (struct managed_step){.kind = MANAGED_STEP_KEY, .key = f->json}, f->shape, v);
        s->go.n = before;
    }
}

void managed_references(struct arena *a, const struct xp_kind *k, const struct json *object, struct managed_reference_list *ret)
{
    static const char *const go[] = {[FOR_PROVIDER] = "mg.Spec.ForProvider", [INIT_PROVIDER] = "mg.Spec.InitProvider"};
    *ret = (struct managed_reference_list){0};
    if (managed_is_deleted(object))
        return;
    for (int tree = FOR_PROVIDER; tree <= INIT_PROVIDER; tree++) {
        struct search s = {.arena = a, .out = ret, .go = BUF_INIT(MAX_TEXT)};
        s.steps[s.n++] = (struct managed_step){.kind = MANAGED_STEP_KEY, .key = STR("spec")};
        s.steps[s.n++] = (struct managed_step){.kind = MANAGED_STEP_KEY, .key = str_of(xp_tree_names[tree])};
        buf_addz(&s.go, go[tree]);
        search_fields(&s, k->trees[tree], managed_at(object, "spec", xp_tree_names[tree], NULL));
        buf_free(&s.go);
    }
}

/* --- targets --- */

struct str managed_reference_namespace(const struct json *object, const struct json *reference)
{
    struct str own = managed_namespace(object), said = managed_text(json_get(reference, "namespace"));
    return own.n > 0 && said.n > 0 ? said : own;
}

bool managed_selector_matches(const struct json *selector, const struct json *object, const struct json *candidate)
{
    if (!managed_labels_match(candidate, json_get(selector, "matchLabels")))
        return false;
    return !json_bool(json_get(selector, "matchControllerRef"), false) || managed_same_controller(object, candidate);
}

/* --- the value --- */

static const struct xp_field *field_of(struct xp_fields fields, struct str attribute)
{
    for (size_t i = 0; i < fields.n; i++)
        if (fields.v[i].role == FIELD_VALUE && str_eq(fields.v[i].attr->name, attribute))
            return &fields.v[i];
    return NULL;
}

/* `attribute` may be a path through objects and the first element of singleton lists: network.id */
static struct str extract_from(struct arena *a, struct xp_fields fields, const struct json *values, struct str attribute)
{
    const struct json *v = values;
    while (attribute.n > 0) {
        const struct xp_field *f = field_of(fields, str_cut(&attribute, '.'));
        v = f ? json_get_str(v, f->json) : NULL;
        const struct xp_shape *shape = f ? f->shape : NULL;
        while (v && shape->element && managed_is_array(v) && attribute.n > 0) {
            v = v->array.n > 0 ? v->array.items[0] : NULL;
            shape = shape->element;
        }
        if (!v)
            return STR_EMPTY;
        fields = shape->fields;
    }
    if (v && v->kind == JSON_BOOL)
        return v->boolean ? STR("true") : STR("false");
    return arena_str(a, json_text(v, STR_EMPTY));
}

/* Known extractor functions of Upjet's providers, which compute a value from the target. */
static const struct value_of {
    const char *function;
    const char *attribute;      /* observed; NULL: the external name */
    const char *before;         /* prefix of the value */
    const char *when, *is_then; /* only if attribute `when` has the value `is_then` */
} values_of[] = {
    {"ARNExtractor()", "arn", "", NULL, NULL},
    {"TerraformID()", "id", "", NULL, NULL},
    {"FunctionInvokeARN()", "invoke_arn", "", NULL, NULL},
    {"IntegrationIDPrefixed()", NULL, "integrations/", NULL, NULL},
    {"ExternalNameIfClusterActive()", NULL, "", "status", "ACTIVE"},
    {"ExtractResourceLocation()", "location", "", NULL, NULL},
};

static const struct value_of *known_function(const struct xp_reference_rule *rule)
{
    for (size_t i = 0; rule->attribute.n == 0 && i < sizeof values_of / sizeof values_of[0]; i++)
        if (str_eqz(rule->function, values_of[i].function))
            return &values_of[i];
    return NULL;
}

bool managed_extract_needs_kind(const struct xp_reference_rule *rule)
{
    return rule->attribute.n > 0 || known_function(rule);
}

static struct str observed(struct arena *a, const struct xp_kind *kind, const struct json *target, struct str attribute)
{
    return extract_from(a, kind->trees[AT_PROVIDER], managed_at(target, "status", "atProvider", NULL), attribute);
}

static struct str made_of(struct arena *a, const struct value_of *how, const struct xp_kind *kind, const struct json *target)
{
    if (how->when && !str_eqz(observed(a, kind, target, str_of(how->when)), how->is_then))
        return STR_EMPTY;
    struct str value =
        how->attribute ? observed(a, kind, target, str_of(how->attribute)) : managed_annotation(target, MANAGED_EXTERNAL_NAME);
    return value.n > 0 ? arena_printf(a, "%s" STR_FMT, how->before, STR_ARG(value)) : STR_EMPTY;
}

struct str managed_extract(struct arena *a, const struct xp_reference_rule *rule, const struct xp_kind *target_kind,
                           const struct json *target)
{
    if (!managed_extract_needs_kind(rule))
        return managed_annotation(target, MANAGED_EXTERNAL_NAME);
    if (!target_kind)
        return STR_EMPTY;
    const struct value_of *how = known_function(rule);
    if (how)
        return made_of(a, how, target_kind, target);
    struct str value = observed(a, target_kind, target, rule->attribute);
    if (value.n > 0)
        return value;
    return extract_from(a, target_kind->trees[FOR_PROVIDER], managed_at(target, "spec", "forProvider", NULL), rule->attribute);
}

/* --- the result --- */

static bool cannot_resolve(const struct managed_reference *r, const char *why, struct diags *diags)
{
    return diags_fail(diags, "Reference cannot be resolved", "cannot resolve references: " STR_FMT ": %s", STR_ARG(r->go_path),
                      why);
}

bool managed_reference_not_found(const struct managed_reference *r, struct str kind_group, struct str name, struct diags *diags)
{
    if (r->optional)
        return true;
    return diags_fail(diags, "Reference cannot be resolved",
                      "cannot resolve references: " STR_FMT ": cannot get referenced resource: " STR_FMT " \"" STR_FMT
                      "\" not found",
                      STR_ARG(r->go_path), STR_ARG(kind_group), STR_ARG(name));
}

struct resolution {
    struct str value;
    const struct json *target;
};

static int by_value(const void *x, const void *y)
{
    return str_cmp(((const struct resolution *)x)->value, ((const struct resolution *)y)->value);
}

/* {name}, plus the namespace if it differs from the object's. */
static const struct json *reference_to(struct arena *a, const struct json *object, const struct json *target)
{
    const struct json *reference = json_with(a, NULL, STR("name"), json_make_string(a, managed_name(target)));
    struct str namespace = managed_namespace(target);
    if (namespace.n > 0 && !str_eq(namespace, managed_namespace(object)))
        reference = json_with(a, reference, STR("namespace"), json_make_string(a, namespace));
    return reference;
}

/* The value in the field's type: text becomes a number in a number field. */
static const struct json *value_of(struct arena *a, const struct xp_shape *shape, struct str text)
{
    const struct json *number = shape->kind == SHAPE_NUMBER || shape->kind == SHAPE_INTEGER ? json_parse_lenient(a, text) : NULL;
    return number && number->kind == JSON_NUMBER ? number : json_make_string(a, text);
}

static void set_many(struct arena *a, const struct json *object, const struct managed_reference *r, struct resolution *found,
                     size_t n, struct managed_changes *changes)
{
    const struct json **values = arena_make_n(a, const struct json *, n), **refs = arena_make_n(a, const struct json *, n);
    size_t kept = 0;
    qsort(found, n, sizeof *found, by_value);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && str_eq(found[i].value, found[i - 1].value))
            continue;
        values[kept] = value_of(a, r->shape->element, found[i].value);
        refs[kept++] = reference_to(a, object, found[i].target);
    }
    managed_change_add(a, changes, r->value, json_make_array(a, values, kept));
    if (!r->given)
        managed_change_add(a, changes, r->reference, json_make_array(a, refs, kept));
}

static void set_one(struct arena *a, const struct json *object, const struct managed_reference *r, const struct resolution *found,
                    struct managed_changes *changes)
{
    managed_change_add(a, changes, r->value, value_of(a, r->shape, found->value));
    if (!r->given)
        managed_change_add(a, changes, r->reference, reference_to(a, object, found->target));
}

bool managed_resolve(struct arena *a, const struct json *object, const struct managed_reference *r,
                     const struct xp_kind *target_kind, const struct json *const *targets, size_t n, struct diags *diags,
                     struct managed_changes *changes)
{
    const char *why = n > 0 ? NULL : "no resources matched selector";
    struct resolution *found = arena_make_n(a, struct resolution, n);
    n = r->many || n == 0 ? n : 1;
    for (size_t i = 0; i < n; i++) {
        found[i] = (struct resolution){managed_extract(a, r->rule, target_kind, targets[i]), targets[i]};
        if (found[i].value.n == 0)
            why = "referenced field was empty (referenced resource may not yet be ready)";
    }
    if (why && !r->optional)
        return cannot_resolve(r, why, diags);
    if (!why && r->many)
        set_many(a, object, r, found, n, changes);
    else if (!why)
        set_one(a, object, r, found, changes);
    return true;
}
