/* Creates the scheduler that uses `terraform` or `tofu`, for the commands that run a controller. */
#pragma once

#include "cli/app.h"
#include "scheduler/scheduler.h"

struct backends_cli {
    struct app *app;
    struct log *log;
    const char *folder; /* for its workspaces */
    bool is_needed;     /* false: it may be missing */
};

/* `*ret` is NULL if neither program is in PATH. False with a diagnostic: it is needed and cannot be created. */
bool backends_make_cli(const struct backends_cli *o, struct scheduler **ret);
