/* terrane controller: reconciles the managed resources of a Kubernetes API server. */
#include "admission/names.h"
#include "cli/installer.h"
#include "cluster/health.h"
#include "cluster/run.h"

#include <malloc.h>
#include <unistd.h>

enum { MAX_WORKERS = 1024 };
enum { MAX_HEAPS = 2 /* of malloc: one heap for each of dozens of threads would retain memory that passes have freed */ };

static struct log *make_log(void)
{
    const char *format = app_environment("TERRANE_LOG_FORMAT");
    bool json = format ? strcmp(format, "json") == 0 : !isatty(STDERR_FILENO);
    struct log *log = log_new(STDERR_FILENO, LOG_INFO, json ? LOG_JSON : LOG_TEXT, &system_clock);
    log_set_foreign(log, LOG_FOREIGN_NOTHING);
    return log;
}

/* Runs one after the other, with metrics, traces and the dashboard across all of them. */
static int run_all(struct app *app, const struct run_options *o, const char *listen)
{
    struct log *own = app_environment("TERRANE_LOG") ? NULL : make_log();
    struct log *log = own ? own : app->log;
    struct watched watched;
    struct run_seen seen = {.watched = &watched};
    int code = EXIT_FAILED;
    bool again = watched_open(&watched, app, &o->watch);
    watched_log(&watched, log);
    if (again && listen) {
        seen.health = health_start(&(struct health_options){listen, watched.monitor, log}, &app->diags);
        again = seen.health != NULL;
    }
    if (seen.health)
        log_info(log, "listening", LOG_Z("url", health_url(seen.health)));
    while (again)
        code = run_once(app, o, log, &seen, &again);
    health_stop(seen.health);
    watched_close(&watched);
    if (own)
        log_free(own);
    return code;
}

/* What would otherwise be refused late, by somebody else, or ignored. `*ret_code` is that of the usage error. */
static bool check(struct app *app, const struct command *self, const struct run_options *o, int *ret_code)
{
    /* The name of the Lease; of shared ones it is a label, too. */
    const char *name = !o->name    ? NULL
                       : o->shards ? name_dns_label(str_of(o->name))
                                   : name_subdomain(str_of(o->name)),
               *namespace = o->namespace ? name_dns_label(str_of(o->namespace)) : NULL;
    if (name)
        *ret_code = app_usage(app, self, "--name is \"%s\": it %s.", o->name, name);
    else if (namespace)
        *ret_code = app_usage(app, self, "--namespace is \"%s\": it %s.", o->namespace, namespace);
    else if (o->shards && o->no_election)
        *ret_code = app_usage(app, self, "--shards needs the Leases that --no-election does without: leave one of them out.");
    else if (o->shard_by && !o->shards)
        *ret_code = app_usage(app, self, "--shard-by says how --shards shares the objects: add --shards.");
    else if (o->webhook_listen && !o->webhook)
        *ret_code = app_usage(app, self, "--webhook-listen is where --webhook listens: add --webhook.");
    else if (o->workers > MAX_WORKERS)
        *ret_code = app_usage(app, self, "--workers is %d at most.", MAX_WORKERS);
    else
        return true;
    return false;
}

static int run_controller(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct run_options o = {0};
    const char *listen = NULL;
    struct run_deploy deploy = {.image = DEPLOY_IMAGE};
    const struct option options[] = {
        {"provider", 0, OPTION_LIST, &o.providers, "SOURCE[@VERSION]",
         "a provider: an address, or the path of a binary; may be repeated"},
        {"only", 0, OPTION_LIST, &o.only, "PATTERN",
         "serve only these: types (aws_s3_*) or definitions (*.s3.aws.upbound.io); may be repeated"},
        {"activate", 0, OPTION_LIST, &o.activate, "PATTERN",
         "of these, install only what matches or a ManagedResourceActivationPolicy names; may be repeated"},
        {"settings", 0, OPTION_TEXT, &o.settings, "FILE",
         "a file with providers, only, activate, scheduler and poll; changes apply immediately"},
        {"listen", 0, OPTION_TEXT, &listen, "ADDRESS",
         "serve /healthz, /readyz and /metrics on this address: 127.0.0.1:8080, or :8080 for all addresses"},
        WATCHED_OPTIONS(&o.watch),
        {"config", 0, OPTION_LIST, &o.configs, "FILE", "configuration of a provider, over the shipped one; may be repeated"},
        {"flavour", 0, OPTION_CHOICE, &o.flavour, "cluster|namespaced|both", "scope of the kinds (default: both)"},
        {"kubeconfig", 0, OPTION_TEXT, &o.kubeconfig, "FILE",
         "kubeconfig file (default: as for kubectl, or the pod's service account)"},
        {"context", 0, OPTION_TEXT, &o.context, "NAME", "context in the kubeconfig file"},
        {"namespace", 'n', OPTION_TEXT, &o.namespace, "NAMESPACE", "namespace of the Lease (default: terrane-system)"},
        {"name", 0, OPTION_TEXT, &o.name, "NAME",
         "name of the Lease; one controller of each name is active (default: " RUN_NAME ")"},
        {"scheduler", 0, OPTION_CHOICE, &o.scheduler, "grpc|cli",
         "how to call providers: grpc keeps them running, cli goes through terraform (default: grpc)"},
        {"poll", 0, OPTION_DURATION, &o.poll_ns, "TIME", "how often an object that is ready is checked (default: 10m)"},
        {"workers", 0, OPTION_NUMBER, &o.workers, "N", "reconciles at the same time (default: 16)"},
        {"grace", 0, OPTION_DURATION, &o.grace_ns, "TIME",
         "how long running operations may take to finish when the controller stops (default: 25s)"},
        {"take-over", 0, OPTION_FLAG, &o.take_over, NULL, "replace CRDs of another owner (their objects stay)"},
        {"shards", 0, OPTION_FLAG, &o.shards, NULL,
         "share the objects with other controllers that have this name and this option"},
        {"shard-by", 0, OPTION_TEXT, &o.shard_by, "WHAT",
         "what is kept together: object (default), group, namespace or label:KEY; must be the same for all"},
        {"webhook", 0, OPTION_TEXT, &o.webhook, "URL|NAMESPACE/SERVICE",
         "also serve older versions of kinds; where the API server reaches this program to convert them"},
        {"webhook-listen", 0, OPTION_TEXT, &o.webhook_listen, "ADDRESS",
         "address on which the webhook listens, HOST:PORT or :PORT (default: " RUN_WEBHOOK_LISTEN ")"},
        {"deploy", 0, OPTION_TEXT, &deploy.folder, "DIR",
         "do not run; write a kustomize base that runs this in a cluster, with roles for these kinds only"},
        {"image", 0, OPTION_TEXT, &deploy.image, "IMAGE", "with --deploy: image of the controller (default: " DEPLOY_IMAGE ")"},
        {"force", 0, OPTION_FLAG, &deploy.force, NULL, "with --deploy: replace files that it did not write"},
        {"no-election", 0, OPTION_FLAG, &o.no_election, NULL,
         "do not elect a leader: use it only where no other controller runs"},
        APP_OPTION_INSTALL(app),
        {0},
    };
    int code = EXIT_OK;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    if (o.providers.n == 0 && !o.settings)
        return app_usage(app, self, "Name a provider: terrane controller --provider hashicorp/aws --only 'aws_s3_*'.");
    if (o.shard_by && strcmp(o.shard_by, "object") != 0 && strcmp(o.shard_by, "group") != 0 &&
        strcmp(o.shard_by, "namespace") != 0 && (strncmp(o.shard_by, "label:", 6) != 0 || !o.shard_by[6]))
        return app_usage(app, self, "--shard-by is object, group, namespace or label:KEY, not \"%s\".", o.shard_by);
    if (!check(app, self, &o, &code))
        return code;
    deploy.listen = listen;
    if (deploy.folder)
        return run_deploy(app, &o, &deploy);
    if (watched_wants_dashboard(&o.watch) && !app_environment(WATCHED_TOKEN_VARIABLE) && !isatty(STDOUT_FILENO))
        return app_usage(
            app, self,
            "There is no terminal to show the address of the dashboard with its token on: set " WATCHED_TOKEN_VARIABLE
            " to a secret of your own.");
    (void)mallopt(M_ARENA_MAX, MAX_HEAPS);
    return run_all(app, &o, listen);
}

const struct command command_controller = {
    .name = "controller",
    .usage = "--provider SOURCE[@VERSION]... [options]",
    .summary = "create the managed resources of a Kubernetes cluster and keep them up to date",
    .details =
        "Generates the CRDs of the selected kinds from the provider's schema, installs them, and reconciles their objects, as\n"
        "`terrane up` does on one machine. Of several controllers with the same --name one is active; another takes over within\n"
        "seconds when it stops. Logs go to standard error. Ctrl-C (or SIGTERM) waits for running operations.",
    .example =
        "  terrane controller --provider hashicorp/aws@5.100.0 --only 'aws_s3_*' --only 'aws_iam_*'\n"
        "  terrane controller --provider hashicorp/aws --only 'aws_s3_*' --deploy deploy/s3 && kubectl apply -k deploy/s3\n"
        "  terrane controller --settings /etc/terrane/settings.yaml --listen :8080 --shards\n"
        "  terrane controller --provider hashicorp/aws --only 'aws_s3_*' --dashboard on --trace trace.json\n"
        "  terrane controller --provider ./terraform-provider-acme --config acme.yaml --context staging --poll 1m",
    .run = run_controller,
};
