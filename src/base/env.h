/* An environment that somebody was given, in the form of environ(7): NULL-terminated, KEY=VALUE. */
#pragma once

#include <stddef.h>
#include <string.h>

/* The variable's value; NULL: not set. An empty one counts as set. `env` may be NULL. */
static inline const char *env_get(const char *const *env, const char *name)
{
    size_t n = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}
