/* Private to this folder: the files of a workspace, and terraform's output. */
#pragma once

#include "scheduler/backend.h"

/* Writes main.tf.json: the provider and, if the item has one, the configuration. `bare`: with an empty resource. */
bool cli_write_config(const char *folder, const struct scheduler_item *item, bool bare, struct diags *diags);
/* Writes terraform.tfstate; `object` NULL: without an object. */
bool cli_write_state(const char *folder, const struct scheduler_item *item, const struct state_instance *object,
                     struct diags *diags);
/* *ret_exists false: the state does not contain the object. */
bool cli_read_state(struct arena *a, const char *folder, const struct scheduler_item *item, struct diags *diags, bool *ret_exists,
                    struct state_instance *ret);

/* Reads the output lines of `-json`: appends the diagnostics to `diags`; true if an apply was begun. */
bool cli_read_lines(struct arena *a, struct str lines, struct diags *diags);
/* Reads the output of `show -json` of a plan. */
bool cli_read_plan(struct arena *a, struct str text, struct diags *diags, struct scheduler_difference *ret);
