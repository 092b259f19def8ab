/*
 * The fake provider's cloud: objects by resource type and id. In memory, or in a folder: one JSON file per object,
 * FOLDER/TYPE/ID.json, which outlives the process and which a test may edit to cause drift.
 *
 * May be used by many threads at once. An object is always replaced as a whole.
 */
#pragma once

#include "value/value.h"

struct cloud;

/* `folder` NULL: in memory. NULL with a diagnostic if the folder cannot be created. */
struct cloud *cloud_new(const char *folder, struct diags *diags);
void cloud_free(struct cloud *c);

struct cloud_key {
    struct str type_name, id;
};

/* `t` is the object's type in the schema. */
enum cloud_result { CLOUD_DONE, CLOUD_EXISTS, CLOUD_ABSENT, CLOUD_FAILED /* with a diagnostic */ };
enum cloud_result cloud_create(struct cloud *c, struct cloud_key key, const struct value *v, const struct type *t,
                               struct diags *diags);
enum cloud_result cloud_update(struct cloud *c, struct cloud_key key, const struct value *v, const struct type *t,
                               struct diags *diags);
enum cloud_result cloud_delete(struct cloud *c, struct cloud_key key, struct diags *diags);
enum cloud_result cloud_get(struct cloud *c, struct arena *a, struct cloud_key key, const struct type *t, struct diags *diags,
                            const struct value **ret);

/*
 * With a folder: appends a line "OPERATION TYPE ID" to FOLDER/.journal before the operation, and then waits as long as the file
 * FOLDER/.hold exists. If the id is not known yet, the line ends in "-".
 */
void cloud_note(const struct cloud *c, const char *operation, struct cloud_key key);

/* The ids of all objects of the type, sorted. */
struct cloud_ids {
    struct str *v;
    size_t n;
};
struct cloud_ids cloud_list(struct cloud *c, struct arena *a, struct str type_name);
