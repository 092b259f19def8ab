/* Shared by the readers of both versions. Private to this folder. */
#pragma once

#include "base/map.h"
#include "state/state.h"

struct state_reader {
    struct arena *arena;
    const char *source;
    struct diags *diags;
    struct state *state;
    struct map resources; /* by address: position in the state's array (size_t) */
    struct map objects;   /* by address: seen */
    struct map outputs;   /* by name: seen */
};

void state_reader_init(struct state_reader *r, struct arena *a, const char *source, struct diags *diags);

/* Adds an error "FILE:LINE:COLUMN: ..."; returns false. */
bool state_fail_at(const struct state_reader *r, const struct json *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each leaves *ret unchanged if the member is absent or null, and fails if it has another kind. */
bool state_read_text(const struct state_reader *r, const struct json *object, const char *key, struct str *ret);
bool state_read_flag(const struct state_reader *r, const struct json *object, const char *key, bool *ret);
bool state_read_u64(const struct state_reader *r, const struct json *object, const char *key, uint64_t *ret);
bool state_read_texts(const struct state_reader *r, const struct json *object, const char *key, const struct str **ret,
                      size_t *ret_n);
/* The member, an array or object as `kind` says; NULL if absent or null. */
bool state_read_container(const struct state_reader *r, const struct json *object, const char *key, enum json_kind kind,
                          const struct json **ret);
/* An object whose members are all strings (as in Go, null counts as empty). */
bool state_read_flat(const struct state_reader *r, const struct json *object, const char *key, struct flatmap *ret);

/* The resource at this address, added if it is absent. */
struct state_resource *state_reader_resource(struct state_reader *r, const struct state_address *address);
/* Adds an object, and fails if there is one at this address already; `at` is its place in the file. */
bool state_reader_add(struct state_reader *r, const struct state_address *address, struct state_resource *resource,
                      const struct state_instance *object, const struct json *at);
/* Adds an output of this type. */
bool state_reader_add_output(struct state_reader *r, const struct json_member *member, const struct type *type, bool sensitive,
                             struct str deprecated);

/* Version 3; `root` is the whole file. */
bool state_read_v3(struct state_reader *r, const struct json *root);
