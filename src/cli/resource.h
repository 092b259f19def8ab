/* The commands `terrane resource ...`, which work on one object of a state file. For resource_*.c and cmd_resource.c. */
#pragma once

#include "cli/work.h"
#include "engine/request.h"

struct resource_options {
    struct work_options work;
    bool auto_approve, no_refresh, replace, create_before_destroy, detailed_exitcode, no_lock;
    struct option_texts ignore;
    const char *identity; /* file */
};

/* The run of one command. */
struct resource_run {
    struct work work;
    const struct resource_options *options;
    const char *id;               /* import: the id of the object */
    struct state_address address; /* of the current object */
    struct str text;              /* the address for messages */
    struct resource resource;     /* set once the provider is there */
};

/* Each returns the exit code. */
typedef int verb_fn(struct resource_run *run);
verb_fn verb_validate, verb_plan, verb_apply, verb_destroy, verb_refresh, verb_import, verb_show;

/*
 * resource_open.c: opens the provider, and finds the resource type in its schema. The state must be read before, if the command
 * uses one.
 */
bool resource_open(struct resource_run *run);
/* A request to the engine about the object. */
struct request resource_request(struct resource_run *run);
/* The resource in the state, or the object at an address; NULL: not there. */
const struct state_resource *resource_in_state(const struct resource_run *run);
const struct state_instance *object_in_state(const struct resource_run *run, const struct state_address *address);
/* The object's provider in the state, provider["..."]; empty: none. */
struct str provider_in_state(const struct resource_run *run);
/* Puts an object into the state at an address (value NULL: removes it); false if it cannot be stored. */
bool resource_store(struct resource_run *run, const struct state_address *address, const struct object *object);
/* The object, for text output. */
struct text_object resource_text_object(const struct resource_run *run, const struct state_address *address);

/* resource_plan.c: plans for the object, and for objects left over by a failed replacement. */
struct planned_step {
    struct state_address address;
    struct plan plan;
    const struct json *json; /* in the form of plan JSON */
};
struct planned_list {
    struct planned_step *v; /* the current object first */
    size_t n;
    bool changes; /* does any step change something? */
};
bool resource_plan_all(struct resource_run *run, bool destroy, struct planned_list *ret);
bool resource_print_plan(struct resource_run *run, const struct planned_list *list, bool destroy);

/* ignore_path.c: parses a path such as tags["Name"], rule[0].port or tags.Name into JSON steps; NULL: not a path. */
const struct json *ignore_path_parse(struct arena *a, struct str text);
