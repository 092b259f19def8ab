/*
 * .driftignore, as driftctl reads it: what nobody wants to hear about. A line each:
 *
 *     aws_s3_bucket.my-bucket                an object: TYPE.ID
 *     aws_instance.*                         all of a type
 *     aws_lambda_function.*.environment      an attribute, with all that is in it
 *     !aws_instance.i-0a1b2c3d               but not this one: of several lines that match the last one counts
 *
 * `*` stands for any text, dots included. A dot or a backslash of an id is written with a backslash before it. Names of
 * attributes are compared without regard to case. Empty lines, and those that begin with #, mean nothing.
 */
#pragma once

#include "base/diag.h"
#include "base/path.h"
#include "base/vec.h"

enum { DRIFTIGNORE_MAX_FILE = 4 << 20 };

struct driftignore_rule {
    struct str pattern; /* dots that separate are DRIFTIGNORE_DOT */
    bool keep;          /* with a ! */
};
struct driftignore {
    VEC(struct driftignore_rule) rules;
};

/* Rules are added to what is there. A line that says nothing that could match is a warning. */
void driftignore_read(struct driftignore *d, struct arena *a, struct str text, const char *source, struct diags *diags);

/* The whole object. */
bool driftignore_object(const struct driftignore *d, struct arena *scratch, struct str type, struct str id);
/* An attribute of it. */
bool driftignore_attribute(const struct driftignore *d, struct arena *scratch, struct str type, struct str id, struct path path);
