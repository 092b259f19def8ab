/*
 * A child process on the loop: callbacks receive its standard output and error as bytes, and its exit status.
 *
 * The child gets its own session (a terminal's Ctrl-C does not reach it), only its three standard descriptors and default signal
 * handling, and it dies with us (PR_SET_PDEATHSIG) however we end. Freeing kills and reaps it, so no child is ever left over.
 */
#pragma once

#include "base/diag.h"
#include "loop/loop.h"

struct process;

struct process_options {
    struct loop *loop;
    const char *path;        /* the program; no search in PATH */
    const char *const *argv; /* NULL-terminated, argv[0] included */
    const char *const *env;  /* NULL-terminated KEY=VALUE: the whole environment */
    const char *folder;      /* working directory, NULL: ours */
    void *ctx;
    /* All called on the loop's thread. Empty bytes mean the end of that stream. */
    void (*on_stdout)(void *ctx, struct str bytes);
    void (*on_stderr)(void *ctx, struct str bytes);
    /* Once, after both streams have ended. `status` as from waitpid. */
    void (*on_exit)(void *ctx, int status);
};

/* Must not be called on the loop's thread. On failure a diagnostic says why the program could not be started. */
bool process_start(const struct process_options *options, struct diags *diags, struct process **ret);
pid_t process_pid(const struct process *p);
/* From any thread; ignored when the process has ended. */
void process_signal(struct process *p, int signal);
/* Sends SIGKILL to the child's process group if it still runs, then waits until on_exit has returned. NULL is accepted. */
void process_free(struct process *p);
