/*
 * The difference between the two sides of a change: a tree with one node per value, ready to be written as text. Private to this
 * folder.
 *
 * The tree follows the schema; where there is no schema (dynamic values, JSON inside a string) it follows the JSON.
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
    DIFF_UNKNOWN,      /* unknown after the change; `inner` is the value before, or NULL */
    DIFF_SECRET,       /* `inner` is sensitive, or was */
    DIFF_SECRET_BLOCK, /* likewise */
    DIFF_WRITE_ONLY,
    DIFF_OTHER_TYPE, /* `inner` becomes `other`, which has another type */
};

struct diff;

struct diff_entry {
    struct str name; /* its pointer is NULL if the entry has no name */
    const struct diff *diff;
};

/* All blocks of one name; entries of a map of blocks have names. */
struct diff_group {
    struct str name;
    bool replace, was_secret, is_secret; /* apply to each block */
    const struct diff_entry *entries;
    size_t n;
};

struct diff {
    enum diff_kind kind;
    enum change_action action; /* NO_OP, CREATE, UPDATE or DELETE */
    bool replace;              /* this value forces the replacement */
    bool nested;               /* LIST, SET, MAP, OBJECT: of a nested attribute, which is written slightly differently */
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
 * pairs.c: pairs the elements of two lists, in the order in which they are shown.
 *
 * Lists of the same length are paired by position, unless every element before the change exists after it: then elements were
 * moved, if anything. In all other lists the elements of the longest common subsequence are paired; of the rest, objects
 * (`are_objects`) are paired with the object in their place, and other elements exist on one side only.
 */
struct pair {
    size_t before, after; /* SIZE_MAX: not on that side */
};
struct pairs {
    const struct pair *v;
    size_t n;
};
typedef bool pair_test_fn(const void *ctx, size_t before, size_t after);
struct pairs pair_up(struct arena *a, size_t n_before, size_t n_after, pair_test_fn *same, pair_test_fn *are_objects,
                     const void *ctx);
/* Pairs the first with the first, and so on. */
struct pairs pair_by_place(struct arena *a, size_t n);

/* The most cells of the table for the longest common subsequence; for longer lists only the common start and end are paired. */
enum { PAIRS_MAX_CELLS = 16 << 20 };

/* diff_text.c */
struct diff_look {
    bool colour;
    bool no_symbols;     /* for an object that is shown without a change */
    bool no_null;        /* no "-> null" after deleted values: it is shown for their container */
    bool forced;         /* write "# forces replacement" although the node itself does not force it */
    bool show_unchanged; /* nothing is hidden */
};
/* The first line is not indented. `indent` counts levels. */
void diff_write(struct buf *out, const struct diff *d, int indent, struct diff_look look);
/* "  + " and so on: the symbol of an action, four columns wide. */
void diff_write_sign(struct buf *out, enum change_action action, struct diff_look look);

/* string_text.c */
void diff_write_string(struct buf *out, const struct diff *d, int indent, struct diff_look look);

/* Colours and styles; in ink.c. */
enum ink { INK_PLAIN, INK_BOLD, INK_RED, INK_GREEN, INK_YELLOW, INK_CYAN, INK_GREY };
void ink_write(struct buf *out, bool colour, enum ink ink, const char *text);
/* " -> null" after a deleted value, " # forces replacement", " -> ". */
void ink_null_suffix(struct buf *out, enum change_action action, struct diff_look look);
void ink_replace_suffix(struct buf *out, bool replace, struct diff_look look);
void ink_arrow(struct buf *out, struct diff_look look);
void ink_null(struct buf *out, struct diff_look look);
void ink_indent(struct buf *out, int levels);
