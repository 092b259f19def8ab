#include "aws/xml.h"

#include "base/vec.h"

/* An open element, while building a tree. */
struct element {
    VEC(struct json_member) members;
    struct buf text;
};

struct tree {
    struct arena *arena;
    struct element open[AWS_XML_MAX_DEPTH + 1]; /* the first contains the root */
};

struct scan {
    struct str rest;
    struct str open[AWS_XML_MAX_DEPTH]; /* names of the open elements */
    size_t depth;
    struct str place[AWS_XML_MAX_DEPTH];
    size_t n_place;
    bool inside; /* the innermost open element is the wanted one */
    bool found;
    bool had_root;
    struct buf text;
    struct tree *tree; /* NULL: only one text is wanted */
};

static bool starts(const struct scan *s, const char *text)
{
    return str_starts(s->rest, str_of(text));
}

static void skip(struct scan *s, size_t n)
{
    s->rest = str_slice(s->rest, n, s->rest.n);
}

/* Takes everything before `end`, and skips `end`; false if it does not occur. */
static bool take_until(struct scan *s, const char *end, struct str *ret)
{
    const char *at = memmem(s->rest.p, s->rest.n, end, strlen(end));
    if (!at)
        return false;
    *ret = (struct str){s->rest.p, (size_t)(at - s->rest.p)};
    skip(s, ret->n + strlen(end));
    return true;
}

static bool place_matches(const struct scan *s)
{
    if (s->depth != s->n_place)
        return false;
    for (size_t i = 0; i < s->depth; i++)
        if (!str_eqz(s->place[i], "*") && !str_eq(s->place[i], s->open[i]))
            return false;
    return true;
}

/* Decodes a numeric reference, "#60" or "#x3c"; false if it is not an XML character. */
static bool add_numbered(struct buf *out, struct str number)
{
    bool hex = number.n > 1 && number.p[1] == 'x';
    uint32_t c = 0;
    size_t i = hex ? 2 : 1;
    if (i >= number.n || number.n > 9)
        return false;
    for (; i < number.n; i++) {
        char d = number.p[i];
        uint32_t digit = d >= '0' && d <= '9'                        ? (uint32_t)(d - '0')
                         : hex && (d | 32) >= 'a' && (d | 32) <= 'f' ? (uint32_t)((d | 32) - 'a' + 10)
                                                                     : 99;
        if (digit == 99)
            return false;
        c = c * (hex ? 16 : 10) + digit;
    }
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return false;
    buf_add_utf8(out, c);
    return true;
}

static bool add_entity(struct buf *out, struct str name)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    if (str_starts(name, STR("#")))
        return add_numbered(out, name);
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (str_eqz(name, entities[i].name)) {
            buf_addc(out, entities[i].c);
            return true;
        }
    return false;
}

/* Takes the text up to the next tag. */
static bool take_text(struct scan *s)
{
    struct str text = str_slice(s->rest, 0, str_find(s->rest, '<', 0));
    skip(s, text.n);
    if (s->depth == 0)
        return str_trim(text).n == 0;
    struct buf passed_over BUF_AUTO = BUF_INIT(AWS_XML_MAX_TEXT);
    struct buf *out = s->inside ? &s->text : &passed_over; /* entities are checked everywhere */
    if (s->tree)
        out = &s->tree->open[s->depth].text;
    while (text.n > 0) {
        size_t at = str_find(text, '&', 0);
        buf_add(out, str_slice(text, 0, at));
        if (at == SIZE_MAX)
            break;
        size_t end = str_find(text, ';', at);
        if (end == SIZE_MAX || !add_entity(out, str_slice(text, at + 1, end)))
            return false;
        text = str_slice(text, end + 1, text.n);
    }
    return buf_ok(out);
}

/* Adds the closed element as a member of its parent. */
static void close_in_tree(struct tree *t, size_t depth, struct str name)
{
    struct element *e = &t->open[depth];
    const struct json *value = e->members.n > 0 ? json_make_object(t->arena, e->members.v, e->members.n)
                                                : json_make_string(t->arena, str_trim(buf_str(&e->text)));
    *VEC_PUSH(t->arena, &t->open[depth - 1].members) = (struct json_member){.key = arena_str(t->arena, name), .value = value};
    buf_free(&e->text);
    *e = (struct element){.text = BUF_INIT(AWS_XML_MAX_TEXT)};
}

static bool close_element(struct scan *s, struct str name)
{
    if (s->depth == 0 || !str_eq(s->open[s->depth - 1], name))
        return false;
    if (s->tree)
        close_in_tree(s->tree, s->depth, name);
    if (s->inside)
        s->found = true;
    s->depth--;
    s->inside = !s->found && place_matches(s);
    return true;
}

static struct str local_name(struct str name)
{
    size_t colon = str_find(name, ':', 0);
    return colon == SIZE_MAX ? name : str_slice(name, colon + 1, name.n);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The end of a start tag: > outside of quotes. */
static size_t end_of_tag(struct str text)
{
    char quote = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else if (!quote && c == '<')
            return SIZE_MAX;
        else if (!quote && c == '>')
            return i;
    }
    return SIZE_MAX;
}

static bool open_element(struct scan *s)
{
    size_t end = end_of_tag(str_slice(s->rest, 1, s->rest.n));
    if (end == SIZE_MAX || s->depth == AWS_XML_MAX_DEPTH || (s->depth == 0 && s->had_root))
        return false;
    struct str tag = str_slice(s->rest, 1, end + 1);
    bool empty = str_ends(tag, STR("/"));
    size_t n = 0;
    while (n < tag.n - (empty ? 1 : 0) && !is_blank(tag.p[n]))
        n++;
    struct str name = local_name(str_slice(tag, 0, n));
    if (name.n == 0)
        return false;
    skip(s, end + 2);
    s->had_root = true;
    s->open[s->depth++] = name;
    s->inside = !s->found && place_matches(s);
    return !empty || close_element(s, name);
}

static bool take_markup(struct scan *s)
{
    struct str passed_over;
    if (starts(s, "<!--"))
        return take_until(s, "-->", &passed_over);
    if (starts(s, "<?"))
        return take_until(s, "?>", &passed_over);
    if (starts(s, "<![CDATA[")) {
        skip(s, strlen("<![CDATA["));
        if (s->depth == 0 || !take_until(s, "]]>", &passed_over))
            return false;
        if (s->inside || s->tree)
            buf_add(s->tree ? &s->tree->open[s->depth].text : &s->text, passed_over);
        return true;
    }
    if (starts(s, "<!"))
        return false;
    if (starts(s, "</")) {
        skip(s, 2);
        return take_until(s, ">", &passed_over) && close_element(s, local_name(str_trim(passed_over)));
    }
    return open_element(s);
}

/* Is the whole document well-formed? */
static bool scan_all(struct scan *s)
{
    bool ok = true;
    if (starts(s, "\xef\xbb\xbf"))
        skip(s, 3);
    while (ok && s->rest.n > 0)
        ok = s->rest.p[0] == '<' ? take_markup(s) : take_text(s);
    return ok && s->depth == 0;
}

bool aws_xml_text(struct arena *a, struct str xml, const char *place, struct str *ret)
{
    struct scan s = {.rest = xml, .text = BUF_INIT(AWS_XML_MAX_TEXT)};
    for (struct str rest = str_of(place); rest.n > 0 && s.n_place < AWS_XML_MAX_DEPTH;)
        s.place[s.n_place++] = str_cut(&rest, '/');
    bool ok = scan_all(&s) && s.found && buf_ok(&s.text);
    if (ok)
        *ret = buf_copy(&s.text, a);
    buf_wipe(&s.text);
    return ok;
}

const struct json *aws_xml_tree(struct arena *a, struct str xml)
{
    struct tree *tree = arena_make(a, struct tree);
    struct scan s = {.rest = xml, .tree = tree};
    tree->arena = a;
    for (size_t i = 0; i <= AWS_XML_MAX_DEPTH; i++)
        tree->open[i].text = BUF_INIT(AWS_XML_MAX_TEXT);
    bool ok = scan_all(&s) && s.had_root;
    for (size_t i = 0; i <= AWS_XML_MAX_DEPTH; i++)
        buf_free(&tree->open[i].text);
    return ok ? json_make_object(a, tree->open[0].members.v, tree->open[0].members.n) : NULL;
}
