/*
 * Prints a schema for people: a tree for the terminal, and the counts of a provider.
 *
 *     aws_example                           resource, version 1
 *       name      string                    required
 *       tags      map of string             optional
 *       rule      list of blocks, at most 3
 *         port    number                    required
 *
 * Text from the provider is made safe for a terminal (base/terminal.h).
 */
#pragma once

#include "schema/schema.h"

struct schema_text_style {
    bool colour;       /* ANSI colours */
    bool descriptions; /* the first line of each description below its name */
    size_t width;      /* of the terminal, for descriptions; 0: 80 */
};

/* Writes the tree. If `only` is not empty, only the entries of that name; false if there is none. */
bool schema_text_tree(struct buf *out, const struct provider_schema *s, struct str only, const struct schema_text_style *style);

/* The name and count of the largest of something; empty when there is nothing. */
struct schema_most {
    struct str name;
    size_t n;
};

struct schema_summary {
    size_t entries[SECTION_COUNT]; /* resources, data sources, ... */
    /* Of all blocks of all sections: */
    size_t attributes; /* nested ones too */
    size_t blocks;     /* nested blocks */
    size_t required, optional, computed, sensitive, write_only, deprecated;
    struct schema_most largest; /* resource type with most attributes */
    struct schema_most deepest; /* resource type with most levels; 1: no nested blocks or attributes */
};

struct schema_summary schema_summarise(const struct provider_schema *s);
void schema_summary_text(struct buf *out, const struct schema_summary *summary, const struct schema_text_style *style);
/* {"resources":N,...,"attributes":N,...,"largest":{"name":"...","attributes":N},...}; all counts, also those that are 0. */
void schema_summary_json(struct json_writer *w, const struct schema_summary *summary);
