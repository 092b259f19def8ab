/*
 * Command lines: one static table of options per command serves parsing, --help and the suggestion after a typing error.
 *
 * Options may stand before, between and after arguments: --name VALUE, --name=VALUE, -n VALUE; "--" ends them.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum option_kind {
    OPTION_FLAG,     /* bool; --name=true and --name=false too, as kubectl has it */
    OPTION_TEXT,     /* const char * */
    OPTION_DURATION, /* int64_t, ns: "90", "90s", "2m", "500ms" */
    OPTION_NUMBER,   /* int64_t, from 1 */
    OPTION_LIST,     /* struct option_texts: may be given more than once */
    OPTION_CHOICE,   /* const char *: one of the words in `value`, "cluster|namespaced|both" */
    OPTION_CHOICES,  /* const char *: some of them, joined by commas */
};

/* What an OPTION_LIST was given, in order; the list lives in the arena of the diagnostics. */
struct option_texts {
    const char **v;
    size_t n, cap;
};

struct option {
    const char *name; /* without the dashes; NULL ends the table */
    char letter;      /* 0: none */
    enum option_kind kind;
    void *target;
    const char *value; /* what stands for the value in --help: "FILE", or what it may be: "a|b|c" */
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
    /* What only this command knows of its arguments (complete.h); NULL: nothing. `what` is as args_argument() has it. */
    void (*complete)(struct shell_completion *c, struct str what);
};

enum args_result { ARGS_OK, ARGS_HELP, ARGS_WRONG };

/*
 * Fills the targets and leaves the plain arguments in argv[0 .. *ret_n); argv is reordered. ARGS_HELP: --help was asked for.
 * ARGS_WRONG: the diagnostic says what to type.
 */
enum args_result args_parse(const struct command *command, const struct option *options, int argc, const char **argv,
                            struct diags *diags, int *ret_n);

void args_help(struct buf *out, const struct command *command, const struct option *options);

/*
 * What stands in a usage for the argument of this number, from 0, without brackets: "KIND" of "KIND[.GROUP]|all [NAME...]". The
 * last one counts for all that follow it if it has dots. Empty: there is no such argument.
 */
struct str args_argument(const char *usage, size_t number);

/* The entry of `names` (NULL-terminated) closest to what was typed, if close enough to be a typing error; else NULL. */
const char *args_closest(const char *typed, const char *const *names);
