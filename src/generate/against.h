/*
 * Compares two sets of CRDs, and finds changes that may break manifests and programs written for the old set.
 *
 * The old set is a folder of YAML or JSON files with one or more documents each: earlier output, or the package of any other
 * Crossplane provider. The new set is added CRD by CRD while it is generated:
 *
 *     struct against *c = against_open(a, folder, diags);
 *     against_add(c, text, diags);    for each new CRD
 *     against_finish(c, true, &report);
 *
 * CRDs are paired by name (PLURAL.GROUP). An identical pair costs one read; other pairs are parsed one at a time.
 *
 * A change is breaking if something valid before is now refused, dropped or understood differently: a removed kind, version,
 * scope or field, another type, a newly required field, a narrower rule, limit or enum, another default, another merge strategy.
 * In the status only removals and other types are breaking. Descriptions, printer columns and categories do not count as changes.
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
    AGAINST_FIELD_REQUIRED, /* newly required, also by a rule */
    AGAINST_FIELD_OPTIONAL,
    AGAINST_NARROWED, /* accepts less than before */
    AGAINST_WIDENED,
    AGAINST_CHANGED, /* scope, versions, defaults, merging */
};

/* The trees of a managed resource; the same change in several trees is reported once. */
enum against_tree { AGAINST_FOR_PROVIDER = 1 << 0, AGAINST_INIT_PROVIDER = 1 << 1, AGAINST_AT_PROVIDER = 1 << 2 };

struct against_change {
    struct str crd;     /* buckets.s3.aws.upbound.io */
    struct str version; /* empty: the whole CRD */
    unsigned trees;     /* the trees that `path` is in; 0: it starts at the root */
    struct str path;    /* rule[*].port; empty: the whole CRD or version */
    enum against_what what;
    bool breaking;
    struct str detail; /* a few words; may be empty */
};

struct against_report {
    VEC(struct against_change) changes; /* sorted by CRD, version, path */
    size_t n_breaking;
    size_t n_compared, n_same; /* pairs; pairs without changes */
};

struct against;

/* Reads `folder`/crds if it exists, else `folder`. NULL and a diagnostic if it has no CRDs, or one is unreadable. */
struct against *against_open(struct arena *a, const char *folder, struct diags *diags);
/* Skips documents that are not CRDs. False and a diagnostic if a CRD of the pair is unreadable. */
bool against_add(struct against *c, struct str text, struct diags *diags);
/* `all`: old CRDs without a new one were removed; false if only a part was generated. The report is in against_open()'s arena. */
void against_finish(struct against *c, bool all, struct against_report *ret);

/* A line for each change, then the counts. */
void against_write(struct buf *out, const struct against_report *r);
/* Writes members of the JSON object that the caller has begun. */
void against_write_json(struct json_writer *w, const struct against_report *r);
