/*
 * Where schemas come from: a folder of *.json, a zip as AWS publishes it, an .ndjson.gz or an npm package (.tgz) that has one, or
 * any of the files by URL. What comes from outside is bounded in size, number and time.
 */
#pragma once

#include "base/diag.h"

#define CFN_SOURCE_MAX_BYTES ((size_t)512 << 20) /* of all schemas together, unpacked */

struct cfn_source {
    struct str name; /* of the file, for messages */
    struct str text;
    const unsigned char *sha256; /* of the schema as it once came; NULL: the text is that */
};

struct cfn_sources {
    struct cfn_source *v; /* ordered by name */
    size_t n, cap;
};

/* All in `a`. False and diagnostics: nothing there, not readable, too large. */
bool cfn_sources_read(struct arena *a, const char *from, struct diags *diags, struct cfn_sources *ret);
