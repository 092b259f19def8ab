/* Events of objects, for people: the table that `describe` and `events` show. */
#pragma once

#include "objects/objects.h"

/* Those of one object; with a title line, or "<none>". */
bool events_describe(struct objects *o, struct str uid, struct buf *out);

/* The same as an array of Events as Kubernetes has them. */
bool events_json(struct objects *o, struct str uid, const struct json **ret);

/* Those of the object that the words name; none: of all. As a table, or whole: output is "json" or "yaml". */
bool events_show(struct objects *o, int n, const char **words, const char *output);
