/*
 * The program: chooses the command, makes what it needs, prints its diagnostics, and cleans up. Signals are taken by a
 * thread of their own: the first Ctrl-C cancels what runs and lets it clean up, the second one ends the program (children
 * die with it). SIGTERM and SIGHUP are like Ctrl-C.
 */
#include "base/file.h"
#include "cli/app.h"
#include "loop/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_MESSAGES = 16 << 20 };

static const struct command *const commands[] = {
    &command_up,
    &command_plan,
    &command_get,
    &command_describe,
    &command_events,
    &command_delete,
    &command_pause,
    &command_resume,
    &command_logs,
    &command_store_backup,
    &command_store_restore,
    &command_generate,
    &command_config_show,
    &command_config_from_upjet,
    &command_config_schema,
    &command_links_mine,
    &command_links_check,
    &command_links_find,
    &command_links_convert,
    &command_links_derive,
    &command_resource_validate,
    &command_resource_plan,
    &command_resource_apply,
    &command_resource_refresh,
    &command_resource_destroy,
    &command_resource_import,
    &command_resource_show,
    &command_data,
    &command_list,
    &command_import,
    &command_cloudcontrol_pack,
    &command_cloudcontrol_report,
    &command_cloudcontrol_schema,
    &command_cloudcontrol_table,
    &command_cloudcontrol_example,
    &command_cloudcontrol_serve,
    &command_cloudcontrol_emulate,
    &command_schema,
    &command_provider_list,
    &command_engine,
    &command_version,
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

/* Commands of two words belong to the group of their first. */
static bool is_in_group(const struct command *command, const char *group)
{
    size_t n = strlen(group);
    return strncmp(command->name, group, n) == 0 && command->name[n] == ' ';
}

static bool is_group(const char *word)
{
    size_t i = 0;
    while (i < N_COMMANDS && !is_in_group(commands[i], word))
        i++;
    return i < N_COMMANDS;
}

/* `group` NULL: all of them. */
static void write_commands(struct buf *out, const char *group)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!group || is_in_group(commands[i], group))
            buf_printf(out, "  %-20s %s\n", commands[i]->name, commands[i]->summary);
}

static void write_group(struct buf *out, const char *group)
{
    buf_printf(out,
               "usage: terrane %s COMMAND [options]\n\n"
               "commands:\n",
               group);
    write_commands(out, group);
    buf_printf(out,
               "\n"
               "Run `terrane %s COMMAND --help` for options and examples.\n",
               group);
}

static void write_overview(struct buf *out)
{
    buf_addz(out, "terrane " TERRANE_VERSION ": one engine for Terraform providers\n\n"
                  "usage: terrane COMMAND [options]\n\n"
                  "commands:\n");
    write_commands(out, NULL);
    buf_addz(out, "\n"
                  "Run `terrane COMMAND --help` for options and examples.\n\n"
                  "environment:\n"
                  "  TERRANE_LOG             log level on stderr: trace, debug, info, warn, error, off (default warn)\n"
                  "  TERRANE_LOG_FORMAT      text (default) or json\n"
                  "  TERRANE_LOG_PROVIDER    unsafe: log what providers log word for word, secrets included (default: only "
                  "level, provider,\n"
                  "                          module and call, and only if TERRANE_LOG is set)\n"
                  "  TERRANE_CACHE           cache folder (default: terrane in XDG_CACHE_HOME or ~/.cache)\n"
                  "  TERRANE_STORE           folder of the store of managed resources (default: terrane in XDG_STATE_HOME or "
                  "~/.local/state)\n"
                  "  TERRANE_STORE_KEY       the store's key, instead of the file store.key in it\n"
                  "  TERRANE_MIRROR          a filesystem mirror of providers that is searched first\n"
                  "  TF_CLI_CONFIG_FILE, TF_PLUGIN_CACHE_DIR, TF_REATTACH_PROVIDERS: as Terraform uses them\n\n"
                  "exit codes:\n"
                  "  0    done\n"
                  "  1    failed; the diagnostics say why\n"
                  "  2    plan, resource plan --detailed-exitcode: there is something to do; up --once: an object is not ready;\n"
                  "       import: not clean\n"
                  "  3    generate --against: a change may break users\n"
                  "  64   wrong usage: an unknown command or option, a missing argument\n"
                  "  130  interrupted (Ctrl-C, SIGTERM, SIGHUP)\n");
}

/* Do the first words name this command? Then *ret_words is how many they are. */
static bool is_named(const struct command *command, int argc, const char **argv, int *ret_words)
{
    struct str rest = str_of(command->name);
    int words = 0;
    for (; rest.n > 0; words++)
        if (words == argc || !str_eqz(str_cut(&rest, ' '), argv[words]))
            return false;
    *ret_words = words;
    return true;
}

/* Its place in the table, or N_COMMANDS. */
static size_t find_command(int argc, const char **argv, int *ret_words)
{
    size_t i = 0;
    while (i < N_COMMANDS && !is_named(commands[i], argc, argv, ret_words))
        i++;
    return i;
}

static void unknown_command(struct app *app, int argc, const char **argv)
{
    const char *names[N_COMMANDS + 1] = {NULL};
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i]->name;
    /* Commands of two words: the second one may be the wrong one. */
    bool two = argc > 1 && argv[1][0] != '-';
    const char *typed = two ? arena_printf(app->arena, "%s %s", argv[0], argv[1]).p : argv[0];
    const char *closest = args_closest(typed, names);
    if (!closest)
        closest = args_closest(argv[0], names);
    if (closest)
        diags_fail(&app->diags, "Unknown command", "\"%s\" is not a command. Did you mean \"terrane %s\"?", typed, closest);
    else
        diags_fail(&app->diags, "Unknown command", "\"%s\" is not a command. `terrane --help` lists the commands.", typed);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* What there is: all, or the commands of a group (else NULL). On stdout when asked for; otherwise the command is missing. */
static int show_commands(struct app *app, const char *group, bool asked)
{
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (group)
        write_group(&text, group);
    else
        write_overview(&text);
    if (asked)
        return app_print(app, buf_str(&text)) ? EXIT_OK : EXIT_FAILED;
    (void)file_put(STDERR_FILENO, buf_str(&text));
    return EXIT_USAGE;
}

static int run(struct app *app, int argc, const char **argv)
{
    bool help = argc > 0 && asks_for_help(argv[0]);
    if (argc == help)
        return show_commands(app, NULL, help);
    if (argc == help + 1 && is_group(argv[help]))
        return show_commands(app, argv[help], help);
    if (argc == 2 && is_group(argv[0]) && asks_for_help(argv[1]))
        return show_commands(app, argv[0], true);
    if (strcmp(argv[0], "--version") == 0)
        return command_version.run(app, &command_version, argc - 1, argv + 1);

    int words = 0;
    size_t found = find_command(argc - help, argv + help, &words);
    if (found == N_COMMANDS) {
        unknown_command(app, argc - help, argv + help);
        return EXIT_USAGE;
    }
    const struct command *command = commands[found];
    if (help) {
        const char *line[] = {"--help", NULL};
        return command->run(app, command, 1, line);
    }
    return command->run(app, command, argc - words, argv + words);
}

/* --- signals --- */

/* What asks us to end. SIGHUP is among it unless whoever started us wants it ignored (nohup). */
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

/* A second one ends at once; but not a hangup, of which one closed terminal makes several (the kernel's, the shell's). */
static void *take_signals(void *arg)
{
    struct app *app = arg;
    sigset_t set = ending_signals();
    for (bool seen = false;; seen = true) {
        int signal;
        if (sigwait(&set, &signal) != 0)
            return NULL;
        if (seen && signal != SIGHUP)
            _exit(EXIT_INTERRUPTED);
        if (!seen)
            cancel_fire(app->cancel);
    }
}

/* Before any other thread exists that could take one of them. */
static pthread_t start_signals(struct app *app)
{
    sigset_t set = ending_signals();
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    pthread_t thread;
    if (thread_start(&thread, "signals", take_signals, app) != 0)
        abort();
    return thread;
}

static void stop_signals(pthread_t thread)
{
    (void)pthread_cancel(thread);
    thread_join(thread);
}

/* --- environment --- */

/* The provider answers signals in its own way (plugin/serve.c). */
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

/* A provider logs its errors as well as telling them: only who asks for a log wants to hear of them twice. */
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
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report, not a way to die */
    /* State and configuration carry secrets: none of it may end up in a core dump. */
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
    pthread_t signals = own_signals ? pthread_self() : start_signals(&app);
    app.log = make_log(&app.diags);
    app.cache_folder = cache_folder(arena);
    app.color_out = wants_color(STDOUT_FILENO);
    app.color_err = wants_color(STDERR_FILENO);

    int code = run(&app, argc - 1, line + 1);
    if (cancel_fired(app.cancel))
        code = EXIT_INTERRUPTED;
    print_diags(&app);

    loop_free(app.loop);
    if (!own_signals)
        stop_signals(signals);
    cancel_free(app.cancel);
    log_free(app.log);
    return code;
}
