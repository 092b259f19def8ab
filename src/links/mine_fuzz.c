/* Any bytes as a page of documentation, with a schema and without: every link found is a valid rule. */
#include "links/mine.h"

#include "links/testing_fuzz.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mine_with(struct arena *a, struct str page, const struct provider_schema *schema)
{
    struct link_mine m;
    struct diags broken, diags;
    struct link_table t;
    diags_init(&broken, a);
    diags_init(&diags, a);
    links_init(&t, a);
    link_mine_init(&m, a, schema);
    link_mine_page(&m, page, "fuzz", &broken);
    if (broken.n != m.n_broken)
        abort();
    link_rows_sort(&m.rows);
    if (!link_rows_to_table(&m.rows, &t, &diags))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct str page = {(const char *)data, size};
    mine_with(a, page, NULL);
    mine_with(a, page, fuzz_schema(a));
    return 0;
}
