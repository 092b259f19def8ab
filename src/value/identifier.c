#include "value/identifier.h"

#include "base/ascii.h"

#include <utf8proc.h>

/* Length of the first character if an identifier may begin (`first`) or continue with it; otherwise 0. */
static size_t character(struct str s, bool first)
{
    if (s.n == 0)
        return 0;
    char c = s.p[0];
    if ((unsigned char)c < 0x80)
        return is_letter(c) || c == '_' || (!first && (is_digit(c) || c == '-'));
    utf8proc_int32_t code;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)s.n, &code);
    if (n <= 0)
        return 0;
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
        return (size_t)n;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
        return first ? 0 : (size_t)n;
    default:
        return 0;
    }
}

/* The end of the identifier characters that start at `n`. All names of a schema are checked here, so ASCII has a fast path. */
static size_t go_on(struct str text, size_t n)
{
    for (size_t more = 1; more > 0; n += more) {
        while (n < text.n && (is_letter(text.p[n]) || is_digit(text.p[n]) || text.p[n] == '_'))
            n++;
        more = n < text.n ? character(str_slice(text, n, text.n), false) : 0;
    }
    return n;
}

size_t identifier_length(struct str text)
{
    size_t n = character(text, true);
    return n > 0 ? go_on(text, n) : 0;
}

bool identifier_is(struct str text)
{
    return text.n > 0 && identifier_length(text) == text.n;
}

bool identifier_like(struct str text)
{
    return text.n > 0 && go_on(text, 0) == text.n;
}
