/*
 * Patterns of names, wherever a line of a file is to serve many types or many arguments.
 *
 * Of types: * stands for any text, ? for one character, {a,b} for alternatives. A path is names joined with dots, without
 * indices; in a pattern of paths each name may have * and ?, and ** stands for any number of names, none included.
 */
#pragma once

#include "base/str.h"

enum { PATTERN_MAX = 511 }; /* bytes of a pattern of types with alternatives; a longer one matches nothing */

bool link_pattern_match(struct str pattern, struct str text);      /* of types */
bool link_path_pattern_match(struct str pattern, struct str path); /* of paths */

/* Has it a wildcard? If not, it matches itself only. */
bool link_pattern_is_open(struct str pattern);
