/*
 * For LD_PRELOAD: kills the program by SIGKILL right after its n-th write became durable, with n from TERRANE_KILL_AT_SYNC. So
 * every state in which a crash can leave a database can be tested, without a hook in the program.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long n_seen;

static int count(int result)
{
    const char *wanted = getenv("TERRANE_KILL_AT_SYNC"); /* NOLINT(concurrency-mt-unsafe): nobody changes it */
    long n = wanted ? strtol(wanted, NULL, 10) : 0;
    if (n > 0 && atomic_fetch_add(&n_seen, 1) + 1 == n)
        (void)raise(SIGKILL);
    return result;
}

int fdatasync(int fd)
{
    return count((int)syscall(SYS_fdatasync, fd));
}

int fsync(int fd)
{
    return count((int)syscall(SYS_fsync, fd));
}
