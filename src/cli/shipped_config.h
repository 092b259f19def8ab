/*
 * The configurations of providers that come with Terrane (share/providers), and what a user's file says over them.
 */
#pragma once

#include "cli/app.h"
#include "crossplane/config.h"

enum { MAX_CONFIG = 16 << 20 };

/* One file that a configuration was made of. */
struct config_layer {
    struct xp_config_source source;
    struct str text;
};

struct loaded_config {
    struct xp_config *config;
    struct config_layer layers[2]; /* the shipped one, if any, first */
    size_t n_layers;
};

/*
 * A file that comes with Terrane: KIND/NAMEENDING of the folder share, at most so many bytes. Its path; NULL: there is none. A
 * name that could lead out of the folder is none.
 */
const char *shipped_file(struct app *app, const char *kind, struct str name, const char *ending, size_t max,
                         struct str *ret_text);

/* The kinds of files that come with Terrane; ends with NULL. */
struct shipped_kind {
    const char *folder, *ending; /* below share */
};
extern const struct shipped_kind shipped_kinds[];
struct shipped_names {
    const struct str *v; /* without the ending, in order */
    size_t n;
};
/* Those that are there, of the first folder that exists. */
struct shipped_names shipped_names(struct app *app, const struct shipped_kind *kind);

/* NAME.yaml of the folder of shipped configurations, if there is one; empty path: there is none. */
struct config_layer shipped_find(struct app *app, struct str name);

/* What the shipped configurations are for. */
struct shipped_provider {
    struct str name, source;        /* aws, hashicorp/aws */
    struct str cluster, namespaced; /* the groups that its kinds' groups end with */
};
struct shipped_list {
    const struct shipped_provider *v;
    size_t n;
};
struct shipped_list shipped_all(struct app *app);
/* The one that serves this group; NULL: none. */
const struct shipped_provider *shipped_serves(const struct shipped_list *list, struct str group);

/*
 * The configuration of the provider with this address (HOST/NAMESPACE/TYPE): the shipped one if it is for that address, the file
 * at `path` (NULL: none) over it. A file that says `base: none`, and `no_shipped`, leave the shipped one out.
 */
bool load_config(struct app *app, struct str address, const char *path, bool no_shipped, struct loaded_config *ret);

/* registry.terraform.io/hashicorp/aws -> aws */
struct str provider_type_name(struct str address);
