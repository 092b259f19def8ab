/*
 * What the commands that use a provider share: configuration files, the state file, the provider with its engine, and the
 * positions in files that diagnostics are about.
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

enum { WORK_MAX_JSON = 512 << 20 }; /* bytes of a command's output */

struct work_options {
    const char *config, *provider_config; /* files; NULL: none */
    const char *state;                    /* path; NULL: terraform.tfstate */
    const char *provider, *version;       /* NULL: from the state or the type; NULL: any version */
    int64_t timeout_ns;                   /* of one call; 0: no limit */
    int64_t lock_timeout_ns;
    bool json;
};

/* The options that select the provider, for every command that uses one. */
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
/* All of them, for commands without a state. */
#define WORK_PROVIDER_OPTIONS(o)                                                                                                 \
    WORK_OPTION_PROVIDER(o, "the type's name"), WORK_OPTION_PROVIDER_VERSION(o), WORK_OPTION_PROVIDER_CONFIG(o),                 \
        WORK_OPTION_TIMEOUT(o, "")

/* The position in a file that one of the app's diagnostics is about. */
struct work_place {
    size_t diag;
    const char *file;
    struct config_place place;
};

struct work {
    struct app *app;
    const struct work_options *options;
    struct config_file config, provider_config;
    struct state_file *file;  /* open and locked; NULL: not open */
    struct state *state;      /* NULL: not read */
    struct str provider_text; /* as in the state: provider["..."] */
    struct pool *pool;
    struct pool_provider *opened;
    struct lease lease;
    bool unconfigured; /* set it before work_provider(): only validate, without credentials */
    bool borrowed;
    bool unheard;         /* the output could not be written: do not try again */
    struct engine engine; /* if borrowed; without a provider it can only write objects */
    struct {
        struct work_place *v;
        size_t n, cap;
    } places;
};

/* Reads the configuration files named in the options. */
bool work_begin(struct work *w, struct app *app, const struct work_options *options);
/*
 * Frees what was opened, and prepares the diagnostics for printing: adds their positions and, with JSON output of a command that
 * failed before it wrote any, writes them as JSON.
 */
void work_end(struct work *w, int exit_code);

/* Opens the state file with its lock; the second only reads it. `operation` is shown to others who wait: "OperationTypeApply". */
bool work_open_state(struct work *w, const char *operation);
bool work_look_at_state(struct work *w);
const char *work_state_path(const struct work *w);

/*
 * Starts and (unless `unconfigured`) configures the provider for a type: the one named in the options, else the object's provider
 * in the state (`known`, provider["..."]; empty: none), else the one that the type's name suggests.
 */
bool work_provider(struct work *w, struct str type, struct str known);
/* Opens the provider with another configuration in addition; the caller closes it. Call it after work_provider(). */
bool work_open_another(struct work *w, const struct provider_source *source, const struct json *config,
                       struct pool_provider **ret);
/* Only the schema, from the cache if possible. */
const struct provider_schema *work_schema(struct work *w, struct str type, struct str known);

/* True if the status is a success. A cancelled call gets a diagnostic that explains the consequences. */
bool work_judge(struct work *w, enum engine_status status);

/* The configuration as written; an empty one if no file was named. */
const struct json *work_config(struct work *w);
/* Diagnostics from number `from` on that are about a configuration are about this file. */
void work_locate(struct work *w, size_t from, const struct config_file *file);

/* The style for text on stdout. */
struct text_style work_style(const struct work *w);

/*
 * JSON output: one object on one line, with `diagnostics` last; stderr then stays empty.
 *
 *     struct buf out BUF_AUTO = ...; struct json_writer j = work_json(&out);
 *     json_begin_object(&j); ...; work_print_json(w, &j);
 */
struct json_writer work_json(struct buf *out);
bool work_print_json(struct work *w, struct json_writer *j);
void work_json_text(struct json_writer *j, const char *key, struct str text);

/* A value and its sensitive marks in the form of plan JSON (members before and before_sensitive); NULL with a diagnostic. */
const struct json *work_value_json(struct work *w, const struct resource *r, const struct value *v, struct marks sensitive);
/* A plan in the form of plan JSON. */
const struct json *work_plan_json(struct work *w, const struct resource *r, const struct plan *plan);
