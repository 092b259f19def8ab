/* The server as different clients see it, over real sockets. */
#include "base/testing.h"
#include "http/address.h"
#include "web/health.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef0123456789abcdef"
enum { MAX_ANSWER = 16 << 20, CLIENTS = 200, LARGE = 8 << 20 };

struct world {
    struct arena *arena;
    struct web_server *server;
    struct web_health health;
    struct web_route routes[12];
    atomic_int streams; /* begun and not ended */
    bool is_ready;
    char large[LARGE];
};

static void echo(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)ctx;
    const char *said = web_argument(r, "say");
    ret->body = arena_printf(a, "said %s, body %zu", said ? said : "nothing", r->body.n);
}

static void large(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)a, (void)r;
    struct world *w = ctx;
    ret->body = (struct str){w->large, LARGE};
}

/* A stream that counts to three, then stays silent. */
struct counting {
    struct world *world;
    int n;
};

static bool count_next(void *ctx, struct buf *out, int64_t deadline)
{
    struct counting *c = ctx;
    if (c->n == 3) {
        while (clock_now(&system_clock) < deadline)
            (void)usleep(1000);
        return true;
    }
    buf_printf(out, "data: %d\n\n", ++c->n);
    return true;
}

static bool flood_next(void *ctx, struct buf *out, int64_t deadline)
{
    (void)ctx, (void)deadline;
    for (int i = 0; i < 10000; i++)
        buf_addz(out, "data: more and more and more\n\n");
    return true;
}

static void count_end(void *ctx)
{
    struct counting *c = ctx;
    atomic_fetch_sub(&c->world->streams, 1);
    free(c);
}

static void begin_stream(struct world *w, struct web_answer *ret, bool (*next)(void *, struct buf *, int64_t))
{
    struct counting *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->world = w;
    atomic_fetch_add(&w->streams, 1);
    ret->type = "text/event-stream";
    ret->stream = (struct web_stream){.next = next, .end = count_end, .ctx = c};
}

static void stream(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)a, (void)r;
    begin_stream(ctx, ret, count_next);
}

static void flood(void *ctx, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)a, (void)r;
    begin_stream(ctx, ret, flood_next);
}

static bool is_ready(void *ctx, struct arena *a, struct str *ret_why)
{
    (void)a;
    struct world *w = ctx;
    *ret_why = STR("not today");
    return w->is_ready;
}

static struct world *open_world(struct web_options options)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->arena = arena_new(NULL, 0);
    memset(w->large, 'x', LARGE);
    w->health = (struct web_health){.ready = is_ready, .ctx = w, .metrics = metrics_new()};
    const struct web_route routes[] = {WEB_HEALTH_ROUTES(&w->health),
                                       {.path = "/", .answer = echo},
                                       {.path = "/echo", .answer = echo},
                                       {.path = "/change", .answer = echo, .changes = true},
                                       {.path = "/large", .answer = large, .ctx = w},
                                       {.path = "/stream", .answer = stream, .ctx = w},
                                       {.path = "/flood", .answer = flood, .ctx = w},
                                       {0}};
    memcpy(w->routes, routes, sizeof routes);
    options.routes = w->routes;
    if (!options.address)
        options.address = "127.0.0.1:0";
    struct diags diags;
    diags_init(&diags, w->arena);
    w->server = web_listen(&options, &diags);
    testing_no_errors(&diags);
    return w;
}

static void close_world(struct world *w)
{
    web_close(w->server);
    assert_int_equal(atomic_load(&w->streams), 0);
    metrics_free(w->health.metrics);
    arena_free(w->arena);
    free(w);
}

static int dial(const struct world *w)
{
    struct sockaddr_in in = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)web_port(w->server)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = 60};
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof in), 0);
    return fd;
}

static void say(int fd, struct str text)
{
    while (text.n > 0) {
        ssize_t n = send(fd, text.p, text.n, MSG_NOSIGNAL);
        if (n <= 0)
            return; /* the server closed the connection: its answer says why */
        text = str_slice(text, (size_t)n, text.n);
    }
}

/* Reads until the server closes, or the data contains `enough`. */
static struct str hear(struct arena *a, int fd, const char *enough)
{
    struct buf got BUF_AUTO = BUF_INIT(MAX_ANSWER);
    for (;;) {
        char *room = buf_room(&got, 65536);
        assert_non_null(room);
        ssize_t n = recv(fd, room, 65535, 0);
        if (n <= 0)
            break;
        room[n] = '\0';
        buf_grew(&got, (size_t)n);
        if (enough && strstr(got.p, enough))
            break;
    }
    return buf_copy(&got, a);
}

/* One request and its answer; `head` is everything except the last header. */
static struct str ask(struct world *w, const char *head)
{
    int fd = dial(w);
    say(fd, arena_printf(w->arena, "%s\r\nConnection: close\r\n\r\n", head));
    struct str answer = hear(w->arena, fd, NULL);
    (void)close(fd);
    return answer;
}

static void answers(struct world *w, const char *head, const char *status, const char *part)
{
    struct str answer = ask(w, head);
    if (!str_starts(answer, arena_printf(w->arena, "HTTP/1.1 %s", status)) || !strstr(answer.p, part))
        fail_msg("%s: expected %s and \"%s\" in: %.600s", head, status, part, answer.p);
}

#define HOST "\r\nHost: localhost"

static void routes_are_answered(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    answers(w, "GET /echo?say=a%20b%3Cscript%3E HTTP/1.1" HOST, "200", "said a b<script>, body 0");
    answers(w, "GET /nothing HTTP/1.1" HOST, "404", "Not found");
    answers(w, "POST /echo HTTP/1.1" HOST "\r\nContent-Length: 0", "405", "Expected GET");
    answers(w, "DELETE /change HTTP/1.1" HOST, "405", "Expected POST");
    answers(w, "GET /../../etc/passwd HTTP/1.1" HOST, "404", "");
    struct str head = ask(w, "HEAD /echo HTTP/1.1" HOST);
    assert_non_null(strstr(head.p, "200"));
    assert_null(strstr(head.p, "said"));
    static const char *const strict[] = {"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                                         "X-Frame-Options: DENY", "Cache-Control: no-store", "Referrer-Policy: no-referrer"};
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++)
        answers(w, "GET /echo HTTP/1.1" HOST, "200", strict[i]);
    close_world(w);
}

static void health_is_told(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){.token = STR(TOKEN)});
    answers(w, "GET /healthz HTTP/1.1" HOST, "200", "ok");
    answers(w, "GET /readyz HTTP/1.1" HOST, "503", "not ready: not today");
    w->is_ready = true;
    answers(w, "GET /readyz HTTP/1.1" HOST, "200", "ok");
    answers(w, "GET /metrics HTTP/1.1" HOST, "401", "token");
    answers(w, "GET /metrics HTTP/1.1" HOST "\r\nAuthorization: Bearer " TOKEN, "200", "process_resident_memory_bytes ");
    close_world(w);
}

static void without_the_token_nothing_is_told(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){.token = STR(TOKEN)});
    unsigned port = web_port(w->server);
    answers(w, "GET /echo HTTP/1.1" HOST, "401", "WWW-Authenticate: Bearer");
    answers(w, "GET /nothing HTTP/1.1" HOST, "401", "token");
    answers(w, "GET /echo HTTP/1.1" HOST "\r\nAuthorization: Bearer 0123456789abcdef0123456789abcdeX", "401", "");
    answers(w, "GET /echo HTTP/1.1" HOST "\r\nAuthorization: Bearer ", "401", "");
    answers(w, "GET /echo?token=" TOKEN " HTTP/1.1" HOST, "401", "");
    answers(w, "GET /?token=wrong HTTP/1.1" HOST, "401", "");
    answers(w, "GET /echo HTTP/1.1" HOST "\r\nAuthorization: Bearer " TOKEN, "200", "said");
    const char *cookie = arena_printf(w->arena, "Set-Cookie: terrane-%u=" TOKEN "; Path=/; HttpOnly; SameSite=Strict", port).p;
    answers(w, "GET /?token=" TOKEN " HTTP/1.1" HOST, "303", cookie);
    answers(w, arena_printf(w->arena, "GET /echo HTTP/1.1" HOST "\r\nCookie: a=b; terrane-%u=" TOKEN, port).p, "200", "said");
    answers(w, arena_printf(w->arena, "GET /echo HTTP/1.1" HOST "\r\nCookie: terrane-%u=x", port).p, "401", "");
    close_world(w);
}

static void pages_of_other_sites_get_nothing(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    answers(w, "GET /echo HTTP/1.1\r\nHost: evil.example", "421", "other names");
    answers(w, "GET /echo HTTP/1.1\r\nHost: 127.0.0.1.evil.example:80", "421", "");
    answers(w, "GET /echo HTTP/1.1\r\nHost: 127.0.0.1:1234", "200", "");
    answers(w, "GET /echo HTTP/1.1\r\nHost: [::1]:1234", "200", "");
#define POST "POST /change HTTP/1.1" HOST "\r\nContent-Length: 0"
    answers(w, POST, "403", WEB_ACTION_HEADER);
    answers(w, POST "\r\nX-Terrane-Action: 1", "200", "said");
    answers(w, POST "\r\nX-Terrane-Action: 1\r\nOrigin: http://localhost", "200", "said");
    answers(w, POST "\r\nX-Terrane-Action: 1\r\nOrigin: https://localhost", "200", "said"); /* as behind a proxy with TLS */
    answers(w, POST "\r\nX-Terrane-Action: 1\r\nOrigin: http://evil.example", "403", "");
    answers(w, POST "\r\nX-Terrane-Action: 1\r\nOrigin: https://evil.example", "403", "");
    answers(w, POST "\r\nX-Terrane-Action: 1\r\nOrigin: null", "403", "");
    answers(w, POST "\r\nX-Terrane-Action: 1\r\nSec-Fetch-Site: cross-site", "403", "");
    close_world(w);
    w = open_world((struct web_options){.any_host = true});
    answers(w, "GET /echo HTTP/1.1\r\nHost: terrane.monitoring.svc", "200", "said");
    close_world(w);
}

static void what_is_too_large_or_malformed_is_refused(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    char *body = arena_alloc(w->arena, WEB_MAX_BODY + 2, 1);
    memset(body, 'b', WEB_MAX_BODY + 1);
    answers(w,
            arena_printf(w->arena,
                         "POST /change HTTP/1.1" HOST
                         "\r\nX-Terrane-Action: 1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
                         WEB_MAX_BODY + 1, body)
                .p,
            "413", "at most");
    /* A body that declares a huge size is refused at once, and an endless one is cut off. */
    answers(w, "POST /change HTTP/1.1" HOST "\r\nX-Terrane-Action: 1\r\nContent-Length: 99999999999", "413", "at most");
    int sender = dial(w), chunks = 0;
    say(sender, STR("POST /change HTTP/1.1" HOST "\r\nX-Terrane-Action: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
    struct str chunk = arena_printf(w->arena, "%x\r\n%s\r\n", WEB_MAX_BODY + 1, body);
    while (chunks < 1000 && send(sender, chunk.p, chunk.n, MSG_NOSIGNAL) == (ssize_t)chunk.n)
        chunks++;
    assert_in_range(chunks, 16, 999);
    (void)close(sender);
    struct str path = arena_printf(w->arena, "GET /%s HTTP/1.1" HOST, body);
    assert_null(strstr(ask(w, path.p).p, "200 OK"));
    path = arena_printf(w->arena, "GET /echo HTTP/1.1" HOST "\r\nX-Long: %s", body);
    assert_null(strstr(ask(w, path.p).p, "200 OK"));
    static const char *const wrong[] = {"",
                                        "\r\n\r\n",
                                        "GET\r\n\r\n",
                                        "GET /echo\r\n\r\n",
                                        "NONSENSE NONSENSE NONSENSE\r\n\r\n",
                                        "GET /echo HTTP/9.9\r\n\r\n",
                                        "GET /echo HTTP/1.1\r\nHost localhost\r\n\r\n",
                                        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                        "POST /change HTTP/1.1" HOST "\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
                                        "POST /change HTTP/1.1" HOST "\r\nContent-Length: -5\r\n\r\n",
                                        "POST /change HTTP/1.1" HOST "\r\nContent-Length: 99999999999999999999\r\n\r\n",
                                        "GET /echo?%zz=%&&&=== HTTP/1.1" HOST "\r\nCookie: ;;;===\r\nConnection: close\r\n\r\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int fd = dial(w);
        say(fd, str_of(wrong[i]));
        (void)shutdown(fd, SHUT_WR);
        (void)hear(w->arena, fd, NULL);
        (void)close(fd);
    }
    answers(w, "GET /echo HTTP/1.1" HOST, "200", "said");
    close_world(w);
}

static void streams_come_in_pieces_and_end_with_the_server(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    int fds[CLIENTS];
    for (size_t i = 0; i < CLIENTS; i++) {
        fds[i] = dial(w);
        say(fds[i], STR("GET /stream HTTP/1.1" HOST "\r\n\r\n"));
    }
    for (size_t i = 0; i < CLIENTS; i++)
        assert_non_null(strstr(hear(w->arena, fds[i], "data: 3").p, "data: 3"));
    assert_int_equal(atomic_load(&w->streams), CLIENTS);
    answers(w, "GET /echo HTTP/1.1" HOST, "200", "said"); /* while all the others are open */
    for (size_t i = 0; i < CLIENTS / 2; i++)
        (void)close(fds[i]);
    close_world(w);
    for (size_t i = CLIENTS / 2; i < CLIENTS; i++)
        (void)close(fds[i]);
}

static void too_many_streams_are_refused(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    int fds[WEB_MAX_STREAMS];
    for (size_t i = 0; i < WEB_MAX_STREAMS; i++) {
        fds[i] = dial(w);
        say(fds[i], STR("GET /stream HTTP/1.1" HOST "\r\n\r\n"));
        (void)hear(w->arena, fds[i], "data: 1");
    }
    answers(w, "GET /stream HTTP/1.1" HOST, "503", "Too many streams");
    for (size_t i = 0; i < WEB_MAX_STREAMS; i++)
        (void)close(fds[i]);
    close_world(w);
}

/* A client that connects and stays silent keeps nobody out. */
static void the_silent_give_way(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    int fds[WEB_MAX_CONNECTIONS + 50];
    size_t n = sizeof fds / sizeof *fds;
    for (size_t i = 0; i < n; i++) {
        fds[i] = dial(w);
        say(fds[i], STR("GET /ec"));
    }
    answers(w, "GET /echo HTTP/1.1" HOST, "200", "said");
    assert_int_equal(hear(w->arena, fds[0], NULL).n, 0); /* the first one was disconnected */
    for (size_t i = 0; i < n; i++)
        (void)close(fds[i]);
    close_world(w);
}

/* A client that reads only a little now and then is disconnected before the end. */
static void slow_reader(const char *request)
{
    struct world *w = open_world((struct web_options){.slow_ns = 300 * NS_PER_MS});
    int fd = dial(w), small = 4096;
    size_t total = 0;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    say(fd, str_of(request));
    for (;;) {
        char some[64];
        ssize_t n = recv(fd, some, sizeof some, 0);
        if (n <= 0)
            break;
        total += (size_t)n;
        if (total < 2560) /* for two seconds; then it reads what is left in the socket */
            (void)usleep(50000);
    }
    assert_true(total < LARGE);
    (void)close(fd);
    answers(w, "GET /echo HTTP/1.1" HOST, "200", "said");
    close_world(w);
}

static void slow_readers_are_cut_off(void **state)
{
    (void)state;
    slow_reader("GET /large HTTP/1.1" HOST "\r\n\r\n");
    slow_reader("GET /flood HTTP/1.1" HOST "\r\n\r\n");
}

static void a_port_has_one_owner(void **state)
{
    (void)state;
    struct world *w = open_world((struct web_options){0});
    struct diags diags;
    diags_init(&diags, w->arena);
    const char *taken = arena_printf(w->arena, "127.0.0.1:%u", web_port(w->server)).p;
    assert_null(web_listen(&(struct web_options){.address = taken, .routes = w->routes}, &diags));
    testing_says(&diags, "in use");
    diags_init(&diags, w->arena);
    assert_null(web_listen(&(struct web_options){.address = "example.org:80", .routes = w->routes}, &diags));
    testing_says(&diags, "not a valid address");
    close_world(w);
}

static void addresses_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok, is_loopback;
        const char *url;
    } cases[] = {
        {"127.0.0.1:7400", true, true, "http://127.0.0.1:7400/"},
        {"localhost:7400", true, true, "http://127.0.0.1:7400/"},
        {"127.9.9.9:1", true, true, "http://127.9.9.9:7400/"},
        {"[::1]:7400", true, true, "http://[::1]:7400/"},
        {":7400", true, false, "http://127.0.0.1:7400/"},
        {"0.0.0.0:7400", true, false, "http://127.0.0.1:7400/"},
        {"[::]:7400", true, false, "http://[::1]:7400/"},
        {"192.0.2.1:7400", true, false, "http://192.0.2.1:7400/"},
        {"7400", false, false, ""},
        {"localhost", false, false, ""},
        {"localhost:", false, false, ""},
        {"localhost:65536", false, false, ""},
        {"localhost:-1", false, false, ""},
        {"[::1:7400", false, false, ""},
        {"::1:7400", false, false, ""},
        {"example.org:80", false, false, ""},
        {"", false, false, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_address address;
        char url[HTTP_URL];
        if (http_address_parse(str_of(cases[i].text), &address) != cases[i].ok)
            fail_msg("%s", cases[i].text);
        if (!cases[i].ok)
            continue;
        assert_int_equal(address.is_loopback, cases[i].is_loopback);
        http_address_url(&address, 7400, url);
        assert_string_equal(url, cases[i].url);
    }
    assert_true(web_is_loopback("localhost:0"));
    assert_false(web_is_loopback("nonsense"));
}

/* Both ends of all connections are in this process. */
static void allow_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int main(void)
{
    allow_many_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_are_answered),
        cmocka_unit_test(health_is_told),
        cmocka_unit_test(without_the_token_nothing_is_told),
        cmocka_unit_test(pages_of_other_sites_get_nothing),
        cmocka_unit_test(what_is_too_large_or_malformed_is_refused),
        cmocka_unit_test(streams_come_in_pieces_and_end_with_the_server),
        cmocka_unit_test(too_many_streams_are_refused),
        cmocka_unit_test(the_silent_give_way),
        cmocka_unit_test(slow_readers_are_cut_off),
        cmocka_unit_test(a_port_has_one_owner),
        cmocka_unit_test(addresses_are_understood),
    };
    return cmocka_run_group_tests_name("web/server", tests, NULL, NULL);
}
