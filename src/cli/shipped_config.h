/* The configurations of providers that come with Terrane (share/providers), and a user's file that overrides them. */
#pragma once

#include "cli/app.h"
#include "crossplane/config.h"

enum { MAX_CONFIG = 16 << 20 };

/* A file that is part of a configuration. */
struct config_layer {
    struct xp_config_source source;
    struct str text;
};

struct loaded_config {
    struct xp_config *config;
    struct config_layer layers[2]; /* the shipped one first, if there is one */
    size_t n_layers;
};

/*
 * Reads a file that comes with Terrane, KIND/NAMEENDING in the folder share, up to `max` bytes. Returns its path; NULL: there is
 * none. Names that could lead out of the folder are rejected.
 */
const char *shipped_file(struct app *app, const char *kind, struct str name, const char *ending, size_t max,
                         struct str *ret_text);

/* The kinds of shipped files; ends with NULL. */
struct shipped_kind {
    const char *folder, *ending; /* folder in share */
};
extern const struct shipped_kind shipped_kinds[];
struct shipped_names {
    const struct str *v; /* without the ending, sorted */
    size_t n;
};
/* The names of the shipped files, from the first folder that exists. */
struct shipped_names shipped_names(struct app *app, const struct shipped_kind *kind);

/* The shipped configuration NAME.yaml; empty path: there is none. */
struct config_layer shipped_find(struct app *app, struct str name);

/* The provider that a shipped configuration is for. */
struct shipped_provider {
    struct str name, source;        /* aws, hashicorp/aws */
    struct str cluster, namespaced; /* what the API groups of its kinds end with */
};
struct shipped_list {
    const struct shipped_provider *v;
    size_t n;
};
struct shipped_list shipped_all(struct app *app);
/* The provider whose kinds have this group; NULL: none. */
const struct shipped_provider *shipped_serves(const struct shipped_list *list, struct str group);

/*
 * Loads the configuration of the provider with this address (HOST/NAMESPACE/TYPE): the shipped one, if it is for that address,
 * overridden by the file at `path` (NULL: none). With `base: none` in the file, or `no_shipped`, the shipped one is not used.
 */
bool load_config(struct app *app, struct str address, const char *path, bool no_shipped, struct loaded_config *ret);

/* registry.terraform.io/hashicorp/aws -> aws */
struct str provider_type_name(struct str address);
