/*
 * Checks a link table against schemas: does every rule name arguments and attributes that exist? Rules about types of other
 * providers are not checked, because one table may serve many providers.
 */
#pragma once

#include "links/links.h"
#include "schema/schema.h"

struct link_problem {
    const struct link_rule *rule;
    bool error; /* a warning otherwise */
    struct str text;
};

struct link_check {
    size_t n_good;      /* correct rules */
    size_t n_unchecked; /* rules about types of other providers */
    size_t n_errors;    /* wrong rules */
    VEC(struct link_problem) problems;
};

void links_check(struct arena *a, const struct link_table *t, const struct provider_schema *const *schemas, size_t n,
                 struct link_check *ret);
