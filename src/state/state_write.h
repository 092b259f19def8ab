/*
 * The file format, version 4, written: the bytes are those that Terraform 1.11.4 writes for the same content.
 *
 * Two spaces of indentation, a line feed at the end (or OpenTofu's layouts, see enum state_layout); < > & U+2028 U+2029 as
 * escapes; resources by module, mode, type, name; instances by key, then deposed key; what is empty is left out where Terraform
 * leaves it out. What only OpenTofu or newer releases of Terraform have is written at their place when it is there.
 */
#pragma once

#include "state/state.h"

/* The whole file. False and a diagnostic when it cannot be written: larger than STATE_MAX_FILE, nested too deep. */
bool state_write(struct buf *out, const struct state *s, struct diags *diags);

/*
 * One object as the file has it; `key` false leaves index_key and deposed out, for the engine's STATE. The writer's settings are
 * the caller's.
 */
void state_write_instance(struct json_writer *w, const struct state_instance *object, bool key);
/* The same for the engine's STATE, with these attributes, which are JSON already, in the place of the object's. */
void state_write_with_attributes(struct json_writer *w, const struct state_instance *object, struct str attributes);

/*
 * Outputs, resources and check results alone, on one line: two states have the same content exactly if these texts are equal.
 * Serial, lineage and the version of the writer do not count.
 */
bool state_write_content(struct buf *out, const struct state *s, struct diags *diags);
