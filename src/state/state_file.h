/*
 * A state file that is worked with, as Terraform's local backend does: lock, read, edit, save, unlock.
 *
 *     struct state_file *f;
 *     if (!state_file_open(a, path, &request, diags, &f)) return false;
 *     state_put(f->state, ...);
 *     ok = state_file_save(f, diags);
 *     state_file_close(f);
 *
 * Saving. The serial grows by one when the content (outputs, resources, check results) is not that of the last save; otherwise
 * nothing is written at all. Before the first change the file as it was read goes to PATH.backup; where that cannot be, with a
 * warning. Files are 0600.
 *
 * A save is all or nothing although the file is written in place (why: state_lock.h). First the whole new text goes into a
 * file beside it, `.NAME.unfinished`, atomically and flushed; then the state file is overwritten with one write and flushed;
 * then the file beside it goes. If the process, the disk or the power fails in between, the next state_file_open finds both and
 * completes the save, with a warning. Programs that read without the lock may see a mixture for the moment of that write;
 * real terraform shows them an empty file for longer.
 *
 * A save that fails (no room, not writable, the file replaced by another program) leaves the old state in the file and the
 * new one where there is room: beside it as above, else as errored.tfstate in the state's folder, the current one or TMPDIR, else
 * on standard error. The diagnostics say where, and how to go on.
 *
 * For a file that nobody shares yet (an export), state_write and file_write do: a plain replacement.
 */
#pragma once

#include "base/buf.h"
#include "state/state.h"
#include "state/state_lock.h"

struct state_file {
    struct arena *arena;
    struct state_lock *lock;
    struct state *state; /* the caller edits it between open and save */
    const char *path, *unfinished_path;
    struct str original; /* the file's bytes when it was opened; empty: there was none */
    struct buf content;  /* see state_write_content: as read, or as last saved */
    bool backed_up;
};

/* An absent or empty file gives a new state. */
bool state_file_open(struct arena *a, const char *path, const struct state_lock_request *request, struct diags *diags,
                     struct state_file **ret);
bool state_file_save(struct state_file *f, struct diags *diags);
/* Frees the lock; again is no harm. What is not saved is lost. */
void state_file_close(struct state_file *f);

/* To look only: no lock is taken, nothing is written. NULL and a diagnostic on failure; an absent file is a new state. */
struct state *state_file_look(struct arena *a, const char *path, struct diags *diags);
