/*
 * Writes the file format, version 4, with the same bytes that Terraform 1.11.4 writes for the same content.
 *
 * Two spaces of indentation, a line feed at the end (or OpenTofu's layouts, see enum state_layout); < > & U+2028 U+2029 as
 * escapes; resources sorted by module, mode, type, name; instances by key, then deposed key; empty members are left out where
 * Terraform does so. Members that only OpenTofu or newer releases of Terraform have are written, where those put them, if the
 * state has them.
 */
#pragma once

#include "state/state.h"

/* Writes the whole file. False with a diagnostic if it is larger than STATE_MAX_FILE or nested too deep. */
bool state_write(struct buf *out, const struct state *s, struct diags *diags);

/*
 * Writes one object as in a file; `key` false leaves out index_key and deposed, for the engine's STATE. The caller chooses the
 * writer's settings.
 */
void state_write_instance(struct json_writer *w, const struct state_instance *object, bool key);
/* The same for the engine's STATE, with these attributes, given as JSON text, in place of the object's. */
void state_write_with_attributes(struct json_writer *w, const struct state_instance *object, struct str attributes);

/*
 * Writes only outputs, resources and check results, on one line: two states have the same content if and only if these texts are
 * equal. Serial, lineage and terraform_version are ignored.
 */
bool state_write_content(struct buf *out, const struct state *s, struct diags *diags);
