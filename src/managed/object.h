/*
 * What all managed resources have in common: names, annotations, labels, finalizers, owners, conditions. Objects are JSON trees
 * in Kubernetes' form; functions that change one return a new tree (edit.h).
 *
 * A value that is absent or of the wrong type reads as empty, 0 or false: admission validates objects, so nothing here fails
 * because of a number where a string belongs.
 *
 * Times are nanoseconds since 1970 (base/clock.h). In objects they are RFC 3339 in whole seconds, as Kubernetes writes them.
 */
#pragma once

#include "managed/edit.h"

#define MANAGED_EXTERNAL_NAME "crossplane.io/external-name"
#define MANAGED_CREATE_PENDING "crossplane.io/external-create-pending"
#define MANAGED_CREATE_SUCCEEDED "crossplane.io/external-create-succeeded"
#define MANAGED_CREATE_FAILED "crossplane.io/external-create-failed"
/* Ours: the generation whose creation is pending, where nothing else records what was wanted. */
#define MANAGED_CREATE_GENERATION "terrane/create-generation"
#define MANAGED_PAUSED "crossplane.io/paused"
#define MANAGED_POLL_INTERVAL "crossplane.io/poll-interval"
#define MANAGED_RECONCILE_REQUESTED "crossplane.io/reconcile-requested-at"
#define MANAGED_PROVIDER_META "upjet.crossplane.io/provider-meta"
#define MANAGED_FINALIZER "finalizer.managedresource.crossplane.io"

/* --- identity --- */

struct str managed_kind(const struct json *o);
struct str managed_group(const struct json *o); /* of apiVersion; empty: the core group */
struct str managed_name(const struct json *o);
struct str managed_namespace(const struct json *o); /* empty: cluster-scoped */
struct str managed_uid(const struct json *o);
int64_t managed_generation(const struct json *o);
bool managed_is_deleted(const struct json *o);
/* Name of spec.providerConfigRef. */
struct str managed_provider_config(const struct json *o);

/* --- annotations and labels --- */

/* Empty if absent. */
struct str managed_annotation(const struct json *o, const char *key);
const struct json *managed_annotate(struct arena *a, const struct json *o, const char *key, struct str value);
const struct json *managed_unannotate(struct arena *a, const struct json *o, const char *key);
/* Does the object have all of these labels? `labels` is an object of strings; an empty or absent one matches everything. */
bool managed_labels_match(const struct json *o, const struct json *labels);

/*
 * Marks an object that moves between controllers (terrane migrate): with "terrane" the object is ours, and a pause is meant for
 * the previous controller; with any other value it is not ours yet, or no longer.
 */
#define MANAGED_BY "terrane/managed-by"
#define MANAGED_BY_US "terrane"
bool managed_is_of_another(const struct json *o);
/*
 * Is the object paused by its annotation, and is that not meant for the previous controller? managed_policies() has the other way
 * to pause.
 */
bool managed_is_paused_by_annotation(const struct json *o);

/* --- times --- */

struct str managed_time_text(struct arena *a, int64_t wall_ns);
/* Parses RFC 3339 with any offset and any fraction of a second. */
bool managed_time_parse(struct str text, int64_t *ret_ns);

/* --- marks of creation --- */

/* 0: absent, or not a time. */
int64_t managed_mark_time(const struct json *o, const char *annotation);
const struct json *managed_mark(struct arena *a, const struct json *o, const char *annotation, int64_t now_ns);
/*
 * The time to mark: now, or later, because marks have whole seconds and clocks are set back. The pending mark of a creation is
 * later than the end of the last one, and its end is not earlier than that.
 */
int64_t managed_mark_moment(const struct json *o, const char *annotation, int64_t now_ns);
/* A creation was started, and its outcome is unknown. */
bool managed_creation_is_incomplete(const struct json *o);
/* It was created less than `period_ns` ago: if a read does not find it, do not conclude yet that it is gone. */
bool managed_created_within(const struct json *o, int64_t period_ns, int64_t now_ns);

/* --- finalizers --- */

bool managed_has_finalizer(const struct json *o, const char *name);
size_t managed_count_finalizers(const struct json *o);
/* Both return the same object when nothing changes. */
const struct json *managed_add_finalizer(struct arena *a, const struct json *o, const char *name);
const struct json *managed_remove_finalizer(struct arena *a, const struct json *o, const char *name);

/* --- owners --- */

/* UID of the owner that is the controller. */
struct str managed_controller(const struct json *o);
/* Do both have the same controller? */
bool managed_same_controller(const struct json *x, const struct json *y);

/* --- conditions --- */

struct managed_condition {
    struct str type, status, reason, message;
    int64_t observed_generation; /* 0: not set */
};

/* False: no condition of this type. */
bool managed_condition(const struct json *o, const char *type, struct managed_condition *ret);
/*
 * The object with this condition in its status. Its transition time is `now_ns` if status, reason or message change; otherwise it
 * stays. Conditions of other types stay as they are.
 */
const struct json *managed_set_condition(struct arena *a, const struct json *o, const struct managed_condition *condition,
                                         int64_t now_ns);
