/*
 * Any bytes as a request of an API server. Every answer must be a ConversionReview, and objects converted there and back must be
 * the same, unless they were malformed from the beginning.
 */
#include "conversion/review.h"

#include "conversion/shapes.h"
#include "conversion/testing_conversion.h"
#include "managed/edit.h"

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* After one conversion to v1beta1 and back, another one must change nothing. */
static void there_and_back(struct kinds *kinds, struct arena *a, const struct json *object)
{
    const struct xp_kind *model = testing_table(kinds, a);
    const struct json *old = conversion_object(a, model, object, STR("v1beta1"), MISFITS_KEPT);
    const struct json *new = conversion_object(a, model, old, STR("v1beta2"), MISFITS_KEPT);
    const struct json *again = conversion_object(a, model, new, STR("v1beta1"), MISFITS_KEPT);
    must_hold(json_eq(conversion_object(a, model, again, STR("v1beta2"), MISFITS_KEPT), new));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct arena *held ARENA_AUTO = arena_new(NULL, 0);
    struct kinds *kinds = testing_shop(held);
    struct str bytes = {(const char *)data, size};
    struct diags diags;
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_init(&diags, a);
    if (conversion_review(kinds, a, bytes, &diags, &text) == REVIEW_ANSWERED) {
        const struct json *answer = json_parse(a, buf_str(&text), "answer", &diags);
        must_hold(answer && json_get(json_get(answer, "response"), "result"));
        const struct json *objects = managed_at(json_parse(a, bytes, "request", &diags), "request", "objects", NULL);
        for (size_t i = 0; i < objects->array.n && i < 4; i++)
            if (managed_is_object(objects->array.items[i]))
                there_and_back(kinds, a, objects->array.items[i]);
    } else
        must_hold(diags.n_errors > 0);
    kinds_free(kinds);
    return 0;
}
