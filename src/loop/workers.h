/*
 * A pool of threads that runs jobs in order of submission; every thread pool of the program is one of these. A thread is started
 * when a job is submitted and none is idle, and then stays, so a pool with little work has few threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct workers;

/* `name` is as in thread_start() and is not copied. */
struct workers *workers_new(const char *name, size_t max_threads);
/* Finishes all submitted jobs, then ends the threads; NULL is accepted. */
void workers_free(struct workers *w);
/* The job waits in the queue when `max_threads` threads exist and all are busy. */
void workers_submit(struct workers *w, void (*run)(void *arg), void *arg);
/* For jobs that may block forever and must not wait for each other: false when no thread is free and none can be started. */
bool workers_try(struct workers *w, void (*run)(void *arg), void *arg);
