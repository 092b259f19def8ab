#include "crossplane/external_name.h"

#include "base/vec.h"
#include "crossplane/template.h"

enum { MAX_FIELD_DEPTH = 32, MAX_NAME = 253 }; /* bytes, as of an object's own name */

bool xp_template_check(struct str template, const char *where, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return xp_template_parse(scratch, template, where, diags) != NULL;
}

/* --- to the id --- */

static const struct json *look_up(const struct json *object, struct str path)
{
    while (object && path.n > 0)
        object = json_get_str(object, str_cut(&path, '.'));
    return object;
}

static const struct json *template_data(struct arena *a, struct str name, const struct json *parameters, const struct json *setup)
{
    struct json_member members[] = {
        {.key = STR("external_name"), .value = json_make_string(a, name)},
        {.key = STR("parameters"), .value = parameters},
        {.key = STR("setup"), .value = setup},
    };
    const struct json *nothing = json_make_object(a, NULL, 0);
    for (size_t i = 1; i < 3; i++)
        if (!members[i].value)
            members[i].value = nothing;
    struct json_member *copy = arena_make_n(a, struct json_member, 3);
    memcpy(copy, members, sizeof members);
    return json_make_object(a, copy, 3);
}

bool xp_template_id(struct arena *a, struct str template, struct str name, const struct json *parameters,
                    const struct json *setup, struct diags *diags, struct str *ret)
{
    const struct xp_template *t = xp_template_parse(a, template, "template", diags);
    return t && xp_template_run(t, a, template_data(a, name, parameters, setup), diags, ret);
}

struct str xp_external_name_argument(struct arena *a, const struct xp_external_name *e, struct str name)
{
    if (e->prefix.n == 0 || str_starts(name, e->prefix))
        return arena_str(a, name);
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(e->prefix), STR_ARG(name));
}

/* --- back to the name --- */

static bool find_name_field(const struct xp_template *t, struct xp_template_field *ret)
{
    for (size_t at = 0; xp_template_next_field(t, &at, ret);)
        if (str_eqz(ret->path, "external_name"))
            return true;
    return false;
}

/* The rest after the nth such character, or after the last if there are fewer. */
static struct str after_nth(struct str s, char c, size_t nth)
{
    struct str rest = s;
    for (size_t i = 0; i < nth && str_find(rest, c, 0) != SIZE_MAX; i++)
        (void)str_cut(&rest, c);
    return rest;
}

static size_t count(struct str s, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == c;
    return n;
}

/*
 * The characters before and after the name in the template are its separators. The name starts after as many left separators as
 * the template has before it, and ends at the next right separator. Without a right one it starts after the last left one.
 */
bool xp_template_name(struct arena *a, struct str template, struct str id, struct diags *diags, struct str *ret)
{
    struct xp_template_field name;
    const struct xp_template *t = xp_template_parse(a, template, "template", diags);
    if (!t)
        return false;
    struct str text = id;
    if (find_name_field(t, &name)) {
        bool left = name.start > 0, right = name.end < template.n;
        char before = left ? template.p[name.start - 1] : 0;
        struct str head = str_slice(template, 0, name.start);
        if (left)
            text = after_nth(text, before, right ? count(head, before) : count(text, before));
        if (right)
            text = str_slice(text, 0, str_find(text, template.p[name.end], 0));
    }
    *ret = arena_str(a, text);
    return true;
}

static bool no_attribute(struct str attribute, struct diags *diags)
{
    return diags_fail(diags, "No external name", "cannot find attribute \"" STR_FMT "\" in tfstate", STR_ARG(attribute));
}

/* With Upjet's messages, of which there are two. */
static bool no_id(const struct xp_external_name *e, struct diags *diags)
{
    return diags_fail(diags, "No external name", "%s",
                      e->strategy == EXTERNAL_NAME_TEMPLATE ? "id does not exist in tfstate" : "cannot find id in tfstate");
}

bool xp_external_name_id(struct arena *a, const struct xp_external_name *e, struct str name, const struct json *parameters,
                         const struct json *setup, struct diags *diags, struct str *ret)
{
    if (e->strategy != EXTERNAL_NAME_TEMPLATE) {
        *ret = name.n > 0 ? xp_external_name_argument(a, e, name) : arena_str(a, e->placeholder);
        return true;
    }
    const struct xp_template *t = xp_template_parse(a, e->template, "template", diags);
    struct xp_template_field field;
    if (!t)
        return false;
    if (e->name_from_provider && name.n == 0 && find_name_field(t, &field)) {
        *ret = STR_EMPTY;
        return true;
    }
    return xp_template_run(t, a, template_data(a, name, parameters, setup), diags, ret);
}

/* The rest after the last `mark`; the whole string if there is none. */
static struct str after_last(struct str s, struct str mark)
{
    for (size_t i = s.n; i >= mark.n && mark.n > 0; i--)
        if (str_eq(str_slice(s, i - mark.n, i), mark))
            return str_slice(s, i, s.n);
    return s;
}

/* An argument may be a whole document, as a policy. */
static bool could_be_name(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return false;
    return text.n <= MAX_NAME;
}

/* For names that are not in the id; sets *ret_said to false if the name is in the id. */
static bool name_beside_id(struct arena *a, const struct xp_external_name *e, const struct json *state, struct diags *diags,
                           bool *ret_said, struct str *ret)
{
    *ret_said = e->name_template.n > 0 || e->name_field.n > 0;
    if (e->name_template.n > 0)
        return xp_template_id(a, e->name_template, STR_EMPTY, state, NULL, diags, ret);
    if (e->name_field.n > 0) {
        struct str value = json_text(look_up(state, e->name_field), STR_EMPTY);
        if (value.n == 0)
            return no_attribute(e->name_field, diags);
        if (e->name_repeats && !could_be_name(value))
            return diags_fail(diags, "No external name", "attribute \"" STR_FMT "\" is too long for a name, or not one line",
                              STR_ARG(e->name_field));
        *ret = arena_str(a, value);
    }
    return true;
}

bool xp_external_name_of_state(struct arena *a, const struct xp_external_name *e, const struct json *state, struct diags *diags,
                               struct str *ret)
{
    bool computed = e->strategy == EXTERNAL_NAME_COMPUTED, said;
    if (!name_beside_id(a, e, state, diags, &said, ret))
        return false;
    if (said)
        return true;
    struct str attribute = computed ? e->field : STR("id");
    struct str value = json_text(look_up(state, attribute), STR_EMPTY);
    if (value.n == 0 || (e->placeholder.n > 0 && str_eq(value, e->placeholder)))
        return computed ? no_attribute(attribute, diags) : no_id(e, diags);
    if (e->name_after.n > 0)
        value = after_last(value, e->name_after);
    else if (e->strategy == EXTERNAL_NAME_TEMPLATE)
        return xp_template_name(a, e->template, value, diags, ret);
    else if (e->prefix.n > 0 && str_starts(value, e->prefix))
        value = str_slice(value, e->prefix.n, value.n);
    *ret = arena_str(a, value);
    return true;
}

/* --- the argument --- */

static const struct json *set_at(struct arena *a, const struct json *object, struct str path, struct str name, int depth)
{
    if (object && object->kind == JSON_ARRAY && object->array.n == 1 && depth < MAX_FIELD_DEPTH) {
        const struct json **item = arena_make(a, const struct json *);
        *item = set_at(a, object->array.items[0], path, name, depth + 1);
        return json_make_array(a, item, 1);
    }
    struct str rest = path;
    struct str key = str_cut(&rest, '.');
    const struct json *inner = rest.n > 0 && depth < MAX_FIELD_DEPTH ? set_at(a, json_get_str(object, key), rest, name, depth + 1)
                                                                     : json_make_string(a, name);
    size_t n = object && object->kind == JSON_OBJECT ? object->object.n : 0;
    struct json_member *members = arena_make_n(a, struct json_member, n + 1);
    bool replaced = false;
    for (size_t i = 0; i < n; i++) {
        members[i] = object->object.members[i];
        if (str_eq(members[i].key, key)) {
            members[i].value = inner;
            replaced = true;
        }
    }
    if (!replaced)
        members[n] = (struct json_member){.key = key, .value = inner};
    return json_make_object(a, members, n + !replaced);
}

const struct json *xp_external_name_set(struct arena *a, const struct json *arguments, struct str field, struct str name)
{
    if (field.n == 0)
        return arguments ? arguments : json_make_object(a, NULL, 0);
    return set_at(a, arguments, arena_str(a, field), name, 0);
}

/* --- what a strategy implies --- */

static struct xp_str_list one(struct arena *a, struct str s)
{
    struct str *v = arena_make(a, struct str);
    *v = s;
    return (struct xp_str_list){v, s.n > 0};
}

/* Like Upjet, finds only parameters outside of conditions and calls; the file must name the others. */
static struct xp_str_list parameters_of(struct arena *a, struct str template)
{
    VEC(struct str) list = {0};
    struct xp_template_field field;
    struct diags ignored;
    diags_init(&ignored, a);
    const struct xp_template *t = xp_template_parse(a, template, "template", &ignored);
    for (size_t at = 0; t && xp_template_next_field(t, &at, &field);)
        if (field.plain && str_starts(field.path, STR("parameters.")))
            *VEC_PUSH(a, &list) = str_slice(field.path, strlen("parameters."), field.path.n);
    return (struct xp_str_list){list.v, list.n};
}

void xp_external_name_imply(struct arena *a, struct xp_external_name *e)
{
    static const struct str names[] = {{"name", 4}, {"name_prefix", 11}};
    if (!e->has_omit) {
        if (e->strategy == EXTERNAL_NAME_NAME)
            e->omit = (struct xp_str_list){names, 2};
        else if (e->strategy == EXTERNAL_NAME_PARAMETER || e->strategy == EXTERNAL_NAME_TEMPLATE)
            e->omit = one(a, e->field);
    }
    if (!e->has_identifiers) {
        if (e->strategy == EXTERNAL_NAME_PARAMETER)
            e->identifiers = one(a, e->field);
        else if (e->strategy == EXTERNAL_NAME_TEMPLATE)
            e->identifiers = parameters_of(a, e->template);
    }
}
