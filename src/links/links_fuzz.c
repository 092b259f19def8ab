/*
 * Any bytes as a link table or as rows: reading never crashes; what was read survives a round trip through its text, and can be
 * checked and searched.
 */
#include "links/check.h"
#include "links/rows.h"
#include "links/testing_fuzz.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str written(struct arena *a, const struct link_table *t)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    links_write(&out, t);
    return buf_copy(&out, a);
}

static void use(struct arena *a, const struct link_table *t)
{
    struct diags diags;
    struct link_table again;
    const struct provider_schema *schema = fuzz_schema(a);
    struct link_check check;
    diags_init(&diags, a);
    links_init(&again, a);
    struct str text = written(a, t);
    if (!links_read(&again, text, "again", &diags) || !str_eq(written(a, &again), text))
        abort();
    links_check(a, t, &schema, 1, &check);
    for (size_t i = 0; i < t->rules.n && i < 100; i++) {
        const struct link_rule *r = &t->rules.v[i], *found[4];
        size_t n = links_find_all(t, r->type, r->path, found, 4);
        if (n > 0 && found[0] != links_find(t, r->type, r->path))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct str text = {(const char *)data, size};
    struct diags diags;
    struct link_table t;
    struct link_rows rows = {.arena = a};
    diags_init(&diags, a);
    links_init(&t, a);
    bool ok = link_rows_are(text) ? link_rows_read(&rows, text, "fuzz", &diags) : links_read(&t, text, "fuzz", &diags);
    if (ok == diags_has_errors(&diags))
        abort();
    link_rows_sort(&rows);
    if (link_rows_to_table(&rows, &t, &diags))
        (void)link_rows_generalise(&rows, 1, &t);
    use(a, &t);
    return 0;
}
