#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    (void)clock_gettime(id, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t system_monotonic(const struct clock *c)
{
    (void)c;
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_wall(const struct clock *c)
{
    (void)c;
    return read_clock(CLOCK_REALTIME);
}

const struct clock system_clock = {.monotonic_ns = system_monotonic, .wall_ns = system_wall};

static int64_t fake_monotonic(const struct clock *c)
{
    return ((const struct fake_clock *)c)->monotonic;
}

static int64_t fake_wall(const struct clock *c)
{
    return ((const struct fake_clock *)c)->wall;
}

void fake_clock_init(struct fake_clock *c, int64_t wall_ns)
{
    *c = (struct fake_clock){
        .clock = {.monotonic_ns = fake_monotonic, .wall_ns = fake_wall},
        .monotonic = NS_PER_S, /* never 0, which means no deadline */
        .wall = wall_ns,
    };
}

void fake_clock_advance(struct fake_clock *c, int64_t ns)
{
    c->monotonic += ns;
    c->wall += ns;
}

void clock_format(int64_t wall_ns, char text[CLOCK_TEXT])
{
    int64_t below_second = wall_ns % NS_PER_S;
    if (below_second < 0) /* before 1970 */
        below_second += NS_PER_S;
    time_t seconds = (time_t)((wall_ns - below_second) / NS_PER_S);
    struct tm tm;
    (void)gmtime_r(&seconds, &tm);
    char date[24];
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(text, CLOCK_TEXT, "%s.%06dZ", date, (int)(below_second / 1000));
}
