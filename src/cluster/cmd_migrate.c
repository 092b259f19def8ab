/* terrane migrate: takes over objects from a provider of Upjet, or from the embedded store. */
#include "cluster/migrate.h"
#include "objects/objects.h"

static int run_migrate(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct migrate_options o = {0};
    const char *data = NULL;
    const struct option options[] = {
        {"provider", 0, OPTION_LIST, &o.providers, "SOURCE[@VERSION]",
         "from-upjet: the Terraform provider, an address or the path of a binary; may be repeated"},
        {"config", 0, OPTION_LIST, &o.configs, "FILE", "configuration of a provider, over the shipped one; may be repeated"},
        {"only", 0, OPTION_LIST, &o.only, "PATTERN", "from-upjet: only these types or definitions; may be repeated"},
        {"flavour", 0, OPTION_CHOICE, &o.flavour, "cluster|namespaced|both", "scope of the kinds (default: both)"},
        {"kubeconfig", 0, OPTION_TEXT, &o.kubeconfig, "FILE", "how to reach the cluster (default: as kubectl)"},
        {"context", 0, OPTION_TEXT, &o.context, "NAME", "which context of it"},
        {"data", 0, OPTION_TEXT, &data, "FOLDER", "to-kubernetes: where the store is (default: as for terrane up)"},
        {"apply", 0, OPTION_FLAG, &o.apply, NULL, "do it; without this nothing is written"},
        {"with-changes", 0, OPTION_FLAG, &o.with_changes, NULL,
         "from-upjet: take over also what Terrane would change, as the plan shows"},
        {"not-running", 0, OPTION_FLAG, &o.not_running, NULL,
         "from-upjet: that provider has been stopped, so do not wait for it to pause"},
        {"wait", 0, OPTION_DURATION, &o.wait_ns, "TIME", "from-upjet: for it to pause an object (default: 60s)"},
        {"undo", 0, OPTION_FLAG, &o.give_up, NULL,
         "from-upjet: with --apply, gives back what was taken over: the pause ends, and that provider goes on"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "the report as JSON, secrets hidden"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 1 && strcmp(argv[0], "from-upjet") == 0) {
        if (o.providers.n == 0)
            return app_usage(app, self, "Name the Terraform provider: terrane migrate from-upjet --provider hashicorp/aws.");
        return from_upjet(app, &o);
    }
    if (n == 1 && strcmp(argv[0], "to-kubernetes") == 0) {
        o.folder = objects_folder(app, data);
        return o.folder ? to_kubernetes(app, &o) : EXIT_FAILED;
    }
    return app_usage(app, self, "Say what to move: terrane migrate from-upjet or terrane migrate to-kubernetes.");
}

const struct command command_migrate = {
    .name = "migrate",
    .usage = "from-upjet --provider SOURCE | to-kubernetes [--apply] [options]",
    .summary = "move objects to `terrane controller`",
    .details = "from-upjet looks at the objects of a cluster that runs a provider made by Upjet, of the same groups and kinds, "
               "and says of\n"
               "each whether Terrane would take it over without a change, what it would change, or why it cannot. With --apply "
               "it pauses\n"
               "each that would not change for that provider, waits until it has left it alone, and marks it as Terrane's.\n"
               "Everything else is marked as not Terrane's, so that `terrane controller` leaves it alone. Nothing outside the "
               "cluster changes.\n"
               "\n"
               "to-kubernetes copies the objects of the embedded store, with their Terraform state and their Secrets, "
               "into a\n"
               "cluster that has their definitions, and marks them in the store as no longer its own.\n"
               "\n"
               "exit codes: 0 all of them; 2 some objects stay where they are; 1 it failed.",
    .example = "  terrane migrate from-upjet --provider hashicorp/aws --only 'aws_s3_*'\n"
               "  terrane migrate to-kubernetes --context staging --apply",
    .run = run_migrate,
};
