#include "cli/progress.h"

#include "base/file.h"
#include "base/terminal.h"
#include "loop/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- one object --- */

struct words {
    const char *begin, *still, *end;
};

static struct words words_of(enum change_action action)
{
    static const struct words words[] = {
        [ACTION_CREATE] = {"Creating", "creating", "Creation"},
        [ACTION_UPDATE] = {"Modifying", "modifying", "Modifications"},
        [ACTION_DELETE] = {"Destroying", "destroying", "Destruction"},
        [ACTION_DELETE_THEN_CREATE] = {"Replacing", "replacing", "Replacement"},
        [ACTION_CREATE_THEN_DELETE] = {"Replacing", "replacing", "Replacement"},
        [ACTION_READ] = {"Refreshing state", "refreshing state", NULL},
    };
    return words[action];
}

static long elapsed_s(const struct progress *p)
{
    return (long)((clock_now(&system_clock) - p->started) / NS_PER_S);
}

static void *watch(void *arg)
{
    struct progress *p = arg;
    for (int i = 1; !completion_wait(&p->done, p->started + i * PROGRESS_SECONDS * NS_PER_S); i++)
        (void)fprintf(stderr, STR_FMT ": Still %s... [%lds elapsed]\n", STR_ARG(p->what), words_of(p->action).still,
                      elapsed_s(p));
    return NULL;
}

/* Can the terminal redraw a line? */
static bool is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

void progress_start(struct progress *p, struct str what, enum change_action action, bool silent)
{
    *p =
        (struct progress){.what = what, .action = action, .started = clock_now(&system_clock), .terminal = isatty(STDERR_FILENO)};
    if ((silent && !p->terminal) || !words_of(action).begin)
        return;
    if (p->terminal)
        (void)fprintf(stderr, STR_FMT ": %s...\n", STR_ARG(what), words_of(action).begin);
    completion_init(&p->done);
    p->on = thread_start(&p->thread, "progress", watch, p) == 0;
    if (!p->on)
        completion_destroy(&p->done);
}

void progress_end(struct progress *p, bool ok)
{
    if (!p->on)
        return;
    completion_signal(&p->done);
    thread_join(p->thread);
    completion_destroy(&p->done);
    p->on = false;
    if (ok && p->terminal && words_of(p->action).end)
        (void)fprintf(stderr, STR_FMT ": %s complete after %lds\n", STR_ARG(p->what), words_of(p->action).end, elapsed_s(p));
}

/* --- any other work --- */

enum { BAR_EACH_MS = 200, BAR_MIN = 10, BAR_MAX = 30, BAR_LINE = 1024, DEFAULT_COLUMNS = 80, DOTS = 3 };
#define CLEAR_LINE "\r\033[K"

static size_t columns(void)
{
    size_t known = terminal_columns(STDERR_FILENO);
    return known > 0 ? known : DEFAULT_COLUMNS;
}

/* Writes the count, the rate, and the time left: the last two once they can be estimated. */
static void write_things(struct buf *out, const struct bar *b, int64_t done, int64_t total)
{
    double seconds = (double)(clock_now(&system_clock) - b->started) / (double)NS_PER_S;
    buf_printf(out, "%" PRId64 " of %" PRId64, done, total);
    if (done > 0 && done < total && seconds >= 1)
        buf_printf(out, ", %.0f a second, %.0f s left", (double)done / seconds, (double)(total - done) * seconds / (double)done);
}

static void write_count(struct buf *out, const struct bar *b, int64_t done, int64_t total)
{
    const double mib = 1 << 20;
    if (b->unit == BAR_BYTES && total > 0)
        buf_printf(out, "%3" PRId64 "%% of %.1f MiB", done * 100 / total, (double)total / mib);
    else if (b->unit == BAR_BYTES && done > 0)
        buf_printf(out, "%.1f MiB", (double)done / mib);
    else if (b->unit == BAR_THINGS && total > 0)
        write_things(out, b, done, total);
    else
        buf_printf(out, "%" PRId64 " s", (clock_now(&system_clock) - b->started) / NS_PER_S);
}

/*
 * Writes the description, a bar if the total is known, and the count: as much of it, from the right, as fits into `room` columns.
 */
static void write_line(struct buf *out, const struct bar *b, struct str count, int64_t done, int64_t total, size_t room)
{
    struct str what = str_of(b->what);
    if (count.n + 1 + DOTS < room) {
        size_t left = room - count.n - 1;
        size_t used = terminal_write_cell(out, what, what.n <= left ? left : left - DOTS);
        size_t width = left > used + DOTS ? left - used - DOTS : 0;
        if (total > 0 && width >= BAR_MIN) {
            width = width < BAR_MAX ? width : BAR_MAX;
            size_t full = done < total ? (size_t)done * width / (size_t)total : width;
            buf_addz(out, " [");
            for (size_t i = 0; i < width; i++)
                buf_addz(out, i < full ? "#" : " ");
            buf_addz(out, "]");
        }
        buf_addz(out, " ");
    }
    buf_add(out, str_slice(count, 0, count.n < room ? count.n : room));
}

static void draw(struct bar *b)
{
    struct buf line BUF_AUTO = BUF_INIT(BAR_LINE), count BUF_AUTO = BUF_INIT(BAR_LINE);
    int64_t done = atomic_load(&b->done), total = atomic_load(&b->total);
    write_count(&count, b, done, total);
    if (b->terminal) {
        buf_addz(&line, CLEAR_LINE);
        write_line(&line, b, buf_str(&count), done, total, columns() - 1);
    } else {
        (void)terminal_write_cell(&line, str_of(b->what), BAR_LINE / 8);
        buf_printf(&line, ": " STR_FMT "\n", STR_ARG(buf_str(&count)));
    }
    (void)file_put(STDERR_FILENO, buf_str(&line));
    b->shown = true;
}

static void *draw_until_the_end(void *arg)
{
    struct bar *b = arg;
    int64_t each = b->terminal ? BAR_EACH_MS * NS_PER_MS : PROGRESS_SECONDS * NS_PER_S;
    for (int64_t at = b->started + (b->terminal ? NS_PER_S : each); !completion_wait(&b->end, at); at += each)
        draw(b);
    return NULL;
}

void bar_start(struct bar *b, const char *what, enum bar_unit unit)
{
    *b = (struct bar){.what = what, .unit = unit, .started = clock_now(&system_clock), .terminal = is_terminal()};
    completion_init(&b->end);
    b->on = thread_start(&b->thread, "progress", draw_until_the_end, b) == 0;
    if (!b->on)
        completion_destroy(&b->end);
}

void bar_set(struct bar *b, int64_t done, int64_t total)
{
    atomic_store(&b->done, done);
    atomic_store(&b->total, total);
}

void bar_end(struct bar *b)
{
    if (!b->on)
        return;
    completion_signal(&b->end);
    thread_join(b->thread);
    completion_destroy(&b->end);
    b->on = false;
    if (b->shown && b->terminal)
        (void)file_put(STDERR_FILENO, STR(CLEAR_LINE)); /* the following output shows the result */
}
