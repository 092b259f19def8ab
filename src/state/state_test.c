#include "state/state.h"

#include "base/testing.h"

static struct state_address at(const char *name, struct state_key key)
{
    return (struct state_address){.mode = STATE_MANAGED, .type = STR("t"), .name = str_of(name), .key = key};
}

static struct state_key number(int64_t i)
{
    return (struct state_key){.kind = STATE_KEY_INT, .number = i};
}

static struct state_key text(const char *z)
{
    return (struct state_key){.kind = STATE_KEY_STRING, .text = str_of(z)};
}

static const struct state_key none;

static void a_new_state_is_empty_and_has_a_lineage(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *x = state_new(a), *y = state_new(a);
    assert_int_equal(x->n_resources + x->n_outputs + x->serial, 0);
    assert_int_equal(x->lineage.n, 36);
    assert_int_equal(x->lineage.p[14], '4');
    assert_non_null(strchr("89ab", x->lineage.p[19]));
    assert_false(str_eq(x->lineage, y->lineage));
}

static void keys_are_ordered_none_numbers_texts(void **state)
{
    (void)state;
    const struct state_key order[] = {none, number(-1), number(2), number(10), text(""), text("10"), text("9"), text("a")};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
            int cmp = state_key_cmp(order[i], order[k]);
            assert_int_equal((cmp > 0) - (cmp < 0), (i > k) - (i < k));
        }
}

static void addresses_read_as_people_write_them(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state_address x = at("n", none);
    assert_string_equal(state_address_text(a, &x).p, "t.n");
    x.key = number(3);
    x.module = STR("module.m[0]");
    assert_string_equal(state_address_text(a, &x).p, "module.m[0].t.n[3]");
    x = at("n", text("a\"b"));
    x.mode = STATE_DATA;
    x.deposed = STR("0badcafe");
    assert_string_equal(state_address_text(a, &x).p, "data.t.n[\"a\\\"b\"] (deposed object 0badcafe)");
}

static void what_is_put_is_found_and_replaced_in_place(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = state_new(a);
    for (int64_t i = 0; i < 20; i++) {
        struct state_address x = at("n", number(i));
        state_put(s, &x, STR("p"), &(struct state_instance){.schema_version = (uint64_t)i});
    }
    struct state_address other = at("m", none);
    state_put(s, &other, STR("q"), &(struct state_instance){0});
    assert_int_equal(s->n_resources, 2);
    struct state_address x = at("n", number(7));
    assert_int_equal(state_find(s, &x)->schema_version, 7);
    state_put(s, &x, STR_EMPTY, &(struct state_instance){.schema_version = 100, .tainted = true});
    assert_int_equal(s->resources[0].n, 20);
    assert_int_equal(s->resources[0].instances[7].schema_version, 100);
    assert_true(str_eqz(s->resources[0].provider, "p")); /* kept when none is given */
    state_put(s, &x, STR("r"), &(struct state_instance){0});
    assert_true(str_eqz(s->resources[0].provider, "r"));
}

static void all_parts_of_the_address_count(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = state_new(a);
    struct state_address x = at("n", none);
    state_put(s, &x, STR("p"), &(struct state_instance){0});
    struct state_address others[] = {x, x, x, x, x, x};
    others[0].mode = STATE_DATA;
    others[1].module = STR("module.m");
    others[2].type = STR("u");
    others[3].name = STR("o");
    others[4].key = number(0);
    others[5].deposed = STR("00000001");
    for (size_t i = 0; i < 6; i++) {
        assert_null(state_find(s, &others[i]));
        assert_false(state_remove(s, &others[i]));
        state_put(s, &others[i], STR("p"), &(struct state_instance){.schema_version = i + 1});
    }
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(state_find(s, &others[i])->schema_version, i + 1);
    assert_int_equal(s->n_resources, 5);
}

static void the_last_object_takes_its_resource_along(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = state_new(a);
    struct state_address first = at("a", none), current = at("b", none), deposed = current, last = at("c", none);
    deposed.deposed = STR("00000001");
    state_put(s, &first, STR("p"), &(struct state_instance){0});
    state_put(s, &current, STR("p"), &(struct state_instance){0});
    state_put(s, &deposed, STR("p"), &(struct state_instance){0});
    state_put(s, &last, STR("p"), &(struct state_instance){0});
    assert_true(state_remove(s, &current));
    assert_non_null(state_find_resource(s, &current));
    assert_non_null(state_find(s, &deposed));
    assert_true(state_remove(s, &deposed));
    assert_null(state_find_resource(s, &current));
    assert_int_equal(s->n_resources, 2);
    assert_non_null(state_find(s, &first));
    assert_non_null(state_find(s, &last));
    assert_false(state_remove(s, &deposed));
}

struct seen {
    struct buf *ids;
    size_t most, n;
};

static bool see(void *ctx, const struct state_resource *r, const struct state_instance *object)
{
    struct seen *s = ctx;
    buf_printf(s->ids, STR_FMT "=" STR_FMT " ", STR_ARG(r->name), STR_ARG(state_instance_id(object)));
    return ++s->n < s->most;
}

static void managed_objects_are_visited_with_their_ids(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct state *s = state_new(a);
    struct state_address deposed = at("a", none), data = at("b", none);
    struct flatmap_entry flat[] = {{STR("arn"), STR("x")}, {STR("id"), STR("i-2")}};
    deposed.deposed = STR("00000001");
    data.mode = STATE_DATA;
    struct state_instance one = {.attributes = testing_jsonz(a, "{\"id\":\"i-1\"}")};
    state_put(s, &(struct state_address){.type = STR("t"), .name = STR("a")}, STR("p"), &one);
    state_put(s, &deposed, STR("p"), &one);
    state_put(s, &data, STR("p"), &one);
    state_put(s, &(struct state_address){.type = STR("t"), .name = STR("c")}, STR("p"),
              &(struct state_instance){.attributes = testing_jsonz(a, "null")});
    state_put(s, &(struct state_address){.type = STR("t"), .name = STR("d")}, STR("p"),
              &(struct state_instance){.flat = {flat, 2}});
    state_put(s, &(struct state_address){.type = STR("t"), .name = STR("e")}, STR("p"),
              &(struct state_instance){.attributes = testing_jsonz(a, "{}")});
    struct buf ids BUF_AUTO = BUF_INIT(1000), first BUF_AUTO = BUF_INIT(1000);
    struct seen all = {.ids = &ids, .most = 100}, some = {.ids = &first, .most = 1};
    assert_true(state_visit_managed(s, see, &all));
    assert_false(state_visit_managed(s, see, &some));
    testing_text(buf_str(&ids), "a=i-1 d=i-2 e= ");
    testing_text(buf_str(&first), "a=i-1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_state_is_empty_and_has_a_lineage),
        cmocka_unit_test(keys_are_ordered_none_numbers_texts),
        cmocka_unit_test(addresses_read_as_people_write_them),
        cmocka_unit_test(what_is_put_is_found_and_replaced_in_place),
        cmocka_unit_test(all_parts_of_the_address_count),
        cmocka_unit_test(the_last_object_takes_its_resource_along),
        cmocka_unit_test(managed_objects_are_visited_with_their_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
