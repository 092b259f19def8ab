/*
 * .driftignore, as driftctl reads it: objects and attributes to leave out of the report. One rule a line:
 *
 *     aws_s3_bucket.my-bucket                an object: TYPE.ID
 *     aws_instance.*                         all objects of a type
 *     aws_lambda_function.*.environment      an attribute with everything in it
 *     !aws_instance.i-0a1b2c3d               an exception: of several lines that match, the last one counts
 *
 * `*` matches any text, including dots. Escape a dot or a backslash of an id with a backslash. Names of attributes are compared
 * case-insensitively. Empty lines and lines that begin with # are skipped.
 */
#pragma once

#include "base/diag.h"
#include "base/path.h"
#include "base/vec.h"

enum { DRIFTIGNORE_MAX_FILE = 4 << 20 };

struct driftignore_rule {
    struct str pattern; /* separating dots are DRIFTIGNORE_DOT */
    bool keep;          /* begins with ! */
};
struct driftignore {
    VEC(struct driftignore_rule) rules;
};

/* Appends rules. A line that cannot match anything is a warning. */
void driftignore_read(struct driftignore *d, struct arena *a, struct str text, const char *source, struct diags *diags);

/* Is the whole object ignored? */
bool driftignore_object(const struct driftignore *d, struct arena *scratch, struct str type, struct str id);
/* Is this attribute of the object ignored? */
bool driftignore_attribute(const struct driftignore *d, struct arena *scratch, struct str type, struct str id, struct path path);
