/* Who leads, on clocks that the test moves: only elapsed time counts, whatever the wall clock does. */
#include "kube/election.h"

#include "base/testing.h"
#include "http/testing_server.h"
#include "kube/testing_stepped.h"

#define DAY_NS (24 * 3600 * NS_PER_S)

/* ---- a server with one Lease ---- */

struct lease_server {
    struct testing_server *server;
    pthread_mutex_t lock; /* guards the members below */
    char spec[1024];      /* empty: no Lease exists */
    int version;
    bool down;
};

static void answer(void *ctx, const struct testing_request *request, struct testing_answer *answer)
{
    struct lease_server *l = ctx;
    MUTEX_GUARD(&l->lock);
    answer->content_type = "application/json";
    answer->status = l->down ? 500 : !l->spec[0] && str_eqz(request->method, "GET") ? 404 : 200;
    if (answer->status != 200) {
        answer->body = STR("{\"kind\":\"Status\"}");
        return;
    }
    if (!str_eqz(request->method, "GET")) {
        const char *at = memmem(request->body.p, request->body.n, "\"spec\":", 7);
        assert_non_null(at);
        struct str spec = str_slice(request->body, (size_t)(at - request->body.p) + 7, request->body.n - 1);
        (void)snprintf(l->spec, sizeof l->spec, STR_FMT, STR_ARG(spec));
        l->version++;
    }
    answer->body = arena_printf(answer->arena, "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"%d\"},\"spec\":%s}",
                                l->version, l->spec);
}

static bool holds(struct lease_server *l, const char *who)
{
    MUTEX_GUARD(&l->lock);
    return strstr(l->spec, who) != NULL;
}

static void set_down(struct lease_server *l, bool down)
{
    MUTEX_GUARD(&l->lock);
    l->down = down;
}

/* ---- members ---- */

struct member {
    struct stepped time;
    struct arena *arena;
    struct loop *loop;
    struct kubeconfig config;
    struct kube *kube;
    struct kube_election *election;
};

static void join(struct member *m, const struct lease_server *l, const char *name, int64_t wall)
{
    struct diags diags;
    *m = (struct member){.arena = arena_new(NULL, 0), .loop = loop_new()};
    diags_init(&diags, m->arena);
    stepped_init(&m->time, wall);
    struct str text = arena_printf(m->arena,
                                   "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                   "clusters: [{name: c, cluster: {server: '%s'}}]\nusers: [{name: u, user: {token: t}}]\n",
                                   testing_server_url(l->server));
    assert_true(kubeconfig_parse(m->arena, text, "test", NULL, &diags, &m->config));
    m->kube = kube_new(&(struct kube_options){.loop = m->loop, .config = &m->config, .time = &m->time.time}, &diags);
    assert_non_null(m->kube);
    m->election = kube_election_start(
        &(struct kube_election_options){.client = m->kube, .namespace = STR("n"), .name = STR("l"), .identity = str_of(name)});
    stepped_step(&m->time, 0);
}

static void leave(struct member *m)
{
    kube_election_stop(m->election);
    kube_free(m->kube);
    loop_free(m->loop);
    stepped_end(&m->time);
    arena_free(m->arena);
}

static void clocks_that_jump(void **state)
{
    (void)state;
    struct lease_server l = {0};
    struct member a, b;
    mutex_init(&l.lock);
    l.server = testing_server_start(answer, &l, TESTING_PLAIN);
    join(&a, &l, "alpha", 1700000000 * NS_PER_S);
    assert_true(kube_election_leads(a.election) && holds(&l, "alpha"));
    join(&b, &l, "beta", 1600000000 * NS_PER_S); /* its wall clock is three years behind */
    assert_false(kube_election_leads(b.election));

    /* Both wall clocks jump by days, but no time elapses: nothing happens. */
    stepped_jump(&a.time, 3 * DAY_NS);
    stepped_jump(&b.time, 30 * DAY_NS);
    stepped_step(&b.time, 3 * NS_PER_S);
    assert_true(kube_election_leads(a.election));
    assert_false(kube_election_leads(b.election));
    stepped_jump(&a.time, -400 * DAY_NS);
    stepped_step(&a.time, 3 * NS_PER_S);
    assert_true(kube_election_leads(a.election));

    /* The renewTime is in the past, but for the waiting member the renewal is new and counts for its whole duration. */
    stepped_step(&b.time, 3 * NS_PER_S);
    for (int i = 0; i < 4; i++) {
        stepped_step(&b.time, 3 * NS_PER_S);
        assert_false(kube_election_leads(b.election));
    }

    /* It cannot renew the Lease: it stops leading well before the other may take it, whatever the wall clock says. */
    set_down(&l, true);
    stepped_jump(&a.time, -DAY_NS);
    for (int i = 0; i < 4; i++)
        stepped_step(&a.time, 3 * NS_PER_S);
    assert_false(kube_election_leads(a.election));
    assert_true(holds(&l, "alpha"));
    /* It could take the Lease again, but another might have led meanwhile: it leaves the Lease alone. */
    set_down(&l, false);
    stepped_step(&a.time, 3 * NS_PER_S);
    assert_false(kube_election_leads(a.election));
    stepped_step(&b.time, 3 * NS_PER_S);
    assert_true(kube_election_leads(b.election) && holds(&l, "beta"));
    leave(&a);
    leave(&b);
    testing_server_stop(l.server);
    mutex_destroy(&l.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clocks_that_jump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
