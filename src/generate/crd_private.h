/* A CRD while it is written: crd.c has the frame and the size, crd_fields.c the trees of fields, crd_rules.c what is required. */
#pragma once

#include "generate/crd.h"

enum { CRD_NO_LIMIT = 1 << 16, CRD_MAX_DEPTH = 64 };

/* What cutting at a depth would save: all that is in the objects there. */
struct crd_saving {
    size_t bytes, objects;
};

struct crd_writer {
    struct yaml_out y;
    const struct xp_kind *kind;
    enum xp_flavour flavour;
    struct arena *scratch;
    bool descriptions;
    const struct crd_webhook *webhook;
    bool older;         /* an older version is being written: what may stand once is a list there */
    int depth[N_TREES]; /* levels of objects that are written out */
    struct crd_saving savings[N_TREES][CRD_MAX_DEPTH];
};

/* The description of the kind itself. */
void crd_write_kind_description(struct crd_writer *w);
/* One of the three trees, as a property of spec or status. */
void crd_write_tree(struct crd_writer *w, enum xp_tree_name tree, const char *description);

/* Parameters that are required: rules in CEL, and in plain OpenAPI what CEL does not see. Each is one key of spec, or nothing. */
void crd_write_cel_rules(struct crd_writer *w);
void crd_write_plain_rules(struct crd_writer *w);
