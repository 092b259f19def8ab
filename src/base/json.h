/*
 * JSON (RFC 8259), read into an immutable tree in an arena and written through a small writer.
 *
 * Numbers keep their text: they are never passed through a double. Duplicate keys, bad UTF-8, lone surrogates, depth beyond
 * JSON_MAX_DEPTH and anything after the value are errors, each with line and column. YAML is read into the same tree.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum { JSON_MAX_DEPTH = 256 };

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_member;

struct json {
    enum json_kind kind;
    uint32_t line, column; /* of its first character, from 1; 0 when made by a program */
    union {
        bool boolean;
        struct str text; /* JSON_NUMBER: as written; JSON_STRING: unescaped, a NUL behind it */
        struct {
            const struct json *const *items;
            size_t n;
        } array;
        struct {
            const struct json_member *members; /* in order of appearance */
            size_t n;
            const struct map *index; /* for objects of many members, else NULL */
        } object;
    };
};

struct json_member {
    struct str key;
    const struct json *value;
    uint32_t line, column; /* of the key */
};

/* The one value in `text`; NULL and a diagnostic that names `source` (a file name) and the position otherwise. */
const struct json *json_parse(struct arena *a, struct str text, const char *source, struct diags *diags);

/*
 * JSON as Go's reader takes it, which is Terraform's: of equal keys the last one counts, half a surrogate pair is U+FFFD. For
 * texts that only may be JSON: NULL when this is not, with no diagnostic.
 */
const struct json *json_parse_lenient(struct arena *a, struct str text);

/* The member's value; NULL when absent or when `object` is NULL or no object. */
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_get_str(const struct json *object, struct str key);

/* Shorthands: the text of a string (or number), the flag, the integer; the fallback for absent or other kinds. */
struct str json_text(const struct json *j, struct str fallback);
bool json_bool(const struct json *j, bool fallback);
int64_t json_int(const struct json *j, int64_t fallback);

/*
 * Where a path leads in a tree that was read: as far as there is something. `line` and `column` are of its name, which is the key
 * of a member, or an element or the root itself.
 */
struct json_found {
    const struct json *value;
    uint32_t line, column;
    size_t steps; /* of the path, that were found */
};
struct json_found json_find(const struct json *root, struct path path);

/*
 * Writer. Commas, colons and indentation are its business; begin/end nesting and keys are the caller's and are asserted.
 * The output goes to `out`; when a flush function is set, `out` is emptied through it every JSON_FLUSH bytes.
 */
enum { JSON_FLUSH = 64 << 10 };
struct json_writer {
    struct buf *out;
    bool (*flush)(void *ctx, struct str bytes); /* NULL: keep all in `out`; false: stop, `failed` is set */
    void *ctx;
    int indent;        /* spaces a level, 0 for one line */
    bool html_escape;  /* write < > & U+2028 U+2029 as \u escapes, as Go's encoder does */
    bool for_terminal; /* write what would steer a terminal (terminal.h) as \u escapes */
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
/* A member of an object at once: key and value. */
void json_put_text(struct json_writer *w, const char *key, struct str value);
void json_put_int(struct json_writer *w, const char *key, int64_t value);
void json_put_count(struct json_writer *w, const char *key, size_t n);
void json_put_bool(struct json_writer *w, const char *key, bool value);
void json_write_raw(struct json_writer *w, struct str json); /* already JSON */
void json_write(struct json_writer *w, const struct json *j);
/* To take back what was written since, also where it failed for want of room. Not with a flush function. */
struct json_mark {
    struct json_writer w;
    size_t n;
};
struct json_mark json_mark(const struct json_writer *w);
void json_back(struct json_writer *w, const struct json_mark *mark);
/* Call once at the end: flushes; false if anything failed. */
bool json_finish(struct json_writer *w);

/* Trees made by programs. */
const struct json *json_make_string(struct arena *a, struct str s);
const struct json *json_make_number(struct arena *a, struct str text);
const struct json *json_make_bool(struct arena *a, bool b);
const struct json *json_make_null(struct arena *a);
const struct json *json_make_array(struct arena *a, const struct json *const *items, size_t n);
const struct json *json_make_object(struct arena *a, const struct json_member *members, size_t n);
/* The object with another value of this member, in its place or at the end; NULL takes it out. What is not an object counts as an
 * empty one. Values are shared. */
const struct json *json_with(struct arena *a, const struct json *object, struct str key, const struct json *value);
/* All of it, texts too: for a tree that outlives the one it is from. NULL gives NULL. As deep as the tree, which the parser
 * bounds. */
const struct json *json_copy(struct arena *a, const struct json *j);
/* Members in order of their keys, at any depth; the parser has bounded that. Texts and scalars are shared. */
const struct json *json_sorted(struct arena *a, const struct json *j);

/* Same value: members in any order, numbers by decimal value of their text (1 = 1.0 = 10e-1). */
bool json_eq(const struct json *a, const struct json *b);
