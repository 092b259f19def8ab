/*
 * Label selectors in the syntax of kubectl's --selector: "app=web,tier in (a, b),!old". An object matches if every requirement
 * holds; a selector without requirements matches every object.
 */
#pragma once

#include "base/diag.h"
#include "base/json.h"

enum { SELECTOR_MAX_REQUIREMENTS = 64, SELECTOR_MAX_VALUES = 256 };

enum selector_op { SELECTOR_IN, SELECTOR_NOT_IN, SELECTOR_EXISTS, SELECTOR_ABSENT };

struct selector_requirement {
    struct str key;
    enum selector_op op; /* "=" and "==" are IN with one value, "!=" is NOT_IN with one */
    const struct str *values;
    size_t n_values;
};

struct selector {
    const struct selector_requirement *requirements;
    size_t n;
};

bool selector_parse(struct arena *a, struct str text, struct diags *diags, struct selector *ret);

/* `labels`: an object of strings, or NULL. As in Kubernetes, NOT_IN holds for an absent label. */
bool selector_matches(const struct selector *selector, const struct json *labels);

/* A deep copy in the arena. */
const struct selector *selector_copy(struct arena *a, const struct selector *selector);
