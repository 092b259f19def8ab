#include "import/rows.h"

#include "base/file.h"
#include "base/testing.h"
#include "import/rates.h"

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
    assert_int_equal(s.paused, 0); /* a second's worth at once */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(what_is_shipped_can_be_read),
        cmocka_unit_test(a_bucket_lets_through_what_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
