/*
 * Flatmap: how states before Terraform 0.12 stored attributes, a map from dotted keys to text (docs/core-rules.md 2.5).
 */
#pragma once

#include "base/map.h"
#include "value/value.h"

#define FLATMAP_UNKNOWN "74D93920-ED26-11E3-AC10-0800200C9A66"

struct flatmap_entry {
    struct str key, value;
};
struct flatmap {
    struct flatmap_entry *v; /* sorted by key */
    size_t n;
};

/* Reads a value of this type. On failure it returns NULL and adds a diagnostic that names the key. Types that contain DYNAMIC are
 * not supported. */
const struct value *flatmap_to_value(struct arena *a, const struct flatmap *f, const struct type *object, struct diags *diags);
