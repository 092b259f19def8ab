/*
 * YAML 1.2 by libfyaml, read into the same tree as JSON with the scalar rules Kubernetes users know (yaml_scalar.h): plain
 * null/~/empty, true/false/yes/no/on/off/y/n (any of YAML 1.1's spellings), integers, floats; everything quoted is a string.
 * Anchors and aliases are expanded within a bound; merge keys (<<) work; duplicate keys, tags other than the core ones, and
 * keys that are not scalars are errors with line and column.
 */
#pragma once

#include "base/json.h"

/* More nodes than this after alias expansion is an error ("billion laughs"). */
enum { YAML_MAX_NODES = 1 << 20 };

/* The only document; an empty file is null. */
const struct json *yaml_parse(struct arena *a, struct str text, const char *source, struct diags *diags);

struct yaml_documents {
    const struct json **v;
    size_t n;
};
/* All documents of a stream; empty ones (and null) are left out. */
bool yaml_parse_all(struct arena *a, struct str text, const char *source, struct diags *diags, struct yaml_documents *ret);

/* Block style, keys in tree order, strings quoted only where they must be so that they read back as the same tree. */
void yaml_write(struct buf *out, const struct json *j);
