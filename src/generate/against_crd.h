/* Compares two CRDs of the same name, for against.c. */
#pragma once

#include "generate/against.h"

/* Adds the changes to `report`, allocated in `a`; uses `scratch` for temporary paths. */
void against_compare(struct arena *a, struct arena *scratch, const struct json *old, const struct json *new,
                     struct against_report *report);
