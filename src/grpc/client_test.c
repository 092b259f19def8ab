/* Client and server together, over real sockets: kinds of calls, limits, ends. Bad peers are in peer_test.c. */
#include "base/buf.h"
#include "grpc/testing_world.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define UNARY STR("/test.Echo/Unary")

static struct grpc_result call(struct testing_world *w, struct arena *a, struct str method, struct str request, struct str *ret)
{
    return grpc_client_unary(w->client, a, method, request, NULL, ret);
}

/* ---- kinds of calls ---- */

static void check_unary(struct testing_world *w, struct arena *a)
{
    struct str response = STR_EMPTY;
    assert_int_equal(call(w, a, UNARY, STR("hello"), &response).status, GRPC_OK);
    assert_true(str_eq(response, STR("hello")));
    assert_int_equal(call(w, a, UNARY, STR(""), &response).status, GRPC_OK);
    assert_int_equal(response.n, 0);
    struct str large = testing_message(a, 3000000);
    assert_int_equal(call(w, a, UNARY, large, &response).status, GRPC_OK);
    assert_true(str_eq(response, large));
}

static void check_server_stream(struct testing_world *w, struct arena *a)
{
    struct grpc_stream *s = grpc_stream_open(w->client, STR("/test.Echo/Repeat"), NULL);
    assert_true(grpc_stream_send(s, STR("500 1234")));
    grpc_stream_close_send(s);
    int n = 0;
    for (struct str message; grpc_stream_recv(s, a, &message); n++)
        assert_true(testing_is_pattern(message, 1234));
    assert_int_equal(n, 500);
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_OK);
    grpc_stream_free(s);
}

static void check_client_stream(struct testing_world *w, struct arena *a)
{
    struct grpc_stream *s = grpc_stream_open(w->client, STR("/test.Echo/Collect"), NULL);
    struct str small = testing_message(a, 100), large = testing_message(a, 200000);
    for (int i = 0; i < 100; i++)
        assert_true(grpc_stream_send(s, i % 10 == 0 ? large : small));
    grpc_stream_close_send(s);
    struct str answer;
    assert_true(grpc_stream_recv(s, a, &answer));
    assert_true(str_eq(answer, STR("100 2009000")));
    assert_false(grpc_stream_recv(s, a, &answer));
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_OK);
    grpc_stream_free(s);
}

static void check_chat(struct testing_world *w, struct arena *a)
{
    struct grpc_stream *s = grpc_stream_open(w->client, STR("/test.Echo/Chat"), NULL);
    for (size_t i = 0; i < 200; i++) {
        struct str there = testing_message(a, i * 7), back;
        assert_true(grpc_stream_send(s, there));
        assert_true(grpc_stream_recv(s, a, &back));
        assert_true(str_eq(there, back));
    }
    grpc_stream_close_send(s);
    struct str none;
    assert_false(grpc_stream_recv(s, a, &none));
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_OK);
    grpc_stream_free(s);
}

static void every_kind_of_call_works_on_every_kind_of_connection(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct testing_world w;
        testing_world_start(&w, i & 1 ? GRPC_TCP : GRPC_UNIX, i & 2);
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        check_unary(&w, a);
        check_server_stream(&w, a);
        check_client_stream(&w, a);
        check_chat(&w, a);
        assert_false(grpc_client_is_lost(w.client));
        testing_world_done(&w);
    }
}

static void a_message_of_64_mib_goes_there_and_back(void **state)
{
    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        struct testing_world w;
        testing_world_start(&w, GRPC_UNIX, tls);
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct str request = testing_message(a, 64 << 20), response;
        assert_int_equal(call(&w, a, UNARY, request, &response).status, GRPC_OK);
        assert_true(str_eq(request, response));
        struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Chat"), NULL);
        assert_true(grpc_stream_send(s, request));
        assert_true(grpc_stream_recv(s, a, &response));
        assert_true(str_eq(request, response));
        grpc_stream_free(s);
        testing_world_done(&w);
    }
}

static void results_carry_code_and_text(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    struct grpc_result r = call(&w, a, STR("/test.Echo/Fail"),
                                STR("5 Gr\xc3\xb6\xc3\x9f"
                                    "e \xe2\x82\xac 100%\nzwei"),
                                &response);
    assert_int_equal(r.status, GRPC_NOT_FOUND);
    assert_string_equal(r.message.p, "Gr\xc3\xb6\xc3\x9f"
                                     "e \xe2\x82\xac 100%\nzwei");
    r = call(&w, a, STR("/test.Echo/Fail"), STR("99 x"), &response);
    assert_int_equal(r.status, 99);
    r = call(&w, a, STR("/nobody.Knows/This"), STR("x"), &response);
    assert_int_equal(r.status, GRPC_UNIMPLEMENTED);
    /* OK with no message or with several is not a valid response to a unary call. */
    r = call(&w, a, STR("/test.Echo/Fail"), STR("0 "), &response);
    assert_int_equal(r.status, GRPC_INTERNAL);
    r = call(&w, a, STR("/test.Echo/Repeat"), STR("2 10"), &response);
    assert_int_equal(r.status, GRPC_INTERNAL);
    r = call(&w, a, STR("/test.Echo/Repeat"), STR("100000 100000"), &response);
    assert_int_equal(r.status, GRPC_INTERNAL);
    testing_world_done(&w);
}

struct sending {
    struct grpc_stream *s;
    struct str message;
    int n;
    bool ok;
};

static void *send_many(void *arg)
{
    struct sending *sending = arg;
    for (int i = 0; i < sending->n && sending->ok; i++)
        sending->ok = grpc_stream_send(sending->s, sending->message);
    grpc_stream_close_send(sending->s);
    return NULL;
}

/* Far more in both directions at once than fits the windows and queues. */
static void one_thread_sends_while_another_receives(void **state)
{
    (void)state;
    static const size_t sizes[] = {10, 30000, 300000};
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, true);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0), *keep ARENA_AUTO = arena_new(NULL, 0);
        struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Chat"), NULL);
        struct sending sending = {s, testing_message(keep, sizes[i]), i == 0 ? 20000 : 200, true};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, send_many, &sending), 0);
        int n = 0;
        for (struct str message; grpc_stream_recv(s, a, &message); n++) {
            assert_true(str_eq(message, sending.message));
            arena_reset(a);
        }
        (void)pthread_join(thread, NULL);
        assert_true(sending.ok);
        assert_int_equal(n, sending.n);
        assert_int_equal(grpc_stream_result(s, a).status, GRPC_OK);
        assert_false(grpc_stream_send(s, STR("too late")));
        grpc_stream_free(s);
    }
    testing_world_done(&w);
}

/* ---- many threads ---- */

enum { N_THREADS = 64 };

struct worker {
    struct testing_world *w;
    int number, n_calls;
    bool ok;
};

static bool one_call(struct worker *worker, struct arena *a, int i)
{
    struct str request = testing_message(a, (size_t)(worker->number * 131 + i * 17) % 5000), response;
    if (i % 5 != 0)
        return call(worker->w, a, UNARY, request, &response).status == GRPC_OK && str_eq(request, response);
    struct grpc_call_options options = {.deadline = testing_in_ms(60000)};
    struct grpc_stream *s = grpc_stream_open(worker->w->client, STR("/test.Echo/Chat"), &options);
    bool ok = grpc_stream_send(s, request) && grpc_stream_recv(s, a, &response) && str_eq(request, response);
    if (i % 2 == 0) {
        grpc_stream_close_send(s);
        ok = ok && grpc_stream_result(s, a).status == GRPC_OK;
    }
    grpc_stream_free(s);
    return ok;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (int i = 0; i < worker->n_calls && worker->ok; i++) {
        worker->ok = one_call(worker, a, i);
        arena_reset(a);
    }
    return NULL;
}

static void many_threads_share_a_connection(void **state)
{
    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        struct testing_world w;
        testing_world_start(&w, GRPC_UNIX, tls);
        static struct worker workers[N_THREADS];
        pthread_t threads[N_THREADS];
        for (int i = 0; i < N_THREADS; i++) {
            workers[i] = (struct worker){&w, i, 60, true};
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < N_THREADS; i++) {
            (void)pthread_join(threads[i], NULL);
            assert_true(workers[i].ok);
        }
        testing_world_done(&w);
    }
}

/* ---- limits ---- */

static void a_message_over_the_limit_fails_only_its_call(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_init(&w);
    w.client_max = 10000;
    w.server_max = 20000;
    testing_world_serve(&w);
    testing_world_connect(&w);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    assert_int_equal(call(&w, a, STR("/test.Echo/Large"), STR("10000"), &response).status, GRPC_OK);
    assert_int_equal(call(&w, a, STR("/test.Echo/Large"), STR("10001"), &response).status, GRPC_RESOURCE_EXHAUSTED);
    assert_int_equal(call(&w, a, STR("/test.Echo/Large"), STR("70000000"), &response).status, GRPC_RESOURCE_EXHAUSTED);
    assert_int_equal(call(&w, a, UNARY, testing_message(a, 20001), &response).status, GRPC_RESOURCE_EXHAUSTED);
    assert_int_equal(call(&w, a, UNARY, testing_message(a, 30 << 20), &response).status, GRPC_RESOURCE_EXHAUSTED);
    assert_int_equal(call(&w, a, UNARY, STR("fine"), &response).status, GRPC_OK);
    testing_world_done(&w);
}

static void a_slow_reader_stops_the_server(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rusage before, after;
    (void)getrusage(RUSAGE_SELF, &before);
    struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Repeat"), NULL);
    assert_true(grpc_stream_send(s, STR("100000 20000"))); /* two gigabytes, if it were not stopped */
    struct str message;
    for (int i = 0; i < 10; i++) {
        testing_sleep_ms(20);
        assert_true(grpc_stream_recv(s, a, &message));
    }
    (void)getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10);
    /* Reading continues across the pause. */
    for (int i = 0; i < 2000; i++) {
        assert_true(grpc_stream_recv(s, a, &message));
        arena_reset(a);
    }
    grpc_stream_free(s);
    testing_world_done(&w);
    assert_int_equal(w.n_cancelled, 1);
}

static void a_server_that_does_not_read_stops_the_sender(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct grpc_call_options options = {.deadline = testing_in_ms(400)};
    struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Hold"), &options);
    struct str message = testing_message(a, 50000);
    size_t n = 0;
    while (grpc_stream_send(s, message))
        n += message.n;
    assert_in_range(n, 1 << 20, 16 << 20);
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_DEADLINE_EXCEEDED);
    grpc_stream_free(s);
    testing_world_done(&w);
}

/* ---- calls that end early ---- */

static void a_deadline_ends_the_call_on_both_sides(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, true);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct grpc_call_options options = {.deadline = testing_in_ms(60)};
    struct str response;
    struct grpc_result r = grpc_client_unary(w.client, a, STR("/test.Echo/Hold"), STR("x"), &options, &response);
    assert_int_equal(r.status, GRPC_DEADLINE_EXCEEDED);
    assert_true(clock_now(&system_clock) >= options.deadline);
    assert_true(clock_now(&system_clock) < options.deadline + 5 * NS_PER_S);
    /* A deadline that passed before the call. */
    r = grpc_client_unary(w.client, a, UNARY, STR("x"), &options, &response);
    assert_int_equal(r.status, GRPC_DEADLINE_EXCEEDED);
    options.deadline = testing_in_ms(60000);
    assert_int_equal(grpc_client_unary(w.client, a, UNARY, STR("x"), &options, &response).status, GRPC_OK);
    testing_world_done(&w);
    assert_int_equal(w.n_cancelled, 1);
}

static void *fire_soon(void *arg)
{
    testing_sleep_ms(50);
    cancel_fire(arg);
    return NULL;
}

static void cancelling_ends_calls_under_way_and_later_ones(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct cancel *cancel = cancel_new();
    struct grpc_call_options options = {.cancel = cancel};
    struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Hold"), &options);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire_soon, cancel), 0);
    struct str response;
    struct grpc_result r = grpc_client_unary(w.client, a, STR("/test.Echo/Hold"), STR("x"), &options, &response);
    assert_int_equal(r.status, GRPC_CANCELLED);
    assert_false(grpc_stream_recv(s, a, &response));
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_CANCELLED);
    grpc_stream_free(s);
    (void)pthread_join(thread, NULL);
    r = grpc_client_unary(w.client, a, STR("/test.Echo/Hold"), STR("x"), &options, &response);
    assert_int_equal(r.status, GRPC_CANCELLED);
    cancel_free(cancel);
    assert_int_equal(call(&w, a, UNARY, STR("x"), &response).status, GRPC_OK);
    testing_world_done(&w);
}

struct audience {
    struct loop *loop;
    struct buf heard;
    atomic_int n;
    atomic_int ends;
    bool on_loop;
};

static void hear(void *ctx, struct str message)
{
    struct audience *a = ctx;
    a->on_loop = a->on_loop && loop_is_current(a->loop);
    buf_add(&a->heard, message);
    (void)atomic_fetch_add(&a->n, 1);
}

static void hear_end(void *ctx)
{
    struct audience *a = ctx;
    a->on_loop = a->on_loop && loop_is_current(a->loop);
    (void)atomic_fetch_add(&a->ends, 1);
}

static void wait_for(const atomic_int *n, int wanted)
{
    int64_t deadline = testing_in_ms(20000);
    while (atomic_load(n) < wanted && clock_now(&system_clock) < deadline)
        testing_sleep_ms(1);
    assert_int_equal(atomic_load(n), wanted);
}

/* For a listener, other waiting calls read the socket, or the loop when there are none. */
static void listeners_get_their_messages_and_their_end(void **state)
{
    (void)state;
    struct testing_world w = {0};
    testing_world_start(&w, GRPC_UNIX, true);
    struct audience audience = {.loop = w.client_loop, .heard = BUF_INIT(1 << 20), .on_loop = true};
    const struct grpc_listener listener = {hear, hear_end, &audience};
    const struct grpc_call_options options = {.listener = &listener};
    struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Chat"), &options);
    for (int i = 0; i < 3; i++) {
        assert_true(grpc_stream_send(s, arena_printf(w.arena, "alone%d ", i)));
        wait_for(&audience.n, i + 1);
        check_unary(&w, w.arena); /* stops the loop's watch */
    }
    assert_int_equal(atomic_load(&audience.ends), 0);
    grpc_stream_close_send(s);
    wait_for(&audience.ends, 1);
    assert_true(audience.on_loop);
    assert_true(str_eqz(buf_str(&audience.heard), "alone0 alone1 alone2 "));
    assert_int_equal(grpc_stream_result(s, w.arena).status, GRPC_OK);
    grpc_stream_free(s);
    assert_int_equal(atomic_load(&audience.ends), 1);
    buf_free(&audience.heard);
    testing_world_done(&w);
}

/* More than the queue holds, from a peer that sends as fast as it can; on_end comes from grpc_stream_free() at the latest. */
static void a_listener_gets_everything_and_nothing_after_the_stream(void **state)
{
    (void)state;
    enum { MESSAGES = 300, SIZE = 20000 };
    struct testing_world w = {0};
    testing_world_start(&w, GRPC_UNIX, false);
    struct audience audience = {.loop = w.client_loop, .heard = BUF_INIT(MESSAGES * SIZE), .on_loop = true};
    const struct grpc_listener listener = {hear, hear_end, &audience};
    const struct grpc_call_options options = {.listener = &listener};
    struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Repeat"), &options);
    assert_true(grpc_stream_send(s, arena_printf(w.arena, "%d %d", MESSAGES, SIZE)));
    wait_for(&audience.n, MESSAGES);
    wait_for(&audience.ends, 1);
    grpc_stream_free(s);
    assert_int_equal(audience.heard.n, MESSAGES * SIZE);

    for (int i = 0; i < 50; i++) {
        audience = (struct audience){.loop = w.client_loop, .heard = audience.heard, .on_loop = true};
        buf_clear(&audience.heard);
        s = grpc_stream_open(w.client, STR("/test.Echo/Chat"), &options);
        assert_true(grpc_stream_send(s, STR("x")));
        if (i % 2 == 0)
            check_unary(&w, w.arena);
        grpc_stream_free(s);
        assert_int_equal(atomic_load(&audience.ends), 1);
        assert_true(audience.on_loop);
    }
    buf_free(&audience.heard);
    testing_world_done(&w);
}

/* An idle connection is watched: its end is noticed without a call. */
static void the_end_of_an_idle_connection_is_noticed(void **state)
{
    (void)state;
    struct testing_world w = {0};
    testing_world_start(&w, GRPC_UNIX, true);
    check_unary(&w, w.arena);
    grpc_server_free(w.server, testing_in_ms(1000));
    w.server = NULL;
    int64_t deadline = testing_in_ms(20000);
    while (!grpc_client_is_lost(w.client) && clock_now(&system_clock) < deadline)
        testing_sleep_ms(10);
    assert_true(grpc_client_is_lost(w.client));
    testing_world_done(&w);
}

static void freeing_a_stream_cancels_it(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    for (int i = 0; i < 50; i++) {
        struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Hold"), NULL);
        if (i % 2 == 0)
            (void)grpc_stream_send(s, STR("x"));
        grpc_stream_free(s);
    }
    grpc_stream_free(NULL);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    assert_int_equal(call(&w, a, UNARY, STR("x"), &response).status, GRPC_OK);
    testing_world_done(&w);
}

static void the_result_can_be_had_without_reading_the_messages(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct grpc_stream *s = grpc_stream_open(w.client, STR("/test.Echo/Repeat"), NULL);
    assert_true(grpc_stream_send(s, STR("2000 20000")));
    testing_sleep_ms(50); /* until the server has to wait */
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_OK);
    grpc_stream_free(s);
    testing_world_done(&w);
}

/* ---- the end of the connection ---- */

struct held {
    struct testing_world *w;
    enum grpc_status status;
    struct completion begun;
};

static void *hold_a_call(void *arg)
{
    struct held *held = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    completion_signal(&held->begun);
    held->status = call(held->w, a, STR("/test.Echo/Hold"), STR("x"), &response).status;
    return NULL;
}

static void losing_the_server_fails_all_calls_now_and_later(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct held held[8];
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) {
        held[i] = (struct held){.w = &w, .status = GRPC_OK};
        completion_init(&held[i].begun);
        assert_int_equal(pthread_create(&threads[i], NULL, hold_a_call, &held[i]), 0);
        (void)completion_wait(&held[i].begun, NO_DEADLINE);
    }
    testing_sleep_ms(30);
    grpc_server_free(w.server, testing_in_ms(50)); /* held calls outlast it and are cut */
    w.server = NULL;
    for (int i = 0; i < 8; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(held[i].status, GRPC_UNAVAILABLE);
        completion_destroy(&held[i].begun);
    }
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    struct grpc_result r = call(&w, a, UNARY, STR("x"), &response);
    assert_int_equal(r.status, GRPC_UNAVAILABLE);
    assert_true(r.message.n > 0);
    assert_true(grpc_client_is_lost(w.client));
    struct grpc_stream *s = grpc_stream_open(w.client, UNARY, NULL);
    assert_false(grpc_stream_recv(s, a, &response));
    assert_false(grpc_stream_send(s, STR("x")));
    assert_int_equal(grpc_stream_result(s, a).status, GRPC_UNAVAILABLE);
    grpc_stream_free(s);
    testing_world_done(&w);
    assert_int_equal(w.n_cancelled, 8);
}

static void freeing_the_client_fails_calls_of_other_threads(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_TCP, true);
    struct held held = {.w = &w, .status = GRPC_OK};
    completion_init(&held.begun);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold_a_call, &held), 0);
    (void)completion_wait(&held.begun, NO_DEADLINE);
    testing_sleep_ms(30);
    grpc_client_free(w.client);
    w.client = NULL;
    (void)pthread_join(thread, NULL);
    assert_int_equal(held.status, GRPC_UNAVAILABLE);
    completion_destroy(&held.begun);
    testing_world_done(&w);
}

static void answer_after_a_while(void *ctx, struct grpc_call *grpc_call)
{
    (void)ctx;
    struct str request;
    if (!grpc_call_recv(grpc_call, &request))
        return;
    testing_sleep_ms(150);
    (void)grpc_call_send(grpc_call, testing_message(grpc_call_arena(grpc_call), 10 << 20));
}

static void *free_server_soon(void *arg)
{
    struct testing_world *w = arg;
    testing_sleep_ms(50);
    grpc_server_free(w->server, testing_in_ms(10000));
    return NULL;
}

static void a_server_that_is_freed_lets_calls_finish(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_init(&w);
    w.handler = answer_after_a_while;
    testing_world_serve(&w);
    testing_world_connect(&w);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, free_server_soon, &w), 0);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    assert_int_equal(call(&w, a, UNARY, STR("x"), &response).status, GRPC_OK);
    assert_true(testing_is_pattern(response, 10 << 20));
    (void)pthread_join(thread, NULL);
    w.server = NULL;
    assert_int_equal(call(&w, a, UNARY, STR("x"), &response).status, GRPC_UNAVAILABLE);
    testing_world_done(&w);
}

/* ---- the server's socket ---- */

static void the_unix_socket_is_private_and_goes_away(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, false);
    struct stat st;
    struct grpc_address address = testing_world_address(&w);
    assert_int_equal(stat(address.text.p, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    /* A second server cannot take it. */
    struct grpc_server *second = NULL;
    assert_false(grpc_server_start(
        &(struct grpc_server_options){
            .loop = w.server_loop,
            .address = address,
            .max_message = 1000,
            .max_calls = 1,
            .handler = testing_echo,
        },
        &w.diags, &second));
    assert_non_null(strstr(w.diags.v[0].detail.p, "address already in use"));
    assert_int_equal(stat(address.text.p, &st), 0);
    testing_world_done(&w); /* asserts that the socket was removed */
}

static void a_server_serves_connections_in_sequence_and_at_once(void **state)
{
    (void)state;
    struct testing_world w;
    testing_world_start(&w, GRPC_UNIX, true);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    for (int i = 0; i < 5; i++) {
        const char *why = "";
        if (!testing_world_try(&w, grpc_server_address(w.server), &w.client_tls, 20000, &why))
            fail_msg("%s", why);
        assert_int_equal(call(&w, a, UNARY, STR("x"), &response).status, GRPC_OK);
    }
    testing_world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_call_works_on_every_kind_of_connection),
        cmocka_unit_test(a_message_of_64_mib_goes_there_and_back),
        cmocka_unit_test(results_carry_code_and_text),
        cmocka_unit_test(one_thread_sends_while_another_receives),
        cmocka_unit_test(many_threads_share_a_connection),
        cmocka_unit_test(a_message_over_the_limit_fails_only_its_call),
        cmocka_unit_test(a_slow_reader_stops_the_server),
        cmocka_unit_test(a_server_that_does_not_read_stops_the_sender),
        cmocka_unit_test(a_deadline_ends_the_call_on_both_sides),
        cmocka_unit_test(cancelling_ends_calls_under_way_and_later_ones),
        cmocka_unit_test(listeners_get_their_messages_and_their_end),
        cmocka_unit_test(a_listener_gets_everything_and_nothing_after_the_stream),
        cmocka_unit_test(the_end_of_an_idle_connection_is_noticed),
        cmocka_unit_test(freeing_a_stream_cancels_it),
        cmocka_unit_test(the_result_can_be_had_without_reading_the_messages),
        cmocka_unit_test(losing_the_server_fails_all_calls_now_and_later),
        cmocka_unit_test(freeing_the_client_fails_calls_of_other_threads),
        cmocka_unit_test(a_server_that_is_freed_lets_calls_finish),
        cmocka_unit_test(the_unix_socket_is_private_and_goes_away),
        cmocka_unit_test(a_server_serves_connections_in_sequence_and_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
