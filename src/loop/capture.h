/* A command run to its end, for what it prints: credential helpers, mostly, so what is printed may be secret. */
#pragma once

#include "base/buf.h"
#include "loop/process.h"

enum { CAPTURE_MAX_ERROR = 500 }; /* bytes of its standard error that are kept */

struct capture_options {
    struct loop *loop;
    const char *path;
    const char *const *argv, *const *env; /* as in process_options */
    size_t max_out;
    int64_t deadline;
    struct cancel *cancel; /* may be NULL */
};

/*
 * What it wrote to its standard output, in `*out`, which the caller wipes. False: in *reterr_why, ready to stand behind "NAME: "
 * and without a full stop, why there is none: it could not be started, took too long, was cancelled, failed (with what it said),
 * wrote too much. Not from the loop's thread.
 */
bool capture_run(struct arena *a, const struct capture_options *options, struct buf *out, struct str *reterr_why);
