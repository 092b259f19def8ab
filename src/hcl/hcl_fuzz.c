/* Any bytes as HCL: a tree that can be walked to its last leaf, or a diagnostic. */
#include "hcl/testing_dump.h"

#include <stdlib.h>

enum { LIMIT = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    diags_init(&diags, a);
    const struct hcl_body *body = hcl_parse(a, (struct str){(const char *)data, size}, "fuzz", 1, &diags);
    if ((body == NULL) != (diags.n == 1))
        abort();
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    if (body)
        dump_body(&out, body);
    return 0;
}
