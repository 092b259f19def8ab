/*
 * Writes YAML directly, without building a tree, for generators of many megabytes. Block style with two spaces per level, like
 * yaml_write(). The caller says where mappings and lists begin and end, and writes keys in the order it wants.
 */
#pragma once

#include "base/json.h"

struct yaml_out {
    struct buf *out; /* NULL: only count */
    size_t indent;
    bool dash;         /* the next line starts a list element */
    size_t json_bytes; /* approximate size of the same content as JSON on one line */
};

/* Begin and end a mapping: yaml_begin() writes KEY: and the members follow one level deeper. */
void yaml_begin(struct yaml_out *y, struct str key);
void yaml_end(struct yaml_out *y);
/* Writes KEY: for a list of mappings; each mapping starts with yaml_item() and ends with yaml_end(). */
void yaml_list(struct yaml_out *y, struct str key);
void yaml_item(struct yaml_out *y);

void yaml_text(struct yaml_out *y, struct str key, struct str text);
/* For a key and a text that need no quotes. */
void yaml_plain(struct yaml_out *y, const char *key, const char *text);
void yaml_texts(struct yaml_out *y, struct str key, const struct str *texts, size_t n);
void yaml_empty(struct yaml_out *y, struct str key); /* Writes KEY: {} */
/* Writes a member with any JSON value. */
void yaml_json(struct yaml_out *y, struct str key, const struct json *value);
/* Writes lines that are YAML already, at the current level; `json_bytes` is estimated from their length. */
void yaml_lines(struct yaml_out *y, const char *lines);
