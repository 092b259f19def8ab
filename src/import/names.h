/* Names of objects in the configuration. */
#pragma once

#include "import/worklist.h"

/*
 * Names each object that was read and has no name yet: from its tag Name, its name or its id, in snake_case. Names are unique
 * within a type: of equal ones all but the first, by key, get a number. The same objects always get the same names.
 */
void import_choose_names(struct worklist *w);

/* Lower-case words of letters and digits, joined by underscores; never empty, and a valid identifier. */
struct str import_snake(struct arena *a, struct str text);
