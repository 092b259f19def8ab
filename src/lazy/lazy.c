#include "lazy/lazy.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *lazy_find(const char *library, const char *function)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL); /* loaded once, kept for ever */
    void *found = handle ? dlsym(handle, function) : NULL;
    if (!found) {
        (void)fprintf(stderr, "terrane: cannot use %s: %s\n", library, dlerror());
        exit(1);
    }
    return found;
}
