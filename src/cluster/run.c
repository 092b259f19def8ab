#include "cluster/run.h"

#include "base/file.h"
#include "base/must.h"
#include "cluster/activation.h"
#include "cluster/deploy.h"
#include "cluster/health.h"
#include "cluster/install.h"
#include "cluster/members.h"
#include "cluster/reach.h"
#include "cluster/selection.h"
#include "controller/controller.h"
#include "conversion/webhook.h"
#include "engine/pool.h"
#include "kube/election.h"
#include "loop/thread.h"
#include "managed/object.h"
#include "objects/backends.h"
#include "objects/serve.h"
#include "output/temporary.h"
#include "scheduler/backend.h"
#include "store/kube.h"
#include "store/mirror.h"
#include "store/object.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define IDLE_PROVIDER_NS (600 * NS_PER_S)
#define ASK_NS (2 * NS_PER_S)
#define RECOVER_NS (2 * NS_PER_S)
#define SLICE_NS (100 * NS_PER_MS)         /* so that Ctrl-C and a lost Lease are noticed */
enum { LOOK_SLICES = 10, ASK_LOOKS = 15 }; /* slices per look at the settings; such looks per look at the active kinds */
enum { KEEP_TRIES = 15 };                  /* to store what is left on a server that answers */

struct run {
    struct app *app;
    const struct run_options *options;
    struct arena *arena;
    struct log *log;
    struct kubeconfig config;
    struct kube *client;
    struct kube *brief; /* the same for the loop that must notice a lost Lease */
    struct kube *work;  /* the same for the controller: its requests end when `lapse` is fired */
    struct cancel *lapse;
    struct kube *asks;  /* the same for looks at the settings; while working it is `hasty`, */
    struct kube *hasty; /* whose requests end when `hurry` is fired: this process is to end, or the Lease is lost */
    struct cancel *hurry;
    struct cancel *rest; /* ends the thread that fires both */
    struct run_seen *seen;
    struct project settings;
    uint64_t files;     /* digest of settings and configurations, as last read */
    struct str refused; /* why a later version of them cannot be used; empty: it can */
    struct serve serve;
    struct kinds_list known, which; /* the chosen kinds; those of them that are served */
    struct activation active;
    struct webhook *webhook;
    struct store *store, *shown; /* the controller's store; the dashboard's own one */
    struct kube_election *election;
    struct members *members;
    struct pool *pool;
    struct scheduler *schedulers[CONTROLLER_BACKENDS];
    _Atomic(struct controller *) controller; /* atomic, because the members' thread uses it, too */
    uint64_t taken;                          /* members_grown() when objects were last taken */
    bool again;                              /* start another run */
    bool lost;                               /* another controller may act: operations are cancelled */
};

/* ---- parts ---- */

static struct reach_options reach_of(const struct run *r)
{
    const struct run_options *o = r->options;
    return (struct reach_options){o->kubeconfig, o->context, &o->providers, &o->configs, &o->only, o->flavour, &r->settings};
}

static bool connect_cluster(struct run *r)
{
    const struct reach_options o = reach_of(r);
    if (!reach_cluster(r->app, r->arena, &o, r->log, &r->config, &r->client))
        return false;
    r->brief = kube_limited(r->client, &(struct kube_limits){.cancel = r->app->cancel, .tries = 1, .timeout_ns = ASK_NS});
    r->lapse = cancel_new();
    r->work = kube_limited(r->client, &(struct kube_limits){.cancel = r->lapse});
    r->asks = r->client;
    r->hurry = cancel_new();
    r->hasty = kube_limited(r->client, &(struct kube_limits){.cancel = r->hurry});
    return true;
}

/* ---- settings ---- */

/*
 * Adds one file of settings or of a provider's configuration to the digest. An unreadable file is skipped, which changes the
 * digest, too.
 */
static void add_file(struct arena *a, const char *path, uint64_t *digest)
{
    struct diags ignored;
    struct str text = STR_EMPTY;
    diags_init(&ignored, a);
    if (path && file_read(a, path, PROJECT_MAX_FILE, &ignored, &text))
        *digest = str_hash(text, *digest + 1);
}

static uint64_t settings_now(struct arena *a, const struct run *r)
{
    uint64_t digest = 0;
    add_file(a, r->options->settings, &digest);
    return digest;
}

/* Adds the configurations named in the settings and on the command line. */
static uint64_t files_now(struct arena *a, const struct run *r, uint64_t digest)
{
    for (size_t i = 0; i < r->options->configs.n; i++)
        add_file(a, r->options->configs.v[i], &digest);
    for (size_t i = 0; i < r->settings.n_providers; i++)
        add_file(a, r->settings.providers[i].config, &digest);
    return digest;
}

/* The digest is computed first, so that a change during the read is noticed later. */
static bool read_settings(struct run *r)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *path = r->options->settings;
    uint64_t digest = settings_now(a, r);
    r->settings = (struct project){.scheduler = STR_EMPTY};
    bool ok = !path || project_read_settings(r->arena, path, &r->app->diags, &r->settings);
    r->files = files_now(a, r, digest);
    return ok;
}

static struct patterns patterns_of(const struct option_texts *said, const struct project_texts *settings)
{
    return said->n > 0 ? (struct patterns){said->v, said->n} : (struct patterns){settings->v, settings->n};
}

/* ---- kinds ---- */

static bool find_kinds(struct run *r)
{
    const struct reach_options o = reach_of(r);
    if (r->options->providers.n == 0 && r->settings.n_providers == 0)
        return diags_fail(&r->app->diags, "No provider", "%s names no provider: write `providers: [{source: hashicorp/aws}]`.",
                          r->options->settings);
    return reach_kinds(r->app, r->arena, &o, &r->serve, &r->known);
}

static bool find_active(struct run *r, struct arena *a, struct kube *client, struct diags *diags, struct activation *ret)
{
    const struct activation_options o = {client, r->known, patterns_of(&r->options->activate, &r->settings.activate)};
    return activation_make(a, &o, diags, ret);
}

static bool choose_kinds(struct run *r)
{
    if (!find_active(r, r->arena, r->client, &r->app->diags, &r->active))
        return false;
    r->which = r->active.served;
    return true;
}

static bool active_has_changed(struct run *r)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct activation now;
    struct diags ignored;
    diags_init(&ignored, a);
    return find_active(r, a, r->brief, &ignored, &now) && now.digest != r->active.digest;
}

static bool install(struct run *r)
{
    struct install_result done;
    const struct install_options o = {.client = r->client,
                                      .kinds = r->serve.kinds,
                                      .which = r->active.installed,
                                      .take_over = r->options->take_over,
                                      .cancel = r->app->cancel,
                                      .log = r->log};
    if (!install_namespace(r->client, STR(CONTROLLER_NAMESPACE), &r->app->diags) || !install_kinds(&o, &r->app->diags, &done))
        return false;
    log_info(r->log, "definitions are served", LOG_INT("created", (int64_t)done.created),
             LOG_INT("updated", (int64_t)done.updated), LOG_INT("unchanged", (int64_t)done.same));
    return true;
}

/* ---- other settings ---- */

/*
 * Would a new run have its kinds? An error in a file, or somebody else's CRD, must not end a run that works. New CRDs are
 * installed already here.
 */
static bool can_begin(const struct run *r, struct arena *a, struct str *ret_why)
{
    struct app app = *r->app;
    struct run trial = {.app = &app, .options = r->options, .arena = a, .log = r->log, .client = r->asks};
    app.arena = a;
    diags_init(&app.diags, a);
    bool ok = read_settings(&trial) && find_kinds(&trial) && choose_kinds(&trial);
    if (ok && r->webhook)
        kinds_serve_older(trial.serve.kinds, webhook_client(r->webhook));
    ok = ok && install(&trial);
    *ret_why = app.diags.n > 0 ? app.diags.v[app.diags.n - 1].detail : STR_EMPTY;
    serve_end(&trial.serve);
    return ok;
}

/*
 * True if settings, configurations or active kinds have changed, and the new ones can be used; otherwise the error is reported
 * once. `n` counts the checks: files are checked each time, the cluster and what was unusable before only sometimes.
 */
static bool must_begin_again(struct run *r, unsigned n)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str why;
    uint64_t now = files_now(a, r, settings_now(a, r));
    bool changed = now != r->files || (n % ASK_LOOKS == 0 && (r->refused.n > 0 || active_has_changed(r)));
    if (!changed)
        return false;
    if (can_begin(r, a, &why))
        return true;
    r->files = now;
    if (str_eq(why, r->refused))
        return false;
    log_error(r->log, "settings not taken up", LOG_STR("why", why));
    r->refused = arena_str(r->arena, why);
    return false;
}

/* Call it before CRDs are installed that name the webhook. Controllers that wait for their turn convert, too. */
static bool start_webhook(struct run *r)
{
    const struct run_options *o = r->options;
    struct crd_webhook where;
    if (!o->webhook)
        return true;
    if (!crd_webhook_read(str_of(o->webhook), &r->app->diags, &where) ||
        !install_namespace(r->client, STR(CONTROLLER_NAMESPACE), &r->app->diags))
        return false;
    r->webhook = webhook_start(&(struct webhook_options){.client = r->client,
                                                         .kinds = r->serve.kinds,
                                                         .which = &r->which,
                                                         .address = o->webhook_listen ? o->webhook_listen : RUN_WEBHOOK_LISTEN,
                                                         .where = where,
                                                         .namespace = STR(CONTROLLER_NAMESPACE),
                                                         .manager = INSTALL_MANAGER,
                                                         .log = r->log},
                               &r->app->diags);
    if (r->webhook)
        kinds_serve_older(r->serve.kinds, webhook_client(r->webhook));
    return r->webhook != NULL;
}

static bool leads(void *ctx)
{
    const struct run *r = ctx;
    if (r->members)
        return members_live(r->members);
    return !r->election || kube_election_leads(r->election);
}

/* ---- shards ---- */

static bool owns(void *ctx, uint64_t shard)
{
    const struct run *r = ctx;
    return members_owns(r->members, shard);
}

/* Objects that must stay together get the same number. */
static uint64_t shard_of(void *ctx, const struct store_key *key, const struct json *object)
{
    const struct run *r = ctx;
    const char *by = r->options->shard_by;
    struct store_key together = {STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY};
    if (by && strcmp(by, "group") == 0)
        together.group = key->group;
    else if (by && strcmp(by, "namespace") == 0)
        together.namespace = key->namespace;
    else if (by && strncmp(by, "label:", 6) == 0)
        together.name = json_text(json_get(object_metadata(object, "labels"), by + 6), STR_EMPTY);
    return together.group.n + together.namespace.n + together.name.n > 0 ? controller_shard(&together) : controller_shard(key);
}

static bool keeps(void *ctx, const struct json *object)
{
    struct store_key key = object_key(object);
    return owns(ctx, shard_of(ctx, &key, object));
}

static size_t held(void *ctx, uint64_t *ret, size_t max)
{
    struct run *r = ctx;
    struct controller *c = atomic_load(&r->controller);
    return c ? controller_held(c, ret, max) : 0;
}

/* The served kinds and, with `with_secrets`, all Secrets except the controller's own records. */
static struct store *open_server(struct run *r, bool with_secrets)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    size_t n = r->which.n;
    struct store_kube_kind *kinds = arena_make_n(a, struct store_kube_kind, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct kind *k = r->which.v[i];
        kinds[i] = (struct store_kube_kind){k->group, k->kind, k->version, STR_EMPTY, k->plural};
    }
    kinds[n] = (struct store_kube_kind){STR_EMPTY, STR("Secret"), STR("v1"), STR("!" CONTROLLER_LABEL), STR_EMPTY};
    return store_kube_open(&(struct store_kube_options){
        .client = r->work, .kinds = kinds, .n_kinds = n + with_secrets, .component = "terrane", .leads = leads, .ctx = r});
}

static void open_store(struct run *r)
{
    static const struct str prefixes[] = {STR("state-"), STR("journal-")};
    size_t n = r->which.n;
    struct mirror_kind *mirrored = arena_make_n(r->arena, struct mirror_kind, n);
    for (size_t i = 0; i < n; i++) {
        const struct kind *k = r->which.v[i];
        mirrored[i] =
            (struct mirror_kind){k->group, k->kind, .shared = k->role == KIND_MANAGED, .believed = k->role == KIND_USAGE};
    }
    r->store = store_mirror(&(struct mirror_options){.below = open_server(r, true),
                                                     .kinds = mirrored,
                                                     .n_kinds = n,
                                                     .records = STR(CONTROLLER_NAMESPACE),
                                                     .finalizer = STR(MANAGED_FINALIZER),
                                                     .prefixes = prefixes,
                                                     .n_prefixes = 2,
                                                     .keeps = r->options->shards ? keeps : NULL,
                                                     .ctx = r});
}

/* ---- election ---- */

/* HOST-RANDOM: unique, valid as the end of a name, and recognisable. */
static struct str identity(struct arena *a)
{
    char host[64] = "";
    uint64_t random = 0;
    (void)gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        *c = (char)((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ? *c : *c >= 'A' && *c <= 'Z' ? *c + 'a' - 'A' : '-');
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint64_t)clock_now(&system_clock);
    return arena_printf(a, "%s-%016llx", host[0] ? host : "terrane", (unsigned long long)random);
}

/* Before this, nothing is owned, and listing all objects would be useless. */
static bool await_membership(struct run *r)
{
    do {
        r->taken = members_grown(r->members);
        if (r->taken > 0)
            return true;
    } while (http_system_time.pause(&http_system_time, SLICE_NS, r->app->cancel));
    return false;
}

static bool await_lead(struct run *r)
{
    if (r->options->no_election)
        return true;
    const char *name = r->options->name ? r->options->name : RUN_NAME;
    struct str namespace = str_of(r->options->namespace ? r->options->namespace : CONTROLLER_NAMESPACE);
    struct str who = r->seen->identity;
    if (r->options->shards) {
        r->members = members_start(&(struct members_options){.client = r->client,
                                                             .namespace = namespace,
                                                             .name = str_of(name),
                                                             .identity = who,
                                                             .log = r->log,
                                                             .held = held,
                                                             .ctx = r});
        return await_membership(r);
    }
    r->election = kube_election_start(
        &(struct kube_election_options){.client = r->client, .namespace = namespace, .name = str_of(name), .identity = who});
    log_info(r->log, "waiting to lead", LOG_Z("lease", name), LOG_STR("identity", who));
    /* Settings may change while this controller waits: when it leads, it must use the current ones. */
    for (unsigned n = 1; !r->again && !cancel_fired(r->app->cancel); n++) {
        if (kube_election_wait(r->election, clock_now(&system_clock) + SLICE_NS))
            return true;
        r->again = n % LOOK_SLICES == 0 && must_begin_again(r, n / LOOK_SLICES);
    }
    return false;
}

/* ---- the controller ---- */

static bool make_controller(struct run *r)
{
    const struct run_options *o = r->options;
    bool wants_cli = o->scheduler ? strcmp(o->scheduler, "cli") == 0 : str_eqz(r->settings.scheduler, "cli");
    r->pool = pool_new(&(struct pool_options){
        .loop = app_loop(r->app), .log = r->log, .cache_folder = r->app->cache_folder, .idle_ns = IDLE_PROVIDER_NS});
    r->schedulers[CONTROLLER_GRPC] =
        scheduler_new(&(struct scheduler_options){.loop = app_loop(r->app), .log = r->log}, backend_grpc_new(r->pool, r->log));
    const struct backends_cli cli = {r->app, r->log, temporary_parent(SIZE_MAX), wants_cli};
    if (!backends_make_cli(&cli, &r->schedulers[CONTROLLER_CLI])) /* a ProviderConfig may need it, so it is created if possible */
        return false;
    r->controller = controller_new(&(struct controller_options){
        .store = r->store,
        .kinds = r->serve.kinds,
        .schedulers = {r->schedulers[CONTROLLER_GRPC], r->schedulers[CONTROLLER_CLI]},
        .backend = wants_cli ? CONTROLLER_CLI : CONTROLLER_GRPC,
        .log = r->log,
        .poll_ns = o->poll_ns ? o->poll_ns : r->settings.poll_ns,
        .workers = (unsigned)o->workers,
        .sparing = true,
        .owns = r->members ? owns : NULL,
        .shard = r->members ? shard_of : NULL,
        .owns_ctx = r,
        .timer = monitor_time,
        .timer_ctx = r->seen->watched->monitor,
    });
    return controller_start(r->controller, &r->app->diags);
}

/* ---- observers ---- */

static struct store *visit_store(void *ctx, struct diags *diags)
{
    (void)diags;
    return open_server(ctx, false);
}

/* The dashboard has a store of its own: the view of the controller's store follows a single watch, which the controller uses. */
static bool show(struct run *r)
{
    struct watched *w = r->seen->watched;
    if (watched_wants_dashboard(&r->options->watch))
        r->shown = open_server(r, false);
    const struct watched_parts parts = {.store = r->shown ? r->shown : r->store,
                                        .kinds = r->serve.kinds,
                                        .controller = r->controller,
                                        .pool = r->pool,
                                        .scheduler = r->schedulers[CONTROLLER_GRPC],
                                        .open_store = visit_store,
                                        .ctx = r};
    if (!watched_serve(w, r->app, &parts, &r->app->diags))
        return false;
    health_about(r->seen->health, r->store, r->which);
    if (!w->dashboard)
        return true;
    log_info(r->log, "dashboard", LOG_Z("url", dashboard_url(w->dashboard)));
    return !isatty(STDOUT_FILENO) ||
           app_print(r->app, arena_printf(r->arena, "Dashboard: %s\n", dashboard_secret_url(w->dashboard)));
}

/* Takes objects that have become ours; their previous owner may have written records of them. */
static void take_more(struct run *r)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    uint64_t grown = members_grown(r->members);
    diags_init(&diags, a);
    if (grown == r->taken)
        return;
    store_mirror_doubt_records(r->store);
    if (controller_take(r->controller, &diags))
        r->taken = grown;
    else
        log_warn(r->log, "objects not taken in", LOG_STR("why", diags.n > 0 ? diags.v[0].detail : STR_EMPTY));
}

/*
 * A thread of its own, because the loop of work() may itself be waiting for a server that does not answer while others become
 * able to take the Lease: from then on no request may go on, and the loop must come back to end the operations.
 */
static void *watch_the_lease(void *arg)
{
    struct run *r = arg;
    do {
        if (cancel_fired(r->app->cancel))
            cancel_fire(r->hurry);
        if (!leads(r)) {
            cancel_fire(r->lapse);
            cancel_fire(r->hurry);
            return NULL;
        }
    } while (http_system_time.pause(&http_system_time, SLICE_NS, r->rest));
    return NULL;
}

static int work_on(struct run *r)
{
    log_info(r->log, "reconciling", LOG_INT("kinds", (int64_t)r->which.n), LOG_STR("cluster", r->config.title));
    for (unsigned n = 1; leads(r); n++) {
        if (r->members)
            take_more(r);
        if (n % LOOK_SLICES == 0 && must_begin_again(r, n / LOOK_SLICES)) {
            log_info(r->log, "settings or active kinds have changed: starting again");
            r->again = true;
            return EXIT_OK;
        }
        if (!http_system_time.pause(&http_system_time, SLICE_NS, r->app->cancel))
            return EXIT_OK;
    }
    log_error(r->log,
              "the Lease was lost: another controller may act now; what was under way is given up, and this one waits for "
              "its turn");
    r->lost = r->again = true;
    return EXIT_OK;
}

static int work(struct run *r)
{
    pthread_t thread;
    r->rest = cancel_new();
    r->asks = r->hasty;
    must_be(thread_start(&thread, "lease", watch_the_lease, r) == 0, "cannot start a thread");
    int code = work_on(r);
    cancel_fire(r->rest);
    thread_join(thread);
    cancel_free(r->rest);
    r->asks = r->client;
    r->lost |= cancel_fired(r->lapse); /* just before the loop ended for another reason */
    return code;
}

static bool server_answers(struct run *r)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct kube_request ask = {.method = "GET", .target = STR("/version")};
    struct diags ignored;
    diags_init(&ignored, a);
    return kube_do(r->brief, a, &ask, &ignored, NULL) != KUBE_UNAVAILABLE;
}

/*
 * What was made while the server was away is known to this process alone; it also helps the next owner to know it. Only a server
 * that is away is waited for: one that answers and still does not take it must not keep this process from leading again.
 */
static void keep_what_is_left(struct run *r)
{
    for (unsigned tries = 0; r->controller && !cancel_fired(r->app->cancel) && controller_keep(r->controller) > 0;) {
        tries += server_answers(r);
        if (tries > KEEP_TRIES)
            return;
        (void)http_system_time.pause(&http_system_time, RECOVER_NS, r->app->cancel);
    }
}

static void end(struct run *r)
{
    health_about(r->seen->health, NULL, (struct kinds_list){0});
    int64_t grace = r->lost ? 0 : r->options->grace_ns > 0 ? r->options->grace_ns : RUN_GRACE_NS;
    if (r->lost) /* a server that does not answer must not delay the end of operations */
        cancel_fire(r->lapse);
    if (r->controller && !controller_stop(r->controller, clock_now(&system_clock) + grace))
        log_warn(r->log, "operations were still under way; the next controller sees what has become of them");
    if (r->lost) { /* others have written meanwhile */
        cancel_reset(r->lapse);
        store_mirror_doubt_all(r->store);
    }
    keep_what_is_left(r);
    watched_rest(r->seen->watched); /* the dashboard and metrics still see operations end */
    members_stop(r->members);       /* after the last write, so that another member can take over at once */
    kube_election_stop(r->election);
    controller_free(r->controller);
    for (size_t i = 0; i < CONTROLLER_BACKENDS; i++)
        scheduler_free(r->schedulers[i]);
    pool_free(r->pool);
    store_close(r->shown);
    store_close(r->store);
    webhook_stop(r->webhook);
    serve_end(&r->serve);
    kube_free(r->brief);
    kube_free(r->work);
    kube_free(r->hasty);
    cancel_free(r->lapse);
    cancel_free(r->hurry);
    kube_free(r->client);
    arena_free(r->arena);
}

int run_deploy(struct app *app, const struct run_options *options, const struct run_deploy *how)
{
    struct run r = {.app = app, .options = options, .arena = arena_new(NULL, 0), .log = app->log};
    struct output out;
    output_init(&out, r.arena, how->folder);
    out.scope = STR("terrane controller --deploy");
    out.cancel = app->cancel;
    out.force = how->force;
    bool ok = read_settings(&r) && find_kinds(&r);
    if (ok) {
        const struct deploy_options o = {
            .run = options, .which = r.known, .image = how->image, .listen = how->listen, .settings = &r.settings};
        ok = deploy_write(r.arena, &o, &out, &app->diags) && output_commit(&out, &app->diags);
    }
    if (!ok)
        output_discard(&out);
    else
        ok = app_print(app, arena_printf(r.arena, "%zu files written to %s. To apply them: kubectl apply -k %s\n", out.n_written,
                                         how->folder, how->folder));
    serve_end(&r.serve);
    arena_free(r.arena);
    return ok ? EXIT_OK : EXIT_FAILED;
}

/*
 * Once a run has worked, a later one that cannot begin is no reason to end: the API server may be restarting, or out of reach.
 * The error is logged, and another run tries again.
 */
static bool is_tried_again(struct run *r)
{
    const struct diags *said = &r->app->diags;
    if (!r->seen->worked || cancel_fired(r->app->cancel))
        return false;
    log_error(r->log, "cannot go on; it is tried again until it is possible",
              LOG_STR("why", said->n > 0 ? said->v[said->n - 1].detail : STR_EMPTY));
    return true;
}

int run_once(struct app *app, const struct run_options *options, struct log *log, struct run_seen *seen, bool *ret_again)
{
    struct arena *arena = arena_new(NULL, 0);
    (void)app_loop(app);   /* one for all runs */
    struct app own = *app; /* whose memory ends with this run: there may be any number of them */
    own.arena = arena;
    diags_init(&own.diags, arena);
    struct run r = {.app = &own, .options = options, .arena = arena, .log = log, .seen = seen};
    int code = EXIT_FAILED;
    if (seen->identity.n == 0)
        seen->identity = identity(app->arena);
    if (connect_cluster(&r) && read_settings(&r) && find_kinds(&r) && choose_kinds(&r) && start_webhook(&r) && install(&r)) {
        open_store(&r);
        health_stands_by(seen->health, true);
        if (!await_lead(&r))
            code = EXIT_OK;
        else if (make_controller(&r) && show(&r)) {
            seen->worked = true;
            code = work(&r);
        }
    }
    health_stands_by(seen->health, false);
    bool recovers = code == EXIT_FAILED && is_tried_again(&r);
    *ret_again = (r.again || recovers) && !cancel_fired(app->cancel);
    if (!recovers && !*ret_again)
        diags_append(&app->diags, &own.diags);
    end(&r);
    if (recovers && !http_system_time.pause(&http_system_time, RECOVER_NS, app->cancel))
        code = EXIT_OK;
    return code;
}
