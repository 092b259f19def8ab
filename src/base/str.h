/*
 * String views: a pointer and a length, never owned.
 *
 * Text from outside is not NUL-terminated and may contain NUL, so it is passed as a view. The bytes belong to an arena or a
 * buffer that outlives the view.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

/* A view of a string literal. */
#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_EMPTY ((struct str){"", 0})

/* For printf: printf("name " STR_FMT, STR_ARG(name)). */
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p

/* A view of a NUL-terminated string; NULL gives the empty view. */
static inline struct str str_of(const char *z)
{
    return z ? (struct str){z, strlen(z)} : STR_EMPTY;
}

static inline bool str_is_empty(struct str s)
{
    return s.n == 0;
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_eqz(struct str a, const char *z)
{
    return str_eq(a, str_of(z));
}

/* Equal when the case of ASCII letters is ignored. */
bool str_eq_nocase(struct str a, struct str b);

/* Bytewise order; a prefix comes first. str_cmp_qsort() is for qsort() of an array of views. */
int str_cmp(struct str a, struct str b);
int str_cmp_qsort(const void *a, const void *b);

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
/* `words` end with NULL. */
bool str_is_one_of(struct str s, const char *const *words);

/* Position of the first byte `c` at or after `from`, or SIZE_MAX. */
size_t str_find(struct str s, char c, size_t from);

/* True when `part` occurs anywhere in `s`; an empty `part` always does. */
bool str_contains(struct str s, struct str part);

/* Bytes [from, to); both are limited to the length. */
struct str str_slice(struct str s, size_t from, size_t to);

/* Removes ASCII white space at both ends. */
struct str str_trim(struct str s);

/*
 * Returns the text before the first `sep` and removes it, with the separator, from `*rest`; returns all of `*rest` when there is
 * no separator. Loop: while (rest.n > 0) { part = str_cut(&rest, ','); ... }
 */
struct str str_cut(struct str *rest, char sep);

/* Parses the whole text as a decimal integer; '+', blanks and overflow are errors. */
bool str_to_i64(struct str s, int64_t *ret);

/* True for valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF). */
bool str_is_utf8(struct str s);

/* Length of the valid UTF-8 sequence at the start of the text; 0 when there is none. */
size_t str_utf8_first(struct str s);

/* Number of characters of a text that is valid UTF-8. */
size_t str_count_utf8(struct str s);

/* Writes the character as UTF-8 to `out`, which has room for STR_UTF8_MAX bytes, and returns the number of bytes. `c` is a valid
 * code point. */
enum { STR_UTF8_MAX = 4 };
size_t str_put_utf8(char *out, uint32_t c);

/*
 * How many characters must be changed, added or removed to turn one word into the other; used to suggest what the user meant.
 * SIZE_MAX when a word has more than STR_DISTANCE_MAX characters.
 */
enum { STR_DISTANCE_MAX = 256 };
size_t str_distance(struct str a, struct str b);

/* Hash for tables; `seed` keeps outsiders from choosing collisions. */
uint64_t str_hash(struct str s, uint64_t seed);

/* Overwrites the bytes of a secret; the memory must be the caller's own. */
void str_wipe(struct str secret);
