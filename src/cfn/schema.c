#include "cfn/schema.h"

#include "base/vec.h"

bool cfn_texts_have(const struct cfn_texts *texts, struct str text)
{
    for (size_t i = 0; i < texts->n; i++)
        if (str_eq(texts->v[i], text))
            return true;
    return false;
}

/* --- loading --- */

struct loader {
    struct cfn_schema *s;
    const char *source;
    struct diags *diags;
};

static bool wrong(const struct loader *l, const struct json *where, const char *what)
{
    struct str name = l->s->type_name.n > 0 ? l->s->type_name : STR("the schema");
    return diags_fail(l->diags, "Unusable resource type schema", "%s, line %u: " STR_FMT ": %s.", l->source,
                      where ? where->line : 0, STR_ARG(name), what);
}

/* The strings of an array; none if absent. */
static bool load_texts(const struct loader *l, const struct json *j, struct cfn_texts *ret)
{
    if (!j)
        return true;
    if (j->kind != JSON_ARRAY || j->array.n > CFN_MAX_POINTERS)
        return wrong(l, j, "expected an array of strings, and not too many of them");
    struct str *v = arena_make_n(l->s->arena, struct str, j->array.n);
    for (size_t i = 0; i < j->array.n; i++) {
        if (j->array.items[i]->kind != JSON_STRING)
            return wrong(l, j->array.items[i], "expected a string");
        v[i] = j->array.items[i]->text;
    }
    *ret = (struct cfn_texts){v, j->array.n};
    return true;
}

static bool load_additional(const struct loader *l, const struct json *j)
{
    if (!j)
        return true;
    if (j->kind != JSON_ARRAY || j->array.n > CFN_MAX_POINTERS)
        return wrong(l, j, "additionalIdentifiers is not an array, or is too long");
    l->s->additional_identifiers = arena_make_n(l->s->arena, struct cfn_texts, j->array.n);
    l->s->n_additional_identifiers = j->array.n;
    for (size_t i = 0; i < j->array.n; i++) {
        const struct json *item = j->array.items[i];
        /* Older schemas have one pointer where newer ones have a list. */
        const struct json *list = item->kind == JSON_STRING ? json_make_array(l->s->arena, &j->array.items[i], 1) : item;
        if (!load_texts(l, list, &l->s->additional_identifiers[i]))
            return false;
    }
    return true;
}

static bool load_handler(const struct loader *l, const struct json *j, struct cfn_handler *h)
{
    if (!j)
        return true;
    if (j->kind != JSON_OBJECT)
        return wrong(l, j, "a handler is not an object");
    const struct json *schema = json_get(j, "handlerSchema"), *timeout = json_get(j, "timeoutInMinutes");
    if (schema && schema->kind != JSON_OBJECT)
        return wrong(l, schema, "a handlerSchema is not an object");
    h->present = true;
    h->timeout_minutes = timeout ? json_int(timeout, -1) : 0;
    if (h->timeout_minutes < 0)
        return wrong(l, timeout, "a timeout is not a whole number of minutes, 0 or greater");
    h->properties = json_get(schema, "properties");
    h->conditions = json_get(schema, "allOf") || json_get(schema, "anyOf") || json_get(schema, "oneOf");
    return load_texts(l, json_get(j, "permissions"), &h->permissions) &&
           load_texts(l, json_get(schema, "required"), &h->required);
}

static bool load_handlers(const struct loader *l, const struct json *handlers)
{
    static const char *const names[CFN_N_HANDLERS] = {
        [CFN_CREATE] = "create", [CFN_READ] = "read", [CFN_UPDATE] = "update", [CFN_DELETE] = "delete", [CFN_LIST] = "list"};
    if (handlers && handlers->kind != JSON_OBJECT)
        return wrong(l, handlers, "handlers is not an object");
    for (size_t i = 0; i < CFN_N_HANDLERS; i++)
        if (!load_handler(l, json_get(handlers, names[i]), &l->s->handlers[i]))
            return false;
    return true;
}

/* Without `tagging`, a type with a property Tags can be tagged; older schemas have only the flag `taggable`. */
static bool load_tagging(const struct loader *l)
{
    struct cfn_schema *s = l->s;
    const struct json *tagging = json_get(s->root, "tagging");
    struct cfn_tagging *t = &s->tagging;
    if (tagging && tagging->kind != JSON_OBJECT)
        return wrong(l, tagging, "tagging is not an object");
    bool older = json_bool(json_get(s->root, "taggable"), true);
    t->taggable = json_bool(json_get(tagging, "taggable"), tagging ? true : older);
    t->tag_on_create = json_bool(json_get(tagging, "tagOnCreate"), t->taggable);
    t->tag_updatable = json_bool(json_get(tagging, "tagUpdatable"), t->taggable);
    t->property = t->taggable ? json_text(json_get(tagging, "tagProperty"), STR("/properties/Tags")) : STR_EMPTY;
    return true;
}

/* An object of subschemas; empty if absent. */
static bool load_members(const struct loader *l, const char *key, const struct json **ret)
{
    static const struct json none = {.kind = JSON_OBJECT};
    const struct json *j = json_get(l->s->root, key);
    *ret = j ? j : &none;
    if ((*ret)->kind != JSON_OBJECT)
        return wrong(l, j, "properties and definitions must be objects");
    if ((*ret)->object.n > CFN_MAX_PROPERTIES)
        return wrong(l, j, "too many properties or definitions");
    for (size_t i = 0; i < (*ret)->object.n; i++) {
        const struct json_member *m = &(*ret)->object.members[i];
        if (m->key.n == 0 || m->key.n > CFN_MAX_NAME)
            return wrong(l, m->value, "a name is empty or too long");
        if (m->value->kind != JSON_OBJECT)
            return wrong(l, m->value, "a property is not an object");
    }
    return true;
}

static bool load_name(const struct loader *l)
{
    struct cfn_schema *s = l->s;
    const struct json *name = json_get(s->root, "typeName");
    if (!name || name->kind != JSON_STRING)
        return wrong(l, s->root, "it has no typeName");
    if (!cfn_parse_cf_type(name->text, &s->name))
        return wrong(l, name,
                     "its typeName is not of the form AWS::Service::Resource, with 2 to 64 letters and digits in each part");
    s->type_name = name->text;
    return true;
}

static bool load_description(const struct loader *l)
{
    const struct json *description = json_get(l->s->root, "description");
    if (description && description->kind != JSON_STRING)
        return wrong(l, description, "its description is not a string");
    l->s->description = description ? description->text : STR_EMPTY;
    return true;
}

static bool load(const struct loader *l)
{
    struct cfn_schema *s = l->s;
    if (s->root->kind != JSON_OBJECT)
        return wrong(l, s->root, "it is not an object");
    if (!load_name(l) || !load_members(l, "properties", &s->properties) || !load_members(l, "definitions", &s->definitions))
        return false;
    const struct {
        const char *key;
        struct cfn_texts *texts;
    } lists[] = {
        {"required", &s->required},
        {"readOnlyProperties", &s->read_only},
        {"writeOnlyProperties", &s->write_only},
        {"createOnlyProperties", &s->create_only},
        {"conditionalCreateOnlyProperties", &s->conditional_create_only},
        {"deprecatedProperties", &s->deprecated},
        {"primaryIdentifier", &s->primary_identifier},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!load_texts(l, json_get(s->root, lists[i].key), lists[i].texts))
            return false;
    return load_description(l) && load_tagging(l) && load_additional(l, json_get(s->root, "additionalIdentifiers")) &&
           load_handlers(l, json_get(s->root, "handlers"));
}

const struct cfn_schema *cfn_schema_load(struct arena *a, const struct json *root, const char *source, struct diags *diags)
{
    struct cfn_schema *s = arena_make(a, struct cfn_schema);
    s->arena = a;
    s->root = root;
    struct loader l = {.s = s, .source = source, .diags = diags};
    return load(&l) ? s : NULL;
}

const struct cfn_schema *cfn_schema_parse(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    if (text.n > CFN_MAX_TEXT) {
        (void)diags_fail(diags, "Unusable resource type schema", "%s is larger than %d bytes.", source, (int)CFN_MAX_TEXT);
        return NULL;
    }
    const struct json *root = json_parse(a, text, source, diags);
    return root ? cfn_schema_load(a, root, source, diags) : NULL;
}

/* --- one subschema --- */

static enum cfn_type type_named(struct str name)
{
    static const struct {
        struct str name;
        enum cfn_type type;
    } types[] = {{{"string", 6}, CFN_STRING}, {{"integer", 7}, CFN_INTEGER}, {{"boolean", 7}, CFN_BOOLEAN},
                 {{"array", 5}, CFN_ARRAY},   {{"object", 6}, CFN_OBJECT},   {{"number", 6}, CFN_NUMBER},
                 {{"null", 4}, CFN_NULL}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (str_eq(name, types[i].name))
            return types[i].type;
    return CFN_BAD;
}

static enum cfn_type read_type(const struct json *j)
{
    if (j->kind == JSON_STRING)
        return type_named(j->text);
    if (j->array.n != 2)
        return CFN_BAD;
    for (size_t i = 0; i < 2; i++) {
        enum cfn_type type = type_named(j->array.items[i]->text);
        if (type != CFN_OBJECT)
            return type;
    }
    return CFN_BAD;
}

/* A count in JSON Schema's sense; an invalid number counts as absent. */
static int64_t read_count(const struct json *j)
{
    int64_t n = json_int(j, -1);
    return n < 0 ? -1 : n;
}

static const struct json *filled(const struct json *j)
{
    return j->object.n > 0 ? j : NULL;
}

enum keyword {
    KEY_OTHER,
    KEY_REF,
    KEY_ALL_OF,
    KEY_ANY_OF,
    KEY_DEFAULT,
    KEY_DESCRIPTION,
    KEY_ENUM,
    KEY_FORMAT,
    KEY_INSERTION_ORDER,
    KEY_ITEMS,
    KEY_MAX_ITEMS,
    KEY_MAX_LENGTH,
    KEY_MAXIMUM,
    KEY_MIN_ITEMS,
    KEY_MIN_LENGTH,
    KEY_MINIMUM,
    KEY_ONE_OF,
    KEY_PATTERN,
    KEY_PATTERN_PROPERTIES,
    KEY_PROPERTIES,
    KEY_REQUIRED,
    KEY_TYPE,
    KEY_UNIQUE_ITEMS,
};

static const struct {
    struct str key;
    enum keyword keyword;
} keywords[] = {
    {{"type", 4}, KEY_TYPE},
    {{"description", 11}, KEY_DESCRIPTION},
    {{"$ref", 4}, KEY_REF},
    {{"properties", 10}, KEY_PROPERTIES},
    {{"items", 5}, KEY_ITEMS},
    {{"pattern", 7}, KEY_PATTERN},
    {{"minLength", 9}, KEY_MIN_LENGTH},
    {{"maxLength", 9}, KEY_MAX_LENGTH},
    {{"required", 8}, KEY_REQUIRED},
    {{"enum", 4}, KEY_ENUM},
    {{"insertionOrder", 14}, KEY_INSERTION_ORDER},
    {{"uniqueItems", 11}, KEY_UNIQUE_ITEMS},
    {{"minimum", 7}, KEY_MINIMUM},
    {{"maximum", 7}, KEY_MAXIMUM},
    {{"minItems", 8}, KEY_MIN_ITEMS},
    {{"maxItems", 8}, KEY_MAX_ITEMS},
    {{"default", 7}, KEY_DEFAULT},
    {{"format", 6}, KEY_FORMAT},
    {{"patternProperties", 17}, KEY_PATTERN_PROPERTIES},
    {{"oneOf", 5}, KEY_ONE_OF},
    {{"anyOf", 5}, KEY_ANY_OF},
    {{"allOf", 5}, KEY_ALL_OF},
};

static enum keyword find_keyword(struct str key)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (key.n == keywords[i].key.n && key.p[0] == keywords[i].key.p[0] && str_eq(key, keywords[i].key))
            return keywords[i].keyword;
    return KEY_OTHER;
}

static const char *keyword_name(enum keyword keyword)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (keywords[i].keyword == keyword)
            return keywords[i].key.p;
    return "";
}

static bool are_of_kind(const struct json *array, enum json_kind kind)
{
    for (size_t i = 0; i < array->array.n; i++)
        if (array->array.items[i]->kind != kind)
            return false;
    return true;
}

/* Is the value valid for the keyword? null always means absent. */
static bool is_fit(enum keyword keyword, const struct json *v)
{
    switch (keyword) {
    case KEY_OTHER:
    case KEY_DEFAULT:
        return true;
    case KEY_REF:
    case KEY_DESCRIPTION:
    case KEY_FORMAT:
    case KEY_PATTERN:
        return v->kind == JSON_STRING;
    case KEY_INSERTION_ORDER:
    case KEY_UNIQUE_ITEMS:
        return v->kind == JSON_BOOL;
    case KEY_MAXIMUM:
    case KEY_MINIMUM:
        return v->kind == JSON_NUMBER;
    case KEY_MAX_ITEMS:
    case KEY_MAX_LENGTH:
    case KEY_MIN_ITEMS:
    case KEY_MIN_LENGTH:
        return read_count(v) >= 0;
    case KEY_ITEMS:
    case KEY_PATTERN_PROPERTIES:
    case KEY_PROPERTIES:
        return v->kind == JSON_OBJECT;
    case KEY_ENUM:
        return v->kind == JSON_ARRAY;
    case KEY_REQUIRED:
        return v->kind == JSON_ARRAY && are_of_kind(v, JSON_STRING);
    case KEY_ALL_OF:
    case KEY_ANY_OF:
    case KEY_ONE_OF:
        return v->kind == JSON_ARRAY && are_of_kind(v, JSON_OBJECT);
    case KEY_TYPE:
        return v->kind == JSON_STRING || (v->kind == JSON_ARRAY && are_of_kind(v, JSON_STRING));
    }
    return true;
}

/* The value is valid for the keyword. */
static void read_keyword(struct cfn_property *p, enum keyword keyword, const struct json *v)
{
    switch (keyword) {
    case KEY_OTHER:
        break;
    case KEY_REF:
        p->ref = v->text;
        break;
    case KEY_ALL_OF:
        p->all_of = v;
        break;
    case KEY_ANY_OF:
        p->any_of = v;
        break;
    case KEY_ONE_OF:
        p->one_of = v;
        break;
    case KEY_DEFAULT:
        p->by_default = v;
        break;
    case KEY_DESCRIPTION:
        p->description = v->text;
        break;
    case KEY_ENUM:
        p->values = v;
        break;
    case KEY_FORMAT:
        p->format = v->text;
        break;
    case KEY_INSERTION_ORDER:
        p->insertion_order = v->boolean;
        break;
    case KEY_ITEMS:
        p->items = v;
        break;
    case KEY_MAX_ITEMS:
        p->max_items = read_count(v);
        break;
    case KEY_MAX_LENGTH:
        p->max_length = read_count(v);
        break;
    case KEY_MAXIMUM:
        p->maximum = v;
        break;
    case KEY_MIN_ITEMS:
        p->min_items = read_count(v);
        break;
    case KEY_MIN_LENGTH:
        p->min_length = read_count(v);
        break;
    case KEY_MINIMUM:
        p->minimum = v;
        break;
    case KEY_PATTERN:
        p->pattern = v->text;
        break;
    case KEY_PATTERN_PROPERTIES:
        p->pattern_properties = filled(v);
        break;
    case KEY_PROPERTIES:
        p->properties = filled(v);
        break;
    case KEY_REQUIRED:
        p->required = v;
        break;
    case KEY_TYPE:
        p->type = read_type(v);
        break;
    case KEY_UNIQUE_ITEMS:
        p->unique_items = v->boolean;
        break;
    }
}

void cfn_property_read(const struct json *j, struct cfn_property *ret)
{
    *ret = (struct cfn_property){
        .json = j,
        .ref = STR_EMPTY,
        .description = STR_EMPTY,
        .format = STR_EMPTY,
        .pattern = STR_EMPTY,
        .min_length = -1,
        .max_length = -1,
        .min_items = -1,
        .max_items = -1,
        .insertion_order = true,
    };
    if (j->kind != JSON_OBJECT) {
        ret->odd = "a subschema";
        return;
    }
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        enum keyword keyword = find_keyword(m->key);
        if (m->value->kind == JSON_NULL)
            continue;
        if (is_fit(keyword, m->value))
            read_keyword(ret, keyword, m->value);
        else
            ret->odd = keyword_name(keyword);
    }
}

enum cfn_array cfn_array_class(const struct cfn_property *p)
{
    if (p->unique_items)
        return p->insertion_order ? CFN_ARRAY_UNIQUE_LIST : CFN_ARRAY_SET;
    return p->insertion_order ? CFN_ARRAY_LIST : CFN_ARRAY_MULTISET;
}

/* --- references --- */

const struct json *cfn_schema_target(const struct cfn_schema *s, struct str ref)
{
    enum cfn_ref_kind kind;
    struct str name;
    if (!cfn_parse_ref(ref, &kind, &name))
        return NULL;
    return json_get_str(kind == CFN_REF_DEFINITION ? s->definitions : s->properties, name);
}

bool cfn_property_resolve(const struct cfn_schema *s, const struct json *j, struct cfn_property *ret,
                          const struct json **ret_target)
{
    struct cfn_property p, target;
    cfn_property_read(j, &p);
    target = p;
    for (size_t steps = 0; target.ref.n > 0; steps++) {
        const struct json *to = steps < CFN_MAX_REFS ? cfn_schema_target(s, target.ref) : NULL;
        if (!to)
            return false;
        cfn_property_read(to, &target);
        /* The referring subschema's value wins, so it is restored after each step. */
        if (p.by_default)
            target.by_default = p.by_default;
        if (p.description.n > 0)
            target.description = p.description;
        p.by_default = target.by_default;
        p.description = target.description;
    }
    *ret = target;
    *ret_target = target.json;
    return true;
}
