/*
 * Time for clients of a service: a clock, pauses that can be cancelled, and random numbers for jitter. It is injected, so that
 * tests do not wait and see every pause.
 */
#pragma once

#include "loop/loop.h"

struct http_time {
    const struct clock *clock;
    /* Returns after `ns` nanoseconds, or false as soon as `cancel` (may be NULL) fires. */
    bool (*pause)(const struct http_time *t, int64_t ns, struct cancel *cancel);
    /* A random number in [0, 1). */
    double (*chance)(const struct http_time *t);
};

/* The machine's time. Must not be used on a loop's thread. */
extern const struct http_time http_system_time;

/* Wall time in nanoseconds since 1970. */
static inline int64_t http_wall(const struct http_time *t)
{
    return t->clock->wall_ns(t->clock);
}

/* "20150830T123600Z"; `text` has room for DATE_TEXT bytes. */
enum { DATE_TEXT = 24 };
void compact_date_format(int64_t wall_ns, char text[DATE_TEXT]);
/* Parses exactly that form. */
bool compact_date_parse(struct str text, int64_t *ret_wall_ns);
/* Parses an HTTP date of the form "Sun, 30 Aug 2015 12:36:00 GMT"; the older forms are not accepted. */
bool http_date_parse(struct str text, int64_t *ret_wall_ns);
/* Parses "2015-08-30T12:36:00Z", as services write expiry times. Also accepted: a fraction, +HH:MM or +HHMM instead of Z, and a
 * space instead of the T. */
bool timestamp_parse(struct str text, int64_t *ret_wall_ns);
/* Writes "2015-08-30T12:36:00Z", without a fraction. */
void timestamp_format(int64_t wall_ns, char text[DATE_TEXT]);
