/*
 * Libraries that write to stderr by themselves, whatever they are asked: Debian's librnp is built with its log always on, and no
 * function turns it off.
 *
 * The stream `stderr` is replaced by one that drops what a thread writes to it while that thread has asked for silence, and
 * passes on everything else at once. The descriptor stays as it is: what other threads say meanwhile is not lost.
 */
#pragma once

#include <stdbool.h>

/* By main(), before there are threads. Without it, or when there is no memory for it, libraries are heard. */
void quiet_prepare(void);

/* The calling thread's libraries are silent from here on, or heard again. */
void quiet(bool on);
