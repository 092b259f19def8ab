/*
 * The meaning of a plain (unquoted) YAML scalar by the rules of kubectl and controllers: those of go-yaml v2 as used by
 * sigs.k8s.io/yaml. The reader and the writer share this code: the writer must know how an unquoted string would be read.
 *
 * These rules differ from YAML 1.2: y, n, yes, no, on and off are booleans too, 017 and 0o17 are both octal, 0b11 is binary, and
 * numbers may contain underscores. Timestamps stay strings, and so do numbers outside the range that Kubernetes can hold (1e999,
 * 0xfffffffffffffffff). Base 60 numbers are not supported.
 */
#pragma once

#include "base/arena.h"

enum yaml_scalar_kind {
    YAML_STRING,
    YAML_NULL,
    YAML_BOOL,
    YAML_INT,
    YAML_FLOAT,
    YAML_NOT_FINITE, /* .inf, .nan: JSON has no such numbers */
};

struct yaml_scalar {
    enum yaml_scalar_kind kind;
    bool boolean;
    struct str number; /* YAML_INT, YAML_FLOAT: the number in JSON syntax, in the arena */
};

/* `is_number`: a tag declares the scalar a number, so no limits on its size or length apply. */
struct yaml_scalar yaml_resolve(struct arena *a, struct str text, bool is_number);
