#include "controller/credentials.h"

#include "base/ascii.h"
#include "managed/edit.h"

static struct str take_letter(struct str s)
{
    while (s.n > 0 && s.p[0] == '_')
        s = str_slice(s, 1, s.n);
    return s;
}

bool credentials_is_same(struct str argument, struct str name)
{
    for (;;) {
        argument = take_letter(argument);
        name = take_letter(name);
        if (argument.n == 0 || name.n == 0)
            return argument.n == name.n;
        if (to_lower(argument.p[0]) != to_lower(name.p[0]))
            return false;
        argument = str_slice(argument, 1, argument.n);
        name = str_slice(name, 1, name.n);
    }
}

struct str credentials_argument(const struct schema_block *block, struct str name)
{
    if (schema_block_attr(block, name) || schema_block_block(block, name))
        return name;
    for (size_t i = 0; i < block->n_attrs; i++)
        if (credentials_is_same(block->attrs[i].name, name))
            return block->attrs[i].name;
    return STR_EMPTY;
}

/* --- INI --- */

static const struct {
    const char *ini, *argument;
} aws_names[] = {
    {"aws_access_key_id", "access_key"},
    {"aws_secret_access_key", "secret_key"},
    {"aws_session_token", "token"},
};

static struct str aws_argument(struct arena *a, struct str key)
{
    struct str lower = arena_lower(a, key);
    for (size_t i = 0; i < sizeof aws_names / sizeof aws_names[0]; i++)
        if (str_eqz(lower, aws_names[i].ini))
            return str_of(aws_names[i].argument);
    return STR_EMPTY;
}

/* The section [default], else the first one. */
static const struct json *read_ini(struct arena *a, struct str text)
{
    const struct json *first = json_make_object(a, NULL, 0), *chosen = NULL;
    const struct json **into = &first;
    bool ignored = false;
    for (size_t sections = 0; text.n > 0;) {
        struct str line = str_trim(str_cut(&text, '\n'));
        if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';')
            continue;
        if (line.p[0] == '[') {
            struct str name = str_trim(str_slice(line, 1, str_find(line, ']', 0)));
            bool is_default = str_eqz(name, "default");
            ignored = !is_default && sections > 0;
            sections++;
            if (is_default) {
                chosen = json_make_object(a, NULL, 0);
                into = &chosen;
            }
            continue;
        }
        struct str value = line, key = str_trim(str_cut(&value, '='));
        struct str argument = aws_argument(a, key);
        if (!ignored && argument.n > 0)
            *into = json_with(a, *into, argument, json_make_string(a, str_trim(value)));
    }
    return chosen ? chosen : first;
}

/* --- JSON --- */

static const struct json *arguments_of(struct arena *a, const struct schema_block *block, const struct json *object)
{
    const struct json *made = json_make_object(a, NULL, 0);
    for (size_t i = 0; i < object->object.n; i++) {
        struct str name = credentials_argument(block, object->object.members[i].key);
        if (name.n > 0 && !managed_is_absent(object->object.members[i].value))
            made = json_with(a, made, name, object->object.members[i].value);
    }
    return made;
}

static bool is_text(const struct schema_block *block, const char *argument)
{
    const struct schema_attr *attribute = schema_block_attr(block, str_of(argument));
    return attribute && attribute->value_type->kind == TYPE_STRING;
}

bool credentials_read(struct arena *a, const struct schema_block *block, struct str provider, struct str text,
                      struct diags *diags, const struct json **ret)
{
    struct str trimmed = str_trim(text);
    const struct json *nothing = json_make_object(a, NULL, 0);
    *ret = nothing;
    if (trimmed.n == 0)
        return true;
    const struct json *json = json_parse_lenient(a, trimmed);
    if (!json && is_text(block, "access_key") && is_text(block, "secret_key")) {
        *ret = read_ini(a, trimmed);
        if ((*ret)->object.n > 0)
            return true;
    }
    if (managed_is_object(json)) {
        *ret = arguments_of(a, block, json);
        if ((*ret)->object.n > 0 || !is_text(block, "credentials"))
            return true;
    }
    if (is_text(block, "credentials")) { /* an argument for the whole text, as google has */
        *ret = json_with(a, nothing, STR("credentials"), json_make_string(a, text));
        return true;
    }
    return diags_fail(diags, "Credentials not readable",
                      "cannot get terraform setup: cannot unmarshal " STR_FMT " credentials as JSON: %s", STR_ARG(provider),
                      json ? "they are not an object" : "the text is not JSON");
}
