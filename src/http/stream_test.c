#include "http/stream.h"

#include "base/lock.h"
#include "base/testing.h"
#include "http/testing_server.h"

struct world {
    struct arena *arena;
    struct diags diags;
    struct loop *loop;
    struct testing_server *server;
    struct http *http;
    struct testing_answer answer;
    pthread_mutex_t lock; /* guards the flag */
    pthread_cond_t changed;
    bool woken;
};

static void answer(void *ctx, const struct testing_request *request, struct testing_answer *ret)
{
    (void)request;
    struct arena *a = ret->arena;
    *ret = ((struct world *)ctx)->answer;
    ret->arena = a;
}

static void wake(void *ctx)
{
    struct world *w = ctx;
    mutex_lock(&w->lock);
    w->woken = true;
    cond_signal(&w->changed);
    mutex_unlock(&w->lock);
}

static void start(struct world *w, struct testing_answer says)
{
    *w = (struct world){.arena = arena_new(NULL, 0), .answer = says};
    diags_init(&w->diags, w->arena);
    mutex_init(&w->lock);
    cond_init(&w->changed);
    w->loop = loop_new();
    w->server = testing_server_start(answer, w, TESTING_PLAIN);
    w->http = http_new(&(struct http_options){.loop = w->loop, .multiplex = true}, &w->diags);
    assert_non_null(w->http);
}

static void stop(struct world *w)
{
    http_free(w->http);
    testing_server_stop(w->server);
    loop_free(w->loop);
    cond_destroy(&w->changed);
    mutex_destroy(&w->lock);
    arena_free(w->arena);
}

static struct http_stream *ask(struct world *w, size_t room)
{
    struct http_request request = {.method = "GET", .url = str_of(testing_server_url(w->server)), .max_body = room};
    struct http_stream *s = http_stream_open(w->http, &request, wake, w);
    assert_non_null(s);
    return s;
}

/* Reads until this many bytes have arrived or the stream has ended. */
static enum http_stream_state read_until(struct world *w, struct http_stream *s, struct buf *into, size_t n)
{
    for (;;) {
        mutex_lock(&w->lock);
        w->woken = false;
        mutex_unlock(&w->lock);
        enum http_stream_state state = http_stream_read(s, into);
        if (state == HTTP_STREAM_END || (state == HTTP_STREAM_SOME && into->n >= n))
            return state;
        mutex_lock(&w->lock);
        while (state == HTTP_STREAM_NOTHING && !w->woken)
            assert_true(cond_wait(&w->changed, &w->lock, clock_now(&system_clock) + 60 * NS_PER_S));
        mutex_unlock(&w->lock);
    }
}

/* Bytes can be read before the response has ended; closing the stream then leaks nothing. */
static void comes_in_pieces(void **state)
{
    (void)state;
    const struct str pieces[] = {STR("one "), STR("two ")};
    struct world w;
    start(&w, (struct testing_answer){.status = 200, .chunks = pieces, .n_chunks = 2, .hold = true});
    struct http_stream *s = ask(&w, 1000);
    struct buf in BUF_AUTO = BUF_INIT(1000);
    assert_int_equal(read_until(&w, s, &in, 8), HTTP_STREAM_SOME);
    testing_text(buf_str(&in), "one two ");
    assert_int_equal(http_stream_status(s), 200);
    http_stream_close(s);
    stop(&w);
}

static void ends(void **state)
{
    (void)state;
    const struct str pieces[] = {STR("all")};
    for (int cut = 0; cut < 2; cut++) {
        struct world w;
        start(&w, (struct testing_answer){
                      .status = 429, .headers = "Retry-After: 7\r\n", .chunks = pieces, .n_chunks = 1, .cut = cut != 0});
        struct http_stream *s = ask(&w, 1000);
        struct buf in BUF_AUTO = BUF_INIT(1000);
        struct http_response response;
        struct str why = STR_EMPTY;
        assert_int_equal(read_until(&w, s, &in, 1000), HTTP_STREAM_END);
        testing_text(buf_str(&in), "all");
        enum http_result result = http_stream_result(s, w.arena, &response, &why);
        assert_int_equal(result, cut ? HTTP_BROKEN : HTTP_OK);
        assert_true(cut ? why.n > 0 : response.status == 429);
        if (!cut)
            testing_text(http_response_header(&response, "retry-after"), "7");
        http_stream_close(s);
        stop(&w);
    }
}

/* Unread bytes are kept up to the limit; then the stream ends, and the kept bytes can still be read. */
static void falls_behind(void **state)
{
    (void)state;
    static char much[64 << 10];
    memset(much, 'x', sizeof much);
    const struct str pieces[] = {STR("first"), {much, sizeof much}};
    struct world w;
    start(&w, (struct testing_answer){.status = 200, .chunks = pieces, .n_chunks = 2, .hold = true});
    struct http_stream *s = ask(&w, 1000); /* less than arrives at once, however fast it is read */
    struct buf in BUF_AUTO = BUF_INIT(200 << 10);
    struct http_response response;
    struct str why;
    assert_int_equal(read_until(&w, s, &in, SIZE_MAX), HTTP_STREAM_END);
    assert_true(in.n >= 5);
    assert_memory_equal(in.p, "first", 5);
    assert_int_equal(http_stream_result(s, w.arena, &response, &why), HTTP_TOO_LARGE);
    http_stream_close(s);
    stop(&w);
}

static void cannot_be_asked(void **state)
{
    (void)state;
    struct world w;
    start(&w, (struct testing_answer){.status = 200});
    struct http_request request = {.method = "GET", .url = STR("ftp://127.0.0.1/")};
    assert_null(http_stream_open(w.http, &request, wake, &w));
    stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_in_pieces),
        cmocka_unit_test(ends),
        cmocka_unit_test(falls_behind),
        cmocka_unit_test(cannot_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
