/*
 * The life of a plugin after its start, and its end.
 *
 * Taking apart goes from the outside in: ask the server to shut down, end our streams, close the connection, wait for the
 * process, kill it, remove its socket. Every step copes with what was never built, so a failed start uses the same path.
 */
#include "plugin/plugin_parts.h"
#include "plugin/services.h"
#include "plugin/sockets.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#define SHUTDOWN_PATIENCE (2 * NS_PER_S)
#define REAP_PATIENCE (1 * NS_PER_S) /* from the loss of the connection to the end of the process */

enum { STDIO_STACK = 256 << 10 };

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
    p->stop_stdio = cancel_new();
    completion_init(&p->heard);
    completion_init(&p->exited);
    return p;
}

/* ---- its own streams ---- */

/* What old servers write to their stdout and stderr comes here; they stop when nobody reads it. */
static void *read_stdio(void *arg)
{
    struct plugin *p = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str message, data;
    enum stdio_channel channel;
    while (grpc_stream_recv(p->stdio, a, &message)) {
        if (stdio_data_decode(message, &channel, &data))
            plugin_logs_feed(p->stdio_logs, data);
        arena_reset(a);
    }
    plugin_logs_end(p->stdio_logs);
    return NULL;
}

static int start_thread(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
    pthread_attr_t attr;
    (void)pthread_attr_init(&attr);
    /* One per provider, and many providers: the default of 8 MiB would only waste address space. */
    size_t stack = STDIO_STACK > PTHREAD_STACK_MIN ? STDIO_STACK : PTHREAD_STACK_MIN;
    (void)pthread_attr_setstacksize(&attr, stack);
    int error = pthread_create(ret, &attr, run, arg);
    (void)pthread_attr_destroy(&attr);
    return error;
}

bool plugin_open_streams(struct plugin *p, struct diags *diags)
{
    const struct grpc_call_options options = {.cancel = p->stop_stdio, .background = true};
    /* Servers without these services answer "unimplemented", which ends the stream and nothing else. */
    p->stdio = grpc_stream_open(p->client, STR(SERVICE_STDIO), &options);
    (void)grpc_stream_send(p->stdio, SERVICE_EMPTY);
    grpc_stream_close_send(p->stdio);
    p->broker = grpc_stream_open(p->client, STR(SERVICE_BROKER), &options);
    int error = start_thread(&p->stdio_thread, read_stdio, p);
    if (error != 0)
        return diags_fail(diags, "No thread for the provider's output", "The system refused it: %s.", strerror(error));
    p->has_stdio_thread = true;
    return true;
}

static void close_streams(struct plugin *p)
{
    cancel_fire(p->stop_stdio);
    if (p->has_stdio_thread)
        (void)pthread_join(p->stdio_thread, NULL);
    if (p->stdio)
        grpc_stream_free(p->stdio);
    if (p->broker)
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

int plugin_protocol(const struct plugin *p)
{
    return p->protocol;
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

struct str plugin_describe_stderr(struct plugin *p, struct arena *a)
{
    struct str tail = plugin_logs_tail(p->logs, a);
    if (tail.n == 0)
        return STR_EMPTY;
    struct buf out BUF_AUTO = BUF_INIT(tail.n * 6 + 64);
    buf_addz(&out, "\n\nThe last lines it wrote to stderr:\n");
    while (tail.n > 0) {
        struct str line = str_cut(&tail, '\n');
        buf_addz(&out, line.n > 0 ? "\n    " : "\n");
        buf_add(&out, line);
    }
    return buf_copy(&out, a);
}

struct str plugin_obituary(struct plugin *p, struct arena *a)
{
    if (!p->process || !plugin_is_gone(p))
        return STR_EMPTY;
    if (!completion_wait(&p->exited, clock_now(&system_clock) + REAP_PATIENCE))
        return STR_EMPTY;
    return arena_printf(a, "%s%s", plugin_describe_exit(a, p->status).p, plugin_describe_stderr(p, a).p);
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
    if (p->socket_folder)
        socket_folder_remove(p->socket_folder);

    tls_identity_free(p->identity);
    plugin_logs_free(p->logs);
    plugin_logs_free(p->stdio_logs);
    cancel_free(p->stop_stdio);
    completion_destroy(&p->heard);
    completion_destroy(&p->exited);
    buf_free(&p->line);
    arena_free(p->arena);
    free(p);
}
