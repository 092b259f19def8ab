/* Metadata: the same for every kind, whatever its schema says. */
#include "admission/check_private.h"
#include "admission/names.h"
#include "base/vec.h"

enum { MAX_ANNOTATIONS = 256 << 10 };

enum member_kind {
    MEMBER_TEXT,
    MEMBER_COUNT,
    MEMBER_FLAG,
    MEMBER_TIME,
    MEMBER_TEXTS_BY_NAME,
    MEMBER_TEXTS,
    MEMBER_OWNERS,
    MEMBER_IGNORED
};

struct member {
    const char *name;
    enum member_kind kind;
};

static const struct member of_metadata[] = {
    {"name", MEMBER_TEXT},
    {"generateName", MEMBER_TEXT},
    {"namespace", MEMBER_TEXT},
    {"selfLink", MEMBER_TEXT},
    {"uid", MEMBER_TEXT},
    {"resourceVersion", MEMBER_TEXT},
    {"generation", MEMBER_COUNT},
    {"creationTimestamp", MEMBER_TIME},
    {"deletionTimestamp", MEMBER_TIME},
    {"deletionGracePeriodSeconds", MEMBER_COUNT},
    {"labels", MEMBER_TEXTS_BY_NAME},
    {"annotations", MEMBER_TEXTS_BY_NAME},
    {"ownerReferences", MEMBER_OWNERS},
    {"finalizers", MEMBER_TEXTS},
    {"managedFields", MEMBER_IGNORED}, /* belongs to the server that wrote it */
};
static const struct member of_owner[] = {
    {"apiVersion", MEMBER_TEXT}, {"kind", MEMBER_TEXT},       {"name", MEMBER_TEXT},
    {"uid", MEMBER_TEXT},        {"controller", MEMBER_FLAG}, {"blockOwnerDeletion", MEMBER_FLAG},
};

struct members {
    const struct member *v;
    size_t n;
};

static const struct members metadata_members = {of_metadata, sizeof of_metadata / sizeof *of_metadata};
static const struct members owner_members = {of_owner, sizeof of_owner / sizeof *of_owner};

/* --- shape --- */

static const struct json *shape_members(struct checker *c, struct members known, const struct json *object, const struct at *at);

static void wrong_type(struct checker *c, const struct at *at, const char *expected, const struct json *j)
{
    problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Wrong type", "must be %s, not %s.", expected,
                check_kind_name(j));
}

static bool is_time(const struct json *j)
{
    bool (*is)(struct str) = NULL;
    return j->kind == JSON_STRING && openapi_format(STR("date-time"), &is) && is(j->text);
}

static void check_texts(struct checker *c, const struct json *j, const struct at *at)
{
    for (size_t i = 0; j->kind == JSON_ARRAY && i < j->array.n; i++) {
        struct at here = at_index(at, i);
        if (j->array.items[i]->kind != JSON_STRING)
            wrong_type(c, &here, "a string", j->array.items[i]);
    }
    for (size_t i = 0; j->kind == JSON_OBJECT && i < j->object.n; i++) {
        struct at here = at_key(at, j->object.members[i].key);
        if (j->object.members[i].value->kind != JSON_STRING)
            wrong_type(c, &here, "a string (in quotes)", j->object.members[i].value);
    }
}

static const struct json *shape_owners(struct checker *c, const struct json *list, const struct at *at)
{
    const struct json **items = arena_make_n(c->arena, const struct json *, list->array.n);
    for (size_t i = 0; i < list->array.n; i++) {
        struct at here = at_index(at, i);
        items[i] = list->array.items[i];
        if (items[i]->kind == JSON_OBJECT)
            items[i] = shape_members(c, owner_members, items[i], &here);
        else
            wrong_type(c, &here, "an object", items[i]);
    }
    return check_make_array(c->arena, list, items, list->array.n);
}

static bool is_empty(const struct json *j)
{
    return j->kind == JSON_NULL || (j->kind == JSON_STRING && j->text.n == 0) || (j->kind == JSON_ARRAY && j->array.n == 0) ||
           (j->kind == JSON_OBJECT && j->object.n == 0);
}

/* NULL: removed. */
static const struct json *shape_member(struct checker *c, enum member_kind kind, const struct json *j, const struct at *at)
{
    static const struct {
        enum json_kind kind;
        const char *name;
    } expected[] = {
        [MEMBER_TEXT] = {JSON_STRING, "a string"},    [MEMBER_COUNT] = {JSON_NUMBER, "a whole number"},
        [MEMBER_FLAG] = {JSON_BOOL, "true or false"}, [MEMBER_TIME] = {JSON_STRING, "a time"},
        [MEMBER_TEXTS] = {JSON_ARRAY, "a list"},      [MEMBER_TEXTS_BY_NAME] = {JSON_OBJECT, "an object"},
        [MEMBER_OWNERS] = {JSON_ARRAY, "a list"},     [MEMBER_IGNORED] = {JSON_ARRAY, "a list"},
    };
    int64_t count;
    if (j->kind == JSON_NULL)
        return NULL;
    if (j->kind != expected[kind].kind || (kind == MEMBER_COUNT && !str_to_i64(j->text, &count))) {
        wrong_type(c, at, expected[kind].name, j);
        return NULL;
    }
    if (kind == MEMBER_TIME && !is_time(j))
        problem_add(c->problems, PROBLEM_BLOCKING, at, DIAG_AT_VALUE, "Invalid value",
                    "must be a time such as 2006-01-02T15:04:05Z.");
    if (kind == MEMBER_TEXTS || kind == MEMBER_TEXTS_BY_NAME)
        check_texts(c, j, at);
    if (kind == MEMBER_OWNERS)
        j = shape_owners(c, j, at);
    return kind == MEMBER_IGNORED || is_empty(j) ? NULL : j;
}

static void tell_unknown(struct checker *c, struct members known, struct str name, const struct at *at)
{
    struct map names;
    arena_reset(c->scratch);
    map_init(&names, c->scratch);
    for (size_t i = 0; i < known.n; i++)
        map_put(&names, str_of(known.v[i].name), (void *)(uintptr_t)&known.v[i]);
    check_unknown(c, at, name, &names);
}

static const struct json *shape_members(struct checker *c, struct members known, const struct json *object, const struct at *at)
{
    struct json_member *kept = arena_make_n(c->arena, struct json_member, object->object.n);
    size_t n = 0;
    for (size_t i = 0; i < object->object.n; i++) {
        struct json_member m = object->object.members[i];
        size_t k = 0;
        while (k < known.n && !str_eqz(m.key, known.v[k].name))
            k++;
        if (k == known.n) {
            tell_unknown(c, known, m.key, at);
            continue;
        }
        struct at here = at_name(at, m.key);
        m.value = shape_member(c, known.v[k].kind, m.value, &here);
        if (m.value)
            kept[n++] = m;
    }
    return check_make_object(c->arena, object, kept, n);
}

const struct json *check_metadata_shape(struct checker *c, const struct json *metadata)
{
    struct at root = {0}, at = at_name(&root, STR("metadata"));
    size_t before = c->problems->blocking;
    if (!metadata || metadata->kind == JSON_NULL)
        return check_make_object(c->arena, metadata, NULL, 0);
    if (metadata->kind != JSON_OBJECT) {
        wrong_type(c, &at, "an object", metadata);
        return NULL;
    }
    const struct json *shaped = shape_members(c, metadata_members, metadata, &at);
    return c->problems->blocking == before ? shaped : NULL;
}

/* --- content --- */

static void tell_name(struct checker *c, const struct at *at, enum diag_where where, const char *why)
{
    if (why)
        problem_add(c->problems, PROBLEM_ERROR, at, where, "Invalid name", "%s.", why);
}

static const char *name_problem(enum check_name kind, struct str name)
{
    return kind == NAME_OF_NAMESPACE ? name_dns_label(name) : name_subdomain(name);
}

static void check_names(struct checker *c, const struct json *metadata, enum check_name kind, const struct at *up)
{
    struct at at_own = at_name(up, STR("name")), at_generate = at_name(up, STR("generateName"));
    struct str name = json_text(json_get(metadata, "name"), STR_EMPTY);
    struct str generate = json_text(json_get(metadata, "generateName"), STR_EMPTY);
    if (name.n == 0 && generate.n == 0)
        problem_add(c->problems, PROBLEM_BLOCKING, &at_own, DIAG_AT_END, "Missing field",
                    "or metadata.generateName is required.");
    if (name.n > 0)
        tell_name(c, &at_own, DIAG_AT_VALUE, name_problem(kind, name));
    /* A final hyphen is valid because the generated suffix follows. */
    bool hyphen = generate.n > 1 && generate.p[generate.n - 1] == '-';
    if (generate.n > 0)
        tell_name(c, &at_generate, DIAG_AT_VALUE, name_problem(kind, str_slice(generate, 0, generate.n - hyphen)));
}

static void check_namespace(struct checker *c, const struct json *metadata, const struct at *up)
{
    struct at at = at_name(up, STR("namespace"));
    struct str name = json_text(json_get(metadata, "namespace"), STR_EMPTY);
    if (name.n == 0)
        problem_add(c->problems, PROBLEM_BLOCKING, &at, DIAG_AT_END, "Missing field", "is required for objects of this kind.");
    else
        tell_name(c, &at, DIAG_AT_VALUE, name_dns_label(name));
}

const struct json *check_namespace_use(struct checker *c, const struct json *metadata, bool namespaced, struct str in_namespace)
{
    struct at root = {0}, up = at_name(&root, STR("metadata")), at = at_name(&up, STR("namespace"));
    bool has = json_get(metadata, "namespace") != NULL;
    if (namespaced && !has && in_namespace.n > 0)
        return check_with(c->arena, metadata, STR("namespace"), json_make_string(c->arena, in_namespace));
    if (namespaced || !has)
        return metadata;
    problem_add(c->problems, PROBLEM_WARNING, &at, DIAG_AT_NAME, "Namespace not used",
                "means nothing for objects of this kind, which are not in a namespace. It is ignored.");
    return check_with(c->arena, metadata, STR("namespace"), NULL);
}

static void check_labels(struct checker *c, const struct json *labels, const struct at *up)
{
    struct at at = at_name(up, STR("labels"));
    for (size_t i = 0; labels && i < labels->object.n; i++) {
        const struct json_member *m = &labels->object.members[i];
        struct at here = at_key(&at, m->key);
        tell_name(c, &here, DIAG_AT_NAME, name_qualified(m->key));
        const char *why = name_label_value(m->value->text);
        if (why)
            problem_add(c->problems, PROBLEM_ERROR, &here, DIAG_AT_VALUE, "Invalid label", "has a value that %s.", why);
    }
}

static void check_annotations(struct checker *c, const struct json *annotations, const struct at *up)
{
    struct at at = at_name(up, STR("annotations"));
    size_t size = 0;
    for (size_t i = 0; annotations && i < annotations->object.n; i++) {
        const struct json_member *m = &annotations->object.members[i];
        struct at here = at_key(&at, m->key);
        arena_reset(c->scratch);
        tell_name(c, &here, DIAG_AT_NAME, name_qualified(arena_lower(c->scratch, m->key)));
        size += m->key.n + m->value->text.n;
    }
    if (size > MAX_ANNOTATIONS)
        problem_add(c->problems, PROBLEM_BLOCKING, &at, DIAG_AT_NAME, "Value too long",
                    "must not have more than %d KiB together.", MAX_ANNOTATIONS >> 10);
}

static void check_owner(struct checker *c, const struct json *owner, const struct at *at)
{
    static const char *const needed[] = {"apiVersion", "kind", "name", "uid"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct at here = at_name(at, str_of(needed[i]));
        struct str text = json_text(json_get(owner, needed[i]), STR_EMPTY);
        if (text.n == 0 || (i == 0 && text.p[text.n - 1] == '/'))
            problem_add(c->problems, PROBLEM_ERROR, &here, DIAG_AT_END, "Invalid owner", "must not be empty.");
    }
}

static void check_owners(struct checker *c, const struct json *owners, const struct at *up)
{
    struct at at = at_name(up, STR("ownerReferences"));
    size_t controllers = 0;
    for (size_t i = 0; owners && i < owners->array.n; i++) {
        struct at here = at_index(&at, i);
        check_owner(c, owners->array.items[i], &here);
        controllers += json_bool(json_get(owners->array.items[i], "controller"), false);
    }
    if (controllers > 1)
        problem_add(c->problems, PROBLEM_ERROR, &at, DIAG_AT_NAME, "Invalid owner",
                    "has %zu owners with \"controller: true\"; only one may be the controller.", controllers);
}

static void check_finalizers(struct checker *c, const struct json *finalizers, const struct at *up)
{
    struct at at = at_name(up, STR("finalizers"));
    bool orphan = false, foreground = false;
    for (size_t i = 0; finalizers && i < finalizers->array.n; i++) {
        struct at here = at_index(&at, i);
        struct str name = finalizers->array.items[i]->text;
        tell_name(c, &here, DIAG_AT_VALUE, name_qualified(name));
        orphan = orphan || str_eqz(name, "orphan");
        foreground = foreground || str_eqz(name, "foregroundDeletion");
    }
    if (orphan && foreground)
        problem_add(c->problems, PROBLEM_ERROR, &at, DIAG_AT_NAME, "Invalid finalizers",
                    "must not have both orphan and foregroundDeletion.");
}

void check_metadata(struct checker *c, const struct json *metadata, bool namespaced, enum check_name name, bool is_update)
{
    struct at root = {0}, at = at_name(&root, STR("metadata"));
    if (!is_update) {
        check_names(c, metadata, name, &at);
        if (namespaced)
            check_namespace(c, metadata, &at);
        check_finalizers(c, json_get(metadata, "finalizers"), &at);
    }
    check_labels(c, json_get(metadata, "labels"), &at);
    check_annotations(c, json_get(metadata, "annotations"), &at);
    check_owners(c, json_get(metadata, "ownerReferences"), &at);
}
