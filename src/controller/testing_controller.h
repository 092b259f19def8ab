/*
 * For the tests of this folder: a controller on a store in a folder of its own and the fake provider, which has databases (the
 * name is the user's), users (a secret password; the id is the provider's), grants (which refer to both) and topics (whose
 * id has the account in it).
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
    struct controller_options options; /* may be set before play_start() */
    const char *terraform;             /* NULL: the engine */
};

/* NULL: the engine; else the program that play_run() uses instead. */
extern const char *terraform;
/* Through terraform everything takes a hundred times as long: fewer objects, unless TERRANE_TEST_FULL is set. */
bool is_short(void);

#define OBJECT(kind, name) "---\napiVersion: fake.example.org/v1\nkind: " kind "\nmetadata: {name: " name "}\n"

/* All of it, with a ProviderConfig; `script` as in stage_begin(). */
void play_run(struct play *p, const char *script);
/* Everything but the controller; `script` as in stage_begin(). */
void play_begin(struct play *p, const char *script);
/* The same on a folder that another process has left. */
void play_begin_in(struct play *p, const char *script, const char *folder);
void play_start(struct play *p);
void play_stop(struct play *p);
void play_end(struct play *p);

/* Documents of YAML, each created or, where it exists, put in its place (status and metadata of the store stay). */
void apply(struct play *p, const char *yaml);
void delete_object(struct play *p, const char *kind, const char *name);
/* NULL: there is none. KIND is Database, User, Grant (of the cluster-scoped flavour), ProviderConfig, Secret (of "default"). */
const struct json *object(struct play *p, const char *kind, const char *name);
/* Key and value of its annotation; "" when there is none. */
const char *annotation(struct play *p, const char *kind, const char *name, const char *key);
void annotate(struct play *p, const char *kind, const char *name, const char *key, const char *value);

/* Waits until a condition is so: "True/Available". The message may be NULL, or a part of it. */
void await(struct play *p, const char *kind, const char *name, const char *type, const char *status_reason, const char *message);
void await_ready(struct play *p, const char *kind, const char *name);
void await_gone(struct play *p, const char *kind, const char *name);
/* Waits until nothing moves. */
void await_calm(struct play *p);
/* Waits until an event of this reason was recorded for it; returns its message. */
const char *await_event(struct play *p, const char *kind, const char *name, const char *reason);
/* Has there been one? */
bool has_event(struct play *p, const char *kind, const char *name, const char *reason);

/* The cloud of the fake provider: how many of a type, and one of them by the value of an attribute. */
size_t cloud_count(struct play *p, const char *type);
const struct json *cloud_find(struct play *p, const char *type, const char *attribute, const char *value);
/* Waits until the object has this value. */
void await_cloud(struct play *p, const char *type, const char *attribute, const char *value);
/* Gives an attribute of all of a type a value (JSON), behind everybody's back; removes all of them. */
void cloud_edit(struct play *p, const char *type, const char *attribute, const char *value);
void cloud_clear(struct play *p, const char *type);
/* An object that nobody made. */
void cloud_put(struct play *p, const char *type, const char *id, const char *json);

extern const char play_config[]; /* a ProviderConfig "default" without credentials */
