/*
 * What a word of a command line may be, for shells (`terrane completion`). A script gives the words up to the cursor; the answer
 * is a line for each word that is possible, with a tab and a few words about it, and a last line ":HOW" for the shell: what else
 * fits. Option tables and usages say what a word is; commands that know more have a function for it (struct command).
 */
#pragma once

#include "cli/commands.h"

enum complete_how { COMPLETE_NONE, COMPLETE_FILES, COMPLETE_FOLDERS, COMPLETE_OPEN /* the word may go on: no blank behind it */ };

struct shell_completion {
    struct app *app;
    const struct command *command;
    int argc; /* words between the command's name and the one that is typed */
    const char **argv;
    struct str typed; /* of the word, behind `kept` */
    struct str kept;  /* what stands before it in the same word: "--output=" */
    enum complete_how how;
    struct buf *out;
};

/* A word that is possible, if it begins with what is typed; `about` may be empty. */
void shell_completion_add(struct shell_completion *c, struct str word, struct str about);
/* The plain argument of this number among the words before; NULL: there are fewer. */
const char *shell_completion_argument(struct shell_completion *c, size_t number);
/* The value that the option has in the words before; NULL: it is not there. */
const char *shell_completion_option(struct shell_completion *c, const char *name);
