/* What refers to what, as a graph: for Graphviz, and as a page with a picture that needs nothing from elsewhere. */
#pragma once

#include "import/references.h"

/* An edge leads from an object to what it refers to. */
void import_write_dot(struct buf *out, struct arena *a, const struct worklist *w, const struct references *r);
/* Columns from left to right: what refers to nothing, what refers to that, and so on. */
void import_write_graph_page(struct buf *out, struct arena *a, const struct worklist *w, const struct references *r);
