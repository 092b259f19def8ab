#include "import/rows.h"

#include "base/ascii.h"
#include "value/identifier.h"
#include "yaml/yaml.h"

struct reading {
    struct rows *rows;
    const char *source;
    struct diags *diags;
};

static const char *place(const struct reading *r, uint32_t line)
{
    return arena_printf(r->rows->arena, "%s:%u", r->source, (unsigned)line).p;
}

static bool wrong(const struct reading *r, uint32_t line, const char *what, struct str found)
{
    return diags_fail(r->diags, "Invalid discovery file", "%s: %s: \"" STR_FMT "\".", place(r, line), what,
                      STR_ARG(str_slice(found, 0, 200)));
}

/* Checks that the object has only these keys. */
static bool knows(const struct reading *r, const struct json *object, const char *const *keys, const char *what)
{
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        const char *const *k = keys;
        while (*k && !str_eqz(m->key, *k))
            k++;
        if (!*k)
            return diags_fail(r->diags, "Invalid discovery file", "%s: %s has no setting \"" STR_FMT "\".", place(r, m->line),
                              what, STR_ARG(str_slice(m->key, 0, 100)));
    }
    return true;
}

static bool is_text(const struct json *j)
{
    return j->kind == JSON_STRING || j->kind == JSON_NUMBER;
}

static bool is_object(const struct reading *r, const struct json *j, uint32_t line, const char *what)
{
    return j->kind == JSON_OBJECT ||
           diags_fail(r->diags, "Invalid discovery file", "%s: %s must be a map.", place(r, line), what);
}

/* Checks that these members are strings. */
static bool texts(const struct reading *r, const struct json *object, const char *const *keys)
{
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        for (const char *const *k = keys; *k; k++)
            if (str_eqz(m->key, *k) && !is_text(m->value))
                return wrong(r, m->line, "expected a string for", m->key);
    }
    return true;
}

static struct str text_of(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static bool object_of(const struct reading *r, const struct json *j, const char *key, const struct json **ret)
{
    const struct json *value = json_get(j, key);
    if (value && value->kind != JSON_OBJECT)
        return wrong(r, value->line, "expected a map for", str_of(key));
    *ret = value;
    return true;
}

/* Reads a string or a list of strings as a list. */
static bool list_of(const struct reading *r, const struct json *j, const char *key, const struct json **ret)
{
    const struct json *value = json_get(j, key);
    if (value && value->kind == JSON_STRING)
        value = json_make_array(r->rows->arena, &value, 1);
    if (value && value->kind != JSON_ARRAY)
        return wrong(r, value->line, "expected a string or a list of strings for", str_of(key));
    for (size_t i = 0; value && i < value->array.n; i++)
        if (!is_text(value->array.items[i]))
            return wrong(r, value->array.items[i]->line, "expected strings for", str_of(key));
    *ret = value;
    return true;
}

static bool page_of(const struct reading *r, const struct json *j, struct row_page *ret)
{
    const struct json *page = NULL;
    if (!object_of(r, j, "page", &page))
        return false;
    if (!page)
        return true;
    if (!knows(r, page, (const char *const[]){"in", "out", NULL}, "a page") ||
        !texts(r, page, (const char *const[]){"in", "out", NULL}))
        return false;
    *ret = (struct row_page){text_of(page, "in"), text_of(page, "out")};
    return (ret->in.n > 0) == (ret->out.n > 0) || wrong(r, page->line, "a page has both \"in\" and \"out\", not only", ret->in);
}

/* --- services --- */

static const struct {
    const char *name;
    enum row_protocol protocol;
    const char *content_type;
} protocols[] = {
    {"query", ROW_QUERY, "application/x-www-form-urlencoded; charset=utf-8"},
    {"ec2", ROW_EC2, "application/x-www-form-urlencoded; charset=utf-8"},
    {"json-1.0", ROW_JSON, "application/x-amz-json-1.0"},
    {"json-1.1", ROW_JSON, "application/x-amz-json-1.1"},
    {"rest-json", ROW_REST_JSON, "application/json"},
    {"rest-xml", ROW_REST_XML, "application/xml"},
    {"rest", ROW_REST, "application/json"},
};

static bool protocol_of(const struct reading *r, const struct json *j, struct row_service *s)
{
    struct str name = text_of(j, "protocol");
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++)
        if (str_eqz(name, protocols[i].name)) {
            s->protocol = protocols[i].protocol;
            s->content_type = str_of(protocols[i].content_type);
            return true;
        }
    return wrong(r, j->line, "a protocol is one of query, ec2, json-1.0, json-1.1, rest-json, rest-xml and rest, not", name);
}

/* Each header is a template, or a list of which the first that can be filled in counts. */
static bool check_headers(const struct reading *r, const struct json *headers)
{
    for (size_t i = 0; headers && i < headers->object.n; i++) {
        const struct json_member *m = &headers->object.members[i];
        size_t n = m->value->kind == JSON_ARRAY ? m->value->array.n : 1;
        for (size_t k = 0; k < n; k++) {
            const struct json *one = m->value->kind == JSON_ARRAY ? m->value->array.items[k] : m->value;
            if (!is_text(one) || pick_check(one->text, 0))
                return wrong(r, m->line, "a header is a string or a list of strings, with {$FACT} at most; see", m->key);
        }
    }
    return true;
}

static bool read_service(const struct reading *r, const struct json_member *m)
{
    static const char *const keys[] = {"protocol",  "version", "target",  "host", "region", "signing",
                                       "endpoints", "url",     "headers", "page", "rate",   NULL};
    static const char *const plain[] = {"protocol", "version", "target", "host", "region", "signing", "url", NULL};
    const struct json *j = m->value;
    struct row_service *s = arena_make(r->rows->arena, struct row_service);
    s->name = m->key;
    if (!is_object(r, j, m->line, "a service") || !knows(r, j, keys, "a service") || !texts(r, j, plain) ||
        !protocol_of(r, j, s) || !list_of(r, j, "endpoints", &s->endpoints) || !object_of(r, j, "headers", &s->headers) ||
        !check_headers(r, s->headers) || !page_of(r, j, &s->page))
        return false;
    s->version = text_of(j, "version");
    s->target = text_of(j, "target");
    s->host = text_of(j, "host");
    s->region = text_of(j, "region");
    s->signing = text_of(j, "signing");
    s->url = text_of(j, "url");
    s->rate = json_int(json_get(j, "rate"), 0);
    bool needs_version = s->protocol == ROW_QUERY || s->protocol == ROW_EC2;
    if (needs_version && s->version.n == 0)
        return wrong(r, m->line, "this protocol needs the API's `version`; the service has none", s->name);
    if (s->protocol == ROW_JSON && s->target.n == 0)
        return wrong(r, m->line, "this protocol needs a `target`; the service has none", s->name);
    if (s->protocol == ROW_REST && (s->url.n == 0 || pick_check(s->url, 0)))
        return wrong(r, m->line, "a plain REST API needs a `url`, with {$FACT} at most; see", s->name);
    if (s->rate < 0 || s->rate > 100000)
        return wrong(r, m->line, "a rate is 0 to 100000 calls a second; see", s->name);
    map_put(&r->rows->services, s->name, s);
    return true;
}

/* --- types --- */

static bool conditions(const struct reading *r, const struct json *when)
{
    for (size_t i = 0; when && i < when->object.n; i++)
        if (!is_text(when->object.members[i].value) && when->object.members[i].value->kind != JSON_BOOL)
            return wrong(r, when->object.members[i].line, "a condition is PATH: PATTERN, but there is no pattern for",
                         when->object.members[i].key);
    return true;
}

static bool read_owned(const struct reading *r, const struct json *list, struct row *row)
{
    size_t n = list && list->kind == JSON_ARRAY ? list->array.n : 0;
    struct row_rule *rules = arena_make_n(r->rows->arena, struct row_rule, n);
    if (list && list->kind != JSON_ARRAY)
        return wrong(r, list->line, "expected a list of {when, why} for", STR("owned"));
    for (size_t i = 0; i < n; i++) {
        const struct json *j = list->array.items[i];
        rules[i] = (struct row_rule){json_get(j, "when"), text_of(j, "why")};
        if (j->kind != JSON_OBJECT || !rules[i].when || rules[i].when->kind != JSON_OBJECT || rules[i].why.n == 0)
            return wrong(r, j->line, "expected {when: {PATH: PATTERN}, why: TEXT} in `owned` of", row->name);
        if (!conditions(r, rules[i].when))
            return false;
    }
    row->owned = rules;
    row->n_owned = n;
    return true;
}

/* A helper's items may stand in the file, for calls that list one kind of things at a time. */
static bool read_each(const struct reading *r, const struct json *j, struct row *row)
{
    bool ok = str_starts(row->name, STR(".")) && row->parent_name.n + row->items.n == 0 && !json_get(j, "service") &&
              !json_get(j, "data") && !json_get(j, "cloudcontrol");
    return ok || wrong(r, j->line, "only a helper that asks nothing has `each`; see", row->name);
}

static bool read_from(const struct reading *r, const struct json *j, struct row *row)
{
    if (row->each)
        return read_each(r, j, row);
    struct str name = text_of(j, "service"), type = text_of(j, "cloudcontrol");
    row->data = text_of(j, "data");
    if (str_starts(row->items, STR("^")))
        return (row->parent_name.n > 0 && row->call.n + name.n + type.n + row->data.n == 0) ||
               wrong(r, j->line, "parts of a parent's item need a `parent` and nothing that is asked; see", row->name);
    if ((name.n > 0) + (row->data.n > 0) + (type.n > 0) != 1)
        return wrong(r, j->line, "a row has one of `service`, `cloudcontrol` and `data`; see", row->name);
    if (row->data.n > 0)
        return row->items.n > 0 || wrong(r, j->line, "`items` must say where the data source has ids; see", row->name);
    if (type.n > 0) {
        struct json_member m = {.key = STR("TypeName"), .value = json_make_string(r->rows->arena, type)};
        name = STR("cloudcontrol");
        row->call = STR("ListResources");
        row->items = STR("ResourceDescriptions");
        if (!row->parameters)
            row->parameters = json_make_object(r->rows->arena, &m, 1);
    }
    row->service = map_get(&r->rows->services, name);
    if (!row->service)
        return wrong(r, j->line, "there is no such service", name);
    if (row->page.in.n == 0)
        row->page = row->service->page;
    return row->call.n > 0 || wrong(r, j->line, "`call` must say what to ask for; see", row->name);
}

static bool read_row(const struct reading *r, const struct json_member *m)
{
    static const char *const keys[] = {"service", "call",  "parameters", "items",      "id",   "parent",
                                       "only",    "owned", "absent",     "page",       "data", "cloudcontrol",
                                       "strip",   "of",    "each",       "with_owned", NULL};
    static const char *const plain[] = {"service", "call", "items", "id", "parent", "data", "cloudcontrol", "strip", "of", NULL};
    const struct json *j = m->value;
    bool helper = str_starts(m->key, STR("."));
    struct row *row = arena_make(r->rows->arena, struct row);
    row->name = m->key;
    row->where = place(r, m->line);
    if (!identifier_is(str_slice(m->key, helper ? 1 : 0, m->key.n)))
        return wrong(r, m->line, "this is not the name of a resource type", m->key);
    if (!is_object(r, j, m->line, "a row") || !knows(r, j, keys, "a row") || !texts(r, j, plain) || !page_of(r, j, &row->page) ||
        !object_of(r, j, "parameters", &row->parameters) || !object_of(r, j, "only", &row->only) || !conditions(r, row->only) ||
        !list_of(r, j, "absent", &row->absent) || !list_of(r, j, "each", &row->each) || !read_owned(r, json_get(j, "owned"), row))
        return false;
    row->call = text_of(j, "call");
    row->items = text_of(j, "items");
    row->id = text_of(j, "id");
    row->strip = text_of(j, "strip");
    row->of = text_of(j, "of");
    row->parent_name = text_of(j, "parent");
    row->with_owned = json_bool(json_get(j, "with_owned"), false);
    if (!read_from(r, j, row))
        return false;
    if (!helper && row->data.n == 0 && row->id.n == 0)
        return wrong(r, m->line, "`id` must say what ids look like; see", row->name);
    if (r->rows->rows.n == ROWS_MAX && !map_get(&r->rows->rows, row->name))
        return wrong(r, m->line, "there are too many rows; this one is past the bound", row->name);
    map_put(&r->rows->rows, row->name, row);
    return true;
}

/* --- pairs --- */

static bool read_pair(const struct reading *r, const struct json *j)
{
    static const char *const keys[] = {"parent", "argument", "own", "by", NULL};
    struct row_pair pair = {.by = json_get(j, "by")};
    if (j->kind != JSON_OBJECT || !knows(r, j, keys, "a pair") ||
        !texts(r, j, (const char *const[]){"parent", "argument", "own", NULL}))
        return j->kind == JSON_OBJECT ? false : wrong(r, j->line, "expected {parent, argument, own, by} in", STR("pairs"));
    pair.parent = text_of(j, "parent");
    pair.argument = text_of(j, "argument");
    pair.own = text_of(j, "own");
    bool by = pair.by && pair.by->kind == JSON_OBJECT && pair.by->object.n == 1 && is_text(pair.by->object.members[0].value);
    if (pair.parent.n == 0 || pair.argument.n == 0 || pair.own.n == 0 || !by)
        return wrong(r, j->line, "a pair has parent, argument, own and by: {ARGUMENT: ATTRIBUTE}; see", pair.parent);
    *VEC_PUSH(r->rows->arena, &r->rows->pairs) = pair;
    return true;
}

enum { MAX_DIGITS = 1000 };

/* 0: no such number. */
static size_t hex_digits(struct str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (!is_digit(text.p[i]) || n > MAX_DIGITS)
            return 0;
        n = 10 * n + (size_t)(text.p[i] - '0');
    }
    return n;
}

bool row_ask_applies(const struct row_ask *ask, struct str text)
{
    bool hash = ask->hex.n == 0 || text.n == hex_digits(ask->hex);
    for (size_t i = 0; ask->hex.n > 0 && hash && i < text.n; i++)
        hash = is_digit(text.p[i]) || (text.p[i] >= 'a' && text.p[i] <= 'f');
    return hash && text.n > 0;
}

static bool read_ask(const struct reading *r, const struct json *j)
{
    static const char *const keys[] = {"type", "argument", "instead", "hex", NULL};
    if (j->kind != JSON_OBJECT || !knows(r, j, keys, "an entry of `asks`") || !texts(r, j, keys))
        return j->kind == JSON_OBJECT ? false : wrong(r, j->line, "expected {type, argument, instead, hex} in", STR("asks"));
    struct row_ask ask = {text_of(j, "type"), text_of(j, "argument"), text_of(j, "instead"), text_of(j, "hex")};
    if (ask.type.n == 0 || ask.argument.n == 0 || ask.instead.n == 0)
        return wrong(r, j->line, "an entry of `asks` has type, argument and instead; see", ask.type);
    if (json_get(j, "hex") && hex_digits(ask.hex) == 0)
        return wrong(r, j->line, "`hex` is a number of digits, such as \"40\"; see", ask.type);
    *VEC_PUSH(r->rows->arena, &r->rows->asks) = ask;
    return true;
}

/* --- a file --- */

void rows_init(struct rows *r, struct arena *a)
{
    *r = (struct rows){.arena = a};
    map_init(&r->services, a);
    map_init(&r->rows, a);
}

static bool read_part(const struct reading *r, const struct json *file, const char *key,
                      bool (*read)(const struct reading *r, const struct json_member *m))
{
    const struct json *part = json_get(file, key);
    if (!part)
        return true;
    if (!is_object(r, part, part->line, key))
        return false;
    for (size_t i = 0; i < part->object.n; i++)
        if (!read(r, &part->object.members[i]))
            return false;
    return true;
}

static bool read_list(const struct reading *r, const struct json *file, const char *key,
                      bool (*read)(const struct reading *r, const struct json *j))
{
    const struct json *list = json_get(file, key);
    if (list && list->kind != JSON_ARRAY)
        return wrong(r, list->line, "expected a list for", str_of(key));
    for (size_t i = 0; list && i < list->array.n; i++)
        if (!read(r, list->array.items[i]))
            return false;
    return true;
}

bool rows_read(struct rows *rows, struct str text, const char *source, struct diags *diags)
{
    struct reading r = {rows, source, diags};
    const struct json *file = yaml_parse(rows->arena, text, source, diags);
    if (!file)
        return false;
    if (file->kind != JSON_OBJECT)
        return diags_fail(diags, "Invalid discovery file", "%s: expected a map with services, types and pairs.", source);
    return knows(&r, file, (const char *const[]){"provider", "services", "types", "pairs", "asks", NULL}, "the file") &&
           read_part(&r, file, "services", read_service) && read_part(&r, file, "types", read_row) &&
           read_list(&r, file, "pairs", read_pair) && read_list(&r, file, "asks", read_ask);
}

static bool check_templates(const struct row *row, const struct json *j, const char **ret_why)
{
    if (j && j->kind == JSON_STRING) {
        *ret_why = pick_check(j->text, row->depth);
        return !*ret_why;
    }
    for (size_t i = 0; j && j->kind == JSON_ARRAY && i < j->array.n; i++)
        if (!check_templates(row, j->array.items[i], ret_why))
            return false;
    for (size_t i = 0; j && j->kind == JSON_OBJECT && i < j->object.n; i++)
        if (!check_templates(row, j->object.members[i].value, ret_why))
            return false;
    return true;
}

/* "<TYPE" and "!<TYPE": the type whose owned objects a condition refers to. */
static bool asks_for(const struct json *condition, struct str *ret_type)
{
    struct str pattern = json_text(condition, STR_EMPTY);
    pattern = str_slice(pattern, str_starts(pattern, STR("!")), pattern.n);
    *ret_type = str_slice(pattern, 1, pattern.n);
    return str_starts(pattern, STR("<"));
}

static bool is_free_of_circles(const struct rows *r, const struct row *row, size_t depth);

static bool conditions_are_free(const struct rows *r, const struct json *when, size_t depth)
{
    for (size_t i = 0; when && i < when->object.n; i++) {
        struct str type;
        const struct row *other = asks_for(when->object.members[i].value, &type) ? rows_of(r, type) : NULL;
        if (other && !is_free_of_circles(r, other, depth + 1))
            return false;
    }
    return true;
}

/* Checks that a row does not depend on itself through its parent or conditions on owned objects. */
static bool is_free_of_circles(const struct rows *r, const struct row *row, size_t depth)
{
    if (depth > ROWS_MAX_PARENTS)
        return false;
    if ((row->parent && !is_free_of_circles(r, row->parent, depth + 1)) || !conditions_are_free(r, row->only, depth))
        return false;
    for (size_t i = 0; i < row->n_owned; i++)
        if (!conditions_are_free(r, row->owned[i].when, depth))
            return false;
    return true;
}

/* A type in a condition must be listed by a call: a data source does not tell who owns its objects. */
static bool check_conditions(const struct rows *r, const struct row *row, const struct json *when, struct diags *diags)
{
    for (size_t i = 0; when && i < when->object.n; i++) {
        struct str type;
        if (!asks_for(when->object.members[i].value, &type))
            continue;
        const struct row *other = rows_of(r, type);
        if (!other || other->data.n > 0)
            return diags_fail(diags, "Invalid discovery file",
                              "%s: a condition of \"" STR_FMT "\" asks for objects of \"" STR_FMT
                              "\", which is not a row with a service.",
                              row->where, STR_ARG(row->name), STR_ARG(str_slice(type, 0, 200)));
    }
    return true;
}

static bool bind_parent(struct rows *r, struct row *row, struct diags *diags)
{
    row->parent = row->parent_name.n > 0 ? map_get(&r->rows, row->parent_name) : NULL;
    return row->parent_name.n == 0 || (row->parent && row->parent->data.n == 0) ||
           diags_fail(diags, "Invalid discovery file", "%s: the parent \"" STR_FMT "\" is not a row with a service.", row->where,
                      STR_ARG(row->parent_name));
}

static bool check_row(struct rows *r, struct row *row, struct diags *diags)
{
    if (!is_free_of_circles(r, row, 0))
        return diags_fail(diags, "Invalid discovery file",
                          "%s: what \"" STR_FMT "\" depends on makes a circle, or is more than %d deep.", row->where,
                          STR_ARG(row->name), ROWS_MAX_PARENTS);
    if (!check_conditions(r, row, row->only, diags))
        return false;
    for (size_t i = 0; i < row->n_owned; i++)
        if (!check_conditions(r, row, row->owned[i].when, diags))
            return false;
    for (const struct row *up = row->parent; up; up = up->parent)
        row->depth++;
    const char *why = pick_check(row->id, row->depth);
    if (!why)
        why = pick_check(row->of, row->depth);
    if (!why)
        why = pick_check(row->call, row->depth);
    if (why || !check_templates(row, row->parameters, &why))
        return diags_fail(diags, "Invalid discovery file", "%s: a template of \"" STR_FMT "\" cannot be filled in: %s.",
                          row->where, STR_ARG(row->name), why);
    return true;
}

bool rows_bind(struct rows *r, struct diags *diags)
{
    for (size_t i = 0; i < r->rows.n; i++)
        if (!bind_parent(r, r->rows.entries[i].value, diags))
            return false;
    for (size_t i = 0; i < r->rows.n; i++)
        if (!check_row(r, r->rows.entries[i].value, diags))
            return false;
    return true;
}

const struct row *rows_of(const struct rows *r, struct str type)
{
    return map_get(&r->rows, type);
}

struct str rows_service_of(const struct rows *r, struct str type)
{
    const struct row *row = r ? rows_of(r, type) : NULL;
    struct str rest = type;
    (void)str_cut(&rest, '_');
    while (row && !row->service && row->parent)
        row = row->parent;
    return row && row->service ? row->service->name : str_cut(&rest, '_');
}

bool rows_is_global(const struct rows *r, struct str type)
{
    const struct row_service *s = map_get(&r->services, rows_service_of(r, type));
    return s && s->region.n > 0;
}
