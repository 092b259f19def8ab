/* Reports of an interrupted run: the numbers add up, and objects of several states are distinguished. */
#include "drift/report.h"

#include "base/testing.h"

static struct state *state_of(struct arena *a, const char *name)
{
    struct state *s = state_new(a);
    struct state_address address = {.mode = STATE_MANAGED, .type = STR("t"), .name = str_of(name)};
    struct state_instance one = {.attributes = testing_jsonz(a, "{\"id\":\"i\"}")};
    state_put(s, &address, STR("p"), &one);
    return s;
}

/* The n-th object has the n-th status. */
static struct drift *drift_of(struct arena *a, size_t n_states, const enum drift_status *statuses)
{
    static const char *const paths[] = {"a.tfstate", "b.tfstate"};
    struct drift *d = arena_make(a, struct drift);
    drift_init(d, a);
    for (size_t i = 0; i < n_states; i++)
        drift_add_state(d, paths[i], state_of(a, i == 0 ? "x" : "y"));
    drift_add_state(d, "empty.tfstate", state_new(a));
    drift_prepare(d);
    for (size_t i = 0; i < n_states; i++)
        d->objects.v[i].status = statuses[i];
    return d;
}

static struct str json_of(struct arena *a, const struct drift *d, struct diags *diags)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    assert_true(drift_write_json(&w, d, diags));
    json_end_object(&w);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

static void what_was_not_looked_at_is_told(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct drift *d = drift_of(a, 2, (const enum drift_status[]){DRIFT_MISSING, DRIFT_WAITING});
    const struct json *summary = json_get(testing_json(a, json_of(a, d, &diags)), "summary");
    assert_int_equal(json_int(json_get(summary, "objects"), -1), 2);
    assert_int_equal(json_int(json_get(summary, "missing"), -1), 1);
    assert_int_equal(json_int(json_get(summary, "waiting"), -1), 1);
    struct buf page BUF_AUTO = BUF_INIT(1 << 20), text BUF_AUTO = BUF_INIT(1 << 20);
    drift_write_html(&page, d);
    drift_write_text(&text, d, false);
    assert_non_null(strstr(buf_copy(&page, a).p, "<li><b>1</b>not looked at</li>"));
    assert_non_null(strstr(buf_copy(&text, a).p, "1 missing, 1 not looked at."));
}

static void objects_of_several_states_are_told_apart(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t n = 1; n <= 2; n++) {
        const struct drift *d = drift_of(a, n, (const enum drift_status[]){DRIFT_MISSING, DRIFT_IN_SYNC});
        struct buf page BUF_AUTO = BUF_INIT(1 << 20), text BUF_AUTO = BUF_INIT(1 << 20);
        drift_write_html(&page, d);
        drift_write_text(&text, d, false);
        assert_int_equal(strstr(buf_copy(&text, a).p, "t.x (i) of a.tfstate\n") != NULL, n == 2);
        assert_int_equal(strstr(buf_copy(&page, a).p, " of a.tfstate</small>") != NULL, n == 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_looked_at_is_told),
        cmocka_unit_test(objects_of_several_states_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
