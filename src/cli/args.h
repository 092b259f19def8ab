/*
 * Command lines: each command has one static table of options, used for parsing, --help and suggestions for misspelt options.
 *
 * Options may come before, between and after arguments: --name VALUE, --name=VALUE, -n VALUE; "--" ends them.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum option_kind {
    OPTION_FLAG,     /* bool; also --name=true and --name=false, as kubectl accepts */
    OPTION_TEXT,     /* const char * */
    OPTION_DURATION, /* int64_t, ns: "90", "90s", "2m", "500ms" */
    OPTION_NUMBER,   /* int64_t, at least 1 */
    OPTION_LIST,     /* struct option_texts: may be given more than once */
    OPTION_CHOICE,   /* const char *: one of the words in `value`, "cluster|namespaced|both" */
    OPTION_CHOICES,  /* const char *: some of the words, separated by commas */
};

/* The values of an OPTION_LIST, in order; the list is in the arena of the diagnostics. */
struct option_texts {
    const char **v;
    size_t n, cap;
};

struct option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* 0: none */
    enum option_kind kind;
    void *target;
    const char *value; /* the value in --help: "FILE", or the possible words: "a|b|c" */
    const char *help;
};

struct app;
struct shell_completion;

struct command {
    const char *name;    /* "schema", or "provider list" */
    const char *usage;   /* after the name: "PROVIDER [options]" */
    const char *summary; /* one line, lower case, no full stop */
    const char *details; /* paragraphs, may be NULL */
    const char *example; /* lines */
    int (*run)(struct app *app, const struct command *self, int argc, const char **argv);
    /* Completes the arguments of this command (complete.h); NULL: no completion. `what` is the result of args_argument(). */
    void (*complete)(struct shell_completion *c, struct str what);
};

enum args_result { ARGS_OK, ARGS_HELP, ARGS_WRONG };

/*
 * Sets the targets, and moves the plain arguments to argv[0 .. *ret_n). ARGS_HELP: --help was given. ARGS_WRONG: the diagnostic
 * says what to type instead.
 */
enum args_result args_parse(const struct command *command, const struct option *options, int argc, const char **argv,
                            struct diags *diags, int *ret_n);

void args_help(struct buf *out, const struct command *command, const struct option *options);

/*
 * The name that a usage gives to argument `number` (from 0), without brackets: "KIND" of "KIND[.GROUP]|all [NAME...]". If the
 * last one has dots, it is also used for all that follow. Empty: there is no such argument.
 */
struct str args_argument(const char *usage, size_t number);

/* The entry of `names` (NULL-terminated) closest to what was typed, if it is close enough to be a typing error; else NULL. */
const char *args_closest(const char *typed, const char *const *names);
