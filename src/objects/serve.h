/*
 * Chooses the providers for a folder's kinds: those named on the command line and in terrane.yaml, and those of shipped
 * configurations for the API groups of the manifests and of objects in the store.
 */
#pragma once

#include "cli/app.h"
#include "cli/shipped_config.h"
#include "controller/kinds.h"
#include "manifests/folder.h"
#include "manifests/project.h"

/* The user's choices. */
struct serve_request {
    const struct option_texts *providers; /* SOURCE[@VERSION] */
    const struct option_texts *configs;   /* configuration files, each for the provider that it names */
    const struct project *project;
};

struct serve {
    struct app *app;
    struct kinds *kinds;
    struct shipped_list shipped;
    const struct shipped_provider **taken; /* the shipped ones in use */
    size_t n_taken, cap_taken;
};

/*
 * Loads providers until every group that a shipped configuration knows is served. `groups` are the keys of the map. False with
 * diagnostics: a named provider is not available, or a configuration is for none of them.
 */
bool serve_begin(struct serve *s, struct app *app, const struct serve_request *request, const struct map *groups);
void serve_end(struct serve *s);

/* Is this a group that a shipped configuration serves, whose provider is not loaded? */
bool serve_could(const struct serve *s, struct str group);

/*
 * No provider serves the kind of this object: adds a diagnostic at its position that says what to do. True: nothing need be done,
 * it is a package of Crossplane's (a warning).
 */
bool serve_unknown(const struct serve *s, const struct manifest *m, struct diags *diags);
