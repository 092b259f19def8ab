/*
 * Builds arrays and objects whose size is not known yet, for the readers of JSON and YAML.
 *
 * Elements and members are kept on two stacks until their container is closed, then they move to the arena. Containers nest, so
 * each one remembers where its part of the stack begins.
 */
#pragma once

#include "base/json.h"
#include "base/map.h"

struct json_builder {
    struct arena *arena;
    struct buf items;   /* of const struct json * */
    struct buf members; /* of struct json_member */
};

/* An open array or object. */
struct json_open {
    size_t base;       /* where its part of the stack begins */
    struct map *index; /* of an object with many members */
    bool replaced;     /* a duplicate replaced a value: only the index has the new one */
};

/* `max_items` and `max_members` limit how many elements and members may be on the stacks at once. */
void json_builder_init(struct json_builder *b, struct arena *a, size_t max_items, size_t max_members);
void json_builder_free(struct json_builder *b);

enum json_added { JSON_ADDED, JSON_DUPLICATE, JSON_FULL };

struct json_open json_open_array(const struct json_builder *b);
enum json_added json_add_item(struct json_builder *b, const struct json *item);
void json_close_array(struct json_builder *b, const struct json_open *open, struct json *ret);

struct json_open json_open_object(const struct json_builder *b);
enum json_added json_add_member(struct json_builder *b, struct json_open *open, const struct json_member *member);
/* After JSON_DUPLICATE: the new value takes the place of the old one. */
void json_replace_member(struct json_builder *b, struct json_open *open, const struct json_member *member);
void json_close_object(struct json_builder *b, const struct json_open *open, struct json *ret);

/* The index of an object, or NULL when it has so few members that a linear search is faster. Of duplicate keys the first one
 * counts. */
struct map *json_make_index(struct arena *a, const struct json_member *members, size_t n);
