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
};

/* An empty YAML file is an empty object. */
bool config_file_read(struct arena *a, const char *path, struct diags *diags, struct config_file *ret);

/* Where the path leads: to an argument's name, to an element, or to the nearest thing around it that was written. */
struct config_place {
    uint32_t line, column;
};
struct config_place config_file_place(const struct config_file *f, struct path path);
