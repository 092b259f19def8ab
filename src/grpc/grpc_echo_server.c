/*
 * The echo service as a program, for peers in other languages.
 *
 *     grpc_echo_server unix|tcp ADDRESS [FILE]     FILE: the client's certificate in PEM form, for mutual TLS
 *
 * Prints its address, its certificate in PEM form (with TLS) and a line "ready"; ends with its standard input, after a line
 * "cancelled N" that counts the calls whose client went away.
 */
#include "base/buf.h"
#include "grpc/testing_echo.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_MESSAGE = 100 << 20, MAX_CALLS = 100 };

static _Noreturn void give_up(const struct diags *diags)
{
    struct buf text = BUF_INIT(1 << 16);
    diags_write(&text, diags, false);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct tls_identity *identity = NULL;
    struct tls_config tls = {0};
    if (argc > 3) {
        identity = tls_identity_new(&diags);
        tls.identity = identity;
        if (!identity || !tls_der_from_pem(a, testing_read_file(a, argv[3]), &diags, &tls.peer_der))
            give_up(&diags);
    }
    struct loop *loop = loop_new();
    struct grpc_server *server;
    atomic_int n_cancelled = 0;
    bool ok = grpc_server_start(
        &(struct grpc_server_options){
            .loop = loop,
            .address = {strcmp(argv[1], "tcp") == 0 ? GRPC_TCP : GRPC_UNIX, str_of(argv[2])},
            .tls = identity ? &tls : NULL,
            .max_message = MAX_MESSAGE,
            .max_calls = MAX_CALLS,
            .handler = testing_echo,
            .ctx = &n_cancelled,
        },
        &diags, &server);
    if (!ok)
        give_up(&diags);
    printf(STR_FMT "\n", STR_ARG(grpc_server_address(server).text));
    if (identity)
        printf(STR_FMT, STR_ARG(tls_identity_pem(identity)));
    printf("ready\n");
    (void)fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    grpc_server_free(server, clock_now(&system_clock) + NS_PER_S);
    loop_free(loop);
    tls_identity_free(identity);
    printf("cancelled %d\n", atomic_load(&n_cancelled));
    return 0;
}
