#include "render/words_private.h"
#include "value/text.h"

#include <utf8proc.h>

enum { MAX_TEXT = 512 << 20 };

/* Characters */

static utf8proc_int32_t first_of(struct str s, size_t *ret_bytes)
{
    utf8proc_int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &c);
    *ret_bytes = n > 0 ? (size_t)n : 1;
    return n > 0 ? c : -1;
}

/* ID_Start and ID_Continue of Unicode: by category, plus a few characters that were allowed in older versions. */

static bool starts_name(utf8proc_int32_t c)
{
    if (c == '_' || c == 0x1885 || c == 0x1886 || c == 0x2118 || c == 0x212e || c == 0x309b || c == 0x309c)
        return true;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
        return true;
    default:
        return false;
    }
}

static bool continues_name(utf8proc_int32_t c)
{
    if (c == '-' || c == 0xb7 || c == 0x387 || (c >= 0x1369 && c <= 0x1371) || c == 0x19da)
        return true;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return starts_name(c);
    }
}

static bool is_space(utf8proc_int32_t c)
{
    if (c <= 0xff)
        return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0;
    utf8proc_category_t category = utf8proc_category(c);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

/* Names */

static bool is_name(struct str s)
{
    for (size_t i = 0, n; i < s.n; i += n) {
        utf8proc_int32_t c = first_of(str_slice(s, i, s.n), &n);
        if (c < 0 || !(i == 0 ? starts_name(c) : continues_name(c)))
            return false;
    }
    return s.n > 0;
}

struct str words_quoted(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    text_write_quoted(&out, text);
    return buf_copy(&out, a);
}

struct str words_name(struct arena *a, struct str name)
{
    return is_name(name) ? name : words_quoted(a, name);
}

/* Texts */

static struct str trim_start(struct str s)
{
    while (s.n > 0) {
        size_t n;
        if (!is_space(first_of(s, &n)))
            break;
        s = str_slice(s, n, s.n);
    }
    return s;
}

static struct str trim_end(struct str s)
{
    while (s.n > 0) {
        size_t n, last = s.n - 1;
        while (last > 0 && ((unsigned char)s.p[last] & 0xc0) == 0x80)
            last--;
        if (!is_space(first_of(str_slice(s, last, s.n), &n)))
            break;
        s.n = last;
    }
    return s;
}

struct str words_trim(struct str s)
{
    return trim_end(trim_start(s));
}

void words_wrap(struct buf *out, struct str text, size_t width)
{
    size_t column = 0;
    while (text.n > 0) {
        struct str word = str_cut(&text, ' ');
        if (column > 0 && width > 0 && column + 1 + str_count_utf8(word) > width) {
            buf_addc(out, '\n');
            column = 0;
        }
        if (column > 0)
            buf_addc(out, ' ');
        buf_add(out, word);
        column += str_count_utf8(word) + (column > 0);
    }
}
