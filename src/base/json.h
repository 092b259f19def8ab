/*
 * JSON (RFC 8259): a reader that makes an immutable tree in an arena, and a small writer.
 *
 * Numbers keep their text: they are never passed through a double. Duplicate keys, bad UTF-8, lone surrogates, nesting deeper
 * than JSON_MAX_DEPTH and anything after the value are errors, each with line and column. YAML is read into the same kind of
 * tree.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum { JSON_MAX_DEPTH = 256 };

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_member;

struct json {
    enum json_kind kind;
    uint32_t line, column; /* of its first character, from 1; 0 when it was not read from text */
    union {
        bool boolean;
        struct str text; /* JSON_NUMBER: as written; JSON_STRING: unescaped, followed by a NUL */
        struct {
            const struct json *const *items;
            size_t n;
        } array;
        struct {
            const struct json_member *members; /* in order of appearance */
            size_t n;
            const struct map *index; /* for objects with many members, else NULL */
        } object;
    };
};

struct json_member {
    struct str key;
    const struct json *value;
    uint32_t line, column; /* of the key */
};

/* Parses `text`, which must be one JSON value. On error it returns NULL and adds a diagnostic with `source` (a file name) and the
 * position. */
const struct json *json_parse(struct arena *a, struct str text, const char *source, struct diags *diags);

/*
 * Accepts what Go's (and so Terraform's) JSON decoder accepts: of duplicate keys the last one wins, a lone surrogate becomes
 * U+FFFD. For text that may or may not be JSON: it returns NULL without a diagnostic when the text is not JSON.
 */
const struct json *json_parse_lenient(struct arena *a, struct str text);

/* The member's value; NULL when it is absent, or when `object` is NULL or not an object. */
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_get_str(const struct json *object, struct str key);

/* Shorthands for the text of a string or number, a boolean and an integer; they return the fallback when the value is absent or
 * of another kind. */
struct str json_text(const struct json *j, struct str fallback);
bool json_bool(const struct json *j, bool fallback);
int64_t json_int(const struct json *j, int64_t fallback);

/*
 * The deepest node of a parsed tree that a path reaches. `line` and `column` are those of the member's key, or of the value
 * itself if it is an array element or the root.
 */
struct json_found {
    const struct json *value;
    uint32_t line, column;
    size_t steps; /* how many steps of the path exist */
};
struct json_found json_find(const struct json *root, struct path path);

/*
 * Writer. It writes commas, colons and indentation itself; the caller must nest begin/end correctly and write keys where they
 * belong, which is asserted. The output goes to `out`; if a flush function is set, it receives the content of `out` every
 * JSON_FLUSH bytes and `out` is emptied.
 */
enum { JSON_FLUSH = 64 << 10 };
struct json_writer {
    struct buf *out;
    bool (*flush)(void *ctx, struct str bytes); /* NULL: everything stays in `out`; returns false to stop: `failed` is set */
    void *ctx;
    int indent;        /* spaces per level, 0: everything on one line */
    bool html_escape;  /* write < > & U+2028 U+2029 as \u escapes, as Go's encoder does */
    bool for_terminal; /* write terminal control characters (terminal.h) as \u escapes */
    bool failed;
    /* private */
    uint32_t depth;
    bool first, after_key;
    uint64_t in_object[JSON_MAX_DEPTH / 64]; /* bit d: the container at depth d is an object */
};
void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
void json_key(struct json_writer *w, struct str key);
void json_write_null(struct json_writer *w);
void json_write_bool(struct json_writer *w, bool b);
void json_write_string(struct json_writer *w, struct str s); /* bad UTF-8 becomes U+FFFD */
void json_write_number(struct json_writer *w, struct str text);
void json_write_int(struct json_writer *w, int64_t i);
/* These write a member of an object: key and value. */
void json_put_text(struct json_writer *w, const char *key, struct str value);
void json_put_int(struct json_writer *w, const char *key, int64_t value);
void json_put_count(struct json_writer *w, const char *key, size_t n);
void json_put_bool(struct json_writer *w, const char *key, bool value);
void json_write_raw(struct json_writer *w, struct str json); /* already JSON */
void json_write(struct json_writer *w, const struct json *j);
/* A position in the output: json_back() removes everything written since json_mark(), even if the writer failed because the
 * buffer was full. Must not be used with a flush function. */
struct json_mark {
    struct json_writer w;
    size_t n;
};
struct json_mark json_mark(const struct json_writer *w);
void json_back(struct json_writer *w, const struct json_mark *mark);
/* Must be called once at the end. It flushes; false if any write failed. */
bool json_finish(struct json_writer *w);

/* Builds trees that were not read from text. */
const struct json *json_make_string(struct arena *a, struct str s);
const struct json *json_make_number(struct arena *a, struct str text);
const struct json *json_make_bool(struct arena *a, bool b);
const struct json *json_make_null(struct arena *a);
const struct json *json_make_array(struct arena *a, const struct json *const *items, size_t n);
const struct json *json_make_object(struct arena *a, const struct json_member *members, size_t n);
/* A copy of the object in which this member has another value; a new member is added at the end, and a NULL value removes the
 * member. If `object` is not an object, it counts as an empty one. Values are shared, not copied. */
const struct json *json_with(struct arena *a, const struct json *object, struct str key, const struct json *value);
/* A deep copy including texts, for a tree that must outlive its source. NULL gives NULL. Recursion is as deep as the tree, and
 * the parser limits that depth. */
const struct json *json_copy(struct arena *a, const struct json *j);
/* A copy in which the members of every object are sorted by key, at any depth (which the parser limits). Texts and scalars are
 * shared. */
const struct json *json_sorted(struct arena *a, const struct json *j);

/* Compares values: the order of members does not matter, and numbers are compared by decimal value (1 = 1.0 = 10e-1). */
bool json_eq(const struct json *a, const struct json *b);
