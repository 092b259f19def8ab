/*
 * A plan as plan JSON (`terraform show -json`): the form that `resource.plan` returns and `terrane resource plan --json` prints.
 */
#pragma once

#include "engine/engine.h"

/*
 * Writes the members actions, action_reason, before, after, after_unknown, before_sensitive, after_sensitive, replace_paths and
 * refreshed into the JSON object that the caller has begun. False with a diagnostic when a value cannot be written; some of the
 * members have then been written.
 */
bool plan_write_json(struct json_writer *w, struct engine *e, const struct resource *r, const struct plan *plan);

/*
 * STATE of the engine's contract: the object in the form of a state file, without index key, deposed key and the like; null when
 * there is no object (`o` NULL, or without value).
 */
bool object_write_json(struct json_writer *w, struct engine *e, const struct resource *r, const struct object *o);

/* Paths as lists of steps: ["tags","Name"], ["disk",0,"size"]; a path ends before a set element. */
void path_write_json(struct json_writer *w, struct path path);
/* The member "output", a list of lines, if the diagnostic has output. */
void diag_write_output_json(struct json_writer *w, const struct diag *d);
/* {severity, summary, detail, path?, output?} each, as an array. */
void diags_write_json(struct json_writer *w, const struct diags *diags);
