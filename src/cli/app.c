#include "cli/app.h"

#include "base/file.h"
#include "base/terminal.h"
#include "web/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

struct loop *app_loop(struct app *app)
{
    if (!app->loop)
        app->loop = loop_new();
    return app->loop;
}

const char *app_environment(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

/* The platform in Go's terms, which mirrors use. */
static struct str platform(struct arena *a)
{
    static const struct {
        const char *machine, *go;
    } names[] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"armv7l", "arm"}, {"i686", "386"}};
    struct utsname u;
    const char *arch = "unknown";
    if (uname(&u) == 0) {
        arch = u.machine;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strcmp(u.machine, names[i].machine) == 0)
                arch = names[i].go;
    }
    return arena_printf(a, "linux_%s", arch);
}

/* Where providers are installed without a plugin cache; NULL: there is no home. */
static const char *installed_folder(struct arena *a)
{
    const char *data = app_environment("XDG_DATA_HOME"), *home = app_environment("HOME");
    if (data && data[0] == '/')
        return arena_printf(a, "%s/terrane/providers", data).p;
    return home ? arena_printf(a, "%s/.local/share/terrane/providers", home).p : NULL;
}

bool app_find_context(struct app *app, struct find_context *ret)
{
    char *folder = get_current_dir_name();
    if (!folder)
        return diags_fail(&app->diags, "No working folder", "The current folder cannot be read: %s.", strerror(errno));
    arena_on_free(app->arena, free, folder);
    *ret = (struct find_context){
        .log = app->log,
        .home = app_environment("HOME"),
        .working_folder = folder,
        .cache_folder = app->cache_folder,
        .mirror = app_environment("TERRANE_MIRROR"),
        .plugin_cache = app_environment("TF_PLUGIN_CACHE_DIR"),
        .installed = installed_folder(app->arena),
        .xdg_data_home = app_environment("XDG_DATA_HOME"),
        .xdg_data_dirs = app_environment("XDG_DATA_DIRS"),
        .platform = platform(app->arena).p,
    };
    return true;
}

bool app_cli_config(struct app *app, struct find_context *context)
{
    struct cli_config *config = arena_make(app->arena, struct cli_config);
    if (!cli_config_load(app->arena, app_environment, &app->diags, config))
        return false;
    context->config = config;
    return true;
}

void app_say(struct app *app, const char *format, ...)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    va_list args;
    va_start(args, format);
    struct str line = arena_vprintf(app->arena, format, args);
    va_end(args);
    terminal_write(&text, line, TERMINAL_KEEP_LINES);
    (void)file_put(STDERR_FILENO, buf_str(&text));
}

bool app_output_failed(struct diags *diags, int error)
{
    /* The reader (head, less) closed the pipe: not worth a message. */
    if (error == EPIPE)
        return false;
    const char *why = error == EBADF ? "it is closed" : strerror(error);
    return diags_fail(diags, "Output failed", "Standard output cannot be written: %s.", why);
}

bool app_flush(void *ctx, struct str bytes)
{
    struct app *app = ctx;
    if (app->output_failed)
        return false;
    if (file_put(STDOUT_FILENO, bytes))
        return true;
    app->output_failed = true;
    return app_output_failed(&app->diags, errno);
}

bool app_print(struct app *app, struct str text)
{
    return app_flush(app, text);
}

bool app_print_json(struct app *app, const struct json *document)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out, .indent = 2};
    json_write(&w, document);
    if (!json_finish(&w))
        return diags_fail(&app->diags, "Too much output", "The document is longer than %d bytes.", (int)APP_MAX_TEXT);
    buf_addc(&out, '\n');
    return app_print(app, buf_str(&out));
}

int app_usage(struct app *app, const struct command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str problem = arena_vprintf(app->arena, format, args);
    va_end(args);
    diags_fail(&app->diags, "Wrong usage", STR_FMT " See: terrane %s --help", STR_ARG(problem), command->name);
    return EXIT_USAGE;
}

static bool open_trace(struct app *app)
{
    app->trace = trace_open(app->trace_file, &app->diags);
    if (!app->trace)
        return false;
    app->for_trace = (struct log_watch){.fn = trace_work, .ctx = app->trace};
    log_watch(app->log, &app->for_trace);
    return true;
}

void app_close_trace(struct app *app)
{
    if (!app->trace)
        return;
    log_unwatch(app->log, &app->for_trace);
    trace_close(app->trace, app->log);
    app->trace = NULL;
}

bool app_args(struct app *app, const struct command *command, const struct option *options, int argc, const char **argv,
              int *ret_n, int *ret_exit)
{
    if (app->see_options) {
        app->see_options(app->see_ctx, command, options);
        *ret_exit = EXIT_OK;
        return false;
    }
    switch (args_parse(command, options, argc, argv, &app->diags, ret_n)) {
    case ARGS_OK:
        *ret_exit = EXIT_FAILED;
        return !app->trace_file || open_trace(app);
    case ARGS_HELP: {
        struct buf help BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
        args_help(&help, command, options);
        *ret_exit = app_print(app, buf_str(&help)) ? EXIT_OK : EXIT_FAILED;
        return false;
    }
    case ARGS_WRONG:
        break;
    }
    *ret_exit = EXIT_USAGE;
    return false;
}

bool app_options(struct app *app, const struct command *command, const struct option *options, int argc, const char **argv,
                 int *ret_exit)
{
    int n;
    if (!app_args(app, command, options, argc, argv, &n, ret_exit))
        return false;
    if (n > 0)
        *ret_exit = app_usage(app, command, "Unexpected argument \"%s\": this command takes options only.", argv[0]);
    return n == 0;
}
