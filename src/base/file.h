/*
 * Reading and writing whole files. Reads have a size limit; writes are atomic: a reader sees the old content or the new content,
 * never half of it.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

#include <sys/types.h>

/* Reads the content. On failure a diagnostic names the file and the reason (absent, a folder, larger than max). */
bool file_read(struct arena *a, const char *path, size_t max, struct diags *diags, struct str *ret);
bool file_read_input(struct arena *a, size_t max, struct diags *diags, struct str *ret);

/*
 * Reading a pipe or a terminal may block forever. Such a read fails with ECANCELED as soon as this descriptor becomes readable,
 * which main() arranges at the first Ctrl-C. -1 (the default): nothing interrupts the read.
 */
void file_waiting_ends_with(int fd);
/* Waits until there is something to read, or the end of the input. */
bool file_wait(int fd);

/*
 * Writes a temporary file in the same folder, calls fsync() and renames it; on failure nothing is left behind. The umask applies
 * to `mode`; a symbolic link is replaced. Devices, pipes and names of descriptors (/dev/stdout) are written to directly.
 */
bool file_write(const char *path, struct str content, mode_t mode, struct diags *diags);

/*
 * Writes several files that belong together: all temporary files are complete before the first is renamed, then they are renamed
 * in the order given. So a foreseeable failure leaves all files unchanged; if the process is killed between renames, the last
 * files keep their old content.
 */
struct file_content {
    const char *path;
    struct str content;
};
bool file_write_all(const struct file_content *files, size_t n, mode_t mode, struct diags *diags);

/*
 * Writes a new file FOLDER/NAMEENDING, or NAME-1ENDING and so on if that name exists: it never overwrites a file. The mode is
 * 0600 and the content is flushed to disk. Returns its path, or NULL on failure (nothing is left behind).
 */
const char *file_save_new(struct arena *a, const char *folder, const char *name, const char *ending, struct str content);

/* Writes all of the content to an open descriptor, however slow its reader is. On failure errno says why. */
bool file_put(int fd, struct str content);

/*
 * Called first in main(): opens placeholders for closed standard descriptors. Otherwise one of our files could get such a number,
 * and messages for the user would be written into it. Reading or writing a placeholder fails with EBADF, as on a closed
 * descriptor.
 */
bool file_hold_standard_descriptors(void);

/* Creates the folder and its missing parents, each with this mode. */
bool file_make_folder(const char *path, mode_t mode, struct diags *diags);

bool file_exists(const char *path);
