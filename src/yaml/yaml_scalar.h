/*
 * What a plain (unquoted) YAML scalar means, by the rules that kubectl and controllers have: those of go-yaml v2, as
 * sigs.k8s.io/yaml uses it. One place, because the reader follows them and the writer must know what they would make of a
 * string it leaves unquoted.
 *
 * They differ from YAML 1.2 in the words for booleans (y, n, yes, no, on, off as well), in 017 and 0o17 both being octal, in
 * 0b11, and in underscores within numbers. Timestamps stay strings, and so does a number out of the range that Kubernetes can
 * hold (1e999, 0xfffffffffffffffff). There are no base 60 numbers.
 */
#pragma once

#include "base/arena.h"

enum yaml_scalar_kind {
    YAML_STRING,
    YAML_NULL,
    YAML_BOOL,
    YAML_INT,
    YAML_FLOAT,
    YAML_NOT_FINITE, /* .inf, .nan: no JSON for these */
};

struct yaml_scalar {
    enum yaml_scalar_kind kind;
    bool boolean;
    struct str number; /* YAML_INT, YAML_FLOAT: the same number as JSON writes it, in the arena */
};

/* `is_number`: a tag says that it is one, so that no number is too large or too long. */
struct yaml_scalar yaml_resolve(struct arena *a, struct str text, bool is_number);
