#include "plugin/handshake.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An accepted handshake must have a protocol of ours, and be the same after writing and reading it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct str line = {(const char *)data, size};
    struct handshake h, again;
    if (!handshake_parse(a, line, &diags, &h)) {
        if (!diags_has_errors(&diags))
            abort();
        return 0;
    }
    if (h.protocol != 5 && h.protocol != 6)
        abort();
    struct str written = handshake_write(a, &h);
    if (!handshake_parse(a, written, &diags, &again) || !str_eq(again.address.text, h.address.text) ||
        !str_eq(again.server_der, h.server_der))
        abort();
    (void)handshake_choose(line);
    return 0;
}
