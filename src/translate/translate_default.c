/*
 * Defaults (docs/awscc-rules.md 1.5): a value of the node's type, and whether it replaces null or unknown.
 */
#include "translate/translate_private.h"
#include "translate/validators.h"

#include <math.h>
#include <stdlib.h>

static void set(struct cc_node *node, enum cc_default kind, const struct value *v)
{
    node->default_kind = kind;
    node->by_default = v;
}

/* As Go's ParseBool. */
static bool parse_bool(struct str s, bool *ret)
{
    static const char *const words[] = {"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"};
    enum { N = sizeof words / sizeof words[0] };
    for (size_t i = 0; i < N; i++)
        if (str_eqz(s, words[i])) {
            *ret = i < N / 2;
            return true;
        }
    return false;
}

/* NULL if the default has an unexpected form. */
static const struct value *bool_value(struct arena *a, const struct json *j)
{
    bool b;
    if (j->kind == JSON_BOOL)
        return value_bool(a, j->boolean);
    return j->kind == JSON_STRING && parse_bool(j->text, &b) ? value_bool(a, b) : NULL;
}

/* An integer is truncated. */
static const struct value *number_value(struct arena *a, const struct json *j, bool whole)
{
    static const double within = 0x1p53; /* a double represents every integer up to this exactly */
    struct number n;
    if (j->kind != JSON_NUMBER || !number_parse(a, j->text, &n))
        return NULL;
    if (!whole || number_is_integer(n))
        return value_number(a, n);
    double d = strtod(j->text.p, NULL);
    return fabs(d) < within ? value_number(a, number_from_i64((int64_t)d)) : NULL;
}

static const struct value *string_value(struct arena *a, const struct json *j)
{
    if (j->kind == JSON_BOOL)
        return value_string(a, j->boolean ? STR("true") : STR("false"));
    return j->kind == JSON_STRING ? value_string(a, j->text) : NULL;
}

/* Lists and sets of strings. */
static const struct value *strings_value(struct arena *a, const struct cc_node *node, const struct json *j)
{
    if (j->kind != JSON_ARRAY || node->element->kind != CC_STRING)
        return NULL;
    const struct value **v = arena_make_n(a, const struct value *, j->array.n);
    for (size_t i = 0; i < j->array.n; i++)
        if (j->array.items[i]->kind != JSON_STRING || !(v[i] = value_string(a, j->array.items[i]->text)))
            return NULL;
    return node->kind == CC_SET ? value_set(a, &type_string, v, j->array.n) : value_list(a, &type_string, v, j->array.n);
}

static const struct value *empty_value(struct arena *a, const struct cc_node *node)
{
    return node->kind == CC_SET ? value_set(a, node->element->type, NULL, 0) : value_list(a, node->element->type, NULL, 0);
}

/* An object in which everything is null except the given bools, strings and objects. */
static const struct value *partial_object(struct arena *a, const struct cc_node *node, const struct json *j)
{
    const struct value **v = arena_make_n(a, const struct value *, node->n_children);
    for (size_t i = 0; i < node->n_children; i++) {
        const struct cc_node *child = &node->children[i];
        const struct json *given = child->cf_name.n > 0 ? json_get_str(j, child->cf_name) : NULL;
        if (given && child->kind == CC_BOOL && given->kind == JSON_BOOL)
            v[i] = value_bool(a, given->boolean);
        else if (given && child->kind == CC_STRING && given->kind == JSON_STRING)
            v[i] = value_string(a, given->text);
        else if (given && child->kind == CC_OBJECT && given->kind == JSON_OBJECT)
            v[i] = partial_object(a, child, given);
        if (!v[i])
            v[i] = value_null(a, child->type);
    }
    return value_object(a, node->type, v);
}

static bool default_of_array(struct translating *t, struct cc_node *node, const struct json *j)
{
    const struct value *v = strings_value(t->arena, node, j);
    enum cc_kind element = node->element->kind;
    if (v)
        set(node, CC_DEFAULT_STATIC, v);
    else if (j->kind == JSON_ARRAY && j->array.n == 0 && (element == CC_OBJECT || element == CC_MAP))
        set(node, CC_DEFAULT_FILL, empty_value(t->arena, node));
    else
        return false;
    return true;
}

static bool default_of_object(struct translating *t, struct cc_node *node, const struct json *j)
{
    if (j->kind != JSON_OBJECT)
        return false;
    set(node, CC_DEFAULT_FILL, partial_object(t->arena, node, j));
    return true;
}

/* A mistake in some schemas: a schema as the default instead of a value. */
static bool is_schema(const struct cfn_property *p)
{
    return p->type == CFN_OBJECT && p->by_default->kind == JSON_OBJECT && json_get(p->by_default, "properties");
}

static bool default_of_primitive(struct translating *t, struct cc_node *node, const struct json *j)
{
    struct arena *a = t->arena;
    const struct value *v = node->kind == CC_BOOL     ? bool_value(a, j)
                            : node->kind == CC_STRING ? string_value(a, j)
                                                      : number_value(a, j, node->kind == CC_INT64);
    if (v)
        set(node, CC_DEFAULT_STATIC, v);
    return v != NULL;
}

void tr_default(struct translating *t, struct cc_node *node, const struct cfn_property *p)
{
    const struct json *j = p->by_default;
    if (!j || t->failed)
        return;
    bool known = false;
    if (is_schema(p))
        return;
    if (node->kind == CC_LIST || node->kind == CC_SET)
        known = default_of_array(t, node, j);
    else if (node->kind == CC_OBJECT)
        known = p->type == CFN_OBJECT && default_of_object(t, node, j);
    else if (node->kind != CC_MAP && node->text != CC_TEXT_JSON)
        known = default_of_primitive(t, node, j);
    if (known)
        return;
    tr_refuse(t, "default");
    tr_note(t, CC_NOTE_IGNORED, "the default has a shape that is not supported");
}

void tr_check_default(struct translating *t, struct cc_node *node)
{
    enum { MANY = 100 }; /* a limit, because each element may be searched for in a long enum */
    struct diags diags;
    if (t->failed || node->default_kind == CC_DEFAULT_NONE || node->n_validators == 0)
        return;
    if (node->default_json->kind == JSON_ARRAY && node->default_json->array.n > MANY)
        return;
    diags_init(&diags, t->arena);
    cc_validate_node(t->arena, node, node->by_default, PATH_ROOT, NULL, &diags);
    if (!diags_has_errors(&diags))
        return;
    if (t->mode == CFN_MODE_STRICT) {
        tr_note(t, CC_NOTE_IGNORED, "the schema refuses its own default");
        return;
    }
    tr_note(t, CC_NOTE_IGNORED, "the schema refuses its own default, which is not sent");
    node->refused_default = node->default_kind;
    node->default_kind = CC_DEFAULT_NONE;
}
