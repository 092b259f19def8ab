/*
 * Reads state files: version 4 as Terraform and OpenTofu write it, and version 3 (Terraform 0.7 to 0.11), which is converted to
 * version 4, except that attributes stay flat until they are decoded with a schema (state_value.h).
 *
 * Anything else (versions 1 and 2, newer ones, OpenTofu's encrypted files, other JSON) is refused with file, line and column, or
 * with what to do about it. What Terraform refuses is refused too: invalid modes, statuses and keys, duplicate objects, outputs
 * whose value does not have their type. Stricter than Terraform: duplicate keys in a JSON object and invalid UTF-8 are refused.
 *
 * Bounded by STATE_MAX_FILE, by JSON_MAX_DEPTH and by the arena's limit.
 */
#pragma once

#include "state/state.h"

/* `source` is the file's name in diagnostics. The state does not refer to `text`. NULL with a diagnostic on failure. */
struct state *state_read(struct arena *a, struct str text, const char *source, struct diags *diags);

/* Reads one object in the form of version 4: an element of `instances`, or the engine's STATE. */
bool state_read_instance(struct arena *a, const struct json *j, const char *source, struct diags *diags,
                         struct state_instance *ret);
