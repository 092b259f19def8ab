/*
 * The controller with the fake provider: lives of objects from manifest to Ready and to their end, what they wait for and what
 * wakes them, and what is kept. With TERRANE_TERRAFORM the same lives through the CLI.
 */
#include "controller/testing_controller.h"

#include <stdio.h>
#include <stdlib.h>

static const char *terraform;

#define OBJECT(kind, name) "---\napiVersion: fake.example.org/v1\nkind: " kind "\nmetadata: {name: " name "}\n"

static void begin(struct play *p, const char *script)
{
    *p = (struct play){.terraform = terraform};
    play_begin(p, script);
    apply(p, play_config);
    play_start(p);
}

static struct str observed(struct play *p, const char *kind, const char *name, const char *field)
{
    return json_text(managed_at(object(p, kind, name), "status", "atProvider", field, NULL), STR_EMPTY);
}

/* --- a life --- */

static void create_update_delete(void **state)
{
    (void)state;
    struct play p;
    begin(&p, NULL);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    assert_non_null(cloud_find(&p, "fake_database", "id", "web"));
    assert_string_equal(annotation(&p, "Database", "web", MANAGED_EXTERNAL_NAME), "web");
    assert_true(strlen(annotation(&p, "Database", "web", MANAGED_CREATE_SUCCEEDED)) > 0);
    assert_string_equal(annotation(&p, "Database", "web", MANAGED_PROVIDER_META), "web");
    assert_true(managed_has_finalizer(object(&p, "Database", "web"), MANAGED_FINALIZER));
    assert_true(str_eqz(observed(&p, "Database", "web", "size"), "1"));
    await(&p, "Database", "web", "LastAsyncOperation", "True/Success", NULL);
    assert_string_equal(await_event(&p, "Database", "web", "CreatedExternalResource"),
                        "Successfully requested creation of external resource");
    /* late initialisation: what the provider has chosen */
    assert_true(managed_text(managed_at(object(&p, "Database", "web"), "spec", "forProvider", "comment", NULL)).n > 0);

    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 2, zone: a}}\n");
    await_cloud(&p, "fake_database", "size", "2");
    assert_string_equal(await_event(&p, "Database", "web", "UpdatedExternalResource"),
                        "Successfully requested update of external resource");
    await_calm(&p);
    assert_true(str_eqz(observed(&p, "Database", "web", "size"), "2"));

    delete(&p, "Database", "web");
    await_gone(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    assert_string_equal(await_event(&p, "Database", "web", "DeletedExternalResource"),
                        "Successfully requested deletion of external resource");
    await_calm(&p);
    assert_int_equal(controller_count(p.controller).objects, 0);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_update_delete),
    };
    terraform = getenv("TERRANE_TERRAFORM");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
