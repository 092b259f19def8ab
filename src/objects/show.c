#include "objects/show.h"

#include "base/file.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/must.h"
#include "base/terminal.h"
#include "base/vec.h"
#include "loop/thread.h"
#include "objects/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MAX_WAITING = 1 << 20, MAX_STATE = 2048, ROWS = 24, COLUMNS = 80, DOTS = 3, MAX_FRAME = 1 << 20 };
#define DRAW_NS (200 * NS_PER_MS) /* between two frames */

struct row {
    char *title, *state;
    int64_t since; /* monotonic: when it got into this state */
    bool gone;
};

struct show {
    struct app *app;
    bool live, stops;
    pthread_mutex_t lock; /* protects everything below */
    pthread_cond_t news;
    struct buf lines, complaints; /* to be written to stdout and stderr */
    struct arena *arena;          /* holds the map's keys and rows */
    struct map rows;              /* title -> struct row */
    bool changed;
    size_t lost; /* lines dropped because the buffer was full */
    pthread_t thread;
    /* Only for the thread: */
    size_t drawn; /* lines of the table on the terminal */
    bool failed;  /* stdout could not be written */
};

/* ---- texts ---- */

/* The state of an object in few words: "ready", "creating", "not synced: ...". In `a`. */
static struct str state_words(struct arena *a, const struct controller_news *news)
{
    if (news->gone)
        return STR("deleted");
    if (news->deleting)
        return news->synced || news->message.n == 0 ? STR("deleting")
                                                    : arena_printf(a, "deleting: " STR_FMT, STR_ARG(news->message));
    if (news->paused)
        return STR("paused");
    if (news->ready && news->synced)
        return STR("ready");
    if (!news->synced && news->message.n > 0)
        return arena_printf(a, "not synced: " STR_FMT, STR_ARG(news->message));
    if (!news->ready && news->ready_reason.n > 0)
        return arena_printf(a, "not ready: " STR_FMT, STR_ARG(news->ready_reason));
    return STR("waiting");
}

static struct str title_of(struct arena *a, const struct controller_news *news)
{
    struct str kind = arena_lower(a, news->kind->kind);
    if (news->namespace.n > 0)
        return arena_printf(a, STR_FMT "." STR_FMT "/" STR_FMT " (" STR_FMT ")", STR_ARG(kind), STR_ARG(news->kind->group),
                            STR_ARG(news->name), STR_ARG(news->namespace));
    return arena_printf(a, STR_FMT "." STR_FMT "/" STR_FMT, STR_ARG(kind), STR_ARG(news->kind->group), STR_ARG(news->name));
}

/* ---- collecting output ---- */

static void add_text(struct show *s, struct buf *to, struct str text)
{
    if (to->n + TERMINAL_MAX(text.n) > MAX_WAITING) {
        s->lost++;
        return;
    }
    terminal_write(to, text, TERMINAL_KEEP_LINES);
    cond_broadcast(&s->news);
}

void show_line(struct show *s, const char *format, ...)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(a, format, args);
    va_end(args);
    mutex_lock(&s->lock);
    add_text(s, &s->lines, text);
    add_text(s, &s->lines, STR("\n"));
    mutex_unlock(&s->lock);
}

void show_diags(struct show *s, struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_WAITING);
    if (diags->n == 0)
        return;
    diags_write(&text, diags, s->app->color_err);
    mutex_lock(&s->lock);
    buf_add(&s->complaints, buf_str(&text)); /* already safe for a terminal */
    cond_broadcast(&s->news);
    mutex_unlock(&s->lock);
    diags_init(diags, diags->arena);
}

static struct row *row_of(struct show *s, struct str title)
{
    struct row *row = map_get(&s->rows, title);
    if (row)
        return row;
    struct str key = arena_str(s->arena, title);
    row = arena_make(s->arena, struct row);
    row->title = (char *)(uintptr_t)key.p;
    map_put(&s->rows, key, row);
    return row;
}

void show_news(void *show, const struct controller_news *news)
{
    struct show *s = show;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str title = title_of(a, news), state = state_words(a, news);
    state = str_slice(state, 0, MAX_STATE);
    mutex_lock(&s->lock);
    struct row *row = row_of(s, title);
    bool is_new = !row->state || !str_eqz(state, row->state);
    if (is_new) {
        free(row->state);
        row->state = must(strndup(state.p, state.n));
        row->since = clock_now(&system_clock);
        row->gone = news->gone;
        s->changed = true;
        if (!s->live)
            add_text(s, &s->lines, arena_printf(a, STR_FMT " " STR_FMT "\n", STR_ARG(title), STR_ARG(state)));
        cond_broadcast(&s->news);
    }
    mutex_unlock(&s->lock);
}

/* ---- the table ---- */

static void size_of_terminal(size_t *rows, size_t *columns)
{
    struct winsize w;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 4 && w.ws_col > 0;
    *rows = known ? w.ws_row : ROWS;
    *columns = known ? w.ws_col : COLUMNS;
}

static bool is_ready(const struct row *r)
{
    return strcmp(r->state, "ready") == 0;
}

/* "bucket.s3.aws.upbound.io/logs (shop)"; if too long, without the group, or even without the kind, because names matter most. */
static struct str title_in(struct arena *a, const char *title, size_t width)
{
    struct str name = str_of(title), type = str_cut(&name, '/'), kind = str_cut(&type, '.');
    if (strlen(title) <= width || name.n == 0)
        return str_of(title);
    struct str shorter = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(kind), STR_ARG(name));
    return shorter.n <= width ? shorter : name;
}

/* A line of the table, cut to the terminal's width. */
static void draw_row(struct buf *out, const struct row *r, size_t columns, size_t width, struct arena *a, bool color)
{
    struct str age = table_age(a, r->since, clock_now(&system_clock) + 1);
    struct str title = title_in(a, r->title, width);
    size_t n = terminal_write_cell(out, title, str_count_utf8(title) > width && width > DOTS ? width - DOTS : width);
    for (; n < width + 2; n++)
        buf_addc(out, ' ');
    buf_printf(out, "%-6s ", age.p);
    size_t left = columns > width + 12 ? columns - width - 12 : 8;
    if (color)
        buf_addz(out, is_ready(r) ? "\x1b[32m" : strstr(r->state, ": ") ? "\x1b[33m" : "");
    (void)terminal_write_cell(out, str_of(r->state), left);
    if (color)
        buf_addz(out, "\x1b[0m");
    buf_addz(out, "\x1b[K\n");
}

/* The caller holds the lock. Objects that are not ready come first; those that do not fit are counted. */
static size_t draw_table(struct show *s, struct buf *out, struct arena *a)
{
    size_t rows, columns, n_ready = 0, n = 0, drawn = 0;
    size_of_terminal(&rows, &columns);
    size_t width = columns / 2;
    /* Turns off line wrapping: the wrapped part of a long line would not be erased with the table. */
    buf_addz(out, "\x1b[?7l");
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct row *r = s->rows.entries[i].value;
        n += !r->gone;
        n_ready += !r->gone && is_ready(r);
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < s->rows.n && drawn + 3 < rows; i++) {
            const struct row *r = s->rows.entries[i].value;
            if (r->gone || is_ready(r) != (pass == 1))
                continue;
            draw_row(out, r, columns, width, a, s->app->color_out);
            drawn++;
        }
    if (drawn < n) {
        buf_printf(out, "... and %zu more\x1b[K\n", n - drawn);
        drawn++;
    }
    buf_printf(out, "%zu of %zu ready. Ctrl-C stops.\x1b[K\n\x1b[?7h", n_ready, n);
    return drawn + 1;
}

static void erase(struct show *s, struct buf *out)
{
    if (s->drawn > 0)
        buf_printf(out, "\x1b[%zuA\x1b[J", s->drawn);
    s->drawn = 0;
}

/* ---- the thread ---- */

static void take(struct buf *from, struct buf *to)
{
    buf_add(to, buf_str(from));
    buf_clear(from);
}

/* Reported once, and at once, because `up` may run for days. Reconciliation continues. */
static void output_failed(struct show *s, int error)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct diags diags;
    diags_init(&diags, a);
    (void)app_output_failed(&diags, error);
    diags_write(&text, &diags, s->app->color_err);
    (void)file_put(STDERR_FILENO, buf_str(&text));
    s->failed = true;
}

static void put(struct show *s, struct str text)
{
    if (!file_put(STDOUT_FILENO, text) && !s->failed)
        output_failed(s, errno);
}

/* The caller holds the lock, which is released while writing. */
static void write_out(struct show *s, bool with_table)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf lines BUF_AUTO = BUF_INIT(2 * MAX_WAITING), complaints BUF_AUTO = BUF_INIT(2 * MAX_WAITING);
    struct buf first BUF_AUTO = BUF_INIT(MAX_FRAME), table BUF_AUTO = BUF_INIT(MAX_FRAME);
    take(&s->lines, &lines);
    take(&s->complaints, &complaints);
    if (s->lost > 0)
        buf_printf(&lines, "(%zu lines were left out)\n", s->lost);
    s->lost = 0;
    s->changed = false;
    erase(s, &first);
    size_t drawn = with_table ? draw_table(s, &table, a) : 0;
    mutex_unlock(&s->lock);
    put(s, buf_str(&first));
    (void)file_put(STDERR_FILENO, buf_str(&complaints));
    put(s, buf_str(&lines));
    put(s, buf_str(&table));
    mutex_lock(&s->lock);
    s->drawn = drawn;
}

static void *keep_showing(void *arg)
{
    struct show *s = arg;
    mutex_lock(&s->lock);
    while (!s->stops) {
        bool waits = s->lines.n == 0 && s->complaints.n == 0 && !(s->live && s->changed);
        if (waits)
            (void)cond_wait(&s->news, &s->lock, NO_DEADLINE);
        else
            write_out(s, s->live);
        int64_t next = clock_now(&system_clock) + DRAW_NS;
        while (s->live && !waits && !s->stops && cond_wait(&s->news, &s->lock, next))
            ;
    }
    write_out(s, false);
    mutex_unlock(&s->lock);
    return NULL;
}

struct show *show_new(struct app *app, bool live)
{
    struct show *s = must(calloc(1, sizeof *s));
    *s = (struct show){.app = app,
                       .live = live,
                       .arena = arena_new(NULL, 0),
                       .lines = BUF_INIT(2 * MAX_WAITING),
                       .complaints = BUF_INIT(2 * MAX_WAITING)};
    map_init(&s->rows, s->arena);
    mutex_init(&s->lock);
    cond_init(&s->news);
    if (thread_start(&s->thread, "show", keep_showing, s) != 0)
        abort();
    return s;
}

bool show_free(struct show *s)
{
    mutex_lock(&s->lock);
    s->stops = true;
    cond_broadcast(&s->news);
    mutex_unlock(&s->lock);
    thread_join(s->thread);
    bool ok = !s->failed;
    for (size_t i = 0; i < s->rows.n; i++)
        free(((struct row *)s->rows.entries[i].value)->state);
    buf_free(&s->lines);
    buf_free(&s->complaints);
    arena_free(s->arena);
    mutex_destroy(&s->lock);
    cond_destroy(&s->news);
    free(s);
    return ok;
}
