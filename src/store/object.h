/* Names and metadata, which every object has: read and replaced. */
#pragma once

#include "store/store.h"

/* The group of an apiVersion: "" of "v1", "apps" of "apps/v1". */
struct str object_group(const struct json *object);
/* The object's key; members that are absent or not strings are empty. */
struct store_key object_key(const struct json *object);
struct str object_kind(const struct json *object);

const struct json *object_metadata(const struct json *object, const char *key);
/* A string of metadata; empty if it is not there. */
struct str object_metadata_text(const struct json *object, const char *key);

/* A copy of the object with this member replaced, or removed (NULL). */
const struct json *object_with(struct arena *a, const struct json *object, const char *key, const struct json *value);
/* The same for a member of metadata. */
const struct json *object_with_metadata(struct arena *a, const struct json *object, const char *key, const struct json *value);
const struct json *object_with_metadata_text(struct arena *a, const struct json *object, const char *key, struct str text);
const struct json *object_with_metadata_int(struct arena *a, const struct json *object, const char *key, int64_t number);

size_t object_n_finalizers(const struct json *object);
bool object_has_finalizer(const struct json *object, struct str finalizer);
bool object_is_being_deleted(const struct json *object);

/* A Secret of the core group: its content is never stored in plain text. */
bool object_is_secret(struct str group, struct str kind);

/* "Bucket.s3.aws.upbound.io \"default/logs\"", for messages. */
struct str object_title(struct arena *a, const struct store_key *key);
