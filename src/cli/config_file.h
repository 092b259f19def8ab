/*
 * Configuration files: JSON or YAML by their ending, "-" for standard input (JSON when it begins with a brace, else YAML). Every
 * value knows its line, so that a diagnostic can point to it.
 */
#pragma once

#include "base/json.h"

enum { CONFIG_MAX_FILE = 64 << 20 };

struct config_file {
    const char *name;        /* for messages */
    const struct json *json; /* an object; NULL: there is no file */
    struct str text;         /* of a JSON file; empty for YAML, where objects have no end to point to */
};

/* An empty YAML file is an empty object. */
bool config_file_read(struct arena *a, const char *path, struct diags *diags, struct config_file *ret);

/*
 * Line and column of a place: the value that the path leads to, its name, or the brace that ends it. What was not written: the
 * nearest thing around it.
 */
struct config_place {
    uint32_t line, column;
};
struct config_place config_file_place(const struct config_file *f, struct path path, enum diag_where where);
