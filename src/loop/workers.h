/*
 * Threads that run jobs, in order of submission: the one pool of threads that all others are. A thread is started when a job
 * finds none idle, and stays; so what never has much to do never has many.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct workers;

/* `name` as in thread_start(), and not copied. */
struct workers *workers_new(const char *name, size_t max_threads);
/* Finishes what was submitted, then ends the threads; NULL is accepted. */
void workers_free(struct workers *w);
/* When all threads are busy and there are as many as may be, the job waits. */
void workers_submit(struct workers *w, void (*run)(void *arg), void *arg);
/* For jobs that may block for ever and must not wait for each other: false when no thread can be had for it now. */
bool workers_try(struct workers *w, void (*run)(void *arg), void *arg);
