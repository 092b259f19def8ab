/* Any bytes as .driftignore, matched against objects and attributes: never a hang, never out of bounds. */
#include "drift/ignore.h"

enum { LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct diags diags;
    struct driftignore d = {0};
    struct str text = {(const char *)data, size}, rest = text;
    struct str id = str_cut(&rest, '\n');
    diags_init(&diags, a);
    driftignore_read(&d, a, rest, "x", &diags);
    (void)driftignore_object(&d, a, STR("aws_vpc"), id);
    (void)driftignore_attribute(&d, a, STR("aws_vpc"), id, path_key(a, path_attr(a, PATH_ROOT, STR("tags")), id));
    return 0;
}
