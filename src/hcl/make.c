/* Makes trees for writing. */
#include "base/vec.h"
#include "hcl/write.h"

static struct hcl_expr *make(struct arena *a, enum hcl_expr_kind kind)
{
    struct hcl_expr *e = arena_make(a, struct hcl_expr);
    e->kind = kind;
    return e;
}

const struct hcl_expr *hcl_make_string(struct arena *a, struct str text)
{
    struct hcl_expr *e = make(a, HCL_EXPR_STRING);
    e->text = text;
    return e;
}

const struct hcl_expr *hcl_make_list(struct arena *a, const struct hcl_expr *const *v, size_t n)
{
    struct hcl_expr *e = make(a, HCL_EXPR_LIST);
    e->parts = (struct hcl_exprs){v, n};
    return e;
}

const struct hcl_expr *hcl_make_object(struct arena *a, const struct hcl_item *v, size_t n)
{
    struct hcl_expr *e = make(a, HCL_EXPR_OBJECT);
    e->object.v = v;
    e->object.n = n;
    return e;
}

const struct hcl_expr *hcl_make_call(struct arena *a, const char *function, const struct hcl_expr *argument)
{
    struct hcl_expr *e = make(a, HCL_EXPR_CALL);
    const struct hcl_expr **args = arena_make(a, const struct hcl_expr *);
    *args = argument;
    e->call.name = str_of(function);
    e->call.args = (struct hcl_exprs){args, 1};
    return e;
}

const struct hcl_expr *hcl_make_traversal(struct arena *a, struct str root, const struct str *names, size_t n)
{
    struct hcl_expr *e = make(a, HCL_EXPR_TRAVERSAL);
    struct hcl_step *steps = arena_make_n(a, struct hcl_step, n);
    for (size_t i = 0; i < n; i++)
        steps[i] = (struct hcl_step){.kind = HCL_STEP_ATTR, .name = names[i]};
    e->traversal = (struct hcl_traversal){.root = root, .steps = steps, .n = n};
    return e;
}

const struct hcl_expr *hcl_make_template(struct arena *a, const struct hcl_expr *const *parts, size_t n)
{
    if (n == 1)
        return parts[0];
    struct hcl_expr *e = make(a, HCL_EXPR_TEMPLATE);
    e->parts = (struct hcl_exprs){parts, n};
    return e;
}
