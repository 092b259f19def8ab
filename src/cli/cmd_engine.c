/* terrane engine: the engine for other programs. */
#include "cli/app.h"
#include "cli/installer.h"
#include "cli/provider_source.h"
#include "jsonrpc/methods.h"

#include <unistd.h>

enum { DEFAULT_WORKERS = 64, MAX_THREADS = 1024, DEFAULT_GRACE_S = 10, DEFAULT_IDLE_S = 600 };

struct engine_options {
    const char *socket;
    int64_t grace_ns, timeout_ns, apply_timeout_ns, idle_ns;
    int64_t workers, max_calls;
};

static bool find(void *ctx, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                 struct rpc_provider *ret)
{
    struct provider_source *found = arena_make(a, struct provider_source);
    if (!provider_source_find(ctx, a, what, constraint, diags, found))
        return false;
    *ret = (struct rpc_provider){
        .source = {.address = found->address, .path = found->path, .reattach = found->attached ? &found->reattach : NULL},
        .version = found->version,
    };
    return true;
}

static bool check_count(struct app *app, const char *name, int64_t n)
{
    return n <= MAX_THREADS || diags_fail(&app->diags, "Invalid option value", "--%s must be at most %d.", name, MAX_THREADS);
}

static bool serve(struct app *app, const struct engine_options *o)
{
    struct rpc_engine_options options = {
        .pool = {.loop = app_loop(app),
                 .log = app->log,
                 .cache_folder = app->cache_folder,
                 .idle_ns = o->idle_ns,
                 .max_calls = (unsigned)o->max_calls,
                 .no_tls = app_environment("TF_DISABLE_PLUGIN_TLS") != NULL},
        .find = find,
        .find_ctx = app,
        .timeout_ns = o->timeout_ns,
        .apply_timeout_ns = o->apply_timeout_ns,
        .grace_ns = o->grace_ns,
    };
    struct rpc_engine *engine = rpc_engine_new(&options);
    struct rpc_server_options server = {
        .log = app->log,
        .cancel = app->cancel,
        .workers = (size_t)o->workers,
        .handle = rpc_engine_handle,
        .ctx = engine,
    };
    bool ok = o->socket ? rpc_serve_socket(&server, o->socket, &app->diags)
                        : rpc_serve_streams(&server, STDIN_FILENO, STDOUT_FILENO, &app->diags);
    rpc_engine_free(engine);
    return ok;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct engine_options o = {
        .grace_ns = DEFAULT_GRACE_S * NS_PER_S,
        .idle_ns = DEFAULT_IDLE_S * NS_PER_S,
        .workers = DEFAULT_WORKERS,
    };
    const struct option options[] = {
        {.name = "socket",
         .kind = OPTION_TEXT,
         .target = &o.socket,
         .value = "PATH",
         .help = "listen on this unix socket (mode 0600) instead of stdin and stdout, until Ctrl-C"},
        {.name = "workers",
         .kind = OPTION_NUMBER,
         .target = &o.workers,
         .value = "N",
         .help = "number of requests at the same time (default 64)"},
        {.name = "max-calls",
         .kind = OPTION_NUMBER,
         .target = &o.max_calls,
         .value = "N",
         .help = "number of requests at the same time per provider process (default 64)"},
        {.name = "timeout",
         .kind = OPTION_DURATION,
         .target = &o.timeout_ns,
         .value = "TIME",
         .help = "time limit for one call to a provider, except for an apply (default: no limit)"},
        {.name = "apply-timeout",
         .kind = OPTION_DURATION,
         .target = &o.apply_timeout_ns,
         .value = "TIME",
         .help = "time limit for one apply (default: no limit)"},
        {.name = "grace",
         .kind = OPTION_DURATION,
         .target = &o.grace_ns,
         .value = "TIME",
         .help = "how long a cancelled apply may continue before the provider is asked to stop (default 10s)"},
        {.name = "idle",
         .kind = OPTION_DURATION,
         .target = &o.idle_ns,
         .value = "TIME",
         .help = "stop a provider process after this time without calls; the next call starts another (default 10m)"},
        APP_OPTION_INSTALL(app),
        APP_OPTION_TRACE(app),
        {0},
    };
    int exit_code;
    if (!app_options(app, self, options, argc, argv, &exit_code))
        return exit_code;
    if (!check_count(app, "workers", o.workers) || !check_count(app, "max-calls", o.max_calls))
        return EXIT_USAGE;
    return serve(app, &o) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_engine = {
    .name = "engine",
    .usage = "[--socket PATH] [--workers N] [--timeout TIME]",
    .summary = "run the engine for other programs: JSON-RPC on stdin and stdout, or on a unix socket",
    .details = "One JSON-RPC 2.0 message per line. Providers keep running between requests, many requests may be in flight,\n"
               "and answers come in any order. docs/engine-rpc.md describes the methods. At the end of the input, running\n"
               "requests are finished and providers are stopped. The log goes to stderr (TERRANE_LOG).",
    .example = "  echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"engine.ping\"}' | terrane engine\n"
               "  terrane engine --socket /run/user/1000/terrane.sock --timeout 5m",
    .run = run,
};
