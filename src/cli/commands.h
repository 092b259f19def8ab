/* The table of all commands, for running one, for `terrane --help`, for manual pages and for completion. */
#pragma once

#include "cli/app.h"

/* In the order of the help; NULL ends the table. */
extern const struct command *const commands[];

/* A command of two words belongs to the group named by its first word. */
bool command_is_in_group(const struct command *command, struct str group);
bool commands_is_group(struct str word);
/* The command named by the first words, and in *ret_words their number; else NULL. */
const struct command *commands_find(int argc, const char **argv, int *ret_words);
/* Reports that these words name no command, with what may be meant. */
void commands_unknown(struct app *app, int argc, const char **argv);
/* Runs the command that the arguments name. */
int commands_run(struct app *app, int argc, const char **argv);

/* Names with their meaning: exit codes, and environment variables. NULL ends a table. */
struct command_note {
    const char *name, *help;
};
extern const struct command_note command_exit_codes[], command_environment[];

/* Passes the options of a command, a table inside its function, to `see`; the targets in it are only valid during the call. */
typedef void command_see_fn(void *ctx, const struct command *command, const struct option *options);
void command_options(struct app *app, const struct command *command, command_see_fn *see, void *ctx);
