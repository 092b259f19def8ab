#include "emulator/model.h"

#include "base/random.h"
#include "base/vec.h"
#include "cfn/regex.h"
#include "emulator/words.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_STEPS = 64 };

typedef VEC(struct json_member) member_list;
typedef VEC(const struct json *) item_list;

/* Names of properties from the root; for elements of arrays and maps the index or key. */
struct property_path {
    struct str steps[MAX_STEPS];
    bool element[MAX_STEPS];
    size_t n;
};

static bool is_star(struct str step)
{
    return step.n == 1 && step.p[0] == '*';
}

/* Does the pointer name this place? Its steps for elements are optional. */
static bool names_path(struct str pointer, const struct property_path *path)
{
    struct cfn_pointer p;
    if (!cfn_parse_pointer(pointer, &p))
        return false;
    size_t i = 0, j = 0;
    while (j < path->n) {
        if (i < p.n && (path->element[j] ? is_star(p.steps[i]) : str_eq(p.steps[i], path->steps[j])))
            i++;
        else if (!path->element[j])
            return false;
        j++;
    }
    return i == p.n && path->n > 0 && !path->element[path->n - 1];
}

static bool any_names(const struct cfn_texts *pointers, const struct property_path *path)
{
    for (size_t i = 0; i < pointers->n; i++)
        if (names_path(pointers->v[i], path))
            return true;
    return false;
}

/* Does one of the pointers lead into the object at this place? */
static bool any_leads_through(const struct cfn_texts *pointers, const struct property_path *path)
{
    for (size_t i = 0; i < pointers->n; i++) {
        struct cfn_pointer p;
        bool leads = cfn_parse_pointer(pointers->v[i], &p) && p.n > path->n;
        for (size_t j = 0; leads && j < path->n; j++)
            leads = str_eq(p.steps[j], path->steps[j]);
        if (leads)
            return true;
    }
    return false;
}

static bool step_in(const struct property_path *path, struct str name, struct property_path *ret)
{
    if (path->n == MAX_STEPS)
        return false;
    *ret = *path;
    ret->element[ret->n] = false;
    ret->steps[ret->n++] = name;
    return true;
}

static bool step_in_element(const struct property_path *path, struct str name, struct property_path *ret)
{
    if (!step_in(path, name, ret))
        return false;
    ret->element[path->n] = true;
    return true;
}

static bool resolve(const struct cfn_schema *s, const struct json *subschema, struct cfn_property *ret)
{
    const struct json *target;
    return subschema && cfn_property_resolve(s, subschema, ret, &target);
}

/* The subschema of a member; NULL if the schema does not mention it. */
static const struct json *member_schema(const struct cfn_property *p, struct str key)
{
    const struct json *named = json_get_str(p->properties, key);
    if (named || !p->pattern_properties)
        return named;
    return p->pattern_properties->object.n > 0 ? p->pattern_properties->object.members[0].value : NULL;
}

static struct cfn_property root_of(const struct cfn_schema *s)
{
    struct cfn_property root;
    cfn_property_read(s->root, &root);
    root.type = CFN_OBJECT;
    return root;
}

/* --- checking --- */

struct checker {
    struct arena *arena;
    const struct cfn_schema *schema;
    enum emulator_model_check what;
    struct str problem;
};

static bool is_integer(struct str number)
{
    for (size_t i = 0; i < number.n; i++)
        if (strchr(".eE", number.p[i]))
            return false;
    return true;
}

/* The name that the service's validator, written in Java, uses. */
static const char *kind_name(const struct json *j)
{
    static const char *const names[] = {[JSON_NULL] = "Null",
                                        [JSON_BOOL] = "Boolean",
                                        [JSON_STRING] = "String",
                                        [JSON_ARRAY] = "JSONArray",
                                        [JSON_OBJECT] = "JSONObject"};
    int64_t n;
    if (j->kind != JSON_NUMBER)
        return names[j->kind];
    if (!is_integer(j->text))
        return "BigDecimal";
    if (!str_to_i64(j->text, &n))
        return "BigInteger";
    return n >= INT32_MIN && n <= INT32_MAX ? "Integer" : "Long";
}

static struct str text_of(struct arena *a, const struct json *j)
{
    if (j->kind == JSON_STRING || j->kind == JSON_NUMBER)
        return arena_str(a, j->text);
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &text};
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_copy(&text, a);
}

static bool problem(struct checker *c, const struct property_path *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool problem(struct checker *c, const struct property_path *path, const char *format, ...)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    buf_addc(&text, '#');
    for (size_t i = 0; i < path->n; i++)
        buf_printf(&text, "/" STR_FMT, STR_ARG(emulator_shown(c->arena, path->steps[i])));
    va_list args;
    va_start(args, format);
    struct str what = arena_vprintf(c->arena, format, args);
    va_end(args);
    buf_printf(&text, ": " STR_FMT, STR_ARG(what));
    c->problem = buf_copy(&text, c->arena);
    return false;
}

static bool check_type(struct checker *c, const struct cfn_property *p, const struct json *j, const struct property_path *path)
{
    static const struct {
        const char *name;
        enum json_kind kind;
    } types[] = {
        [CFN_BOOLEAN] = {"Boolean", JSON_BOOL},  [CFN_INTEGER] = {"Integer", JSON_NUMBER},
        [CFN_NUMBER] = {"Number", JSON_NUMBER},  [CFN_STRING] = {"String", JSON_STRING},
        [CFN_ARRAY] = {"JSONArray", JSON_ARRAY}, [CFN_OBJECT] = {"JSONObject", JSON_OBJECT},
        [CFN_NULL] = {"Null", JSON_NULL},
    };
    bool typed = p->type >= CFN_BOOLEAN && p->type <= CFN_NULL;
    const struct json *several = json_get(p->json, "type");
    if (!typed || (several && several->kind == JSON_ARRAY))
        return true;
    if (j->kind == types[p->type].kind && (p->type != CFN_INTEGER || is_integer(j->text)))
        return true;
    return problem(c, path, "expected type: %s, found: %s", types[p->type].name, kind_name(j));
}

static double number_of(const struct json *j)
{
    char text[64] = "";
    (void)snprintf(text, sizeof text, STR_FMT, STR_ARG(j->text));
    return strtod(text, NULL);
}

static bool check_number(struct checker *c, const struct cfn_property *p, const struct json *j, const struct property_path *path)
{
    if (p->minimum && number_of(j) < number_of(p->minimum))
        return problem(c, path, STR_FMT " is not greater or equal to " STR_FMT, STR_ARG(j->text), STR_ARG(p->minimum->text));
    if (p->maximum && number_of(j) > number_of(p->maximum))
        return problem(c, path, STR_FMT " is not less or equal to " STR_FMT, STR_ARG(j->text), STR_ARG(p->maximum->text));
    return true;
}

static bool check_text(struct checker *c, const struct cfn_property *p, const struct json *j, const struct property_path *path)
{
    size_t length = str_count_utf8(j->text);
    if (p->min_length > 0 && length < (size_t)p->min_length)
        return problem(c, path, "expected minLength: %lld, actual: %zu", (long long)p->min_length, length);
    if (p->max_length >= 0 && length > (size_t)p->max_length)
        return problem(c, path, "expected maxLength: %lld, actual: %zu", (long long)p->max_length, length);
    if (p->pattern.n == 0 || !cfn_regex_check(p->pattern, NULL))
        return true;
    struct diags ignored;
    diags_init(&ignored, c->arena);
    const struct cfn_regex *regex = cfn_regex_compile(c->arena, p->pattern, &ignored);
    if (!regex || cfn_regex_match(regex, j->text) != CFN_MATCH_NO)
        return true;
    return problem(c, path, "string [" STR_FMT "] does not match pattern " STR_FMT, STR_ARG(emulator_shown(c->arena, j->text)),
                   STR_ARG(p->pattern));
}

static bool check_enum(struct checker *c, const struct cfn_property *p, const struct json *j, const struct property_path *path)
{
    for (size_t i = 0; i < p->values->array.n; i++)
        if (json_eq(p->values->array.items[i], j))
            return true;
    return problem(c, path, STR_FMT " is not a valid enum value", STR_ARG(emulator_shown(c->arena, text_of(c->arena, j))));
}

static bool check(struct checker *c, const struct json *subschema, const struct json *j, const struct property_path *path);

static bool has_duplicates(const struct json *array)
{
    enum { COMPARED = 1000 }; /* beyond this limit duplicates are not found */
    for (size_t i = 0; i < array->array.n && i < COMPARED; i++)
        for (size_t k = 0; k < i; k++)
            if (json_eq(array->array.items[i], array->array.items[k]))
                return true;
    return false;
}

static bool check_array(struct checker *c, const struct cfn_property *p, const struct json *j, const struct property_path *path)
{
    if (p->min_items > 0 && j->array.n < (size_t)p->min_items)
        return problem(c, path, "expected minimum item count: %lld, found: %zu", (long long)p->min_items, j->array.n);
    if (p->max_items >= 0 && j->array.n > (size_t)p->max_items)
        return problem(c, path, "expected maximum item count: %lld, found: %zu", (long long)p->max_items, j->array.n);
    if (p->unique_items && has_duplicates(j))
        return problem(c, path, "array items are not unique");
    for (size_t i = 0; p->items && i < j->array.n; i++) {
        struct property_path below;
        if (step_in_element(path, arena_printf(c->arena, "%zu", i), &below) && !check(c, p->items, j->array.items[i], &below))
            return false;
    }
    return true;
}

static bool is_closed(const struct cfn_property *p)
{
    const struct json *additional = json_get(p->json, "additionalProperties");
    return additional && additional->kind == JSON_BOOL && !additional->boolean;
}

/* A key may also belong to any of the alternatives. */
static bool is_known_key(const struct cfn_property *p, struct str key)
{
    if (member_schema(p, key))
        return true;
    const struct json *const alternatives[] = {p->one_of, p->any_of, p->all_of};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; alternatives[i] && k < alternatives[i]->array.n; k++) {
            const struct json *one = alternatives[i]->array.items[k];
            if (json_get(one, "$ref") || json_get_str(json_get(one, "properties"), key))
                return true;
        }
    return false;
}

static bool check_object(struct checker *c, const struct cfn_property *p, const struct json *j, const struct property_path *path)
{
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        if (is_closed(p) && !is_known_key(p, m->key))
            return problem(c, path, "extraneous key [" STR_FMT "] is not permitted", STR_ARG(emulator_shown(c->arena, m->key)));
        const struct json *subschema = member_schema(p, m->key);
        struct property_path below;
        bool named = json_get_str(p->properties, m->key) != NULL;
        if (subschema && (named ? step_in : step_in_element)(path, m->key, &below) && !check(c, subschema, m->value, &below))
            return false;
    }
    for (size_t i = 0; c->what == EMULATOR_CHECK_WHOLE && p->required && i < p->required->array.n; i++) {
        struct str key = json_text(p->required->array.items[i], STR_EMPTY);
        struct property_path below;
        bool of_service = step_in(path, key, &below) && any_names(&c->schema->read_only, &below);
        if (!json_get_str(j, key) && !of_service)
            return problem(c, path, "required key [" STR_FMT "] not found", STR_ARG(key));
    }
    return true;
}

static bool check_property(struct checker *c, const struct cfn_property *p, const struct json *j,
                           const struct property_path *path)
{
    if (!check_type(c, p, j, path))
        return false;
    if (p->values && !check_enum(c, p, j, path))
        return false;
    switch (j->kind) {
    case JSON_NUMBER:
        return check_number(c, p, j, path);
    case JSON_STRING:
        return check_text(c, p, j, path);
    case JSON_ARRAY:
        return check_array(c, p, j, path);
    case JSON_OBJECT:
        return check_object(c, p, j, path);
    case JSON_NULL:
    case JSON_BOOL:
        break;
    }
    return true;
}

static bool check(struct checker *c, const struct json *subschema, const struct json *j, const struct property_path *path)
{
    struct cfn_property p;
    return !resolve(c->schema, subschema, &p) || check_property(c, &p, j, path);
}

bool emulator_model_check(struct arena *a, const struct cfn_schema *s, const struct json *model, enum emulator_model_check what,
                          struct str *ret_problem)
{
    struct checker c = {.arena = a, .schema = s, .what = what};
    struct cfn_property root = root_of(s);
    if (check_property(&c, &root, model, &(struct property_path){0}))
        return true;
    *ret_problem = c.problem;
    return false;
}

/* --- values at pointers --- */

static const struct json *at_pointer(const struct json *model, struct str pointer)
{
    struct cfn_pointer p;
    if (!cfn_parse_pointer(pointer, &p) || p.starred)
        return NULL;
    for (size_t i = 0; i < p.n && model; i++)
        model = json_get_str(model, p.steps[i]);
    return model;
}

/* Is the pointer, or a pointer to one of its parents, in the list? */
static bool is_below(const struct cfn_texts *pointers, struct str pointer)
{
    for (size_t i = 0; i < pointers->n; i++) {
        struct str p = pointers->v[i];
        if (str_starts(pointer, p) && (pointer.n == p.n || pointer.p[p.n] == '/'))
            return true;
    }
    return false;
}

struct str emulator_model_read_only(struct arena *a, const struct cfn_schema *s, const struct json *model)
{
    for (size_t i = 0; i < s->read_only.n; i++)
        if (at_pointer(model, s->read_only.v[i]))
            return arena_str(a, s->read_only.v[i]);
    return STR_EMPTY;
}

struct str emulator_model_create_only(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                      const struct json *after)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < s->create_only.n; i++) {
        struct str pointer = s->create_only.v[i];
        const struct json *was = at_pointer(before, pointer), *is = at_pointer(after, pointer);
        bool same = was == is || (was && is && json_eq(was, is));
        if (same || is_below(&s->write_only, pointer))
            continue;
        buf_printf(&names, "%s" STR_FMT, names.n > 0 ? ", " : "", STR_ARG(pointer));
    }
    return buf_copy(&names, a);
}

struct str emulator_model_read_only_changed(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                            const struct json *after)
{
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < s->read_only.n; i++) {
        const struct json *was = at_pointer(before, s->read_only.v[i]), *is = at_pointer(after, s->read_only.v[i]);
        if (is && (!was || !json_eq(was, is)))
            buf_printf(&names, "%s" STR_FMT, names.n > 0 ? ", " : "", STR_ARG(s->read_only.v[i]));
    }
    return buf_copy(&names, a);
}

bool emulator_model_identifier(struct arena *a, const struct cfn_schema *s, const struct json *model, struct str *ret)
{
    struct buf id BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < s->primary_identifier.n; i++) {
        const struct json *part = at_pointer(model, s->primary_identifier.v[i]);
        if (!part || part->kind == JSON_NULL)
            return false;
        buf_addz(&id, i > 0 ? "|" : "");
        buf_add(&id, text_of(a, part)); /* not printf, because it may contain any bytes */
    }
    *ret = buf_copy(&id, a);
    return id.n > 0;
}

/* `object` with the value set at the path; creates missing parents. */
static const struct json *put_at(struct arena *a, const struct json *object, const struct str *steps, size_t n,
                                 const struct json *value)
{
    if (n == 0 || (object && object->kind != JSON_OBJECT))
        return n == 0 ? value : object;
    member_list list = {0};
    const struct json *below = object ? json_get_str(object, steps[0]) : NULL;
    for (size_t i = 0; object && i < object->object.n; i++)
        if (!str_eq(object->object.members[i].key, steps[0]))
            *VEC_PUSH(a, &list) = object->object.members[i];
    *VEC_PUSH(a, &list) = (struct json_member){.key = steps[0], .value = put_at(a, below, steps + 1, n - 1, value)};
    return json_make_object(a, list.v, list.n);
}

/* Does the parent still exist? What a client removed as a whole stays removed. */
static bool has_owner(const struct json *model, const struct cfn_pointer *p)
{
    for (size_t i = 0; i + 1 < p->n && model; i++)
        model = json_get_str(model, p->steps[i]);
    return model && model->kind == JSON_OBJECT;
}

/* Copies one property of `before` unless `after` has it; `alone`: even if its parent object is gone. */
static const struct json *keep_one(struct arena *a, const struct json *before, const struct json *after, struct str pointer,
                                   bool alone)
{
    const struct json *was = at_pointer(before, pointer);
    struct cfn_pointer p;
    bool kept = was && !at_pointer(after, pointer) && cfn_parse_pointer(pointer, &p) && (alone || has_owner(after, &p));
    return kept ? put_at(a, after, p.steps, p.n, was) : after;
}

const struct json *emulator_model_keep(struct arena *a, const struct cfn_schema *s, const struct json *before,
                                       const struct json *after)
{
    for (size_t i = 0; i < s->primary_identifier.n; i++)
        after = keep_one(a, before, after, s->primary_identifier.v[i], true);
    for (size_t i = 0; i < s->read_only.n; i++)
        after = keep_one(a, before, after, s->read_only.v[i], false);
    for (size_t i = 0; i < s->create_only.n; i++)
        if (cfn_texts_have(&s->write_only, s->create_only.v[i]))
            after = keep_one(a, before, after, s->create_only.v[i], false);
    return after;
}

/* --- models made from models --- */

struct maker {
    struct arena *arena;
    const struct cfn_schema *schema;
    const struct emulator_sampler *sampler; /* to fill in values; otherwise NULL */
    bool hide;
    uint64_t shuffle; /* 0: no */
};

static const struct json *remake(struct maker *m, const struct cfn_property *p, const struct json *j,
                                 const struct property_path *path);

static const struct json *remake_object(struct maker *m, const struct cfn_property *p, const struct json *j,
                                        const struct property_path *path);

static const struct json *remake_below(struct maker *m, const struct json *subschema, const struct json *j,
                                       const struct property_path *path)
{
    struct cfn_property p;
    return resolve(m->schema, subschema, &p) ? remake(m, &p, j, path) : j;
}

static void shuffle_items(struct maker *m, const struct cfn_property *p, item_list *items)
{
    enum cfn_array order = cfn_array_class(p);
    if (m->shuffle == 0 || (order != CFN_ARRAY_MULTISET && order != CFN_ARRAY_SET))
        return;
    for (size_t i = items->n; i > 1; i--) {
        size_t other = random_next(&m->shuffle) % i;
        const struct json *moved = items->v[i - 1];
        items->v[i - 1] = items->v[other];
        items->v[other] = moved;
    }
}

static const struct json *remake_array(struct maker *m, const struct cfn_property *p, const struct json *j,
                                       const struct property_path *path)
{
    item_list items = {0};
    struct property_path below;
    bool deeper = step_in_element(path, STR_EMPTY, &below);
    for (size_t i = 0; i < j->array.n; i++)
        *VEC_PUSH(m->arena, &items) =
            deeper && p->items ? remake_below(m, p->items, j->array.items[i], &below) : j->array.items[i];
    shuffle_items(m, p, &items);
    return json_make_array(m->arena, items.v, items.n);
}

/* Adds what the service adds to an object: defaults, and values that only the service knows. */
static void fill_object(struct maker *m, const struct cfn_property *p, const struct json *j, const struct property_path *path,
                        member_list *list)
{
    for (size_t i = 0; p->properties && i < p->properties->object.n; i++) {
        const struct json_member *property = &p->properties->object.members[i];
        struct cfn_property own;
        struct property_path below;
        if (json_get_str(j, property->key) || !resolve(m->schema, property->value, &own) || !step_in(path, property->key, &below))
            continue;
        const struct json *value = NULL;
        bool is_name = any_names(&m->schema->primary_identifier, &below); /* invented if the client sends none */
        if (is_name || any_names(&m->schema->read_only, &below))
            value = emulator_sample(m->sampler, property->value, property->key);
        else if (any_leads_through(&m->schema->primary_identifier, &below))
            value = remake_object(m, &own, json_make_object(m->arena, NULL, 0), &below);
        else if (own.by_default && !any_names(&m->schema->write_only, &below))
            value = own.by_default;
        struct checker c = {.arena = m->arena, .schema = m->schema, .what = EMULATOR_CHECK_CALL};
        if (value && check_property(&c, &own, value, &below))
            *VEC_PUSH(m->arena, list) = (struct json_member){.key = property->key, .value = value};
    }
}

static const struct json *remake_object(struct maker *m, const struct cfn_property *p, const struct json *j,
                                        const struct property_path *path)
{
    member_list list = {0};
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *member = &j->object.members[i];
        struct property_path below;
        bool named = json_get_str(p->properties, member->key) != NULL;
        if (!(named ? step_in : step_in_element)(path, member->key, &below))
            continue;
        if (m->hide && any_names(&m->schema->write_only, &below))
            continue;
        *VEC_PUSH(m->arena, &list) = (struct json_member){
            .key = member->key, .value = remake_below(m, member_schema(p, member->key), member->value, &below)};
    }
    if (m->sampler)
        fill_object(m, p, j, path, &list);
    return json_make_object(m->arena, list.v, list.n);
}

static const struct json *remake(struct maker *m, const struct cfn_property *p, const struct json *j,
                                 const struct property_path *path)
{
    if (j->kind == JSON_ARRAY)
        return remake_array(m, p, j, path);
    return j->kind == JSON_OBJECT ? remake_object(m, p, j, path) : j;
}

const struct json *emulator_model_complete(const struct emulator_sampler *sampler, const struct json *model)
{
    size_t left = EMULATOR_SAMPLE_WORK; /* for all properties together */
    struct emulator_sampler own = *sampler;
    own.left = &left;
    struct maker m = {.arena = sampler->arena, .schema = sampler->schema, .sampler = &own};
    struct cfn_property root = root_of(sampler->schema);
    return remake(&m, &root, model, &(struct property_path){0});
}

const struct json *emulator_model_visible(struct arena *a, const struct cfn_schema *s, const struct json *model, uint64_t shuffle)
{
    struct maker m = {.arena = a, .schema = s, .hide = true, .shuffle = shuffle};
    struct cfn_property root = root_of(s);
    return remake(&m, &root, model, &(struct property_path){0});
}

/* An object with only the properties that the pointers name; nested ones keep their parents. */
static const struct json *only(struct arena *a, const struct cfn_schema *s, const struct json *j,
                               const struct property_path *path)
{
    member_list list = {0};
    for (size_t i = 0; j->kind == JSON_OBJECT && i < j->object.n; i++) {
        const struct json_member *member = &j->object.members[i];
        struct property_path below;
        if (!step_in(path, member->key, &below))
            continue;
        const struct json *value = member->value;
        if (!any_names(&s->primary_identifier, &below)) {
            value = only(a, s, value, &below);
            if (value->object.n == 0)
                continue;
        }
        *VEC_PUSH(a, &list) = (struct json_member){.key = member->key, .value = value};
    }
    return json_make_object(a, list.v, list.n);
}

const struct json *emulator_model_identity(struct arena *a, const struct cfn_schema *s, const struct json *model)
{
    return only(a, s, model, &(struct property_path){0});
}
