/*
 * Serves as a plugin: handshake, listening, the services besides Terraform's own, and the end.
 *
 * There are two ways to be started. By a client (cookie in the environment): we print one handshake line to stdout once we
 * listen, use mutual TLS if the client sent its certificate, and end when the client calls Shutdown or disappears, when our
 * parent ends, or by SIGTERM or SIGHUP. SIGINT is ignored: a terminal sends it to all processes, and the client then sends
 * StopProvider itself. By hand (reattach): no TLS, any number of clients in turn, until SIGINT, SIGTERM or SIGHUP.
 *
 * The main thread only waits, in wait_for_end(): for a signal, for the parent's pidfd, and for `wake`, which poke() writes to.
 */
#include "base/lock.h"
#include "plugin/dispatch.h"
#include "plugin/handshake.h"
#include "plugin/launch.h"
#include "plugin/provider_server.h"
#include "plugin/services.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_CALLS = 256,       /* concurrent calls per connection, including the two held streams */
    CLIENT_GONE_MS = 2000, /* without any call since the client's streams ended: the client is gone */
    LOWEST_PROTOCOL = 5,   /* for clients that do not say what they support */
    HIGHEST_PROTOCOL = 6,  /* when we are free to choose */
    MAX_DIAGNOSTICS = 64 << 10,
};
#define CALLS_PATIENCE (NS_PER_S / 2) /* for calls that are still running at the end */

struct server {
    const struct provider_server_options *options;
    bool is_launched; /* started by a client, not by hand */
    int protocol;
    struct log *log;
    struct dispatch *dispatch;
    pid_t parent;
    int parent_end; /* pidfd of the parent; -1: not watched */
    int wake;       /* eventfd: one of the fields below has changed */
    pthread_mutex_t lock;
    size_t n_calls;   /* running calls, including held streams */
    bool seen_client; /* a client has opened a stream that it keeps open until it ends */
    bool shut_down;
};

/* ---- calls, on their threads ---- */

static void poke(struct server *s)
{
    uint64_t one = 1;
    ssize_t written = write(s->wake, &one, sizeof one);
    (void)written; /* fails only if the counter is full, and then the waiter wakes anyway */
}

static void call_begins(struct server *s)
{
    mutex_lock(&s->lock);
    s->n_calls++;
    mutex_unlock(&s->lock);
}

static void call_ends(struct server *s)
{
    mutex_lock(&s->lock);
    bool is_last = --s->n_calls == 0 && s->seen_client;
    mutex_unlock(&s->lock);
    if (is_last)
        poke(s);
}

static void hold(struct server *s, struct grpc_call *call)
{
    mutex_lock(&s->lock);
    s->seen_client = true;
    mutex_unlock(&s->lock);
    grpc_call_hold(call);
}

static void answer(struct grpc_call *call, struct str message)
{
    if (grpc_call_send(call, message))
        grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

/* False: the client asked about a service that we do not have, and this has been answered. */
static bool check_health_service(struct grpc_call *call)
{
    enum { SERVICE = 1 };
    struct str request, service;
    if (!grpc_call_recv(call, &request) || !service_find_bytes(request, SERVICE, &service) || service.n == 0 ||
        str_eq(service, STR("plugin")))
        return true;
    grpc_call_finish(call, GRPC_NOT_FOUND, STR("unknown service"));
    return false;
}

static void health_check(struct server *s, struct grpc_call *call)
{
    (void)s;
    if (check_health_service(call))
        answer(call, HEALTH_SERVING);
}

static void health_watch(struct server *s, struct grpc_call *call)
{
    (void)s;
    if (check_health_service(call) && grpc_call_send(call, HEALTH_SERVING))
        grpc_call_hold(call);
}

static void shut_down(struct server *s, struct grpc_call *call)
{
    answer(call, SERVICE_EMPTY);
    if (!s->is_launched)
        return; /* serves the next client */
    mutex_lock(&s->lock);
    s->shut_down = true;
    mutex_unlock(&s->lock);
    poke(s);
}

static const struct {
    struct str method;
    void (*run)(struct server *s, struct grpc_call *call);
} services[] = {
    {STR(SERVICE_HEALTH_CHECK), health_check},
    {STR(SERVICE_HEALTH_WATCH), health_watch},
    {STR(SERVICE_SHUTDOWN), shut_down},
    {STR(SERVICE_STDIO), hold},
    {STR(SERVICE_BROKER), hold},
};

static bool run_service(struct server *s, struct grpc_call *call)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (str_eq(grpc_call_method(call), services[i].method)) {
            services[i].run(s, call);
            return true;
        }
    return false;
}

static void handle_call(void *ctx, struct grpc_call *call)
{
    struct server *s = ctx;
    call_begins(s);
    if (!run_service(s, call) && !dispatch_call(s->dispatch, call))
        grpc_call_finish(call, GRPC_UNIMPLEMENTED, STR("unknown method"));
    call_ends(s);
}

/* ---- the socket ---- */

static const char *env_or(const char *key, const char *fallback)
{
    const char *value = getenv(key);
    return value && value[0] ? value : fallback;
}

static struct grpc_address choose_address(struct arena *a, bool is_launched)
{
    uint64_t unique = 0;
    if (getrandom(&unique, sizeof unique, 0) != sizeof unique)
        unique = (uint64_t)getpid();
    const char *folder = env_or("TMPDIR", "/tmp");
    if (is_launched)
        folder = env_or("PLUGIN_UNIX_SOCKET_DIR", folder);
    return (struct grpc_address){GRPC_UNIX,
                                 arena_printf(a, "%s/plugin%010llu", folder, (unsigned long long)(unique % 10000000000))};
}

static bool find_group(const char *text, gid_t *ret)
{
    int64_t number;
    if (str_to_i64(str_of(text), &number) && number >= 0 && number < UINT32_MAX) {
        *ret = (gid_t)number;
        return true;
    }
    const struct group *group = getgrnam(text);
    if (group)
        *ret = group->gr_gid;
    return group != NULL;
}

/* Gives the group that the client named access to the socket, for clients that run as another user. */
static bool open_to_group(struct grpc_address address, struct diags *diags)
{
    const char *name = env_or("PLUGIN_UNIX_SOCKET_GROUP", NULL);
    gid_t gid;
    if (!name)
        return true;
    if (!find_group(name, &gid))
        return diags_fail(diags, "Unknown group", "PLUGIN_UNIX_SOCKET_GROUP names the group \"%s\", which does not exist.", name);
    if (chown(address.text.p, (uid_t)-1, gid) != 0 || chmod(address.text.p, 0660) != 0)
        return diags_fail(diags, "Cannot share the socket with the group", "cannot give %s to the group \"%s\": %s",
                          address.text.p, name, strerror(errno));
    return true;
}

/* ---- waiting for the end ---- */

static bool client_is_gone(struct server *s)
{
    mutex_lock(&s->lock);
    bool gone = s->is_launched && s->seen_client && s->n_calls == 0;
    mutex_unlock(&s->lock);
    return gone;
}

static bool is_shut_down(struct server *s)
{
    mutex_lock(&s->lock);
    bool yes = s->shut_down;
    mutex_unlock(&s->lock);
    return yes;
}

/*
 * PR_SET_PDEATHSIG would be simpler, but it fires when the thread that started us ends, and Go programs start children from
 * threads that come and go. The watch begins before the handshake is sent: after that the parent may end at any time, and
 * getppid() would return another process.
 */
static void watch_parent(struct server *s)
{
    s->parent = getppid();
    s->parent_end = s->is_launched ? pidfd_open(s->parent, 0) : -1;
}

static bool parent_is_gone(const struct server *s)
{
    return s->is_launched && getppid() != s->parent;
}

static void wait_for_end(struct server *s, int signals)
{
    enum { SIGNALS, PARENT, WAKE };
    struct pollfd fds[] = {
        [SIGNALS] = {.fd = signals, .events = POLLIN},
        [PARENT] = {.fd = s->parent_end, .events = POLLIN}, /* poll() ignores -1 */
        [WAKE] = {.fd = s->wake, .events = POLLIN},
    };
    while (!is_shut_down(s) && !parent_is_gone(s)) {
        bool maybe_gone = client_is_gone(s);
        int n = poll(fds, sizeof fds / sizeof fds[0], maybe_gone ? CLIENT_GONE_MS : -1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || fds[PARENT].revents)
            break;
        struct signalfd_siginfo taken; /* must be read, or it is delivered when signals are unblocked */
        if (fds[SIGNALS].revents && read(signals, &taken, sizeof taken) >= 0)
            break;
        if (n == 0 && client_is_gone(s))
            break;
        uint64_t ignored;
        if (fds[WAKE].revents && read(s->wake, &ignored, sizeof ignored) < 0)
            break;
    }
}

/* ---- putting it together ---- */

static bool write_all(int fd, struct str text)
{
    while (text.n > 0) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR)
            return false;
        text = str_slice(text, n > 0 ? (size_t)n : 0, text.n);
    }
    return true;
}

static struct str announcement(const struct server *s, struct arena *a, struct grpc_address address, struct str server_der)
{
    if (s->is_launched)
        return handshake_write(a, &(struct handshake){s->protocol, address, server_der});
    const struct reattach r = {.protocol = s->protocol, .pid = getpid(), .test = true, .address = address};
    return arena_printf(a, STR_FMT "\n", STR_ARG(reattach_write(a, str_of(s->options->reattach_source), &r)));
}

/* If the client sent a certificate: makes ours, and trusts exactly the client's. */
static bool prepare_tls(const struct server *s, struct arena *a, struct diags *diags, struct tls_config *ret)
{
    const char *pem = s->is_launched ? env_or("PLUGIN_CLIENT_CERT", NULL) : NULL;
    if (!pem)
        return true;
    ret->identity = tls_identity_new(diags);
    return ret->identity && tls_der_from_pem(a, str_of(pem), diags, &ret->peer_der);
}

static bool listen_and_serve(struct server *s, struct arena *a, struct loop *loop, int signals, const struct tls_config *tls,
                             struct diags *diags)
{
    const struct grpc_server_options options = {
        .loop = loop,
        .log = s->log,
        .address = choose_address(a, s->is_launched),
        .tls = tls->identity ? tls : NULL,
        .max_message = PLUGIN_MAX_MESSAGE,
        .max_calls = MAX_CALLS,
        .handler = handle_call,
        .ctx = s,
    };
    struct grpc_server *server;
    if (!grpc_server_start(&options, diags, &server))
        return false;
    struct grpc_address address = grpc_server_address(server);
    struct str der = tls->identity ? tls_identity_der(tls->identity) : STR_EMPTY;
    log_debug(s->log, "plugin address", LOG_STR("address", address.text), LOG_INT("protocol", s->protocol));
    bool ok = open_to_group(address, diags);
    if (ok && !write_all(STDOUT_FILENO, announcement(s, a, address, der)))
        ok = diags_fail(diags, "Cannot write the handshake", "cannot write to stdout: %s", strerror(errno));
    if (ok)
        wait_for_end(s, signals);
    grpc_server_free(server, clock_now(&system_clock) + CALLS_PATIENCE);
    return ok;
}

static bool serve(struct server *s, int signals, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    s->dispatch = dispatch_new(s->options->ops, s->options->ctx, s->protocol, diags);
    if (!s->dispatch)
        return false;
    struct tls_config tls = {0};
    struct loop *loop = loop_new();
    bool ok = prepare_tls(s, a, diags, &tls) && listen_and_serve(s, a, loop, signals, &tls, diags);
    loop_free(loop);
    if (tls.identity)
        tls_identity_free((struct tls_identity *)tls.identity);
    dispatch_free(s->dispatch);
    return ok;
}

static int choose_protocol(const struct provider_server_options *o, bool is_launched)
{
    if (o->protocol != 0)
        return o->protocol;
    if (!is_launched)
        return HIGHEST_PROTOCOL;
    /* If there is no common version, the client reports it: it knows both sides. */
    int best = handshake_choose(str_of(getenv("PLUGIN_PROTOCOL_VERSIONS")));
    return best > 0 ? best : LOWEST_PROTOCOL;
}

/*
 * Like other providers, writes hclog's lines to stderr at the level that Terraform's variables set, and nothing if none is set.
 */
static struct log *log_from_environment(void)
{
    struct str text = str_of(env_or("TF_LOG_PROVIDER", env_or("TF_LOG", "off")));
    enum log_level level = LOG_TRACE; /* "JSON", and values that Terraform does not know, mean all levels */
    (void)log_level_parse(text, &level);
    return level == LOG_OFF ? NULL : log_new(STDERR_FILENO, level, LOG_JSON, &system_clock);
}

static bool has_cookie(void)
{
    const char *cookie = getenv(HANDSHAKE_COOKIE_KEY);
    return cookie && strcmp(cookie, HANDSHAKE_COOKIE_VALUE) == 0;
}

static int explain_to_human(void)
{
    (void)fputs("This program is a Terraform provider: a plugin that terraform, tofu or terrane start by themselves.\n"
                "It does nothing when run by hand. Name the provider in a configuration, and run one of those programs.\n",
                stderr);
    return 1;
}

static void report(const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_DIAGNOSTICS);
    diags_write(&text, diags, /* color= */ false);
    (void)write_all(STDERR_FILENO, buf_str(&text));
}

int provider_serve(const struct provider_server_options *options)
{
    bool is_launched = options->reattach_source == NULL;
    if (is_launched && !has_cookie())
        return explain_to_human();
    struct server s = {
        .options = options,
        .is_launched = is_launched,
        .protocol = choose_protocol(options, is_launched),
        .wake = eventfd(0, EFD_CLOEXEC),
    };
    watch_parent(&s);
    mutex_init(&s.lock);
    struct log *own_log = options->log ? NULL : log_from_environment();
    s.log = options->log ? options->log : own_log;

    /* Blocked here, and thus in every thread started from now on; they are read from the signalfd. */
    sigset_t ends, old;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGTERM);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup */
        (void)sigaddset(&ends, SIGHUP);
    if (!is_launched)
        (void)sigaddset(&ends, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &ends, &old);
    int signals = signalfd(-1, &ends, SFD_CLOEXEC);
    if (is_launched)
        (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);

    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    bool ok = false;
    if (s.wake < 0 || signals < 0)
        (void)diags_fail(&diags, "Provider cannot serve", "The system has no descriptors left: %s.", strerror(errno));
    else
        ok = serve(&s, signals, &diags);
    report(&diags);

    if (signals >= 0)
        (void)close(signals);
    if (s.wake >= 0)
        (void)close(s.wake);
    if (s.parent_end >= 0)
        (void)close(s.parent_end);
    log_free(own_log);
    mutex_destroy(&s.lock);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok ? 0 : 1;
}
