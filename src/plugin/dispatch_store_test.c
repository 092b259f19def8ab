/*
 * State stores over a real socket: the function gets what the client writes, and the client reads what the function returns;
 * nothing is written for invalid chunks or clients that disconnect.
 */
#include "base/lock.h"
#include "plugin/testing_dispatch.h"
#include "protocol/state_chunks.h"

#include <sched.h>

enum { N_THREADS = 4, BIG = 20 << 20 /* more than a stream's window takes unread */ };

/* The provider: one state, in memory */

struct shop {
    struct world w; /* first: the context of the functions */
    pthread_mutex_t lock;
    struct buf kept;
    atomic_int n_writes, n_begun;
    atomic_llong size_seen, size_wanted; /* chunk sizes; wanted 0: the server's choice */
    bool warns, fails;
    size_t pretended; /* not 0: the total length that chunks claim */
};

static void say(const struct shop *s, struct diags *diags)
{
    if (s->warns)
        diags_warn(diags, "Slow store", "It is.");
    if (s->fails)
        (void)diags_fail(diags, "No store", "It has burnt down.");
}

static void shop_configure(void *ctx, struct arena *a, const struct configure_state_store_request *request, struct diags *diags,
                           struct configure_state_store_response *response)
{
    (void)a;
    (void)request;
    struct shop *s = ctx;
    s->size_seen = response->chunk_size;
    if (s->size_wanted != 0)
        response->chunk_size = s->size_wanted;
    say(s, diags);
}

static void shop_read(void *ctx, struct arena *a, const struct state_store_request *request, struct diags *diags,
                      struct read_state_response *response)
{
    struct shop *s = ctx;
    if (!str_eqz(request->type_name, "test_store") || !str_eqz(request->state_id, "default"))
        (void)diags_fail(diags, "wrong names", STR_FMT " " STR_FMT, STR_ARG(request->type_name), STR_ARG(request->state_id));
    mutex_lock(&s->lock);
    response->bytes = buf_copy(&s->kept, a);
    mutex_unlock(&s->lock);
    if (s->pretended > 0)
        response->bytes.n = s->pretended;
    say(s, diags);
}

static void shop_write(void *ctx, struct arena *a, const struct write_state_request *request, struct diags *diags)
{
    (void)a;
    struct shop *s = ctx;
    s->n_writes++;
    if (!str_eqz(request->type_name, "test_store") || !str_eqz(request->state_id, "default"))
        (void)diags_fail(diags, "wrong names", STR_FMT " " STR_FMT, STR_ARG(request->type_name), STR_ARG(request->state_id));
    mutex_lock(&s->lock);
    buf_clear(&s->kept);
    buf_add(&s->kept, request->bytes);
    mutex_unlock(&s->lock);
    say(s, diags);
}

/* Counts the first message of a write, and does not change it. */
static bool count_begun(void *ctx, struct grpc_call *call, struct str request)
{
    (void)request;
    struct shop *s = ctx;
    if (str_ends(grpc_call_method(call), STR("/WriteStateBytes")))
        s->n_begun++;
    return false;
}

static void shop_open(struct shop *s, int protocol)
{
    struct provider_ops ops = world_all_ops;
    ops.configure_state_store = shop_configure;
    ops.read_state = shop_read;
    ops.write_state = shop_write;
    ops.intercept = count_begun;
    *s = (struct shop){.kept = BUF_INIT(STATE_MAX)};
    mutex_init(&s->lock);
    world_begin(&s->w, protocol, &ops);
}

static void shop_close(struct shop *s)
{
    world_end(&s->w);
    mutex_destroy(&s->lock);
    buf_free(&s->kept);
}

static const struct state_store_request asked = {
    {"test_store", sizeof "test_store" - 1}, {"default", sizeof "default" - 1}, {"", 0}, {"", 0}};

static int64_t agree(struct shop *s, int64_t proposed)
{
    struct world *w = &s->w;
    const struct configure_state_store_request *sample =
        testing_request(w->arena, &w->schema, RPC_CONFIGURE_STATE_STORE, w->protocol);
    struct configure_state_store_request request = *sample;
    request.chunk_size = proposed;
    struct configure_state_store_response r = {-1};
    assert_int_equal(provider_configure_state_store(w->provider, w->arena, &request, NULL, &w->diags, &r), PROVIDER_OK);
    return r.chunk_size;
}

static void must_write(struct shop *s, struct str state, int64_t chunk_size)
{
    struct world *w = &s->w;
    assert_int_equal(provider_write_state(w->provider, &asked, state, chunk_size, NULL, &w->diags), PROVIDER_OK);
    must_be_clean(w, "write");
}

static struct str must_read(struct shop *s)
{
    struct world *w = &s->w;
    struct str found = STR_EMPTY;
    assert_int_equal(provider_read_state(w->provider, w->arena, &asked, NULL, &w->diags, &found), PROVIDER_OK);
    return found;
}

/* A state whose period is not related to the chunk sizes. */
static struct str made_up(struct arena *a, size_t n)
{
    char *p = arena_alloc(a, n, 1);
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(i % 251);
    return (struct str){p, n};
}

/* A client that sends its messages by hand */

static struct grpc_stream *open_by_hand(struct world *w, enum rpc rpc)
{
    assert_non_null(provider_schema(w->provider, NULL, &w->diags));
    return grpc_stream_open(plugin_client(w->provider->plugin), codec6.calls[rpc]->method, NULL);
}

static void send_by_hand(struct world *w, struct grpc_stream *stream, const struct state_chunk *chunk)
{
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    struct coding c = provider_coding(w->provider, RPC_WRITE_STATE, w->arena, &w->schema, &w->diags);
    assert_true(coding_write_request(&c, chunk, &bytes));
    (void)grpc_stream_send(stream, buf_str(&bytes)); /* false: refused already */
}

/* Ends the request, and adds the answer's diagnostics to the world's. */
static void end_by_hand(struct world *w, struct grpc_stream *stream)
{
    grpc_stream_close_send(stream);
    struct str answer = STR_EMPTY;
    assert_true(grpc_stream_recv(stream, w->arena, &answer));
    struct coding c = provider_coding(w->provider, RPC_WRITE_STATE, w->arena, &w->schema, &w->diags);
    assert_true(coding_read_response(&c, answer, NULL));
    assert_int_equal(grpc_stream_result(stream, w->arena).status, GRPC_OK);
    grpc_stream_free(stream);
}

/* How many chunks a read takes; each but the last must be as long as agreed on, and each where it says. */
static size_t count_chunks(struct shop *s, int64_t size)
{
    struct world *w = &s->w;
    struct grpc_stream *stream = open_by_hand(w, RPC_READ_STATE);
    struct coding c = provider_coding(w->provider, RPC_READ_STATE, w->arena, &w->schema, &w->diags);
    struct buf request BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    assert_true(coding_write_request(&c, &asked, &request) && grpc_stream_send(stream, buf_str(&request)));
    grpc_stream_close_send(stream);
    size_t n = 0;
    int64_t at = 0, total = 0;
    for (struct str bytes; grpc_stream_recv(stream, w->arena, &bytes); n++) {
        struct state_chunk chunk;
        assert_true(coding_read_response(&c, bytes, &chunk));
        assert_true(at == (int64_t)n * size && chunk.start == at);
        at += (int64_t)chunk.bytes.n;
        assert_true(chunk.bytes.n > 0 ? chunk.end == at - 1 : chunk.end == at);
        total = chunk.total_length;
    }
    assert_int_equal(at, total);
    assert_int_equal(grpc_stream_result(stream, w->arena).status, GRPC_OK);
    grpc_stream_free(stream);
    return n;
}

/* States that come and go */

static void what_is_written_is_what_is_read(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        int64_t size;
        size_t chunks;
    } table[] = {
        {0, 8, 0},         {1, 8, 1},
        {7, 8, 1},         {8, 8, 1},
        {9, 8, 2},         {16, 8, 2},
        {17, 8, 3},        {100, 1, 100},
        {70000, 1024, 69}, {BIG, STATE_CHUNK_DEFAULT, 3},
        {BIG, 65536, 320}, {BIG, STATE_CHUNK_MAX, 1},
    };
    struct shop s;
    shop_open(&s, 6);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct str text = made_up(s.w.arena, table[i].length);
        assert_int_equal(agree(&s, table[i].size), table[i].size);
        must_write(&s, text, table[i].size);
        assert_true(str_eq(buf_str(&s.kept), text));
        assert_true(str_eq(must_read(&s), text));
        must_be_clean(&s.w, "read");
        assert_int_equal(count_chunks(&s, table[i].size), table[i].chunks);
    }
    assert_int_equal(s.n_writes, sizeof table / sizeof table[0]);
    shop_close(&s);
}

static void a_store_that_nobody_configured_uses_the_usual_size(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 6);
    must_write(&s, made_up(s.w.arena, BIG), 0);
    assert_int_equal(count_chunks(&s, STATE_CHUNK_DEFAULT), 3);
    shop_close(&s);
}

static void the_size_of_chunks_is_agreed_on(void **state)
{
    (void)state;
    static const struct {
        int64_t proposed, seen, wanted, agreed;
    } table[] = {
        {100, 100, 0, 100},
        {100, 100, 7, 7},
        {100, 100, 5000, 5000},
        {100, 100, -1, 100}, /* the function's nonsense */
        {100, 100, STATE_CHUNK_MAX + 1, 100},
        {0, STATE_CHUNK_DEFAULT, 0, STATE_CHUNK_DEFAULT}, /* the client's */
        {-5, STATE_CHUNK_DEFAULT, 9, 9},
        {INT64_MAX, STATE_CHUNK_DEFAULT, 0, STATE_CHUNK_DEFAULT},
    };
    struct shop s;
    shop_open(&s, 6);
    must_write(&s, made_up(s.w.arena, 10000), 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        s.size_wanted = table[i].wanted;
        assert_int_equal(agree(&s, table[i].proposed), table[i].agreed);
        assert_int_equal(s.size_seen, table[i].seen);
        (void)count_chunks(&s, table[i].agreed);
    }
    s.size_wanted = 3333;
    assert_int_equal(agree(&s, 8), 3333);
    s.size_wanted = 1;
    s.fails = true;
    (void)agree(&s, 8);
    must_fail(&s.w, "No store", "burnt");
    s.fails = false;
    assert_int_equal(count_chunks(&s, 3333), 4); /* what failed has changed nothing */
    shop_close(&s);
}

static void diagnostics_come_along(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 6);
    s.warns = true;
    assert_int_equal(agree(&s, 10), 10);
    assert_int_equal(s.w.diags.n, 1);
    diags_init(&s.w.diags, s.w.arena);
    for (size_t n = 0; n <= 30; n += 30) { /* an empty state has no chunk but for them */
        struct str text = made_up(s.w.arena, n);
        assert_int_equal(provider_write_state(s.w.provider, &asked, text, 7, NULL, &s.w.diags), PROVIDER_OK);
        assert_true(str_eq(must_read(&s), text));
        assert_true(s.w.diags.n == 2 && s.w.diags.n_errors == 0);
        diags_init(&s.w.diags, s.w.arena);
    }
    s.warns = false;
    s.fails = true;
    assert_int_equal(must_read(&s).n, 0);
    must_fail(&s.w, "No store", "burnt");
    assert_int_equal(provider_write_state(s.w.provider, &asked, STR("x"), 7, NULL, &s.w.diags), PROVIDER_OK);
    must_fail(&s.w, "No store", "burnt");
    shop_close(&s);
}

static void *use_store(void *arg)
{
    struct shop *s = arg;
    struct world *w = &s->w;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    struct str text = made_up(a, 5000), found = STR_EMPTY;
    for (int64_t i = 1; i <= 20; i++) {
        const struct configure_state_store_request *sample = testing_request(a, &w->schema, RPC_CONFIGURE_STATE_STORE, 6);
        struct configure_state_store_request request = *sample;
        request.chunk_size = 100 * i;
        struct configure_state_store_response r;
        if (provider_configure_state_store(w->provider, a, &request, NULL, &d, &r) != PROVIDER_OK ||
            provider_write_state(w->provider, &asked, text, 50 * i, NULL, &d) != PROVIDER_OK ||
            provider_read_state(w->provider, a, &asked, NULL, &d, &found) != PROVIDER_OK || !str_eq(found, text) || d.n > 0)
            return NULL;
    }
    return s;
}

static void many_threads_use_a_store_at_once(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 6);
    pthread_t threads[N_THREADS];
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_store, &s), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        void *ok;
        assert_int_equal(pthread_join(threads[i], &ok), 0);
        assert_non_null(ok);
    }
    assert_int_equal(s.n_writes, 20 * N_THREADS);
    shop_close(&s);
}

/* Misbehaviour of the client */

#define CHUNK(text, first, last, length) {.bytes = {text, sizeof text - 1}, .start = first, .end = last, .total_length = length}
#define NAMED_CHUNK(text, first, last, length)                                                                                   \
    {.type_name = {"test_store", sizeof "test_store" - 1},                                                                       \
     .state_id = {"default", sizeof "default" - 1},                                                                              \
     .bytes = {text, sizeof text - 1},                                                                                           \
     .start = first,                                                                                                             \
     .end = last,                                                                                                                \
     .total_length = length}

static void chunks_that_are_no_state_write_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        size_t n;
        struct state_chunk chunks[2];
    } table[] = {
        {"the first does not name the state", 1, {CHUNK("abc", 0, 2, 3)}},
        {"one after the first names a state", 2, {NAMED_CHUNK("abc", 0, 2, 6), NAMED_CHUNK("def", 3, 5, 6)}},
        {"range", 1, {NAMED_CHUNK("abc", 0, 3, 3)}},
        {"range", 1, {NAMED_CHUNK("abc", 1, 3, 3)}},
        {"range", 2, {NAMED_CHUNK("abc", 0, 2, 6), CHUNK("def", 4, 6, 6)}},
        {"range", 2, {NAMED_CHUNK("abc", 0, 2, 6), CHUNK("def", 0, 2, 6)}},
        {"agree about the total", 2, {NAMED_CHUNK("abc", 0, 2, 6), CHUNK("def", 3, 5, 7)}},
        {"longer than announced", 2, {NAMED_CHUNK("abc", 0, 2, 5), CHUNK("def", 3, 5, 5)}},
        {"not as long as announced", 1, {NAMED_CHUNK("abc", 0, 2, 6)}},
        {"not as long as announced", 1, {NAMED_CHUNK("", 0, 0, 6)}},
        {"total length is not one a state can have", 1, {NAMED_CHUNK("abc", 0, 2, -3)}},
        {"total length is not one a state can have", 1, {NAMED_CHUNK("abc", 0, 2, (int64_t)STATE_MAX + 1)}},
    };
    struct shop s;
    shop_open(&s, 6);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct grpc_stream *stream = open_by_hand(&s.w, RPC_WRITE_STATE);
        for (size_t j = 0; j < table[i].n; j++)
            send_by_hand(&s.w, stream, &table[i].chunks[j]);
        end_by_hand(&s.w, stream);
        must_fail(&s.w, "Invalid request to provider", table[i].why);
    }
    assert_int_equal(s.n_writes, 0);
    must_write(&s, STR("fine"), 2); /* the server still works */
    assert_int_equal(s.n_writes, 1);
    shop_close(&s);
}

static void a_chunk_that_cannot_be_read_writes_nothing(void **state)
{
    (void)state;
    const struct state_chunk first = NAMED_CHUNK("abc", 0, 2, 6);
    struct shop s;
    shop_open(&s, 6);
    for (int good = 0; good <= 1; good++) {
        struct grpc_stream *stream = open_by_hand(&s.w, RPC_WRITE_STATE);
        if (good)
            send_by_hand(&s.w, stream, &first);
        (void)grpc_stream_send(stream, STR("\xff"));
        end_by_hand(&s.w, stream);
        must_fail(&s.w, "Invalid request to provider", "cannot be read");
    }
    assert_int_equal(s.n_writes, 0);
    shop_close(&s);
}

static void a_client_that_goes_before_the_end_writes_nothing(void **state)
{
    (void)state;
    const struct state_chunk half = NAMED_CHUNK("abc", 0, 2, 6), all = NAMED_CHUNK("abc", 0, 2, 3);
    struct shop s;
    shop_open(&s, 6);
    const struct state_chunk *sent[] = {&half, &all}; /* also all of it, without saying that this is the end */
    for (int i = 0; i < 2; i++) {
        struct grpc_stream *stream = open_by_hand(&s.w, RPC_WRITE_STATE);
        send_by_hand(&s.w, stream, sent[i]);
        while (s.n_begun == i)
            (void)sched_yield();
        grpc_stream_free(stream);
    }
    world_end(&s.w); /* waits for the calls */
    assert_int_equal(s.n_writes, 0);
    mutex_destroy(&s.lock);
    buf_free(&s.kept);
}

static void a_write_without_a_single_message_is_refused(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 6);
    struct grpc_stream *stream = open_by_hand(&s.w, RPC_WRITE_STATE);
    grpc_stream_close_send(stream);
    struct str ignored;
    assert_false(grpc_stream_recv(stream, s.w.arena, &ignored));
    assert_int_equal(grpc_stream_result(stream, s.w.arena).status, GRPC_INVALID_ARGUMENT);
    grpc_stream_free(stream);
    assert_int_equal(s.n_writes, 0);
    shop_close(&s);
}

static void a_store_unknown_to_the_server_is_refused_while_the_client_still_sends(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 6);
    struct world *w = &s.w;
    struct provider_schema more = w->schema; /* the schema that the client uses */
    map_init(&more.state_stores, w->arena);
    map_put(&more.state_stores, STR("test_more"), map_get(&w->schema.state_stores, STR("test_store")));
    provider_use_schema(w->provider, &more);
    struct state_store_request request = asked;
    request.type_name = STR("test_more");
    struct str text = made_up(w->arena, BIG), found = STR_EMPTY;
    assert_int_equal(provider_write_state(w->provider, &request, text, 65536, NULL, &w->diags), PROVIDER_OK);
    must_fail(w, "Not in the provider", "test_more");
    assert_int_equal(provider_read_state(w->provider, w->arena, &request, NULL, &w->diags, &found), PROVIDER_OK);
    must_fail(w, "Not in the provider", "test_more");
    assert_int_equal(s.n_writes, 0);
    shop_close(&s);
}

static void a_state_that_is_too_large_is_neither_read_nor_written(void **state)
{
    (void)state;
    struct shop s;
    shop_open(&s, 6);
    s.pretended = STATE_MAX + 1;
    assert_int_equal(must_read(&s).n, 0);
    must_fail(&s.w, "State too large", "268435457 bytes");
    struct str vast = {"", STATE_MAX + 1};
    assert_int_equal(provider_write_state(s.w.provider, &asked, vast, 0, NULL, &s.w.diags), PROVIDER_BROKEN);
    must_fail(&s.w, "State too large", "268435457 bytes");
    assert_int_equal(s.n_writes, 0);
    shop_close(&s);
}

/* Providers without stores */

static void functions_that_are_missing_are_unsupported_or_do_nothing(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, 6, &world_no_ops);
    struct str found;
    struct get_states_response states;
    struct configure_state_store_response agreed = {-1};
    const void *validate = testing_request(w.arena, &w.schema, RPC_VALIDATE_STATE_STORE, 6);
    const void *configure = testing_request(w.arena, &w.schema, RPC_CONFIGURE_STATE_STORE, 6);
    assert_int_equal(provider_validate_state_store(w.provider, w.arena, validate, NULL, &w.diags), PROVIDER_OK);
    assert_int_equal(provider_configure_state_store(w.provider, w.arena, configure, NULL, &w.diags, &agreed), PROVIDER_OK);
    assert_int_equal(agreed.chunk_size, 4096); /* as proposed */
    assert_int_equal(provider_read_state(w.provider, w.arena, &asked, NULL, &w.diags, &found), PROVIDER_UNSUPPORTED);
    assert_int_equal(provider_write_state(w.provider, &asked, STR("x"), 0, NULL, &w.diags), PROVIDER_UNSUPPORTED);
    assert_int_equal(provider_get_states(w.provider, w.arena, &asked, NULL, &w.diags, &states), PROVIDER_UNSUPPORTED);
    assert_int_equal(provider_unlock_state(w.provider, w.arena, &asked, NULL, &w.diags), PROVIDER_UNSUPPORTED);
    assert_int_equal(provider_delete_state(w.provider, w.arena, &asked, NULL, &w.diags), PROVIDER_UNSUPPORTED);
    must_be_clean(&w, "nothing");
    world_end(&w);
}

static void protocol_5_has_no_state_stores_even_if_the_provider_has(void **state)
{
    (void)state;
    static const char *const methods[] = {"ValidateStateStoreConfig",
                                          "ConfigureStateStore",
                                          "ReadStateBytes",
                                          "WriteStateBytes",
                                          "LockState",
                                          "UnlockState",
                                          "GetStates",
                                          "DeleteState"};
    struct shop s;
    shop_open(&s, 5);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        for (int protocol = 5; protocol <= 6; protocol++) {
            struct str method = arena_printf(s.w.arena, "/tfplugin%d.Provider/%s", protocol, methods[i]), found;
            struct grpc_result r =
                grpc_client_unary(plugin_client(s.w.provider->plugin), s.w.arena, method, STR_EMPTY, NULL, &found);
            assert_int_equal(r.status, GRPC_UNIMPLEMENTED);
        }
    assert_int_equal(s.n_writes, 0);
    shop_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_is_read),
        cmocka_unit_test(a_store_that_nobody_configured_uses_the_usual_size),
        cmocka_unit_test(the_size_of_chunks_is_agreed_on),
        cmocka_unit_test(diagnostics_come_along),
        cmocka_unit_test(many_threads_use_a_store_at_once),
        cmocka_unit_test(chunks_that_are_no_state_write_nothing),
        cmocka_unit_test(a_chunk_that_cannot_be_read_writes_nothing),
        cmocka_unit_test(a_client_that_goes_before_the_end_writes_nothing),
        cmocka_unit_test(a_write_without_a_single_message_is_refused),
        cmocka_unit_test(a_store_unknown_to_the_server_is_refused_while_the_client_still_sends),
        cmocka_unit_test(a_state_that_is_too_large_is_neither_read_nor_written),
        cmocka_unit_test(functions_that_are_missing_are_unsupported_or_do_nothing),
        cmocka_unit_test(protocol_5_has_no_state_stores_even_if_the_provider_has),
    };
    return cmocka_run_group_tests_name("dispatch_store", tests, NULL, NULL);
}
