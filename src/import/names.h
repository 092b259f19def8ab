/* What objects are called in the configuration. */
#pragma once

#include "import/worklist.h"

/*
 * A name for each object that was read and has none: from its tag Name, its name, or its id, in snake_case. Names are unique in
 * their type: of equal ones all but the first, by key, get a number. The same objects always have the same names.
 */
void import_choose_names(struct worklist *w);

/* Words of letters and digits joined by underscores, in lower case; never empty, and an identifier. */
struct str import_snake(struct arena *a, struct str text);
