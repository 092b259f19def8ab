/* Waits until objects are ready. */
#pragma once

#include "objects/objects.h"

/*
 * Waits until all objects named on a command line are Ready, and Synced with their current specs; objects that are not managed
 * count as ready. An update may still be under way then: as with Upjet's providers, no condition shows that. A missing object is
 * an error. `timeout_ns` 0: no limit. Returns an exit code: EXIT_NOT_READY with a diagnostic after the timeout. `ret_n`: the
 * number of objects.
 */
int objects_await(struct objects *o, int n, const char **words, int64_t timeout_ns, size_t *ret_n);
