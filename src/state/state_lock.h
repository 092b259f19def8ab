/*
 * The lock of Terraform's local backend: a write lock (fcntl) on the state file itself, and beside it `.NAME.lock.info`, which
 * tells others who holds it. Real terraform and tofu honour ours, and we theirs.
 *
 * The file is made when it is not there (mode 0600), and removed at the end when it is still empty.
 *
 * The lock is on the file, not on its name. While it is held the file must be written in place (state_file.h does): a file
 * renamed over it would be free for others, and a terraform that waits with -lock-timeout has the old file open and would write
 * its result there, where nobody finds it.
 *
 * An open-file-description lock is used where the kernel has it, so threads of one process exclude each other too and closing
 * another descriptor of the file does no harm; otherwise a POSIX lock.
 *
 * The kernel frees the lock of a process that dies; the info file then stays behind and means nothing.
 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/diag.h"

enum { STATE_LOCK_MAX_INFO = 64 << 10 };

struct state_lock_request {
    const char *operation;     /* "OperationTypeApply": shown to others */
    int64_t wait_ns;           /* how long to try while somebody else holds it; 0: once */
    const struct clock *clock; /* NULL: the machine's */
};

struct state_lock {
    struct arena *arena;
    const char *path, *info_path;
    int fd; /* open for reading and writing; -1 after the release */
    bool created;
};

/* "Error acquiring the state lock" with the holder's info otherwise. Released at the latest when the arena is freed. */
bool state_lock_take(struct arena *a, const char *path, const struct state_lock_request *request, struct diags *diags,
                     struct state_lock **ret);

/* Is the locked file still the one at its path? Otherwise what is written to it is lost. */
bool state_lock_is_in_place(const struct state_lock *lock);

/* Again is no harm. */
void state_lock_release(struct state_lock *lock);
