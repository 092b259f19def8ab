/*
 * What changed between two sets of CRDs, and whether it may break manifests and programs that worked with the old ones.
 *
 * The old set is a folder of YAML or JSON files, of one or several documents each: what was generated earlier, or the package of
 * any other Crossplane provider. The new one comes CRD by CRD, as it is made:
 *
 *     struct against *c = against_open(a, folder, diags);
 *     against_add(c, text, diags);    for each new CRD
 *     against_finish(c, true, &report);
 *
 * CRDs are paired by name (PLURAL.GROUP). A pair of the same bytes costs one read; others are parsed one pair at a time.
 *
 * Breaking is what refuses, drops or reads otherwise what was fine before: a kind, version, scope or field that is gone, another
 * type, a field that is newly required, a rule or bound or choice that is narrower, another default, another way to merge. In the
 * status only what is gone or has another type counts. Descriptions, printer columns and categories are no change at all.
 */
#pragma once

#include "base/json.h"
#include "base/vec.h"

enum against_what {
    AGAINST_KIND_ADDED,
    AGAINST_KIND_REMOVED,
    AGAINST_FIELD_ADDED,
    AGAINST_FIELD_REMOVED,
    AGAINST_FIELD_RETYPED,
    AGAINST_FIELD_REQUIRED, /* newly, also by a rule */
    AGAINST_FIELD_OPTIONAL,
    AGAINST_NARROWED, /* accepts less than before */
    AGAINST_WIDENED,
    AGAINST_CHANGED, /* scope, versions, defaults, merging */
};

/* The trees of a managed resource; a change that all have is one change. */
enum against_tree { AGAINST_FOR_PROVIDER = 1 << 0, AGAINST_INIT_PROVIDER = 1 << 1, AGAINST_AT_PROVIDER = 1 << 2 };

struct against_change {
    struct str crd;     /* buckets.s3.aws.upbound.io */
    struct str version; /* empty: of the CRD as a whole */
    unsigned trees;     /* in which `path` starts; 0: it starts at the top */
    struct str path;    /* rule[*].port; empty: of the CRD or version as a whole */
    enum against_what what;
    bool breaking;
    struct str detail; /* a few words; may be empty */
};

struct against_report {
    VEC(struct against_change) changes; /* sorted by CRD, version, path */
    size_t n_breaking;
    size_t n_compared, n_same; /* pairs; those without any change */
};

struct against;

/* Takes `folder`/crds if there is one, else `folder`. NULL with a diagnostic when that has no CRD, or one cannot be read. */
struct against *against_open(struct arena *a, const char *folder, struct diags *diags);
/* Documents that are no CRDs are passed over. False with a diagnostic when one of the pair cannot be read. */
bool against_add(struct against *c, struct str text, struct diags *diags);
/* `all`: what was not added is gone; false when only a part was generated. The report lives in the arena of against_open(). */
void against_finish(struct against *c, bool all, struct against_report *ret);

/* A line for each change, then the counts. */
void against_write(struct buf *out, const struct against_report *r);
/* As members of the object that the writer is in. */
void against_write_json(struct json_writer *w, const struct against_report *r);
