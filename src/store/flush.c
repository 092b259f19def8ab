/*
 * Durability, with one flush for many writers. A commit writes to SQLite's log without flushing it. A writer that needs
 * durability then waits here until a flush that began after its commit has ended. One thread flushes at a time; writers that come
 * meanwhile share the next flush. The log is written in order, so what is durable is always everything up to some commit.
 */
#include "store/local.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* After a failed flush it is unknown what was lost, and the next flush would not report it: from then on no write succeeds. */
static bool failed(const struct local *s, struct diags *diags)
{
    return diags_fail(diags, "Store failed",
                      "%s: what was written could not be flushed to disk: %s. Stop the program, check the disk, and start again.",
                      s->path, strerror(s->flush_error));
}

bool local_flush(struct local *s, uint64_t commit, struct diags *diags)
{
    MUTEX_GUARD(&s->flush_lock);
    while (s->flushed < commit && s->flush_error == 0) {
        if (s->flushing) {
            (void)cond_wait(&s->flush_ended, &s->flush_lock, NO_DEADLINE);
            continue;
        }
        s->flushing = true;
        mutex_unlock(&s->flush_lock);
        uint64_t up_to = atomic_load(&s->commits);
        int error = fdatasync(s->log) == 0 ? 0 : errno;
        mutex_lock(&s->flush_lock);
        s->flushing = false;
        s->flush_error = error;
        if (error == 0)
            s->flushed = up_to;
        cond_broadcast(&s->flush_ended);
    }
    return s->flush_error == 0 || failed(s, diags);
}

bool local_flush_open(struct local *s, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str path =
        arena_printf(scratch, "%s-wal", s->path); /* exists as long as a connection is open, and stays the same file */
    s->log = open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (s->log < 0)
        return diags_fail(diags, "Store cannot be used", "%s: %s.", path.p, strerror(errno));
    return local_flush(s, atomic_fetch_add(&s->commits, 1) + 1, diags); /* flushes what opening has written */
}
