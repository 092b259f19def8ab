/*
 * The tree reader.
 *
 * The text is copied once into the arena and parsed in place: strings and numbers of the tree are views into that copy, so the
 * tree does not depend on the caller's text and needs no allocation per string. Unescaping overwrites the copy, which works
 * because no escape is shorter than the character it represents; the closing quote becomes a NUL, so strings can also be used as
 * C strings.
 *
 * Columns count characters: the reader counts the UTF-8 continuation bytes in the current line, so that the column of any byte is
 * a subtraction, even in a file of one long line.
 */
#include "base/ascii.h"
#include "base/hex.h"
#include "base/json_build.h"

#include <inttypes.h>
#include <stdio.h>

/* Positions are 32 bit. */
#define MAX_TEXT ((size_t)UINT32_MAX - 1)

struct reader {
    struct arena *arena;
    const char *source;
    struct diags *diags;
    char *p;   /* the next byte; the copy has a NUL at `end`, so looking at *p is always allowed */
    char *end; /* of the text */
    char *line_start;
    size_t continuation; /* UTF-8 continuation bytes since line_start */
    uint32_t line;
    uint32_t depth;
    bool lenient;
    struct json_builder builder;
};

static const struct json *read_value(struct reader *r);

static uint32_t column_of(const struct reader *r, const char *p)
{
    return (uint32_t)((size_t)(p - r->line_start) - r->continuation + 1);
}

/* Describes the text at p in a few characters. */
static struct str describe(const struct reader *r, const char *p)
{
    if (p == r->end)
        return STR("the end of the text");
    size_t n = str_utf8_first((struct str){p, (size_t)(r->end - p)});
    if (n == 0 || (unsigned char)*p < 0x20 || *p == 0x7f)
        return arena_printf(r->arena, "byte 0x%02x", (unsigned char)*p);
    if (n == 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        return STR("a byte order mark (U+FEFF); save the text as UTF-8 without it");
    return arena_printf(r->arena, "'%.*s'", (int)n, p);
}

static void *fail(struct reader *r, uint32_t line, uint32_t column, const char *what, struct str found)
{
    (void)diags_fail(r->diags, "Invalid JSON", "%s:%" PRIu32 ":%" PRIu32 ": %s" STR_FMT ".", r->source, line, column, what,
                     STR_ARG(found));
    return NULL;
}

/* "FILE:LINE:COLUMN: expected WHAT, found ...", about the byte at r->p. */
static void *fail_expected(struct reader *r, const char *what)
{
    struct str text = arena_printf(r->arena, "expected %s, found ", what);
    return fail(r, r->line, column_of(r, r->p), text.p, describe(r, r->p));
}

static void *fail_at(struct reader *r, const char *p, const char *what)
{
    return fail(r, r->line, column_of(r, p), what, STR_EMPTY);
}

static void skip_space(struct reader *r)
{
    for (;; r->p++) {
        if (*r->p == '\n') {
            r->line++;
            r->line_start = r->p + 1;
            r->continuation = 0;
        } else if (*r->p != ' ' && *r->p != '\r' && *r->p != '\t') {
            return;
        }
    }
}

/* Strings */

/* The first byte at or after p that is not simply part of the string: quote, backslash, control or not ASCII. */
static char *skip_plain(char *p, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    while (end - p >= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        uint64_t quote = w ^ (ones * '"'), slash = w ^ (ones * '\\');
        /* The top bit of a byte is set here if it is one of those (or follows one, which the loop below corrects). */
        uint64_t hit = ((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((w - ones * 0x20) & ~w) | w;
        if (hit & tops)
            break;
        p += 8;
    }
    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* One half of a surrogate pair at r->p, without the other. */
static char *read_lone_surrogate(struct reader *r, char *out, const char *problem)
{
    if (!r->lenient)
        return fail_at(r, r->p, problem);
    r->p += 6;
    return out + str_put_utf8(out, 0xfffd);
}

/* r->p is at "\u"; moves past the escape, or past both escapes of a surrogate pair. */
static char *read_unicode_escape(struct reader *r, char *out)
{
    uint32_t c, low;
    if (!hex_number(r->p + 2, 4, &c))
        return fail_at(r, r->p, "expected four hexadecimal digits after \\u");
    if (c >= 0xdc00 && c <= 0xdfff)
        return read_lone_surrogate(r, out, "a low surrogate escape without a high one before it");
    if (c < 0xd800 || c > 0xdbff) {
        r->p += 6;
        return out + str_put_utf8(out, c);
    }
    if (r->p[6] != '\\' || r->p[7] != 'u' || !hex_number(r->p + 8, 4, &low) || low < 0xdc00 || low > 0xdfff)
        return read_lone_surrogate(r, out, "a high surrogate escape without a low one after it");
    r->p += 12;
    return out + str_put_utf8(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
}

static char *read_escape(struct reader *r, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = r->p[1];
    if (c == 'u')
        return read_unicode_escape(r, out);
    const char *at = c ? strchr(from, c) : NULL;
    if (!at) {
        r->p++;
        return fail_expected(r, "one of \" \\ / b f n r t u after a backslash");
    }
    r->p += 2;
    *out = to[at - from];
    return out + 1;
}

/* Copies the multi-byte character at r->p. */
static char *read_wide(struct reader *r, char *out)
{
    size_t n = str_utf8_first((struct str){r->p, (size_t)(r->end - r->p)});
    if (n == 0)
        return fail_expected(r, "valid UTF-8");
    memmove(out, r->p, n);
    r->p += n;
    r->continuation += n - 1;
    return out + n;
}

static void *fail_in_string(struct reader *r)
{
    if (r->p == r->end)
        return fail_expected(r, "'\"' to end the string");
    return fail_expected(r, "control characters of a string to be written as escapes");
}

/* r->p is at the opening quote. */
static bool read_string(struct reader *r, struct str *ret)
{
    char *start = ++r->p;
    r->p = skip_plain(r->p, r->end);
    char *out = r->p; /* equal to r->p until the first escape */
    while (*r->p != '"') {
        if (*r->p == '\\')
            out = read_escape(r, out);
        else if ((unsigned char)*r->p >= 0x80)
            out = read_wide(r, out);
        else
            out = fail_in_string(r);
        if (!out)
            return false;
        char *run = r->p;
        r->p = skip_plain(run, r->end);
        if (out != run)
            memmove(out, run, (size_t)(r->p - run));
        out += r->p - run;
    }
    r->p++;
    *out = '\0';
    *ret = (struct str){start, (size_t)(out - start)};
    return true;
}

/* Numbers and words */

static bool skip_digits(struct reader *r)
{
    if (!is_digit(*r->p)) {
        (void)fail_expected(r, "a digit");
        return false;
    }
    while (is_digit(*r->p))
        r->p++;
    return true;
}

static bool read_number(struct reader *r, struct str *ret)
{
    char *start = r->p;
    if (*r->p == '-')
        r->p++;
    if (*r->p == '0') {
        r->p++;
        if (is_digit(*r->p)) {
            (void)fail_expected(r, "no digit after a leading zero");
            return false;
        }
    } else if (!skip_digits(r)) {
        return false;
    }
    if (*r->p == '.') {
        r->p++;
        if (!skip_digits(r))
            return false;
    }
    if (*r->p == 'e' || *r->p == 'E') {
        r->p++;
        if (*r->p == '+' || *r->p == '-')
            r->p++;
        if (!skip_digits(r))
            return false;
    }
    *ret = (struct str){start, (size_t)(r->p - start)};
    return true;
}

static bool read_word(struct reader *r, struct str word)
{
    if (!str_starts((struct str){r->p, (size_t)(r->end - r->p)}, word)) {
        (void)fail_expected(r, "a value (object, array, string, number, true, false or null)");
        return false;
    }
    r->p += word.n;
    return true;
}

/* Containers */

static bool enter(struct reader *r)
{
    if (r->depth == JSON_MAX_DEPTH) {
        (void)fail_at(r, r->p, "nested deeper than 256 levels");
        return false;
    }
    r->depth++;
    r->p++;
    return true;
}

static bool fail_full(struct reader *r)
{
    (void)fail_at(r, r->p, "the text holds more than the memory set aside for it");
    return false;
}

static bool read_array(struct reader *r, struct json *array)
{
    struct json_open open = json_open_array(&r->builder);
    if (!enter(r))
        return false;
    skip_space(r);
    bool more = *r->p != ']';
    while (more) {
        skip_space(r);
        const struct json *item = read_value(r);
        if (!item)
            return false;
        if (json_add_item(&r->builder, item) != JSON_ADDED)
            return fail_full(r);
        skip_space(r);
        more = *r->p == ',';
        if (more)
            r->p++;
        else if (*r->p != ']')
            return fail_expected(r, "',' or ']' after an element") != NULL;
    }
    r->p++;
    r->depth--;
    json_close_array(&r->builder, &open, array);
    return true;
}

static bool fail_duplicate(struct reader *r, const struct json_member *member)
{
    enum { SHOWN = 200 };
    struct str key = str_slice(member->key, 0, SHOWN);
    struct str text = arena_printf(r->arena, "the key \"" STR_FMT "\" is already in this object", STR_ARG(key));
    (void)fail(r, member->line, member->column, text.p, STR_EMPTY);
    return false;
}

static bool read_member(struct reader *r, struct json_open *open)
{
    struct json_member member = {.line = r->line, .column = column_of(r, r->p)};
    if (*r->p != '"')
        return fail_expected(r, "a key in double quotes") != NULL;
    if (!read_string(r, &member.key))
        return false;
    skip_space(r);
    if (*r->p != ':')
        return fail_expected(r, "':' after a key") != NULL;
    r->p++;
    skip_space(r);
    member.value = read_value(r);
    if (!member.value)
        return false;
    switch (json_add_member(&r->builder, open, &member)) {
    case JSON_ADDED:
        return true;
    case JSON_DUPLICATE:
        if (!r->lenient)
            return fail_duplicate(r, &member);
        json_replace_member(&r->builder, open, &member);
        return true;
    case JSON_FULL:
        return fail_full(r);
    }
    return false;
}

static bool read_object(struct reader *r, struct json *object)
{
    struct json_open open = json_open_object(&r->builder);
    if (!enter(r))
        return false;
    skip_space(r);
    bool more = *r->p != '}';
    while (more) {
        skip_space(r);
        if (!read_member(r, &open))
            return false;
        skip_space(r);
        more = *r->p == ',';
        if (more)
            r->p++;
        else if (*r->p != '}')
            return fail_expected(r, "',' or '}' after a member") != NULL;
    }
    r->p++;
    r->depth--;
    json_close_object(&r->builder, &open, object);
    return true;
}

static bool read_into(struct reader *r, struct json *value)
{
    switch (*r->p) {
    case '{':
        return read_object(r, value);
    case '[':
        return read_array(r, value);
    case '"':
        value->kind = JSON_STRING;
        return read_string(r, &value->text);
    case 't':
        value->kind = JSON_BOOL;
        value->boolean = true;
        return read_word(r, STR("true"));
    case 'f':
        value->kind = JSON_BOOL;
        return read_word(r, STR("false"));
    case '-':
    case '0' ... '9':
        value->kind = JSON_NUMBER;
        return read_number(r, &value->text);
    default:
        value->kind = JSON_NULL;
        return read_word(r, STR("null"));
    }
}

static const struct json *read_value(struct reader *r)
{
    struct json *value = arena_make(r->arena, struct json);
    value->line = r->line;
    value->column = column_of(r, r->p);
    return read_into(r, value) ? value : NULL;
}

static const struct json *read_text(struct reader *r)
{
    skip_space(r);
    const struct json *value = read_value(r);
    if (!value)
        return NULL;
    skip_space(r);
    if (r->p != r->end)
        return fail_expected(r, "the end of the text");
    return value;
}

static const struct json *parse(struct arena *a, struct str text, const char *source, struct diags *diags, bool lenient)
{
    if (text.n > MAX_TEXT) {
        (void)diags_fail(diags, "Invalid JSON", "%s: the text is larger than 4 GiB.", source);
        return NULL;
    }
    char *copy = (char *)arena_str(a, text).p;
    struct reader r = {
        .arena = a,
        .source = source,
        .diags = diags,
        .p = copy,
        .end = copy + text.n,
        .line_start = copy,
        .line = 1,
        .lenient = lenient,
    };
    /* An item takes two bytes of text at least, a member five. */
    json_builder_init(&r.builder, a, text.n / 2 + 1, text.n / 5 + 1);
    const struct json *value = read_text(&r);
    json_builder_free(&r.builder);
    return value;
}

const struct json *json_parse(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    return parse(a, text, source, diags, false);
}

const struct json *json_parse_lenient(struct arena *a, struct str text)
{
    struct diags ignored;
    diags_init(&ignored, a);
    return parse(a, text, "", &ignored, true);
}
