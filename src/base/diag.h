/*
 * Diagnostics: the errors and warnings that users read, in the same form as Terraform's.
 *
 * A function that can fail for a reason that users should read takes a `struct diags *` and returns false. The list copies the
 * text of each diagnostic into its own arena. An error that is returned as a diagnostic is never logged as well.
 *
 * Style: the summary is a short sentence without a full stop; the detail says what was expected, what was found, where, and what
 * to do next. Neither ever contains a secret value.
 */
#pragma once

#include "base/path.h"

#include <stdarg.h>

enum diag_severity { DIAG_ERROR = 1, DIAG_WARNING = 2 };

/* Which part of a configuration a diagnostic's path points to. */
enum diag_where {
    DIAG_NOWHERE,  /* the diagnostic is not about a configuration that a user wrote */
    DIAG_AT_VALUE, /* the value at the path */
    DIAG_AT_NAME,  /* the name of the argument at the path */
    DIAG_AT_END, /* the end of the object at the path: something is missing in it, or the diagnostic is about the whole object */
};

struct diag {
    enum diag_severity severity;
    struct str summary;
    struct str detail;
    struct path path; /* of the attribute; empty: the whole object, or not about an object */
    enum diag_where where;
    /* The last output of the program that failed, and a title for it such as "Stack trace of ...". Whoever adds the diagnostic
     * limits the size and makes the text safe for a terminal; empty: no output. */
    struct str output_title, output;
};

struct diags {
    struct arena *arena;
    struct diag *v;
    size_t n, cap;
    size_t n_errors;
};

void diags_init(struct diags *d, struct arena *a);

/* Adds a copy of the diagnostic, including its text and the steps of its path. */
void diags_add(struct diags *d, const struct diag *diag);

/* Each of these adds one diagnostic; `detail` is a printf format. The two that return bool always return false, so that callers
 * can write: return diags_fail(d, ...). */
void diags_warn(struct diags *d, const char *summary, const char *detail, ...) __attribute__((format(printf, 3, 4)));
bool diags_fail(struct diags *d, const char *summary, const char *detail, ...) __attribute__((format(printf, 3, 4)));
bool diags_fail_at(struct diags *d, struct path path, const char *summary, const char *detail, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends all diagnostics of `from`. */
void diags_append(struct diags *d, const struct diags *from);

static inline bool diags_has_errors(const struct diags *d)
{
    return d->n_errors > 0;
}

/* Writes the diagnostics for a terminal: "Error: SUMMARY", a blank line, the indented detail, and the output, if any; warnings
 * likewise. `color`: the severity is coloured. Terminal control characters are escaped (terminal.h). */
void diags_write(struct buf *out, const struct diags *d, bool color);
