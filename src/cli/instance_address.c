#include "cli/instance_address.h"

#include "base/buf.h"
#include "value/text.h"

enum { MAX_MODULES = 64 << 10 };

/* Each of these reads from the beginning of `rest`, and removes what it has read. */

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

/* The end of a quoted string at the beginning; SIZE_MAX: it is not closed. */
static size_t quoted_end(struct str s)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] == '"')
            return i + 1;
        i += s.p[i] == '\\';
    }
    return SIZE_MAX;
}

bool take_index_text(struct str *rest, struct str *ret)
{
    struct str inside = str_slice(*rest, 1, rest->n);
    size_t end = str_starts(inside, STR("\"")) ? quoted_end(inside) : str_find(inside, ']', 0);
    if (end == SIZE_MAX || end >= inside.n || inside.p[end] != ']')
        return false;
    *ret = str_slice(inside, 0, end);
    *rest = str_slice(inside, end + 1, inside.n);
    return true;
}

/* Reads [0] or ["key"] if there is one; false if it is malformed. */
static bool take_key(struct arena *a, struct str *rest, struct state_key *ret)
{
    *ret = (struct state_key){.kind = STATE_KEY_NONE};
    if (!str_starts(*rest, STR("[")))
        return true;
    struct str key;
    if (!take_index_text(rest, &key))
        return false;
    if (str_starts(key, STR("\""))) {
        ret->kind = STATE_KEY_STRING;
        return text_read_language(a, key, &ret->text);
    }
    ret->kind = STATE_KEY_INT;
    return str_to_i64(key, &ret->number) && ret->number >= 0;
}

/* Reads module.NAME[key]. repeatedly; *ret is all of it without the last dot, with keys as Terraform writes them. */
static bool take_modules(struct arena *a, struct str *rest, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_MODULES);
    while (str_starts(*rest, STR("module."))) {
        struct str name;
        struct state_key key;
        *rest = str_slice(*rest, strlen("module."), rest->n);
        if (!take_name(rest, &name) || !take_key(a, rest, &key) || !str_starts(*rest, STR(".")))
            return false;
        *rest = str_slice(*rest, 1, rest->n);
        buf_printf(&out, "%smodule." STR_FMT, out.n > 0 ? "." : "", STR_ARG(name));
        state_key_write(&out, key);
    }
    *ret = buf_copy(&out, a);
    return buf_ok(&out);
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
        return diags_fail(diags, "Invalid resource type", "\"%s\" is not a valid resource type; expected a name such as aws_vpc.",
                          type);
    if (!parse_name(a, arena_str(a, str_of(name)), &address))
        return diags_fail(diags, "Invalid name",
                          "\"%s\" is not a valid object name; expected a name such as this, web[0], 'web[\"key\"]' or "
                          "module.net.this. Quote names with brackets for the shell.",
                          name);
    *ret = address;
    return true;
}

/* Providers */

/* Reads ["HOST/NAMESPACE/TYPE"], or .TYPE as before Terraform 0.13. */
static bool take_source(struct arena *a, struct str *rest, struct str *ret)
{
    struct state_key key;
    if (str_starts(*rest, STR("."))) {
        *rest = str_slice(*rest, 1, rest->n);
        return take_name(rest, ret);
    }
    if (!take_key(a, rest, &key) || key.kind != STATE_KEY_STRING || key.text.n == 0)
        return false;
    *ret = key.text;
    return true;
}

/* The namespace "-": later versions write it for an address that had only a type. */
static struct str without_legacy_namespace(struct str source)
{
    struct str legacy = STR("registry.terraform.io/-/");
    return str_starts(source, legacy) ? str_slice(source, legacy.n, source.n) : source;
}

bool instance_provider_parse(struct arena *a, struct str provider, struct instance_provider *ret)
{
    struct instance_provider found = {0};
    struct str rest = provider, name;
    struct state_key key;
    if (!take_modules(a, &rest, &found.modules) || !str_starts(rest, STR("provider")))
        return false;
    rest = str_slice(rest, strlen("provider"), rest.n);
    if (!take_source(a, &rest, &found.source))
        return false;
    if (str_starts(rest, STR("."))) {
        found.alias = rest = str_slice(rest, 1, rest.n);
        if (!take_name(&rest, &name) || !take_key(a, &rest, &key))
            return false;
    }
    if (rest.n > 0)
        return false;
    found.source = without_legacy_namespace(found.source);
    *ret = found;
    return true;
}

bool instance_provider_source(struct arena *a, struct str provider, struct str *ret)
{
    struct instance_provider found;
    if (!instance_provider_parse(a, provider, &found))
        return false;
    *ret = found.source;
    return true;
}

struct str instance_provider_text(struct arena *a, struct str address)
{
    return arena_printf(a, "provider[\"" STR_FMT "\"]", STR_ARG(address));
}

struct str instance_provider_guess(struct str type)
{
    return str_cut(&type, '_');
}
