#include "crossplane/external_name.h"

#include "base/ascii.h"
#include "base/vec.h"

enum { MAX_ID = 1 << 16, MAX_FIELD_DEPTH = 32 };

enum filter { FILTER_NONE, FILTER_LOWER, FILTER_UPPER };

/* One {{ ... }} of a template. */
struct action {
    size_t start, end; /* in the template, braces included */
    struct str path;   /* .parameters.x, without the first dot */
    enum filter filter;
};

static bool is_external_name(const struct action *action)
{
    return str_eqz(action->path, "external_name");
}

/* Of what stands between the braces. */
static bool parse_action(struct str inside, struct action *ret)
{
    struct str filter = inside;
    struct str path = str_trim(str_cut(&filter, '|'));
    bool filtered = str_find(inside, '|', 0) != SIZE_MAX;
    filter = str_trim(filter);
    if (path.n < 2 || path.p[0] != '.')
        return false;
    ret->path = str_slice(path, 1, path.n);
    ret->filter = FILTER_NONE;
    if (filtered && str_eqz(filter, "ToLower"))
        ret->filter = FILTER_LOWER;
    else if (filtered && str_eqz(filter, "ToUpper"))
        ret->filter = FILTER_UPPER;
    else if (filtered)
        return false;
    for (size_t i = 0; i < ret->path.n; i++)
        if (strchr(" \t\n(){}", ret->path.p[i]))
            return false;
    return true;
}

static size_t find_pair(struct str s, const char *pair, size_t from)
{
    for (size_t i = from; i + 1 < s.n; i++)
        if (s.p[i] == pair[0] && s.p[i + 1] == pair[1])
            return i;
    return SIZE_MAX;
}

/* The first one at or after `from`; *ret_found false: none. False: it is not well formed. */
static bool next_action(struct str template, size_t from, struct action *ret, bool *ret_found)
{
    size_t start = find_pair(template, "{{", from);
    *ret_found = start != SIZE_MAX;
    if (!*ret_found)
        return true;
    size_t end = find_pair(template, "}}", start + 2);
    if (end == SIZE_MAX || !parse_action(str_slice(template, start + 2, end), ret))
        return false;
    ret->start = start;
    ret->end = end + 2;
    return true;
}

bool template_check(struct str template, const char *where, struct diags *diags)
{
    struct action action;
    bool found = true;
    for (size_t at = 0; found; at = action.end) {
        if (!next_action(template, at, &action, &found))
            return diags_fail(diags, "Invalid template",
                              "%s: \"" STR_FMT "\" is not well formed. Known are {{ .external_name }}, {{ .parameters.NAME }}, "
                              "{{ .setup.configuration.NAME }} and {{ .setup.client_metadata.NAME }}, each with | ToLower or "
                              "| ToUpper behind it if need be.",
                              where, STR_ARG(template));
        if (!found)
            break;
    }
    return true;
}

/* --- to the id --- */

static const struct json *look_up(const struct json *object, struct str path)
{
    while (object && path.n > 0)
        object = json_get_str(object, str_cut(&path, '.'));
    return object;
}

static struct str value_text(const struct json *j)
{
    if (j && j->kind == JSON_BOOL)
        return j->boolean ? STR("true") : STR("false");
    return json_text(j, STR("<no value>"));
}

static struct str action_value(const struct action *action, struct str name, const struct json *parameters,
                               const struct json *setup)
{
    if (is_external_name(action))
        return name;
    struct str rest = action->path;
    struct str root = str_cut(&rest, '.');
    if (str_eqz(root, "parameters"))
        return value_text(look_up(parameters, rest));
    return str_eqz(root, "setup") ? value_text(look_up(setup, rest)) : STR("<no value>");
}

static void add_filtered(struct buf *out, struct str s, enum filter filter)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        buf_addc(out, filter == FILTER_LOWER ? to_lower(c) : filter == FILTER_UPPER ? to_upper(c) : c);
    }
}

bool template_id(struct arena *a, struct str template, struct str name, const struct json *parameters, const struct json *setup,
                 struct diags *diags, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_ID);
    if (!template_check(template, "template", diags))
        return false;
    size_t at = 0;
    struct action action;
    bool found;
    while (next_action(template, at, &action, &found) && found) {
        buf_add(&out, str_slice(template, at, action.start));
        add_filtered(&out, action_value(&action, name, parameters, setup), action.filter);
        at = action.end;
    }
    buf_add(&out, str_slice(template, at, template.n));
    if (!buf_ok(&out))
        return diags_fail(diags, "Identifier too long", "The template gives more than %d bytes.", MAX_ID);
    *ret = buf_copy(&out, a);
    return true;
}

/* --- back to the name --- */

static bool find_name_action(struct str template, struct action *ret, bool *ret_found, struct diags *diags)
{
    bool found = true;
    *ret_found = false;
    for (size_t at = 0; found && !*ret_found; at = ret->end) {
        if (!next_action(template, at, ret, &found))
            return template_check(template, "template", diags);
        *ret_found = found && is_external_name(ret);
        if (!found)
            break;
    }
    return true;
}

/* What follows the nth such character, or the last one when there are fewer. */
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
 * The characters on both sides of the name in the template are separators. The name starts behind as many left ones as the
 * template has before it, and ends at the next right one. Without a right one it starts behind the last left one.
 */
bool template_name(struct arena *a, struct str template, struct str id, struct diags *diags, struct str *ret)
{
    struct action name;
    bool found;
    if (!find_name_action(template, &name, &found, diags))
        return false;
    struct str text = id;
    if (found) {
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

bool external_name_of_state(struct arena *a, const struct external_name *e, const struct json *state, struct diags *diags,
                            struct str *ret)
{
    bool computed = e->strategy == EXTERNAL_NAME_COMPUTED;
    struct str attribute = computed ? e->field : STR("id");
    struct str value = json_text(look_up(state, attribute), STR_EMPTY);
    if (value.n == 0 || (computed && str_eq(value, e->placeholder)))
        return no_attribute(attribute, diags);
    if (e->strategy == EXTERNAL_NAME_TEMPLATE)
        return template_name(a, e->template, value, diags, ret);
    *ret = arena_str(a, value);
    return true;
}

/* --- the argument --- */

static const struct json *set_at(struct arena *a, const struct json *object, struct str path, struct str name, int depth)
{
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

const struct json *external_name_set(struct arena *a, const struct json *arguments, struct str field, struct str name)
{
    return set_at(a, arguments, arena_str(a, field), name, 0);
}

/* --- what a strategy implies --- */

static struct str_list one(struct arena *a, struct str s)
{
    struct str *v = arena_make(a, struct str);
    *v = s;
    return (struct str_list){v, s.n > 0};
}

static struct str_list parameters_of(struct arena *a, struct str template)
{
    VEC(struct str) list = {0};
    struct action action;
    bool found;
    for (size_t at = 0; next_action(template, at, &action, &found) && found; at = action.end)
        if (str_starts(action.path, STR("parameters.")))
            *VEC_PUSH(a, &list) = str_slice(action.path, strlen("parameters."), action.path.n);
    return (struct str_list){list.v, list.n};
}

void external_name_imply(struct arena *a, struct external_name *e)
{
    static const struct str names[] = {{"name", 4}, {"name_prefix", 11}};
    if (!e->has_omit) {
        if (e->strategy == EXTERNAL_NAME_NAME)
            e->omit = (struct str_list){names, 2};
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
