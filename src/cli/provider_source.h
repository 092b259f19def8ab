/*
 * Finds the provider that a user means: one that is running already (TF_REATTACH_PROVIDERS), or the binary that provider_find()
 * finds. All commands use it.
 */
#pragma once

#include "cli/app.h"
#include "plugin/launch.h"

struct provider_source {
    struct str address; /* HOST/NAMESPACE/TYPE */
    struct str version; /* empty: unknown */
    struct str path;    /* the binary; empty: attached */
    bool attached;
    struct reattach reattach; /* if attached */
};

/*
 * `what` is a source address or the path of a binary, `constraint` a version constraint (empty: any). Environment, working folder
 * and CLI configuration are read on each call, so that a long-running program sees what is installed meanwhile. Uses neither the
 * app's arena nor its diagnostics, so any thread may call it.
 */
bool provider_source_find(const struct app *app, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                          struct provider_source *ret);
