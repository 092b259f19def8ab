/*
 * What a Kubernetes API server does with an object before it stores it, as pure functions: JSON in, JSON out.
 *
 * A CRD is compiled once into a read-only tree, which any number of threads may use. A check returns the object as it is to be
 * stored (without unknown fields, with defaults), or reports all its errors. Every diagnostic has the path of its field;
 * admission_place() finds that path in the document that was read.
 */
#pragma once

#include "base/json.h"

struct admission_version;

struct admission_kind {
    struct str group, kind, plural;
    bool namespaced;
    const struct admission_version *versions; /* only those that are served */
    size_t n_versions;
};

/*
 * Diagnostics name the CRD. A warning names a format that is not checked. An unsupported rule of x-kubernetes-validations is not
 * an error here, but for every object that has a value there. The CRD must live as long as the result.
 */
bool admission_compile(struct arena *a, const struct json *crd, struct diags *diags, const struct admission_kind **ret);

struct admission_options {
    bool strict;             /* unknown fields are errors, as with kubectl --validate=strict; otherwise warnings */
    struct str in_namespace; /* namespace of objects of a namespaced kind that have none; empty: that is an error */
};

/*
 * `old` is the stored object; NULL: `object` is to be created. Does not check what only a store knows (uid, versions, times,
 * whether the name is taken). `options` may be NULL.
 */
bool admission_check(struct arena *a, const struct admission_kind *kind, const struct json *object, const struct json *old,
                     const struct admission_options *options, struct diags *diags, const struct json **ret);

/* Secrets, ConfigMaps and Namespaces (v1), which need no CRD. */
bool admission_is_core(const struct json *object);
/* Checks one of these. Moves stringData into data. */
bool admission_check_core(struct arena *a, const struct json *object, const struct json *old,
                          const struct admission_options *options, struct diags *diags, const struct json **ret);

/*
 * The place of a diagnostic in the document that its object was read from. For a value that the document does not have: the place
 * of what contains it.
 */
struct admission_place {
    uint32_t line, column; /* 0: unknown, because the object was not read from a document */
};
struct admission_place admission_place(const struct json *document, const struct diag *diag);
/* "FILE:LINE:COLUMN", or only "FILE". */
struct str admission_place_text(struct arena *a, const char *file, const struct json *document, const struct diag *diag);
