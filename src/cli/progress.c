#include "cli/progress.h"

#include "loop/thread.h"

#include <stdio.h>
#include <unistd.h>

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

void progress_start(struct progress *p, struct str what, enum change_action action)
{
    *p = (struct progress){.what = what, .action = action, .started = clock_now(&system_clock)};
    if (!isatty(STDERR_FILENO) || !words_of(action).begin)
        return;
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
    if (ok && words_of(p->action).end)
        (void)fprintf(stderr, STR_FMT ": %s complete after %lds\n", STR_ARG(p->what), words_of(p->action).end, elapsed_s(p));
}
