#include "base/ascii.h"
#include "base/vec.h"
#include "crossplane/template_private.h"

struct running {
    struct arena *arena;
    const struct xp_template *template;
    const struct json *dot;
    struct diags *diags;
    struct buf out;
};

__attribute__((format(printf, 2, 3))) static bool stop(struct running *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str why = arena_vprintf(r->arena, format, args);
    va_end(args);
    return diags_fail(r->diags, "Template without a value", "\"" STR_FMT "\": " STR_FMT ".", STR_ARG(r->template->text),
                      STR_ARG(why));
}

static bool is_nothing(const struct json *j)
{
    return !j || j->kind == JSON_NULL;
}

static bool eval(struct running *r, const struct xp_template_node *n, const struct json **ret);

/* A field of an absent value is absent, which is not an error; a field of null or of a string is an error. */
static bool eval_field(struct running *r, const struct xp_template_node *n, const struct json **ret)
{
    const struct json *value = r->dot;
    if (n->of && !eval(r, n->of, &value))
        return false;
    for (struct str rest = n->path; rest.n > 0 && value;) {
        struct str name = str_cut(&rest, '.');
        if (value->kind != JSON_OBJECT)
            return stop(r, "there is no \"" STR_FMT "\" in what is not an object", STR_ARG(name));
        value = json_get_str(value, name);
    }
    *ret = value;
    return true;
}

static bool eval_index(struct running *r, const struct json **values, size_t n, const struct json **ret)
{
    const struct json *value = values[0];
    if (is_nothing(value))
        return stop(r, "index of a value that is not there");
    for (size_t i = 1; i < n; i++) {
        int64_t at = json_int(values[i], -1);
        bool number = values[i] && values[i]->kind == JSON_NUMBER, text = values[i] && values[i]->kind == JSON_STRING;
        if (is_nothing(value))
            return stop(r, "index of a value that is not there");
        if (value->kind == JSON_ARRAY && number) {
            if (at < 0 || (uint64_t)at >= value->array.n)
                return stop(r, "index out of range: " STR_FMT, STR_ARG(values[i]->text));
            value = value->array.items[at];
        } else if (value->kind == JSON_OBJECT && text) {
            value = json_get_str(value, values[i]->text);
        } else {
            return stop(r, "index needs a list and a number, or an object and a name");
        }
    }
    *ret = value;
    return true;
}

static bool is_text(const struct json *value)
{
    return value && value->kind == JSON_STRING;
}

static bool eval_case(struct running *r, const struct json *value, bool upper, const struct json **ret)
{
    if (!value || value->kind != JSON_STRING)
        return stop(r, "%s needs a string", upper ? "ToUpper" : "ToLower");
    char *text = arena_alloc(r->arena, value->text.n + 1, 1);
    for (size_t i = 0; i < value->text.n; i++)
        text[i] = upper ? to_upper(value->text.p[i]) : to_lower(value->text.p[i]);
    text[value->text.n] = '\0';
    *ret = json_make_string(r->arena, (struct str){text, value->text.n});
    return true;
}

/* Returns what was written to `out`, and frees `out`. */
static bool take_text(struct running *r, struct buf *out, const struct json **ret)
{
    bool ok = buf_ok(out);
    if (ok)
        *ret = json_make_string(r->arena, buf_copy(out, r->arena));
    buf_free(out);
    return ok || stop(r, "a string has more than %d bytes", TEMPLATE_MAX_OUTPUT);
}

/* An absent list is empty, as in Go. */
static bool eval_join(struct running *r, const struct json *list, const struct json *between, const struct json **ret)
{
    bool some = list && list->kind != JSON_NULL;
    if ((some && list->kind != JSON_ARRAY) || !between || between->kind != JSON_STRING)
        return stop(r, "Join needs a list and a string");
    size_t n = some ? list->array.n : 0;
    for (size_t i = 0; i < n; i++)
        if (!is_text(list->array.items[i]))
            return stop(r, "Join needs a list of strings");
    struct buf out = BUF_INIT(TEMPLATE_MAX_OUTPUT);
    for (size_t i = 0; i < n; i++) {
        buf_add(&out, i > 0 ? between->text : STR_EMPTY);
        buf_add(&out, list->array.items[i]->text);
    }
    return take_text(r, &out, ret);
}

/* The position of `what`, which is not empty, in `s` at or after `from`; SIZE_MAX if not found. */
static size_t find_text(struct str s, struct str what, size_t from)
{
    for (size_t i = from; i + what.n <= s.n; i++)
        if (str_eq(str_slice(s, i, i + what.n), what))
            return i;
    return SIZE_MAX;
}

/* Replace TEXT OLD NEW COUNT; a negative count replaces all. */
static bool eval_replace(struct running *r, const struct json **values, const struct json **ret)
{
    if (!is_text(values[0]) || !is_text(values[1]) || !is_text(values[2]) || !values[3] || values[3]->kind != JSON_NUMBER)
        return stop(r, "Replace needs three strings and a number");
    struct str text = values[0]->text, old = values[1]->text;
    if (old.n == 0)
        return stop(r, "Replace needs something to replace");
    struct buf out = BUF_INIT(TEMPLATE_MAX_OUTPUT);
    size_t from = 0;
    for (int64_t left = json_int(values[3], 0); left != 0; left--) {
        size_t at = find_text(text, old, from);
        if (at == SIZE_MAX)
            break;
        buf_add(&out, str_slice(text, from, at));
        buf_add(&out, values[2]->text);
        from = at + old.n;
    }
    buf_add(&out, str_slice(text, from, text.n));
    return take_text(r, &out, ret);
}

static bool eval_split(struct running *r, const struct json *text, const struct json *at, const struct json **ret)
{
    if (!is_text(text) || !at || at->kind != JSON_STRING || at->text.n == 0)
        return stop(r, "Split needs a string and a separator");
    VEC(const struct json *) parts = {0};
    for (size_t from = 0, end = 0; end != SIZE_MAX; from = end + at->text.n) {
        end = find_text(text->text, at->text, from);
        *VEC_PUSH(r->arena, &parts) = json_make_string(r->arena, str_slice(text->text, from, end));
    }
    *ret = json_make_array(r->arena, parts.v, parts.n);
    return true;
}

/* An absent value equals no string, as in Go. */
static bool eval_equal(struct running *r, const struct json *left, const struct json *right, const struct json **ret)
{
    if ((!is_nothing(left) && !is_text(left)) || (!is_nothing(right) && !is_text(right)))
        return stop(r, "eq needs two strings");
    bool equal = is_nothing(left) || is_nothing(right) ? is_nothing(left) == is_nothing(right) : json_eq(left, right);
    *ret = json_make_bool(r->arena, equal);
    return true;
}

static bool eval_call(struct running *r, const struct xp_template_node *n, const struct json **values, const struct json **ret)
{
    switch (n->function) {
    case FUNCTION_INDEX:
        return eval_index(r, values, n->n, ret);
    case FUNCTION_LOWER:
    case FUNCTION_UPPER:
        return eval_case(r, values[0], n->function == FUNCTION_UPPER, ret);
    case FUNCTION_JOIN:
        return eval_join(r, values[0], values[1], ret);
    case FUNCTION_REPLACE:
        return eval_replace(r, values, ret);
    case FUNCTION_SPLIT:
        return eval_split(r, values[0], values[1], ret);
    case FUNCTION_EQ:
        return eval_equal(r, values[0], values[1], ret);
    }
    return false;
}

static bool eval(struct running *r, const struct xp_template_node *n, const struct json **ret)
{
    if (n->kind == NODE_LITERAL) {
        *ret = n->literal;
        return true;
    }
    if (n->kind == NODE_FIELD)
        return eval_field(r, n, ret);
    const struct json *values[TEMPLATE_MAX_ARGUMENTS] = {NULL};
    for (size_t i = 0; i < n->n; i++)
        if (!eval(r, n->arguments[i], &values[i]))
            return false;
    return eval_call(r, n, values, ret);
}

static bool is_zero(struct str number)
{
    for (size_t i = 0; i < number.n && to_lower(number.p[i]) != 'e'; i++)
        if (number.p[i] >= '1' && number.p[i] <= '9')
            return false;
    return true;
}

static bool is_true(const struct json *j)
{
    if (!j || is_nothing(j))
        return false;
    switch (j->kind) {
    case JSON_BOOL:
        return j->boolean;
    case JSON_NUMBER:
        return !is_zero(j->text);
    case JSON_STRING:
        return j->text.n > 0;
    case JSON_ARRAY:
        return j->array.n > 0;
    case JSON_OBJECT:
        return j->object.n > 0;
    case JSON_NULL:
        break;
    }
    return false;
}

static bool print(struct running *r, const struct json *j)
{
    if (is_nothing(j))
        buf_addz(&r->out, "<no value>");
    else if (j->kind == JSON_BOOL)
        buf_addz(&r->out, j->boolean ? "true" : "false");
    else if (j->kind == JSON_NUMBER || j->kind == JSON_STRING)
        buf_add(&r->out, j->text);
    else
        return stop(r, "a list or an object cannot be part of a string");
    return true;
}

static bool run_parts(struct running *r, const struct xp_template_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        const struct xp_template_part *part = &parts->v[i];
        const struct json *value = NULL;
        if (part->value && !eval(r, part->value, &value))
            return false;
        bool ok = true;
        if (part->condition)
            ok = run_parts(r, is_true(value) ? &part->then : &part->otherwise);
        else if (part->value)
            ok = print(r, value);
        else
            buf_add(&r->out, part->text);
        if (!ok)
            return false;
    }
    return true;
}

bool xp_template_run(const struct xp_template *t, struct arena *a, const struct json *data, struct diags *diags, struct str *ret)
{
    struct running r = {.arena = a, .template = t, .dot = data, .diags = diags, .out = BUF_INIT(TEMPLATE_MAX_OUTPUT)};
    bool ok = run_parts(&r, &t->parts);
    if (ok && !buf_ok(&r.out))
        ok = diags_fail(diags, "Identifier too long", "The template gives more than %d bytes.", TEMPLATE_MAX_OUTPUT);
    if (ok)
        *ret = buf_copy(&r.out, a);
    buf_free(&r.out);
    return ok;
}
