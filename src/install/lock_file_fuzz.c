/* A lock file that was read must be the same after writing and reading it. */
#include "install/lock_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct lock_file file, again;
    struct buf first BUF_AUTO = BUF_INIT(64 << 20), second BUF_AUTO = BUF_INIT(64 << 20);
    if (!lock_file_parse(a, (struct str){(const char *)data, size}, "file", &diags, &file)) {
        if (!diags_has_errors(&diags))
            abort();
        return 0;
    }
    lock_file_text(&first, a, &file);
    if (!lock_file_parse(a, buf_str(&first), "file", &diags, &again))
        abort();
    lock_file_text(&second, a, &again);
    if (!str_eq(buf_str(&first), buf_str(&second)))
        abort();
    return 0;
}
