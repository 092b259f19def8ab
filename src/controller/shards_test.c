/* Whose an object is: what this process does when it is not, or no longer, its own. */
#include "controller/testing_controller.h"

#include <stdatomic.h>
#include <unistd.h>

#define DATABASE(name, more)                                                                                                    \
    "apiVersion: fake.example.org/v1\nkind: Database\nmetadata: {name: " name more "}\n"

enum { A_WHILE_MS = 300 };

static void without_the_lease(void **state)
{
    (void)state;
    struct play p = {0};
    play_begin(&p, NULL);
    apply(&p, play_config);
    p.options.sparing = true; /* updates and deletions are not journalled: no write fails before them */
    play_start(&p);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    await_calm(&p);

    assert_int_equal(unlink(arena_printf(p.arena, "%s/store.lock", p.folder).p), 0);
    apply(&p, DATABASE("web", "") "spec: {forProvider: {size: 2, zone: a}}\n");
    apply(&p, DATABASE("new", "") "spec: {forProvider: {size: 1, zone: a}}\n");
    nap_ms(A_WHILE_MS);
    assert_non_null(cloud_find(&p, "fake_database", "size", "1"));
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_lease),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
