#include "cli/import/run.h"

#include <stdio.h>

enum { PROGRESS_STEP = 16, LINE_SECONDS = 10, BAR_WIDTH = 24 };

void import_show_progress(void *ctx, size_t done, size_t total)
{
    struct import_run *run = ctx;
    struct import_progress *p = &run->progress;
    int64_t now = clock_now(&system_clock);
    if (done == 1 || p->total != total)
        *p = (struct import_progress){.started = now, .shown = now, .total = total};
    double seconds = (double)(now - p->started) / (double)NS_PER_S, rate = seconds > 0 ? (double)done / seconds : 0;
    long left = rate > 0 ? (long)((double)(total - done) / rate) : 0;
    if (!run->app->color_err) {
        if (now - p->shown >= LINE_SECONDS * NS_PER_S) {
            (void)fprintf(stderr, "%zu of %zu, %.0f a second, %ld s left\n", done, total, rate, left);
            p->shown = now;
        }
        return;
    }
    if (done % PROGRESS_STEP != 0 && done != total)
        return;
    char bar[BAR_WIDTH + 1];
    size_t full = done * BAR_WIDTH / total;
    memset(bar, '#', full);
    memset(bar + full, '-', BAR_WIDTH - full);
    bar[BAR_WIDTH] = 0;
    (void)fprintf(stderr, "\r[%s] %zu of %zu, %.0f a second, %ld s left\033[K%s", bar, done, total, rate, left,
                  done == total ? "\r\033[K" : "");
}
