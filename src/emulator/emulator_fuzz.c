/*
 * Any bytes as a series of calls: each line is an operation, a blank, and a body. Every call gets an answer in JSON, and stored
 * models stay readable for the next call.
 */
#include "emulator/testing_emulator.h"

enum { MAX_CALLS = 20, LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct testing_emulator t;
    struct str rest = {(const char *)data, size};
    static struct cfn_pack *pack; /* made once, because that is slower than all calls */
    if (!pack)
        pack = testing_emulator_pack();
    const struct emulator_fault hook = {.type = STR("AWS::*"), .what = STR("HOOK_FAILED"), .warns = true};
    testing_emulator_init(
        &t, (struct emulator_options){.pack = pack, .keep_order = size % 2 == 0, .hooks = &hook, .n_hooks = size % 3 == 0});
    for (int i = 0; i < MAX_CALLS && rest.n > 0; i++) {
        struct str body = str_cut(&rest, '\n');
        struct str operation = arena_str(a, str_cut(&body, ' '));
        struct emulator_answer answer;
        struct diags diags;
        diags_init(&diags, a);
        testing_emulator_call(&t, a, operation.p, body, &answer);
        if (!json_parse(a, answer.body, "answer", &diags))
            abort();
        fake_clock_advance(&t.clock, NS_PER_S);
    }
    testing_emulator_done(&t);
    return 0;
}
