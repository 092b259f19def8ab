/*
 * Templates of ids: the part of Go's text/template that configurations use.
 *
 *     {{ .parameters.name }}            a value; fields of fields; {{ . }} cannot be printed
 *     {{ (index .parameters.list 0).name }}   an element of a list or of a map
 *     {{ .external_name | ToLower }}    ToLower and ToUpper, which change ASCII letters; also as calls: ToLower .external_name
 *     {{ index (Split .parameters.arn "/") 1 }}   also Join LIST BETWEEN and Replace TEXT OLD NEW HOW_OFTEN, as Go's package
 *                                       strings has them; what is looked for must not be empty
 *     {{ if .a }}x{{ else if eq .b "c" }}y{{ else }}z{{ end }}   eq compares two strings, or what is not there
 *     {{- ... -}}                       takes white space before and after away
 *     "texts", `raw texts`, 12, true, false and comments
 *
 * What Go does with these is done here (testdata/template.json was recorded from it), with three exceptions: numbers are written
 * as JSON has them, a list or an object cannot be printed, and what Go knows besides (range, with, variables, ...) is an error.
 */
#pragma once

#include "base/json.h"

enum { TEMPLATE_MAX = 16 << 10, TEMPLATE_MAX_DEPTH = 32 };

struct xp_template;

/* `where` (a line of a file) begins the diagnostic. */
struct xp_template *xp_template_parse(struct arena *a, struct str text, const char *where, struct diags *diags);

/* `data` is what the dot is. An absent value is written as "<no value>". */
bool xp_template_run(const struct xp_template *t, struct arena *a, const struct json *data, struct diags *diags, struct str *ret);

/* A {{ .PATH }} or {{ .PATH | FUNCTION }} that stands outside of any condition. */
struct xp_template_field {
    struct str path;   /* without the first dot */
    size_t start, end; /* in the text, braces included */
    bool plain;        /* no function */
};
/* The first one at or after *at, which is moved behind it; false: there is none. */
bool xp_template_next_field(const struct xp_template *t, size_t *at, struct xp_template_field *ret);
