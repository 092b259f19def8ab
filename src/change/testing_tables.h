/*
 * Tables of test cases for the rules: one JSON object per line; the first line names the oracle. Test code only.
 *
 * "schema" is a block as in `providers schema -json`. Values are plain JSON read by the schema: absent attributes are null,
 * absent blocks are empty; {"$unknown": {...}} is an unknown with its refinements; where the schema's type is dynamic, {"type":
 * T, "value": V}. In a path "a" is an attribute, ["k"] a key, [0] an index, {} an element of a set.
 */
#pragma once

#include "base/file.h"
#include "change/change.h"
#include "schema/testing_schema.h"

#ifndef TABLE_FOLDER
#define TABLE_FOLDER TERRANE_SOURCE "/src/change/testdata/"
#endif

struct table_case {
    struct arena *arena;
    const struct json *row;
    const struct schema_block *schema;
};

/* NULL, or what is wrong. */
typedef const char *check_case_fn(struct table_case *c);
/* Runs each row of a table with this "rule"; fails the test when a row fails or there is none. */
void run_rule(const char *file, const char *rule, check_case_fn *check);

/* A value of the row; null when absent. */
const struct value *case_value(struct table_case *c, const char *name);
const struct schema_block *testing_schema(struct arena *a, const char *text);
const struct value *testing_value(struct arena *a, const struct schema_block *schema, const char *text);
struct path testing_path(struct arena *a, const struct json *steps);
struct change_paths case_paths(struct table_case *c, const char *name);

/* Each returns NULL when `got` agrees with the row, or what differs. */
const char *agree_value(struct table_case *c, const struct value *got, const char *name);
const char *agree_paths(struct table_case *c, struct change_paths got, const char *name);
const char *agree_issues(struct table_case *c, const struct change_issues *got, const char *name);
/* Compares lines in any order. */
const char *agree_lines(struct arena *a, struct str *got, size_t n_got, struct str *want, size_t n_want);
/* Compares with the row's "diagnostics". Of the severity only warning or not is compared, and positions (" at FILE:LINE") in
 * details are ignored. */
const char *agree_diagnostics(struct table_case *c, const struct diags *got);
