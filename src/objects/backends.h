/* The scheduler that goes through `terraform` or `tofu`, for the commands that run a controller. */
#pragma once

#include "cli/app.h"
#include "scheduler/scheduler.h"

struct backends_cli {
    struct app *app;
    struct log *log;
    const char *folder; /* of its workspaces */
    bool is_needed;     /* otherwise it is fine that there is none */
};

/* `*ret` is NULL where neither program is in PATH. False and a diagnostic: it is needed and cannot be had. */
bool backends_make_cli(const struct backends_cli *o, struct scheduler **ret);
