/*
 * The commands `terrane resource ...`: one object of a state file, from its address to what was planned for it. For the files
 * resource_*.c and cmd_resource.c.
 */
#pragma once

#include "cli/work.h"
#include "engine/request.h"

struct resource_options {
    struct work_options work;
    bool auto_approve, no_refresh, replace, create_before_destroy, detailed_exitcode, no_lock;
    struct option_texts ignore;
    const char *identity; /* file */
};

/* One command's run. */
struct resource_run {
    struct work work;
    const struct resource_options *options;
    const char *id;               /* import: what to look for */
    struct state_address address; /* of the current object */
    struct str text;              /* the same for people */
    struct resource resource;     /* when the provider is there */
};

/* Each returns the exit code. */
typedef int verb_fn(struct resource_run *run);
verb_fn verb_validate, verb_plan, verb_apply, verb_destroy, verb_refresh, verb_import, verb_show;

/* resource_open.c: the provider, and the resource type in its schema. The state must have been read, if it is to be asked. */
bool resource_open(struct resource_run *run);
/* What the engine is asked about it. */
struct request resource_request(struct resource_run *run);
/* The resource in the state, NULL when it is not there; the object at an address likewise. */
const struct state_resource *resource_in_state(const struct resource_run *run);
const struct state_instance *object_in_state(const struct resource_run *run, const struct state_address *address);
/* Its provider there, provider["..."]; empty: it has none. */
struct str provider_in_state(const struct resource_run *run);
/* What there is from now on at an address (value NULL: nothing), put into the state; false when it cannot be stored. */
bool resource_store(struct resource_run *run, const struct state_address *address, const struct object *object);
/* For text: which object is meant. */
struct text_object resource_text_object(const struct resource_run *run, const struct state_address *address);

/* resource_plan.c: what is to be done with the object, and with those that a failed replacement left over. */
struct planned_step {
    struct state_address address;
    struct plan plan;
    const struct json *json; /* in the form of plan JSON */
};
struct planned_list {
    struct planned_step *v; /* the current object first */
    size_t n;
    bool changes; /* is there anything to do? */
};
bool resource_plan_all(struct resource_run *run, bool destroy, struct planned_list *ret);
bool resource_print_plan(struct resource_run *run, const struct planned_list *list, bool destroy);

/* ignore_path.c: a path as people write it, tags["Name"], rule[0].port or tags.Name, as JSON steps; NULL: it is none. */
const struct json *ignore_path_parse(struct arena *a, struct str text);
