/*
 * Reads schemas from a folder of *.json, a zip as AWS publishes it, an .ndjson.gz, an npm package (.tgz) that contains one, or a
 * URL of such a file. Input is limited in size, number and time.
 */
#pragma once

#include "base/diag.h"

#define CFN_SOURCE_MAX_BYTES ((size_t)512 << 20) /* total size of all schemas, unpacked */

struct cfn_source {
    struct str name; /* of the file, for messages */
    struct str text;
    const unsigned char *sha256; /* of the original schema; NULL: `text` is the original */
};

struct cfn_sources {
    struct cfn_source *v; /* ordered by name */
    size_t n, cap;
};

/* Allocates in `a`. False and diagnostics if there is nothing, or it is unreadable or too large. */
bool cfn_sources_read(struct arena *a, const char *from, struct diags *diags, struct cfn_sources *ret);
