/*
 * Where schemas come from: a folder of *.json, a zip as AWS publishes it, an .ndjson.gz or an npm package (.tgz) that has one, or
 * any of the files by URL. What comes from outside is bounded in size, number and time.
 */
#pragma once

#include "cloudcontrol/pack.h"

#define CC_SOURCE_MAX_BYTES ((size_t)512 << 20) /* of all schemas together, unpacked */

struct cc_sources {
    struct cc_pack_input *v; /* ordered by name */
    size_t n, cap;
};

/* All in `a`. False and diagnostics: nothing there, not readable, too large. */
bool cc_sources_read(struct arena *a, const char *from, struct diags *diags, struct cc_sources *ret);
