/*
 * The program: creates what a command needs, runs it, prints its diagnostics, and cleans up. A thread of its own handles signals:
 * the first Ctrl-C cancels the command and lets it clean up, the second ends the program (and its children). SIGTERM and SIGHUP
 * act like Ctrl-C.
 */
#include "base/file.h"
#include "cli/commands.h"
#include "lazy/quiet.h"
#include "loop/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_MESSAGES = 16 << 20 };

/* --- signals --- */

/* The signals that end the program. SIGHUP is one of them unless the parent had it ignored (nohup). */
static sigset_t ending_signals(void)
{
    struct sigaction hangup;
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        (void)sigaddset(&set, SIGHUP);
    return set;
}

struct signals {
    pthread_t thread;
    struct cancel *cancel;
    int seen_fd; /* becomes readable at the first signal, which ends waiting for input */
};

/*
 * A second signal ends the program at once; but not a SIGHUP, of which one closed terminal sends several (from the kernel and the
 * shell).
 */
static void *take_signals(void *arg)
{
    struct signals *signals = arg;
    sigset_t set = ending_signals();
    for (bool seen = false;; seen = true) {
        int signal;
        if (sigwait(&set, &signal) != 0)
            return NULL;
        if (seen && signal != SIGHUP)
            _exit(EXIT_INTERRUPTED);
        if (seen)
            continue;
        cancel_fire(signals->cancel);
        (void)eventfd_write(signals->seen_fd, 1);
    }
}

/* Call it before other threads exist, because they could receive a signal. */
static void start_signals(struct signals *signals, struct cancel *cancel)
{
    sigset_t set = ending_signals();
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    *signals = (struct signals){.cancel = cancel, .seen_fd = eventfd(0, EFD_CLOEXEC)};
    file_waiting_ends_with(signals->seen_fd);
    if (thread_start(&signals->thread, "signals", take_signals, signals) != 0)
        abort();
}

static void stop_signals(struct signals *signals)
{
    (void)pthread_cancel(signals->thread);
    thread_join(signals->thread);
    file_waiting_ends_with(-1);
    (void)close(signals->seen_fd);
}

/* --- environment --- */

/* The provider handles signals itself (plugin/serve.c). */
static bool serves(int argc, const char **argv)
{
    return argc > 2 && strcmp(argv[1], "cloudcontrol") == 0 && strcmp(argv[2], "serve") == 0;
}

static bool is_provider_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return str_starts(str_of(slash ? slash + 1 : path), STR("terraform-provider-awscc"));
}

static const char *cache_folder(struct arena *a)
{
    const char *own = app_environment("TERRANE_CACHE");
    if (own)
        return own;
    const char *xdg = app_environment("XDG_CACHE_HOME");
    if (xdg && xdg[0] == '/')
        return arena_printf(a, "%s/terrane", xdg).p;
    const char *home = app_environment("HOME");
    return home ? arena_printf(a, "%s/.cache/terrane", home).p : NULL;
}

/* A provider logs its errors in addition to returning them: only somebody who asks for a log wants both. */
static enum log_foreign wanted_of_providers(struct diags *diags)
{
    const char *text = app_environment("TERRANE_LOG_PROVIDER");
    if (text && strcmp(text, "unsafe") == 0)
        return LOG_FOREIGN_TEXT;
    if (text)
        diags_warn(diags, "Unknown setting", "TERRANE_LOG_PROVIDER is \"%s\"; expected \"unsafe\", or not set.", text);
    return app_environment("TERRANE_LOG") ? LOG_FOREIGN_SHAPE : LOG_FOREIGN_NOTHING;
}

static struct log *make_log(struct diags *diags)
{
    enum log_level level = LOG_WARN;
    const char *text = app_environment("TERRANE_LOG");
    if (text && !log_level_parse(str_of(text), &level))
        diags_warn(diags, "Unknown log level", "TERRANE_LOG is \"%s\"; expected trace, debug, info, warn, error or off.", text);
    const char *format = app_environment("TERRANE_LOG_FORMAT");
    bool json = format && strcmp(format, "json") == 0;
    struct log *log = log_new(STDERR_FILENO, level, json ? LOG_JSON : LOG_TEXT, &system_clock);
    log_set_foreign(log, wanted_of_providers(diags));
    return log;
}

static bool wants_color(int fd)
{
    const char *term = app_environment("TERM");
    return isatty(fd) && !app_environment("NO_COLOR") && !(term && strcmp(term, "dumb") == 0);
}

static void print_diags(const struct app *app)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_MESSAGES);
    diags_write(&text, &app->diags, app->color_err);
    (void)file_put(STDERR_FILENO, buf_str(&text));
}

int main(int argc, char **argv)
{
    if (!file_hold_standard_descriptors())
        return EXIT_FAILED;
    quiet_prepare();
    (void)signal(SIGXFSZ, SIG_IGN); /* exceeding the limit for a file is an error to report, and must not kill the program */
    /* State and configuration contain secrets: none may get into a core dump. */
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});

    struct arena *arena ARENA_AUTO = arena_new(NULL, 0);
    struct app app = {.arena = arena, .cancel = cancel_new()};
    diags_init(&app.diags, arena);
    const char *as_provider[] = {argv[0], "cloudcontrol", "serve", NULL}, **line = (const char **)argv;
    if (argc > 0 && is_provider_name(argv[0])) {
        line = as_provider;
        argc = 3;
    }
    bool own_signals = serves(argc, line);
    struct signals signals;
    if (!own_signals)
        start_signals(&signals, app.cancel);
    app.log = make_log(&app.diags);
    app.cache_folder = cache_folder(arena);
    app.color_out = wants_color(STDOUT_FILENO);
    app.color_err = wants_color(STDERR_FILENO);

    int code = commands_run(&app, argc - 1, line + 1);
    if (cancel_fired(app.cancel))
        code = EXIT_INTERRUPTED;
    print_diags(&app);

    loop_free(app.loop);
    app_close_trace(&app);
    if (!own_signals)
        stop_signals(&signals);
    cancel_free(app.cancel);
    log_free(app.log);
    return code;
}
