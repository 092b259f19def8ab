/* The one way to start a thread. docs/concurrency.md has the list of them all. */
#pragma once

#include <pthread.h>

enum { THREAD_STACK = 8 << 20 }; /* of every thread, whatever `ulimit -s` says: depths of recursion are bounded against it */

/*
 * 0, or a number of errno. Signals are blocked in it: they are for the thread that waits for them (cli/main.c), or the main one.
 * `name` (at most 15 characters) is what debuggers and `top -H` show.
 */
int thread_start(pthread_t *ret, const char *name, void *(*run)(void *arg), void *arg);
/* The same, of a thread that nobody joins. */
int thread_start_detached(const char *name, void *(*run)(void *arg), void *arg);
/* Waits for its end. */
void thread_join(pthread_t thread);
