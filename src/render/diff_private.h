/*
 * What differs between the two sides of a change: a tree, one node a value, ready to be written as text. Private to this folder.
 *
 * The tree follows the schema; where the schema says nothing (dynamic values, JSON inside a string) it follows the JSON.
 */
#pragma once

#include "change/change.h"
#include "render/sides_private.h"

enum diff_kind {
    DIFF_PLAIN,        /* string, number, bool, null */
    DIFF_LIST,         /* entries without names */
    DIFF_SET,          /* likewise */
    DIFF_MAP,          /* entries by key */
    DIFF_OBJECT,       /* entries by attribute */
    DIFF_BLOCK,        /* entries by attribute, and groups of blocks */
    DIFF_UNKNOWN,      /* not known after; `inner` is what it was, or NULL */
    DIFF_SECRET,       /* `inner` is secret, or was */
    DIFF_SECRET_BLOCK, /* likewise */
    DIFF_WRITE_ONLY,
    DIFF_OTHER_TYPE, /* `inner` becomes `other`, which is something else */
};

struct diff;

struct diff_entry {
    struct str name; /* its pointer is NULL where there are none */
    const struct diff *diff;
};

/* All blocks of one name; entries of a map of blocks have names. */
struct diff_group {
    struct str name;
    bool replace, was_secret, is_secret; /* each of them */
    const struct diff_entry *entries;
    size_t n;
};

struct diff {
    enum diff_kind kind;
    enum change_action action; /* NO_OP, CREATE, UPDATE or DELETE */
    bool replace;              /* this is what forces the replacement */
    bool nested;               /* LIST, SET, MAP, OBJECT: of a nested attribute, which is written a little differently */
    bool was_secret, is_secret;
    bool text;                         /* PLAIN: of type string */
    const struct json *before, *after; /* PLAIN; NULL: null */
    const struct diff *inner, *other;
    const struct diff_entry *entries;
    size_t n;
    const struct diff_group *groups;
    size_t n_groups;
};

/* diff.c: by the schema. */
const struct diff *diff_block(struct arena *a, const struct sides *s, const struct schema_block *schema);
/* Without a schema. */
const struct diff *diff_json(struct arena *a, const struct sides *s);

/*
 * pairs.c: which elements of two lists belong to each other, in order of display.
 *
 * Lists of one length are paired place by place, unless each element before is somewhere after: then elements were moved, if
 * anything. In all others what the longest common part has is paired; of the rest, objects (`are_objects`) pair up with the one
 * that stands in their place, and what is left is on one side only.
 */
struct pair {
    size_t before, after; /* SIZE_MAX: on that side it is not */
};
struct pairs {
    const struct pair *v;
    size_t n;
};
typedef bool pair_test_fn(const void *ctx, size_t before, size_t after);
struct pairs pair_up(struct arena *a, size_t n_before, size_t n_after, pair_test_fn *same, pair_test_fn *are_objects,
                     const void *ctx);
/* The first with the first, and so on. */
struct pairs pair_by_place(struct arena *a, size_t n);

/* Most cells of the table that finds the longest common part; longer lists are only trimmed at both ends. */
enum { PAIRS_MAX_CELLS = 16 << 20 };

/* diff_text.c */
struct diff_look {
    bool colour;
    bool no_symbols;     /* for an object that is only shown */
    bool no_null;        /* no "-> null" behind what goes away: its container says it */
    bool forced;         /* "# forces replacement", although the node itself does not say it */
    bool show_unchanged; /* nothing is hidden */
};
/* The first line is not indented. `indent` counts levels. */
void diff_write(struct buf *out, const struct diff *d, int indent, struct diff_look look);
/* "  + " and so on: the sign of an action, four columns wide. */
void diff_write_sign(struct buf *out, enum change_action action, struct diff_look look);

/* string_text.c */
void diff_write_string(struct buf *out, const struct diff *d, int indent, struct diff_look look);

/* What text pieces look like; in ink.c. */
enum ink { INK_PLAIN, INK_BOLD, INK_RED, INK_GREEN, INK_YELLOW, INK_CYAN, INK_GREY };
void ink_write(struct buf *out, bool colour, enum ink ink, const char *text);
/* " -> null" behind something that goes away, " # forces replacement", " -> ". */
void ink_null_suffix(struct buf *out, enum change_action action, struct diff_look look);
void ink_replace_suffix(struct buf *out, bool replace, struct diff_look look);
void ink_arrow(struct buf *out, struct diff_look look);
void ink_null(struct buf *out, struct diff_look look);
void ink_indent(struct buf *out, int levels);
