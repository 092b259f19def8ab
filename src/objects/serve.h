/*
 * Which providers serve the kinds of a folder: those that the command line and terrane.yaml name, and those of shipped
 * configurations whose groups the manifests, or objects in the store, have.
 */
#pragma once

#include "cli/app.h"
#include "cli/shipped_config.h"
#include "controller/kinds.h"
#include "manifests/folder.h"
#include "manifests/project.h"

/* As the user names them. */
struct serve_request {
    const struct option_texts *providers; /* SOURCE[@VERSION] */
    const struct option_texts *configs;   /* files of configurations, each for the provider that it names */
    const struct project *project;
};

struct serve {
    struct app *app;
    struct kinds *kinds;
    struct shipped_list shipped;
    const struct shipped_provider **taken; /* those of the shipped ones that serve here */
    size_t n_taken, cap_taken;
};

/*
 * Loads providers until all groups are served that any shipped configuration knows. `groups` are the keys of the map. False and
 * diagnostics: a provider that was named cannot be had, or a configuration is for none of them.
 */
bool serve_begin(struct serve *s, struct app *app, const struct serve_request *request, const struct map *groups);
void serve_end(struct serve *s);

/* Is this a group that a shipped configuration serves, and did not when this began? */
bool serve_could(const struct serve *s, struct str group);

/* Nobody serves the kind of this object: a diagnostic at its place that says what to do. */
bool serve_unknown(const struct serve *s, const struct manifest *m, struct diags *diags);
