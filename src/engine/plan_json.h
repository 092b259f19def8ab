/*
 * A plan as plan JSON has it (`terraform show -json`): the shape that `resource.plan` answers with and `terrane resource plan
 * --json` prints.
 */
#pragma once

#include "engine/engine.h"

/*
 * Writes the members actions, action_reason, before, after, after_unknown, before_sensitive, after_sensitive, replace_paths and
 * refreshed into the object that was begun. False with a diagnostic when a value cannot be written; then half of them stand
 * there.
 */
bool plan_write_json(struct json_writer *w, struct engine *e, const struct resource *r, const struct plan *plan);

/*
 * STATE of the engine's contract: the object as a state file has it, without what concerns its place in that file and its
 * neighbours; null when there is none (NULL, or without value).
 */
bool object_write_json(struct json_writer *w, struct engine *e, const struct resource *r, const struct object *o);

/* Paths as lists of steps: ["tags","Name"], ["disk",0,"size"]; a path ends before a set element. */
void path_write_json(struct json_writer *w, struct path path);
/* The member "output", a list of lines, where there is any. */
void diag_write_output_json(struct json_writer *w, const struct diag *d);
/* {severity, summary, detail, path?, output?} each, as an array. */
void diags_write_json(struct json_writer *w, const struct diags *diags);
