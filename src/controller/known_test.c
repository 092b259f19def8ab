/* What is remembered of objects: uses, sightings, phases. */
#include "controller/known.h"

#include "base/testing.h"

static const struct kind kind = {.role = KIND_MANAGED};

static const struct json *version_of(struct arena *a, int version, int generation, const char *annotations)
{
    return testing_json(a, arena_printf(a, "{\"metadata\":{\"resourceVersion\":\"%d\",\"generation\":%d,\"annotations\":{%s}}}",
                                        version, generation, annotations));
}

static const struct json *object_of(struct arena *a, int generation, const char *annotations)
{
    return version_of(a, 100 + generation, generation, annotations);
}

static void use(struct known *k, struct known_object *o, const char *first, const char *second, const char *config)
{
    struct str v[2] = {str_of(first), str_of(second)};
    struct known_keys keys = {.v = v, .n = second ? 2 : first ? 1 : 0};
    known_set_uses(k, o, &keys, config ? str_of(config) : STR_EMPTY);
}

static size_t users(struct known *k, struct arena *a, const char *used)
{
    return known_users(k, a, str_of(used)).n;
}

static void who_uses_what(void **state)
{
    (void)state;
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    struct known_object *x = known_get(k, &kind, STR("g/K//x")), *y = known_get(k, &kind, STR("g/K//y"));
    assert_ptr_equal(x, known_get(k, &kind, STR("g/K//x")));
    use(k, x, "/Secret/n/s", "g/C//c", "g/C//c");
    use(k, y, "/Secret/n/s", NULL, NULL);
    assert_int_equal(users(k, a, "/Secret/n/s"), 2);
    assert_int_equal(users(k, a, "g/C//c"), 1);
    assert_true(str_eqz(known_config(k, a, x), "g/C//c"));
    assert_int_equal(known_config(k, a, y).n, 0);
    assert_int_equal(known_count(k, 1).uses, 3);
    use(k, x, "/Secret/n/s", "g/C//c", "g/C//c"); /* the same again */
    assert_int_equal(known_count(k, 1).uses, 3);
    use(k, x, "g/C//c", "/Secret/n/t", "g/C//c"); /* others */
    assert_true(str_eqz(known_users(k, a, STR("/Secret/n/s")).v[0], "g/K//y"));
    assert_int_equal(users(k, a, "/Secret/n/t"), 1);
    use(k, x, "g/C//c", "/Secret/n/t", "/Secret/n/t"); /* only the configuration */
    assert_true(str_eqz(known_config(k, a, x), "/Secret/n/t"));
    known_forget(k, x);
    assert_int_equal(users(k, a, "/Secret/n/t"), 0);
    assert_int_equal(known_count(k, 1).uses, 1);
    assert_int_equal(known_config_of(k, a, STR("g/K//x")).n, 0);
    known_free(k);
    arena_free(a);
}

static const struct json *claiming(struct arena *a, int version, const char *name, const char *config)
{
    return testing_json(
        a, arena_printf(a,
                        "{\"metadata\":{\"resourceVersion\":\"%d\",\"annotations\":{\"crossplane.io/external-name\":\"%s\"}},"
                        "\"spec\":{\"providerConfigRef\":{\"name\":\"%s\"}}}",
                        version, name, config));
}

/* Also when there are many, and after some were removed. */
static void who_stands_for_the_same(void **state)
{
    enum { MANY = 5000 };
    (void)state;
    static const struct kind other = {.role = KIND_MANAGED};
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    struct known_object *x = known_get(k, &kind, STR("g/K//x")), *y = known_get(k, &kind, STR("g/K//y"));
    struct known_object *z = known_get(k, &other, STR("g/O//z"));
    assert_int_equal(known_claim(k, a, x, claiming(a, 1, "", "c")).n, 0);
    assert_int_equal(known_claim(k, a, x, claiming(a, 2, "n", "c")).n, 0);
    assert_int_equal(known_claim(k, a, x, claiming(a, 2, "n", "c")).n, 0);
    assert_int_equal(known_claim(k, a, y, claiming(a, 3, "n", "d")).n, 0);
    assert_int_equal(known_claim(k, a, z, claiming(a, 4, "n", "c")).n, 0);
    for (int i = 0; i < MANY; i++) {
        struct str key = arena_printf(a, "g/K//%d", i);
        (void)known_saw(k, &kind, key, claiming(a, 10 + i, key.p, "c"), 1);
    }
    struct known_keys found = known_claim(k, a, y, claiming(a, 5, "n", "c"));
    assert_int_equal(found.n, 1);
    assert_true(str_eqz(found.v[0], "g/K//x"));
    assert_int_equal(known_claim(k, a, y, claiming(a, 6, "g/K//4711", "c")).n, 1);
    known_forget(k, known_get(k, &kind, STR("g/K//4711")));
    assert_int_equal(known_claim(k, a, y, claiming(a, 6, "g/K//4711", "c")).n, 0);
    assert_int_equal(known_claim(k, a, x, claiming(a, 7, "g/K//4711", "c")).n, 1);
    known_free(k);
    arena_free(a);
}

static bool is_one(struct known_keys keys, const char *key)
{
    return keys.n == 1 && str_eqz(keys.v[0], key);
}

/* Of objects of other processes only the claim is known. */
static void who_stands_for_the_same_elsewhere(void **state)
{
    enum { MANY = 5000 };
    (void)state;
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    struct known_object *x = known_get(k, &kind, STR("g/K//x"));
    for (int i = 0; i < MANY; i++) {
        struct str key = arena_printf(a, "g/K//e%d", i);
        assert_int_equal(known_saw_elsewhere(k, a, &kind, key, claiming(a, 1, key.p, "c")).n, 0);
    }
    assert_int_equal(known_count(k, 1).objects, 1);
    assert_true(is_one(known_claim(k, a, x, claiming(a, 2, "g/K//e4711", "c")), "g/K//e4711"));
    assert_int_equal(known_claim(k, a, x, claiming(a, 2, "n", "c")).n, 0);

    /* It makes the same claim, which is news once; then none, then the same again, and is removed. */
    assert_true(is_one(known_saw_elsewhere(k, a, &kind, STR("g/K//e1"), claiming(a, 3, "n", "c")), "g/K//x"));
    assert_int_equal(known_saw_elsewhere(k, a, &kind, STR("g/K//e1"), claiming(a, 4, "n", "c")).n, 0);
    assert_true(is_one(known_claim(k, a, x, claiming(a, 2, "n", "c")), "g/K//e1"));
    (void)known_saw_elsewhere(k, a, &kind, STR("g/K//e1"), claiming(a, 5, "", "c"));
    assert_int_equal(known_claim(k, a, x, claiming(a, 2, "n", "c")).n, 0);
    (void)known_saw_elsewhere(k, a, &kind, STR("g/K//e1"), claiming(a, 6, "n", "c"));
    known_gone_elsewhere(k, STR("g/K//e1"));
    assert_int_equal(known_claim(k, a, x, claiming(a, 2, "n", "c")).n, 0);

    /* An object moves to this process, and back. */
    (void)known_saw_elsewhere(k, a, &kind, STR("g/K//e2"), claiming(a, 7, "n", "c"));
    (void)known_saw(k, &kind, STR("g/K//e2"), claiming(a, 7, "n", "c"), 1);
    assert_true(is_one(known_claim(k, a, x, claiming(a, 2, "n", "c")), "g/K//e2"));
    assert_false(known_give_away(k, known_get(k, &kind, STR("g/K//e2"))));
    assert_true(is_one(known_claim(k, a, x, claiming(a, 2, "n", "c")), "g/K//e2"));

    /* Woken here by mistake: its claim stays. */
    assert_false(known_give_away(k, known_get(k, &kind, STR("g/K//e2"))));
    assert_true(is_one(known_claim(k, a, x, claiming(a, 2, "n", "c")), "g/K//e2"));

    /* It comes back while it is given away. */
    struct known_object *e2 = known_get(k, &kind, STR("g/K//e2"));
    (void)known_begin(k, e2);
    assert_false(known_saw(k, &kind, STR("g/K//e2"), claiming(a, 8, "n", "c"), 1));
    assert_true(known_give_away(k, e2));
    known_free(k);
    arena_free(a);
}

static void what_wakes(void **state)
{
    (void)state;
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    struct str key = STR("g/K//x");
    assert_true(known_saw(k, &kind, key, object_of(a, 1, ""), 1));
    assert_false(known_saw(k, &kind, key, object_of(a, 1, ""), 1));
    assert_true(known_saw(k, &kind, key, object_of(a, 2, ""), 1));
    assert_true(known_saw(k, &kind, key, object_of(a, 2, "\"a\":\"1\""), 1));
    known_wrote(k, known_get(k, &kind, key), object_of(a, 3, "\"a\":\"1\""));
    assert_false(known_saw(k, &kind, key, object_of(a, 3, "\"a\":\"1\""), 1));
    known_free(k);
    arena_free(a);
}

/* An object's own writes wake nobody, whether seen late or early; somebody else's write between them does. */
static void own_writes(void **state)
{
    (void)state;
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    struct str key = STR("g/K//x");
    struct known_object *o = known_get(k, &kind, key);
    assert_true(known_saw(k, &kind, key, version_of(a, 1, 1, ""), 1));
    (void)known_begin(k, o);
    known_wrote(k, o, version_of(a, 2, 1, "\"a\":\"1\""));
    known_wrote(k, o, version_of(a, 3, 1, "\"a\":\"2\""));
    assert_false(known_saw(k, &kind, key, version_of(a, 2, 1, "\"a\":\"1\""), 1)); /* late */
    assert_false(known_saw(k, &kind, key, version_of(a, 4, 1, "\"a\":\"3\""), 1)); /* before the writer has recorded it */
    known_wrote(k, o, version_of(a, 4, 1, "\"a\":\"3\""));
    assert_false(known_end(k, o, KNOWN_READY));
    assert_false(known_saw(k, &kind, key, version_of(a, 3, 1, "\"a\":\"2\""), 1));
    assert_false(known_begin(k, o));
    assert_false(known_saw(k, &kind, key, version_of(a, 5, 2, "\"a\":\"3\""), 1)); /* somebody else's */
    assert_true(known_end(k, o, KNOWN_READY));
    assert_true(known_begin(k, o));
    for (int i = 6; i < 6 + KNOWN_UNJUDGED + 1; i++)
        (void)known_saw(k, &kind, key, version_of(a, i, 2, "\"a\":\"3\""), 1);
    assert_true(known_end(k, o, KNOWN_READY)); /* too many sightings to remember */
    known_free(k);
    arena_free(a);
}

static void how_they_are(void **state)
{
    (void)state;
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    struct known_object *o = known_get(k, &kind, STR("g/K//x"));
    assert_int_equal(known_count(k, 1).phases[KNOWN_MOVING], 1);
    assert_false(known_begin(k, o));
    known_end(k, o, KNOWN_FAILING);
    assert_int_equal(known_count(k, 1).phases[KNOWN_FAILING], 1);
    assert_int_equal(known_count(k, 2).phases[KNOWN_MOVING], 1); /* a retry may help */
    assert_false(known_begin(k, o));
    known_end(k, o, KNOWN_FAILING);
    assert_int_equal(known_count(k, 2).phases[KNOWN_FAILING], 1);
    known_wake(k, o->key);
    assert_int_equal(known_count(k, 1).phases[KNOWN_MOVING], 1);
    assert_true(known_begin(k, o));
    assert_int_equal(known_count(k, 1).phases[KNOWN_MOVING], 1);
    known_end(k, o, KNOWN_READY);
    assert_int_equal(known_count(k, 1).phases[KNOWN_READY], 1);
    known_free(k);
    arena_free(a);
}

/* More than the initial buckets. */
static void many(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct arena *a = arena_new(NULL, 0);
    struct known *k = known_new();
    for (int i = 0; i < N; i++) {
        struct str key = arena_printf(a, "g/K//%d", i);
        use(k, known_get(k, &kind, key), arena_printf(a, "/Secret//%d", i).p, "g/C//c", "g/C//c");
    }
    assert_int_equal(known_count(k, 1).objects, N);
    assert_int_equal(users(k, a, "g/C//c"), N);
    assert_int_equal(users(k, a, "/Secret//777"), 1);
    for (int i = 0; i < N; i += 2)
        known_forget(k, known_get(k, &kind, arena_printf(a, "g/K//%d", i)));
    assert_int_equal(known_count(k, 1).objects, N / 2);
    assert_int_equal(users(k, a, "g/C//c"), N / 2);
    known_free(k);
    arena_free(a);
}

static void keys(void **state)
{
    (void)state;
    struct arena *a = arena_new(NULL, 0);
    const struct store_key key = {STR("g.org"), STR("Kind"), STR("space"), STR("a.b")};
    struct store_key same = key_parse(key_text(a, &key));
    assert_true(str_eq(same.group, key.group) && str_eq(same.kind, key.kind) && str_eq(same.namespace, key.namespace) &&
                str_eq(same.name, key.name));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_uses_what),
        cmocka_unit_test(who_stands_for_the_same),
        cmocka_unit_test(who_stands_for_the_same_elsewhere),
        cmocka_unit_test(what_wakes),
        cmocka_unit_test(own_writes),
        cmocka_unit_test(how_they_are),
        cmocka_unit_test(many),
        cmocka_unit_test(keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
