/* Two CRDs of one name, compared. The part of against.h that looks into them. */
#pragma once

#include "generate/against.h"

/* Adds what changed to `report`, in `a`; paths are made in `scratch` first. */
void against_compare(struct arena *a, struct arena *scratch, const struct json *old, const struct json *new,
                     struct against_report *report);
