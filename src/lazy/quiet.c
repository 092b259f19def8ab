#include "lazy/quiet.h"

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static _Thread_local bool silent;

static ssize_t put(void *cookie, const char *bytes, size_t n)
{
    (void)cookie;
    if (silent)
        return (ssize_t)n;
    ssize_t written = write(STDERR_FILENO, bytes, n);
    return written < 0 ? 0 : written; /* 0 means an error for fopencookie() streams */
}

void quiet_prepare(void)
{
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put});
    if (!stream)
        return;
    (void)setvbuf(stream, NULL, _IONBF, 0);
    stderr = stream; /* in the GNU C library `stderr` is an ordinary variable, which libraries read each time they write */
}

void quiet(bool on)
{
    silent = on;
}
