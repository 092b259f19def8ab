/*
 * Signs of life on stderr, for people who wait. Both kinds may be used anywhere: a line that cannot be of use is not written.
 */
#pragma once

#include "change/change.h"
#include "loop/loop.h"

enum { PROGRESS_SECONDS = 10 };

/*
 * A change of one object, in Terraform's words: at the beginning, then every PROGRESS_SECONDS, and at the end. Where stderr is
 * not a terminal only those in between.
 */
struct progress {
    bool on, terminal;
    struct str what; /* aws_vpc.this */
    enum change_action action;
    int64_t started;
    struct completion done;
    pthread_t thread;
};

/* `action` ACTION_READ: refreshing. `silent`: the output is for a program (--json). The struct stays where it is until the end.
 */
void progress_start(struct progress *p, struct str what, enum change_action action, bool silent);
void progress_end(struct progress *p, bool ok);

/*
 * Any other work. On a terminal a line that is drawn anew and fits its width, from the first second to the end, when it goes
 * away; elsewhere a plain line every PROGRESS_SECONDS. What is done before that writes nothing.
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

/* `what` and the struct stay where they are until the end. */
void bar_start(struct bar *b, const char *what, enum bar_unit unit);
/* From any thread. `total` 0: not known. */
void bar_set(struct bar *b, int64_t done, int64_t total);
void bar_end(struct bar *b);
