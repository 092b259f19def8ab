#include "base/file.h"
#include "store/store_private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { OTHERS = S_IRWXG | S_IRWXO };

static bool check(const char *path, mode_t wanted, struct diags *diags)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT)
            return true;
        return diags_fail(diags, "Store cannot be used", "%s: %s.", path, strerror(errno));
    }
    if ((st.st_mode & OTHERS) == 0)
        return true;
    return diags_fail(diags, "Store is not private",
                      "%s has mode %04o, so others can use it, and what is stored may be secret. Run: chmod %o '%s'", path,
                      (unsigned)(st.st_mode & 07777), (unsigned)wanted, path);
}

bool private_folder(const char *path, struct diags *diags)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        return diags_fail(diags, "Store cannot be used", "%s is not a folder; a store is a folder of its own.", path);
    if (!file_exists(path) && !file_make_folder(path, S_IRWXU, diags))
        return false;
    return check(path, S_IRWXU, diags);
}

bool private_check(const char *path, struct diags *diags)
{
    return check(path, S_IRUSR | S_IWUSR, diags);
}
