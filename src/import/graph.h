/* The references as a graph: for Graphviz, and as a self-contained page with a picture. */
#pragma once

#include "import/references.h"

/* Edges lead from an object to the objects that it refers to. */
void import_write_dot(struct buf *out, struct arena *a, const struct worklist *w, const struct references *r);
/* Columns from left to right: objects without references, objects that refer to those, and so on. */
void import_write_graph_page(struct buf *out, struct arena *a, const struct worklist *w, const struct references *r);
