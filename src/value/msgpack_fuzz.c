/*
 * Input: type JSON, a line end, bytes. What decodes must encode again. The first round may cut a long prefix or give a large
 * double the precision of its text; a second round must not change anything.
 */
#include "value/msgpack.h"

#include <stdint.h>
#include <stdlib.h>

enum { MEMORY_LIMIT = 64 << 20, MAX_OUTPUT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok)
        abort();
}

static const struct value *round_trip(struct arena *a, const struct value *v, const struct type *t, struct diags *diags)
{
    struct buf bytes BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    check(msgpack_encode(&bytes, v, t, diags));
    const struct value *back = msgpack_decode(a, buf_str(&bytes), t, diags);
    check(back || arena_exhausted(a));
    return back;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct str type_text = str_cut(&rest, '\n');
    struct arena *a ARENA_AUTO = arena_new(NULL, MEMORY_LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_parse(a, type_text, &diags);
    const struct value *first = t ? msgpack_decode(a, rest, t, &diags) : NULL;
    if (!first) {
        check(diags_has_errors(&diags));
        return 0;
    }
    check(type_conforms(first->type, t));
    const struct value *second = round_trip(a, first, t, &diags);
    const struct value *third = second ? round_trip(a, second, t, &diags) : NULL;
    check(!third || value_raw_eq(second, third));
    check(value_raw_eq(first, value_copy(a, first)));
    return 0;
}
