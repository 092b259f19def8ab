/*
 * Settings that can be written in two ways, as an argument of the parent or as a separate resource, are written once. Declared
 * pairs (rows.h) name them: if separate resources were imported, the parent's argument is omitted; if not, it is written, even if
 * it is deprecated. So a setting is never in both places, and never in neither.
 */
#pragma once

#include "import/read.h"
#include "import/rows.h"

/*
 * Call after all objects were read. Parents whose configuration changes are planned once more; one that is not accepted becomes
 * IMPORT_FAILED.
 */
void import_settle_pairs(const struct import_reading *r, const struct rows *rows, struct worklist *w);
