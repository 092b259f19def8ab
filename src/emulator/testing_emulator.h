/* For the test and the fuzz target of the emulator: a pack with one test type, and an emulator on it with a fake clock. */
#pragma once

#include "cfn/testing_pack.h"
#include "emulator/emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TESTING_THING                                                                                                            \
    "{\"typeName\":\"AWS::Test::Thing\",\"description\":\"d\",\"additionalProperties\":false,\"properties\":{"                   \
    "\"Name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":20},\"Size\":{\"type\":\"integer\",\"default\":3},"             \
    "\"Secret\":{\"type\":\"string\"},\"Arn\":{\"type\":\"string\"},"                                                            \
    "\"Tags\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}}},\"required\":[\"Size\"],"           \
    "\"createOnlyProperties\":[\"/properties/Name\"],\"readOnlyProperties\":[\"/properties/Arn\"],"                              \
    "\"writeOnlyProperties\":[\"/properties/Secret\"],\"primaryIdentifier\":[\"/properties/Name\"],"                             \
    "\"handlers\":{\"create\":{\"permissions\":[]},\"read\":{\"permissions\":[]},\"update\":{\"permissions\":[]},"               \
    "\"delete\":{\"permissions\":[]},\"list\":{\"permissions\":[]}}}"

struct testing_emulator {
    struct fake_clock clock;
    struct cfn_pack *pack; /* the pack to close with it, or NULL */
    struct emulator *emulator;
};

static inline struct cfn_pack *testing_emulator_pack(void)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf pack BUF_AUTO = BUF_INIT(1 << 20);
    struct diags diags;
    diags_init(&diags, a);
    testing_pack_lay_out(&pack, STR(TESTING_THING));
    return testing_pack_open(buf_str(&pack), &diags);
}

/* `options.pack` NULL: makes a pack, which testing_emulator_done() closes. */
static inline void testing_emulator_init(struct testing_emulator *t, struct emulator_options options)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    t->pack = options.pack ? NULL : testing_emulator_pack();
    fake_clock_init(&t->clock, INT64_C(1800000000) * NS_PER_S);
    options.pack = options.pack ? options.pack : t->pack;
    options.account = STR("123456789012");
    options.region = STR("us-east-1");
    options.clock = &t->clock.clock;
    t->emulator = options.pack ? emulator_new(&options, &diags) : NULL;
    if (!t->emulator)
        abort();
}

static inline void testing_emulator_done(struct testing_emulator *t)
{
    emulator_free(t->emulator);
    cfn_pack_close(t->pack);
}

/* One call without a signature. */
static inline void testing_emulator_call(struct testing_emulator *t, struct arena *a, const char *operation, struct str body,
                                         struct emulator_answer *ret)
{
    struct http_header target = {STR("X-Amz-Target"), arena_printf(a, "CloudApiService.%s", operation)};
    emulator_answer(
        t->emulator, a,
        &(struct emulator_request){
            .method = STR("POST"), .path = STR("/"), .query = STR_EMPTY, .body = body, .headers = &target, .n_headers = 1},
        ret);
}
