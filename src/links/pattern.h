/*
 * Patterns of names, for files in which one line applies to many types or many arguments.
 *
 * In patterns of types, * matches any text, ? one character, and {a,b} alternatives. A path is names joined with dots, without
 * indices; in a pattern of paths each name may have * and ?, and ** matches zero or more names.
 */
#pragma once

#include "base/str.h"

enum { PATTERN_MAX = 511 }; /* bytes of a pattern of types with alternatives; a longer one matches nothing */

bool link_pattern_match(struct str pattern, struct str text);      /* of types */
bool link_path_pattern_match(struct str pattern, struct str path); /* of paths */

/* Does it have a wildcard? If not, it matches only itself. */
bool link_pattern_is_open(struct str pattern);
