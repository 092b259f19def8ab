/*
 * Durations as text.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

/* Parses a duration like Go's time.ParseDuration: "2h", "1h30m", "1.5s", "-3ms", "0". The result is in nanoseconds. */
bool duration_parse(struct str text, int64_t *ret_ns);
