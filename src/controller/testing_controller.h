/*
 * For the tests of this folder: a controller on a store in a folder of its own, with the fake provider, which has databases (the
 * user chooses the name), users (a secret password; the provider chooses the id), grants (which refer to both) and topics (whose
 * id contains the account).
 */
#pragma once

#include "base/testing.h"
#include "controller/controller.h"
#include "engine/testing_pool.h"
#include "managed/object.h"

struct play {
    struct stage stage;
    struct arena *arena;
    struct diags diags;
    const char *folder; /* of the store */
    struct store *store;
    struct kinds *kinds;
    struct scheduler *schedulers[CONTROLLER_BACKENDS];
    struct controller *controller;
    struct controller_options options; /* may be changed before play_start() */
    const char *terraform;             /* NULL: the engine */
};

/* NULL: the engine; else the terraform program that play_run() uses instead. */
extern const char *terraform;
/* True with terraform, where everything takes a hundred times as long: use fewer objects, unless TERRANE_TEST_FULL is set. */
bool is_short(void);

#define OBJECT(kind, name) "---\napiVersion: fake.example.org/v1\nkind: " kind "\nmetadata: {name: " name "}\n"

/* Starts everything, with a ProviderConfig; `script` as for stage_begin(). */
void play_run(struct play *p, const char *script);
/* Starts everything except the controller; `script` as for stage_begin(). */
void play_begin(struct play *p, const char *script);
/* The same on a folder that another process has used. */
void play_begin_in(struct play *p, const char *script, const char *folder);
void play_start(struct play *p);
void play_stop(struct play *p);
void play_end(struct play *p);

/* Creates or replaces the objects of a YAML text (status and metadata in the store stay). */
void apply(struct play *p, const char *yaml);
void delete_object(struct play *p, const char *kind, const char *name);
/* NULL: there is none. `kind` is Database, User, Grant (cluster-scoped), ProviderConfig, or Secret (in "default"). */
const struct json *object(struct play *p, const char *kind, const char *name);
/* Value of an annotation ("" if there is none); sets one. */
const char *annotation(struct play *p, const char *kind, const char *name, const char *key);
void annotate(struct play *p, const char *kind, const char *name, const char *key, const char *value);

/* Waits for a condition: "True/Available". The message may be NULL, or a part of it. */
void await(struct play *p, const char *kind, const char *name, const char *type, const char *status_reason, const char *message);
void await_ready(struct play *p, const char *kind, const char *name);
void await_gone(struct play *p, const char *kind, const char *name);
/* Waits until no object is moving. */
void await_calm(struct play *p);
/* Waits for an event with this reason; returns its message. */
const char *await_event(struct play *p, const char *kind, const char *name, const char *reason);
/* Was there an event with this reason? */
bool has_event(struct play *p, const char *kind, const char *name, const char *reason);

/* The fake provider's cloud: the number of objects of a type, and one of them by the value of an attribute. */
size_t cloud_count(struct play *p, const char *type);
const struct json *cloud_find(struct play *p, const char *type, const char *attribute, const char *value);
/* Waits until the object has this value. */
void await_cloud(struct play *p, const char *type, const char *attribute, const char *value);
/* Sets an attribute of all objects of a type to a value (JSON), as drift; removes all of them. */
void cloud_edit(struct play *p, const char *type, const char *attribute, const char *value);
void cloud_clear(struct play *p, const char *type);
/* Adds an object that nobody has created through the provider. */
void cloud_put(struct play *p, const char *type, const char *id, const char *json);

extern const char play_config[]; /* a ProviderConfig "default" without credentials */
