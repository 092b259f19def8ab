/* The contents of a run's files: configuration, variables, state, import blocks. The caller decides which to write where. */
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
    unsigned to; /* what it is for: flags of enum import_to */
};

/* A value that becomes a variable, because it must not be in the configuration. */
struct import_variable {
    struct str name, description;
    const struct value *value;
    bool made_up; /* made up, and not marked sensitive: making a value sensitive that was not would be a change */
};

struct import_files {
    VEC(struct import_file) files;
    VEC(struct import_variable) variables;
    struct str *objects; /* indexed like the list: the object's block in native syntax, as in its file; empty: not imported */
};

struct import_writing {
    struct arena *arena;
    const struct worklist *list;
    const struct references *references;
    const struct provider_schema *schema;
    struct str provider_address, provider_version; /* version: empty: unknown */
    const struct json *provider_config;            /* NULL: empty */
    struct import_regions regions;
    bool json, imports; /* also write .tf.json; also write import blocks */
    bool one_file;
    bool into; /* write into existing code: no provider, no state, and only file names that it does not have */
    struct str (*service)(void *ctx, struct str type); /* one file for each service; NULL: one for each type */
    void *ctx;
};

/* Makes the requested files and those that the proof needs: `to` of each file tells them apart. False with a diagnostic. */
bool import_make_files(const struct import_writing *w, struct diags *diags, struct import_files *ret);

/* hashicorp/aws; keeps the host unless it is the default one. */
struct str import_provider_source(struct str address);
/* aws */
struct str import_provider_name(struct str address);
