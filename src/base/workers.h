/* A fixed set of threads that run jobs in order of submission. */
#pragma once

#include <stddef.h>

struct workers;

struct workers *workers_new(size_t n_threads);
/* Finishes what was submitted, then ends the threads; NULL is accepted. */
void workers_free(struct workers *w);
void workers_submit(struct workers *w, void (*job)(void *arg), void *arg);
