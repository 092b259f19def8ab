/*
 * What a Kubernetes API server does with an object before it is stored, as pure functions: JSON in, JSON out.
 *
 * A CRD is compiled once into a read-only tree, which any number of threads may use. A check then gives the object as it is to be
 * stored (without unknown fields, with defaults), or says everything that is wrong with it. Every diagnostic has the path of its
 * field; admission_place() finds that in the document that was read.
 */
#pragma once

#include "base/json.h"

struct admission_version;

struct admission_kind {
    struct str group, kind, plural;
    bool namespaced;
    const struct admission_version *versions; /* those that are served */
    size_t n_versions;
};

/*
 * Diagnostics name the CRD. A warning says what is not checked (a format). A rule of x-kubernetes-validations that is not
 * understood is not an error here, but one of every object that has a value there. The CRD must live as long as the result.
 */
bool admission_compile(struct arena *a, const struct json *crd, struct diags *diags, const struct admission_kind **ret);

struct admission_options {
    bool strict;             /* unknown fields are errors, as with kubectl --validate=strict; else warnings */
    struct str in_namespace; /* for objects of a namespaced kind that say none; empty: that is an error */
};

/*
 * `old` is the object as it is stored now; NULL: this one is to be created. What only a store knows (uid, versions, times,
 * whether the name is taken) is not looked at. `options` may be NULL.
 */
bool admission_check(struct arena *a, const struct admission_kind *kind, const struct json *object, const struct json *old,
                     const struct admission_options *options, struct diags *diags, const struct json **ret);

/* Secrets, ConfigMaps and Namespaces (v1), which need no CRD. */
bool admission_is_core(const struct json *object);
/* Of one of these. stringData is in data afterwards. */
bool admission_check_core(struct arena *a, const struct json *object, const struct json *old,
                          const struct admission_options *options, struct diags *diags, const struct json **ret);

/* Where a diagnostic is in the document that its object was read from. What was not written: what is around it. */
struct admission_place {
    uint32_t line, column; /* 0: nowhere, since no document was read */
};
struct admission_place admission_place(const struct json *document, const struct diag *diag);
/* "FILE:LINE:COLUMN", or only "FILE". */
struct str admission_place_text(struct arena *a, const char *file, const struct json *document, const struct diag *diag);
