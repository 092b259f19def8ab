/* All threads are started with these functions. docs/concurrency.md lists the threads. */
#pragma once

#include <pthread.h>

enum { THREAD_STACK = 8 << 20 }; /* of every thread, whatever `ulimit -s` says: limits on recursion depth rely on it */

/*
 * Returns 0 or an errno value. Signals are blocked in the new thread: they go to the thread that waits for them (cli/main.c), or
 * to the main thread. `name` (at most 15 characters) is what debuggers and `top -H` show.
 */
int thread_start(pthread_t *ret, const char *name, void *(*run)(void *arg), void *arg);
/* The same, for a detached thread. */
int thread_start_detached(const char *name, void *(*run)(void *arg), void *arg);
/* Waits for the thread to end. */
void thread_join(pthread_t thread);
