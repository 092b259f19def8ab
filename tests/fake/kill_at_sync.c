/*
 * For LD_PRELOAD: the program ends by SIGKILL right after it has made something durable for the n-th time, where
 * TERRANE_KILL_AT_SYNC says n. So each state in which a crash can leave a database is reached, without a hook in the program.
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
