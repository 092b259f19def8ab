#include "lazy/lazy.h"

#include "base/lock.h"

#include <dlfcn.h>
#include <string.h>

static bool fail(const struct lazy_library *l, const char *why, struct diags *diags)
{
    return diags_fail(diags, "Missing library",
                      "%s, which is needed for %s, cannot be used: %s. On Debian and Ubuntu, `apt-get install %s` installs it.",
                      l->soname, l->purpose, why, l->package);
}

static bool find_all(const struct lazy_library *l, void *handle)
{
    for (size_t i = 0; i < l->n; i++) {
        void *found = dlsym(handle, l->functions[i].name);
        if (!found)
            return false;
        memcpy((char *)l->table + l->functions[i].offset, &found, sizeof found);
    }
    return true;
}

static bool load(const struct lazy_library *l, struct diags *diags)
{
    void *handle = dlopen(l->soname, RTLD_NOW | RTLD_LOCAL);
    if (handle && find_all(l, handle))
        return true;
    (void)fail(l, dlerror(), diags);
    if (handle)
        (void)dlclose(handle);
    return false;
}

bool lazy_load(struct lazy_library *library, struct diags *diags)
{
    mutex_lock(&library->lock);
    library->loaded = library->loaded || load(library, diags);
    bool ok = library->loaded;
    mutex_unlock(&library->lock);
    return ok;
}
