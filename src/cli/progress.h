/* Progress on stderr. Both kinds may be used anywhere: nothing is written where it would be useless. */
#pragma once

#include "change/change.h"
#include "loop/loop.h"

enum { PROGRESS_SECONDS = 10 };

/*
 * Progress of a change of one object, in Terraform's words: at the beginning, every PROGRESS_SECONDS, and at the end. If stderr
 * is not a terminal, only every PROGRESS_SECONDS.
 */
struct progress {
    bool on, terminal;
    struct str what; /* aws_vpc.this */
    enum change_action action;
    int64_t started;
    struct completion done;
    pthread_t thread;
};

/*
 * `action` ACTION_READ: refreshing. `silent`: the output is for a program (--json). The struct must not move until
 * progress_end().
 */
void progress_start(struct progress *p, struct str what, enum change_action action, bool silent);
void progress_end(struct progress *p, bool ok);

/*
 * Progress of other work. On a terminal, one line that is redrawn and fits the width, from the first second until the end, when
 * it is erased; elsewhere a plain line every PROGRESS_SECONDS. Work that ends earlier shows nothing.
 */
enum bar_unit { BAR_SECONDS, BAR_THINGS, BAR_BYTES };
struct bar {
    const char *what; /* "Asking hashicorp/aws for its schema" */
    enum bar_unit unit;
    _Atomic int64_t done, total;
    bool on, terminal, shown;
    int64_t started;
    struct completion end;
    pthread_t thread;
};

/* `what` and the struct must stay valid and in place until bar_end(). */
void bar_start(struct bar *b, const char *what, enum bar_unit unit);
/* May be called from any thread. `total` 0: unknown. */
void bar_set(struct bar *b, int64_t done, int64_t total);
void bar_end(struct bar *b);
