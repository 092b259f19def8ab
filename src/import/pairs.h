/*
 * What can be written in two ways, as an argument of its parent or as a resource of its own, is written once. Declared pairs
 * (rows.h) say which: where objects of its own were imported, the parent's argument is left out; where there are none, it is
 * written, even if it is deprecated. So it is never in both places, and never in neither.
 */
#pragma once

#include "import/read.h"
#include "import/rows.h"

/* After all was read. Parents whose configuration changes are asked once more; one that is not accepted becomes IMPORT_FAILED. */
void import_settle_pairs(const struct import_reading *r, const struct rows *rows, struct worklist *w);
