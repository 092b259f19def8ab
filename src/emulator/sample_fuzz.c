/*
 * Any bytes as a resource type schema: samples stay within their limits, and the emulator turns them into models that can be
 * written. The first line alone as a pattern: a string that is made for it matches, if one was found.
 */
#include "emulator/model.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20, MAX_TEXT = 64 << 10, EXTRA = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void sample_pattern(struct arena *a, struct str pattern)
{
    size_t left = EMULATOR_SAMPLE_WORK;
    const struct cfn_pattern *tree = cfn_pattern_parse(a, pattern, NULL);
    const struct cfn_regex *regex = tree ? cfn_regex_of(a, tree) : NULL;
    if (!regex)
        return;
    struct str text = emulator_sample_text(a, tree, regex, 0, 0, 1, &left);
    if (text.n > (size_t)EMULATOR_SAMPLE_TEXT * 2)
        abort();
}

static void sample_schema(struct arena *a, const struct cfn_schema *schema, struct diags *diags)
{
    struct emulator_sampler s = {.arena = a, .schema = schema, .account = STR("123456789012"), .region = STR("us-east-1")};
    for (s.extra = 0; s.extra < EXTRA; s.extra++) {
        struct str wrong;
        s.elements = s.extra;
        const struct json *model = emulator_sample_model(&s, diags);
        if (!model)
            continue;
        model = emulator_model_complete(&s, model);
        (void)emulator_model_check(a, schema, model, EMULATOR_CHECK_WHOLE, &wrong);
        (void)emulator_model_visible(a, schema, model, 1);
    }
    if (arena_exhausted(a))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size}, rest = text;
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    if (size > MAX_TEXT)
        return 0;
    sample_pattern(a, str_cut(&rest, '\n'));
    const struct cfn_schema *schema = cfn_schema_parse(a, text, "fuzz", &diags);
    if (schema)
        sample_schema(a, schema, &diags);
    return 0;
}
