/* Waiting until objects are as they should be. */
#pragma once

#include "objects/objects.h"

/*
 * Until all that the words of a command line mean are Ready, and Synced as their specs are now; what is not managed always is. An
 * update may still be under way then: as of Upjet's providers, no condition tells. An object that does not exist is an error.
 * `timeout_ns` 0: no limit. Returns an exit code: EXIT_NOT_READY and a diagnostic when time is up. `ret_n`: how many there are.
 */
int objects_await(struct objects *o, int n, const char **words, int64_t timeout_ns, size_t *ret_n);
