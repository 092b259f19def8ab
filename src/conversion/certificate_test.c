/* Certificates of the webhook: host, validity, key. */
#include "conversion/certificate.h"

#include "base/testing.h"

enum { DAY = 24 * 3600 };

static struct certificate make(struct arena *a, const char *host, int64_t valid_s)
{
    struct diags diags;
    struct certificate c;
    diags_init(&diags, a);
    assert_true(certificate_make(a, str_of(host), valid_s, &diags, &c));
    testing_no_errors(&diags);
    return c;
}

static void for_a_host_and_a_time(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const hosts[] = {"terrane.terrane-system.svc", "127.0.0.1", "::1"};
    for (size_t i = 0; i < 3; i++) {
        struct certificate c = make(a, hosts[i], 90 * DAY);
        assert_true(certificate_is_good(c.chain, c.key, str_of(hosts[i]), 30 * DAY));
        assert_false(certificate_is_good(c.chain, c.key, str_of(hosts[i]), 91 * DAY));
        assert_false(certificate_is_good(c.chain, c.key, str_of(hosts[(i + 1) % 3]), 0));
        assert_false(certificate_is_good(c.ca, c.key, str_of(hosts[i]), 0));
        assert_true(certificate_is_valid(c.ca));
        assert_true(certificate_is_valid(c.chain));
    }
}

static void of_another_key(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct certificate x = make(a, "x", DAY), y = make(a, "x", DAY), over = make(a, "x", -1);
    assert_false(str_eq(x.ca, y.ca));
    assert_false(certificate_is_good(x.chain, y.key, STR("x"), 0));
    assert_false(certificate_is_good(over.chain, over.key, STR("x"), 0));
    assert_false(certificate_is_valid(over.ca));
}

static void what_is_none(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct certificate c = make(a, "x", DAY);
    static const char *const texts[] = {"", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"};
    for (size_t i = 0; i < 3; i++) {
        assert_false(certificate_is_good(str_of(texts[i]), c.key, STR("x"), 0));
        assert_false(certificate_is_good(c.chain, str_of(texts[i]), STR("x"), 0));
        assert_false(certificate_is_valid(str_of(texts[i])));
    }
    struct diags diags;
    diags_init(&diags, a);
    assert_false(certificate_make(a, STR_EMPTY, DAY, &diags, &c));
    assert_int_equal(diags.n_errors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_a_host_and_a_time),
        cmocka_unit_test(of_another_key),
        cmocka_unit_test(what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
