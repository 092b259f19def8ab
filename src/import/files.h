/* The files of a run, as texts: configuration, variables, state, import blocks. What is written where is the caller's business.
 */
#pragma once

#include "import/references.h"
#include "import/region.h"
#include "output/output.h"

enum import_to {
    IMPORT_TO_HCL = 1,
    IMPORT_TO_JSON = 2,
    IMPORT_TO_STATE = 4,
    IMPORT_TO_IMPORTS = 8,
    IMPORT_TO_MANIFESTS = 16,
    IMPORT_TO_GRAPH = 32
};

struct import_file {
    struct str path, content;
    enum output_care care;
    unsigned to; /* what it belongs to: enum import_to */
};

/* A value that must not stand in the configuration. */
struct import_variable {
    struct str name, description;
    const struct value *value;
    bool made_up; /* then it is not a secret: a value that is one now and was none before would be a change */
};

struct import_files {
    VEC(struct import_file) files;
    VEC(struct import_variable) variables;
    struct str *objects; /* by number in the list: its block in the native syntax, as in its file; empty: not imported */
};

struct import_writing {
    struct arena *arena;
    const struct worklist *list;
    const struct references *references;
    const struct provider_schema *schema;
    struct str provider_address, provider_version; /* version: empty: not known */
    const struct json *provider_config;            /* NULL: empty */
    struct import_regions regions;
    bool json, imports; /* also .tf.json; also import blocks */
    bool one_file;
    bool into; /* code that exists: no provider, no state, and names of files that it does not have */
    struct str (*service)(void *ctx, struct str type); /* a file for each; NULL: for each type */
    void *ctx;
};

/* What is asked for, and what a proof needs: `to` of each file says what it is for. False with a diagnostic. */
bool import_make_files(const struct import_writing *w, struct diags *diags, struct import_files *ret);

/* hashicorp/aws; the host stays where it is not the usual one. */
struct str import_provider_source(struct str address);
/* aws */
struct str import_provider_name(struct str address);
