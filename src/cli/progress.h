/*
 * A sign of life on stderr while a provider works, for people who watch: at the beginning, then every PROGRESS_SECONDS, and at
 * the end. Nothing where stderr is no terminal.
 */
#pragma once

#include "change/change.h"
#include "loop/loop.h"

enum { PROGRESS_SECONDS = 10 };

struct progress {
    bool on;
    struct str what; /* aws_vpc.this */
    enum change_action action;
    int64_t started;
    struct completion done;
    pthread_t thread;
};

/* `action` ACTION_READ: refreshing. The struct stays where it is until the end. */
void progress_start(struct progress *p, struct str what, enum change_action action);
void progress_end(struct progress *p, bool ok);
