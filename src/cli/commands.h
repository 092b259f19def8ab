/*
 * All commands in one table: choosing one, what `terrane --help` lists, and what manual pages and completion are made of.
 */
#pragma once

#include "cli/app.h"

/* In the order in which help lists them; NULL ends the table. */
extern const struct command *const commands[];

/* A command of two words belongs to the group of its first. */
bool command_is_in_group(const struct command *command, struct str group);
bool commands_is_group(struct str word);
/* The command that the first words name, and in *ret_words how many they are; else NULL. */
const struct command *commands_find(int argc, const char **argv, int *ret_words);
/* Chooses a command and runs it. */
int commands_run(struct app *app, int argc, const char **argv);

/* Names and what they mean: exit codes, and variables of the environment. NULL ends a table. */
struct command_note {
    const char *name, *help;
};
extern const struct command_note command_exit_codes[], command_environment[];

/*
 * The options of a command, which are a table inside of it. `see` is called with the table; targets in it are only valid during
 * the call.
 */
typedef void command_see_fn(void *ctx, const struct command *command, const struct option *options);
void command_options(struct app *app, const struct command *command, command_see_fn *see, void *ctx);
