#include "base/str.h"

#include "base/ascii.h"

#include <errno.h>
#include <stdlib.h>

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int r = n > 0 ? memcmp(a.p, b.p, n) : 0;
    if (r != 0)
        return r;
    return (a.n > b.n) - (a.n < b.n);
}

int str_cmp_qsort(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && str_eq((struct str){s.p, prefix.n}, prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n && str_eq(str_slice(s, s.n - suffix.n, s.n), suffix);
}

bool str_is_one_of(struct str s, const char *const *words)
{
    while (*words && !str_eqz(s, *words))
        words++;
    return *words != NULL;
}

size_t str_find(struct str s, char c, size_t from)
{
    if (from >= s.n)
        return SIZE_MAX;
    const char *hit = memchr(s.p + from, c, s.n - from);
    return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

bool str_contains(struct str s, struct str part)
{
    return part.n == 0 || (s.n > 0 && memmem(s.p, s.n, part.p, part.n));
}

struct str str_slice(struct str s, size_t from, size_t to)
{
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    /* An empty view may have a NULL pointer, to which nothing can be added. */
    return (struct str){from > 0 ? s.p + from : s.p, to - from};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

struct str str_trim(struct str s)
{
    while (s.n > 0 && is_blank(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct str str_cut(struct str *rest, char sep)
{
    size_t at = str_find(*rest, sep, 0);
    if (at == SIZE_MAX) {
        struct str all = *rest;
        *rest = str_slice(*rest, rest->n, rest->n);
        return all;
    }
    struct str head = {rest->p, at};
    *rest = str_slice(*rest, at + 1, rest->n);
    return head;
}

bool str_to_i64(struct str s, int64_t *ret)
{
    char text[24];
    if (s.n == 0 || s.n >= sizeof text || s.p[s.n - 1] < '0' || s.p[s.n - 1] > '9')
        return false;
    if (s.p[0] != '-' && (s.p[0] < '0' || s.p[0] > '9'))
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno != 0 || end != text + s.n)
        return false;
    *ret = value;
    return true;
}

size_t str_utf8_first(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    if (s.n == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n > s.n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
        return 0; /* overlong, surrogate */
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0; /* overlong, beyond U+10FFFF */
    return n;
}

bool str_is_utf8(struct str s)
{
    while (s.n > 0) {
        size_t n = str_utf8_first(s);
        if (n == 0)
            return false;
        s = str_slice(s, n, s.n);
    }
    return true;
}

static uint64_t hash_word(uint64_t h, uint64_t word, uint64_t seed)
{
    unsigned __int128 product = (unsigned __int128)(h ^ word) * 0xa0761d6478bd642fu;
    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ seed;
}

uint64_t str_hash(struct str s, uint64_t seed)
{
    /* Multiply and fold eight bytes at a time; the seed makes collisions unguessable. */
    uint64_t h = seed ^ (s.n * 0x9e3779b97f4a7c15u), word;
    size_t i = 0;
    for (; s.n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, s.p + i, sizeof word);
        h = hash_word(h, word, seed);
    }
    if (i < s.n) {
        word = 0;
        memcpy(&word, s.p + i, s.n - i);
        h = hash_word(h, word, seed);
    }
    return h ^ (h >> 29);
}

size_t str_put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* Decodes the characters of a text; SIZE_MAX when there are too many. */
static size_t split_characters(struct str s, uint32_t characters[STR_DISTANCE_MAX])
{
    size_t n = 0;
    for (; s.n > 0; n++) {
        size_t bytes = str_utf8_first(s);
        if (bytes == 0)
            bytes = 1;
        if (n == STR_DISTANCE_MAX)
            return SIZE_MAX;
        characters[n] = 0;
        for (size_t i = 0; i < bytes; i++)
            characters[n] = characters[n] << 8 | (unsigned char)s.p[i];
        s = str_slice(s, bytes, s.n);
    }
    return n;
}

size_t str_distance(struct str a, struct str b)
{
    uint32_t from[STR_DISTANCE_MAX], to[STR_DISTANCE_MAX];
    size_t n = split_characters(a, from), m = split_characters(b, to);
    if (n == SIZE_MAX || m == SIZE_MAX)
        return SIZE_MAX;
    /* One row of the distance table at a time: row[j] is the distance between the first i characters of one word and the first j
     * of the other. */
    size_t row[STR_DISTANCE_MAX + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (from[i - 1] != to[j - 1]);
            size_t skip = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < skip ? change : skip;
        }
    }
    return row[m];
}

size_t str_count_utf8(struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80; /* the first byte of a character */
    return n;
}

bool str_eq_nocase(struct str a, struct str b)
{
    bool same = a.n == b.n;
    for (size_t i = 0; same && i < a.n; i++)
        same = to_lower(a.p[i]) == to_lower(b.p[i]);
    return same;
}

void str_wipe(struct str secret)
{
    if (secret.n > 0)
        explicit_bzero((void *)(uintptr_t)secret.p, secret.n);
}
