/*
 * The fake provider's cloud: objects by resource type and id. In memory, or in a folder: one JSON file per object,
 * FOLDER/TYPE/ID.json, which outlives the process and which a test may edit to make drift.
 *
 * Used by many threads at once. An object is replaced as a whole.
 */
#pragma once

#include "value/value.h"

struct cloud;

/* `folder` NULL: in memory. NULL and a diagnostic when the folder cannot be made. */
struct cloud *cloud_new(const char *folder, struct diags *diags);
void cloud_free(struct cloud *c);

struct cloud_key {
    struct str type_name, id;
};

/* `t` is the type that the schema gives to the object. */
enum cloud_result { CLOUD_DONE, CLOUD_EXISTS, CLOUD_ABSENT, CLOUD_FAILED /* with a diagnostic */ };
enum cloud_result cloud_create(struct cloud *c, struct cloud_key key, const struct value *v, const struct type *t,
                               struct diags *diags);
enum cloud_result cloud_update(struct cloud *c, struct cloud_key key, const struct value *v, const struct type *t,
                               struct diags *diags);
enum cloud_result cloud_delete(struct cloud *c, struct cloud_key key, struct diags *diags);
enum cloud_result cloud_get(struct cloud *c, struct arena *a, struct cloud_key key, const struct type *t, struct diags *diags,
                            const struct value **ret);

/*
 * In a folder: writes what somebody is about to do to FOLDER/.journal, a line "OPERATION TYPE ID", and then waits as long as
 * there is a file FOLDER/.hold. For an id that is not known yet the line ends in "-".
 */
void cloud_note(const struct cloud *c, const char *operation, struct cloud_key key);

/* The ids of all objects of the type, sorted. */
struct cloud_ids {
    struct str *v;
    size_t n;
};
struct cloud_ids cloud_list(struct cloud *c, struct arena *a, struct str type_name);
