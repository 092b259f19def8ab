/*
 * Any bytes as a file that lists objects; the first byte says which kind of file. A list that was read can be written and read
 * again.
 */
#include "import/worklist.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"ids", "x.csv", "x.tf", "x.json"};
    if (size == 0)
        return 0;
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    struct worklist w, again;
    diags_init(&diags, a);
    worklist_init(&w, a);
    worklist_init(&again, a);
    bool ok = worklist_read(&w, (struct str){(const char *)data + 1, size - 1}, names[data[0] % 4], &diags);
    if (ok == diags_has_errors(&diags))
        abort();
    if (!ok || !worklist_sort(&w, &diags))
        return 0;
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    worklist_write(&out, &w, STR("p"));
    for (size_t i = 0; i < w.items.n; i++)
        if (!str_is_utf8(w.items.v[i].key))
            return 0; /* JSON cannot hold this key as it is, so the list read back would differ */
    if (buf_ok(&out) && (!worklist_read(&again, buf_str(&out), "x.json", &diags) || again.items.n != w.items.n))
        abort();
    return 0;
}
