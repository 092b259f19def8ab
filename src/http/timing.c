#include "http/timing.h"

#include <sys/random.h>
#include <time.h>

static void wake(void *completion)
{
    completion_signal(completion);
}

static bool system_pause(const struct http_time *t, int64_t ns, struct cancel *cancel)
{
    struct completion fired;
    struct cancel_watch watch = {.fn = wake, .arg = &fired};
    completion_init(&fired);
    cancel_watch(cancel, &watch);
    bool cut_short = completion_wait(&fired, clock_now(t->clock) + (ns > 0 ? ns : 1));
    cancel_unwatch(cancel, &watch);
    completion_destroy(&fired);
    return !cut_short;
}

static double system_chance(const struct http_time *t)
{
    (void)t;
    uint32_t bits = 0;
    (void)!getrandom(&bits, sizeof bits, 0); /* on failure there is no jitter, which does no harm */
    return bits / 4294967296.0;
}

const struct http_time http_system_time = {.clock = &system_clock, .pause = system_pause, .chance = system_chance};

static struct tm utc(int64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / NS_PER_S - (wall_ns % NS_PER_S < 0));
    struct tm tm;
    (void)gmtime_r(&seconds, &tm);
    return tm;
}

void compact_date_format(int64_t wall_ns, char text[DATE_TEXT])
{
    struct tm tm = utc(wall_ns);
    (void)strftime(text, DATE_TEXT, "%Y%m%dT%H%M%SZ", &tm);
}

void timestamp_format(int64_t wall_ns, char text[DATE_TEXT])
{
    struct tm tm = utc(wall_ns);
    (void)strftime(text, DATE_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

/* Reading: a cursor over the text; `bad` sticks. */

struct reader {
    struct str rest;
    bool bad;
};

static int take_number(struct reader *r, size_t digits)
{
    int number = 0;
    if (r->rest.n < digits)
        r->bad = true;
    for (size_t i = 0; i < digits && !r->bad; i++) {
        char c = r->rest.p[i];
        r->bad = c < '0' || c > '9';
        number = number * 10 + (c - '0');
    }
    r->rest = str_slice(r->rest, digits, r->rest.n);
    return r->bad ? 0 : number;
}

static bool maybe_take(struct reader *r, char c)
{
    if (r->rest.n == 0 || r->rest.p[0] != c)
        return false;
    r->rest = str_slice(r->rest, 1, r->rest.n);
    return true;
}

static void take(struct reader *r, const char *text)
{
    for (; *text; text++)
        r->bad |= !maybe_take(r, *text);
}

static bool wall_of(const struct reader *r, struct tm tm, int64_t *ret_wall_ns)
{
    /* Limited to years that fit nanoseconds; the day is checked by converting there and back. */
    if (r->bad || r->rest.n > 0 || tm.tm_year < 1 || tm.tm_year > 360 || tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
        return false;
    struct tm back = tm;
    time_t seconds = timegm(&back);
    if (tm.tm_sec < 60 && (back.tm_mday != tm.tm_mday || back.tm_mon != tm.tm_mon))
        return false;
    *ret_wall_ns = (int64_t)seconds * NS_PER_S;
    return true;
}

bool compact_date_parse(struct str text, int64_t *ret_wall_ns)
{
    struct reader r = {.rest = text};
    struct tm tm = {0};
    tm.tm_year = take_number(&r, 4) - 1900;
    tm.tm_mon = take_number(&r, 2) - 1;
    tm.tm_mday = take_number(&r, 2);
    take(&r, "T");
    tm.tm_hour = take_number(&r, 2);
    tm.tm_min = take_number(&r, 2);
    tm.tm_sec = take_number(&r, 2);
    take(&r, "Z");
    return wall_of(&r, tm, ret_wall_ns);
}

static int take_month(struct reader *r)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++)
        if (str_starts(r->rest, (struct str){names + (ptrdiff_t)3 * i, 3})) {
            r->rest = str_slice(r->rest, 3, r->rest.n);
            return i;
        }
    r->bad = true;
    return 0;
}

bool http_date_parse(struct str text, int64_t *ret_wall_ns)
{
    struct reader r = {.rest = str_trim(text)};
    struct tm tm = {0};
    r.rest = str_slice(r.rest, 3, r.rest.n); /* the day of the week, which is redundant */
    take(&r, ", ");
    tm.tm_mday = take_number(&r, 2);
    take(&r, " ");
    tm.tm_mon = take_month(&r);
    take(&r, " ");
    tm.tm_year = take_number(&r, 4) - 1900;
    take(&r, " ");
    tm.tm_hour = take_number(&r, 2);
    take(&r, ":");
    tm.tm_min = take_number(&r, 2);
    take(&r, ":");
    tm.tm_sec = take_number(&r, 2);
    take(&r, " GMT");
    return wall_of(&r, tm, ret_wall_ns);
}

/* Seconds east of Greenwich. */
static int take_zone(struct reader *r)
{
    if (maybe_take(r, 'Z') || maybe_take(r, 'z'))
        return 0;
    if (str_eqz(r->rest, "UTC")) { /* written by the first versions of the AWS CLI */
        r->rest = STR_EMPTY;
        return 0;
    }
    int sign = maybe_take(r, '-') ? -1 : 1;
    if (sign > 0)
        take(r, "+");
    int hours = take_number(r, 2);
    (void)maybe_take(r, ':');
    int minutes = take_number(r, 2);
    r->bad |= hours > 23 || minutes > 59;
    return sign * (hours * 3600 + minutes * 60);
}

static int64_t take_fraction(struct reader *r)
{
    int64_t ns = 0, unit = NS_PER_S;
    if (!maybe_take(r, '.'))
        return 0;
    while (r->rest.n > 0 && r->rest.p[0] >= '0' && r->rest.p[0] <= '9') {
        unit /= 10;
        ns += unit * (r->rest.p[0] - '0');
        r->rest = str_slice(r->rest, 1, r->rest.n);
    }
    return ns;
}

bool timestamp_parse(struct str text, int64_t *ret_wall_ns)
{
    struct reader r = {.rest = str_trim(text)};
    struct tm tm = {0};
    tm.tm_year = take_number(&r, 4) - 1900;
    take(&r, "-");
    tm.tm_mon = take_number(&r, 2) - 1;
    take(&r, "-");
    tm.tm_mday = take_number(&r, 2);
    if (!maybe_take(&r, 'T') && !maybe_take(&r, 't'))
        take(&r, " ");
    tm.tm_hour = take_number(&r, 2);
    take(&r, ":");
    tm.tm_min = take_number(&r, 2);
    take(&r, ":");
    tm.tm_sec = take_number(&r, 2);
    int64_t fraction = take_fraction(&r);
    int zone = take_zone(&r);
    int64_t wall;
    if (!wall_of(&r, tm, &wall))
        return false;
    *ret_wall_ns = wall + fraction - zone * NS_PER_S;
    return true;
}
