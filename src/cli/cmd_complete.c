/* terrane __complete: called by the scripts of `terrane completion`. */
#include "base/terminal.h"
#include "cli/complete.h"
#include "cli/schema_source.h"

enum { MAX_ANSWER = 8 << 20, MAX_ABOUT = 80 };

void shell_completion_add(struct shell_completion *c, struct str word, struct str about)
{
    if (!str_starts(word, c->typed))
        return;
    buf_add(c->out, c->kept);
    terminal_write(c->out, word, 0);
    if (about.n > 0) {
        buf_addc(c->out, '\t');
        terminal_write(c->out, str_slice(about, 0, about.n < MAX_ABOUT ? about.n : MAX_ABOUT), 0);
    }
    buf_addc(c->out, '\n');
}

/* --- the previous words --- */

struct words {
    struct shell_completion *c;
    const char *wanted;   /* name of an option to look for; or NULL */
    size_t number;        /* of the argument to look for, if not an option */
    const char *found;    /* value of the option; for an argument: the word */
    size_t n_arguments;   /* so far */
    struct option opened; /* the option whose value is being typed; no name: none */
};

static const struct option *option_of(const struct option *options, const char *word)
{
    for (const struct option *o = options; o->name; o++) {
        size_t n = strlen(o->name);
        if (word[1] == '-' ? strncmp(word + 2, o->name, n) == 0 && (word[2 + n] == '\0' || word[2 + n] == '=')
                           : o->letter && word[1] == o->letter && word[2] == '\0')
            return o;
    }
    return NULL;
}

/* bash splits --name=value into three words. */
static bool is_equals(const char *word)
{
    return strcmp(word, "=") == 0;
}

static void read_words(void *ctx, const struct command *command, const struct option *options)
{
    (void)command;
    struct words *w = ctx;
    for (int i = 0; i < w->c->argc; i++) {
        const char *word = w->c->argv[i];
        const struct option *o = word[0] == '-' ? option_of(options, word) : NULL;
        const char *equals = o ? strchr(word, '=') : NULL;
        if (is_equals(word))
            continue;
        if (word[0] != '-') {
            if (!w->wanted && w->n_arguments == w->number)
                w->found = word;
            w->n_arguments++;
        } else if (o && o->kind != OPTION_FLAG && !equals) {
            if (i + 1 < w->c->argc && is_equals(w->c->argv[i + 1]))
                i++;
            if (++i >= w->c->argc)
                w->opened = *o;
            else if (w->wanted && strcmp(o->name, w->wanted) == 0)
                w->found = w->c->argv[i];
        } else if (equals && w->wanted && strcmp(o->name, w->wanted) == 0) {
            w->found = equals + 1;
        }
    }
}

const char *shell_completion_argument(struct shell_completion *c, size_t number)
{
    struct words w = {.c = c, .number = number};
    command_options(c->app, c->command, read_words, &w);
    return w.found;
}

const char *shell_completion_option(struct shell_completion *c, const char *name)
{
    struct words w = {.c = c, .wanted = name};
    command_options(c->app, c->command, read_words, &w);
    return w.found;
}

/* --- possible words --- */

static void add_choices(struct shell_completion *c, struct str choices)
{
    while (choices.n > 0)
        shell_completion_add(c, str_cut(&choices, '|'), STR_EMPTY);
}

static struct str without(struct str s, struct str prefix)
{
    return str_starts(s, prefix) ? str_slice(s, prefix.n, s.n) : s;
}

/* As short as people type them: without the default host and namespace. */
static void add_providers(struct shell_completion *c, struct str suffix)
{
    struct find_context context;
    struct found_providers found = {0};
    struct str last = STR_EMPTY;
    if (!app_find_context(c->app, &context) || !app_cli_config(c->app, &context) ||
        !provider_find_all(&context, c->app->arena, &c->app->diags, &found))
        return;
    for (size_t i = 0; i < found.n; i++) {
        struct str address = provider_address_text(c->app->arena, &found.v[i].address);
        struct str name = without(without(address, STR("registry.terraform.io/")), STR("hashicorp/"));
        if (suffix.n > 0)
            name = arena_printf(c->app->arena, STR_FMT STR_FMT, STR_ARG(found.v[i].address.type), STR_ARG(suffix));
        if (!str_eq(name, last))
            shell_completion_add(c, name, address);
        last = name;
    }
}

/* Types of the provider that is named, or that the beginning of the type suggests. */
static void add_types(struct shell_completion *c)
{
    struct str rest = c->typed, prefix = str_cut(&rest, '_');
    const char *provider = shell_completion_option(c, "provider");
    if (!provider && str_eqz(args_argument(c->command->usage, 0), "PROVIDER"))
        provider = shell_completion_argument(c, 0);
    if (!provider && prefix.n == c->typed.n) {
        c->how = COMPLETE_OPEN;
        add_providers(c, STR("_"));
        return;
    }
    struct schema_request request = {.provider = provider ? provider : arena_printf(c->app->arena, STR_FMT, STR_ARG(prefix)).p};
    struct schema_source source;
    if (!schema_source_load(c->app, &request, &source))
        return;
    for (size_t i = 0; i < source.schema->resources.n; i++)
        shell_completion_add(c, source.schema->resources.entries[i].key, STR_EMPTY);
}

static void add_words(struct shell_completion *c, struct str what)
{
    static const char *const providers[] = {"PROVIDER", "SOURCE", NULL}, *const types[] = {"TYPE", "PATTERN", NULL},
                             *const folders[] = {"DIR", "FOLDER", "DOCS_DIR", "SCHEMAS", NULL},
                             *const files[] = {"FILE", "FILE|DIR", "FROM", "CONFIG.json", "PATH", NULL};
    if (c->command->complete)
        c->command->complete(c, what);
    if (what.n > 0 && what.p[0] >= 'a' && what.p[0] <= 'z')
        add_choices(c, what);
    else if (str_is_one_of(what, providers))
        add_providers(c, STR_EMPTY);
    else if (str_is_one_of(what, types) && !command_is_in_group(c->command, STR("cloudcontrol")))
        add_types(c);
    else if (str_is_one_of(what, folders))
        c->how = COMPLETE_FOLDERS;
    else if (str_is_one_of(what, files))
        c->how = COMPLETE_FILES;
}

/* The first word of a value such as "SOURCE[@VERSION]". */
static struct str value_name(const struct option *o)
{
    struct str rest = str_of(o->value);
    return o->kind == OPTION_CHOICE || o->kind == OPTION_CHOICES ? rest : str_cut(&rest, '[');
}

static void add_options(void *ctx, const struct command *command, const struct option *options)
{
    (void)command;
    struct shell_completion *c = ctx;
    for (const struct option *o = options; o->name; o++)
        shell_completion_add(c, arena_printf(c->app->arena, "--%s", o->name), str_of(o->help));
    shell_completion_add(c, STR("--help"), STR("show this help"));
}

/* --name=VALUE in one word: completes the value and keeps what is before it. */
static void add_joined_value(void *ctx, const struct command *command, const struct option *options)
{
    (void)command;
    struct shell_completion *c = ctx;
    const struct option *o = option_of(options, c->typed.p);
    size_t equals = str_find(c->typed, '=', 0);
    if (!o || o->kind == OPTION_FLAG)
        return;
    c->kept = str_slice(c->typed, 0, equals + 1);
    c->typed = str_slice(c->typed, equals + 1, c->typed.n);
    add_words(c, value_name(o));
}

static void complete_word(struct shell_completion *c)
{
    struct words w = {.c = c, .number = SIZE_MAX};
    command_options(c->app, c->command, read_words, &w);
    if (w.opened.name)
        add_words(c, value_name(&w.opened));
    else if (c->typed.n > 2 && c->typed.p[0] == '-' && str_find(c->typed, '=', 0) != SIZE_MAX)
        command_options(c->app, c->command, add_joined_value, c);
    else if (c->typed.n > 0 && c->typed.p[0] == '-')
        command_options(c->app, c->command, add_options, c);
    else
        add_words(c, args_argument(c->command->usage, w.n_arguments));
}

/* The first words of all commands, or the second words of a group. A group is listed once, beside the commands. */
static void complete_command(struct shell_completion *c, struct str group)
{
    struct str last = STR_EMPTY;
    for (const struct command *const *command = commands; *command; command++) {
        struct str rest = str_of((*command)->name), word = str_cut(&rest, ' ');
        if (group.n > 0 && !str_eq(word, group))
            continue;
        if (group.n > 0)
            shell_completion_add(c, rest, str_of((*command)->summary));
        else if (!str_eq(word, last))
            shell_completion_add(c, word, rest.n > 0 ? STR("commands of this group") : str_of((*command)->summary));
        last = word;
    }
}

static void complete_line(struct shell_completion *c, int argc, const char **argv)
{
    int words = 0;
    int before = argc - 1;
    c->typed = str_of(argv[before]);
    if (is_equals(argv[before]))
        c->typed = STR_EMPTY;
    c->command = commands_find(before, argv, &words);
    if (c->command) {
        c->argc = before - words;
        c->argv = argv + words;
        complete_word(c);
    } else if (before == 0) {
        complete_command(c, STR_EMPTY);
    } else if (before == 1 && commands_is_group(str_of(argv[0]))) {
        complete_command(c, str_of(argv[0]));
    }
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    static const char *const how[] = {"none", "files", "folders", "open"};
    (void)self;
    struct buf out BUF_AUTO = BUF_INIT(MAX_ANSWER);
    struct shell_completion c = {.app = app, .out = &out};
    if (argc > 0)
        complete_line(&c, argc, argv);
    diags_init(&app->diags, app->arena); /* messages would disturb the user's typing */
    buf_printf(&out, ":%s\n", how[c.how]);
    return app_print(app, buf_str(&out)) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_complete = {
    .name = "__complete", .usage = "WORD...", .summary = "what the last word may be", .run = run};
