/*
 * YAML 1.2, parsed by libfyaml into the same tree as JSON, with the scalar rules that Kubernetes users know (yaml_scalar.h):
 * unquoted null/~/empty, true/false/yes/no/on/off/y/n (in all spellings of YAML 1.1), integers and floats; every quoted scalar is
 * a string. Anchors and aliases are expanded within a bound; merge keys (<<) work; duplicate keys, tags other than the core ones,
 * and keys that are not scalars are errors with line and column.
 */
#pragma once

#include "base/json.h"

/* The maximum number of nodes after alias expansion; more is an error ("billion laughs"). */
enum { YAML_MAX_NODES = 1 << 20 };

/* Parses a stream of one document; an empty file gives null. */
const struct json *yaml_parse(struct arena *a, struct str text, const char *source, struct diags *diags);

struct yaml_documents {
    const struct json **v;
    size_t n;
};
/* Parses all documents of a stream; empty and null documents are left out. */
bool yaml_parse_all(struct arena *a, struct str text, const char *source, struct diags *diags, struct yaml_documents *ret);

/* Writes block style, with keys in the order of the tree. Strings are quoted only where that is necessary to read back the same
 * tree. */
void yaml_write(struct buf *out, const struct json *j);
