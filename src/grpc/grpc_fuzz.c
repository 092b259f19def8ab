/*
 * The core against a peer that sends arbitrary bytes.
 *
 * Input: byte 0 selects our side (bit 0: server) and what our user does (bit 1: pauses calls, bit 2: gives up early, bit 3: shuts
 * down halfway); byte 1 is the size of the pieces in which the rest is received (0: all at once); the rest is sent by the peer.
 * As a client we have begun two calls before.
 */
#include "grpc/conn.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>

enum { SERVER = 1, PAUSES = 2, GIVES_UP = 4, SHUTS_DOWN = 8, MAX_CALLS = 8, MAX_MESSAGE = 4096, OUT_MAX = 64 << 20 };

struct user {
    struct player *player;
    struct conn_call *call;
    bool ended;
    size_t n_messages;
    struct user *next;
};

struct player {
    struct conn *conn;
    unsigned mode;
    struct user *users;
};

/* Aborts when a condition does not hold, in every build. */
static void require(bool ok)
{
    if (!ok)
        abort();
}

static struct user *user_new(struct player *player)
{
    struct user *user = calloc(1, sizeof *user);
    require(user != NULL);
    user->player = player;
    user->next = player->users;
    player->users = user;
    return user;
}

static void on_settings(void *ctx)
{
    (void)ctx;
}

static void on_call(void *ctx, struct conn_call *call)
{
    struct player *player = ctx;
    struct user *user = user_new(player);
    user->call = call;
    conn_call_set_user(call, user);
    if (player->mode & PAUSES)
        conn_pause(call, true);
}

static void end_user(struct user *user)
{
    require(!user->ended);
    user->ended = true;
    user->call = NULL;
}

static void on_message(void *arg, struct message *message)
{
    struct user *user = arg;
    require(!user->ended && message->n <= MAX_MESSAGE);
    /* Reads every byte, so that a sanitizer detects invalid memory. */
    unsigned sum = 0;
    for (size_t i = 0; i < message->n; i++)
        sum += (unsigned char)message->p[i];
    user->n_messages += sum != UINT32_MAX;
    message_free(message);
    if ((user->player->mode & GIVES_UP) && user->n_messages > 1) {
        struct conn_call *call = user->call;
        end_user(user);
        conn_reset(call, NGHTTP2_CANCEL);
    } else if (user->player->mode & SERVER) {
        char *copy = malloc(20000);
        require(copy != NULL);
        memset(copy, 'x', 20000);
        conn_send(user->call, (struct str){copy, 20000}, copy);
    }
    if (user->player->mode & SHUTS_DOWN)
        conn_shut_down(user->player->conn);
}

static void on_half_close(void *arg)
{
    struct user *user = arg;
    require(!user->ended);
    struct conn_call *call = user->call;
    end_user(user);
    conn_finish(call, user->n_messages > 2 ? GRPC_NOT_FOUND : GRPC_OK, user->n_messages > 2 ? STR("\n%\xff") : STR_EMPTY);
}

static void on_sent(void *arg, size_t bytes)
{
    (void)bytes;
    require(!((struct user *)arg)->ended);
}

static void on_end(void *arg, enum grpc_status status, struct str message)
{
    (void)status;
    require(str_is_utf8(message));
    end_user(arg);
}

static const struct conn_events events = {on_settings, on_call, on_message, on_half_close, on_sent, on_end};

static void call_twice(struct player *player)
{
    for (int i = 0; i < 2; i++) {
        struct user *user = user_new(player);
        user->call = conn_open(player->conn, STR("/a.B/C"), i * 1000, user);
        require(user->call != NULL);
        conn_send(user->call, STR("request"), NULL);
        if (i == 0)
            conn_close_send(user->call);
        if (player->mode & PAUSES)
            conn_pause(user->call, true);
    }
}

static bool pump(struct player *player)
{
    struct buf out BUF_AUTO = BUF_INIT(OUT_MAX);
    return conn_pump(player->conn, &out, 64 << 10);
}

static void resume(struct player *player)
{
    for (struct user *user = player->users; user; user = user->next)
        if (user->call)
            conn_pause(user->call, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct player player = {.mode = data[0]};
    player.conn = conn_new(&(struct conn_options){
        .server = data[0] & SERVER,
        .max_message = MAX_MESSAGE,
        .max_calls = MAX_CALLS,
        .events = &events,
        .ctx = &player,
    });
    if (!(player.mode & SERVER))
        call_twice(&player);
    size_t piece = data[1] > 0 ? data[1] : size;
    struct str rest = {(const char *)data + 2, size - 2};
    bool ok = pump(&player);
    while (rest.n > 0 && ok) {
        ok = conn_receive(player.conn, str_slice(rest, 0, piece)) && pump(&player);
        rest = str_slice(rest, piece, rest.n);
    }
    resume(&player);
    (void)pump(&player);
    conn_lose(player.conn, STR("the end"));
    for (struct user *user = player.users; user; user = user->next)
        require(user->ended);
    (void)pump(&player);
    conn_free(player.conn);
    while (player.users) {
        struct user *next = player.users->next;
        free(player.users);
        player.users = next;
    }
    return 0;
}
