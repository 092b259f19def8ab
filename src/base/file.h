/*
 * Whole files: read with a bound, written so that a reader sees the old content or the new, never half.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

#include <sys/types.h>

/* The content; a diagnostic names the file and the reason otherwise (absent, a folder, larger than max). */
bool file_read(struct arena *a, const char *path, size_t max, struct diags *diags, struct str *ret);
bool file_read_input(struct arena *a, size_t max, struct diags *diags, struct str *ret);

/*
 * Pipes and terminals may let their reader wait for ever. Waiting for them fails (ECANCELED) once this descriptor can be read,
 * which main() sees to at the first Ctrl-C; -1, as at the start: nothing ends it.
 */
void file_waiting_ends_with(int fd);
/* Until there is something to read, or the end. */
bool file_wait(int fd);

/*
 * Temporary file beside it, fsync, rename; on failure nothing is left behind. `mode` less the umask; a link is replaced.
 * Devices, pipes and names of descriptors (/dev/stdout) are written to as they are.
 */
bool file_write(const char *path, struct str content, mode_t mode, struct diags *diags);

/*
 * Several that belong together: all temporary files are there before the first is renamed, in the order given. So what can be
 * known to fail leaves all of them as they were; a process that is killed in between leaves the last ones old.
 */
struct file_content {
    const char *path;
    struct str content;
};
bool file_write_all(const struct file_content *files, size_t n, mode_t mode, struct diags *diags);

/*
 * A new file FOLDER/NAMEENDING, or NAME-1ENDING and so on where that is taken: nothing is ever overwritten. 0600, flushed. Its
 * path, or NULL (nothing is left behind).
 */
const char *file_save_new(struct arena *a, const char *folder, const char *name, const char *ending, struct str content);

/* All of it to an open descriptor, however slow its reader is; errno says why not. */
bool file_put(int fd, struct str content);

/*
 * First thing in main(): standard descriptors that are closed are filled, so that no file of ours gets their number and what
 * is meant for people ends in it. Reading and writing them fails (EBADF), as it does where they are closed.
 */
bool file_hold_standard_descriptors(void);

/* The folder and its parents, each missing one with this mode. */
bool file_make_folder(const char *path, mode_t mode, struct diags *diags);

bool file_exists(const char *path);
