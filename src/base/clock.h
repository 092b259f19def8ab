/*
 * Injected time: code asks the clock it was given, and tests pass a fake clock that they advance themselves.
 *
 * Deadlines are nanoseconds of the monotonic clock; 0 (NO_DEADLINE) means none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { NO_DEADLINE = 0 };

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

struct clock {
    int64_t (*monotonic_ns)(const struct clock *c);
    int64_t (*wall_ns)(const struct clock *c); /* since 1970, UTC */
};

/* The machine's clock. */
extern const struct clock system_clock;

/* A clock that stands still until the test advances it. */
struct fake_clock {
    struct clock clock;
    int64_t monotonic, wall;
};
void fake_clock_init(struct fake_clock *c, int64_t wall_ns);
void fake_clock_advance(struct fake_clock *c, int64_t ns);

static inline int64_t clock_now(const struct clock *c)
{
    return c->monotonic_ns(c);
}

/* Writes "2026-11-15T07:38:06.570625Z" to `text`, which has room for CLOCK_TEXT bytes. */
enum { CLOCK_TEXT = 40 };
void clock_format(int64_t wall_ns, char text[CLOCK_TEXT]);
