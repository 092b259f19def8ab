/*
 * Templates of ids: the subset of Go's text/template that configurations use.
 *
 *     {{ .parameters.name }}            a value, with nested fields; {{ . }} cannot be printed
 *     {{ (index .parameters.list 0).name }}   an element of a list or of a map
 *     {{ .external_name | ToLower }}    ToLower and ToUpper, which change ASCII letters; also as calls: ToLower .external_name
 *     {{ index (Split .parameters.arn "/") 1 }}   also Join LIST SEPARATOR and Replace TEXT OLD NEW COUNT, as in Go's package
 *                                       strings; the separator of Split and OLD must not be empty
 *     {{ if .a }}x{{ else if eq .b "c" }}y{{ else }}z{{ end }}   eq compares two strings, or absent values
 *     {{- ... -}}                       trims white space before and after
 *     "texts", `raw texts`, 12, true, false and comments
 *
 * The results are Go's (testdata/template.json was recorded from it), with three exceptions: numbers are printed as in JSON, a
 * list or an object cannot be printed, and Go's other features (range, with, variables, ...) are errors.
 */
#pragma once

#include "base/json.h"

enum { TEMPLATE_MAX = 16 << 10, TEMPLATE_MAX_DEPTH = 32 };

struct xp_template;

/* Diagnostics begin with `where` (a line of a file). */
struct xp_template *xp_template_parse(struct arena *a, struct str text, const char *where, struct diags *diags);

/* `data` is the dot. An absent value is printed as "<no value>". */
bool xp_template_run(const struct xp_template *t, struct arena *a, const struct json *data, struct diags *diags, struct str *ret);

/* A {{ .PATH }} or {{ .PATH | FUNCTION }} outside of any condition. */
struct xp_template_field {
    struct str path;   /* without the first dot */
    size_t start, end; /* in the text, including braces */
    bool plain;        /* no function */
};
/* Returns the first field at or after *at, and moves *at behind it; false if there is none. */
bool xp_template_next_field(const struct xp_template *t, size_t *at, struct xp_template_field *ret);
