/* For the test and the fuzz target of the emulator: a pack of one type of our own, and an emulator on it with a clock to be
 * moved. */
#pragma once

#include "base/file.h"
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
    struct cc_pack *pack; /* its own, or NULL */
    struct cc_emulator *emulator;
};

static inline struct cc_pack *testing_emulator_pack(void)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf pack BUF_AUTO = BUF_INIT(1 << 24), lock BUF_AUTO = BUF_INIT(1 << 24);
    const struct cc_pack_input input = {.name = STR("thing"), .text = STR(TESTING_THING)};
    const struct cc_pack_options pack_options = {.source = STR("test"), .without_answers = true};
    struct cc_pack_made made;
    struct diags diags;
    diags_init(&diags, a);
    char path[] = "/tmp/terrane-emulator-XXXXXX";
    int fd = mkstemp(path);
    bool ok = fd >= 0 && cc_pack_make(&input, 1, &pack_options, &pack, &lock, &made, &diags) &&
              write(fd, pack.p, pack.n) == (ssize_t)pack.n;
    struct cc_pack *opened = ok ? cc_pack_open(path, &diags) : NULL;
    (void)close(fd);
    (void)unlink(path);
    return opened;
}

/* `options.pack` NULL: one is made, and goes with the emulator. */
static inline void testing_emulator_init(struct testing_emulator *t, struct cc_emulator_options options)
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
    t->emulator = options.pack ? cc_emulator_new(&options, &diags) : NULL;
    if (!t->emulator)
        abort();
}

static inline void testing_emulator_done(struct testing_emulator *t)
{
    cc_emulator_free(t->emulator);
    cc_pack_close(t->pack);
}

/* One call without a signature. */
static inline void testing_emulator_call(struct testing_emulator *t, struct arena *a, const char *operation, struct str body,
                                         struct cc_emulator_answer *ret)
{
    struct aws_header target = {STR("X-Amz-Target"), arena_printf(a, "CloudApiService.%s", operation)};
    cc_emulator_answer(
        t->emulator, a,
        &(struct cc_emulator_request){
            .method = STR("POST"), .path = STR("/"), .query = STR_EMPTY, .body = body, .headers = &target, .n_headers = 1},
        ret);
}
