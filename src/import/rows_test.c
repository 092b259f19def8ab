#include "import/rows.h"

#include "base/file.h"
#include "base/testing.h"
#include "http/testing_server.h"
#include "http/testing_time.h"
#include "import/api.h"
#include "import/rates.h"

#include <stdatomic.h>

#define SERVICE "services:\n  s: {protocol: json-1.0, target: T, rate: 7}\ntypes:\n"

static bool load(struct rows *r, const char *text, struct diags *diags)
{
    return rows_read(r, str_of(text), "rows.yaml", diags) && rows_bind(r, diags);
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"- a", "rows.yaml: expected a map"},
        {"type: {}", "rows.yaml:1: the file has no setting \"type\""},
        {"services:\n  s: {protocol: soap}", "rows.yaml:2: a protocol is one of"},
        {"services:\n  s: {protocol: query}", "rows.yaml:2: this protocol needs the API's `version`"},
        {"services:\n  s: {protocol: rest}", "rows.yaml:2: a plain REST API needs a `url`"},
        {SERVICE "  a_b: {service: t, call: C, id: x}", "rows.yaml:4: there is no such service: \"t\""},
        {SERVICE "  a_b: {service: s, id: x}", "`call` must say"},
        {SERVICE "  a_b: {service: s, call: C}", "`id` must say"},
        {SERVICE "  a_b: {service: s, call: C, id: \"{x\"}",
         "rows.yaml:4: a template of \"a_b\" cannot be filled in: a { is not closed"},
        {SERVICE "  a_b: {service: s, call: C, id: \"{^x}\"}", "a parent that the row does not have"},
        {SERVICE "  a_b: {service: s, call: C, id: x, parent: a_c}", "the parent \"a_c\" is not a row"},
        {SERVICE "  a_b: {service: s, call: C, id: x, parent: a_b}", "makes a circle"},
        {SERVICE "  a_b: {service: s, call: C, id: x, owned: [{when: {y: <a_b}, why: z}]}", "makes a circle"},
        {SERVICE "  a_b: {service: s, call: C, id: x, only: {y: <a_b}}", "makes a circle"},
        {SERVICE
         "  a_b: {service: s, call: C, id: x, only: {y: <a_c}}\n  a_c: {service: s, call: C, id: x, only: {y: \"!<a_b\"}}",
         "makes a circle"},
        {SERVICE "  a_b: {service: s, call: C, id: x, only: {y: <a_c}}", "asks for objects of \"a_c\", which is not a row"},
        {SERVICE "  a_b: {data: d, items: i}\n  a_c: {service: s, call: C, id: x, owned: [{when: {y: <a_b}, why: z}]}",
         "rows.yaml:5: a condition of \"a_c\" asks for objects of \"a_b\""},
        {SERVICE "  a_b: {service: s, call: C, id: \"{x,^y}\"}", "a parent that the row does not have"},
        {"services:\n  s: {protocol: rest, url: u, headers: {H: \"{x\"}}", "rows.yaml:2: a header is"},
        {"services:\n  s: {protocol: rest, url: u, headers: {H: [x, {y: z}]}}", "rows.yaml:2: a header is"},
        {SERVICE "  a_b: {service: s, data: d, call: C, id: x}", "a row has one of"},
        {SERVICE "  a_b: {items: ^x, id: i}", "need a `parent`"},
        {SERVICE "  a_b: {service: s, call: C, id: x, owned: [{why: z}]}", "expected {when: {PATH: PATTERN}, why: TEXT}"},
        {SERVICE "  a_b: {service: s, call: C, id: x, page: {in: t}}", "a page has both"},
        {SERVICE "  9: {service: s, call: C, id: x}", "not the name of a resource type"},
        {SERVICE "  a_b: {each: [x], id: i}", "only a helper that asks nothing has `each`"},
        {SERVICE "  .b: {service: s, call: C, each: [x]}", "only a helper that asks nothing has `each`"},
        {SERVICE "  .b: {each: [{x: y}]}", "expected strings"},
        {"asks:\n- {type: a_b}", "rows.yaml:2: an entry of `asks` has"},
        {"asks: {type: a_b}", "expected a list"},
        {"asks:\n- {type: a_b, argument: c, instead: d, hex: many}", "`hex` is a number of digits"},
        {"pairs:\n- {parent: a_b}", "rows.yaml:2: a pair has"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct rows r;
        diags_init(&diags, a);
        rows_init(&r, a);
        if (load(&r, cases[i].text, &diags) || !strstr(diags.v[0].detail.p, cases[i].message))
            fail_msg("%s: %s", cases[i].text, diags.n > 0 ? diags.v[0].detail.p : "taken");
    }
}

/* A hash tells less than the script, which a later provider gives as it is. */
static void what_is_a_hash_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *hex, *text;
        bool asked;
    } cases[] = {
        {"40", "fe13eef60a0a6a1b6c0ba3bbd9adc1ac6ea93a0d", true},
        {"40", "fe13eef60a0a6a1b6c0ba3bbd9adc1ac6ea93a0", false},
        {"40", "#!/bin/sh and twenty-six characters more", false},
        {"40", "", false},
        {"", "anything", true},
        {"", "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct row_ask ask = {.hex = str_of(cases[i].hex)};
        assert_int_equal(row_ask_applies(&ask, str_of(cases[i].text)), cases[i].asked);
    }
}

static void what_is_shipped_can_be_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct rows r;
    struct str text;
    size_t types = 0;
    diags_init(&diags, a);
    rows_init(&r, a);
    assert_true(file_read(a, TERRANE_SOURCE "/share/discovery/aws.yaml", ROWS_MAX_FILE, &diags, &text));
    if (!rows_read(&r, text, "aws.yaml", &diags) || !rows_bind(&r, &diags))
        fail_msg("%s", diags.v[0].detail.p);
    for (size_t i = 0; i < r.rows.n; i++)
        types += r.rows.entries[i].key.p[0] != '.';
    assert_true(types >= 150);
    assert_true(str_eqz(rows_service_of(&r, STR("aws_route")), "ec2"));
    assert_true(str_eqz(rows_service_of(&r, STR("aws_redshift_cluster")), "redshift"));
}

/* --- limits --- */

struct still {
    struct http_time time;
    struct fake_clock clock;
    int64_t paused;
};

static bool hold(const struct http_time *t, int64_t ns, struct cancel *cancel)
{
    (void)cancel;
    struct still *s = (struct still *)(uintptr_t)t;
    s->paused += ns;
    fake_clock_advance(&s->clock, ns);
    return true;
}

static void a_bucket_lets_through_what_it_may(void **state)
{
    (void)state;
    struct still s = {.time = {.clock = &s.clock.clock, .pause = hold}};
    fake_clock_init(&s.clock, 0);
    struct rates *l = rates_new(&s.time);
    rates_set(l, STR("s3"), 10);
    for (int i = 0; i < 10; i++)
        assert_true(rates_take(l, STR("s3"), NULL));
    assert_int_equal(s.paused, 0); /* a burst of one second's worth */
    for (int i = 0; i < 100; i++)
        assert_true(rates_take(l, STR("s3"), NULL) && rates_take(l, STR("other"), NULL));
    assert_true(s.paused >= 9 * NS_PER_S && s.paused <= 11 * NS_PER_S);
    rates_refused(l, STR("s3"));
    rates_refused(l, STR("other"));
    assert_true(rates_rate(l, STR("s3")) < 5.1 && rates_rate(l, STR("other")) > 0);
    for (int i = 0; i < 1000; i++)
        rates_answered(l, STR("s3"));
    assert_true(rates_rate(l, STR("s3")) > 9.9 && rates_rate(l, STR("s3")) < 10.2);
    rates_free(l);
}

/* --- APIs --- */

/* Which servers discovery calls, and how fast: a test server plays an emulator, and the proxy to all other hosts. */

#define AWS_ROWS                                                                                                                 \
    "services:\n  s: {protocol: json-1.0, target: T}\ntypes:\n  a_b: {service: s, call: List, items: Items, id: \"{Name}\"}\n"
#define REST_ROWS                                                                                                                \
    "services:\n  s: {protocol: rest, url: \"{$env.THINGS}\"}\ntypes:\n"                                                         \
    "  a_b: {service: s, call: GET /things, items: Items, id: \"{Name}\"}\n"
#define IDENTITY                                                                                                                 \
    "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/u</Arn><UserId>U</UserId>"          \
    "<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"

enum { MAX_ENV = 8 };

struct world {
    struct arena *arena;
    struct diags diags;
    struct loop *loop;
    struct testing_server *server;
    struct testing_time time;
    struct rates *rates;
    struct rows rows;
    const char *env[MAX_ENV + 1];
    struct api *api;
    atomic_int to_others, to_sts, refusals; /* refusals: how many are still to come */
    int refuse_with;
    const char *refusal;
};

static void answer(void *ctx, const struct testing_request *request, struct testing_answer *answer)
{
    struct world *w = ctx;
    if (str_eqz(request->method, "CONNECT")) {
        (void)atomic_fetch_add(&w->to_others, 1);
        answer->status = 403;
    } else if (memmem(request->body.p, request->body.n, "GetCallerIdentity", 17)) {
        (void)atomic_fetch_add(&w->to_sts, 1);
        answer->body = STR(IDENTITY);
    } else if (atomic_load(&w->refusals) > 0) {
        (void)atomic_fetch_sub(&w->refusals, 1);
        answer->status = w->refuse_with;
        answer->body = str_of(w->refusal);
    } else {
        answer->body = STR("{\"Items\":[{\"Name\":\"x\"}]}");
    }
}

/* `endpoints`: names, separated by blanks, of services at the test server. Without a profile, access keys are set. */
static bool open_world(struct world *w, const char *rows, const char *endpoints, const char *profile)
{
    *w = (struct world){.arena = arena_new(NULL, 0), .loop = loop_new()};
    struct arena *a = w->arena;
    diags_init(&w->diags, a);
    testing_time_init(&w->time, INT64_C(1440938160) * NS_PER_S);
    w->server = testing_server_start(answer, w, TESTING_PLAIN);
    w->rates = rates_new(&w->time.time);
    rows_init(&w->rows, a);
    assert_true(rows_read(&w->rows, str_of(rows), "rows.yaml", &w->diags) && rows_bind(&w->rows, &w->diags));
    struct buf config BUF_AUTO = BUF_INIT(10000);
    const char *url = testing_server_url(w->server);
    buf_printf(&config, "{\"region\":\"eu-west-1\",%s\"https_proxy\":\"%s\",\"endpoints\":[{",
               *profile ? "" : "\"access_key\":\"AK\",\"secret_key\":\"S\",", url);
    for (struct str rest = str_of(endpoints); rest.n > 0;) {
        struct str name = str_cut(&rest, ' ');
        buf_printf(&config, "\"" STR_FMT "\":\"%s\"%s", STR_ARG(name), url, rest.n > 0 ? "," : "");
    }
    buf_addz(&config, "}]}");
    w->env[0] = "HOME=/nonexistent";
    w->env[1] = "AWS_REGION=eu-west-1";
    w->env[2] = arena_printf(a, "THINGS=%s", url).p;
    w->env[3] = arena_printf(a, "AWS_PROFILE=%s", profile).p;
    struct api_options options = {.config = testing_json(a, buf_copy(&config, a)),
                                  .env = w->env,
                                  .loop = w->loop,
                                  .rates = w->rates,
                                  .rows = &w->rows,
                                  .time = &w->time.time};
    return api_open(&options, &w->diags, &w->api);
}

static void close_world(struct world *w)
{
    api_close(w->api);
    rates_free(w->rates);
    testing_server_stop(w->server);
    loop_free(w->loop);
    arena_free(w->arena);
}

/* The number of items; fails the test if they cannot be listed. */
static size_t list(struct world *w)
{
    struct pick_values items = {0};
    bool unknown;
    (void)api_items(w->api, w->arena, rows_of(&w->rows, STR("a_b")), NULL, &items, &w->diags, &unknown);
    testing_no_errors(&w->diags);
    return items.n;
}

static struct str account_of(struct world *w)
{
    const struct pick_facts *facts = api_facts(w->api);
    for (size_t i = 0; i < facts->n; i++)
        if (strcmp(facts->v[i].name, "account") == 0)
            return facts->v[i].value;
    return STR_EMPTY;
}

static void an_emulator_without_sts_is_not_left_for_aws(void **state)
{
    (void)state;
    struct world w;
    assert_true(open_world(&w, AWS_ROWS, "s", ""));
    assert_int_equal(list(&w), 1);
    assert_int_equal(account_of(&w).n, 0);
    assert_int_equal(atomic_load(&w.to_others) + atomic_load(&w.to_sts), 0);
    close_world(&w);
    assert_true(open_world(&w, AWS_ROWS, "s sts", ""));
    assert_int_equal(list(&w), 1);
    assert_int_equal(list(&w), 1);
    testing_text(account_of(&w), "123456789012");
    assert_int_equal(atomic_load(&w.to_others), 0);
    assert_int_equal(atomic_load(&w.to_sts), 1);
    close_world(&w);
}

static void other_apis_need_nothing_of_aws(void **state)
{
    (void)state;
    struct world w;
    if (!open_world(&w, REST_ROWS, "", "nobody"))
        testing_no_errors(&w.diags);
    assert_int_equal(list(&w), 1);
    assert_int_equal(account_of(&w).n, 0);
    assert_int_equal(atomic_load(&w.to_others) + atomic_load(&w.to_sts), 0);
    close_world(&w);
    assert_false(open_world(&w, AWS_ROWS, "s sts", "nobody"));
    testing_says(&w.diags, "nobody");
    close_world(&w);
}

static void who_is_told_to_slow_down_does_and_nobody_else(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
        bool slower;
    } table[] = {
        {429, "{}", true},
        {400, "{\"__type\":\"ThrottlingException\",\"message\":\"Rate exceeded\"}", true},
        {500, "{\"__type\":\"InternalFailure\",\"message\":\"broken\"}", false},
        {503, "", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct world w;
        assert_true(open_world(&w, AWS_ROWS, "s", ""));
        rates_set(w.rates, STR("s"), 10);
        w.refuse_with = table[i].status;
        w.refusal = table[i].body;
        atomic_store(&w.refusals, 2);
        assert_int_equal(list(&w), 1);
        assert_int_equal(atomic_load(&w.refusals), 0);
        double rate = rates_rate(w.rates, STR("s"));
        if ((rate < 6) != table[i].slower)
            fail_msg("after two answers of status %d: %.1f a second", table[i].status, rate);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(what_is_a_hash_is_asked_for),
        cmocka_unit_test(what_is_shipped_can_be_read),
        cmocka_unit_test(a_bucket_lets_through_what_it_may),
        cmocka_unit_test(an_emulator_without_sts_is_not_left_for_aws),
        cmocka_unit_test(other_apis_need_nothing_of_aws),
        cmocka_unit_test(who_is_told_to_slow_down_does_and_nobody_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
