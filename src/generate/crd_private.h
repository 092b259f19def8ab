/*
 * Private to crd*.c: crd.c writes the frame and limits the size, crd_fields.c the trees of fields, crd_rules.c required
 * parameters; crd_older.c adds to a kind what its older versions have.
 */
#pragma once

#include "generate/crd.h"

enum { CRD_NO_LIMIT = 1 << 16, CRD_MAX_DEPTH = 64 };

/* What cutting at a depth would save: the contents of all objects at that depth. */
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
    bool older;         /* writing an older version, in which embedded singletons are lists */
    int depth[N_TREES]; /* levels of objects to write */
    struct crd_saving savings[N_TREES][CRD_MAX_DEPTH];
};

/*
 * The kind with the fields that older versions call otherwise (`renamed`): an API server drops what a version does not have
 * before it asks for a conversion.
 */
struct xp_kind crd_older_kind(struct arena *a, const struct xp_kind *k);

/* Writes the description of the kind itself. */
void crd_write_kind_description(struct crd_writer *w);
/* Writes one of the three trees, as a property of spec or status. */
void crd_write_tree(struct crd_writer *w, enum xp_tree_name tree, const char *description);

/*
 * Write the rules for required parameters, in CEL, and in plain OpenAPI where CEL cannot. Each writes one key of spec, or
 * nothing.
 */
void crd_write_cel_rules(struct crd_writer *w);
void crd_write_plain_rules(struct crd_writer *w);
