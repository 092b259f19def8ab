/*
 * Starts a provider, step by step:
 *
 *     folder for its socket -> our certificate -> process -> first line on stdout -> connection -> the plugin's own streams
 *
 * A step that fails calls fail_start(): it kills and reaps the process, so that the output is complete and nothing is left
 * running, then adds one diagnostic: the step, what was expected and found, how the process ended and its last output.
 * plugin_free() then removes the rest.
 *
 * Cancellation, from any thread, kills the process; the current step then fails by itself.
 */
#include "plugin/launch.h"

#include "base/terminal.h"
#include "plugin/environment.h"
#include "plugin/plugin_private.h"
#include "plugin/sockets.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const char summary[] = "Provider did not start";

#define EXIT_PATIENCE (1 * NS_PER_S) /* how long to wait for the exit status of a process that closed stdout or its socket */

enum { SHOWN = 200 /* bytes of an unfinished first line in a message */ };

struct launch {
    const struct launch_options *options;
    struct plugin *plugin;
    struct arena *scratch;
    struct diags reasons; /* of the current step */
    int64_t timeout;
    struct diags *diags;
    struct cancel_watch watch; /* while the process runs */
    bool watching;
};

/* ---- what comes from the process, on the loop's thread ---- */

static void set_line_state(struct plugin *p, enum first_line state)
{
    p->line_state = state;
    completion_signal(&p->heard);
}

static void on_stdout(void *ctx, struct str bytes)
{
    struct plugin *p = ctx;
    if (p->line_state != LINE_AWAITED)
        return; /* stdout is read and dropped from now on: a full pipe would block the provider */
    if (bytes.n == 0)
        return set_line_state(p, LINE_ENDED);
    size_t line_end = str_find(bytes, '\n', 0);
    struct str piece = str_slice(bytes, 0, line_end);
    size_t room = HANDSHAKE_MAX_LINE - p->line.n;
    buf_add(&p->line, str_slice(piece, 0, room));
    if (piece.n > room)
        set_line_state(p, LINE_TOO_LONG);
    else if (line_end != SIZE_MAX)
        set_line_state(p, LINE_COMPLETE);
}

static void on_stderr(void *ctx, struct str bytes)
{
    struct plugin *p = ctx;
    if (bytes.n > 0)
        plugin_logs_feed(p->logs, bytes);
    else
        plugin_logs_end(p->logs);
}

static void on_exit_status(void *ctx, int status)
{
    struct plugin *p = ctx;
    p->status = status;
    atomic_store(&p->has_exited, true);
    completion_signal(&p->exited);
    completion_signal(&p->heard);
}

/* ---- cancellation ---- */

static void kill_on_cancel(void *arg)
{
    struct plugin *p = arg;
    process_signal(p->process, SIGKILL);
}

static void begin_watch(struct launch *l)
{
    l->watch = (struct cancel_watch){.fn = kill_on_cancel, .arg = l->plugin};
    l->watching = true;
    cancel_watch(l->options->cancel, &l->watch);
}

/* Must be called before the process is freed, which kill_on_cancel() uses. */
static void end_watch(struct launch *l)
{
    if (l->watching)
        cancel_unwatch(l->options->cancel, &l->watch);
    l->watching = false;
}

/* ---- failing ---- */

/* "Not a handshake line. Expected ..." */
static struct str first_reason(const struct launch *l)
{
    const struct diag *d = l->reasons.v;
    if (l->reasons.n == 0)
        return STR_EMPTY;
    return arena_printf(l->scratch, STR_FMT ". " STR_FMT, STR_ARG(d->summary), STR_ARG(d->detail));
}

/* "hashicorp/aws (/path/of/the/binary)"; only the name if it is the path. */
static struct str who(const struct launch *l)
{
    struct str name = l->plugin->name;
    if (str_eqz(name, l->options->path))
        return name;
    return arena_printf(l->scratch, STR_FMT " (%s)", STR_ARG(name), l->options->path);
}

static bool fail_start(struct launch *l, struct str what)
{
    struct plugin *p = l->plugin;
    bool ended_by_itself = p->process && atomic_load(&p->has_exited);
    end_watch(l);
    plugin_kill(p);
    if (cancel_fired(l->options->cancel))
        return diags_fail(l->diags, summary, STR_FMT ": the start was cancelled.", STR_ARG(who(l)));
    struct str end = STR_EMPTY;
    if (ended_by_itself)
        end = arena_printf(l->scratch, " The process %s.", plugin_describe_exit(l->scratch, p->status).p);
    struct plugin_end last = plugin_last_words(p, l->scratch);
    diags_add(l->diags,
              &(struct diag){
                  .severity = DIAG_ERROR,
                  .summary = STR(summary),
                  .detail = arena_printf(l->scratch, STR_FMT ": " STR_FMT STR_FMT, STR_ARG(who(l)), STR_ARG(what), STR_ARG(end)),
                  .output_title = last.title,
                  .output = last.output,
              });
    return false;
}

static bool fail_with_reason(struct launch *l)
{
    return fail_start(l, first_reason(l));
}

/* ---- the steps ---- */

/* Advice for the user when the kernel did not execute the file. */
static const char *advise_on_binary(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return "Check the path, or install the provider.";
    if (S_ISDIR(st.st_mode))
        return "This is a folder; name the provider's program in it.";
    if (access(path, X_OK) != 0)
        return "The file is not executable: chmod +x it if it is the provider's program.";
    unsigned char head[EI_NIDENT] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        (void)close(fd);
    if (n == (ssize_t)sizeof head && memcmp(head, ELFMAG, SELFMAG) == 0)
        return "The program is built for another kind of machine, or is damaged: install the provider for this system.";
    return "The file is not a program for this system. Give the path of the provider's binary, unpacked.";
}

/* The lowest level of the provider's lines that our log would write, by its name in TF_LOG. */
static const char *level_name(const struct log *log)
{
    if (log_foreign(log) == LOG_FOREIGN_NOTHING)
        return "ERROR";
    static const struct {
        enum log_level level;
        const char *name;
    } names[] = {{LOG_TRACE, "TRACE"}, {LOG_DEBUG, "DEBUG"}, {LOG_INFO, "INFO"}, {LOG_WARN, "WARN"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (log_enabled(log, names[i].level))
            return names[i].name;
    return "ERROR";
}

static bool start_process(struct launch *l)
{
    struct plugin *p = l->plugin;
    const char *const argv[] = {l->options->path, NULL};
    const struct environment_options environment = {
        .ours = (const char *const *)environ,
        .given = l->options->env,
        .client_pem = p->identity ? tls_identity_pem(p->identity) : STR_EMPTY,
        .socket_dir = p->sockets.path,
        .address = l->options->name,
        .log_level = level_name(l->options->log),
    };
    const struct process_options options = {
        .loop = l->options->loop,
        .path = l->options->path,
        .argv = argv,
        .env = environment_make(l->scratch, &environment),
        .ctx = p,
        .on_stdout = on_stdout,
        .on_stderr = on_stderr,
        .on_exit = on_exit_status,
    };
    if (process_start(&options, &l->reasons, &p->process)) {
        begin_watch(l);
        return true;
    }
    return fail_start(
        l, arena_printf(l->scratch, STR_FMT ". %s", STR_ARG(l->reasons.v[0].detail), advise_on_binary(l->options->path)));
}

static struct str describe_unfinished_line(const struct launch *l)
{
    const struct plugin *p = l->plugin;
    if (p->line.n == 0)
        return STR("nothing was printed there");
    return arena_printf(l->scratch, "found %s without a line end", terminal_quote(l->scratch, buf_str(&p->line), SHOWN).p);
}

static const char not_a_plugin[] = "If this program is not a Terraform provider, give the path of one.";

static bool read_first_line(struct launch *l)
{
    struct plugin *p = l->plugin;
    bool in_time = completion_wait(&p->heard, clock_now(&system_clock) + l->timeout);
    if (in_time && !cancel_fired(l->options->cancel) && p->line_state == LINE_COMPLETE)
        return true;
    if (in_time && p->line_state == LINE_ENDED)
        (void)completion_wait(&p->exited, clock_now(&system_clock) + EXIT_PATIENCE);
    bool ended_by_itself = atomic_load(&p->has_exited);
    int status = ended_by_itself ? p->status : 0;
    /* Before reading the line, which belongs to the loop's thread until no more output can arrive. */
    end_watch(l);
    plugin_kill(p);
    if (cancel_fired(l->options->cancel))
        return fail_start(l, STR_EMPTY);
    if (p->line_state == LINE_TOO_LONG)
        return fail_start(l,
                          arena_printf(l->scratch,
                                       "a handshake line was expected on stdout; found more than %d bytes without a line end, "
                                       "starting with %s. %s",
                                       HANDSHAKE_MAX_LINE, terminal_quote(l->scratch, buf_str(&p->line), SHOWN).p, not_a_plugin));
    if (ended_by_itself)
        return fail_start(l,
                          arena_printf(l->scratch, "the process %s before its handshake; a line was expected on stdout, %s. %s",
                                       plugin_describe_exit(l->scratch, status).p, describe_unfinished_line(l).p, not_a_plugin));
    if (in_time)
        return fail_start(l, arena_printf(l->scratch, "it closed stdout before its handshake; a line was expected, %s. %s",
                                          describe_unfinished_line(l).p, not_a_plugin));
    return fail_start(l, arena_printf(l->scratch,
                                      "no handshake line came on stdout within %.1f s; %s. It hangs, is very slow to start, or "
                                      "is not a Terraform provider.",
                                      (double)l->timeout / NS_PER_S, describe_unfinished_line(l).p));
}

static bool is_inside(struct str path, const char *folder)
{
    return str_starts(path, str_of(folder)) && path.n > strlen(folder) && path.p[strlen(folder)] == '/';
}

static bool understand_first_line(struct launch *l, struct handshake *ret)
{
    struct plugin *p = l->plugin;
    struct handshake h;
    if (!handshake_parse(p->arena, buf_str(&p->line), &l->reasons, &h))
        return fail_with_reason(l);
    if (p->identity && h.server_der.n == 0)
        return fail_start(l, STR("the handshake line has no certificate, though mutual TLS was asked for. The provider is built "
                                 "with a plugin library from before 2019; set TF_DISABLE_PLUGIN_TLS=1 to talk to it in clear "
                                 "text over its local socket."));
    p->protocol = h.protocol;
    p->address = h.address;
    if (h.address.network == GRPC_UNIX && !is_inside(h.address.text, p->sockets.path))
        p->stray_socket = h.address.text;
    *ret = h;
    return true;
}

static bool connect_client(struct launch *l, const struct handshake *h)
{
    struct plugin *p = l->plugin;
    const struct tls_config tls = {.identity = p->identity, .peer_der = h->server_der};
    const struct grpc_client_options options = {
        .loop = p->loop,
        .log = p->log,
        .address = h->address,
        .tls = p->identity ? &tls : NULL,
        .max_message = PLUGIN_MAX_MESSAGE,
        .connect_deadline = clock_now(&system_clock) + l->timeout,
        .ping_after = GRPC_PING_AFTER,
        .ping_patience = GRPC_PING_PATIENCE,
    };
    if (grpc_client_connect(&options, &l->reasons, &p->client))
        return true;
    /* Did it refuse the connection, or has it ended? */
    (void)completion_wait(&p->exited, clock_now(&system_clock) + EXIT_PATIENCE);
    return fail_start(
        l, arena_printf(l->scratch, "after its handshake, the connection failed: " STR_FMT, STR_ARG(l->reasons.v[0].detail)));
}

static bool start_and_connect(struct launch *l)
{
    struct handshake h;
    if (!start_process(l) || !read_first_line(l) || !understand_first_line(l, &h) || !connect_client(l, &h))
        return false;
    plugin_open_streams(l->plugin);
    if (cancel_fired(l->options->cancel))
        return fail_with_reason(l);
    end_watch(l);
    plugin_logs_begin_calls(l->plugin->logs);
    return true;
}

bool plugin_launch(const struct launch_options *options, struct diags *diags, struct plugin **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct launch l = {
        .options = options,
        .plugin = plugin_new(options->loop, options->log, options->name),
        .scratch = scratch,
        .timeout = options->start_timeout_ns > 0 ? options->start_timeout_ns : LAUNCH_TIMEOUT_S * NS_PER_S,
        .diags = diags,
    };
    diags_init(&l.reasons, scratch);
    struct plugin *p = l.plugin;
    bool prepared = socket_folder_make(p->arena, &l.reasons, &p->sockets) &&
                    (options->no_tls || (p->identity = tls_identity_new(&l.reasons)));
    bool ok = prepared ? start_and_connect(&l) : fail_with_reason(&l);
    if (!ok) {
        plugin_free(p);
        return false;
    }
    log_debug(p->log, "provider started", LOG_STR("provider", p->name), LOG_INT("pid", process_pid(p->process)),
              LOG_INT("protocol", p->protocol), LOG_BOOL("tls", p->identity != NULL));
    *ret = p;
    return true;
}

bool provider_launch(const struct launch_options *options, struct diags *diags, struct provider **ret)
{
    struct plugin *p = NULL;
    if (!plugin_launch(options, diags, &p))
        return false;
    *ret = provider_new(p);
    return true;
}
