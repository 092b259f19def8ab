#include "cli/instance_address.h"

#include "base/json.h"

/* Reads from the front of `rest`; what was read is cut off. */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
    return is_letter(c) || c == '-' || (c >= '0' && c <= '9');
}

static bool take_name(struct str *rest, struct str *ret)
{
    size_t n = 0;
    while (n < rest->n && (n == 0 ? is_letter(rest->p[0]) : is_name_part(rest->p[n])))
        n++;
    *ret = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return n > 0;
}

/* The end of a quoted text that begins at the front; SIZE_MAX when it has none. */
static size_t quoted_end(struct str s)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] == '"')
            return i + 1;
        i += s.p[i] == '\\';
    }
    return SIZE_MAX;
}

/* A text as the language quotes it, which is as JSON does for all that people type. */
static bool read_quoted(struct arena *a, struct str quoted, struct str *ret)
{
    struct diags ignored;
    diags_init(&ignored, a);
    const struct json *j = json_parse(a, quoted, "key", &ignored);
    if (!j || j->kind != JSON_STRING)
        return false;
    *ret = j->text;
    return true;
}

/* [0] or ["key"] when there is one; false when it is broken. */
static bool take_key(struct arena *a, struct str *rest, struct state_key *ret)
{
    *ret = (struct state_key){.kind = STATE_KEY_NONE};
    if (!str_starts(*rest, STR("[")))
        return true;
    struct str inside = str_slice(*rest, 1, rest->n);
    size_t end = str_starts(inside, STR("\"")) ? quoted_end(inside) : str_find(inside, ']', 0);
    if (end == SIZE_MAX || end >= inside.n || inside.p[end] != ']')
        return false;
    struct str key = str_slice(inside, 0, end);
    *rest = str_slice(inside, end + 1, inside.n);
    if (str_starts(key, STR("\""))) {
        ret->kind = STATE_KEY_STRING;
        return read_quoted(a, key, &ret->text);
    }
    ret->kind = STATE_KEY_INT;
    return str_to_i64(key, &ret->number) && ret->number >= 0;
}

/* module.NAME[key]. as often as it comes; *ret is all of it without the last dot. */
static bool take_modules(struct arena *a, struct str *rest, struct str *ret)
{
    const char *start = rest->p;
    while (str_starts(*rest, STR("module."))) {
        struct str name;
        struct state_key key;
        *rest = str_slice(*rest, strlen("module."), rest->n);
        if (!take_name(rest, &name) || !take_key(a, rest, &key) || !str_starts(*rest, STR(".")))
            return false;
        *ret = (struct str){start, (size_t)(rest->p - start)};
        *rest = str_slice(*rest, 1, rest->n);
    }
    return true;
}

static bool parse_name(struct arena *a, struct str name, struct state_address *address)
{
    struct str rest = name;
    return take_modules(a, &rest, &address->module) && take_name(&rest, &address->name) && take_key(a, &rest, &address->key) &&
           rest.n == 0;
}

static bool is_type(struct str type)
{
    struct str name;
    return take_name(&type, &name) && type.n == 0;
}

bool instance_address_parse(struct arena *a, const char *type, const char *name, struct diags *diags, struct state_address *ret)
{
    struct state_address address = {.module = STR_EMPTY, .mode = STATE_MANAGED, .type = str_of(type), .deposed = STR_EMPTY};
    if (!is_type(address.type))
        return diags_fail(diags, "Invalid resource type", "\"%s\" is not the name of a type. One looks like this: aws_vpc.",
                          type);
    if (!parse_name(a, arena_str(a, str_of(name)), &address))
        return diags_fail(diags, "Invalid name",
                          "\"%s\" is not the name of an object. Names look like this: this, web[0], 'web[\"key\"]', "
                          "module.net.this (with brackets in quotes, or the shell takes them).",
                          name);
    *ret = address;
    return true;
}

/* Providers */

struct str instance_provider_address(struct str provider)
{
    struct str start = STR("provider[\"");
    size_t end = str_find(provider, '"', start.n);
    if (!str_starts(provider, start) || end == SIZE_MAX)
        return STR_EMPTY;
    return str_slice(provider, start.n, end);
}

struct str instance_provider_text(struct arena *a, struct str address)
{
    return arena_printf(a, "provider[\"" STR_FMT "\"]", STR_ARG(address));
}

struct str instance_provider_guess(struct str type)
{
    return str_cut(&type, '_');
}
