/* A command run to its end, for what it prints. That may be secret: credential helpers, states of Terraform. */
#pragma once

#include "base/buf.h"
#include "loop/process.h"

enum { CAPTURE_MAX_ERROR = 500 }; /* bytes of its standard error that capture_run() shows */

struct capture_options {
    struct loop *loop;
    const char *path;
    const char *const *argv, *const *env; /* as in process_options */
    const char *folder;                   /* likewise */
    size_t max_out;
    int64_t deadline;
    struct cancel *cancel; /* may be NULL */
    int cancel_signal;     /* it is sent this when cancelled, and may end by itself until the deadline; 0: it is killed */
};

struct captured {
    struct buf out, err; /* at most max_out bytes each (buf_ok() says whether that was all) */
    int status;          /* as from waitpid */
    bool in_time;        /* false: killed at the deadline */
};

/* Runs it, whatever comes of it. False, with a diagnostic: it could not be started. Not from the loop's thread. */
bool capture_all(const struct capture_options *options, struct diags *diags, struct captured *ret);
/* The exit code; -1: killed, by us or another. */
int capture_exit_code(const struct captured *c);
/* What it printed is not left in memory. */
void capture_wipe(struct captured *c);

/*
 * What it wrote to its standard output, in `*out`, which the caller wipes. False: in *reterr_why, ready to stand behind "NAME: "
 * and without a full stop, why there is none: it could not be started, took too long, was cancelled, failed (with what it said),
 * wrote too much. Not from the loop's thread.
 */
bool capture_run(struct arena *a, const struct capture_options *options, struct buf *out, struct str *reterr_why);
