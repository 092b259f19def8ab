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
        {"kubeconfig", 0, OPTION_TEXT, &o.kubeconfig, "FILE", "kubeconfig file (default: as for kubectl)"},
        {"context", 0, OPTION_TEXT, &o.context, "NAME", "context in the kubeconfig file"},
        {"data", 0, OPTION_TEXT, &data, "FOLDER", "to-kubernetes: where the store is (default: as for terrane up)"},
        {"apply", 0, OPTION_FLAG, &o.apply, NULL, "make the changes; without it nothing is written"},
        {"with-changes", 0, OPTION_FLAG, &o.with_changes, NULL,
         "from-upjet: also take over objects that Terrane would change, as the plan shows"},
        {"not-running", 0, OPTION_FLAG, &o.not_running, NULL,
         "from-upjet: the other provider has been stopped; do not wait for it"},
        {"wait", 0, OPTION_DURATION, &o.wait_ns, "TIME",
         "from-upjet: how long to wait for the other provider to pause an object (default: 60s)"},
        {"undo", 0, OPTION_FLAG, &o.give_up, NULL,
         "from-upjet: with --apply, give back what was taken over: the other provider continues"},
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
    .details =
        "from-upjet reports for each object of an Upjet provider in the cluster (same groups and kinds) whether Terrane would "
        "take\n"
        "it over without a change, what it would change, or why it cannot. With --apply, objects that would not change are "
        "paused\n"
        "for that provider and, when it has confirmed that, marked as Terrane's. Everything else is marked as not Terrane's, so\n"
        "that `terrane controller` leaves it alone. Nothing outside the cluster changes.\n"
        "\n"
        "to-kubernetes copies the objects of the embedded store, with their Terraform state and their Secrets, into a cluster "
        "that\n"
        "has their CRDs, and marks them in the store as moved.\n"
        "\n"
        "exit codes: 0 everything was handed over; 2 some objects stay where they are; 1 failed.",
    .example = "  terrane migrate from-upjet --provider hashicorp/aws --only 'aws_s3_*'\n"
               "  terrane migrate to-kubernetes --context staging --apply",
    .run = run_migrate,
};
