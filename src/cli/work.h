/*
 * What the commands that work with a provider share: configuration files, the state file, the provider with its engine, and the
 * places in files that diagnostics are about.
 *
 *     struct work w;
 *     bool ok = work_begin(&w, app, &options) && work_provider(&w, type, provider) && ...;
 *     work_end(&w, exit_code);
 */
#pragma once

#include "cli/app.h"
#include "cli/config_file.h"
#include "engine/plan_json.h"
#include "engine/pool.h"
#include "render/plan_text.h"
#include "state/state_file.h"

enum { WORK_MAX_JSON = 512 << 20 }; /* of one command's answer */

struct work_options {
    const char *config, *provider_config; /* files; NULL: none */
    const char *state;                    /* the file; NULL: terraform.tfstate */
    const char *provider, *version;       /* NULL: by the state, or by the type; any */
    int64_t timeout_ns;                   /* of one call; 0: none */
    int64_t lock_timeout_ns;
    bool json;
};

/* A diagnostic of the app's list that is about a place in a file. */
struct work_place {
    size_t diag;
    const char *file;
    struct config_place place;
};

struct work {
    struct app *app;
    const struct work_options *options;
    struct config_file config, provider_config;
    struct state_file *file;  /* open, with its lock; NULL: not */
    struct state *state;      /* NULL: not read */
    struct str provider_text; /* as the state has it: provider["..."] */
    struct pool *pool;
    struct warm *warm;
    struct lease lease;
    bool borrowed;
    struct engine engine; /* when borrowed; without a provider it serves to write objects */
    struct {
        struct work_place *v;
        size_t n, cap;
    } places;
};

/* Reads the configuration files that were named. */
bool work_begin(struct work *w, struct app *app, const struct work_options *options);
/*
 * Gives back what was opened, and leaves the diagnostics as they are to be printed: with their places; in the answer itself,
 * where JSON is wanted and the command failed before it could answer.
 */
void work_end(struct work *w, int exit_code);

/* The state file with its lock, or without one just to look. `operation` is what others are told: "OperationTypeApply". */
bool work_open_state(struct work *w, const char *operation);
bool work_look_at_state(struct work *w);
const char *work_state_path(const struct work *w);

/*
 * Starts and configures the provider of a type. Which: the one that was named, else the one that the state has for the object
 * (`known`, provider["..."]; empty: none), else the one that the type's name suggests.
 */
bool work_provider(struct work *w, struct str type, struct str known);
/* Only its schema, from the cache if it is there. */
const struct provider_schema *work_schema(struct work *w, struct str type, struct str known);

/* Was it all right? A cancelled one leaves a diagnostic that says what that means. */
bool work_judge(struct work *w, enum engine_status status);

/* The configuration by the resource's schema (an empty one when no file was named); its diagnostics get their places. */
bool work_read_config(struct work *w, const struct resource *r, struct config *ret);
/* Diagnostics from number `from` on are about this file; those without a path only if `whole`. */
void work_locate(struct work *w, size_t from, const struct config_file *file, bool whole);

/* The style of text on stdout. */
struct text_style work_style(const struct work *w);

/*
 * Answers as JSON: one object on one line, `diagnostics` last. They are on stdout then, and stderr stays empty.
 *
 *     struct buf out BUF_AUTO = ...; struct json_writer j = work_json(&out);
 *     json_begin_object(&j); ...; work_print_json(w, &j);
 */
struct json_writer work_json(struct buf *out);
bool work_print_json(struct work *w, struct json_writer *j);
void work_json_text(struct json_writer *j, const char *key, struct str text);

/* A value with its secrets, as plan JSON has both (members before and before_sensitive); NULL with a diagnostic. */
const struct json *work_value_json(struct work *w, const struct resource *r, const struct value *v, struct marks sensitive);
/* A plan in the form of plan JSON. */
const struct json *work_plan_json(struct work *w, const struct resource *r, const struct plan *plan);
