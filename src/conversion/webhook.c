#include "conversion/webhook.h"

#include "base/base64.h"
#include "base/must.h"
#include "conversion/certificate.h"
#include "conversion/review.h"
#include "http/timing.h"
#include "kube/objects.h"
#include "loop/thread.h"
#include "managed/edit.h"
#include "web/server.h"

#include <stdlib.h>

#define DRAIN_NS (2 * WEB_IDLE_S * NS_PER_S) /* connections that clients keep open are closed after WEB_IDLE_S of silence */

static const struct kube_resource secrets = {STR_EMPTY, STR("v1"), STR("Secret"), STR("secrets"), true};
static const struct kube_resource definitions = {STR("apiextensions.k8s.io"), STR("v1"), STR("CustomResourceDefinition"),
                                                 STR("customresourcedefinitions"), false};

struct webhook {
    struct webhook_options o;
    struct arena *arena;
    struct str host;
    struct web_route routes[2];
    struct crd_webhook client;
    struct arena *shown, *next;         /* memory of the certificate in use, and of the next one */
    struct str told;                    /* the certificate chain whose authority was added to the CRDs */
    struct str chain, ca;               /* empty: none yet */
    struct web_server *server, *before; /* before: finishes the requests it has */
    int64_t drained;                    /* start of the draining */
    unsigned port;
    struct kube *own; /* the client, until webhook_stop() */
    struct cancel *cancel;
    pthread_t thread;
    bool runs;
};

/* ---- a request ---- */

static void answer(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    struct webhook *w = ctx;
    struct buf text BUF_AUTO = BUF_INIT(REVIEW_MAX_BYTES * 2U);
    struct diags diags;
    diags_init(&diags, a);
    if (conversion_review(w->o.kinds, a, r->body, &diags, &text) != REVIEW_ANSWERED) {
        web_refuse(ret, a, 400, STR_FMT, STR_ARG(diags.v[0].detail));
        return;
    }
    *ret = (struct web_answer){.type = "application/json", .body = arena_str(a, buf_str(&text))};
}

/* ---- the Secret ---- */

struct held {
    struct str chain, key, ca; /* PEM; ca: the newest first */
    struct str version;
};

static struct str datum(struct arena *a, const struct json *secret, const char *key)
{
    struct str text = managed_text(managed_at(secret, "data", key, NULL)), bytes;
    return text.n > 0 && base64_read(a, text, &bytes) ? arena_str(a, bytes) : STR_EMPTY;
}

static struct str key_text(const struct json *secret)
{
    return managed_text(managed_at(secret, "data", "tls.key", NULL));
}

/* The returned key is the only copy, and the caller wipes it. */
static struct held read_held(struct arena *a, const struct json *secret)
{
    struct str key;
    struct held h = {datum(a, secret, "tls.crt"), STR_EMPTY, datum(a, secret, "ca.crt"),
                     kube_metadata(secret, "resourceVersion")};
    if (base64_read(a, key_text(secret), &key))
        h.key = key;
    str_wipe(key_text(secret));
    return h;
}

static const struct json *in_base64(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(CERTIFICATE_MAX_PEM * 2);
    base64_write(&out, text);
    const struct json *made = json_make_string(a, buf_str(&out));
    buf_wipe(&out);
    return made;
}

static const struct json *make_secret(struct webhook *w, struct arena *a, const struct held *h)
{
    const struct json *s = managed_put(a, NULL, json_make_string(a, STR("v1")), "apiVersion", NULL);
    s = managed_put(a, s, json_make_string(a, STR("Secret")), "kind", NULL);
    s = managed_put(a, s, json_make_string(a, STR("kubernetes.io/tls")), "type", NULL);
    s = managed_put(a, s, json_make_string(a, STR(WEBHOOK_SECRET)), "metadata", "name", NULL);
    s = managed_put(a, s, json_make_string(a, w->o.namespace), "metadata", "namespace", NULL);
    s = managed_put(a, s, json_make_string(a, str_of(w->o.manager)), "metadata", "labels", "app.kubernetes.io/managed-by", NULL);
    if (h->version.n > 0)
        s = managed_put(a, s, json_make_string(a, h->version), "metadata", "resourceVersion", NULL);
    s = managed_put(a, s, in_base64(a, h->chain), "data", "tls.crt", NULL);
    s = managed_put(a, s, in_base64(a, h->key), "data", "tls.key", NULL);
    return managed_put(a, s, in_base64(a, h->ca), "data", "ca.crt", NULL);
}

/* The first certificate, if it is valid. */
static struct str first_authority(struct str pem)
{
    static const char end[] = "-----END CERTIFICATE-----\n";
    const char *at = pem.n > 0 ? strstr(pem.p, end) : NULL; /* null-terminated: a copy by arena_str() */
    struct str first = at ? str_slice(pem, 0, (size_t)(at - pem.p) + sizeof end - 1) : STR_EMPTY;
    return certificate_is_valid(first) ? first : STR_EMPTY;
}

/* Adds the previous authority to a new one: others may still use a certificate that it signed. */
static struct str with_authority(struct arena *a, struct str pem, struct str before)
{
    struct str first = first_authority(before);
    bool has = first.n == 0 || strstr(pem.p, arena_str(a, first).p);
    return has ? pem : arena_printf(a, STR_FMT STR_FMT, STR_ARG(pem), STR_ARG(first));
}

/* Creates a new certificate and stores it, unless somebody else was faster. */
static enum kube_result renew(struct webhook *w, struct arena *a, struct kube *client, struct held *h, struct diags *diags)
{
    struct kube_place all = {&secrets, w->o.namespace, STR_EMPTY, NULL},
                      one = {&secrets, w->o.namespace, STR(WEBHOOK_SECRET), NULL};
    struct certificate c;
    if (!certificate_make(a, w->host, WEBHOOK_VALID_S, diags, &c))
        return KUBE_INVALID;
    struct held new = {
        .chain = c.chain, .key = c.key, .ca = with_authority(a, c.ca, h->ca.n > 0 ? h->ca : w->ca), .version = h->version};
    const struct json *object = make_secret(w, a, &new), *made = NULL;
    enum kube_result result = h->version.n > 0 ? kube_replace(client, a, &one, object, diags, &made)
                                               : kube_create(client, a, &all, object, diags, &made);
    str_wipe(key_text(object));
    str_wipe(result == KUBE_OK ? h->key : new.key);
    if (result != KUBE_OK)
        return result;
    str_wipe(key_text(made));
    log_info(w->o.log, "made a certificate for the conversion webhook", LOG_STR("host", w->host));
    *h = new;
    return KUBE_OK;
}

/* The content of the Secret, which is renewed if it is not good. */
static bool fetch(struct webhook *w, struct arena *a, struct kube *client, struct diags *diags, struct held *ret)
{
    struct kube_place one = {&secrets, w->o.namespace, STR(WEBHOOK_SECRET), NULL};
    for (int tries = 0;; tries++) {
        struct diags said;
        const struct json *secret = NULL;
        diags_init(&said, a);
        enum kube_result result = kube_get(client, a, &one, &said, &secret);
        struct held h = read_held(a, secret);
        if (result == KUBE_OK && certificate_is_good(h.chain, h.key, w->host, WEBHOOK_LEFT_S) && certificate_is_valid(h.ca)) {
            *ret = h;
            return true;
        }
        if (result == KUBE_OK || result == KUBE_NOT_FOUND) {
            diags_init(&said, a);
            result = renew(w, a, client, &h, &said);
        }
        if (result == KUBE_OK) {
            *ret = h;
            return true;
        }
        bool was_faster = result == KUBE_CONFLICT || result == KUBE_EXISTS;
        if (!was_faster || tries >= 3) {
            diags_append(diags, &said);
            return false;
        }
    }
}

/* ---- switching certificates ---- */

static bool has_older(struct webhook *w, struct arena *a, const struct kind *kind)
{
    struct diags ignored;
    diags_init(&ignored, a);
    const struct xp_kind *model = kind->role == KIND_MANAGED ? kinds_model(w->o.kinds, kind, &ignored) : NULL;
    return model && model->config.other_versions.n > 0;
}

/* Adds the authority to every existing CRD; one that is missing gets it when it is installed. */
static bool tell_definitions(struct webhook *w, struct arena *a, const struct json *bundle, struct diags *diags)
{
    const struct json *patch = managed_put(a, NULL, bundle, "spec", "conversion", "webhook", "clientConfig", "caBundle", NULL);
    for (size_t i = 0; w->o.which && i < w->o.which->n; i++) {
        const struct kind *k = w->o.which->v[i];
        struct kube_place at = {&definitions, STR_EMPTY,
                                arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(k->plural), STR_ARG(k->group)), NULL};
        struct diags said;
        const struct json *there;
        diags_init(&said, a);
        if (!has_older(w, a, k))
            continue;
        enum kube_result result = kube_get(w->own, a, &at, &said, &there);
        bool converts = str_eqz(managed_text(managed_at(there, "spec", "conversion", "strategy", NULL)), "Webhook");
        if (result == KUBE_OK && converts)
            result = kube_merge(w->own, a, &at, patch, &said, NULL);
        if (result != KUBE_OK && result != KUBE_NOT_FOUND) {
            diags_append(diags, &said);
            return false;
        }
    }
    return true;
}

/* The next server must use the port of the first one, even if that was chosen freely. */
static const char *address_now(const struct webhook *w, struct arena *a)
{
    const char *colon = strrchr(w->o.address, ':');
    if (w->port == 0 || !colon)
        return w->o.address;
    return arena_printf(a, "%.*s:%u", (int)(colon - w->o.address), w->o.address, w->port).p;
}

static bool show(struct webhook *w, struct arena *a, const struct held *h, struct diags *diags)
{
    const char *address = address_now(w, a);
    struct web_server *server = web_listen(&(struct web_options){.address = address,
                                                                 .any_host = true,
                                                                 .routes = w->routes,
                                                                 .log = w->o.log,
                                                                 .max_body = REVIEW_MAX_BYTES,
                                                                 .certificate = h->chain,
                                                                 .key = h->key,
                                                                 .shared = true},
                                           diags);
    if (!server)
        return false;
    web_close(w->before);
    w->before = w->server;
    w->drained = clock_now(&system_clock);
    w->server = server;
    w->port = web_port(server);
    if (w->before)
        web_drain(w->before);
    arena_reset(w->shown);
    w->chain = arena_str(w->shown, h->chain);
    w->ca = arena_str(w->shown, h->ca);
    return true;
}

/*
 * Switches to the Secret's certificate. After its authority was added to the CRDs, a new certificate is used only at the next
 * look, because API servers take a moment to notice; meanwhile they trust the current one.
 */
static bool look(struct webhook *w, struct kube *client, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct held h;
    if (!fetch(w, a, client, diags, &h))
        return false;
    bool ok = true, first = !w->server, told = str_eq(h.chain, w->told);
    if (!told && !str_eq(h.chain, w->chain)) {
        const struct json *bundle = in_base64(a, with_authority(a, h.ca, w->ca));
        ok = tell_definitions(w, a, bundle, diags);
        arena_reset(w->next);
        w->told = ok ? arena_str(w->next, h.chain) : STR_EMPTY;
        if (first)
            w->client.ca_bundle = arena_str(w->arena, managed_text(bundle));
    }
    if (ok && (first || told) && !str_eq(h.chain, w->chain)) {
        ok = show(w, a, &h, diags);
        if (ok && !first)
            log_info(w->o.log, "the conversion webhook shows a new certificate");
    }
    str_wipe(h.key);
    return ok;
}

static void *watch_over(void *arg)
{
    struct webhook *w = arg;
    while (http_system_time.pause(&http_system_time, WEBHOOK_LOOK_S * NS_PER_S, w->cancel)) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        if (w->before && clock_now(&system_clock) > w->drained + DRAIN_NS) {
            web_close(w->before);
            w->before = NULL;
        }
        if (!look(w, w->own, &diags) && !cancel_fired(w->cancel))
            log_warn(w->o.log, "the certificate of the conversion webhook cannot be looked after",
                     LOG_STR("why", diags.n > 0 ? diags.v[0].detail : STR_EMPTY));
    }
    return NULL;
}

/* ---- start and stop ---- */

/* The host that the API server uses: that of a URL, or a Service's name in the cluster. */
static struct str host_of(struct arena *a, const struct crd_webhook *where)
{
    if (where->url.n == 0)
        return arena_printf(a, STR_FMT "." STR_FMT ".svc", STR_ARG(where->service), STR_ARG(where->namespace));
    struct str rest = str_slice(where->url, sizeof "https://" - 1, where->url.n);
    rest = str_cut(&rest, '/');
    if (str_starts(rest, STR("[")))
        return str_slice(rest, 1, str_find(rest, ']', 0));
    return str_cut(&rest, ':');
}

struct webhook *webhook_start(const struct webhook_options *options, struct diags *diags)
{
    struct webhook *w = must(calloc(1, sizeof *w));
    w->o = *options;
    w->arena = arena_new(NULL, 0);
    w->shown = arena_new(NULL, 0);
    w->next = arena_new(NULL, 0);
    w->client = options->where;
    w->host = host_of(w->arena, &w->client);
    w->routes[0] = (struct web_route){.path = CRD_WEBHOOK_PATH, .answer = answer, .ctx = w, .open = true, .machine = true};
    w->cancel = cancel_new();
    w->own = kube_limited(options->client, &(struct kube_limits){.cancel = w->cancel});
    if (!look(w, w->own, diags)) {
        webhook_stop(w);
        return NULL;
    }
    log_info(w->o.log, "the conversion webhook listens", LOG_INT("port", w->port), LOG_STR("host", w->host));
    w->runs = thread_start(&w->thread, "webhook", watch_over, w) == 0;
    must_be(w->runs, "cannot start a thread");
    return w;
}

void webhook_stop(struct webhook *w)
{
    if (!w)
        return;
    cancel_fire(w->cancel);
    if (w->runs)
        thread_join(w->thread);
    web_close(w->before);
    web_close(w->server);
    kube_free(w->own);
    cancel_free(w->cancel);
    arena_free(w->shown);
    arena_free(w->next);
    arena_free(w->arena);
    free(w);
}

const struct crd_webhook *webhook_client(const struct webhook *w)
{
    return &w->client;
}
