#include "web/dashboard.h"

#include "base/lock.h"
#include "base/must.h"
#include "controller/preview.h"
#include "http/address.h"
#include "managed/edit.h"
#include "managed/object.h"
#include "render/plan_text.h"
#include "store/change.h"
#include "store/layer.h"
#include "web/board.h"
#include "web/page.h"
#include "web/row.h"

#include <stdlib.h>

#define STATS_NS (2 * NS_PER_S)
#define CALM_NS (100 * NS_PER_MS) /* between two pieces of a stream: faster is of no use in a browser */
enum { GONE = 410, MAX_PREVIEWS = 2, WIDTH = 110, N_ROUTES = 16 };
#define JSON_TYPE "application/json"

struct dashboard {
    struct dashboard_options o;
    struct arena *arena;
    struct board *board;
    struct web_server *server;
    struct web_health health;
    const char *secret_url;
    struct web_route routes[N_ROUTES];
    pthread_mutex_t lock; /* protects what follows */
    size_t n_previews;
};

/* --- answers --- */

static void finish(struct json_writer *w, struct arena *a, struct web_answer *ret)
{
    if (!json_finish(w) || !buf_ok(w->out)) {
        web_refuse(ret, a, 500, "The answer is larger than the limit.");
        return;
    }
    ret->type = JSON_TYPE;
    ret->body = buf_copy(w->out, a);
}

static struct str said(const struct diags *diags)
{
    return diags->n > 0 ? (diags->v[0].detail.n > 0 ? diags->v[0].detail : diags->v[0].summary) : STR("it failed");
}

/* --- the stream --- */

struct following {
    struct dashboard *d;
    struct board_cursor cursor;
    int64_t stats_at, calm_until;
};

static void write_provider(struct json_writer *w, const struct monitor_provider *p)
{
    json_begin_object(w);
    json_put_text(w, "address", p->address);
    json_put_int(w, "calls", (int64_t)p->calls);
    json_put_int(w, "failed", (int64_t)p->failed);
    json_put_int(w, "per_10s", (int64_t)(p->per_second * 10 + 0.5));
    json_put_int(w, "median_us", p->median_ns / 1000);
    json_put_int(w, "p95_us", p->p95_ns / 1000);
    json_end_object(w);
}

static void write_stats(struct dashboard *d, struct buf *out)
{
    struct monitor_provider providers[MONITOR_MAX_PROVIDERS];
    struct pool_counts pool = monitor_pool(d->o.monitor);
    struct controller_counts c = monitor_controller(d->o.monitor);
    struct json_writer w = {.out = out};
    buf_addz(out, "event: stats\ndata: ");
    json_begin_object(&w);
    json_put_int(&w, "now", system_clock.wall_ns(&system_clock) / NS_PER_S);
    json_put_text(&w, "version", STR(TERRANE_VERSION));
    json_key(&w, STR("actions"));
    json_write_bool(&w, d->o.allow_actions);
    json_key(&w, STR("previews"));
    json_write_bool(&w, d->o.scheduler != NULL);
    json_put_int(&w, "processes", (int64_t)pool.processes);
    json_put_int(&w, "configurations", (int64_t)pool.providers);
    json_put_int(&w, "started", (int64_t)pool.started);
    json_put_int(&w, "lost", (int64_t)pool.lost);
    json_put_int(&w, "active", (int64_t)pool.leases);
    json_put_int(&w, "queue", (int64_t)(c.queue.ready[0] + c.queue.ready[1] + c.queue.ready[2]));
    json_put_int(&w, "working", (int64_t)c.queue.working);
    json_put_int(&w, "operations", (int64_t)c.operations);
    json_put_int(&w, "passes", (int64_t)c.passes);
    json_put_int(&w, "failed", (int64_t)c.failed);
    json_key(&w, STR("providers"));
    json_begin_array(&w);
    for (size_t i = 0, n = monitor_providers(d->o.monitor, providers); i < n; i++)
        write_provider(&w, &providers[i]);
    json_end_array(&w);
    json_end_object(&w);
    (void)json_finish(&w);
    buf_addz(out, "\n\n");
}

static bool follow_next(void *ctx, struct buf *out, int64_t deadline)
{
    struct following *f = ctx;
    int64_t now = clock_now(&system_clock);
    if (now >= f->stats_at) {
        write_stats(f->d, out);
        f->stats_at = now + STATS_NS;
    }
    while (now < f->calm_until && now < deadline) {
        const struct timespec rest = {.tv_nsec = CALM_NS / 4};
        (void)nanosleep(&rest, NULL);
        now = clock_now(&system_clock);
    }
    if (now >= f->calm_until) {
        size_t before = out->n;
        bool more = board_follow(f->d->board, &f->cursor, out,
                                 out->n > 0               ? now
                                 : deadline < f->stats_at ? deadline
                                                          : f->stats_at);
        if (out->n > before && !more)
            f->calm_until = clock_now(&system_clock) + CALM_NS;
    }
    return true;
}

static void answer_stream(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)a, (void)r;
    struct following *f = must(calloc(1, sizeof *f));
    f->d = ctx;
    ret->type = "text/event-stream";
    ret->stream = (struct web_stream){.next = follow_next, .end = free, .ctx = f};
}

/* --- one object --- */

/* The object with the key in the request; NULL: `ret` has the error. */
static const struct json *object_of(struct dashboard *d, struct arena *a, const struct web_request *r, struct web_answer *ret,
                                    struct store_key *ret_key, const struct kind **ret_kind)
{
    struct diags diags;
    const struct json *object = NULL;
    diags_init(&diags, a);
    if (!row_key_parse(str_of(web_argument(r, "key")), ret_key)) {
        web_refuse(ret, a, 400, "Expected ?key=GROUP/KIND/NAMESPACE/NAME.");
        return NULL;
    }
    *ret_kind = kinds_find(d->o.kinds, ret_key->group, ret_key->kind);
    if (!row_is_shown(*ret_kind))
        web_refuse(ret, a, 404, "There is no such kind.");
    else if (store_get(d->o.store, a, ret_key, &diags, &object) != STORE_OK)
        web_refuse(ret, a, GONE, "There is no such object.");
    return object;
}

static void write_events(struct dashboard *d, struct arena *a, struct json_writer *w, struct str uid)
{
    struct store_events events = {0};
    struct diags ignored;
    diags_init(&ignored, a);
    json_key(w, STR("events"));
    json_begin_array(w);
    if (uid.n > 0 && store_events(d->o.store, a, uid, &ignored, &events) == STORE_OK)
        for (size_t i = 0; i < events.n; i++) {
            const struct store_event *e = &events.v[i];
            json_begin_object(w);
            json_put_text(w, "type", e->type);
            json_put_text(w, "reason", e->reason);
            json_put_text(w, "message", e->message);
            json_put_int(w, "count", e->count);
            json_put_int(w, "last", e->last_ns / NS_PER_S);
            json_end_object(w);
        }
    json_end_array(w);
}

static void answer_object(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    struct dashboard *d = ctx;
    struct store_key key;
    const struct kind *kind;
    const struct json *object = object_of(d, a, r, ret, &key, &kind);
    if (!object && ret->status == GONE) /* the page asks for something it saw a moment ago: no error */
        *ret = (struct web_answer){.type = JSON_TYPE, .body = STR("{\"object\":null,\"events\":[]}")};
    if (!object)
        return;
    struct buf out BUF_AUTO = BUF_INIT(WEB_MAX_ANSWER), shown BUF_AUTO = BUF_INIT(WEB_MAX_ANSWER);
    struct json_writer w = {.out = &out};
    row_write_object(a, &shown, kind, object);
    json_begin_object(&w);
    json_key(&w, STR("object"));
    json_write_raw(&w, buf_str(&shown));
    write_events(d, a, &w, object_metadata_text(object, "uid"));
    json_end_object(&w);
    finish(&w, a, ret);
}

/* --- what the next reconcile would change --- */

static bool may_preview(struct dashboard *d, int step)
{
    MUTEX_GUARD(&d->lock);
    if (step > 0 && d->n_previews >= MAX_PREVIEWS)
        return false;
    d->n_previews += (size_t)step;
    return true;
}

/* Runs a pass on a layer over the store, with a controller that starts no operation. */
static struct preview preview_of(struct dashboard *d, struct arena *a, const struct kind *kind, const struct store_key *key)
{
    struct diags diags;
    diags_init(&diags, a);
    struct store *below = d->o.open_store(d->o.ctx, &diags);
    if (!below)
        return (struct preview){.outcome = PREVIEW_FAILS, .why = said(&diags)};
    struct store *layer = store_layer(below, NULL);
    struct controller *c = controller_new(&(struct controller_options){
        .store = layer, .kinds = d->o.kinds, .schedulers = {d->o.scheduler, d->o.scheduler}, .backend = CONTROLLER_GRPC});
    struct preview made = controller_preview(c, a, kind, key);
    controller_free(c);
    store_close(layer);
    return made;
}

static void write_preview(struct arena *a, struct json_writer *w, const struct kind *kind, const struct store_key *key,
                          const struct preview *p)
{
    static const char *const outcomes[] = {
        [PREVIEW_FINE] = "unchanged", [PREVIEW_CHANGES] = "changes", [PREVIEW_WAITS] = "waits", [PREVIEW_FAILS] = "fails"};
    struct buf plan BUF_AUTO = BUF_INIT(WEB_MAX_ANSWER);
    const struct schema *schema = map_get(&kind->provider->schema->resources, kind->terraform_type);
    if (p->change && schema) {
        struct str reason = json_text(json_get(p->change, "action_reason"), STR_EMPTY);
        const struct text_change change = {
            .object = {.address = row_key(a, key), .type = kind->terraform_type, .name = key->name, .schema = schema->block},
            .action = p->action,
            .reason = reason.n > 0 ? reason.p : NULL,
            .change = p->change,
        };
        change_text(&plan, &change, &(struct text_style){.width = WIDTH});
    }
    json_begin_object(w);
    json_put_text(w, "outcome", str_of(outcomes[p->outcome]));
    json_put_text(w, "why", p->why);
    json_put_text(w, "plan", buf_str(&plan));
    json_end_object(w);
}

static void answer_plan(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    struct dashboard *d = ctx;
    struct store_key key;
    const struct kind *kind;
    if (!object_of(d, a, r, ret, &key, &kind))
        return;
    if (kind->role != KIND_MANAGED || !d->o.scheduler) {
        web_refuse(ret, a, 404, "There is nothing to plan for this object.");
        return;
    }
    if (!may_preview(d, 1)) {
        web_refuse(ret, a, 503, "Too many plans at once; try again in a moment.");
        return;
    }
    struct preview p = preview_of(d, a, kind, &key);
    (void)may_preview(d, -1);
    struct buf out BUF_AUTO = BUF_INIT(WEB_MAX_ANSWER);
    struct json_writer w = {.out = &out};
    write_preview(a, &w, kind, &key, &p);
    finish(&w, a, ret);
}

/* --- actions --- */

static const struct json *paused(void *ctx, struct arena *a, const struct json *object)
{
    const bool *pause = ctx;
    return *pause ? managed_annotate(a, object, MANAGED_PAUSED, STR("true")) : managed_unannotate(a, object, MANAGED_PAUSED);
}

/* False: the reason is in `diags`. */
static bool act(struct dashboard *d, struct arena *a, struct str action, const struct kind *kind, const struct store_key *key,
                const struct json *object, struct diags *diags)
{
    bool pause = str_eqz(action, "pause"), changed;
    const struct json *left;
    if (pause || str_eqz(action, "resume"))
        return change_object(d->o.store, a, key, paused, &pause, diags, &changed);
    if (str_eqz(action, "reconcile")) {
        controller_poke(d->o.controller, kind, key->namespace, key->name);
        return true;
    }
    if (!str_eqz(action, "delete"))
        return diags_fail(diags, "Unknown action", "Expected do=pause, resume, reconcile or delete.");
    const struct store_preconditions must = {.uid = object_metadata_text(object, "uid"), .version = STR_EMPTY};
    return store_remove(d->o.store, a, key, &must, diags, &left) == STORE_OK;
}

static void answer_action(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    struct dashboard *d = ctx;
    struct store_key key;
    const struct kind *kind;
    struct diags diags;
    diags_init(&diags, a);
    if (!d->o.allow_actions) {
        web_refuse(ret, a, 403, "This dashboard is read-only: start with --allow-actions to change objects here.");
        return;
    }
    const struct json *object = object_of(d, a, r, ret, &key, &kind);
    if (!object)
        return;
    struct str action = str_of(web_argument(r, "do"));
    if (kind->role != KIND_MANAGED)
        web_refuse(ret, a, 400, "Only managed resources can be changed here.");
    else if (!act(d, a, action, kind, &key, object, &diags))
        web_refuse(ret, a, 409, STR_FMT, STR_ARG(said(&diags)));
    else
        ret->body = STR("ok\n");
    log_info(d->o.log, "action on the dashboard", LOG_STR("action", action), LOG_STR("object", row_key(a, &key)),
             LOG_INT("status", ret->status ? ret->status : 200));
}

/* --- start and stop --- */

static void answer_file(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)a, (void)r;
    const struct page_file *file = ctx;
    ret->type = file->type;
    ret->body = (struct str){(const char *)file->bytes, file->n};
}

/* Browsers ask for an icon even for a page without one, such as an error, and log an error if that is refused. */
static void answer_nothing(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)ctx, (void)a, (void)r;
    ret->status = 204;
}

static void measure(void *ctx, struct metrics *m)
{
    struct dashboard *d = ctx;
    const struct web_health *h = monitor_health(d->o.monitor);
    h->measure(h->ctx, m);
    board_measure(d->board, m);
}

static bool is_ready(void *ctx, struct arena *a, struct str *ret_why)
{
    const struct dashboard *d = ctx;
    const struct web_health *h = monitor_health(d->o.monitor);
    return h->ready(h->ctx, a, ret_why);
}

static void make_routes(struct dashboard *d)
{
    size_t n = 0;
    d->health = *monitor_health(d->o.monitor);
    d->health.ready = is_ready;
    d->health.measure = measure;
    d->health.ctx = d;
    const struct web_route own[] = {
        {.path = "/api/stream", .answer = answer_stream, .ctx = d},
        {.path = "/api/object", .answer = answer_object, .ctx = d},
        {.path = "/api/plan", .answer = answer_plan, .ctx = d},
        {.path = "/api/action", .answer = answer_action, .ctx = d, .changes = true},
        {.path = "/favicon.ico", .answer = answer_nothing, .open = true},
        WEB_HEALTH_ROUTES(&d->health),
    };
    for (; n < sizeof own / sizeof *own; n++)
        d->routes[n] = own[n];
    for (const struct page_file *f = page_files; f->path; f++)
        d->routes[n++] = (struct web_route){.path = f->path, .answer = answer_file, .ctx = (void *)f};
    must_be(n < N_ROUTES, "too many files of the page");
}

/* Listens on the default port, or on any if that is taken. */
static bool listen_somewhere(struct dashboard *d, struct diags *diags)
{
    struct web_options o = {.token = d->o.token, .routes = d->routes, .log = d->o.log, .address = d->o.address};
    struct diags ignored;
    diags_init(&ignored, d->arena);
    if (!o.address) {
        o.address = DASHBOARD_ADDRESS;
        d->server = web_listen(&o, &ignored);
        o.address = "127.0.0.1:0";
    }
    if (!d->server)
        d->server = web_listen(&o, diags);
    return d->server != NULL;
}

bool dashboard_check(const char *address, struct str token, struct diags *diags)
{
    struct http_address ignored;
    if (token.n > 0 && token.n < WEB_TOKEN_MIN)
        return diags_fail(diags, "Token too short", "The token of the dashboard must have at least %d characters.",
                          WEB_TOKEN_MIN);
    return !address || http_address_read(address, diags, &ignored);
}

struct dashboard *dashboard_start(const struct dashboard_options *options, struct diags *diags)
{
    struct arena *a = arena_new(NULL, 0);
    struct dashboard *d = arena_make(a, struct dashboard);
    d->arena = a;
    d->o = *options;
    d->o.token = options->token.n > 0 ? arena_str(a, options->token) : web_token(a);
    mutex_init(&d->lock);
    make_routes(d);
    const struct board_options board = {.store = options->store, .kinds = options->kinds, .log = options->log};
    if (dashboard_check(options->address, options->token, diags) && (d->board = board_new(&board, diags)) &&
        listen_somewhere(d, diags)) {
        d->secret_url = arena_printf(a, "%s?token=" STR_FMT, web_url(d->server), STR_ARG(d->o.token)).p;
        return d;
    }
    dashboard_stop(d);
    return NULL;
}

void dashboard_stop(struct dashboard *d)
{
    if (!d)
        return;
    web_close(d->server);
    board_free(d->board);
    mutex_destroy(&d->lock);
    str_wipe(d->o.token);
    arena_free(d->arena);
}

const char *dashboard_url(const struct dashboard *d)
{
    return web_url(d->server);
}

const char *dashboard_secret_url(const struct dashboard *d)
{
    return d->secret_url;
}
