/*
 * One request about an object, from the caller's input to the engine's answer: the one place that has core's order and core's
 * messages. The commands and `terrane engine` translate their input into a request and the answer into their output; the phases
 * (engine.h) are the steps in between.
 *
 *     struct request q = {.engine = &engine, .type = STR("aws_vpc"), .name = STR("this")};
 *     struct wanted wanted = {.config = json};
 *     struct plan plan;
 *     if (request_plan(&q, stored, &wanted, &plan) == ENGINE_OK) ...
 *
 * Core's order; when a step fails, the later ones are not done:
 *   1. the provider's warnings about its own configuration (`warnings`);
 *   2. the type: does the provider have it;
 *   3. ignore_changes paths that cannot be references at all;
 *   4. the configuration by core's rules;
 *   5. ignore_changes paths against the schema, and the provider's validation: both are reported together;
 *   6. the calls of the phase.
 *
 * How a function ends, and where diagnostics go: as in engine.h.
 */
#pragma once

#include "engine/engine.h"

struct request {
    struct engine *engine;
    struct str type, name;
    struct str address;           /* the object's address in messages; empty: TYPE.NAME after its kind's prefix */
    const struct diags *warnings; /* of the provider's configuration; core repeats them whenever it uses the provider; NULL: none,
                                     or the caller has shown them */
    struct resource resource;     /* written by every function below, once the type is found */
};

/* What is wanted of a managed object. */
struct wanted {
    const struct json *config;  /* an object; NULL: destroy the object */
    const struct json *unknown; /* of the same shape (change_config_fits), true where a value is not known yet; NULL: nowhere */
    const struct json *ignore;  /* ignore_changes: an array of paths (change_path_fits); NULL: none */
    bool ignore_brackets;       /* the paths are as users write them, with every index in brackets, so that each is a reference */
    bool ignore_all, replace, create_before_destroy, no_refresh;
};

/* An argument in the configuration that is core's own (a meta-argument), which no provider ever gets; NULL: there is none. */
const char *request_core_argument(const struct json *config);

/* Finds only the type, which the user has named. False with core's error. */
bool request_find(struct request *q);

/* `config` is not NULL. */
enum engine_status request_validate(struct request *q, const struct wanted *wanted);

/* Plans the change of a stored object (NULL: there is none). */
enum engine_status request_plan(struct request *q, const struct state_instance *stored, const struct wanted *wanted,
                                struct plan *ret);

/*
 * Applies a plan; the type was found before (request_find). *ret is written whatever the status, as by engine_apply(). If the
 * engine has no provider, because no process could be had, nothing is called: ENGINE_LOST, and the object is unchanged.
 */
enum engine_status request_apply(struct request *q, const struct plan *plan, struct applied *ret);

/* Reads the object as it is now. `ret_before` (may be NULL) gets the stored object, upgraded to the current schema. */
enum engine_status request_refresh(struct request *q, const struct state_instance *stored, struct object *ret_before,
                                   struct object *ret);
enum engine_status request_upgrade(struct request *q, const struct state_instance *stored, struct object *ret);
enum engine_status request_import(struct request *q, const struct import_target *target, struct imports *ret);
enum engine_status request_move(struct request *q, struct str source_provider, struct str source_type,
                                const struct state_instance *source, struct object *ret);

/* `config` is an object. The configuration in the options of request_list() is not used. */
enum engine_status request_read_data(struct request *q, const struct json *config, const struct value **ret);
enum engine_status request_open_ephemeral(struct request *q, const struct json *config, struct ephemeral *ret);
enum engine_status request_list(struct request *q, const struct json *config, const struct list_options *options,
                                engine_found_fn *on_found, void *ctx, size_t *ret_count);
