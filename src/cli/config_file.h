/*
 * Configuration files: JSON or YAML by file extension, "-" for standard input (JSON if it begins with a brace, else YAML). Every
 * value knows its line, so that a diagnostic can point to it.
 */
#pragma once

#include "base/json.h"

enum { CONFIG_MAX_FILE = 64 << 20 };

struct config_file {
    const char *name;        /* for messages */
    const struct json *json; /* an object; NULL: no file */
    struct str text;         /* of a JSON file; empty for YAML, whose objects have no end to point to */
};

/* An empty YAML file is an empty object. */
bool config_file_read(struct arena *a, const char *path, struct diags *diags, struct config_file *ret);

/*
 * Line and column of the value at the path, of its name, or of the brace that ends it. For something that is not in the file: of
 * the nearest thing around it.
 */
struct config_place {
    uint32_t line, column;
};
struct config_place config_file_place(const struct config_file *f, struct path path, enum diag_where where);
