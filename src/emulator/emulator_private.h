/* Shared by emulator.c (entry point: signatures, throttling, transactions), operations.c (the API operations) and due.c (what
 * happens asynchronously). */
#pragma once

#include "base/map.h"
#include "cfn/regex.h"
#include "emulator/emulator.h"
#include "emulator/model.h"
#include "emulator/store.h"

#include <pthread.h>

struct emulator {
    struct emulator_options options;
    pthread_mutex_t lock;
    /* Guarded by `lock`. */
    struct arena *arena; /* of the next two */
    struct map schemas;  /* type -> const struct cfn_schema */
    struct map patterns; /* pattern of a request member -> const struct cfn_regex */
    struct emulator_store *store;
    uint64_t n_calls;
    uint64_t random;
};

/* One call in progress. */
struct emulation {
    struct emulator *emulator;
    struct arena *arena;
    const struct json *input;
    int64_t now; /* wall ns */
    struct json_writer out;
    /* Set if it failed. */
    const char *error;
    struct str message;
};

/* Records the error. emulation_fail() is a macro with the value false, so that readers and analysers see that the call ends. */
void emulation_set_error(struct emulation *e, const char *error, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define emulation_fail(e, ...) (emulation_set_error((e), __VA_ARGS__), false)

uint64_t emulator_random(struct emulator *e);
struct str emulator_uuid(struct emulator *e, struct arena *a);
/* NULL if the pack has no such type, or, with a diagnostic, if its schema in the pack is damaged. */
const struct cfn_schema *emulator_schema(struct emulator *e, struct str type, struct diags *diags);
/* The compiled pattern of a request member, cached. NULL if it does not compile. */
const struct cfn_regex *emulator_pattern(struct emulator *e, const char *pattern);

/* The name of the hook that runs before operations, if one is configured. */
#define EMULATOR_HOOK_NAME "Private::Emulator::Guard"

/* Limit for a stored model. A schema's defaults may be far larger than what a client sends. */
enum { EMULATOR_MAX_LINE = EMULATOR_MAX_BODY * 16 };
/* Encodes a model for the store, as one line of JSON. False if it is longer than EMULATOR_MAX_LINE. */
bool emulation_line(struct emulation *e, const struct json *j, struct str *ret);
/* Decodes a stored model; an unreadable one becomes an empty one. */
const struct json *emulation_model(struct emulation *e, struct str text);

typedef bool emulator_handler_fn(struct emulation *e);
/* NULL if there is no such operation. */
emulator_handler_fn *emulator_handler(struct str name);
/* Performs what has become due since the last call. */
bool emulation_do_due(struct emulation *e);
