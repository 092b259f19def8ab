/*
 * A path to a place inside an object: of a diagnostic, a mark or a forced replacement. Immutable, owned by an arena.
 *
 * The Terraform protocol has steps for attributes, map keys and list indexes only. A set element has no key or index: its step is
 * the element itself, so such a path is cut before it is sent (see plugin).
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

/* The parent's path plus one step; the steps are copied into the arena. */
struct path path_attr(struct arena *a, struct path parent, struct str name);
struct path path_key(struct arena *a, struct path parent, struct str key);
struct path path_index(struct arena *a, struct path parent, int64_t index);
struct path path_element(struct arena *a, struct path parent, const struct value *element);

/* True when the steps are the same (set elements are compared by pointer). */
bool path_eq(struct path a, struct path b);

/* Writes the path in Terraform syntax: tags["Name"], ebs_block_device[0].size; a set element is [...]. No leading dot. */
void path_write(struct buf *out, struct path path);
/* The same, but `key` writes each map key including its brackets. */
void path_write_with(struct buf *out, struct path path, void (*key)(struct buf *out, struct str key));
struct str path_text(struct arena *a, struct path path);
