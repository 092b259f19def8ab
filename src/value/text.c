/*
 * NFC by utf8proc, with two shortcuts that cover nearly all text: ASCII is normalised already, and so is everything below U+0300,
 * where combining marks begin.
 */
#include "base/ascii.h"
#include "base/buf.h"
#include "value/text_private.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum {
    FIRST_COMBINING_LEAD = 0xcc, /* first byte of U+0300 */
    NO_PAIR = 0xffff,            /* utf8proc: takes part in no canonical composition */
    SECOND_OF_PAIR = 0x8000,     /* utf8proc: this and above, only as the second character */
};

/* Number of bytes before the first that needs a closer look. */
static size_t ascii_length(struct str s)
{
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8) {
        uint64_t word;
        memcpy(&word, s.p + i, 8);
        if (word & 0x8080808080808080u)
            break;
    }
    while (i < s.n && (unsigned char)s.p[i] < 0x80)
        i++;
    return i;
}

static bool is_below_combining(struct str s, size_t from)
{
    for (size_t i = from; i < s.n; i++)
        if ((unsigned char)s.p[i] >= FIRST_COMBINING_LEAD)
            return false;
    return true;
}

bool text_normalize(struct arena *a, struct str text, struct str *ret)
{
    size_t ascii = ascii_length(text);
    if (ascii == text.n) {
        *ret = arena_str(a, text);
        return true;
    }
    if (!str_is_utf8(text))
        return false;
    if (is_below_combining(text, ascii)) {
        *ret = arena_str(a, text);
        return true;
    }
    utf8proc_uint8_t *normal = NULL;
    utf8proc_ssize_t n =
        utf8proc_map((const utf8proc_uint8_t *)text.p, (utf8proc_ssize_t)text.n, &normal, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (n < 0)
        return false;
    *ret = arena_str(a, (struct str){(const char *)normal, (size_t)n});
    free(normal);
    return true;
}

struct str text_mended(struct arena *a, struct str text)
{
    const struct str replacement = STR("\xef\xbf\xbd"); /* U+FFFD */
    size_t n = 0, most = text.n * replacement.n;
    char *out = arena_make_n(a, char, most);
    while (text.n > 0) {
        size_t good = str_utf8_first(text);
        struct str next = good > 0 ? str_slice(text, 0, good) : replacement;
        memcpy(out + n, next.p, next.n);
        n += next.n;
        text = str_slice(text, good > 0 ? good : 1, text.n);
    }
    return (struct str){out, n};
}

/* The character that ends at `end`, and where it starts; false when the bytes before `end` are not a whole character. */
static bool char_before(struct str s, size_t end, utf8proc_int32_t *ret_char, size_t *ret_start)
{
    size_t start = end;
    while (start > 0 && end - start < 4) {
        start--;
        if (((unsigned char)s.p[start] & 0xc0) != 0x80)
            break;
    }
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.p + start, (utf8proc_ssize_t)(end - start), &c);
    *ret_start = start;
    *ret_char = c;
    return n > 0 && (size_t)n == end - start;
}

static bool is_hangul(utf8proc_int32_t c)
{
    return (c >= 0x1100 && c < 0x1200) || (c >= 0xac00 && c < 0xd7a4);
}

static bool has_canonical_decomposition(const utf8proc_property_t *p)
{
    return p->decomp_type == 0 && p->decomp_seqindex != UINT16_MAX;
}

/* True when no preceding or following character can change this one. */
static bool is_inert(utf8proc_int32_t c)
{
    const utf8proc_property_t *p = utf8proc_get_property(c);
    return p->combining_class == 0 && p->comb_index == NO_PAIR && !has_canonical_decomposition(p) && !is_hangul(c);
}

static bool is_starter(utf8proc_int32_t c)
{
    const utf8proc_property_t *p = utf8proc_get_property(c);
    bool combines_backward = p->comb_index != NO_PAIR && p->comb_index >= SECOND_OF_PAIR;
    bool is_hangul_tail = c >= 0x1161 && c < 0x11c3;
    return p->combining_class == 0 && !combines_backward && !is_hangul_tail;
}

/* Start of the last part that normalisation could still change; s.n when nothing can change, or when this is not certain. */
static size_t last_boundary(struct str s)
{
    size_t end = s.n;
    size_t start;
    utf8proc_int32_t c;
    if (end > 0 && !char_before(s, end, &c, &start))
        end = start; /* cut within a character */
    if (end == 0 || !char_before(s, end, &c, &start) || is_inert(c))
        return end;
    while (!is_starter(c)) {
        if (start == 0 || !char_before(s, start, &c, &start))
            return s.n;
    }
    return start;
}

/* Punctuation that never combines with the following text and often ends a known prefix: "arn:aws:", "https://". */
static bool ends_any_character(struct str cluster)
{
    static const char delimiters[] = "-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'";
    return cluster.n == 1 && memchr(delimiters, cluster.p[0], sizeof delimiters - 1);
}

/*
 * The grapheme cluster that is examined: the last one, or the first line end, where Terraform's scanner stops.
 */
static struct str last_cluster(struct str s)
{
    size_t cluster = 0;
    utf8proc_int32_t previous = 0, state = 0;
    for (size_t i = 0; i < s.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.p + i, (utf8proc_ssize_t)(s.n - i), &c);
        if (n <= 0)
            return str_slice(s, cluster, i);
        if (i > 0 && utf8proc_grapheme_break_stateful(previous, c, &state)) {
            if (previous == '\r' || previous == '\n')
                return str_slice(s, cluster, i);
            cluster = i;
        }
        previous = c;
        i += (size_t)n;
    }
    return str_slice(s, cluster, s.n);
}

size_t text_count_clusters(struct str text)
{
    size_t clusters = 0;
    utf8proc_int32_t previous = 0, state = 0;
    for (size_t i = 0; i < text.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text.p + i, (utf8proc_ssize_t)(text.n - i), &c);
        if (n <= 0)
            return clusters + 1;
        clusters += i == 0 || utf8proc_grapheme_break_stateful(previous, c, &state);
        previous = c;
        i += (size_t)n;
    }
    return clusters;
}

struct str text_safe_prefix(struct arena *a, struct str prefix)
{
    struct str normal = prefix;
    (void)text_normalize(a, prefix, &normal); /* a prefix cut within a character is cut back below */
    size_t boundary = last_boundary(normal);
    if (boundary < normal.n)
        return str_slice(normal, 0, boundary);
    struct str cluster = last_cluster(normal);
    size_t start = (size_t)(cluster.p - normal.p);
    return str_slice(normal, 0, ends_any_character(cluster) ? start + cluster.n : start);
}

static bool is_printable(utf8proc_int32_t c)
{
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
        return false;
    default:
        return true;
    }
}

static void write_escaped(struct buf *out, utf8proc_int32_t c)
{
    static const char letters[] = "abtnvfr"; /* \a is 7 */
    if (c >= 7 && c <= 13)
        buf_printf(out, "\\%c", letters[c - 7]);
    else if (c < 0x20 || c == 0x7f)
        buf_printf(out, "\\x%02x", (unsigned)c);
    else
        buf_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

void text_write_quoted(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < text.n;) {
        char byte = text.p[i];
        if (byte >= 0x20 && byte < 0x7f) {
            if (byte == '"' || byte == '\\')
                buf_addc(out, '\\');
            buf_addc(out, byte);
            i++;
            continue;
        }
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text.p + i, (utf8proc_ssize_t)(text.n - i), &c);
        if (n > 0 && is_printable(c))
            buf_add(out, str_slice(text, i, i + (size_t)n));
        else
            write_escaped(out, n > 0 ? c : 0xfffd);
        i += n > 0 ? (size_t)n : 1;
    }
    buf_addc(out, '"');
}

/* Strings of the Terraform language */

static bool is_escaped_in_language(char byte, char next)
{
    return byte == '"' || byte == '\\' || ((byte == '$' || byte == '%') && next == '{');
}

void text_write_language(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < text.n;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text.p + i, (utf8proc_ssize_t)(text.n - i), &c);
        char byte = text.p[i], next = '\0';
        if (i + 1 < text.n)
            next = text.p[i + 1];
        if (n <= 0)
            c = 0xfffd;
        if (is_escaped_in_language(byte, next))
            buf_addc(out, byte == '"' ? '\\' : byte);
        if (byte == '\n' || byte == '\r' || byte == '\t')
            buf_printf(out, "\\%c", byte == '\n' ? 'n' : byte == '\r' ? 'r' : 't');
        else if (n > 0 && (c == ' ' || is_printable(c)))
            buf_add(out, str_slice(text, i, i + (size_t)n));
        else
            buf_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        i += n > 0 ? (size_t)n : 1;
    }
    buf_addc(out, '"');
}

/* Reads an escape such as \n or \u00e9 at the start; returns its length, 0 when it is not valid. */
static size_t read_escape(struct str s, char *out, size_t *ret_n)
{
    static const char letters[] = "nrt\"\\", meanings[] = "\n\r\t\"\\";
    const char *letter = s.n > 1 && s.p[1] ? strchr(letters, s.p[1]) : NULL;
    if (letter) {
        *out = meanings[letter - letters];
        *ret_n = 1;
        return 2;
    }
    size_t digits = s.n > 1 && s.p[1] == 'u' ? 4 : s.n > 1 && s.p[1] == 'U' ? 8 : 0;
    uint32_t c = 0;
    if (digits == 0 || s.n < 2 + digits)
        return 0;
    for (size_t i = 2; i < 2 + digits; i++) {
        char digit = to_lower(s.p[i]);
        if (!is_digit(digit) && (digit < 'a' || digit > 'f'))
            return 0;
        c = c << 4 | (uint32_t)(is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *ret_n = str_put_utf8(out, c);
    return 2 + digits;
}

/* Reads a run of $ or % at the start, of length *ret_n; false when it begins a template. If there are several before a brace, one
 * of them is an escape. */
static bool read_introducers(struct str s, size_t *ret_n, size_t *ret_kept)
{
    size_t n = 1;
    while (n < s.n && s.p[n] == s.p[0])
        n++;
    bool brace = n < s.n && s.p[n] == '{';
    *ret_n = n;
    *ret_kept = brace ? n - 1 : n;
    return !brace || n > 1;
}

bool text_read_language(struct arena *a, struct str quoted, struct str *ret)
{
    if (quoted.n < 2 || quoted.p[0] != '"' || quoted.p[quoted.n - 1] != '"' || !str_is_utf8(quoted))
        return false;
    struct str s = str_slice(quoted, 1, quoted.n - 1);
    char *out = arena_alloc(a, s.n + 1, 1); /* no escape is shorter than the character it represents */
    size_t n = 0;
    while (s.n > 0) {
        size_t taken = 1, put = 1;
        out[n] = s.p[0];
        if (s.p[0] == '"' || s.p[0] == '\n')
            return false;
        if (s.p[0] == '\\')
            taken = read_escape(s, out + n, &put);
        else if (s.p[0] == '$' || s.p[0] == '%') {
            if (!read_introducers(s, &taken, &put))
                return false;
            memset(out + n, s.p[0], put);
        }
        if (taken == 0)
            return false;
        n += put;
        s = str_slice(s, taken, s.n);
    }
    out[n] = '\0';
    return text_normalize(a, (struct str){out, n}, ret);
}
