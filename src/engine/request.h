/*
 * What is asked about one object, from the caller's input to the engine's answer: Terraform core's order and core's words, once.
 * Whoever serves users (the commands, `terrane engine`) translates what it was given into a request and the answer into its
 * output; the phases (engine.h) are the steps in between.
 *
 *     struct request q = {.engine = &engine, .type = STR("aws_vpc"), .name = STR("this")};
 *     struct wanted wanted = {.config = json};
 *     struct plan plan;
 *     if (request_plan(&q, stored, &wanted, &plan) == ENGINE_OK) ...
 *
 * Core's order, in which each step that fails keeps the later ones from being said:
 *   1. what the provider says about its own configuration (`warnings`);
 *   2. the type: has the provider such a one;
 *   3. ignored paths that cannot be references at all;
 *   4. the configuration by core's rules;
 *   5. ignored paths against the schema, and the provider's validation: the two are said together;
 *   6. the calls of the phase.
 *
 * How a function ends, and where diagnostics go: as in engine.h.
 */
#pragma once

#include "engine/engine.h"

struct request {
    struct engine *engine;
    struct str type, name;
    struct str address;           /* what messages call the object; empty: TYPE.NAME after its kind's prefix */
    const struct diags *warnings; /* of the provider's configuration, which core repeats whenever it uses the provider; NULL:
                                     none, or the caller has told them */
    struct resource resource;     /* written by every function below, once the type is found */
};

/* What is wanted of a managed object. */
struct wanted {
    const struct json *config;  /* an object; NULL: the object is to go */
    const struct json *unknown; /* of the same shape (change_config_fits), true where a value is not known yet; NULL: all is */
    const struct json *ignore;  /* ignore_changes: an array of paths (change_path_fits); NULL: none */
    bool ignore_brackets; /* as people write them: an index is in brackets wherever it stands, so each path is a reference */
    bool ignore_all, replace, create_before_destroy, no_refresh;
};

/* An argument in a configuration that core takes for itself, so that no provider ever sees it; NULL: there is none. */
const char *request_core_argument(const struct json *config);

/* The type alone, which the user has named. False with core's error. */
bool request_find(struct request *q);

/* `config` is not NULL. */
enum engine_status request_validate(struct request *q, const struct wanted *wanted);

/* What is to be done with a stored object (NULL: there is none). */
enum engine_status request_plan(struct request *q, const struct state_instance *stored, const struct wanted *wanted,
                                struct plan *ret);

/*
 * Does what was planned; the type was found before (request_find). *ret is written whatever the status, as by engine_apply().
 * Where the engine has no provider, because no process could be had, nothing is asked: ENGINE_LOST, and all is as it was.
 */
enum engine_status request_apply(struct request *q, const struct plan *plan, struct applied *ret);

/* The object as it is now, and (may be NULL) as it was stored, brought to the present schema. */
enum engine_status request_refresh(struct request *q, const struct state_instance *stored, struct object *ret_before,
                                   struct object *ret);
enum engine_status request_upgrade(struct request *q, const struct state_instance *stored, struct object *ret);
enum engine_status request_import(struct request *q, const struct import_target *target, struct imports *ret);
enum engine_status request_move(struct request *q, struct str source_provider, struct str source_type,
                                const struct state_instance *source, struct object *ret);

/* `config` is an object. Of the options of a list all but the configuration. */
enum engine_status request_read_data(struct request *q, const struct json *config, const struct value **ret);
enum engine_status request_open_ephemeral(struct request *q, const struct json *config, struct ephemeral *ret);
enum engine_status request_list(struct request *q, const struct json *config, const struct list_options *options,
                                engine_found_fn *on_found, void *ctx, size_t *ret_count);
