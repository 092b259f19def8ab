/* Reads an environment in the form of environ(7): a NULL-terminated array of KEY=VALUE. */
#pragma once

#include <stddef.h>
#include <string.h>

/* The variable's value; NULL when it is not set. An empty value counts as set. `env` may be NULL. */
static inline const char *env_get(const char *const *env, const char *name)
{
    size_t n = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}
