/* The error for a provider that was not found: all places, what is there instead, and what to do. */
#pragma once

#include "registry/find_places.h"

struct search_absent {
    const struct provider_address *address;
    struct str constraint_text;
};

/* Adds the diagnostic; returns false. */
bool search_report_absent(const struct find_context *c, const struct search_places *places, const struct search_absent *wanted,
                          struct diags *diags);
