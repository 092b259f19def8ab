/* Proves that the written configuration has an empty plan. */
#pragma once

#include "import/files.h"
#include "import/read.h"

/*
 * Reads, evaluates and plans every object's text. Objects whose plan is not empty become IMPORT_FAILED with the reason; returns
 * how many. With `fresh`, each object is refreshed before its plan. Otherwise the state read in this run counts, which is enough
 * if the real program runs afterwards, because its plan begins with a refresh.
 */
size_t import_prove(const struct import_reading *r, struct worklist *w, const struct import_files *files, bool fresh);

/* Proof by the real program: init, validate, plan in a temporary folder, which is removed afterwards. */
struct import_cli {
    struct loop *loop;
    struct cancel *cancel;
    const char *program; /* terraform or tofu */
    struct str provider_path, provider_address, provider_version;
    bool json; /* use the files in JSON syntax */
};
enum import_cli_end {
    IMPORT_CLI_CLEAN,
    IMPORT_CLI_CHANGES, /* the plan is not empty; *ret_output is the program's output */
    IMPORT_CLI_FAILED,  /* with diagnostics */
};
enum import_cli_end import_prove_by_cli(const struct import_cli *c, struct arena *a, const struct import_files *files,
                                        struct diags *diags, struct str *ret_output);
/* The first of these programs found in PATH; NULL: none. */
const char *import_find_program(struct arena *a, const char *const *names);
