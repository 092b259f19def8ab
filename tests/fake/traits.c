#include "traits.h"

#include "base/hex.h"
#include "value/json_value.h"

#include <openssl/evp.h>

enum { MAX_ID = 4096 };

const struct trait *trait_of(const struct script *s, struct str type_name)
{
    for (size_t i = 0; i < s->n_traits; i++)
        if (str_eq(s->traits[i].type_name, type_name))
            return &s->traits[i];
    return NULL;
}

static bool is_known_text(const struct value *v)
{
    return v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING;
}

static bool is_listed(const struct json *names, struct str name)
{
    for (size_t i = 0; names && i < names->array.n; i++)
        if (str_eq(json_text(names->array.items[i], STR_EMPTY), name))
            return true;
    return false;
}

/* ---- planning ---- */

static const struct value *sum_of(struct arena *a, struct str secret)
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    if (EVP_Digest(secret.p, secret.n, sum, &n, EVP_sha256(), NULL) != 1)
        abort();
    return value_string(a, hex_of(a, sum, n));
}

static const struct value *plan_attr(struct arena *a, const struct trait *t, const struct type_attr *attr,
                                     const struct value *config, const struct value *planned, struct diags *diags)
{
    const struct value *said = value_get(config, attr->name);
    if (is_known_text(said) && is_listed(t->hashed, attr->name))
        return sum_of(a, said->string);
    const struct json *fallback = json_get_str(t->defaults, attr->name);
    if (!fallback || !value_is_null(planned))
        return planned;
    const struct value *v = value_from_json(a, fallback, attr->type, path_attr(a, PATH_ROOT, attr->name), diags);
    return v ? v : planned;
}

const struct value *trait_plan(struct arena *a, const struct trait *t, const struct value *config, const struct value *planned,
                               struct diags *diags)
{
    if (!t || planned->state != VALUE_KNOWN)
        return planned;
    const struct value **elements = arena_make_n(a, const struct value *, planned->n);
    for (size_t i = 0; i < planned->n; i++)
        elements[i] = plan_attr(a, t, &planned->type->attrs[i], config, planned->elements[i], diags);
    return value_with_elements(a, planned, elements);
}

const struct value *trait_read(struct arena *a, const struct trait *t, const struct value *state, const struct value *object)
{
    if (!t || !t->unread || state->state != VALUE_KNOWN || object->state != VALUE_KNOWN)
        return object;
    const struct value **elements = arena_make_n(a, const struct value *, object->n);
    for (size_t i = 0; i < object->n; i++)
        elements[i] = is_listed(t->unread, object->type->attrs[i].name) ? state->elements[i] : object->elements[i];
    return value_with_elements(a, object, elements);
}

/* ---- ids: templates with {ATTRIBUTE} in them ---- */

struct str trait_id(struct arena *a, const struct trait *t, const struct value *object)
{
    if (!t)
        return STR_EMPTY;
    struct buf id BUF_AUTO = BUF_INIT(MAX_ID);
    struct str rest = t->id;
    while (rest.n > 0) {
        size_t brace = str_find(rest, '{', 0);
        buf_add(&id, str_slice(rest, 0, brace == SIZE_MAX ? rest.n : brace));
        if (brace == SIZE_MAX)
            break;
        rest = str_slice(rest, brace + 1, rest.n);
        const struct value *v = value_get(object, str_cut(&rest, '}'));
        if (!is_known_text(v))
            return STR_EMPTY;
        buf_add(&id, v->string);
    }
    return buf_copy(&id, a);
}

static bool fail_form(const struct trait *t, struct str id, struct diags *diags)
{
    return diags_fail(diags, "Invalid id", "An id of the form " STR_FMT " was expected; found \"" STR_FMT "\".",
                      STR_ARG(t->import), STR_ARG(id));
}

/* Removes the next attribute from the id: everything up to the text that follows it in the template. */
static bool cut_attr(const struct trait *t, struct str whole, struct str *form, struct str *id, struct diags *diags,
                     struct str *ret_name, struct str *ret_value)
{
    size_t brace = str_find(*form, '{', 0);
    if (brace == SIZE_MAX || !str_starts(*id, str_slice(*form, 0, brace)))
        return fail_form(t, whole, diags);
    *id = str_slice(*id, brace, id->n);
    *form = str_slice(*form, brace + 1, form->n);
    *ret_name = str_cut(form, '}');
    size_t next = str_find(*form, '{', 0);
    struct str until = str_slice(*form, 0, next == SIZE_MAX ? form->n : next);
    const char *end = until.n > 0 ? memmem(id->p, id->n, until.p, until.n) : id->p + id->n;
    if (!end || end == id->p)
        return fail_form(t, whole, diags);
    *ret_value = str_slice(*id, 0, (size_t)(end - id->p));
    *id = str_slice(*id, ret_value->n, id->n);
    return true;
}

static const struct value *with_text(struct arena *a, const struct value *object, struct str name, struct str text)
{
    const struct value *v = value_string(a, text);
    const struct value **elements = arena_make_n(a, const struct value *, object->n);
    for (size_t i = 0; i < object->n; i++)
        elements[i] = v && str_eq(object->type->attrs[i].name, name) ? v : object->elements[i];
    return value_with_elements(a, object, elements);
}

const struct value *trait_import(struct arena *a, const struct trait *t, struct str id, const struct value *empty,
                                 struct diags *diags)
{
    const struct value *object = empty;
    struct str form = t->import, rest = id;
    while (form.n > 0 || rest.n > 0) {
        struct str name = STR_EMPTY, text = STR_EMPTY;
        if (!cut_attr(t, id, &form, &rest, diags, &name, &text))
            return NULL;
        object = with_text(a, object, name, text);
        if (str_find(form, '{', 0) == SIZE_MAX && str_eq(form, rest))
            break;
    }
    return with_text(a, object, STR("id"), trait_id(a, t, object));
}
