#include "loop/thread.h"

#include <signal.h>

/* Blocks all signals except those that a fault of the thread itself raises. */
static void block_signals(sigset_t *ret_old)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t set;
    (void)sigfillset(&set);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        (void)sigdelset(&set, faults[i]);
    (void)pthread_sigmask(SIG_SETMASK, &set, ret_old);
}

int thread_start(pthread_t *ret, const char *name, void *(*run)(void *arg), void *arg)
{
    pthread_attr_t attr;
    int error = pthread_attr_init(&attr);
    if (error != 0)
        return error;
    (void)pthread_attr_setstacksize(&attr, THREAD_STACK);
    /* A thread inherits the mask of its creator. */
    sigset_t old;
    block_signals(&old);
    error = pthread_create(ret, &attr, run, arg);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attr);
    if (error == 0)
        (void)pthread_setname_np(*ret, name);
    return error;
}

int thread_start_detached(const char *name, void *(*run)(void *arg), void *arg)
{
    pthread_t thread;
    int error = thread_start(&thread, name, run, arg);
    if (error == 0)
        (void)pthread_detach(thread);
    return error;
}

void thread_join(pthread_t thread)
{
    (void)pthread_join(thread, NULL);
}
