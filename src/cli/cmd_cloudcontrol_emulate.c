/* terrane cloudcontrol emulate: a local Cloud Control API. */
#include "base/file.h"
#include "cli/cloudcontrol.h"
#include "cloudcontrol/sources.h"
#include "emulator/emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PACK_MODE = 0600 };

struct emulate_request {
    const char *listen, *data, *schemas, *account, *region;
    struct option_texts fail, hook;
    int64_t throttle, latency;
    bool unsigned_too, keep_order, quiet;
};

/* A pack of schemas that are none yet lives in a file without a name. */
static struct cc_pack *make_pack(struct app *app, const char *from)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct cc_sources sources;
    struct cc_pack_made made;
    struct buf pack BUF_AUTO = BUF_INIT(CC_PACK_MAX_BYTES), lock BUF_AUTO = BUF_INIT(CC_PACK_MAX_BYTES);
    const struct cc_pack_options options = {.source = str_of(from), .without_answers = true};
    if (!cc_sources_read(scratch, from, &app->diags, &sources) ||
        !cc_pack_make(sources.v, sources.n, &options, &pack, &lock, &made, &app->diags))
        return NULL;
    const char *folder = app_environment("TMPDIR");
    const char *path = arena_printf(app->arena, "%s/terrane-emulator-%ld.pack", folder ? folder : "/tmp", (long)getpid()).p;
    if (!file_write(path, buf_str(&pack), PACK_MODE, &app->diags))
        return NULL;
    struct cc_pack *opened = cc_pack_open(path, &app->diags);
    (void)unlink(path);
    return opened;
}

static struct cc_pack *open_pack(struct app *app, const struct emulate_request *r)
{
    if (!r->schemas)
        return cc_pack_open(cloudcontrol_pack_path(app), &app->diags);
    return cc_pack_is(r->schemas) ? cc_pack_open(r->schemas, &app->diags) : make_pack(app, r->schemas);
}

static bool say_where(struct app *app, const struct emulate_request *r, const struct cc_emulator_server *server, size_t n_types)
{
    struct str host = str_of(r->listen);
    host = str_cut(&host, ':');
    struct str url = arena_printf(app->arena, "http://" STR_FMT ":%u", STR_ARG(host.n > 0 ? host : STR("127.0.0.1")),
                                  cc_emulator_port(server));
    if (r->quiet)
        return app_print(app, arena_printf(app->arena, STR_FMT "\n", STR_ARG(url)));
    return app_print(app, arena_printf(app->arena,
                                       "Cloud Control API for %zu types at " STR_FMT "%s\n"
                                       "  export AWS_ENDPOINT_URL_CLOUDCONTROL=" STR_FMT " AWS_ENDPOINT_URL_STS=" STR_FMT "\n"
                                       "Ctrl-C ends it.\n",
                                       n_types, STR_ARG(url), r->data ? "" : ", in memory", STR_ARG(url), STR_ARG(url)));
}

static void cancelled(void *ctx)
{
    completion_signal(ctx);
}

static void wait_for_end(struct app *app)
{
    struct completion end;
    completion_init(&end);
    struct cancel_watch watch = {.fn = cancelled, .arg = &end};
    cancel_watch(app->cancel, &watch);
    (void)completion_wait(&end, NO_DEADLINE);
    cancel_unwatch(app->cancel, &watch);
    completion_destroy(&end);
}

typedef bool parse_fault_fn(struct str text, struct cc_fault *ret, struct diags *diags);

/* NULL and a diagnostic: one of them is wrong. */
static const struct cc_fault *parse_faults(struct app *app, const struct option_texts *texts, parse_fault_fn *parse)
{
    struct cc_fault *faults = arena_make_n(app->arena, struct cc_fault, texts->n);
    for (size_t i = 0; i < texts->n; i++)
        if (!parse(str_of(texts->v[i]), &faults[i], &app->diags))
            return NULL;
    return faults;
}

static bool serve(struct app *app, const struct emulate_request *r, const struct cc_pack *pack, const struct cc_fault *fails,
                  const struct cc_fault *hooks)
{
    const char *key = app_environment("AWS_ACCESS_KEY_ID"), *secret = app_environment("AWS_SECRET_ACCESS_KEY");
    struct cc_emulator_options options = {
        .pack = pack,
        .data = r->data,
        .account = str_of(r->account ? r->account : "123456789012"),
        .region = str_of(r->region ? r->region : "us-east-1"),
        .access_key = r->unsigned_too ? STR_EMPTY : str_of(key ? key : "test"),
        .secret_key = str_of(secret ? secret : "test"),
        .throttle = (uint64_t)r->throttle,
        .latency_ns = r->latency,
        .fails = fails,
        .n_fails = r->fail.n,
        .hooks = hooks,
        .n_hooks = r->hook.n,
        .keep_order = r->keep_order,
        .clock = &system_clock,
    };
    struct cc_emulator *emulator = cc_emulator_new(&options, &app->diags);
    struct cc_emulator_server *server = emulator ? cc_emulator_listen(emulator, r->listen, &app->diags) : NULL;
    bool ok = server && say_where(app, r, server, cc_pack_size(pack));
    if (ok)
        wait_for_end(app);
    cc_emulator_close(server);
    cc_emulator_free(emulator);
    return ok;
}

/* It becomes a part of ARNs. */
static bool check_account(struct app *app, const char *account)
{
    if (!account || (strlen(account) == 12 && strspn(account, "0123456789") == 12))
        return true;
    return diags_fail(&app->diags, "Invalid option value", "--account needs twelve digits, not \"%s\".", account);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct emulate_request r = {.listen = "127.0.0.1:4599"};
    const struct option options[] = {
        {"listen", 0, OPTION_TEXT, &r.listen, "ADDRESS:PORT", "where to listen (default 127.0.0.1:4599; port 0: any)"},
        {"data", 0, OPTION_TEXT, &r.data, "FILE", "keep objects in this file (SQLite); default: in memory"},
        {"schemas", 0, OPTION_TEXT, &r.schemas, "FROM", "folder, zip, .ndjson.gz, pack or URL (default: the pack in use)"},
        {"account", 0, OPTION_TEXT, &r.account, "ID", "the account (default 123456789012)"},
        {"region", 0, OPTION_TEXT, &r.region, "NAME", "the region (default us-east-1)"},
        {"throttle", 0, OPTION_NUMBER, &r.throttle, "N", "refuse every Nth call with ThrottlingException"},
        {"latency", 0, OPTION_DURATION, &r.latency, "TIME", "how long an operation takes, as 500ms"},
        {"fail", 0, OPTION_LIST, &r.fail, "WHAT", "let operations fail: TYPE[/OPERATION]=ERRORCODE, TYPE may end in *"},
        {"hook", 0, OPTION_LIST, &r.hook, "WHAT", "let a hook look at operations: TYPE[/OPERATION]=HOOKSTATUS[/WARN]"},
        {"keep-order", 0, OPTION_FLAG, &r.keep_order, NULL, "return arrays without an order as they were given"},
        {"no-signature", 0, OPTION_FLAG, &r.unsigned_too, NULL, "take calls of anybody, signed or not"},
        {"quiet", 'q', OPTION_FLAG, &r.quiet, NULL, "print the address and nothing else"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 0) {
        diags_fail(&app->diags, "Wrong usage",
                   "There are no arguments, only options. `terrane cloudcontrol emulate --help` has examples.");
        return EXIT_USAGE;
    }
    const struct cc_fault *fails = parse_faults(app, &r.fail, cc_fault_parse);
    const struct cc_fault *hooks = fails ? parse_faults(app, &r.hook, cc_fault_parse_hook) : NULL;
    if (!hooks || !check_account(app, r.account))
        return EXIT_USAGE;
    struct cc_pack *pack = open_pack(app, &r);
    bool ok = pack && serve(app, &r, pack, fails, hooks);
    cc_pack_close(pack);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct command command_cloudcontrol_emulate = {
    .name = "cloudcontrol emulate",
    .usage = "[--listen ADDRESS:PORT] [--data FILE]",
    .summary = "a local Cloud Control API for every type of the pack",
    .details =
        "Driven by the schemas alone: it checks models, makes up what only AWS knows (ids, ARNs), and answers as the real\n"
        "service was seen to do. Calls must be signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of its\n"
        "environment (default: test and test). Ctrl-C ends it.\n"
        "\n"
        "Objects and requests that are kept in a file are there again after a restart, whatever ended the process; several\n"
        "emulators may share one file.\n"
        "\n"
        "What goes wrong on purpose: --throttle refuses every Nth call; --latency is the time from the call to its end; --fail\n"
        "ends operations with an ErrorCode (Throttling, AccessDenied, NotStabilized and so on); --hook lets a CloudFormation\n"
        "hook look at them first, which ends with HOOK_COMPLETE_FAILED (it says no), HOOK_FAILED (it broke) or\n"
        "HOOK_COMPLETE_SUCCEEDED; with /WARN behind it the request goes on. --fail and --hook may be given more than once;\n"
        "the first that fits counts.",
    .example = "  terrane cloudcontrol emulate\n"
               "  terrane cloudcontrol emulate --listen 127.0.0.1:0 --data objects.db --latency 2s\n"
               "  aws --endpoint-url http://127.0.0.1:4599 cloudcontrol list-resources --type-name AWS::Logs::LogGroup\n"
               "  terrane cloudcontrol emulate --fail 'AWS::S3::*/CREATE=ServiceLimitExceeded' --throttle 5\n"
               "  terrane cloudcontrol emulate --hook 'AWS::S3::Bucket=HOOK_COMPLETE_FAILED'",
    .run = run,
};
