/*
 * What every command needs. main() creates and frees it: the run's arena and diagnostics, the log, the loop, the cancellation,
 * and the environment, which is read once.
 */
#pragma once

#include "base/json.h"
#include "base/log.h"
#include "cli/args.h"
#include "loop/loop.h"
#include "registry/find.h"

/*
 * The exit codes of all commands; `terrane --help` lists them. Terraform uses 2 for changes, so wrong usage has the code of
 * sysexits.h.
 */
enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_CHANGES = 2,   /* `plan` and `resource plan --detailed-exitcode`: there are changes; `import`: not clean; `drift` */
    EXIT_NOT_READY = 2, /* `up --once`, `get --wait`: an object is not ready */
    EXIT_BREAKING = 3,  /* `generate --against`: a change may break users */
    EXIT_USAGE = 64,
    EXIT_INTERRUPTED = 130,
};

enum { APP_MAX_TEXT = 1 << 30 }; /* limit of one command's text output in memory */

struct app {
    struct arena *arena;
    struct diags diags; /* main() prints them on stderr at the end */
    struct log *log;
    struct loop *loop;     /* NULL until the first app_loop() */
    struct cancel *cancel; /* the first Ctrl-C fires it */
    const char *cache_folder;
    bool install;           /* install missing providers (installer.h) */
    const char *trace_file; /* from APP_OPTION_TRACE; NULL: none */
    struct trace *trace;    /* web/trace.h; opened by app_args(), closed by main() */
    struct log_watch for_trace;
    bool color_out, color_err; /* that stream is a terminal, and NO_COLOR is not set */
    bool output_failed;        /* and was reported: nothing more is written to stdout */
    /* If not NULL, app_args() passes the command's options to it instead of parsing, and the command ends (commands.h). */
    void (*see_options)(void *ctx, const struct command *command, const struct option *options);
    void *see_ctx;
};

/* Option to write calls to providers and services into a file for browsers. app_args() and main() do the rest. */
#define APP_OPTION_TRACE(app)                                                                                                    \
    {.name = "trace",                                                                                                            \
     .kind = OPTION_TEXT,                                                                                                        \
     .target = &(app)->trace_file,                                                                                               \
     .value = "FILE",                                                                                                            \
     .help = "write every call with its duration to FILE, for chrome://tracing or ui.perfetto.dev"}
/* Completes and closes that file. */
void app_close_trace(struct app *app);

/* An environment variable; NULL if it is not set or empty. */
const char *app_environment(const char *name);

/* The I/O loop, started by the first call. */
struct loop *app_loop(struct app *app);

/* Where to look for providers, from the environment; without the CLI configuration, which is not needed for a path. */
bool app_find_context(struct app *app, struct find_context *ret);
/* Adds the CLI configuration; false with diagnostics if it is invalid. */
bool app_cli_config(struct app *app, struct find_context *context);

/* Writes all of it to stdout; false with a diagnostic if that fails (a closed pipe fails silently). */
bool app_print(struct app *app, struct str text);
/* The same for a JSON document, indented and followed by a line feed. */
bool app_print_json(struct app *app, const struct json *document);
/* Writes a line for people to stderr, at once. */
void app_say(struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports that stdout could not be written, and returns false. `error` is errno. */
bool app_output_failed(struct diags *diags, int error);
/* For json_writer.flush, with the app as context. */
bool app_flush(void *app, struct str bytes);

/* Reports wrong usage: a diagnostic that says what to type instead, and where the help is. Returns EXIT_USAGE. */
int app_usage(struct app *app, const struct command *command, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Parses the arguments with `options`. False: help was asked for or the arguments are wrong; the command returns *ret_exit. */
bool app_args(struct app *app, const struct command *command, const struct option *options, int argc, const char **argv,
              int *ret_n, int *ret_exit);
/* The same for a command that takes only options. */
bool app_options(struct app *app, const struct command *command, const struct option *options, int argc, const char **argv,
                 int *ret_exit);

extern const struct command command_up, command_plan, command_get, command_describe, command_events, command_delete,
    command_pause, command_resume, command_logs, command_store_backup, command_store_restore;
extern const struct command command_controller;
extern const struct command command_migrate;
extern const struct command command_links_mine, command_links_check, command_links_find, command_links_convert,
    command_links_derive;
extern const struct command command_generate, command_config_from_upjet, command_config_schema, command_config_show;
extern const struct command command_cloudcontrol_pack, command_cloudcontrol_report, command_cloudcontrol_schema,
    command_cloudcontrol_table, command_cloudcontrol_serve, command_cloudcontrol_emulate, command_cloudcontrol_example;
extern const struct command command_import, command_drift;
extern const struct command command_engine, command_schema, command_provider_list, command_provider_install,
    command_package_image, command_package_xpkg, command_package_provider, command_doctor, command_version, command_man,
    command_completion, command_complete;
extern const struct command command_resource_validate, command_resource_plan, command_resource_apply, command_resource_refresh,
    command_resource_destroy, command_resource_import, command_resource_show, command_data, command_list;
