#include "grpc/wire.h"

#include "base/must.h"

#include <assert.h>
#include <errno.h>
#include <uv.h>

enum { OUT_MAX = 64 << 20 /* never reached: the output is at most WIRE_OUT and one frame */ };

struct wire {
    struct conn *conn;
    struct tls_filter *tls; /* NULL: clear text */
    struct buf plain;       /* with TLS: the core's output, to be encrypted */
    struct buf out;         /* pulled bytes; with TLS it is swapped with the filter's output, so that nothing is copied */
    size_t n_written;       /* of `out` */
    bool mute;
};

struct wire *wire_new(struct tls_context *tls, const struct conn_options *conn)
{
    struct wire *w = must(calloc(1, sizeof *w));
    struct conn_options options = *conn;
    options.tls = tls != NULL;
    w->conn = conn_new(&options);
    w->tls = tls ? tls_filter_new(tls) : NULL;
    w->plain = w->out = BUF_INIT(OUT_MAX);
    return w;
}

void wire_free(struct wire *w)
{
    if (!w)
        return;
    conn_free(w->conn);
    tls_filter_free(w->tls);
    buf_free(&w->plain);
    buf_free(&w->out);
    free(w);
}

struct conn *wire_conn(struct wire *w)
{
    return w->conn;
}

bool wire_is_secure(const struct wire *w)
{
    return !w->tls || tls_filter_is_ready(w->tls);
}

/* ---- input ---- */

static bool plain_received(void *ctx, struct str bytes)
{
    struct wire *w = ctx;
    return conn_receive(w->conn, bytes);
}

bool wire_start(struct wire *w)
{
    return !w->tls || tls_filter_receive(w->tls, STR_EMPTY, plain_received, w);
}

bool wire_feed(struct wire *w, struct str bytes)
{
    return w->tls ? tls_filter_receive(w->tls, bytes, plain_received, w) : conn_receive(w->conn, bytes);
}

/* ---- output ---- */

static void encrypt(struct wire *w)
{
    if (tls_filter_is_ready(w->tls)) {
        (void)conn_pump(w->conn, &w->plain, WIRE_OUT);
        (void)tls_filter_send(w->tls, buf_str(&w->plain));
        buf_clear(&w->plain);
    }
    struct buf *filtered = tls_filter_output(w->tls), empty = w->out;
    w->out = *filtered;
    *filtered = empty;
}

struct str wire_pull(struct wire *w)
{
    if (w->mute)
        return STR_EMPTY;
    if (!wire_is_behind(w)) {
        buf_clear(&w->out);
        w->n_written = 0;
        if (w->tls)
            encrypt(w);
        else
            (void)conn_pump(w->conn, &w->out, WIRE_OUT);
    }
    return str_slice(buf_str(&w->out), w->n_written, w->out.n);
}

void wire_pulled(struct wire *w, size_t n)
{
    assert(n <= w->out.n - w->n_written);
    w->n_written += n;
}

bool wire_is_behind(const struct wire *w)
{
    return !w->mute && w->n_written < w->out.n;
}

void wire_mute(struct wire *w)
{
    w->mute = true;
}

bool wire_is_mute(const struct wire *w)
{
    return w->mute;
}

void wire_say_goodbye(struct wire *w)
{
    if (w->tls && !w->mute)
        tls_filter_shut_down(w->tls);
}

/* ---- the end ---- */

bool wire_is_over(const struct wire *w)
{
    return conn_is_over(w->conn);
}

const char *wire_reason(const struct wire *w, const char *otherwise)
{
    const char *problem = w->tls ? tls_filter_problem(w->tls) : "";
    if (problem[0] == '\0')
        problem = conn_problem(w->conn);
    return problem[0] != '\0' ? problem : otherwise;
}

const char *wire_read_failure(const struct wire *w, int error)
{
    return wire_reason(w, error == 0 || error == ECONNRESET ? WIRE_PEER_CLOSED : uv_strerror(-error));
}
