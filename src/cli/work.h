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

struct provider_source;

enum { WORK_MAX_JSON = 512 << 20 }; /* of one command's answer */

struct work_options {
    const char *config, *provider_config; /* files; NULL: none */
    const char *state;                    /* the file; NULL: terraform.tfstate */
    const char *provider, *version;       /* NULL: by the state, or by the type; any */
    int64_t timeout_ns;                   /* of one call; 0: none */
    int64_t lock_timeout_ns;
    bool json;
};

/* Which provider, and how: the same options in every command that works with one. */
#define WORK_OPTION_PROVIDER(o, usually)                                                                                         \
    {.name = "provider",                                                                                                         \
     .kind = OPTION_TEXT,                                                                                                        \
     .target = &(o)->provider,                                                                                                   \
     .value = "SOURCE",                                                                                                          \
     .help = "source address or path of a binary (default: from " usually ")"}
#define WORK_OPTION_PROVIDER_VERSION(o)                                                                                          \
    {.name = "provider-version",                                                                                                 \
     .kind = OPTION_TEXT,                                                                                                        \
     .target = &(o)->version,                                                                                                    \
     .value = "CONSTRAINT",                                                                                                      \
     .help = "version of the provider, for example \"~> 5.1\""}
#define WORK_OPTION_PROVIDER_CONFIG(o)                                                                                           \
    {.name = "provider-config",                                                                                                  \
     .kind = OPTION_TEXT,                                                                                                        \
     .target = &(o)->provider_config,                                                                                            \
     .value = "FILE",                                                                                                            \
     .help = "the provider's configuration, like --config"}
#define WORK_OPTION_TIMEOUT(o, except)                                                                                           \
    {.name = "timeout",                                                                                                          \
     .kind = OPTION_DURATION,                                                                                                    \
     .target = &(o)->timeout_ns,                                                                                                 \
     .value = "TIME",                                                                                                            \
     .help = "time limit for one call to the provider" except " (default: no limit)"}
/* All of them, for commands that know no state. */
#define WORK_PROVIDER_OPTIONS(o)                                                                                                 \
    WORK_OPTION_PROVIDER(o, "the type's name"), WORK_OPTION_PROVIDER_VERSION(o), WORK_OPTION_PROVIDER_CONFIG(o),                 \
        WORK_OPTION_TIMEOUT(o, "")

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
    struct pool_provider *opened;
    struct lease lease;
    bool unconfigured; /* set before work_provider(): only to validate, without credentials */
    bool borrowed;
    bool unheard;         /* an answer could not be written: no use trying another */
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
 * Starts and (unless `unconfigured`) configures the provider of a type. Which: the one that was named, else the one that the
 * state has for the object
 * (`known`, provider["..."]; empty: none), else the one that the type's name suggests.
 */
bool work_provider(struct work *w, struct str type, struct str known);
/* The same provider with another configuration beside it; the caller closes it. After work_provider(). */
bool work_open_another(struct work *w, const struct provider_source *source, const struct json *config,
                       struct pool_provider **ret);
/* Only its schema, from the cache if it is there. */
const struct provider_schema *work_schema(struct work *w, struct str type, struct str known);

/* Was it all right? A cancelled one leaves a diagnostic that says what that means. */
bool work_judge(struct work *w, enum engine_status status);

/* The configuration as it was written; an empty one when no file was named. */
const struct json *work_config(struct work *w);
/* Diagnostics from number `from` on are about this file, those that are about a configuration. */
void work_locate(struct work *w, size_t from, const struct config_file *file);

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
