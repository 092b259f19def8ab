/* terrane cloudcontrol emulate: a local Cloud Control API. */
#include "base/file.h"
#include "emulator/emulator.h"
#include "packs/cloudcontrol.h"
#include "translate/pack_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct emulate_request {
    const char *listen, *data, *schemas, *account, *region;
    struct option_texts fail, hook;
    int64_t throttle, latency;
    bool unsigned_too, keep_order, quiet;
};

/* If the schemas are not a pack yet, the pack is created in memory, so that no file is left behind however the process ends. */
static struct cfn_pack *make_pack(struct app *app, const char *from)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct cfn_sources sources;
    struct cc_pack_made made;
    struct buf pack BUF_AUTO = BUF_INIT(CFN_PACK_MAX_BYTES), lock BUF_AUTO = BUF_INIT(CFN_PACK_MAX_BYTES);
    const struct cc_pack_options options = {.source = str_of(from), .without_answers = true};
    if (!cfn_sources_read(scratch, from, &app->diags, &sources) ||
        !cc_pack_make(sources.v, sources.n, &options, &pack, &lock, &made, &app->diags))
        return NULL;
    int fd = memfd_create("pack", MFD_CLOEXEC);
    struct cfn_pack *opened = NULL;
    if (fd < 0 || !file_put(fd, buf_str(&pack)))
        (void)diags_fail(&app->diags, "Cannot create the pack", "Out of memory: %s.", strerror(errno));
    else
        opened = cfn_pack_open(arena_printf(scratch, "/proc/self/fd/%d", fd).p, &app->diags);
    if (fd >= 0)
        (void)close(fd);
    return opened;
}

static struct cfn_pack *open_pack(struct app *app, const struct emulate_request *r)
{
    if (!r->schemas)
        return cloudcontrol_open_pack(app, cloudcontrol_pack_path(app));
    return cfn_pack_is(r->schemas) ? cfn_pack_open(r->schemas, &app->diags) : make_pack(app, r->schemas);
}

static bool say_where(struct app *app, const struct emulate_request *r, const struct emulator_server *server, size_t n_types)
{
    struct str host = str_of(r->listen); /* [::1]:4599 also has a host */
    while (host.n > 0 && host.p[--host.n] != ':')
        ;
    struct str url =
        arena_printf(app->arena, "http://" STR_FMT ":%u", STR_ARG(host.n > 0 ? host : STR("127.0.0.1")), emulator_port(server));
    if (r->quiet)
        return app_print(app, arena_printf(app->arena, STR_FMT "\n", STR_ARG(url)));
    return app_print(app, arena_printf(app->arena,
                                       "Cloud Control API for %zu types at " STR_FMT "%s\n"
                                       "  export AWS_ENDPOINT_URL_CLOUDCONTROL=" STR_FMT " AWS_ENDPOINT_URL_STS=" STR_FMT "\n"
                                       "Press Ctrl-C to stop.\n",
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

typedef bool parse_fault_fn(struct str text, struct emulator_fault *ret, struct diags *diags);

/* NULL with a diagnostic: one of them is invalid. */
static const struct emulator_fault *parse_faults(struct app *app, const struct option_texts *texts, parse_fault_fn *parse)
{
    struct emulator_fault *faults = arena_make_n(app->arena, struct emulator_fault, texts->n);
    for (size_t i = 0; i < texts->n; i++)
        if (!parse(str_of(texts->v[i]), &faults[i], &app->diags))
            return NULL;
    return faults;
}

static bool serve(struct app *app, const struct emulate_request *r, const struct cfn_pack *pack,
                  const struct emulator_fault *fails, const struct emulator_fault *hooks)
{
    const char *key = app_environment("AWS_ACCESS_KEY_ID"), *secret = app_environment("AWS_SECRET_ACCESS_KEY");
    struct emulator_options options = {
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
    struct emulator *emulator = emulator_new(&options, &app->diags);
    struct emulator_server *server = emulator ? emulator_listen(emulator, r->listen, &app->diags) : NULL;
    bool ok = server && say_where(app, r, server, cfn_pack_size(pack));
    if (ok)
        wait_for_end(app);
    emulator_close(server);
    emulator_free(emulator);
    return ok;
}

/* The account becomes a part of ARNs. */
static bool check_account(struct app *app, const char *account)
{
    if (!account || (strlen(account) == 12 && strspn(account, "0123456789") == 12))
        return true;
    return diags_fail(&app->diags, "Invalid option value", "--account must be twelve digits; found \"%s\".", account);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct emulate_request r = {.listen = "127.0.0.1:4599"};
    const struct option options[] = {
        {"listen", 0, OPTION_TEXT, &r.listen, "HOST:PORT",
         "address to listen on (default 127.0.0.1:4599; port 0: any free port)"},
        {"data", 0, OPTION_TEXT, &r.data, "FILE", "keep objects in this file (SQLite); default: in memory"},
        {"schemas", 0, OPTION_TEXT, &r.schemas, "FROM",
         "schemas to use: a folder, zip, .ndjson.gz, pack or URL (default: the pack in use)"},
        {"account", 0, OPTION_TEXT, &r.account, "ID", "the account (default 123456789012)"},
        {"region", 0, OPTION_TEXT, &r.region, "NAME", "the region (default us-east-1)"},
        {"throttle", 0, OPTION_NUMBER, &r.throttle, "N", "refuse every Nth call with ThrottlingException"},
        {"latency", 0, OPTION_DURATION, &r.latency, "TIME", "how long an operation takes, for example 500ms"},
        {"fail", 0, OPTION_LIST, &r.fail, "WHAT", "make operations fail: TYPE[/OPERATION]=ERRORCODE; TYPE may end in *"},
        {"hook", 0, OPTION_LIST, &r.hook, "WHAT", "run a hook on operations: TYPE[/OPERATION]=HOOKSTATUS[/WARN]"},
        {"keep-order", 0, OPTION_FLAG, &r.keep_order, NULL, "return unordered arrays in the order given"},
        {"no-signature", 0, OPTION_FLAG, &r.unsigned_too, NULL, "accept calls from anyone, signed or not"},
        {"quiet", 'q', OPTION_FLAG, &r.quiet, NULL, "print the address and nothing else"},
        {0},
    };
    int code;
    if (!app_options(app, self, options, argc, argv, &code))
        return code;
    const struct emulator_fault *fails = parse_faults(app, &r.fail, emulator_fault_parse);
    const struct emulator_fault *hooks = fails ? parse_faults(app, &r.hook, emulator_fault_parse_hook) : NULL;
    if (!hooks || !check_account(app, r.account))
        return EXIT_USAGE;
    struct cfn_pack *pack = open_pack(app, &r);
    bool ok = pack && serve(app, &r, pack, fails, hooks);
    cfn_pack_close(pack);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct command command_cloudcontrol_emulate = {
    .name = "cloudcontrol emulate",
    .usage = "[--listen HOST:PORT] [--data FILE]",
    .summary = "run a local Cloud Control API for every type of the pack",
    .details = "It works from the schemas alone: it validates models, makes up what only AWS knows (ids, ARNs), and\n"
               "answers as the real service does. Calls must be signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of\n"
               "its environment (default: test and test). Ctrl-C stops it.\n\n"
               "Objects and requests kept in a file survive a restart, however the process ended; several emulators may\n"
               "share one file.\n\n"
               "Faults on purpose: --throttle refuses every Nth call; --latency is how long an operation takes; --fail\n"
               "ends operations with an ErrorCode (Throttling, AccessDenied, NotStabilized and so on); --hook lets a\n"
               "CloudFormation hook check them first, with the result HOOK_COMPLETE_FAILED (refused), HOOK_FAILED (the\n"
               "hook broke) or HOOK_COMPLETE_SUCCEEDED; with /WARN after it the request continues. --fail and --hook may\n"
               "be given more than once; the first match counts.",
    .example = "  terrane cloudcontrol emulate\n"
               "  terrane cloudcontrol emulate --listen 127.0.0.1:0 --data objects.db --latency 2s\n"
               "  aws --endpoint-url http://127.0.0.1:4599 cloudcontrol list-resources --type-name AWS::Logs::LogGroup\n"
               "  terrane cloudcontrol emulate --fail 'AWS::S3::*/CREATE=ServiceLimitExceeded' --throttle 5\n"
               "  terrane cloudcontrol emulate --hook 'AWS::S3::Bucket=HOOK_COMPLETE_FAILED'",
    .run = run,
};
