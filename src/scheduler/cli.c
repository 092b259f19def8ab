/*
 * The backend that runs terraform as a program. Each run has a workspace of its own, created from the item and removed
 * afterwards: no state is kept there. The provider is started once and serves all runs of its configuration; terraform never
 * starts or ends it.
 */
#include "base/file.h"
#include "loop/capture.h"
#include "output/temporary.h"
#include "plugin/launch.h"
#include "scheduler/cli_private.h"
#include "scheduler/scheduler_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define MAX_OUTPUT ((size_t)64 << 20)
#define POLL_NS (100 * NS_PER_MS)
#define NOTICE_NS NS_PER_S /* by then the end of a process has been noticed */
enum { MAX_SHOWN = 4000 }; /* bytes of output shown if there are no diagnostics */

extern char **environ;

struct cli {
    struct backend backend; /* first */
    struct cli_options options;
    struct arena *arena;
    struct temporary folder; /* holds this backend's workspaces */
    struct workers *enders;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_processes;
};

/* A provider's process, protected by the lock of its owner. */
struct server {
    struct provider *provider;
    struct str reattach;
    unsigned users; /* the attached runs, plus one while it is the current process */
};

/* One configuration. */
struct cli_provider {
    struct cli *cli;
    struct arena *arena;
    struct str address;
    const char *path;
    pthread_mutex_t lock;   /* held while a process is started */
    struct server *current; /* NULL: none */
    atomic_bool stale;      /* the current process must not be used for new runs */
};

static struct cli *own(struct backend *b)
{
    return (struct cli *)b;
}

static struct cli_provider *provider_of(struct backend_provider *p)
{
    return (struct cli_provider *)p;
}

/* The provider's process */

static struct server *launch(struct cli_provider *p, struct cancel *cancel, struct diags *diags)
{
    const struct launch_options options = {
        .loop = p->cli->options.loop,
        .log = p->cli->options.log,
        .path = p->path,
        .name = p->address,
        .env = p->cli->options.env,
        .cancel = cancel,
        .no_tls = true, /* terraform attaches without TLS; the socket is in a private folder */
    };
    struct reattach r;
    struct provider *provider;
    if (!provider_launch(&options, diags, &provider))
        return NULL;
    if (!provider_reattach(provider, &r)) {
        (void)diags_fail(diags, "Provider cannot be shared", "\"%s\" was started, but not so that terraform can attach to it.",
                         p->path);
        provider_free(provider);
        return NULL;
    }
    struct server *server = arena_make(p->arena, struct server);
    *server = (struct server){.provider = provider, .reattach = reattach_write(p->arena, p->address, &r), .users = 1};
    return server;
}

/* Releases the process; the last user ends it. */
LOCKED static void leave(struct server *server)
{
    if (--server->users > 0)
        return;
    provider_free(server->provider);
    server->provider = NULL;
}

/* Returns a living process, to be released with leave(); NULL with a diagnostic. */
static struct server *attach(struct cli_provider *p, struct cancel *cancel, struct diags *diags)
{
    MUTEX_GUARD(&p->lock);
    bool stale = atomic_exchange(&p->stale, false);
    if (p->current && (stale || provider_is_gone(p->current->provider))) {
        leave(p->current);
        p->current = NULL;
    }
    if (!p->current)
        p->current = launch(p, cancel, diags);
    if (p->current)
        p->current->users++;
    return p->current;
}

static void detach(struct cli_provider *p, struct server *server)
{
    MUTEX_GUARD(&p->lock);
    leave(server);
}

/*
 * Has the process ended? If so, adds its last output to the diagnostics. `lost`: terraform has seen it end, perhaps before we do.
 */
static bool has_crashed(struct server *server, bool lost, struct diags *diags)
{
    const struct timespec nap = {.tv_nsec = NOTICE_NS / 100};
    for (int i = 0; lost && i < 100 && !provider_is_gone(server->provider); i++)
        (void)nanosleep(&nap, NULL);
    if (!provider_is_gone(server->provider))
        return false;
    (void)provider_stop(server->provider, NULL, diags); /* the process has ended, so the call only reports how */
    return true;
}

static enum backend_end cli_open(struct backend *b, const struct backend_call *call, bool alone, struct backend_provider **ret)
{
    (void)alone; /* each opened provider has a process of its own anyway, started by its first run */
    struct arena *a = arena_new(NULL, 0);
    struct cli_provider *p = arena_make(a, struct cli_provider);
    p->cli = own(b);
    p->arena = a;
    p->address = arena_str(a, call->item->provider.address);
    p->path = arena_str(a, call->item->provider.path).p;
    mutex_init(&p->lock);
    *ret = (struct backend_provider *)p;
    return BACKEND_OK;
}

static void end_provider(void *arg)
{
    struct cli_provider *p = arg;
    if (p->current)
        leave(p->current);
    mutex_destroy(&p->lock);
    arena_free(p->arena);
}

static void cli_close(struct backend *b, struct backend_provider *p)
{
    workers_submit(own(b)->enders, end_provider, p);
}

static void cli_replace(struct backend *b, struct backend_provider *p)
{
    (void)b;
    atomic_store(&provider_of(p)->stale, true);
}

/* One run of the program */

/* Our environment, without the variables that change terraform's behaviour. */
static const char *const *environment(struct arena *a, struct str reattach)
{
    size_t n = 0;
    while (environ[n])
        n++;
    const char **env = arena_make_n(a, const char *, n + 8);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TF_", 3) != 0)
            env[k++] = environ[i];
    env[k++] = arena_printf(a, "TF_REATTACH_PROVIDERS=" STR_FMT, STR_ARG(reattach)).p;
    env[k++] = "TF_IN_AUTOMATION=1";
    env[k++] = "TF_INPUT=0";
    env[k++] = "TF_CLI_CONFIG_FILE=/dev/null";
    env[k++] = "CHECKPOINT_DISABLE=1";
    return env;
}

static bool take_place(struct cli *c, struct cancel *cancel)
{
    MUTEX_GUARD(&c->lock);
    while (c->n_processes >= c->options.processes && !cancel_fired(cancel))
        (void)cond_wait(&c->changed, &c->lock, clock_now(&system_clock) + POLL_NS);
    if (cancel_fired(cancel))
        return false;
    c->n_processes++;
    return true;
}

static void give_place(struct cli *c)
{
    MUTEX_GUARD(&c->lock);
    c->n_processes--;
    cond_signal(&c->changed);
}

/* The context of one call. */
struct work {
    struct cli *cli;
    struct cli_provider *provider;
    const struct backend_call *call;
    const struct scheduler_item *item;
    const char *folder;
    struct server *server;
    int64_t deadline; /* when the run is killed; NO_DEADLINE: only by cancellation */
    bool gracefully;
    struct str out, err; /* of the last run */
    int status;          /* its exit status; -1: killed */
};

static enum backend_end run(struct work *w, const char *const *arguments)
{
    struct arena *a = w->call->arena;
    const char *argv[16] = {w->cli->options.program};
    for (size_t i = 0; arguments[i]; i++)
        argv[i + 1] = arguments[i];
    struct captured done;
    const struct capture_options options = {
        .loop = w->cli->options.loop,
        .path = w->cli->options.program,
        .argv = argv,
        .env = environment(a, w->server->reattach),
        .folder = w->folder,
        .max_out = MAX_OUTPUT,
        .deadline = w->deadline,
        .cancel = w->call->cancel,
        .cancel_signal = w->gracefully ? SIGINT : 0,
    };
    if (!take_place(w->cli, w->call->cancel))
        return BACKEND_CANCELLED;
    struct log_work work = {.kind = LOG_WORK_COMMAND,
                            .what = str_of(arguments[0]),
                            .who = str_of(w->cli->options.program),
                            .about = w->gracefully ? STR("async") : STR("sync"), /* Upjet's words: "async" for changes */
                            .begun = clock_now(&system_clock)};
    log_work(w->cli->options.log, &work);
    bool started = capture_all(&options, w->call->diags, &done);
    work.outcome = started && capture_exit_code(&done) >= 0 ? "ok" : "killed";
    log_work(w->cli->options.log, &work);
    give_place(w->cli);
    if (!started)
        return BACKEND_LOST;
    w->status = capture_exit_code(&done);
    w->out = buf_copy(&done.out, a);
    w->err = buf_copy(&done.err, a);
    capture_wipe(&done);
    return BACKEND_OK;
}

#define RUN(w, ...) run((w), (const char *const[]){__VA_ARGS__, NULL})

/* Core's message for a provider that did not answer; on stderr for subcommands without -json. */
static bool has_lost_provider(const struct work *w)
{
    static const char words[] = "Plugin did not respond";
    for (size_t i = 0; i < w->call->diags->n; i++)
        if (str_eqz(w->call->diags->v[i].summary, words))
            return true;
    return strstr(w->err.p, words) != NULL;
}

/* Why a run failed. */
static enum backend_end fail(struct work *w)
{
    struct diags *diags = w->call->diags;
    if (cancel_fired(w->call->cancel) && !w->gracefully)
        return BACKEND_CANCELLED;
    if (has_crashed(w->server, has_lost_provider(w), diags))
        return BACKEND_CRASHED;
    if (!diags_has_errors(diags))
        (void)diags_fail(diags, "Terraform failed", "%s ended with status %d.\n\n" STR_FMT, w->cli->options.program, w->status,
                         STR_ARG(str_slice(w->err, 0, MAX_SHOWN)));
    return BACKEND_FAILED;
}

static enum backend_end work_begin(struct work *w, struct backend *b, struct backend_provider *p, const struct backend_call *call)
{
    *w = (struct work){.cli = own(b), .provider = provider_of(p), .call = call, .item = call->item};
    w->server = attach(w->provider, call->cancel, call->diags);
    if (!w->server)
        return cancel_fired(call->cancel) ? BACKEND_CANCELLED : BACKEND_LOST;
    char *folder = (char *)arena_printf(call->arena, "%s/ws-XXXXXX", w->cli->folder.path).p;
    if (!mkdtemp(folder)) {
        (void)diags_fail(call->diags, "No workspace", "%s: %s.", folder, strerror(errno));
        detach(w->provider, w->server);
        return BACKEND_LOST;
    }
    w->folder = folder;
    return BACKEND_OK;
}

static enum backend_end work_end(struct work *w, enum backend_end end)
{
    temporary_remove_tree(AT_FDCWD, w->folder);
    detach(w->provider, w->server);
    return end;
}

/* Observing */

static enum backend_end note_state(struct work *w, struct observation *ret)
{
    bool exists;
    struct state_instance now;
    if (!cli_read_state(w->call->arena, w->folder, w->item, w->call->diags, &exists, &now))
        return BACKEND_FAILED;
    observation_note(ret, w->item, exists ? &now : NULL);
    return BACKEND_OK;
}

static enum backend_end refresh(struct work *w, struct observation *ret)
{
    /* Without the configuration, so that a wrong one does not hide the object. */
    struct scheduler_item bare = *w->item;
    bare.config = NULL;
    if (!cli_write_config(w->folder, &bare, false, w->call->diags) ||
        !cli_write_state(w->folder, w->item, w->item->stored, w->call->diags))
        return BACKEND_FAILED;
    enum backend_end end = RUN(w, "apply", "-refresh-only", "-auto-approve", "-input=false", "-json");
    if (end != BACKEND_OK)
        return end;
    (void)cli_read_lines(w->call->arena, w->out, w->call->diags);
    return w->status == 0 ? note_state(w, ret) : fail(w);
}

static enum backend_end import(struct work *w, struct observation *ret)
{
    struct arena *a = w->call->arena;
    if (w->item->import_identity) {
        (void)diags_fail(w->call->diags, "Import by identity not possible", "%s imports by id only.", w->cli->options.program);
        return BACKEND_FAILED;
    }
    if (!cli_write_config(w->folder, w->item, true, w->call->diags) || !cli_write_state(w->folder, w->item, NULL, w->call->diags))
        return BACKEND_FAILED;
    struct str address = arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(w->item->type), STR_ARG(w->item->name));
    /* "--": an address or id that begins with a dash is no option. */
    enum backend_end end = RUN(w, "import", "-no-color", "-input=false", "--", address.p, arena_str(a, w->item->import_id).p);
    if (end != BACKEND_OK)
        return end;
    if (w->status != 0 && strstr(w->err.p, "Cannot import non-existent remote object")) {
        observation_note(ret, w->item, NULL);
        return BACKEND_OK;
    }
    return w->status == 0 ? note_state(w, ret) : fail(w);
}

static enum backend_end plan(struct work *w, struct observation *ret)
{
    struct arena *a = w->call->arena;
    if (!cli_write_config(w->folder, w->item, false, w->call->diags) ||
        !cli_write_state(w->folder, w->item, ret->exists ? &ret->object : NULL, w->call->diags))
        return BACKEND_FAILED;
    enum backend_end end =
        RUN(w, "plan", "-refresh=false", "-input=false", "-lock=false", "-detailed-exitcode", "-out=plan", "-json");
    if (end != BACKEND_OK)
        return end;
    (void)cli_read_lines(a, w->out, w->call->diags);
    if (w->status != 0 && w->status != 2)
        return fail(w);
    if (w->status == 2) {
        end = RUN(w, "show", "-json", "plan");
        if (end != BACKEND_OK)
            return end;
        if (w->status != 0 || !cli_read_plan(a, w->out, w->call->diags, &ret->difference))
            return fail(w);
    }
    ret->planned = true;
    return BACKEND_OK;
}

static enum backend_end read_data(struct work *w, struct observation *ret)
{
    if (!cli_write_config(w->folder, w->item, !w->item->config, w->call->diags) ||
        !cli_write_state(w->folder, w->item, NULL, w->call->diags))
        return BACKEND_FAILED;
    enum backend_end end = RUN(w, "apply", "-auto-approve", "-input=false", "-json");
    if (end != BACKEND_OK)
        return end;
    (void)cli_read_lines(w->call->arena, w->out, w->call->diags);
    ret->planned = true;
    return w->status == 0 ? note_state(w, ret) : fail(w);
}

static enum backend_end observe(struct work *w, struct observation *ret)
{
    enum backend_end end = BACKEND_OK;
    if (w->item->list) {
        (void)diags_fail(w->call->diags, "Cannot be listed", "%s lists nothing; the scheduler \"grpc\" can.",
                         w->cli->options.program);
        return BACKEND_FAILED;
    }
    if (w->item->data)
        return read_data(w, ret);
    if (w->item->stored)
        end = refresh(w, ret);
    else if (w->item->import_identity || w->item->import_id.n > 0)
        end = import(w, ret);
    else
        observation_note(ret, w->item, NULL);
    if (end != BACKEND_OK)
        return end;
    ret->planned = !w->item->config;
    return w->item->config ? plan(w, ret) : BACKEND_OK;
}

static enum backend_end cli_look(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                                 struct observation *ret)
{
    struct work w;
    enum backend_end end = work_begin(&w, b, p, call);
    return end == BACKEND_OK ? work_end(&w, observe(&w, ret)) : end;
}

/* Changing */

static enum backend_end change(struct work *w, const struct observation *seen, bool destroy, struct backend_result *ret)
{
    struct scheduler_item wanted = *w->item;
    if (destroy)
        wanted.config = NULL;
    if (!cli_write_config(w->folder, &wanted, false, w->call->diags) ||
        !cli_write_state(w->folder, w->item, seen->exists ? &seen->object : NULL, w->call->diags))
        return BACKEND_FAILED;
    w->gracefully = true;
    enum backend_end end = RUN(w, "apply", "-refresh=false", "-auto-approve", "-input=false", "-json");
    if (cancel_fired(w->call->cancel)) /* terraform has asked the provider to stop, so it cannot be used any more */
        atomic_store(&w->provider->stale, true);
    if (end != BACKEND_OK)
        return end;
    ret->called = cli_read_lines(w->call->arena, w->out, w->call->diags);
    if (!ret->called && w->status != 0)
        return fail(w);
    bool exists;
    struct state_instance now;
    /* Terraform writes what it knows even when it fails. */
    if (!cli_read_state(w->call->arena, w->folder, w->item, w->call->diags, &exists, &now))
        return BACKEND_FAILED;
    ret->exists = exists;
    if (exists)
        ret->object = now;
    if (w->status == 0)
        return BACKEND_OK;
    end = fail(w);
    ret->unknown = end == BACKEND_CRASHED || w->status < 0;
    return end;
}

static enum backend_end cli_change(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                                   const struct observation *seen, bool destroy, int64_t limit_ns,
                                   const struct backend_keep *keep, struct backend_result *ret)
{
    (void)keep; /* terraform's replacement cannot be interrupted between its halves */
    struct work w;
    int64_t deadline = clock_now(&system_clock) + limit_ns;
    enum backend_end end = work_begin(&w, b, p, call);
    if (end != BACKEND_OK)
        return end;
    w.deadline = deadline;
    return work_end(&w, change(&w, seen, destroy, ret));
}

/* Creation and end of the backend */

static void cli_free(struct backend *b)
{
    struct cli *c = own(b);
    workers_free(c->enders);
    temporary_remove(&c->folder);
    cond_destroy(&c->changed);
    mutex_destroy(&c->lock);
    arena_free(c->arena);
}

struct backend *backend_cli_new(const struct cli_options *options, struct diags *diags)
{
    static const struct backend_ops ops = {
        .name = "cli",
        .open = cli_open,
        .close = cli_close,
        .replace = cli_replace,
        .look = cli_look,
        .change = cli_change,
        .free = cli_free,
    };
    if (!file_make_folder(options->folder, 0700, diags))
        return NULL;
    struct arena *a = arena_new(NULL, 0);
    struct cli *c = arena_make(a, struct cli);
    *c = (struct cli){.backend = {&ops}, .options = *options, .arena = a};
    if (!temporary_make(a, options->folder, "terrane-cli-", &c->folder)) {
        (void)diags_fail(diags, "No workspaces", "cannot create a folder in %s: %s.", options->folder, strerror(errno));
        arena_free(a);
        return NULL;
    }
    if (c->options.processes == 0)
        c->options.processes = CLI_PROCESSES;
    mutex_init(&c->lock);
    cond_init(&c->changed);
    c->enders = workers_new("cli-end", 1);
    return &c->backend;
}
