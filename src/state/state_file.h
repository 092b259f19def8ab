/*
 * Changes a state file as Terraform's local backend does: lock, read, edit, save, unlock.
 *
 *     struct state_file *f;
 *     if (!state_file_open(a, path, &request, diags, &f)) return false;
 *     state_put(f->state, ...);
 *     ok = state_file_save(f, diags);
 *     state_file_close(f);
 *
 * Saving. If the content (outputs, resources, check results) differs from the last save, the serial is incremented; otherwise
 * nothing is written at all. Before the first change the original file is copied to PATH.backup; if that fails, there is a
 * warning. Files have mode 0600.
 *
 * A save is atomic although the file is written in place (for the reason see state_lock.h). First the new text is written
 * atomically to a file beside it, `.NAME.unfinished`, and flushed; then the state file is overwritten with one write and flushed;
 * then the file beside it is removed. If the process, the disk or the power fails in between, the next state_file_open finds both
 * files and completes the save, with a warning. Programs that read without the lock may see a mixture during that write; with
 * real terraform they see an empty file for longer.
 *
 * A save that fails (no space, not writable, the file replaced by another program) leaves the old state in the file, and writes
 * the new one where possible: beside it as above, else as errored.tfstate in the state's folder, the current folder or TMPDIR,
 * else to standard error. The diagnostics say where it is, and what to do.
 *
 * For a new file that no other program uses yet (an export), state_write and file_write are enough.
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
    struct buf content;  /* see state_write_content(): as read or last saved */
    bool backed_up;
};

/* An absent or empty file gives a new state. */
bool state_file_open(struct arena *a, const char *path, const struct state_lock_request *request, struct diags *diags,
                     struct state_file **ret);
bool state_file_save(struct state_file *f, struct diags *diags);
/* Releases the lock; unsaved changes are lost. May be called again. */
void state_file_close(struct state_file *f);

/* Reads a state without a lock; nothing is written. NULL with a diagnostic on failure; an absent file gives a new state. */
struct state *state_file_look(struct arena *a, const char *path, struct diags *diags);
