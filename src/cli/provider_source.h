/*
 * Which provider a user means: one that runs already (TF_REATTACH_PROVIDERS), or the binary that provider_find() finds. All
 * commands ask here.
 */
#pragma once

#include "cli/app.h"
#include "plugin/launch.h"

struct provider_source {
    struct str address; /* HOST/NAMESPACE/TYPE */
    struct str version; /* empty: not known */
    struct str path;    /* the binary; empty: attached */
    bool attached;
    struct reattach reattach; /* when attached */
};

/*
 * `what` is a source address or the path of a binary, `constraint` of the version (empty: any). Environment, working folder and
 * CLI configuration are read anew, so that a program that runs for long sees what is installed meanwhile. Uses neither the app's
 * arena nor its diagnostics: any thread may call this.
 */
bool provider_source_find(const struct app *app, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                          struct provider_source *ret);
