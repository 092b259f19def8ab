/* What was found, for people on a terminal, for programs, and as a page. Secrets are in none of them. */
#pragma once

#include "drift/drift.h"

struct drift_summary {
    size_t objects; /* of the states, without the ignored ones */
    size_t in_sync, changed, missing, failed, ignored, waiting, unmanaged;
    int coverage; /* how many of what exists are managed, in per cent; -1: not known */
};
struct drift_summary drift_summarize(const struct drift *d);

void drift_write_text(struct buf *out, const struct drift *d, bool colour);
/* Members of the object that was begun. False: a value cannot be written. */
bool drift_write_json(struct json_writer *w, const struct drift *d, struct diags *diags);
/* One file, without anything from elsewhere. */
void drift_write_html(struct buf *out, const struct drift *d);
