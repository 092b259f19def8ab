/* The files of a workspace, and what terraform says about them. Private to this folder. */
#pragma once

#include "scheduler/backend.h"

/* main.tf.json: the provider and, unless there is none in the item, the configuration. `bare`: with a resource, but an empty one.
 */
bool cli_write_config(const char *folder, const struct scheduler_item *item, bool bare, struct diags *diags);
/* terraform.tfstate; NULL: no object. */
bool cli_write_state(const char *folder, const struct scheduler_item *item, const struct state_instance *object,
                     struct diags *diags);
/* *ret_exists false: the state has no such object. */
bool cli_read_state(struct arena *a, const char *folder, const struct scheduler_item *item, struct diags *diags, bool *ret_exists,
                    struct state_instance *ret);

/* Lines of `-json`: takes over diagnostics; true when an apply was begun. */
bool cli_read_lines(struct arena *a, struct str lines, struct diags *diags);
/* The output of `show -json` of a plan. */
bool cli_read_plan(struct arena *a, struct str text, struct diags *diags, struct scheduler_difference *ret);
