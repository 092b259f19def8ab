#include "cli/commands.h"

#include "base/file.h"

#include <unistd.h>

const struct command *const commands[] = {
    &command_up,
    &command_plan,
    &command_controller,
    &command_migrate,
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
    &command_drift,
    &command_cloudcontrol_pack,
    &command_cloudcontrol_report,
    &command_cloudcontrol_schema,
    &command_cloudcontrol_table,
    &command_cloudcontrol_example,
    &command_cloudcontrol_serve,
    &command_cloudcontrol_emulate,
    &command_schema,
    &command_provider_list,
    &command_provider_install,
    &command_package_image,
    &command_package_xpkg,
    &command_package_provider,
    &command_doctor,
    &command_engine,
    &command_man,
    &command_completion,
    &command_version,
    NULL,
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] - 1, NOTE_COLUMN = 28, CODE_COLUMN = 5 };

const struct command_note command_environment[] = {
    {"TERRANE_LOG", "log level on stderr: trace, debug, info, warn, error, off (default warn)"},
    {"TERRANE_LOG_FORMAT", "text (default) or json"},
    {"TERRANE_LOG_PROVIDER", "unsafe: log what providers log word for word, secrets included (default: only level, provider,\n"
                             "module and call, and only if TERRANE_LOG is set)"},
    {"TERRANE_CACHE", "cache folder (default: terrane in XDG_CACHE_HOME or ~/.cache)"},
    {"TERRANE_STORE", "folder of the store of managed resources (default: terrane in XDG_STATE_HOME or\n~/.local/state)"},
    {"TERRANE_STORE_KEY", "the store's key, instead of the file store.key in it"},
    {"TERRANE_MIRROR", "a filesystem mirror of providers that is searched first"},
    {"TERRANE_CLOUDCONTROL_PACK", "the schema pack (default: cloudcontrol/schemas.pack in the cache folder)"},
    {"TERRANE_AWSCC_STRICT", "1: the provider awscc has exactly the types and attributes of hashicorp/awscc"},
    {"TERRANE_DASHBOARD_TOKEN", "the dashboard's token (default: a new one for each run)"},
    {"NO_COLOR", "no colours if it is set, whatever its value"},
    {"TF_CLI_CONFIG_FILE", "as Terraform uses it; so are TF_PLUGIN_CACHE_DIR and TF_REATTACH_PROVIDERS"},
    {NULL, NULL},
};

const struct command_note command_exit_codes[] = {
    {"0", "done"},
    {"1", "failed; the diagnostics say why"},
    {"2", "plan, resource plan --detailed-exitcode: there is something to do; up --once, get --wait: an object is\n"
          "not ready; import: not clean; drift: something differs; migrate: an object stays where it is"},
    {"3", "generate --against: a change may break users"},
    {"64", "wrong usage: an unknown command or option, a missing argument"},
    {"130", "interrupted (Ctrl-C, SIGTERM, SIGHUP)"},
    {NULL, NULL},
};

bool command_is_in_group(const struct command *command, struct str group)
{
    struct str name = str_of(command->name);
    return name.n > group.n && str_starts(name, group) && name.p[group.n] == ' ';
}

bool commands_is_group(struct str word)
{
    size_t i = 0;
    while (commands[i] && !command_is_in_group(commands[i], word))
        i++;
    return commands[i];
}

/* Lists the commands of a group; `group` NULL: all. */
static void write_commands(struct buf *out, const char *group)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!group || command_is_in_group(commands[i], str_of(group)))
            buf_printf(out, "  %-20s %s\n", commands[i]->name, commands[i]->summary);
}

/* The lines of each text are aligned. */
static void write_notes(struct buf *out, const struct command_note *notes, int column)
{
    for (; notes->name; notes++) {
        struct str help = str_of(notes->help), line = str_cut(&help, '\n');
        buf_printf(out, "  %-*s" STR_FMT "\n", column, notes->name, STR_ARG(line));
        while (help.n > 0) {
            line = str_cut(&help, '\n');
            buf_printf(out, "  %-*s" STR_FMT "\n", column, "", STR_ARG(line));
        }
    }
}

/* Writes two examples, each the first of its command. */
static void write_examples(struct buf *out, const char *group)
{
    size_t n = 0;
    buf_addz(out, "\nexamples:\n");
    for (size_t i = 0; i < N_COMMANDS && n < 2; i++)
        if (!group || command_is_in_group(commands[i], str_of(group))) {
            struct str all = str_of(commands[i]->example), first = str_cut(&all, '\n');
            buf_printf(out, STR_FMT "\n", STR_ARG(first));
            n++;
        }
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
    write_examples(out, group);
}

static void write_overview(struct buf *out)
{
    buf_addz(out, "terrane " TERRANE_VERSION ": one engine for Terraform providers\n\n"
                  "usage: terrane COMMAND [options]\n\n"
                  "commands:\n");
    write_commands(out, NULL);
    buf_addz(out, "\n"
                  "Run `terrane COMMAND --help` for options and examples.\n\n"
                  "environment:\n");
    write_notes(out, command_environment, NOTE_COLUMN);
    buf_addz(out, "\nexit codes:\n");
    write_notes(out, command_exit_codes, CODE_COLUMN);
    write_examples(out, NULL);
}

/* Do the first words name this command? Sets *ret_words to the number of its words. */
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

const struct command *commands_find(int argc, const char **argv, int *ret_words)
{
    size_t i = 0;
    while (commands[i] && !is_named(commands[i], argc, argv, ret_words))
        i++;
    return commands[i];
}

/* The group of a command with two words; NULL: the command has one word. */
static const char *group_of(struct app *app, const struct command *command)
{
    struct str rest = str_of(command->name), first = str_cut(&rest, ' ');
    return rest.n > 0 ? arena_str(app->arena, first).p : NULL;
}

/* Who types `terrane install` means `terrane provider install`: the commands with this second word, as "A" or "B". */
static struct str commands_with_second_word(struct app *app, const char *typed)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        struct str rest = str_of(commands[i]->name);
        (void)str_cut(&rest, ' ');
        if (str_eqz(rest, typed))
            buf_printf(&out, "%s\"terrane %s\"", out.n > 0 ? " or " : "", commands[i]->name);
    }
    return buf_copy(&out, app->arena);
}

static void unknown_option(struct app *app, const char *typed)
{
    static const char *const options[] = {"--help", "--version", NULL};
    const char *closest = args_closest(typed, options);
    if (closest)
        diags_fail(&app->diags, "Unknown option", "\"%s\" is not an option. Did you mean %s?", typed, closest);
    else
        diags_fail(&app->diags, "Unknown option",
                   "\"%s\" is not an option of \"terrane\". Options come after the command: terrane COMMAND %s. `terrane --help` "
                   "lists the commands.",
                   typed, typed);
}

void commands_unknown(struct app *app, int argc, const char **argv)
{
    const char *names[2 * N_COMMANDS + 1] = {NULL};
    size_t n = 0;
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[n++] = commands[i]->name;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if ((names[n] = group_of(app, commands[i])))
            n++;
    if (argv[0][0] == '-') {
        unknown_option(app, argv[0]);
        return;
    }
    /* With two words, the second one may be wrong. */
    bool two = argc > 1 && argv[1][0] != '-';
    if (argc > 1 && !two && commands_is_group(str_of(argv[0]))) {
        diags_fail(&app->diags, "Missing command",
                   "Expected a command between \"%s\" and \"%s\". `terrane %s --help` lists them.", argv[0], argv[1], argv[0]);
        return;
    }
    const char *typed = two ? arena_printf(app->arena, "%s %s", argv[0], argv[1]).p : argv[0];
    struct str meant = commands_with_second_word(app, argv[0]);
    if (meant.n > 0) {
        diags_fail(&app->diags, "Unknown command", "\"%s\" is not a command. Did you mean " STR_FMT "?", argv[0], STR_ARG(meant));
        return;
    }
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
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-help") == 0 || strcmp(word, "-h") == 0;
}

/* In the spellings of curl, terraform and others. */
static bool asks_for_version(const char *word)
{
    static const char *const spellings[] = {"--version", "-version", "-v", "-V"};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(word, spellings[i]) == 0)
            return true;
    return false;
}

/* Shows all commands, or those of a group. On stdout if help was asked for; otherwise the command is missing. */
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

int commands_run(struct app *app, int argc, const char **argv)
{
    bool help = argc > 0 && asks_for_help(argv[0]);
    if (argc == help)
        return show_commands(app, NULL, help);
    if (argc == help + 1 && commands_is_group(str_of(argv[help])))
        return show_commands(app, argv[help], help);
    if (argc == 2 && commands_is_group(str_of(argv[0])) && asks_for_help(argv[1]))
        return show_commands(app, argv[0], true);
    if (asks_for_version(argv[0]))
        return command_version.run(app, &command_version, argc - 1, argv + 1);

    if (strcmp(argv[0], command_complete.name) == 0) /* used by the scripts of `terrane completion`, and in no list */
        return command_complete.run(app, &command_complete, argc - 1, argv + 1);

    int words = 0;
    const struct command *command = commands_find(argc - help, argv + help, &words);
    if (!command) {
        commands_unknown(app, argc - help, argv + help);
        return EXIT_USAGE;
    }
    if (help) {
        const char *line[] = {"--help", NULL};
        return command->run(app, command, 1, line);
    }
    return command->run(app, command, argc - words, argv + words);
}

void command_options(struct app *app, const struct command *command, command_see_fn *see, void *ctx)
{
    const char *line[] = {NULL};
    app->see_options = see;
    app->see_ctx = ctx;
    (void)command->run(app, command, 0, line);
    app->see_options = NULL;
}
