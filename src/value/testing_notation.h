/*
 * A JSON notation of values for test tables, including values that plain JSON cannot express:
 *
 *     "text" 1.5 true        string, number, bool        null       untyped null
 *     [N, ...] {"a": N}      tuple, object               {"$null": T}
 *     {"$list": T, "of": [N, ...]}  also $set            {"$map": T, "of": {"k": N}}
 *     {"$unknown": T, "not_null": true, "prefix": "p", "min": [N, inclusive], "max": ..., "min_length": 1, "max_length": 2}
 *     {"$double": "0.1"}     a number of 53 bits
 *
 * Test code only. Bad notation is a bug in a table and aborts.
 */
#pragma once

#include "value/value.h"

const struct value *notation_value(struct arena *a, const struct json *j);
const struct value *notation_parse(struct arena *a, const char *text);
const struct type *notation_type(struct arena *a, const struct json *j);

/* The lines of a table in testdata, without the first line, which names the oracle. */
struct notation_table {
    const struct json **rows;
    struct str *lines; /* their text, for messages */
    size_t n;
};
struct notation_table notation_table(struct arena *a, const char *name);

struct str notation_unhex(struct arena *a, struct str hex);
struct str notation_hex(struct arena *a, struct str bytes);
