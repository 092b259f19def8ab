/*
 * Diagnostics: what a user reads when something is wrong, shaped as Terraform's.
 *
 * A function that can fail for such a reason takes a `struct diags *` and returns false. The list copies its text into its
 * own arena. Nobody logs an error that is returned as a diagnostic.
 *
 * Style: the summary is a short sentence without full stop; the detail says what was expected, what was found, where, and
 * what to do next. No secret value ever stands in either.
 */
#pragma once

#include "base/path.h"

#include <stdarg.h>

enum diag_severity { DIAG_ERROR = 1, DIAG_WARNING = 2 };

/* Where in a configuration the path leads, for those that are about one. */
enum diag_where {
    DIAG_NOWHERE,  /* it is not about a configuration as somebody wrote it */
    DIAG_AT_VALUE, /* the value at the path */
    DIAG_AT_NAME,  /* the name of the argument at the path */
    DIAG_AT_END,   /* the end of the object at the path, which lacks something or is concerned as a whole */
};

struct diag {
    enum diag_severity severity;
    struct str summary;
    struct str detail;
    struct path path; /* of the attribute concerned; empty: the whole object, or none */
    enum diag_where where;
    /* What the program that it is about wrote last, and what to call that: "Stack trace of ...". Bounded by who adds it, and safe
     * for a terminal; empty: nothing. */
    struct str output_title, output;
};

struct diags {
    struct arena *arena;
    struct diag *v;
    size_t n, cap;
    size_t n_errors;
};

void diags_init(struct diags *d, struct arena *a);

/* Copies the diagnostic (text and steps). */
void diags_add(struct diags *d, const struct diag *diag);

/* Each of these adds one; `detail` is a printf format. The two that say false return it: return diags_fail(d, ...). */
void diags_warn(struct diags *d, const char *summary, const char *detail, ...) __attribute__((format(printf, 3, 4)));
bool diags_fail(struct diags *d, const char *summary, const char *detail, ...) __attribute__((format(printf, 3, 4)));
bool diags_fail_at(struct diags *d, struct path path, const char *summary, const char *detail, ...)
    __attribute__((format(printf, 4, 5)));

/* All of `from`, appended. */
void diags_append(struct diags *d, const struct diags *from);

static inline bool diags_has_errors(const struct diags *d)
{
    return d->n_errors > 0;
}

/* For a terminal: "Error: SUMMARY\n\n  DETAIL\n" and, if there is any, the output; warnings likewise; the severity in colour if
 * asked for. What would steer the terminal is escaped (terminal.h). */
void diags_write(struct buf *out, const struct diags *d, bool color);
