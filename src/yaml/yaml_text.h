/*
 * From the source of a YAML scalar to its text: folded lines, escapes, block indentation and chomping.
 *
 * libfyaml finds where a scalar begins and ends; its own conversion (0.7) is not used, because it loses memory on strings with
 * many escapes, puts a NUL into an empty block, lets unknown escapes pass, and takes stack by the line.
 */
#pragma once

#include "base/arena.h"

enum yaml_style { YAML_PLAIN, YAML_SINGLE_QUOTED, YAML_DOUBLE_QUOTED, YAML_LITERAL, YAML_FOLDED };

/* Plain and quoted scalars. `source` is what stands between the quotes. False: it has an escape that means nothing. */
bool yaml_flow_text(struct arena *a, enum yaml_style style, struct str source, struct str *ret);

/* The line with "|" or ">" of a block scalar. */
struct yaml_block_header {
    char chomping; /* '-', '+' or 0 */
    size_t indent; /* as written, 0 when not */
};

/* Finds it in `source`, which begins behind the token before and ends where the block's content begins. */
struct yaml_block_header yaml_read_header(struct str source);

/*
 * Literal and folded scalars. `source` begins with the line below the header and ends with the scalar; spaces behind its last
 * line break belong to what comes next. `indent` is the number of spaces each line has, 0 to take it from the first line.
 */
struct str yaml_block_text(struct arena *a, enum yaml_style style, struct str source, char chomping, size_t indent);
