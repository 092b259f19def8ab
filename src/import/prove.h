/* The proof: what was written has an empty plan. */
#pragma once

#include "import/files.h"
#include "import/read.h"

/*
 * Every object's text is read, evaluated and planned. Objects whose plan is not empty become IMPORT_FAILED with the reason; how
 * many. A `fresh` look at each object comes before its plan; without it what was read in this run counts, which is enough where
 * the real program follows, for its plan begins with such a look.
 */
size_t import_prove(const struct import_reading *r, struct worklist *w, const struct import_files *files, bool fresh);

/* With the real program: init, validate, plan in a folder of its own, which is gone afterwards. */
struct import_cli {
    struct loop *loop;
    struct cancel *cancel;
    const char *program; /* terraform or tofu */
    struct str provider_path, provider_address, provider_version;
    bool json; /* the files in JSON syntax */
};
enum import_cli_end {
    IMPORT_CLI_CLEAN,
    IMPORT_CLI_CHANGES, /* the plan is not empty; *ret_output is what it says */
    IMPORT_CLI_FAILED,  /* with diagnostics */
};
enum import_cli_end import_prove_by_cli(const struct import_cli *c, struct arena *a, const struct import_files *files,
                                        struct diags *diags, struct str *ret_output);
/* The first of these programs that the search path has; NULL: none. */
const char *import_find_program(struct arena *a, const char *const *names);
