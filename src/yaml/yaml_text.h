/*
 * Converts the source of a YAML scalar to its text: folded lines, escapes, block indentation and chomping.
 *
 * libfyaml finds where a scalar begins and ends; its own conversion (version 0.7) is not used, because it leaks memory on strings
 * with many escapes, puts a NUL into an empty block, accepts unknown escapes, and uses stack space in proportion to the number of
 * lines.
 */
#pragma once

#include "base/arena.h"

enum yaml_style { YAML_PLAIN, YAML_SINGLE_QUOTED, YAML_DOUBLE_QUOTED, YAML_LITERAL, YAML_FOLDED };

/* Plain and quoted scalars. `source` is the text between the quotes. False when it contains an unknown escape. */
bool yaml_flow_text(struct arena *a, enum yaml_style style, struct str source, struct str *ret);

/* The line with "|" or ">" of a block scalar. */
struct yaml_block_header {
    char chomping; /* '-', '+' or 0 */
    size_t indent; /* indentation indicator, 0 if there is none */
};

/* Finds the header in `source`, which begins after the previous token and ends where the block's content begins. */
struct yaml_block_header yaml_read_header(struct str source);

/*
 * Literal and folded scalars. `source` begins with the line below the header and ends with the scalar; spaces after its last line
 * break belong to the next token. `indent` is the indentation of every line; 0: detect it from the first line.
 */
struct str yaml_block_text(struct arena *a, enum yaml_style style, struct str source, char chomping, size_t indent);
