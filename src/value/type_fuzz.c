/* Input: type JSON. A type that can be read must be written as the same type, and is named, copied and compared. */
#include "value/type.h"

#include <stdint.h>
#include <stdlib.h>

enum { MEMORY_LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, MEMORY_LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_parse(a, (struct str){(const char *)data, size}, &diags);
    check((t == NULL) == diags_has_errors(&diags));
    if (!t)
        return 0;
    struct str text = type_to_json(a, t);
    const struct type *again = type_parse(a, text, &diags);
    check(again || arena_exhausted(a));
    if (!again)
        return 0;
    check(type_eq(t, again) && str_eq(text, type_to_json(a, again)));
    check(type_eq(t, type_copy(a, t)));
    check(type_conforms(t->plain, t) && type_conforms(t, t->plain) && t->plain->plain == t->plain);
    check(type_conforms(t, &type_dynamic));
    check(type_friendly(a, t).n > 0 && type_friendly_constraint(a, t).n > 0);
    return 0;
}
