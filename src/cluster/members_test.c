/*
 * Ownership with clocks that the test controls: a member whose wall clock is wrong or jumps, or that is cut off, never shares an
 * object with another.
 */
#include "cluster/members.h"

#include "base/testing.h"
#include "http/testing_server.h"
#include "kube/testing_stepped.h"

#define DAY_NS (24 * 3600 * NS_PER_S)
#define TURN_NS (2 * NS_PER_S) /* between two rounds of a member */
enum { OBJECTS = 200, LEASES = 4 };

/* ---- a server with Leases ---- */

struct lease {
    char name[64], spec[512], notes[1024]; /* name empty: unused */
    int version;
};

struct lease_server {
    struct testing_server *server;
    pthread_mutex_t lock; /* protects what follows */
    struct lease leases[LEASES];
    int version;
    const char *cut_off;   /* token of the member that gets no answer; NULL: none */
    const char *read_only; /* token of a member that can read, but cannot renew */
};

static struct lease *lease_of(struct lease_server *l, struct str name)
{
    for (size_t i = 0; i < LEASES; i++)
        if (str_eqz(name, l->leases[i].name))
            return &l->leases[i];
    return NULL;
}

static struct str as_text(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

static struct str shown(struct arena *a, const struct lease *l)
{
    return arena_printf(a, "{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%d\",\"annotations\":%s},\"spec\":%s}", l->name,
                        l->version, l->notes, l->spec);
}

static struct str shown_all(struct arena *a, const struct lease_server *l)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    buf_addz(&out, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[");
    for (size_t i = 0, n = 0; i < LEASES; i++)
        if (l->leases[i].name[0]) {
            struct str one = shown(a, &l->leases[i]);
            buf_printf(&out, "%s" STR_FMT, n++ > 0 ? "," : "", STR_ARG(one));
        }
    buf_addz(&out, "]}");
    return buf_copy(&out, a);
}

static void keep(struct lease_server *l, struct arena *a, struct lease *at, struct str body)
{
    const struct json *object = json_parse_lenient(a, body), *metadata = json_get(object, "metadata");
    assert_non_null(at);
    struct str spec = as_text(a, json_get(object, "spec")), notes = as_text(a, json_get(metadata, "annotations"));
    struct str name = json_text(json_get(metadata, "name"), STR_EMPTY);
    assert_true(spec.n < sizeof at->spec && notes.n < sizeof at->notes && name.n < sizeof at->name);
    (void)snprintf(at->name, sizeof at->name, STR_FMT, STR_ARG(name));
    (void)snprintf(at->spec, sizeof at->spec, STR_FMT, STR_ARG(spec));
    (void)snprintf(at->notes, sizeof at->notes, STR_FMT, STR_ARG(notes));
    at->version = ++l->version;
}

static void answer(void *ctx, const struct testing_request *request, struct testing_answer *answer)
{
    struct lease_server *l = ctx;
    MUTEX_GUARD(&l->lock);
    struct str token = testing_header(request, "authorization"), path = request->target, name = STR_EMPTY;
    path = str_cut(&path, '?');
    for (struct str rest = path; rest.n > 0;)
        name = str_cut(&rest, '/');
    struct lease *one = str_eqz(name, "leases") ? NULL : lease_of(l, name);
    answer->content_type = "application/json";
    answer->status = 200;
    answer->body = STR("{\"kind\":\"Status\"}");
    bool refused = l->read_only && str_ends(token, str_of(l->read_only)) && str_eqz(request->method, "PUT");
    if (refused || (l->cut_off && str_ends(token, str_of(l->cut_off)))) {
        answer->status = 500;
    } else if (str_eqz(request->method, "POST")) {
        one = lease_of(l, STR_EMPTY);
        keep(l, answer->arena, one, request->body);
        answer->status = 201;
        answer->body = shown(answer->arena, one);
    } else if (str_eqz(name, "leases")) {
        answer->body = shown_all(answer->arena, l);
    } else if (!one) {
        answer->status = 404;
    } else if (str_eqz(request->method, "DELETE")) {
        one->name[0] = '\0';
    } else {
        if (str_eqz(request->method, "PUT"))
            keep(l, answer->arena, one, request->body);
        answer->body = shown(answer->arena, one);
    }
}

static void cut_off(struct lease_server *l, const char *who)
{
    MUTEX_GUARD(&l->lock);
    l->cut_off = who;
}

static void make_read_only(struct lease_server *l, const char *who)
{
    MUTEX_GUARD(&l->lock);
    l->read_only = who;
}

/* ---- members ---- */

struct member {
    struct stepped time;
    struct arena *arena;
    struct loop *loop;
    struct kubeconfig config;
    struct kube *kube;
    struct members *members;
    uint64_t held; /* 0: none */
};

static size_t held(void *ctx, uint64_t *ret, size_t max)
{
    const struct member *m = ctx;
    (void)max;
    ret[0] = m->held;
    return m->held != 0;
}

static void join(struct member *m, const struct lease_server *l, const char *name, int64_t wall)
{
    struct diags diags;
    *m = (struct member){.arena = arena_new(NULL, 0), .loop = loop_new()};
    diags_init(&diags, m->arena);
    stepped_init(&m->time, wall);
    struct str text = arena_printf(m->arena,
                                   "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                   "clusters: [{name: c, cluster: {server: '%s'}}]\nusers: [{name: u, user: {token: %s}}]\n",
                                   testing_server_url(l->server), name);
    assert_true(kubeconfig_parse(m->arena, text, "test", NULL, &diags, &m->config));
    m->kube = kube_new(&(struct kube_options){.loop = m->loop, .config = &m->config, .time = &m->time.time}, &diags);
    assert_non_null(m->kube);
    m->members = members_start(&(struct members_options){.client = m->kube,
                                                         .namespace = STR("n"),
                                                         .name = STR("l"),
                                                         .identity = str_of(name),
                                                         .time = &m->time.time,
                                                         .held = held,
                                                         .ctx = m});
    stepped_step(&m->time, 0);
}

static void leave(struct member *m)
{
    members_stop(m->members);
    kube_free(m->kube);
    loop_free(m->loop);
    stepped_end(&m->time);
    arena_free(m->arena);
}

static uint64_t object(size_t i)
{
    return (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static size_t owned(struct member *m)
{
    size_t n = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        n += members_owns(m->members, object(i));
    return n;
}

static void share_nothing(struct member *a, struct member *b)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (members_owns(a->members, object(i)) && members_owns(b->members, object(i)))
            fail_msg("object %zu is owned by both", i);
}

static void step_both(struct member *a, struct member *b, int times)
{
    for (int i = 0; i < times; i++) {
        stepped_step(&a->time, TURN_NS);
        share_nothing(a, b);
        stepped_step(&b->time, TURN_NS);
        share_nothing(a, b);
    }
}

/* ---- the tests ---- */

static void server_start(struct lease_server *l)
{
    *l = (struct lease_server){0};
    mutex_init(&l->lock);
    l->server = testing_server_start(answer, l, TESTING_PLAIN);
}

static void server_stop(struct lease_server *l)
{
    testing_server_stop(l->server);
    mutex_destroy(&l->lock);
}

static void clocks_that_jump(void **state)
{
    (void)state;
    struct lease_server l;
    struct member a, b;
    server_start(&l);
    join(&a, &l, "alpha", 1700000000 * NS_PER_S);
    assert_int_equal(owned(&a), OBJECTS);
    join(&b, &l, "beta", 1600000000 * NS_PER_S); /* three years behind */
    share_nothing(&a, &b);
    step_both(&a, &b, 3);
    size_t of_a = owned(&a), of_b = owned(&b);
    assert_true(of_a > 0 && of_b > 0);
    assert_int_equal(of_a + of_b, OBJECTS);

    /* The wall clocks jump by days, but no time passes: no member considers another or itself dead. */
    static const int64_t jumps[][2] = {{3, 30}, {-400, 5}, {400, -5}, {-3, -30}};
    for (size_t i = 0; i < sizeof jumps / sizeof jumps[0]; i++) {
        stepped_jump(&a.time, jumps[i][0] * DAY_NS);
        stepped_jump(&b.time, jumps[i][1] * DAY_NS);
        share_nothing(&a, &b);
        step_both(&a, &b, 2);
        assert_int_equal(owned(&a), of_a);
        assert_int_equal(owned(&b), of_b);
    }
    leave(&a);
    leave(&b);
    server_stop(&l);
}

static void cut_off_with_a_wrong_clock(void **state)
{
    (void)state;
    struct lease_server l;
    struct member a, b;
    server_start(&l);
    join(&a, &l, "alpha", 1700000000 * NS_PER_S);
    join(&b, &l, "beta", 1600000000 * NS_PER_S);
    step_both(&a, &b, 3);
    size_t of_b = owned(&b);

    /* The member cannot renew its Lease. Whatever its wall clock shows, it stops before the other takes over its objects. */
    cut_off(&l, "alpha");
    stepped_jump(&a.time, -DAY_NS);
    stepped_jump(&b.time, DAY_NS);
    for (int i = 0; i < 5; i++) {
        step_both(&a, &b, 1);
        assert_int_equal(owned(&b), of_b);
    }
    assert_int_equal(owned(&a), 0);
    assert_false(members_live(a.members));
    step_both(&a, &b, 4);
    assert_int_equal(owned(&b), OBJECTS);

    /* The Lease could be renewed again, but the member's knowledge is out of date: it stays lost until it joins anew. */
    cut_off(&l, NULL);
    step_both(&a, &b, 4);
    assert_false(members_live(a.members));
    assert_int_equal(owned(&a), 0);
    assert_int_equal(owned(&b), OBJECTS);
    leave(&a);
    join(&a, &l, "alpha", 1700000000 * NS_PER_S);
    step_both(&a, &b, 4);
    assert_true(owned(&a) > 0);
    assert_int_equal(owned(&a) + owned(&b), OBJECTS);
    leave(&a);
    leave(&b);
    server_stop(&l);
}

/* A member that renews late is considered dead only after the whole duration, on the other's own clock. */
static void who_stands_still(void **state)
{
    (void)state;
    struct lease_server l;
    struct member a, b;
    server_start(&l);
    join(&a, &l, "alpha", 1700000000 * NS_PER_S);
    join(&b, &l, "beta", 1700000000 * NS_PER_S);
    step_both(&a, &b, 3);
    size_t of_b = owned(&b);
    for (int i = 0; i < 7; i++) { /* 14 s: one less than the duration */
        stepped_step(&b.time, TURN_NS);
        assert_int_equal(owned(&b), of_b);
    }
    stepped_step(&a.time, TURN_NS); /* it renews */
    for (int i = 0; i < 6; i++) {
        stepped_step(&b.time, TURN_NS);
        assert_int_equal(owned(&b), of_b);
    }
    leave(&a);
    leave(&b);
    server_stop(&l);
}

/* A member that had to give away an object takes it again when told that it may own more. */
static void what_comes_back_is_told(void **state)
{
    (void)state;
    struct lease_server l;
    struct member a, b;
    server_start(&l);
    join(&a, &l, "alpha", 1700000000 * NS_PER_S);
    uint64_t grown = members_grown(a.members);

    /* Alpha stops for a member that leaves before alpha could publish the new view. */
    make_read_only(&l, "alpha");
    join(&b, &l, "beta", 1700000000 * NS_PER_S);
    stepped_step(&a.time, TURN_NS);
    assert_true(owned(&a) < OBJECTS);
    leave(&b);
    make_read_only(&l, NULL);
    stepped_step(&a.time, TURN_NS);
    assert_int_equal(owned(&a), OBJECTS);
    assert_true(members_grown(a.members) > grown);

    /* The other member holds one object, and then a different one. */
    join(&b, &l, "beta", 1700000000 * NS_PER_S);
    step_both(&a, &b, 2);
    b.held = 1;
    step_both(&a, &b, 2);
    grown = members_grown(a.members);
    step_both(&a, &b, 2);
    assert_int_equal(members_grown(a.members), grown);
    b.held = 2;
    step_both(&a, &b, 2);
    assert_int_equal(members_grown(a.members), grown + 1);
    leave(&a);
    leave(&b);
    server_stop(&l);
}

static void only_their_own_objects_move(void **state)
{
    (void)state;
    const struct str all[] = {STR("a"), STR("b"), STR("c"), STR("d")};
    const struct members_view four = {all, 4}, three = {all, 3}, none = {NULL, 0};
    size_t moved = 0, of[4] = {0};
    for (size_t i = 0; i < OBJECTS; i++) {
        size_t before = members_owner(&four, object(i)), after = members_owner(&three, object(i));
        of[before]++;
        moved += before != after;
        assert_true(before == 3 || before == after);
    }
    assert_int_equal(moved, of[3]);
    for (size_t i = 0; i < 4; i++)
        assert_in_range(of[i], OBJECTS / 8, OBJECTS / 2);
    assert_int_equal(members_owner(&none, 1), SIZE_MAX);
}

/* The numbers in docs/operations.md. */
static void hundred_thousand_over_eight(void **state)
{
    enum { MANY = 100000, SHARDS = 8 };
    (void)state;
    const struct str all[SHARDS] = {STR("a"), STR("b"), STR("c"), STR("d"), STR("e"), STR("f"), STR("g"), STR("h")};
    size_t of[SHARDS] = {0};
    for (size_t i = 0; i < MANY; i++)
        of[members_owner(&(struct members_view){all, SHARDS}, object(i))]++;
    for (size_t i = 0; i < SHARDS; i++)
        assert_in_range(of[i], MANY / SHARDS * 95 / 100, MANY / SHARDS * 105 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_jump),
        cmocka_unit_test(cut_off_with_a_wrong_clock),
        cmocka_unit_test(who_stands_still),
        cmocka_unit_test(what_comes_back_is_told),
        cmocka_unit_test(only_their_own_objects_move),
        cmocka_unit_test(hundred_thousand_over_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
