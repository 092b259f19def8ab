/*
 * Silences libraries that write to stderr and cannot be configured not to: Debian's librnp is built with its log always on, and
 * no function turns it off.
 *
 * The stream `stderr` is replaced by one that drops what a thread writes while that thread has asked for silence, and passes on
 * everything else immediately. The descriptor is unchanged, so the output of other threads is not lost.
 */
#pragma once

#include <stdbool.h>

/* Called by main() before any thread is started. Without this call, or when there is not enough memory, nothing is silenced. */
void quiet_prepare(void);

/* Turns the silence on or off for the calling thread. */
void quiet(bool on);
