#include "cli/config_file.h"

#include "base/file.h"
#include "yaml/yaml.h"

static bool is_json(const char *path, struct str text)
{
    struct str name = str_of(path);
    if (str_eqz(name, "-"))
        return str_starts(str_trim(text), STR("{"));
    return str_ends(name, STR(".json"));
}

static bool has_known_ending(const char *path)
{
    struct str name = str_of(path);
    return str_eqz(name, "-") || str_ends(name, STR(".json")) || str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml"));
}

static const char *kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",       [JSON_BOOL] = "a bool",  [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string", [JSON_ARRAY] = "a list", [JSON_OBJECT] = "an object",
    };
    return names[kind];
}

bool config_file_read(struct arena *a, const char *path, struct diags *diags, struct config_file *ret)
{
    if (!has_known_ending(path))
        return diags_fail(
            diags, "Unknown file format",
            "\"%s\" has an unknown suffix; expected .json, .yaml or .yml. Rename the file, or pass it on standard input: -c -",
            path);
    bool input = strcmp(path, "-") == 0;
    struct config_file f = {.name = input ? "standard input" : path};
    struct str text = STR_EMPTY;
    if (input ? !file_read_input(a, CONFIG_MAX_FILE, diags, &text) : !file_read(a, path, CONFIG_MAX_FILE, diags, &text))
        return false;
    /* Some editors begin a file with a byte order mark. YAML allows it, so it is accepted in JSON, too. */
    struct str mark = STR("\xef\xbb\xbf");
    if (str_starts(text, mark))
        text = str_slice(text, mark.n, text.n);
    bool json = is_json(path, text);
    f.text = json ? text : STR_EMPTY;
    f.json = json ? json_parse(a, text, f.name, diags) : yaml_parse(a, text, f.name, diags);
    if (!f.json)
        return false;
    if (f.json->kind == JSON_NULL)
        f.json = json_make_object(a, NULL, 0);
    if (f.json->kind != JSON_OBJECT)
        return diags_fail(diags, "Invalid configuration",
                          "%s contains %s; expected an object with one member for each argument: {\"name\": \"web\"}.", f.name,
                          kind_name(f.json->kind));
    *ret = f;
    return true;
}

/* A position in a text, with columns as the JSON reader counts them: characters, not bytes. */
struct cursor {
    struct str text;
    size_t at;
    struct config_place place;
};

static void advance(struct cursor *c)
{
    bool line = c->text.p[c->at++] == '\n';
    bool inside = c->at < c->text.n && ((unsigned char)c->text.p[c->at] & 0xc0) == 0x80;
    c->place.line += line;
    c->place.column = line ? 1 : c->place.column + !inside;
}

static void skip_string(struct cursor *c)
{
    for (advance(c); c->at < c->text.n && c->text.p[c->at] != '"'; advance(c))
        if (c->text.p[c->at] == '\\')
            advance(c);
}

/* The brace that ends the object beginning at `start`. The text is known to be valid JSON. */
static struct config_place find_end(struct str text, struct config_place start)
{
    struct cursor c = {text, 0, {1, 1}};
    while (c.at < text.n && (c.place.line < start.line || c.place.column < start.column))
        advance(&c);
    for (size_t depth = 0; c.at < text.n; advance(&c)) {
        char byte = text.p[c.at];
        if (byte == '"')
            skip_string(&c);
        else if (byte == '{')
            depth++;
        else if (byte == '}' && --depth == 0)
            return c.place;
    }
    return start;
}

struct config_place config_file_place(const struct config_file *f, struct path path, enum diag_where where)
{
    struct json_found found = json_find(f->json, path);
    struct config_place value = {found.value->line, found.value->column};
    if (where == DIAG_AT_NAME)
        return (struct config_place){found.line, found.column};
    bool has_end = f->text.n > 0 && found.value->kind == JSON_OBJECT;
    return where == DIAG_AT_END && has_end ? find_end(f->text, value) : value;
}
