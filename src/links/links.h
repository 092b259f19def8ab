/*
 * The link table: which argument of a resource type holds the value of which attribute of another one.
 *
 *     aws_s3_bucket  logging[].target_bucket  ->  aws_s3_bucket.id
 *     aws_*          **.kms_key_arn           ->  aws_kms_key.arn
 *     aws_iam_policy policy                   ->  aws_s3_bucket.arn part
 *     aws_kms_*      **.kms_key_arn           ->  none
 *
 * One rule a line, # begins a comment (docs/links.md has the whole language). Rules are ordered: the first one that matches wins,
 * the further ones are alternatives, and `none` ends the search. Several files are read into one table one after the other.
 *
 * Paths are compared by their names alone: [] and {} tell a reader what stands there, and are checked against a schema
 * (check.h), but make no difference when a link is looked up.
 *
 * A table is filled, then read-only: it may be shared by all threads.
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
    LINKS_MAX_ERRORS = 50, /* of one file; what follows is not looked at */
};

enum link_kind {
    LINK_WHOLE, /* the value is the target's attribute */
    LINK_PART,  /* the attribute stands inside a longer text */
    LINK_NONE,  /* no link */
};

struct link_rule {
    struct str type, path;        /* names or patterns, as written */
    struct str names;             /* the path without [] and {} */
    struct str target, attribute; /* empty with NONE */
    enum link_kind kind;
    bool exact;         /* no wildcard in it */
    const char *source; /* NULL: made by a program */
    uint32_t line;
    uint32_t next; /* private: number of the next exact rule for the same argument, 0: none */
};

struct link_table {
    struct arena *arena;
    VEC(struct link_rule) rules; /* in order */
    VEC(uint32_t) open;          /* private: numbers of those with wildcards */
    struct map exact;            /* private: "TYPE NAMES" -> the first and last exact rule */
    struct map seen;             /* private: rules as text */
};

void links_init(struct link_table *t, struct arena *a);

/*
 * Adds the text's rules; repeated ones are dropped. False and diagnostics with SOURCE:LINE, all mistakes of the text at once. The
 * table keeps nothing of `text`.
 */
bool links_read(struct link_table *t, struct str text, const char *source, struct diags *diags);

enum link_added { LINK_ADDED, LINK_REPEATED, LINK_WRONG /* no rule: a name or a path is none */, LINK_FULL };
/* A rule made by a program: type, path, target, attribute and kind; the rest follows. Texts are copied. */
enum link_added links_add(struct link_table *t, const struct link_rule *rule);

/* One rule a line, in order; reading it gives the same table. */
void links_write(struct buf *out, const struct link_table *t);
void link_rule_write(struct buf *out, const struct link_rule *r);

/* {"type":...,"path":...,"target":...,"attribute":...,"kind":...,"file":...,"line":...}; without file when made by a program. */
void link_rule_json(struct json_writer *w, const struct link_rule *r);
/* {"rules":[...]} and the end of the line. */
void link_rules_json(struct buf *out, const struct link_rule *const *rules, size_t n);
void links_json(struct buf *out, const struct link_table *t);

/*
 * What the argument at this path may hold, best first: at most `max` rules into `ret`; how many. A `none` rule ends the list and
 * is not in it. The path may have [] and {} or not. Cost: one look-up, and one comparison for each rule with wildcards.
 */
size_t links_find_all(const struct link_table *t, struct str type, struct str path, const struct link_rule **ret, size_t max);
/* The first of them; NULL: none. */
const struct link_rule *links_find(const struct link_table *t, struct str type, struct str path);

/* May the rule be about this type? */
bool link_rule_has_type(const struct link_rule *r, struct str type);

/* --- paths --- */

/* The next name of the path with what stands behind it ("[]", "{}", "[][]", ""); both are removed from `*rest`. */
struct str link_path_step(struct str *rest, struct str *ret_marks);
/* Names joined with dots, each with any number of [] and {} behind it? `open`: names may have wildcards. */
bool link_path_is_valid(struct str path, bool open);
