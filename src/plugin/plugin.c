/*
 * Using a plugin after its start, and freeing it.
 *
 * Freeing goes from the outside in: call Shutdown, end our streams, close the connection, wait for the process, kill it, remove
 * its socket. Every step accepts that its part was never built, so that a failed start uses the same code.
 */
#include "plugin/plugin_private.h"
#include "plugin/services.h"
#include "plugin/sockets.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#define SHUTDOWN_PATIENCE (2 * NS_PER_S)
#define REAP_PATIENCE (1 * NS_PER_S) /* from the loss of the connection to the end of the process */

struct plugin *plugin_new(struct loop *loop, struct log *log, struct str name)
{
    struct plugin *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->arena = arena_new(NULL, 0);
    p->loop = loop;
    p->log = log;
    p->name = arena_str(p->arena, name);
    p->logs = plugin_logs_new(log, name);
    p->stdio_logs = plugin_logs_new(log, name);
    p->line = BUF_INIT(HANDSHAKE_MAX_LINE);
    completion_init(&p->heard);
    completion_init(&p->exited);
    return p;
}

/* ---- its own streams ---- */

/* Old servers send their stdout and stderr here; they block if it is not read. */
static void stdio_received(void *ctx, struct str message)
{
    struct plugin *p = ctx;
    struct str data;
    enum stdio_channel channel;
    if (stdio_data_decode(message, &channel, &data))
        plugin_logs_feed(p->stdio_logs, data);
}

static void stdio_ended(void *ctx)
{
    struct plugin *p = ctx;
    plugin_logs_end(p->stdio_logs);
}

void plugin_open_streams(struct plugin *p)
{
    const struct grpc_listener listener = {.on_message = stdio_received, .on_end = stdio_ended, .ctx = p};
    /* Servers without these services answer "unimplemented", which only ends the stream. */
    p->stdio = grpc_stream_open(p->client, STR(SERVICE_STDIO), &(struct grpc_call_options){.listener = &listener});
    (void)grpc_stream_send(p->stdio, SERVICE_EMPTY);
    grpc_stream_close_send(p->stdio);
    p->broker = grpc_stream_open(p->client, STR(SERVICE_BROKER), NULL);
}

static void close_streams(struct plugin *p)
{
    grpc_stream_free(p->stdio);
    grpc_stream_free(p->broker);
}

/* ---- questions ---- */

struct grpc_client *plugin_client(struct plugin *p)
{
    return p->client;
}

struct str plugin_name(const struct plugin *p)
{
    return p->name;
}

struct log *plugin_log(const struct plugin *p)
{
    return p->log;
}

int plugin_protocol(const struct plugin *p)
{
    return p->protocol;
}

bool plugin_reattach(const struct plugin *p, struct reattach *ret)
{
    if (!p->process || p->identity)
        return false;
    *ret = (struct reattach){.protocol = p->protocol, .pid = process_pid(p->process), .test = true, .address = p->address};
    return true;
}

bool plugin_is_gone(const struct plugin *p)
{
    return atomic_load(&p->has_exited) || grpc_client_is_lost(p->client);
}

struct str plugin_describe_exit(struct arena *a, int status)
{
    if (WIFEXITED(status))
        return arena_printf(a, "exited with status %d", WEXITSTATUS(status));
    int signal = WTERMSIG(status);
    const char *name = sigdescr_np(signal);
    return arena_printf(a, "was killed by signal %d (%s)", signal, name ? name : "unknown");
}

struct plugin_end plugin_last_words(struct plugin *p, struct arena *a)
{
    struct plugin_end end = {.how = STR_EMPTY};
    end.output = plugin_logs_tail(p->logs, a, &end.panicked);
    end.title = arena_printf(
        a, end.panicked ? "Stack trace from provider \"" STR_FMT "\"" : "The last lines of provider \"" STR_FMT "\" on stderr",
        STR_ARG(p->name));
    return end;
}

bool plugin_ended(struct plugin *p, struct arena *a, struct plugin_end *ret)
{
    if (!p->process || !plugin_is_gone(p))
        return false;
    if (!completion_wait(&p->exited, clock_now(&system_clock) + REAP_PATIENCE))
        return false;
    *ret = plugin_last_words(p, a);
    ret->how = plugin_describe_exit(a, p->status);
    return true;
}

/* ---- the end ---- */

void plugin_kill(struct plugin *p)
{
    process_free(p->process);
    p->process = NULL;
}

static void ask_to_shut_down(struct plugin *p, int64_t deadline)
{
    if (!p->process || !p->client || plugin_is_gone(p))
        return;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str ignored;
    (void)grpc_client_unary(p->client, a, STR(SERVICE_SHUTDOWN), SERVICE_EMPTY, &(struct grpc_call_options){.deadline = deadline},
                            &ignored);
}

void plugin_free(struct plugin *p)
{
    if (!p)
        return;
    int64_t deadline = clock_now(&system_clock) + SHUTDOWN_PATIENCE;
    ask_to_shut_down(p, deadline);
    close_streams(p);
    bool was_connected = p->client != NULL;
    grpc_client_free(p->client);
    if (p->process && was_connected)
        (void)completion_wait(&p->exited, deadline);
    plugin_kill(p);
    socket_remove_stray(p->stray_socket);
    if (p->sockets.path)
        temporary_remove(&p->sockets);

    tls_identity_free(p->identity);
    plugin_logs_free(p->logs);
    plugin_logs_free(p->stdio_logs);
    completion_destroy(&p->heard);
    completion_destroy(&p->exited);
    buf_free(&p->line);
    arena_free(p->arena);
    free(p);
}
