/*
 * Reads any bytes as a state file, which must never crash. A state that was read is written, read again, and must be written with
 * the same bytes.
 */
#include "base/buf.h"
#include "state/state_read.h"
#include "state/state_write.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool write_all(struct arena *a, const struct state *s, struct str *ret)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    bool ok = state_write(&out, s, &diags);
    *ret = buf_copy(&out, a);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT), *again ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct str once, twice;
    diags_init(&diags, a);
    const struct state *s = state_read(a, (struct str){(const char *)data, size}, "fuzz", &diags);
    if ((s == NULL) != diags_has_errors(&diags))
        abort();
    if (!s || !write_all(a, s, &once))
        return 0; /* values nested so deep that they cannot be written */
    s = state_read(again, once, "again", &diags);
    if (!s || !write_all(again, s, &twice) || !str_eq(once, twice))
        abort();
    return 0;
}
