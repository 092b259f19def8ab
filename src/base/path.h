/*
 * Where in an object: the path of a diagnostic, a mark or a forced replacement. Immutable, arena-owned.
 *
 * Terraform's wire has steps for attributes, map keys and list indexes only; a set element is addressed by itself, so such a
 * path is cut before it is sent (see plugin).
 */
#pragma once

#include "base/arena.h"

struct buf;
struct value;

enum path_step_kind { PATH_ATTR, PATH_KEY, PATH_INDEX, PATH_ELEMENT };

struct path_step {
    enum path_step_kind kind;
    struct str name;             /* PATH_ATTR, PATH_KEY */
    int64_t index;               /* PATH_INDEX */
    const struct value *element; /* PATH_ELEMENT: the set element */
};

struct path {
    const struct path_step *steps;
    size_t n;
};

#define PATH_ROOT ((struct path){NULL, 0})

/* The path one step longer; the steps are copied into the arena. */
struct path path_attr(struct arena *a, struct path parent, struct str name);
struct path path_key(struct arena *a, struct path parent, struct str key);
struct path path_index(struct arena *a, struct path parent, int64_t index);
struct path path_element(struct arena *a, struct path parent, const struct value *element);

/* Same steps (elements by identity of the pointer)? */
bool path_eq(struct path a, struct path b);

/* As users write it: tags["Name"], ebs_block_device[0].size; a set element is [...]. No leading dot. */
void path_write(struct buf *out, struct path path);
/* With keys, brackets included, as `key` writes them. */
void path_write_with(struct buf *out, struct path path, void (*key)(struct buf *out, struct str key));
struct str path_text(struct arena *a, struct path path);
