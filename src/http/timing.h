/*
 * Time as a client of a service needs it: a clock, pauses that can be cut short, and chance for jitter. Injected, so that tests
 * wait for nothing and see every pause.
 */
#pragma once

#include "loop/loop.h"

struct http_time {
    const struct clock *clock;
    /* Returns after so many nanoseconds; false as soon as `cancel` (may be NULL) has fired. */
    bool (*pause)(const struct http_time *t, int64_t ns, struct cancel *cancel);
    /* In [0, 1). */
    double (*chance)(const struct http_time *t);
};

/* The machine's. From any thread but a loop's. */
extern const struct http_time http_system_time;

/* Wall time in nanoseconds since 1970. */
static inline int64_t http_wall(const struct http_time *t)
{
    return t->clock->wall_ns(t->clock);
}

/* "20150830T123600Z"; `text` has room for DATE_TEXT bytes. */
enum { DATE_TEXT = 24 };
void compact_date_format(int64_t wall_ns, char text[DATE_TEXT]);
/* The same the other way: exactly that form. */
bool compact_date_parse(struct str text, int64_t *ret_wall_ns);
/* "Sun, 30 Aug 2015 12:36:00 GMT", the date of HTTP; no other of its forms. */
bool http_date_parse(struct str text, int64_t *ret_wall_ns);
/* "2015-08-30T12:36:00Z", a fraction and +HH:MM or +HHMM instead of Z allowed, and a space for the T: how services write expiry.
 */
bool timestamp_parse(struct str text, int64_t *ret_wall_ns);
/* "2015-08-30T12:36:00Z", without fraction. */
void timestamp_format(int64_t wall_ns, char text[DATE_TEXT]);
