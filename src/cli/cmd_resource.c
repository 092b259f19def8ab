/* terrane resource validate|plan|apply|refresh|destroy|import|show: options and help; resource_*.c does the work. */
#include "cli/installer.h"
#include "cli/instance_address.h"
#include "cli/resource.h"

enum verb {
    VALIDATE = 1 << 0,
    PLAN = 1 << 1,
    APPLY = 1 << 2,
    REFRESH = 1 << 3,
    DESTROY = 1 << 4,
    IMPORT = 1 << 5,
    SHOW = 1 << 6,
    CONFIGURED = VALIDATE | PLAN | APPLY, /* needs a configuration */
    LOCKING = PLAN | APPLY | REFRESH | DESTROY | IMPORT,
    ALL = VALIDATE | PLAN | APPLY | REFRESH | DESTROY | IMPORT | SHOW,
};

/* An option and the commands that have it. */
struct verb_option {
    unsigned verbs;
    struct option option;
};

enum { MAX_OPTIONS = 32 };

/* Fills `ret` with the options of `verb`, terminated as a table. */
static void choose_options(struct app *app, struct resource_options *o, enum verb verb, struct option ret[MAX_OPTIONS])
{
    const struct verb_option all[] = {
        {CONFIGURED,
         {.name = "config",
          .letter = 'c',
          .kind = OPTION_TEXT,
          .target = &o->work.config,
          .value = "FILE",
          .help = "the configuration: .json, .yaml or .yml; - for standard input"}},
        {ALL,
         {.name = "state",
          .kind = OPTION_TEXT,
          .target = &o->work.state,
          .value = "FILE",
          .help = "the state file (default terraform.tfstate)"}},
        {ALL, WORK_OPTION_PROVIDER(&o->work, "the state, else from the type's name")},
        {ALL, WORK_OPTION_PROVIDER_VERSION(&o->work)},
        {ALL, WORK_OPTION_PROVIDER_CONFIG(&o->work)},
        {ALL, APP_OPTION_INSTALL(app)},
        {ALL, APP_OPTION_TRACE(app)},
        {IMPORT,
         {.name = "identity",
          .kind = OPTION_TEXT,
          .target = &o->identity,
          .value = "FILE",
          .help = "the object's identity, like --config, instead of an ID"}},
        {APPLY | DESTROY,
         {.name = "auto-approve",
          .letter = 'y',
          .kind = OPTION_FLAG,
          .target = &o->auto_approve,
          .help = "do not ask for approval; required without a terminal"}},
        {PLAN | APPLY | DESTROY,
         {.name = "no-refresh",
          .kind = OPTION_FLAG,
          .target = &o->no_refresh,
          .help = "do not read the object first: trust the state"}},
        {PLAN | APPLY,
         {.name = "replace",
          .kind = OPTION_FLAG,
          .target = &o->replace,
          .help = "replace the object even if that is not necessary"}},
        {PLAN | APPLY,
         {.name = "ignore-changes",
          .kind = OPTION_LIST,
          .target = &o->ignore,
          .value = "PATH",
          .help = "ignore changes of this argument: tags, 'tags[\"Name\"]', all; may be given more than once"}},
        {PLAN | APPLY,
         {.name = "create-before-destroy",
          .kind = OPTION_FLAG,
          .target = &o->create_before_destroy,
          .help = "replace by creating the new object first"}},
        {PLAN,
         {.name = "detailed-exitcode",
          .kind = OPTION_FLAG,
          .target = &o->detailed_exitcode,
          .help = "exit code 0: no changes, 1: error, 2: changes"}},
        {PLAN,
         {.name = "no-lock",
          .kind = OPTION_FLAG,
          .target = &o->no_lock,
          .help = "do not lock the state file, for example in a read-only folder"}},
        {LOCKING,
         {.name = "lock-timeout",
          .kind = OPTION_DURATION,
          .target = &o->work.lock_timeout_ns,
          .value = "TIME",
          .help = "how long to wait for the state lock (default: do not wait)"}},
        {ALL, WORK_OPTION_TIMEOUT(&o->work, ", except for an apply")},
        {ALL,
         {.name = "json",
          .kind = OPTION_FLAG,
          .target = &o->work.json,
          .help = "print one JSON object, diagnostics included; sensitive values are NOT hidden"}},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].verbs & verb)
            ret[n++] = all[i].option;
    ret[n] = (struct option){0};
}

/* Checks for TYPE NAME, followed by ID for an import without an identity. */
static const char *check_arguments(const struct resource_options *o, enum verb verb, int n)
{
    bool id = verb == IMPORT && !o->identity;
    if (n < 2)
        return "Name the type and the object";
    if (id && n < 3)
        return "Give the ID of the object, or --identity FILE";
    if (n > 2 + id)
        return verb == IMPORT && o->identity ? "Give an ID or --identity, not both" : "Too many arguments";
    return verb & CONFIGURED && !o->work.config ? "Name the configuration file with -c" : NULL;
}

static int run_verb(struct resource_run *run, const char **argv, verb_fn *fn)
{
    struct app *app = run->work.app;
    if (!instance_address_parse(app->arena, argv[0], argv[1], &app->diags, &run->address))
        return EXIT_USAGE;
    run->text = state_address_text(app->arena, &run->address);
    return fn(run);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv, enum verb verb, verb_fn *fn)
{
    struct resource_options o = {0};
    struct option options[MAX_OPTIONS];
    int n, exit_code;
    choose_options(app, &o, verb, options);
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    const char *problem = check_arguments(&o, verb, n);
    if (problem)
        return app_usage(app, self, "%s: terrane %s %s.", problem, self->name, self->usage);
    struct resource_run run = {.options = &o, .id = verb == IMPORT && n > 2 ? argv[2] : ""};
    exit_code = work_begin(&run.work, app, &o.work) ? run_verb(&run, argv, fn) : EXIT_FAILED;
    work_end(&run.work, exit_code);
    return exit_code;
}

#define RUN(name, verb, fn)                                                                                                      \
    static int name(struct app *app, const struct command *self, int argc, const char **argv)                                    \
    {                                                                                                                            \
        return run(app, self, argc, argv, verb, fn);                                                                             \
    }
RUN(run_validate, VALIDATE, verb_validate)
RUN(run_plan, PLAN, verb_plan)
RUN(run_apply, APPLY, verb_apply)
RUN(run_refresh, REFRESH, verb_refresh)
RUN(run_destroy, DESTROY, verb_destroy)
RUN(run_import, IMPORT, verb_import)
RUN(run_show, SHOW, verb_show)

#define ABOUT_NAMES                                                                                                              \
    "NAME is the object's name in the state: this, 'web[0]', 'web[\"key\"]', module.net.this. The state file is in the\n"        \
    "format of Terraform and OpenTofu, with their lock; both can keep using it, and everything else in it is kept."

const struct command command_resource_validate = {
    .name = "resource validate",
    .usage = "TYPE NAME -c FILE",
    .summary = "check a configuration against the schema and the provider's own rules",
    .details = "The state and existing objects are not read. With --json: {\"valid\", \"error_count\", \"warning_count\",\n"
               "\"diagnostics\"}, as `terraform validate -json` prints it.",
    .example = "  terrane resource validate aws_vpc this -c vpc.yaml\n"
               "  echo '{\"create_duration\": \"1s\"}' | terrane resource validate time_sleep pause -c -",
    .run = run_validate,
};
const struct command command_resource_plan = {
    .name = "resource plan",
    .usage = "TYPE NAME -c FILE",
    .summary = "show what would change so that an object matches a configuration",
    .details = ABOUT_NAMES "\n\n"
                           "Nothing is changed. With --json: address, then the members of one entry of `resource_changes` in\n"
                           "`terraform show -json PLAN`, `refreshed` (the object as read), `diagnostics`.",
    .example = "  terrane resource plan aws_vpc this -c vpc.yaml --provider-config aws.yaml\n"
               "  terrane resource plan aws_vpc 'web[0]' -c vpc.json --ignore-changes tags --detailed-exitcode\n"
               "  terrane resource plan time_sleep pause -c pause.json --state /srv/states/app.tfstate --json | jq .actions",
    .run = run_plan,
};
const struct command command_resource_apply = {
    .name = "resource apply",
    .usage = "TYPE NAME -c FILE [--auto-approve]",
    .summary = "create, update or replace an object so that it matches a configuration",
    .details =
        ABOUT_NAMES "\n\n"
                    "The plan is shown, then you are asked for approval. Whatever happens, the result is saved. The first\n"
                    "Ctrl-C asks the provider to stop and saves what it did, the second one ends the program at once. With\n"
                    "--json: address, actions, state (the object as in the state file), diagnostics.",
    .example = "  terrane resource apply aws_vpc this -c vpc.yaml --provider-config aws.yaml\n"
               "  terrane resource apply aws_vpc this -c vpc.yaml --replace --create-before-destroy -y",
    .run = run_apply,
};
const struct command command_resource_refresh = {
    .name = "resource refresh",
    .usage = "TYPE NAME",
    .summary = "update the state to match the object as it is now",
    .details =
        ABOUT_NAMES "\n\n"
                    "An object that no longer exists is removed from the state. With --json: address, changed, before, after,\n"
                    "state, diagnostics.",
    .example = "  terrane resource refresh aws_vpc this --provider-config aws.yaml\n"
               "  terrane resource refresh aws_vpc 'web[0]' --state /srv/states/app.tfstate --json",
    .run = run_refresh,
};
const struct command command_resource_destroy = {
    .name = "resource destroy",
    .usage = "TYPE NAME [--auto-approve]",
    .summary = "destroy an object and remove it from the state",
    .details = ABOUT_NAMES,
    .example = "  terrane resource destroy aws_vpc this --provider-config aws.yaml\n"
               "  terrane resource destroy aws_vpc 'web[\"blue\"]' -y --json",
    .run = run_destroy,
};
const struct command command_resource_import = {
    .name = "resource import",
    .usage = "TYPE NAME (ID | --identity FILE)",
    .summary = "add an existing object to the state",
    .details =
        ABOUT_NAMES "\n\n"
                    "The provider's documentation says what an ID looks like. With --json: imported, a list of {address, type,\n"
                    "state}, and diagnostics.",
    .example = "  terrane resource import aws_vpc this vpc-0a1b2c --provider-config aws.yaml\n"
               "  terrane resource import aws_vpc this --identity identity.yaml",
    .run = run_import,
};
const struct command command_resource_show = {
    .name = "resource show",
    .usage = "TYPE NAME",
    .summary = "show an object as it is in the state",
    .details =
        ABOUT_NAMES "\n\n"
                    "Only the provider's schema is needed, from the cache if possible. Sensitive values are hidden, except with\n"
                    "--json, which prints one entry of `resources` in `terraform show -json`.",
    .example = "  terrane resource show aws_vpc this\n"
               "  terrane resource show aws_vpc 'web[0]' --json | jq .values.id",
    .run = run_show,
};
