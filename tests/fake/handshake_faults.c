/*
 * Faults in the handshake. For those that only change the line, the provider is served as usual, with its stdout replaced by a
 * pipe: a thread reads the real line from it, and writes the altered one to the real stdout.
 */
#include "faults.h"
#include "grpc/tls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_LINE = 16 << 10, HUGE_LINE = 1 << 20, N_FIELDS = 6, EXIT_STATUS = 3, CERTIFICATE = 5, ADDRESS = 3 };

static _Noreturn void hang(void)
{
    for (;;)
        (void)pause();
}

/* ---- instead of a line ---- */

static void do_silence(void)
{
    hang();
}

static void do_exit(void)
{
    faults_say(STDERR_FILENO, STR("cannot read the configuration: it is full of eels\n"));
    _exit(EXIT_STATUS);
}

static void do_garbage(void)
{
    faults_say(STDOUT_FILENO, STR("Usage: eels [-h] FILE\x1b[31m\n"));
    hang();
}

static void do_close(void)
{
    (void)close(STDOUT_FILENO);
    hang();
}

static void do_huge(void)
{
    char block[4096];
    memset(block, 'A', sizeof block);
    for (size_t n = 0; n < HUGE_LINE; n += sizeof block)
        faults_say(STDOUT_FILENO, (struct str){block, sizeof block});
    hang();
}

static void do_half_line(void)
{
    faults_say(STDOUT_FILENO, STR("1|6|unix|/tmp/half"));
    hang();
}

static void do_panic(void)
{
    faults_say(STDERR_FILENO,
               STR("panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x2\n"));
    _exit(2);
}

/* ---- an altered line ---- */

struct line {
    struct arena *arena;
    struct str fields[N_FIELDS];
    int listener; /* or -1 */
};

static void set_core(struct line *l)
{
    l->fields[0] = STR("2");
}
static void set_version_4(struct line *l)
{
    l->fields[1] = STR("4");
}
static void set_version_7(struct line *l)
{
    l->fields[1] = STR("7");
}
static void set_network(struct line *l)
{
    l->fields[2] = STR("udp");
}
static void set_netrpc(struct line *l)
{
    l->fields[4] = STR("netrpc");
}
static void set_no_socket(struct line *l)
{
    l->fields[ADDRESS] = arena_printf(l->arena, STR_FMT "-not-here", STR_ARG(l->fields[ADDRESS]));
}
static void pad_certificate(struct line *l)
{
    l->fields[CERTIFICATE] = arena_printf(l->arena, STR_FMT "==", STR_ARG(l->fields[CERTIFICATE]));
}
static void drop_certificate(struct line *l)
{
    l->fields[CERTIFICATE] = STR_EMPTY;
}
static void break_certificate(struct line *l)
{
    char *text = (char *)arena_str(l->arena, l->fields[CERTIFICATE]).p;
    memset(text, 'A', l->fields[CERTIFICATE].n);
    l->fields[CERTIFICATE].p = text;
}
static void other_certificate(struct line *l)
{
    struct diags diags;
    diags_init(&diags, l->arena);
    struct tls_identity *other = tls_identity_new(&diags);
    if (!other)
        abort();
    l->fields[CERTIFICATE] = tls_der_to_base64(l->arena, tls_identity_der(other));
    tls_identity_free(other);
}

/* A socket beside the real one, on which nobody speaks gRPC. */
static void listen_elsewhere(struct line *l)
{
    struct str path = arena_printf(l->arena, STR_FMT "-other", STR_ARG(l->fields[ADDRESS]));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    l->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (path.n >= sizeof address.sun_path || l->listener < 0)
        abort();
    memcpy(address.sun_path, path.p, path.n);
    if (bind(l->listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(l->listener, 8) != 0)
        abort();
    l->fields[ADDRESS] = path;
}

static void close_each(struct line *l)
{
    for (;;)
        (void)close(accept(l->listener, NULL, NULL));
}

static void exit_now(struct line *l)
{
    (void)l;
    faults_say(STDERR_FILENO, STR("the eels are out\n"));
    _exit(EXIT_STATUS);
}

static void say_more(struct line *l)
{
    (void)l;
    for (int i = 0; i < 10000; i++)
        (void)dprintf(STDOUT_FILENO, "noise %d on stdout\n", i);
}

/* ---- the table ---- */

static const struct handshake_fault {
    const char *name;
    void (*instead)(void);         /* called instead of serving; does not return */
    void (*alter)(struct line *l); /* changes the line */
    void (*after)(struct line *l); /* called after the line was written */
    const char *before;            /* text in front of the line */
    size_t n_fields;               /* 0: all */
    bool ignore_folder;            /* ignore PLUGIN_UNIX_SOCKET_DIR */
} handshake_faults[] = {
    {.name = "silence", .instead = do_silence},
    {.name = "exit", .instead = do_exit},
    {.name = "panic", .instead = do_panic},
    {.name = "garbage", .instead = do_garbage},
    {.name = "close_stdout", .instead = do_close},
    {.name = "huge_line", .instead = do_huge},
    {.name = "half_line", .instead = do_half_line},
    {.name = "few_fields", .n_fields = 3},
    {.name = "no_rpc_field", .n_fields = 4},
    {.name = "core_protocol_2", .alter = set_core},
    {.name = "protocol_4", .alter = set_version_4},
    {.name = "protocol_7", .alter = set_version_7},
    {.name = "network", .alter = set_network},
    {.name = "netrpc", .alter = set_netrpc},
    {.name = "padded_certificate", .alter = pad_certificate},
    {.name = "broken_certificate", .alter = break_certificate},
    {.name = "other_certificate", .alter = other_certificate},
    {.name = "no_certificate", .alter = drop_certificate},
    {.name = "no_socket", .alter = set_no_socket},
    {.name = "never_accept", .alter = listen_elsewhere},
    {.name = "close_connections", .alter = listen_elsewhere, .after = close_each},
    {.name = "exit_after", .alter = listen_elsewhere, .after = exit_now}, /* before the client can be served */
    {.name = "noise_after", .after = say_more},
    {.name = "junk_before", .before = "starting the eels\n"},
    {.name = "ignore_socket_dir", .ignore_folder = true},
};

static const struct handshake_fault *find(struct str name)
{
    for (size_t i = 0; i < sizeof handshake_faults / sizeof handshake_faults[0]; i++)
        if (str_eqz(name, handshake_faults[i].name))
            return &handshake_faults[i];
    return NULL;
}

bool faults_is_handshake(struct str name)
{
    return find(name) != NULL;
}

struct filter {
    const struct handshake_fault *fault;
    int from;
    int to;
};

static struct str read_line(int fd, char line[MAX_LINE])
{
    size_t n = 0;
    while (n < MAX_LINE && read(fd, line + n, 1) == 1 && line[n] != '\n')
        n++;
    return (struct str){line, n};
}

static void *filter_line(void *arg)
{
    struct filter *f = arg;
    const struct handshake_fault *fault = f->fault;
    char bytes[MAX_LINE];
    struct str rest = read_line(f->from, bytes);
    struct line line = {.arena = arena_new(NULL, 0), .listener = -1};
    for (size_t i = 0; i < N_FIELDS; i++)
        line.fields[i] = str_cut(&rest, '|');
    if (fault->alter)
        fault->alter(&line);
    struct buf out = BUF_INIT(MAX_LINE);
    if (fault->before)
        buf_addz(&out, fault->before);
    for (size_t i = 0; i < (fault->n_fields > 0 ? fault->n_fields : N_FIELDS); i++) {
        buf_addz(&out, i > 0 ? "|" : "");
        buf_add(&out, line.fields[i]);
    }
    buf_addc(&out, '\n');
    /* From here on, 1 is the real stdout again. */
    (void)dup2(f->to, STDOUT_FILENO);
    faults_say(STDOUT_FILENO, buf_str(&out));
    buf_free(&out);
    if (fault->after)
        fault->after(&line);
    arena_free(line.arena);
    (void)close(f->from);
    (void)close(f->to);
    free(f);
    return NULL;
}

void faults_handshake(struct str name)
{
    const struct handshake_fault *fault = find(name);
    if (fault->instead)
        fault->instead();
    if (fault->ignore_folder) {
        (void)unsetenv("PLUGIN_UNIX_SOCKET_DIR");
        return;
    }
    struct filter *f = malloc(sizeof *f);
    int fds[2];
    pthread_t thread;
    if (!f || pipe2(fds, O_CLOEXEC) != 0)
        abort();
    *f = (struct filter){fault, fds[0], fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
    if (dup2(fds[1], STDOUT_FILENO) < 0 || close(fds[1]) != 0 || pthread_create(&thread, NULL, filter_line, f) != 0)
        abort();
    (void)pthread_detach(thread);
}
