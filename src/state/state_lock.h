/*
 * The lock of Terraform's local backend: a write lock (fcntl) on the state file itself, and the file `.NAME.lock.info` beside it,
 * which describes the holder. Real terraform and tofu respect our lock, and we theirs.
 *
 * If the state file does not exist it is created (mode 0600), and removed at the end if it is still empty.
 *
 * The lock is on the file (inode), not on its name. While it is held, the file must be written in place, as state_file.h does: a
 * file renamed over it would not be locked, and a terraform that waits with -lock-timeout has the old file open and would write
 * its result there, where it is lost.
 *
 * It is an open-file-description lock if the kernel has them, so that threads of one process exclude each other too, and closing
 * another descriptor of the file does not release it; otherwise a POSIX lock.
 *
 * The kernel releases the lock of a process that dies; its info file stays, and has no effect.
 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/diag.h"

enum { STATE_LOCK_MAX_INFO = 64 << 10 };

struct state_lock_request {
    const char *operation;     /* "OperationTypeApply": shown to others */
    int64_t wait_ns;           /* how long to wait while another process holds it; 0: try once */
    const struct clock *clock; /* NULL: the system's */
};

struct state_lock {
    struct arena *arena;
    const char *path, *info_path;
    int fd; /* open for reading and writing; -1 after the release */
    bool created;
};

/*
 * Takes the lock; on failure the diagnostic "Error acquiring the state lock" has the holder's info. Released with the arena at
 * the latest.
 */
bool state_lock_take(struct arena *a, const char *path, const struct state_lock_request *request, struct diags *diags,
                     struct state_lock **ret);

/* Is the locked file still the one at its path? If not, what is written to it is lost. */
bool state_lock_is_in_place(const struct state_lock *lock);

/* May be called again. */
void state_lock_release(struct state_lock *lock);
