/*
 * YAML written as one goes, without a tree: what generators of many megabytes need. Block style, two spaces a level, as
 * yaml_write() has it. The caller says where mappings and lists begin and end and takes care of the order of keys.
 */
#pragma once

#include "base/json.h"

struct yaml_out {
    struct buf *out; /* NULL: only count */
    size_t indent;
    bool dash;         /* the next line starts an element of a list */
    size_t json_bytes; /* what the same would take as JSON on one line, about */
};

/* KEY: and one level deeper; its end. */
void yaml_begin(struct yaml_out *y, struct str key);
void yaml_end(struct yaml_out *y);
/* KEY: with a list of mappings below; each of them starts with yaml_item() and ends with yaml_end(). */
void yaml_list(struct yaml_out *y, struct str key);
void yaml_item(struct yaml_out *y);

void yaml_text(struct yaml_out *y, struct str key, struct str text);
/* A key or text that needs no quotes. */
void yaml_plain(struct yaml_out *y, const char *key, const char *text);
void yaml_texts(struct yaml_out *y, struct str key, const struct str *texts, size_t n);
void yaml_empty(struct yaml_out *y, struct str key); /* KEY: {} */
/* A member with any value. */
void yaml_json(struct yaml_out *y, struct str key, const struct json *value);
/* Lines that are YAML already, written at the current level; counted as `json_bytes` bytes. */
void yaml_lines(struct yaml_out *y, const char *lines);
