/*
 * Completion for shells (`terrane completion`). The shell's script passes the words up to the cursor; the answer has a line for
 * each possible word, followed by a tab and a short description, and a last line ":HOW" that tells the shell what else fits.
 * Possible words come from option tables and usages, and from a command's own function if it has one (struct command).
 */
#pragma once

#include "cli/commands.h"

enum complete_how { COMPLETE_NONE, COMPLETE_FILES, COMPLETE_FOLDERS, COMPLETE_OPEN /* no blank after the word */ };

struct shell_completion {
    struct app *app;
    const struct command *command;
    int argc; /* words between the command's name and the word being typed */
    const char **argv;
    struct str typed; /* the part of the word after `kept` */
    struct str kept;  /* the beginning of the word that is not completed: "--output=" */
    enum complete_how how;
    struct buf *out;
};

/* Adds a possible word if it begins with `typed`; `about` may be empty. */
void shell_completion_add(struct shell_completion *c, struct str word, struct str about);
/* The plain argument with this number among the previous words; NULL: there are fewer. */
const char *shell_completion_argument(struct shell_completion *c, size_t number);
/* The value of an option in the previous words; NULL: not given. */
const char *shell_completion_option(struct shell_completion *c, const char *name);
