/* terrane man: manual pages, from the tables for parsing and --help. */
#include "cli/commands.h"
#include "output/output.h"

enum { MAX_PAGE = 1 << 20 };

/* --- troff --- */

/*
 * Escapes text for troff: a dot or quote at the beginning of a line, backslashes, and dashes, so that they can be copied into a
 * shell.
 */
static void write_text(struct buf *out, struct str text)
{
    bool starts = true;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (starts && (c == '.' || c == '\''))
            buf_addz(out, "\\&");
        if (c == '\\')
            buf_addz(out, "\\e");
        else if (c == '-')
            buf_addz(out, "\\-");
        else if (c == '\'')
            buf_addz(out, "\\(aq");
        else if (c == '`')
            buf_addz(out, "\\(ga");
        else if (c == '^')
            buf_addz(out, "\\(ha");
        else if (c == '~')
            buf_addz(out, "\\(ti");
        else
            buf_addc(out, c);
        starts = c == '\n';
    }
}

static void write_section(struct buf *out, const char *title)
{
    buf_printf(out, ".SH %s\n", title);
}

/* Joins and fills lines; an empty one begins a paragraph, and lines that are indented stay as they are. */
static void write_paragraphs(struct buf *out, struct str text)
{
    bool as_is = false;
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        bool indented = str_starts(line, STR("  "));
        if (indented != as_is)
            buf_addz(out, indented ? ".EX\n" : ".EE\n");
        as_is = indented;
        if (line.n == 0)
            buf_addz(out, ".PP\n");
        else {
            write_text(out, indented ? line : str_trim(line));
            buf_addc(out, '\n');
        }
    }
    if (as_is)
        buf_addz(out, ".EE\n");
}

static void write_example(struct buf *out, const char *lines)
{
    write_section(out, "EXAMPLES");
    buf_addz(out, ".EX\n");
    for (struct str rest = str_of(lines); rest.n > 0;) {
        struct str line = str_cut(&rest, '\n');
        write_text(out, str_starts(line, STR("  ")) ? str_slice(line, 2, line.n) : line);
        buf_addc(out, '\n');
    }
    buf_addz(out, ".EE\n");
}

static void write_notes(struct buf *out, const char *title, const struct command_note *notes)
{
    write_section(out, title);
    for (; notes->name; notes++) {
        buf_addz(out, ".TP\n.B ");
        write_text(out, str_of(notes->name));
        buf_addc(out, '\n');
        write_paragraphs(out, str_of(notes->help));
    }
}

/* --- pages --- */

/* "resource plan" -> "terrane-resource-plan" */
static struct str page_name(struct arena *a, const struct command *command)
{
    struct buf name BUF_AUTO = BUF_INIT(256);
    buf_printf(&name, "terrane-%s", command->name);
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == ' ')
            name.p[i] = '-';
    return buf_copy(&name, a);
}

static void write_head(struct buf *out, struct str name, const char *summary)
{
    buf_addz(out, ".TH ");
    write_text(out, name);
    buf_addz(out, " 1 \"\" \"Terrane " TERRANE_VERSION "\" \"Terrane manual\"\n"
                  ".SH NAME\n");
    write_text(out, name);
    buf_addz(out, " \\- ");
    write_text(out, str_of(summary));
    buf_addz(out, "\n.SH SYNOPSIS\n");
}

static void write_option(struct buf *out, const struct option *o)
{
    buf_addz(out, ".TP\n");
    if (o->letter)
        buf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
    buf_addz(out, "\\fB\\-\\-");
    write_text(out, str_of(o->name));
    buf_addz(out, "\\fR");
    if (o->kind != OPTION_FLAG) {
        buf_addz(out, " \\fI");
        write_text(out, str_of(o->value));
        buf_addz(out, "\\fR");
    }
    buf_addc(out, '\n');
    write_paragraphs(out, str_of(o->help));
}

static void write_command_page(void *ctx, const struct command *command, const struct option *options)
{
    static const struct option help = {.name = "help", .letter = 'h', .help = "show a summary of all this"};
    struct buf *out = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    write_head(out, page_name(a, command), command->summary);
    buf_printf(out, "\\fBterrane %s\\fR ", command->name);
    write_text(out, str_of(command->usage));
    buf_addc(out, '\n');
    if (command->details) {
        write_section(out, "DESCRIPTION");
        write_paragraphs(out, str_of(command->details));
    }
    write_section(out, "OPTIONS");
    for (const struct option *o = options; o->name; o++)
        write_option(out, o);
    write_option(out, &help);
    if (command->example)
        write_example(out, command->example);
    write_notes(out, "EXIT STATUS", command_exit_codes);
    buf_addz(out, ".SH SEE ALSO\n.BR terrane (1)\n");
}

static void write_overview_page(struct buf *out, struct arena *a)
{
    write_head(out, STR("terrane"), "one engine for Terraform providers");
    buf_addz(out, "\\fBterrane\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n");
    write_section(out, "DESCRIPTION");
    write_paragraphs(out,
                     STR("Uses any Terraform provider without Terraform, is a Terraform provider for every CloudFormation type,\n"
                         "turns providers into Kubernetes APIs, and existing infrastructure into code."));
    write_section(out, "COMMANDS");
    for (const struct command *const *command = commands; *command; command++) {
        buf_addz(out, ".TP\n.BR ");
        write_text(out, page_name(a, *command));
        buf_addz(out, " (1)\n");
        write_text(out, str_of((*command)->summary));
        buf_addc(out, '\n');
    }
    write_notes(out, "ENVIRONMENT", command_environment);
    write_notes(out, "EXIT STATUS", command_exit_codes);
}

static bool add_page(struct output *folder, struct app *app, struct str name, const struct buf *page)
{
    return output_add(folder, arena_printf(app->arena, STR_FMT ".1", STR_ARG(name)), buf_str(page), &app->diags);
}

static bool write_folder(struct app *app, const char *path)
{
    struct output folder;
    output_init(&folder, app->arena, path);
    folder.scope = STR("manual pages");
    folder.cancel = app->cancel;
    struct buf page BUF_AUTO = BUF_INIT(MAX_PAGE);
    write_overview_page(&page, app->arena);
    bool ok = add_page(&folder, app, STR("terrane"), &page);
    for (const struct command *const *command = commands; ok && *command; command++) {
        buf_clear(&page);
        command_options(app, *command, write_command_page, &page);
        ok = add_page(&folder, app, page_name(app->arena, *command), &page);
    }
    ok = ok && output_commit(&folder, &app->diags);
    output_discard(&folder);
    return ok;
}

static int print_page(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct buf page BUF_AUTO = BUF_INIT(MAX_PAGE);
    int words = 0;
    const struct command *command = commands_find(argc, argv, &words);
    if (argc == 0)
        write_overview_page(&page, app->arena);
    else if (command && words == argc)
        command_options(app, command, write_command_page, &page);
    else if (argc == 1 && commands_is_group(str_of(argv[0])))
        return app_usage(app, self, "\"%s\" is a group of commands; name one of those that `terrane %s --help` lists.", argv[0],
                         argv[0]);
    else {
        commands_unknown(app, argc, argv);
        return EXIT_USAGE;
    }
    return app_print(app, buf_str(&page)) ? EXIT_OK : EXIT_FAILED;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    const char *folder = NULL;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &folder, "DIR", "write the pages of all commands into this folder"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (folder && n > 0)
        return app_usage(app, self, "-o writes all pages: name no command beside it.");
    if (folder)
        return write_folder(app, folder) ? EXIT_OK : EXIT_FAILED;
    return print_page(app, self, n, argv);
}

const struct command command_man = {
    .name = "man",
    .usage = "[COMMAND...] [-o DIR]",
    .summary = "print a manual page",
    .details = "The page of a command, or without one that of the whole program, for man(1). Packages install the pages of all\n"
               "commands, and so does `make install`.",
    .example = "  terrane man resource plan | man -l -\n"
               "  terrane man -o share/man/man1",
    .run = run,
};
