/*
 * State files, read: version 4 as Terraform and OpenTofu write it, and version 3 (Terraform 0.7 to 0.11), which is brought to
 * the shape of version 4: attributes stay flat until somebody with a schema asks for a value (state_value.h).
 *
 * Anything else is refused with file, line and column, or with what to do about it: versions 1 and 2, newer ones, OpenTofu's
 * encrypted files, other JSON. What Terraform refuses is refused: bad modes, statuses, keys, doubled objects, outputs whose
 * value is not of their type. Stricter than Terraform: keys that come twice in one JSON object, and bad UTF-8.
 *
 * Bounded by STATE_MAX_FILE, by JSON_MAX_DEPTH and by the arena's limit.
 */
#pragma once

#include "state/state.h"

/* `source` names the file in diagnostics. The state shares nothing with `text`. NULL and a diagnostic on failure. */
struct state *state_read(struct arena *a, struct str text, const char *source, struct diags *diags);

/* One object in the form of version 4: an element of `instances`, or the engine's STATE. */
bool state_read_instance(struct arena *a, const struct json *j, const char *source, struct diags *diags,
                         struct state_instance *ret);
