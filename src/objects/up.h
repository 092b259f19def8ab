/* Parts of `terrane up`: a folder of manifests, a store, and a controller. `terrane plan` uses them for a trial run. */
#pragma once

#include "base/vec.h"
#include "controller/controller.h"
#include "manifests/apply.h"
#include "objects/objects.h"
#include "objects/serve.h"
#include "objects/show.h"
#include "objects/up_log.h"
#include "objects/watched.h"

struct up_options {
    const char *path;   /* folder, file or "-" */
    const char *folder; /* of the store */
    struct option_texts providers, configs;
    const char *scheduler; /* NULL: from terrane.yaml, or grpc */
    int64_t poll_ns;       /* 0: from terrane.yaml, or ten minutes */
    int64_t timeout_ns;    /* for --once; 0: no limit */
    bool once, prune;
    bool install;            /* --install was given: overrides terrane.yaml */
    struct watched *watched; /* NULL: no metrics, trace or dashboard */
    bool plan;               /* a trial run: changes of the store are not reported, and objects without a manifest stay */
};

struct up {
    struct app *app;
    const struct up_options *options;
    struct arena *arena;
    struct project project;
    struct str project_text; /* as read; a different text restarts everything */
    struct folder *folder;
    struct store *store;
    struct serve serve;
    struct up_log *log_file;
    struct log *log; /* into the file, or the usual log */
    struct pool *pool;
    struct scheduler *schedulers[CONTROLLER_BACKENDS];
    struct controller *controller;
    struct show *show;
    struct admit *admit;
    /* up_manifests.c: the objects that manifests claim, as of the last scan. */
    struct arena *claims_arena;
    struct map claims; /* KEY of the object (controller/known.h) -> struct claim */
    size_t n_wrong;    /* manifests that could not be applied */
    size_t n_pending;  /* manifests that wait until an object is gone */
    /* What --prune removes, in this order: managed resources and their ProviderConfigs, until they are gone, then the rest. */
    VEC(struct store_key) going;
    VEC(struct store_key) going_configs;
    VEC(struct store_key) held; /* Secrets and ConfigMaps: the deletion of a resource may need its credentials */
    bool again;                 /* another provider is needed: start again */
};

/* --- up.c --- */

/* Reads terrane.yaml and opens the folder; does not read manifests yet. */
bool up_open(struct up *u);
/* The current text of terrane.yaml; empty: there is none. */
struct str up_project_text(struct up *u, struct arena *a);
/* With an open store: reads the manifests and finds the providers of their kinds. */
bool up_serve(struct up *u, struct folder_files *ret);
/* Creates the pool and the scheduler on the engine. */
void up_engine(struct up *u);
/* Frees everything. */
void up_end(struct up *u);

/* --- up_manifests.c --- */

/* Reads the folder for the first time, and reports errors in files. False: it cannot be read. */
bool up_look(struct up *u, struct folder_files *ret);
/* The API groups of all manifests and of all objects in the store, as keys. */
bool up_groups(struct up *u, const struct folder_files *files, struct map *ret);
/*
 * Applies manifests that are new or changed (`all`: all of them) to the store, and removes or reports objects that lost their
 * manifest.
 */
bool up_apply(struct up *u, const struct folder_files *files, bool all);
/* Does what waited until objects were gone: applies manifests, and removes Secrets. True: something has changed. */
bool up_apply_pending(struct up *u);
/* Is only a ProviderConfig waited for? It goes when its users have been counted again. */
bool up_awaits_config(const struct up *u);
/* Names the Secrets that still wait. */
void up_tell_held(struct up *u);
/* The i-th object that a manifest applied in the last up_apply(); false: there are fewer. */
bool up_brought(const struct up *u, size_t i, struct store_key *ret);
