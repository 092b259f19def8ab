/* Events of objects for people, as tables in `describe` and `events`. */
#pragma once

#include "objects/objects.h"

/* The events of one object; with a title line, or "<none>". */
bool events_describe(struct objects *o, struct str uid, struct buf *out);

/* The same as an array of Kubernetes Events. */
bool events_json(struct objects *o, struct str uid, const struct json **ret);

/* Prints the events of the named object, or without words all. As a table, or in full: `output` is "json" or "yaml". */
bool events_show(struct objects *o, int n, const char **words, const char *output);
