/* Evaluates expressions. An error is a value that propagates upwards, until an && or || does not need it. */
#include "admission/cel_private.h"
#include "admission/schema_private.h"
#include "base/vec.h"

#include <math.h>

struct binding {
    const struct binding *up;
    struct str name;
    struct cel_value value;
};

struct evaluator {
    struct arena *arena;
    size_t steps;
};

typedef struct cel_value value;

static value eval(struct evaluator *ev, const struct cel *e, const struct binding *bound);

static value of_bool(bool b)
{
    return (value){.kind = CEL_BOOL, .boolean = b};
}

static value of_int(int64_t i)
{
    return (value){.kind = CEL_INT, .integer = i};
}

static value no_such(void)
{
    return cel_failed(STR("an operation does not exist for the types of its values"));
}

/* --- numbers --- */

/* Holds both integer types and the results of all operations on them, except for products, whose overflow is detected. */
__extension__ typedef __int128 wide;

/* False: the result is out of range. The caller has checked for a division by zero. */
static bool compute(enum cel_op op, wide x, wide y, wide *ret)
{
    switch (op) {
    case CEL_ADD:
        *ret = x + y;
        return true;
    case CEL_SUBTRACT:
        *ret = x - y;
        return true;
    case CEL_MULTIPLY:
        return !__builtin_mul_overflow(x, y, ret);
    default:
        *ret = op == CEL_DIVIDE ? x / y : x % y;
        return op == CEL_DIVIDE || !(x == INT64_MIN && y == -1); /* as in CEL: the quotient would be out of range */
    }
}

static value add_integers(enum cel_op op, bool natural, wide x, wide y)
{
    wide result, least = natural ? 0 : INT64_MIN, most = natural ? (wide)UINT64_MAX : INT64_MAX;
    if (y == 0 && (op == CEL_DIVIDE || op == CEL_REMAINDER))
        return cel_failed(STR("a number is divided by zero"));
    if (!compute(op, x, y, &result) || result < least || result > most)
        return cel_failed(STR("a number is out of range"));
    return natural ? (value){.kind = CEL_UINT, .natural = (uint64_t)result} : of_int((int64_t)result);
}

static value add_reals(enum cel_op op, double x, double y)
{
    if (op == CEL_REMAINDER)
        return no_such();
    double result = op == CEL_ADD ? x + y : op == CEL_SUBTRACT ? x - y : op == CEL_MULTIPLY ? x * y : x / y;
    return (value){.kind = CEL_DOUBLE, .real = result};
}

static value join(struct evaluator *ev, const value *x, const value *y)
{
    if (x->kind == CEL_STRING) {
        ev->steps += x->text.n + y->text.n;
        return (value){.kind = CEL_STRING, .text = arena_printf(ev->arena, STR_FMT STR_FMT, STR_ARG(x->text), STR_ARG(y->text))};
    }
    size_t n = cel_count(x), m = cel_count(y);
    value *items = arena_make_n(ev->arena, value, n + m);
    for (size_t i = 0; i < n + m; i++)
        items[i] = i < n ? cel_item(x, i) : cel_item(y, i - n);
    ev->steps += n + m;
    return (value){.kind = CEL_LIST, .items = items, .n = n + m};
}

static value arithmetic(struct evaluator *ev, enum cel_op op, const value *x, const value *y)
{
    if (x->kind != y->kind)
        return no_such();
    switch (x->kind) {
    case CEL_INT:
        return add_integers(op, false, x->integer, y->integer);
    case CEL_UINT:
        return add_integers(op, true, x->natural, y->natural);
    case CEL_DOUBLE:
        return add_reals(op, x->real, y->real);
    case CEL_STRING:
        return op == CEL_ADD ? join(ev, x, y) : no_such();
    case CEL_LIST: /* sets and lists with keys would be merged differently */
        if (op == CEL_ADD && (!x->data.json || x->data.schema->list == LIST_ATOMIC))
            return join(ev, x, y);
        return no_such();
    default:
        return no_such();
    }
}

static bool is_number(const value *v)
{
    return v->kind == CEL_INT || v->kind == CEL_UINT || v->kind == CEL_DOUBLE;
}

static long double real(const value *v)
{
    return v->kind == CEL_INT ? (long double)v->integer : v->kind == CEL_UINT ? (long double)v->natural : (long double)v->real;
}

static value compare(enum cel_op op, const value *x, const value *y)
{
    int order = 0;
    if (is_number(x) && is_number(y)) {
        long double p = real(x), q = real(y);
        if (isnan(p) || isnan(q))
            return cel_failed(STR("something that is not a number is compared"));
        order = (p > q) - (p < q);
    } else if (x->kind == CEL_STRING && y->kind == CEL_STRING) {
        order = str_cmp(x->text, y->text);
    } else if (x->kind == CEL_BOOL && y->kind == CEL_BOOL) {
        order = x->boolean - y->boolean;
    } else {
        return no_such();
    }
    return of_bool(op == CEL_LESS            ? order < 0
                   : op == CEL_LESS_OR_EQUAL ? order <= 0
                   : op == CEL_GREATER       ? order > 0
                                             : order >= 0);
}

/* --- collections --- */

static value is_in(struct evaluator *ev, const value *x, const value *where)
{
    value found;
    if (where->kind == CEL_MAP)
        return x->kind == CEL_STRING ? of_bool(cel_member(ev->arena, where, x->text, &found)) : no_such();
    if (where->kind != CEL_LIST)
        return no_such();
    value failed = of_bool(false);
    for (size_t i = 0; i < cel_count(where); i++) {
        value item = cel_item(where, i), same = cel_equal(ev->arena, &item, x);
        ev->steps++;
        if (same.kind == CEL_BOOL && same.boolean)
            return same;
        if (same.kind == CEL_FAILED)
            failed = same;
    }
    return failed;
}

static value index_of(struct evaluator *ev, const value *x, const value *index)
{
    value found;
    if (x->kind == CEL_MAP && index->kind == CEL_STRING)
        return cel_member(ev->arena, x, index->text, &found) ? found : cel_failed(STR("there is no such key"));
    if (x->kind != CEL_LIST || index->kind != CEL_INT)
        return no_such();
    if (index->integer < 0 || (uint64_t)index->integer >= cel_count(x))
        return cel_failed(STR("an index is out of bounds"));
    return cel_item(x, (size_t)index->integer);
}

static value call(const struct cel *e, const value *x, const value *y)
{
    if (e->function == CEL_SIZE)
        return x->kind == CEL_STRING || x->kind == CEL_LIST || x->kind == CEL_MAP ? of_int((int64_t)cel_count(x)) : no_such();
    if (x->kind != CEL_STRING || (e->n > 1 && y->kind != CEL_STRING))
        return no_such();
    if (e->function == CEL_MATCHES) {
        enum cfn_match match = cfn_regex_match(e->pattern, x->text);
        return match == CFN_MATCH_TOO_HARD ? cel_failed(STR("a pattern takes too long")) : of_bool(match == CFN_MATCH_YES);
    }
    if (e->function == CEL_STARTS_WITH)
        return of_bool(str_starts(x->text, y->text));
    if (e->function == CEL_ENDS_WITH)
        return of_bool(str_ends(x->text, y->text));
    return of_bool(str_contains(x->text, y->text));
}

/* The element that a macro binds: for a map, its key. */
static value element(const value *x, size_t i)
{
    if (x->kind == CEL_LIST)
        return cel_item(x, i);
    return (value){.kind = CEL_STRING, .text = x->data.json->object.members[i].key};
}

/* all and exists behave like && and || over the elements; in the other macros an error is the result. */
struct quantity {
    bool decided, failed;
    size_t n_true;
    value result, error;
};

static void count_verdict(const struct cel *e, value verdict, struct quantity *q)
{
    if (verdict.kind != CEL_BOOL) {
        q->failed = true;
        q->error = verdict.kind == CEL_FAILED ? verdict : no_such();
        q->decided = e->op != CEL_ALL && e->op != CEL_EXISTS;
        q->result = q->error;
        return;
    }
    q->n_true += verdict.boolean;
    if ((e->op == CEL_ALL && !verdict.boolean) || (e->op == CEL_EXISTS && verdict.boolean)) {
        q->decided = true;
        q->result = verdict;
    }
}

static value transform(struct evaluator *ev, const struct cel *e, const struct binding *bound, const value *x)
{
    VEC(value) made = {0};
    for (size_t i = 0; i < cel_count(x); i++) {
        struct binding own = {bound, e->name, element(x, i)};
        bool is_map = e->op == CEL_TRANSFORM;
        value condition = !is_map || e->n == 3 ? eval(ev, e->args[1], &own) : of_bool(true);
        if (condition.kind != CEL_BOOL)
            return condition.kind == CEL_FAILED ? condition : no_such();
        if (!condition.boolean)
            continue;
        value item = is_map ? eval(ev, e->args[e->n - 1], &own) : own.value;
        if (item.kind == CEL_FAILED)
            return item;
        *VEC_PUSH(ev->arena, &made) = item;
    }
    return (value){.kind = CEL_LIST, .items = made.v, .n = made.n};
}

static value over_elements(struct evaluator *ev, const struct cel *e, const struct binding *bound)
{
    value x = eval(ev, e->args[0], bound);
    if (x.kind != CEL_LIST && x.kind != CEL_MAP)
        return x.kind == CEL_FAILED ? x : no_such();
    if (e->op == CEL_FILTER || e->op == CEL_TRANSFORM)
        return transform(ev, e, bound, &x);
    struct quantity q = {0};
    for (size_t i = 0; i < cel_count(&x) && !q.decided; i++) {
        struct binding own = {bound, e->name, element(&x, i)};
        count_verdict(e, own.value.kind == CEL_FAILED ? own.value : eval(ev, e->args[1], &own), &q);
    }
    if (q.decided)
        return q.result;
    if (q.failed)
        return q.error;
    return of_bool(e->op == CEL_ALL || (e->op == CEL_EXISTS_ONE && q.n_true == 1));
}

/* --- all --- */

/* A deciding operand wins over an error, wherever it stands. */
static value logical(struct evaluator *ev, const struct cel *e, const struct binding *bound)
{
    bool deciding = e->op == CEL_OR;
    value result = of_bool(!deciding);
    for (size_t i = 0; i < e->n; i++) {
        value v = eval(ev, e->args[i], bound);
        if (v.kind == CEL_BOOL && v.boolean == deciding)
            return v;
        if (v.kind != CEL_BOOL && result.kind != CEL_FAILED)
            result = v.kind == CEL_FAILED ? v : no_such();
    }
    return result;
}

static value choose(struct evaluator *ev, const struct cel *e, const struct binding *bound)
{
    value v = eval(ev, e->args[0], bound);
    if (v.kind != CEL_BOOL)
        return v.kind == CEL_FAILED ? v : no_such();
    return eval(ev, e->args[v.boolean ? 1 : 2], bound);
}

static value make_list(struct evaluator *ev, const struct cel *e, const struct binding *bound)
{
    value *items = arena_make_n(ev->arena, value, e->n);
    for (size_t i = 0; i < e->n; i++) {
        items[i] = eval(ev, e->args[i], bound);
        if (items[i].kind == CEL_FAILED)
            return items[i];
    }
    return (value){.kind = CEL_LIST, .items = items, .n = e->n};
}

static value look_up(struct str name, const struct binding *bound)
{
    for (; bound; bound = bound->up)
        if (str_eq(bound->name, name))
            return bound->value;
    return cel_failed(STR("a variable has no value"));
}

static value unary(struct evaluator *ev, const struct cel *e, const value *x)
{
    value found;
    bool is_map = x->kind == CEL_MAP;
    switch (e->op) {
    case CEL_NOT:
        return x->kind == CEL_BOOL ? of_bool(!x->boolean) : no_such();
    case CEL_NEGATE:
        if (x->kind == CEL_DOUBLE)
            return (value){.kind = CEL_DOUBLE, .real = -x->real};
        return x->kind == CEL_INT ? add_integers(CEL_SUBTRACT, false, 0, x->integer) : no_such();
    case CEL_HAS:
        return is_map ? of_bool(cel_member(ev->arena, x, e->name, &found)) : no_such();
    default:
        if (!is_map)
            return no_such();
        return cel_member(ev->arena, x, e->name, &found) ? found : cel_failed(STR("there is no such key"));
    }
}

static value binary(struct evaluator *ev, const struct cel *e, const value *x, const value *y)
{
    value same;
    switch (e->op) {
    case CEL_EQUAL:
    case CEL_DIFFERENT:
        same = cel_equal(ev->arena, x, y);
        return same.kind == CEL_BOOL ? of_bool(same.boolean == (e->op == CEL_EQUAL)) : same;
    case CEL_LESS:
    case CEL_LESS_OR_EQUAL:
    case CEL_GREATER:
    case CEL_GREATER_OR_EQUAL:
        return compare(e->op, x, y);
    case CEL_IN:
        return is_in(ev, x, y);
    case CEL_INDEX:
        return index_of(ev, x, y);
    default:
        return arithmetic(ev, e->op, x, y);
    }
}

static value eval(struct evaluator *ev, const struct cel *e, const struct binding *bound)
{
    if (++ev->steps > CEL_MAX_STEPS || arena_exhausted(ev->arena))
        return cel_failed(STR("it takes too long"));
    switch (e->op) {
    case CEL_LITERAL:
        return e->value;
    case CEL_IDENT:
        return look_up(e->name, bound);
    case CEL_MAKE_LIST:
        return make_list(ev, e, bound);
    case CEL_AND:
    case CEL_OR:
        return logical(ev, e, bound);
    case CEL_CHOOSE:
        return choose(ev, e, bound);
    default:
        break;
    }
    if (cel_binds(e))
        return over_elements(ev, e, bound);
    value x = eval(ev, e->args[0], bound), y = {0};
    if (x.kind == CEL_FAILED)
        return x;
    if (e->n > 1)
        y = eval(ev, e->args[1], bound);
    if (y.kind == CEL_FAILED)
        return y;
    return e->op == CEL_CALL ? call(e, &x, &y) : e->n == 1 ? unary(ev, e, &x) : binary(ev, e, &x, &y);
}

enum cel_verdict cel_eval(struct arena *a, const struct cel *e, struct cel_data self, struct cel_data old, struct str *ret_why)
{
    struct evaluator ev = {.arena = a};
    struct binding before = {NULL, STR("oldSelf"), old.json ? cel_of(old) : cel_failed(STR("there is no old value"))};
    struct binding now = {&before, STR("self"), cel_of(self)};
    value v = eval(&ev, e, &now);
    if (v.kind == CEL_BOOL)
        return v.boolean ? CEL_TRUE : CEL_FALSE;
    *ret_why = v.kind == CEL_FAILED ? v.text : STR("it does not give true or false");
    return CEL_ERROR;
}
