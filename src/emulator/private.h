/* What emulator.c (the door: signatures, throttling, transactions), operations.c (what is asked) and settle.c (what happens then)
 * share. */
#pragma once

#include "cloudcontrol/regex.h"
#include "emulator/emulator.h"
#include "emulator/model.h"
#include "emulator/store.h"

#include <pthread.h>

struct cc_emulator {
    struct cc_emulator_options options;
    pthread_mutex_t lock;
    /* Guarded by it. */
    struct arena *arena; /* of the next two */
    struct map schemas;  /* type -> const struct cfn_schema */
    struct map patterns; /* of members -> const struct cc_regex */
    struct cc_store *store;
    uint64_t n_calls;
    uint64_t random;
};

/* One call. */
struct cc_emulation {
    struct cc_emulator *emulator;
    struct arena *arena;
    const struct json *input;
    int64_t now; /* wall ns */
    struct json_writer out;
    /* Set when it failed. */
    const char *error;
    struct str message;
};

/* Keeps the error. As a macro that is false, so that readers and analysers see that nothing goes on after it. */
void cc_emulation_set_error(struct cc_emulation *e, const char *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define cc_emulation_fail(e, ...) (cc_emulation_set_error((e), __VA_ARGS__), false)

uint64_t cc_emulator_random(struct cc_emulator *e);
struct str cc_emulator_uuid(struct cc_emulator *e, struct arena *a);
/* NULL: the pack has no such type. */
const struct cfn_schema *cc_emulator_schema(struct cc_emulator *e, struct str type);
/* Of a member: compiled once. NULL: it cannot be. */
const struct cc_regex *cc_emulator_pattern(struct cc_emulator *e, const char *pattern);

/* The hook that looks at operations when the emulator is told to have one. */
#define CC_HOOK_NAME "Private::Emulator::Guard"

/* A model as it is stored: one line of JSON; what cannot be read is an empty one. */
struct str cc_emulation_line(struct cc_emulation *e, const struct json *j);
const struct json *cc_emulation_model(struct cc_emulation *e, struct str text);

typedef bool cc_operation_fn(struct cc_emulation *e);
/* NULL: there is no such operation. */
cc_operation_fn *cc_emulator_operation(struct str name);
/* What has become due since the last call happens now. */
bool cc_emulation_settle(struct cc_emulation *e);
