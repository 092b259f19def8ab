/* Events of objects, for people: the table that `describe` and `events` show. */
#pragma once

#include "objects/objects.h"

/* Those of one object; with a title line, or "<none>". */
bool events_describe(struct objects *o, struct str uid, struct buf *out);
