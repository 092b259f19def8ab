/* Reports what a command did with each object: a line for people at once, or with --json one array at the end. */
#pragma once

#include "base/vec.h"
#include "objects/objects.h"

struct done {
    struct objects *o;
    bool json;
    VEC(const struct json *) list;
};
#define DONE_OPTION_JSON(d) {"json", 0, OPTION_FLAG, &(d)->json, NULL, "what was done, as a JSON array"}

/* Adds an object with its result: "paused". */
bool done_add(struct done *d, const struct json *object, const char *result);
/* Ends the output; call it also after a failure, to report what was done. */
bool done_end(struct done *d);
