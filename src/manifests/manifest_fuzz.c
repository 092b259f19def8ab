/* Any bytes as a file of manifests: each parsed manifest has a complete key and a place, and survives a merge with itself. */
#include "manifests/manifest.h"

#include "manifests/merge.h"

#include <stdlib.h>

enum { MAX_INPUT = 64 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct manifests list = {0};
    diags_init(&diags, a);
    bool ok = manifests_parse(a, (struct str){(const char *)data, size}, "fuzz.yaml", &diags, &list);
    check(ok == !diags_has_errors(&diags));
    for (size_t i = 0; i < list.n; i++) {
        const struct manifest *m = &list.v[i];
        check(m->key.kind.n > 0 && m->key.name.n > 0 && m->line > 0);
        const struct json *once = merge_three_way(a, NULL, m->object, m->object);
        check(json_eq(once, merge_three_way(a, m->object, once, once)));
        check(merge_last_applied(a, m->object).n > 0);
    }
    return 0;
}
