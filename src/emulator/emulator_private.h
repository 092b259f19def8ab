/* What emulator.c (the door: signatures, throttling, transactions), operations.c (what is asked) and due.c (what happens then)
 * share. */
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
    /* Guarded by it. */
    struct arena *arena; /* of the next two */
    struct map schemas;  /* type -> const struct cfn_schema */
    struct map patterns; /* of members -> const struct cfn_regex */
    struct emulator_store *store;
    uint64_t n_calls;
    uint64_t random;
};

/* One call. */
struct emulation {
    struct emulator *emulator;
    struct arena *arena;
    const struct json *input;
    int64_t now; /* wall ns */
    struct json_writer out;
    /* Set when it failed. */
    const char *error;
    struct str message;
};

/* Keeps the error. As a macro that is false, so that readers and analysers see that nothing goes on after it. */
void emulation_set_error(struct emulation *e, const char *error, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define emulation_fail(e, ...) (emulation_set_error((e), __VA_ARGS__), false)

uint64_t emulator_random(struct emulator *e);
struct str emulator_uuid(struct emulator *e, struct arena *a);
/* NULL: the pack has no such type, or, with a diagnostic, its schema there is damaged. */
const struct cfn_schema *emulator_schema(struct emulator *e, struct str type, struct diags *diags);
/* Of a member: compiled once. NULL: it cannot be. */
const struct cfn_regex *emulator_pattern(struct emulator *e, const char *pattern);

/* The hook that looks at operations when the emulator is told to have one. */
#define EMULATOR_HOOK_NAME "Private::Emulator::Guard"

/* Of a model as it is stored. A schema's defaults may be far larger than what a client sends. */
enum { EMULATOR_MAX_LINE = EMULATOR_MAX_BODY * 16 };
/* A model as it is stored: one line of JSON. False: it is longer than EMULATOR_MAX_LINE. */
bool emulation_line(struct emulation *e, const struct json *j, struct str *ret);
/* What cannot be read is an empty one. */
const struct json *emulation_model(struct emulation *e, struct str text);

typedef bool emulator_handler_fn(struct emulation *e);
/* NULL: there is no such operation. */
emulator_handler_fn *emulator_handler(struct str name);
/* What has become due since the last call happens now. */
bool emulation_do_due(struct emulation *e);
