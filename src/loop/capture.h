/* Runs a command to its end and captures its output, which may be secret: credential helpers, Terraform state. */
#pragma once

#include "base/buf.h"
#include "loop/process.h"

enum { CAPTURE_MAX_ERROR = 500 }; /* bytes of its standard error that capture_run() shows */

struct capture_options {
    struct loop *loop;
    const char *path;
    const char *const *argv, *const *env; /* as in process_options */
    const char *folder;                   /* as in process_options */
    size_t max_out;
    int64_t deadline;
    struct cancel *cancel; /* may be NULL */
    int cancel_signal; /* sent to the command when cancelled; it then has until the deadline to end by itself; 0: it is killed */
};

struct captured {
    struct buf out, err; /* at most max_out bytes each (buf_ok() says whether that was all) */
    int status;          /* as from waitpid */
    bool in_time;        /* false: killed at the deadline */
};

/* Runs the command and captures its output and status, whether or not it succeeds. False, with a diagnostic, when it could not be
 * started. Must not be called on the loop's thread. */
bool capture_all(const struct capture_options *options, struct diags *diags, struct captured *ret);
/* The exit code; -1 when a signal (ours or another) ended the command. */
int capture_exit_code(const struct captured *c);
/* Overwrites and frees the captured output. */
void capture_wipe(struct captured *c);

/*
 * Runs the command and puts its standard output into `*out`, which the caller wipes. On failure *reterr_why says why, without a
 * full stop and worded to follow "NAME: ": the command could not be started, took too long, was cancelled, failed (with its
 * standard error), or wrote too much. Must not be called on the loop's thread.
 */
bool capture_run(struct arena *a, const struct capture_options *options, struct buf *out, struct str *reterr_why);
