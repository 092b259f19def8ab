/*
 * String views: a pointer and a length, never owned.
 *
 * Text that came from outside is not NUL-terminated and may contain NUL; a view is how it travels. What a view points to
 * belongs to an arena or a buffer that outlives the view.
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

/* Whatever the case of ASCII letters. */
bool str_eq_nocase(struct str a, struct str b);

/* Bytewise order, shorter first when one is a prefix of the other. Fit for qsort of views through str_cmp_qsort. */
int str_cmp(struct str a, struct str b);
int str_cmp_qsort(const void *a, const void *b);

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* Position of the first such byte at or after `from`, or SIZE_MAX. */
size_t str_find(struct str s, char c, size_t from);

/* Does `part` stand anywhere in it? An empty one does. */
bool str_contains(struct str s, struct str part);

/* Bytes [from, to); both are cut to the length. */
struct str str_slice(struct str s, size_t from, size_t to);

/* Without ASCII white space at both ends. */
struct str str_trim(struct str s);

/*
 * The text before the first `sep`, which is removed from `*rest` together with the separator; all of `*rest` when there is
 * none. Loop: while (rest.n > 0) { part = str_cut(&rest, ','); ... }
 */
struct str str_cut(struct str *rest, char sep);

/* The whole text as a decimal integer; no sign but '-', no blanks, no overflow. */
bool str_to_i64(struct str s, int64_t *ret);

/* Valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF)? */
bool str_is_utf8(struct str s);

/* Bytes of the valid UTF-8 sequence that the text starts with; 0 when it starts with none. */
size_t str_utf8_first(struct str s);

/* Characters of a text that is valid UTF-8. */
size_t str_count_utf8(struct str s);

/* The character as UTF-8; `out` has room for STR_UTF8_MAX bytes. Returns how many there are. `c` is a valid code point. */
enum { STR_UTF8_MAX = 4 };
size_t str_put_utf8(char *out, uint32_t c);

/*
 * How many characters must be changed, added or dropped to make one word of the other: how typing errors are guessed. Words of
 * more than STR_DISTANCE_MAX characters are SIZE_MAX apart.
 */
enum { STR_DISTANCE_MAX = 256 };
size_t str_distance(struct str a, struct str b);

/* Hash for tables; `seed` keeps outsiders from choosing collisions. */
uint64_t str_hash(struct str s, uint64_t seed);

/* Overwrites the bytes of a secret, which are in memory of the caller's own. */
void str_wipe(struct str secret);
