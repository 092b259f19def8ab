/* What `terrane up` is made of: a folder of manifests, a store, and a controller between them. `terrane plan` is it, tried. */
#pragma once

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
    const char *scheduler; /* NULL: what terrane.yaml says, or grpc */
    int64_t poll_ns;       /* 0: likewise, or ten minutes */
    int64_t timeout_ns;    /* of --once; 0: none */
    bool once, prune;
    bool install;            /* --install was given: then it is so whatever terrane.yaml says */
    struct watched *watched; /* NULL: nobody watches */
    bool plan;               /* nothing is real: what comes into the store is not told, what lost its manifest stays */
};

struct up {
    struct app *app;
    const struct up_options *options;
    struct arena *arena;
    struct project project;
    struct str project_text; /* as it was read: another one starts everything anew */
    struct folder *folder;
    struct store *store;
    struct serve serve;
    struct up_log *log_file;
    struct log *log; /* of the file, or the usual one */
    struct pool *pool;
    struct scheduler *schedulers[CONTROLLER_BACKENDS];
    struct controller *controller;
    struct show *show;
    struct admit *admit;
    /* up_manifests.c: who claims what, as of the last scan. */
    struct arena *claims_arena;
    struct map claims; /* KEY of the object (controller/known.h) -> struct claim */
    size_t n_wrong;    /* manifests that could not be applied */
    size_t n_pending;  /* that wait for an object to be gone */
    bool again;        /* a provider is needed that was not before: begin anew */
};

/* --- up.c --- */

/* terrane.yaml and the folder; manifests are not read yet. */
bool up_open(struct up *u);
/* The text of terrane.yaml as it is now; empty: there is none. */
struct str up_project_text(struct up *u, struct arena *a);
/* With a store: reads the manifests and finds the providers of their kinds. */
bool up_serve(struct up *u, struct folder_files *ret);
/* The scheduler on the engine. */
void up_engine(struct up *u);
/* Everything that was made so far goes. */
void up_end(struct up *u);

/* --- up_manifests.c --- */

/* Reads the folder for the first time: what is wrong with files is told. False: it cannot be read. */
bool up_look(struct up *u, struct folder_files *ret);
/* The groups of all manifests and of all objects in the store, as keys. */
bool up_groups(struct up *u, const struct folder_files *files, struct map *ret);
/* Brings manifests into the store that are new or changed (`all`: all of them), and removes or names what lost its manifest. */
bool up_apply(struct up *u, const struct folder_files *files, bool all);
/* Those again that waited for an object to be gone. */
void up_apply_pending(struct up *u);
/* The i-th object that a manifest brought into the store; false: there are not so many. Of the last up_apply(). */
bool up_brought(const struct up *u, size_t i, struct store_key *ret);
