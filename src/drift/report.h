/* The result as text for a terminal, as JSON and as an HTML page. None of them contains secrets. */
#pragma once

#include "drift/drift.h"

struct drift_summary {
    size_t objects; /* in the states, without the ignored ones */
    size_t in_sync, changed, missing, failed, ignored, waiting, unmanaged;
    int coverage; /* share of existing objects that are managed, in per cent; -1: not known */
};
struct drift_summary drift_summarize(const struct drift *d);

void drift_write_text(struct buf *out, const struct drift *d, bool colour);
/* Writes members into the JSON object that the caller has begun. False: a value cannot be written. */
bool drift_write_json(struct json_writer *w, const struct drift *d, struct diags *diags);
/* One self-contained file. */
void drift_write_html(struct buf *out, const struct drift *d);
