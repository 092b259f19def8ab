/*
 * The link table: which argument of a resource type holds the value of which attribute of another one.
 *
 *     aws_s3_bucket  logging[].target_bucket  ->  aws_s3_bucket.id
 *     aws_*          **.kms_key_arn           ->  aws_kms_key.arn
 *     aws_iam_policy policy                   ->  aws_s3_bucket.arn part
 *     aws_kms_*      **.kms_key_arn           ->  none
 *
 * One rule per line; # begins a comment (docs/links.md describes the language). Order matters: the first rule that matches wins,
 * further matches are alternatives, and `none` ends the search. Several files can be read into one table, one after the other.
 *
 * Paths are compared by their names alone. [] and {} are for readers; check.h checks them against a schema, but lookups ignore
 * them.
 *
 * Once filled, a table is read-only, and all threads may share it.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"

enum {
    LINKS_MAX_FILE = 16 << 20,
    LINKS_MAX_RULES = 1 << 20, /* of one table */
    LINKS_MAX_NAME = 255,      /* bytes of a type or a pattern of types */
    LINKS_MAX_PATH = 1023,
    LINKS_MAX_MATCHES = 32, /* rules for one argument that are looked at */
    LINKS_MAX_ERRORS = 50,  /* of one file; the rest of the file is not checked */
};

enum link_kind {
    LINK_WHOLE, /* the value is equal to the target's attribute */
    LINK_PART,  /* the value contains the attribute in a longer text */
    LINK_NONE,  /* no link */
};

struct link_rule {
    struct str type, path;        /* names or patterns, as written */
    struct str names;             /* the path without [] and {} */
    struct str target, attribute; /* empty with NONE */
    enum link_kind kind;
    bool exact;         /* without wildcards */
    const char *source; /* NULL: made by a program */
    uint32_t line;
    uint32_t next; /* private: number of the next exact rule for the same argument, 0: none */
};

struct link_table {
    struct arena *arena;
    VEC(struct link_rule) rules; /* in order */
    VEC(uint32_t) open;          /* private: indices of the rules with wildcards */
    struct map exact;            /* private: "TYPE NAMES" -> the first and last exact rule */
    struct map seen;             /* private: rules as text */
};

void links_init(struct link_table *t, struct arena *a);

/*
 * Adds the rules of `text` and drops duplicates. On errors returns false and reports all of them, with SOURCE:LINE. The table
 * does not keep pointers into `text`.
 */
bool links_read(struct link_table *t, struct str text, const char *source, struct diags *diags);

enum link_added { LINK_ADDED, LINK_REPEATED, LINK_WRONG /* invalid name or path */, LINK_FULL };
/*
 * Adds a rule made by a program from its type, path, target, attribute and kind; the other fields are computed. Copies strings.
 */
enum link_added links_add(struct link_table *t, const struct link_rule *rule);

/* One rule per line, in order; links_read() of it gives the same table. */
void links_write(struct buf *out, const struct link_table *t);
void link_rule_write(struct buf *out, const struct link_rule *r);

/*
 * {"type":...,"path":...,"target":...,"attribute":...,"kind":...,"file":...,"line":...}; "file" is left out if a program made
 * the rule.
 */
void link_rule_json(struct json_writer *w, const struct link_rule *r);
/* {"rules":[...]} and a newline. */
void link_rules_json(struct buf *out, const struct link_rule *const *rules, size_t n);
void links_json(struct buf *out, const struct link_table *t);

/*
 * Writes the rules for the argument at this path to `ret`, best first and at most `max`, and returns their number. A `none` rule
 * ends the list and is not part of it. [] and {} in the path are optional. Cost: one lookup, and one comparison for each rule
 * with wildcards.
 */
size_t links_find_all(const struct link_table *t, struct str type, struct str path, const struct link_rule **ret, size_t max);
/* The best rule; NULL if there is none. */
const struct link_rule *links_find(const struct link_table *t, struct str type, struct str path);

/* Does the rule's type, or pattern of types, match this type? */
bool link_rule_has_type(const struct link_rule *r, struct str type);

/* --- paths --- */

/* Removes the next name and the marks after it ("[]", "{}", "[][]", "") from `*rest`, and returns both. */
struct str link_path_step(struct str *rest, struct str *ret_marks);
/* Is this a path: names joined with dots, each followed by any number of [] and {}? `open`: names may have wildcards. */
bool link_path_is_valid(struct str path, bool open);
