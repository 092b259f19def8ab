#include "yaml/yaml_out.h"

#include "base/ascii.h"
#include "yaml/yaml_quote_private.h"

enum { MAX_VALUE = 16 << 20 };

static void add(struct yaml_out *y, struct str s)
{
    if (y->out)
        buf_add(y->out, s);
}

static void start_line(struct yaml_out *y)
{
    size_t n = y->indent * 2;
    char *room = y->out ? buf_room(y->out, n + 2) : NULL;
    if (!room)
        return;
    memset(room, ' ', n);
    if (y->dash && n >= 2)
        room[n - 2] = '-';
    buf_grew(y->out, n);
    y->dash = false;
}

/* Words that YAML 1.1 readers do not read as strings. */
static bool is_reserved(struct str s)
{
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    if (s.n > 5)
        return false;
    char lower[6] = {0};
    for (size_t i = 0; i < s.n; i++)
        lower[i] = to_lower(s.p[i]);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(lower, words[i]) == 0)
            return true;
    return false;
}

/* True when every reader certainly reads the text as a string without quotes. */
static bool is_plain(struct str s)
{
    if (s.n == 0 || !is_letter(s.p[0]) || s.p[s.n - 1] == ' ' || s.p[s.n - 1] == ':' || is_reserved(s))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x20 || c >= 0x7f)
            return false;
        if (i + 1 < s.n && ((c == ':' && s.p[i + 1] == ' ') || (c == ' ' && s.p[i + 1] == '#')))
            return false;
    }
    return true;
}

static void put_string(struct yaml_out *y, struct str s)
{
    y->json_bytes += s.n + 2;
    if (!y->out)
        return;
    if (is_plain(s))
        buf_add(y->out, s);
    else
        yaml_put_quoted(y->out, s);
}

static void put_key(struct yaml_out *y, struct str key)
{
    start_line(y);
    put_string(y, key);
    add(y, STR(":"));
    y->json_bytes += 2;
}

void yaml_begin(struct yaml_out *y, struct str key)
{
    put_key(y, key);
    add(y, STR("\n"));
    y->indent++;
    y->json_bytes += 2;
}

void yaml_end(struct yaml_out *y)
{
    y->indent--;
}

void yaml_list(struct yaml_out *y, struct str key)
{
    put_key(y, key);
    add(y, STR("\n"));
    y->json_bytes += 2;
}

void yaml_item(struct yaml_out *y)
{
    y->indent++;
    y->dash = true;
    y->json_bytes += 3;
}

void yaml_text(struct yaml_out *y, struct str key, struct str text)
{
    put_key(y, key);
    add(y, STR(" "));
    put_string(y, text);
    add(y, STR("\n"));
}

void yaml_plain(struct yaml_out *y, const char *key, const char *text)
{
    struct str k = str_of(key), t = str_of(text);
    start_line(y);
    add(y, k);
    add(y, STR(": "));
    add(y, t);
    add(y, STR("\n"));
    y->json_bytes += k.n + t.n + 6;
}

void yaml_texts(struct yaml_out *y, struct str key, const struct str *texts, size_t n)
{
    yaml_list(y, key);
    for (size_t i = 0; i < n; i++) {
        start_line(y);
        add(y, STR("- "));
        put_string(y, texts[i]);
        add(y, STR("\n"));
        y->json_bytes++;
    }
}

void yaml_empty(struct yaml_out *y, struct str key)
{
    put_key(y, key);
    add(y, STR(" {}\n"));
    y->json_bytes += 2;
}

void yaml_lines(struct yaml_out *y, const char *lines)
{
    for (struct str rest = str_of(lines); rest.n > 0;) {
        struct str line = str_cut(&rest, '\n');
        start_line(y);
        add(y, line);
        add(y, STR("\n"));
        y->json_bytes += line.n + 4;
    }
}

/* Writes on one line, with all strings quoted. */
static void put_flow(struct buf *out, const struct json *j)
{
    switch (j->kind) {
    case JSON_NULL:
        buf_addz(out, "null");
        break;
    case JSON_BOOL:
        buf_addz(out, j->boolean ? "true" : "false");
        break;
    case JSON_NUMBER:
        buf_add(out, j->text);
        break;
    case JSON_STRING:
        yaml_put_quoted(out, j->text);
        break;
    case JSON_ARRAY:
        buf_addc(out, '[');
        for (size_t i = 0; i < j->array.n; i++) {
            buf_addz(out, i > 0 ? ", " : "");
            put_flow(out, j->array.items[i]);
        }
        buf_addc(out, ']');
        break;
    case JSON_OBJECT:
        buf_addc(out, '{');
        for (size_t i = 0; i < j->object.n; i++) {
            buf_addz(out, i > 0 ? ", " : "");
            yaml_put_quoted(out, j->object.members[i].key);
            buf_addz(out, ": ");
            put_flow(out, j->object.members[i].value);
        }
        buf_addc(out, '}');
        break;
    }
}

void yaml_json(struct yaml_out *y, struct str key, const struct json *value)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_VALUE);
    put_flow(&text, value);
    put_key(y, key);
    add(y, STR(" "));
    add(y, buf_str(&text));
    add(y, STR("\n"));
    y->json_bytes += text.n;
}
