#include "import/evaluate.h"

#include "base/vec.h"
#include "value/json_value.h"

enum { MAX_TEXT = 64 << 20 };

static const struct json *evaluate(const struct evaluation *ev, const struct hcl_expr *e);

static const struct json *fail(const struct evaluation *ev, const struct hcl_expr *e, const char *what)
{
    (void)diags_fail(ev->diags, "Cannot be evaluated", "Line %u: %s.", e->at.line, what);
    return NULL;
}

static const struct json *step_into(const struct evaluation *ev, const struct json *j, const struct hcl_step *step)
{
    if (step->kind == HCL_STEP_ATTR)
        return json_get_str(j, step->name);
    const struct json *index = step->kind == HCL_STEP_INDEX ? evaluate(ev, step->index) : NULL;
    if (!index || !j)
        return NULL;
    if (index->kind == JSON_STRING)
        return json_get_str(j, index->text);
    int64_t n = json_int(index, -1);
    return j->kind == JSON_ARRAY && n >= 0 && (size_t)n < j->array.n ? j->array.items[n] : NULL;
}

static const struct json *traverse(const struct evaluation *ev, const struct hcl_expr *e)
{
    const struct hcl_traversal *t = &e->traversal;
    if (t->of || t->n == 0 || t->steps[0].kind != HCL_STEP_ATTR)
        return fail(ev, e, "a reference was expected");
    struct str name = t->steps[0].name;
    struct str address = arena_printf(ev->arena, STR_FMT "." STR_FMT, STR_ARG(t->root), STR_ARG(name));
    const struct json *j = str_eqz(t->root, "var") ? map_get(ev->variables, name) : map_get(ev->objects, address);
    for (size_t i = 1; j && i < t->n; i++)
        j = step_into(ev, j, &t->steps[i]);
    return j ? j : fail(ev, e, "the reference has no target");
}

static const struct json *join(const struct evaluation *ev, const struct hcl_expr *e)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    for (size_t i = 0; i < e->parts.n; i++) {
        const struct json *part = evaluate(ev, e->parts.v[i]);
        if (!part)
            return NULL;
        if (part->kind == JSON_STRING || part->kind == JSON_NUMBER)
            buf_add(&out, part->text);
        else if (part->kind == JSON_BOOL)
            buf_addz(&out, part->boolean ? "true" : "false");
        else
            return fail(ev, e, "only strings, numbers and bools can be used in a string");
    }
    return json_make_string(ev->arena, buf_copy(&out, ev->arena));
}

static const struct json *encode(const struct evaluation *ev, const struct hcl_expr *e)
{
    const struct json *argument =
        e->call.args.n == 1 && str_eqz(e->call.name, "jsonencode") ? evaluate(ev, e->call.args.v[0]) : NULL;
    const struct value *v = argument ? value_implied_by_json(ev->arena, argument, ev->diags) : NULL;
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    struct json_writer w = {.out = &out, .html_escape = true};
    if (!v || !value_write_json(&w, v, v->type, ev->diags) || !json_finish(&w))
        return fail(ev, e, "the function cannot be called");
    return json_make_string(ev->arena, buf_copy(&out, ev->arena));
}

static const struct json *evaluate_list(const struct evaluation *ev, const struct hcl_expr *e)
{
    const struct json **items = arena_make_n(ev->arena, const struct json *, e->parts.n);
    for (size_t i = 0; i < e->parts.n; i++)
        if (!(items[i] = evaluate(ev, e->parts.v[i])))
            return NULL;
    return json_make_array(ev->arena, items, e->parts.n);
}

static const struct json *evaluate_object(const struct evaluation *ev, const struct hcl_expr *e)
{
    struct json_member *members = arena_make_n(ev->arena, struct json_member, e->object.n);
    for (size_t i = 0; i < e->object.n; i++) {
        const struct json *key = evaluate(ev, e->object.v[i].key), *value = evaluate(ev, e->object.v[i].value);
        if (!key || !value)
            return NULL;
        members[i] = (struct json_member){.key = json_text(key, STR_EMPTY), .value = value};
    }
    return json_make_object(ev->arena, members, e->object.n);
}

static const struct json *evaluate(const struct evaluation *ev, const struct hcl_expr *e)
{
    switch (e->kind) {
    case HCL_EXPR_NULL:
        return json_make_null(ev->arena);
    case HCL_EXPR_BOOL:
        return json_make_bool(ev->arena, e->boolean);
    case HCL_EXPR_NUMBER:
        return json_make_number(ev->arena, e->text);
    case HCL_EXPR_STRING:
        return json_make_string(ev->arena, e->text);
    case HCL_EXPR_TEMPLATE:
        return join(ev, e);
    case HCL_EXPR_LIST:
        return evaluate_list(ev, e);
    case HCL_EXPR_OBJECT:
        return evaluate_object(ev, e);
    case HCL_EXPR_TRAVERSAL:
        return traverse(ev, e);
    case HCL_EXPR_CALL:
        return encode(ev, e);
    case HCL_EXPR_OPERATION: {
        /* A negative number: a minus and its operand. */
        const struct json *n = str_eqz(e->call.name, "-") && e->call.args.n == 1 ? evaluate(ev, e->call.args.v[0]) : NULL;
        if (n && n->kind == JSON_NUMBER)
            return json_make_number(ev->arena, arena_printf(ev->arena, "-" STR_FMT, STR_ARG(n->text)));
        break;
    }
    default:
        break;
    }
    return fail(ev, e, "an expression that is not written by import");
}

/* --- bodies --- */

struct members {
    struct json_member *v;
    size_t n, cap;
};

static const struct json *evaluate_body(const struct evaluation *ev, const struct schema_block *schema,
                                        const struct hcl_body *body);

/* Evaluates all blocks of one type. */
static const struct json *evaluate_blocks(const struct evaluation *ev, const struct schema_nested_block *nested,
                                          const struct hcl_body *body)
{
    VEC(const struct json *) items = {0};
    struct members labelled = {0};
    for (size_t i = 0; i < body->n_blocks; i++) {
        const struct hcl_block *b = &body->blocks[i];
        if (!str_eq(b->type, nested->name))
            continue;
        const struct json *j = evaluate_body(ev, nested->block, &b->body);
        if (!j)
            return NULL;
        *VEC_PUSH(ev->arena, &items) = j;
        if (b->n_labels > 0)
            *VEC_PUSH(ev->arena, &labelled) = (struct json_member){.key = b->labels[0], .value = j};
    }
    if (nested->nesting == NESTING_MAP)
        return json_make_object(ev->arena, labelled.v, labelled.n);
    bool one = nested->nesting == NESTING_SINGLE || nested->nesting == NESTING_GROUP;
    return one && items.n == 1 ? items.v[0] : json_make_array(ev->arena, (const struct json *const *)items.v, items.n);
}

static bool has_block(const struct hcl_body *body, struct str type)
{
    size_t i = 0;
    while (i < body->n_blocks && !str_eq(body->blocks[i].type, type))
        i++;
    return i < body->n_blocks;
}

static const struct json *evaluate_body(const struct evaluation *ev, const struct schema_block *schema,
                                        const struct hcl_body *body)
{
    struct members members = {0};
    for (size_t i = 0; i < body->n_attrs; i++) {
        const struct json *value = evaluate(ev, body->attrs[i].value);
        if (!value)
            return NULL;
        *VEC_PUSH(ev->arena, &members) = (struct json_member){.key = body->attrs[i].name, .value = value};
    }
    for (size_t i = 0; i < schema->n_blocks; i++) {
        if (!has_block(body, schema->blocks[i].name))
            continue;
        const struct json *value = evaluate_blocks(ev, &schema->blocks[i], body);
        if (!value)
            return NULL;
        *VEC_PUSH(ev->arena, &members) = (struct json_member){.key = schema->blocks[i].name, .value = value};
    }
    return json_make_object(ev->arena, members.v, members.n);
}

static const struct json *path_json(const struct evaluation *ev, const struct hcl_expr *e)
{
    const struct hcl_traversal *t = &e->traversal;
    const struct json **steps = arena_make_n(ev->arena, const struct json *, t->n + 1);
    if (e->kind != HCL_EXPR_TRAVERSAL || t->of)
        return fail(ev, e, "the path of an argument was expected");
    steps[0] = json_make_string(ev->arena, t->root);
    for (size_t i = 0; i < t->n; i++) {
        steps[i + 1] =
            t->steps[i].kind == HCL_STEP_ATTR ? json_make_string(ev->arena, t->steps[i].name) : evaluate(ev, t->steps[i].index);
        if (!steps[i + 1])
            return NULL;
    }
    return json_make_array(ev->arena, steps, t->n + 1);
}

static bool ignored_of(const struct evaluation *ev, const struct hcl_body *body, const struct json **ret)
{
    *ret = NULL;
    for (size_t i = 0; i < body->n_blocks; i++) {
        const struct hcl_attr *attr =
            str_eqz(body->blocks[i].type, "lifecycle") ? hcl_body_attr(&body->blocks[i].body, "ignore_changes") : NULL;
        if (!attr || attr->value->kind != HCL_EXPR_LIST)
            continue;
        size_t n = attr->value->parts.n;
        const struct json **paths = arena_make_n(ev->arena, const struct json *, n);
        for (size_t k = 0; k < n; k++)
            if (!(paths[k] = path_json(ev, attr->value->parts.v[k])))
                return false;
        *ret = json_make_array(ev->arena, paths, n);
    }
    return true;
}

const struct json *evaluate_resource(const struct evaluation *ev, const struct schema_block *schema, const struct hcl_body *body,
                                     const struct json **ret_ignore)
{
    struct hcl_attr *attrs = arena_make_n(ev->arena, struct hcl_attr, body->n_attrs);
    struct hcl_body own = {attrs, 0, body->blocks, body->n_blocks};
    /* The meta-argument `provider` is not an argument. */
    for (size_t i = 0; i < body->n_attrs; i++)
        if (!str_eqz(body->attrs[i].name, "provider"))
            attrs[own.n_attrs++] = body->attrs[i];
    return ignored_of(ev, body, ret_ignore) ? evaluate_body(ev, schema, &own) : NULL;
}

const struct json *evaluate_expression(const struct evaluation *ev, const struct hcl_expr *e)
{
    return evaluate(ev, e);
}
