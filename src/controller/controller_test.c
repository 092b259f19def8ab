/*
 * The controller with the fake provider: lives of objects from manifest to Ready and to their deletion, what they wait for, what
 * wakes them, and what is recorded. With TERRANE_TERRAFORM the same through the CLI.
 */
#include "base/base64.h"
#include "controller/testing_controller.h"
#include "reconcile/reconcile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static struct str observed(struct play *p, const char *kind, const char *name, const char *field)
{
    return json_text(managed_at(object(p, kind, name), "status", "atProvider", field, NULL), STR_EMPTY);
}

/* --- a life --- */

static void create_update_delete(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
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

    delete_object(&p, "Database", "web");
    await_gone(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    assert_string_equal(await_event(&p, "Database", "web", "DeletedExternalResource"),
                        "Successfully requested deletion of external resource");
    await_calm(&p);
    assert_int_equal(controller_count(p.controller).objects, 0);
    play_end(&p);
}

/* What exists only in its state would be found again by every import: one successful deletion is the end of it. */
static void deletion_of_what_is_only_in_the_state(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "types:\n  fake_user: {state_only: true}\n");
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await_ready(&p, "User", "bob");
    delete_object(&p, "User", "bob");
    await_gone(&p, "User", "bob");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    play_end(&p);
}

/* The differences between two versions of an object, in a few words. */
static const char *change_words(struct arena *a, const struct json *before, const struct json *after)
{
    struct buf out BUF_AUTO = BUF_INIT(4096);
    const struct json *annotations = managed_at(after, "metadata", "annotations", NULL);
    for (size_t i = 0; i < managed_count(annotations); i++) {
        struct str key = annotations->object.members[i].key, tail = key;
        (void)str_cut(&tail, '/');
        if (!str_eq(managed_text(annotations->object.members[i].value), managed_annotation(before, key.p)))
            buf_printf(&out, " " STR_FMT, STR_ARG(tail));
    }
    if (managed_count_finalizers(before) != managed_count_finalizers(after))
        buf_addz(&out, " finalizer");
    if (managed_generation(before) != managed_generation(after))
        buf_addz(&out, " generation");
    static const char *const types[] = {"Ready", "Synced", "LastAsyncOperation"};
    for (size_t i = 0; i < 3; i++) {
        struct managed_condition x = {0}, y = {0};
        if (managed_condition(after, types[i], &y) &&
            (!managed_condition(before, types[i], &x) || !str_eq(x.status, y.status) || !str_eq(x.reason, y.reason)))
            buf_printf(&out, " %s=" STR_FMT, types[i], STR_ARG(y.reason));
    }
    if (!managed_at(before, "status", "atProvider", NULL) && managed_at(after, "status", "atProvider", NULL))
        buf_addz(&out, " atProvider");
    return buf_copy(&out, a).p;
}

/* Version by version, as recorded from real providers. */
static void order_of_writes(void **state)
{
    (void)state;
    static const char *const expected[] = {
        " generation", /* by the user */
        " external-name",
        " finalizer",
        " external-create-pending",
        " external-create-succeeded",
        " Ready=Creating Synced=ReconcileSuccess",
        " LastAsyncOperation=Success",
        " provider-meta",
        " generation", /* late initialisation */
        " Ready=Available atProvider",
        " generation", /* the user deletes it */
        " Ready=Deleting",
        "", /* removed with its finalizer */
    };
    struct play p;
    struct store_watch *watch;
    struct store_change change;
    const struct json *before = NULL;
    struct store_key key = {.group = STR("fake.example.org"), .kind = STR("Database")};
    play_run(&p, NULL);
    struct str version = managed_text(managed_at(object(&p, "ProviderConfig", "default"), "metadata", "resourceVersion", NULL));
    const struct store_query query = {.group = key.group, .kind = key.kind};
    assert_int_equal(store_watch_open(p.store, &query, version, &p.diags, &watch), STORE_OK);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(store_watch_next(watch, p.arena, clock_now(&system_clock) + PATIENT, &p.diags, &change), STORE_OK);
        const char *words = change_words(p.arena, before, change.object);
        if (strcmp(words, expected[i]) != 0)
            fail_msg("version %zu: expected \"%s\", got \"%s\"", i, expected[i], words);
        before = change.object;
        if (strcmp(words, " Ready=Available atProvider") == 0)
            delete_object(&p, "Database", "web");
    }
    assert_int_equal(change.kind, STORE_DELETED);
    store_watch_close(watch);
    play_end(&p);
}

/* The next poll repairs drift and recreates what has vanished. */
static void drift(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await_ready(&p, "Database", "web");
    cloud_edit(&p, "fake_database", "size", "77");
    assert_non_null(cloud_find(&p, "fake_database", "size", "77"));
    controller_poke(p.controller, NULL, STR_EMPTY, STR_EMPTY);
    await_cloud(&p, "fake_database", "size", "1");
    await_calm(&p);
    cloud_clear(&p, "fake_database"); /* no grace period: the provider itself reports the absence */
    controller_poke(p.controller, NULL, STR_EMPTY, STR("web"));
    await_cloud(&p, "fake_database", "size", "1");
    await_calm(&p);
    await_ready(&p, "Database", "web");
    assert_false(has_event(&p, "Database", "web", "PendingExternalResource"));
    play_end(&p);
}

/* A pass that finds everything up to date writes nothing. */
static void nothing_to_do(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, OBJECT("User", "bob") "spec: {forProvider: {login: bob}}\n");
    await_ready(&p, "User", "bob");
    await_calm(&p);
    struct str before = managed_text(managed_at(object(&p, "User", "bob"), "metadata", "resourceVersion", NULL));
    for (int i = 0; i < 3; i++) {
        uint64_t passes = controller_count(p.controller).passes;
        controller_poke(p.controller, NULL, STR_EMPTY, STR_EMPTY);
        await_calm(&p);
        assert_true(controller_count(p.controller).passes > passes);
    }
    struct str after = managed_text(managed_at(object(&p, "User", "bob"), "metadata", "resourceVersion", NULL));
    assert_true(str_eq(before, after));
    /* and after an operation there are only a few: create, its end, and for the connection details */
    assert_true(controller_count(p.controller).passes < 10);
    play_end(&p);
}

/* --- references --- */

static void references(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p,
          OBJECT("Grant",
                 "g") "spec: {forProvider: {databaseRef: {name: web}, userIdSelector: {matchLabels: {team: a}}, rights: r}}\n");
    await(&p, "Grant", "g", "Synced", "False/ReconcileError",
          "cannot resolve references: mg.Spec.ForProvider.Database: cannot get referenced resource: "
          "Database.fake.example.org \"web\" not found");
    await_event(&p, "Grant", "g", "CannotResolveResourceReferences");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await(&p, "Grant", "g", "Synced", "False/ReconcileError", "mg.Spec.ForProvider.UserID: no resources matched selector");
    apply(&p, "apiVersion: fake.example.org/v1\nkind: User\nmetadata: {name: bob, labels: {team: a}}\n"
              "spec: {forProvider: {login: bob}}\n");
    await_ready(&p, "Grant", "g");
    const struct json *wanted = managed_at(object(&p, "Grant", "g"), "spec", "forProvider", NULL);
    assert_true(str_eqz(managed_text(json_get(wanted, "database")), "web"));
    assert_true(str_eqz(managed_text(json_get(wanted, "userId")), annotation(&p, "User", "bob", MANAGED_EXTERNAL_NAME)));
    assert_true(str_eqz(managed_text(managed_at(wanted, "userIdRef", "name", NULL)), "bob"));
    assert_true(str_eqz(managed_text(managed_at(wanted, "databaseRef", "name", NULL)), "web")); /* not overwritten */
    await_calm(&p);
    /* the target may be deleted first */
    delete_object(&p, "Database", "web");
    await_gone(&p, "Database", "web");
    delete_object(&p, "Grant", "g");
    await_gone(&p, "Grant", "g");
    play_end(&p);
}

/* --- secrets --- */

#define SECRET(name, data)                                                                                                       \
    "---\napiVersion: v1\nkind: Secret\nmetadata: {name: " name ", namespace: default}\nstringData: {" data "}\n"
#define BOB                                                                                                                      \
    OBJECT("User", "bob")                                                                                                        \
    "spec:\n"                                                                                                                    \
    "  forProvider: {login: bob, passwordSecretRef: {name: bob, namespace: default, key: password}}\n"                           \
    "  writeConnectionSecretToRef: {name: conn, namespace: default}\n"

static const char *secret_value(struct play *p, const char *name, const char *key)
{
    struct str value;
    struct str text = managed_text(managed_at(object(p, "Secret", name), "data", key, NULL));
    return text.n > 0 && base64_read(p->arena, text, &value) ? arena_str(p->arena, value).p : "";
}

#define GRANT(name, to) OBJECT("Grant", name) "spec: {forProvider: {database: d, rightsRef: {name: " to "}}}\n"

/* Objects that wait for each other say so; setting one value ends it. */
static void references_in_a_circle(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, GRANT("self", "self"));
    await(&p, "Grant", "self", "Synced", "False/ReconcileError",
          "cycle, and each object waits for the next: Grant.fake.example.org \"self\" -> Grant.fake.example.org \"self\"");
    apply(&p, GRANT("a", "b") GRANT("b", "c") GRANT("c", "a"));
    await(&p, "Grant", "a", "Synced", "False/ReconcileError",
          "Grant.fake.example.org \"a\" -> Grant.fake.example.org \"b\" -> Grant.fake.example.org \"c\" -> "
          "Grant.fake.example.org \"a\". In one of them, set the value");
    await(&p, "Grant", "c", "Synced", "False/ReconcileError", "form a cycle");
    apply(&p, GRANT("outside", "a")); /* waits for the cycle without being part of it */
    await(&p, "Grant", "outside", "Synced", "False/ReconcileError", "referenced field was empty");
    struct managed_condition synced;
    assert_true(managed_condition(object(&p, "Grant", "outside"), "Synced", &synced));
    assert_null(strstr(synced.message.p, "cycle"));
    assert_int_equal(cloud_count(&p, "fake_grant"), 0);
    apply(&p, OBJECT("Grant", "c") "spec: {forProvider: {database: d, rights: all}}\n");
    await_ready(&p, "Grant", "a");
    await_ready(&p, "Grant", "b");
    await_ready(&p, "Grant", "outside");
    play_end(&p);
}

#define LABELLED(name, label, spec)                                                                                              \
    "---\napiVersion: fake.example.org/v1\nkind: Grant\nmetadata: {name: " name ", labels: {is: " label "}}\n"                   \
    "spec: {forProvider: {database: d, " spec "}}\n"
#define SELECTS(label) "rightsSelector: {matchLabels: {is: " label "}}"

/* The same with selectors. */
static void selectors_in_a_circle(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, LABELLED("a", "first", SELECTS("second")) LABELLED("b", "second", SELECTS("third")));
    await(&p, "Grant", "b", "Synced", "False/ReconcileError", "no resources matched selector");
    apply(&p, LABELLED("c", "third", "rightsRef: {name: a}"));
    await(&p, "Grant", "c", "Synced", "False/ReconcileError",
          "Grant.fake.example.org \"c\" -> Grant.fake.example.org \"a\" -> Grant.fake.example.org \"b\" -> "
          "Grant.fake.example.org \"c\". In one of them, set the value");
    await(&p, "Grant", "b", "Synced", "False/ReconcileError", "form a cycle");
    assert_int_equal(cloud_count(&p, "fake_grant"), 0);
    apply(&p, LABELLED("b", "second", "rights: all"));
    await_ready(&p, "Grant", "c");
    play_end(&p);
}

static void secret_input(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, BOB);
    await(&p, "User", "bob", "Synced", "False/ReconcileError", "the Secret \"bob\" in the namespace \"default\"");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    apply(&p, SECRET("bob", "other: x"));
    await(&p, "User", "bob", "Synced", "False/ReconcileError", "the key \"password\" of the Secret \"bob\"");
    apply(&p, SECRET("bob", "password: first-secret"));
    await_ready(&p, "User", "bob");
    assert_non_null(cloud_find(&p, "fake_user", "password", "first-secret"));
    await_calm(&p);
    apply(&p, SECRET("bob", "password: second-secret")); /* sent to the provider at once */
    await_cloud(&p, "fake_user", "password", "second-secret");
    await_calm(&p);
    /* the connection secret has the secrets of the state */
    assert_string_equal(secret_value(&p, "conn", "attribute.password"), "second-secret");
    assert_true(strlen(secret_value(&p, "conn", "attribute.api_key")) > 0);
    assert_string_equal(secret_value(&p, "conn", "username"), "bob");
    assert_string_equal(secret_value(&p, "conn", "password"), "second-secret");
    const struct json *conn = object(&p, "Secret", "conn");
    assert_true(str_eqz(managed_text(json_get(conn, "type")), "connection.crossplane.io/v1alpha1"));
    assert_true(str_eq(managed_controller(conn), managed_uid(object(&p, "User", "bob"))));
    delete_object(&p, "User", "bob");
    await_gone(&p, "User", "bob");
    assert_null(object(&p, "Secret", "conn"));
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    play_end(&p);
}

static void foreign_connection_secret(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, SECRET("bob", "password: x") SECRET("conn", "mine: yours") BOB);
    await(&p, "User", "bob", "Synced", "False/ReconcileError",
          "cannot create or update connection secret: refusing to modify uncontrolled secret of type \"Opaque\"");
    await_event(&p, "User", "bob", "CannotPublishConnectionDetails");
    assert_int_equal(cloud_count(&p, "fake_user"), 0);
    assert_false(managed_has_finalizer(object(&p, "User", "bob"), MANAGED_FINALIZER));
    delete_object(&p, "Secret", "conn");
    await_ready(&p, "User", "bob");
    /* an object that never got a finalizer is removed at once, and uses nothing any more */
    apply(&p, OBJECT("User",
                     "eve") "spec: {forProvider: {login: eve, passwordSecretRef: {name: absent, namespace: default, key: k}}}\n");
    await(&p, "User", "eve", "Synced", "False/ReconcileError", "the Secret \"absent\"");
    delete_object(&p, "User", "eve");
    delete_object(&p, "User", "bob");
    await_gone(&p, "User", "bob");
    delete_object(&p, "ProviderConfig", "default");
    await_gone(&p, "ProviderConfig", "default");
    play_end(&p);
}

/* --- ProviderConfigs --- */

static void provider_configs(void **state)
{
    (void)state;
    struct play p = {.terraform = terraform};
    play_begin(&p, NULL);
    play_start(&p);
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 1}}\n");
    await(&p, "Database", "web", "Synced", "False/ReconcileError",
          "connect failed: cannot get terraform setup: cannot get referenced ProviderConfig: "
          "ProviderConfig.fake.example.org \"default\" not found");
    await_event(&p, "Database", "web", "CannotConnectToProvider");
    apply(&p, "apiVersion: fake.example.org/v1beta1\nkind: ProviderConfig\nmetadata: {name: default}\n"
              "spec: {credentials: {source: Secret, secretRef: {name: creds, namespace: default, key: c}}}\n");
    await(&p, "Database", "web", "Synced", "False/ReconcileError",
          "cannot extract credentials: cannot get credentials secret: Secret \"creds\" not found");
    apply(&p, SECRET("creds", "c: nothing"));
    await(&p, "Database", "web", "Synced", "False/ReconcileError", "cannot unmarshal fake credentials as JSON");
    apply(&p, SECRET("creds", "c: '{\"token\": \"planted-token\"}'"));
    await_ready(&p, "Database", "web");
    /* it stays while it is used */
    assert_true(managed_has_finalizer(object(&p, "ProviderConfig", "default"), "in-use.crossplane.io"));
    delete_object(&p, "ProviderConfig", "default");
    await(&p, "ProviderConfig", "default", "Terminating", "True/InUse", "Blocking deletion while usages still exist");
    assert_int_equal(json_int(managed_at(object(&p, "ProviderConfig", "default"), "status", "users", NULL), 0), 1);
    delete_object(&p, "Database", "web");
    await_gone(&p, "Database", "web");
    await_gone(&p, "ProviderConfig", "default");
    play_end(&p);
}

/*
 * An id consists of the account, which a data source returns, and of the region from the ProviderConfig; the resource with that
 * id is adopted.
 */
static void client_metadata(void **state)
{
    (void)state;
    struct play p = {.terraform = terraform};
    play_begin(&p, NULL);
    apply(&p, SECRET("creds", "token: planted-token") "---\napiVersion: fake.example.org/v1beta1\nkind: ProviderConfig\n"
                                                      "metadata: {name: default}\nspec:\n  credentials: {source: None}\n"
                                                      "  configuration: {region: north, tokenSecretRef: {name: creds, namespace: "
                                                      "default, key: token}}\n");
    /* what the controller will ask */
    struct arena *a = arena_new(NULL, 0);
    struct scheduler *scheduler = p.options.schedulers[p.options.backend];
    const struct scheduler_item item = {.key = STR("data"),
                                        .provider = {p.stage.source.address, p.stage.source.path, NULL},
                                        .type = STR("fake_account"),
                                        .name = STR("this"),
                                        .data = true};
    const struct state_instance *account = NULL;
    bool changed;
    struct scheduler_session *session = scheduler_observe(scheduler, a, &item, NULL, NULL);
    int64_t end = clock_now(&system_clock) + PATIENT;
    while (scheduler_update_status(session, &account, &changed) == SCHEDULER_PENDING && clock_now(&system_clock) < end)
        nap_ms(5);
    assert_non_null(account);
    struct str number = arena_str(p.arena, json_text(json_get(account->attributes, "number"), STR_EMPTY));
    assert_true(number.n > 0);
    scheduler_end(session);
    struct str id = arena_printf(p.arena, "north-" STR_FMT "-news", STR_ARG(number));
    cloud_put(&p, "fake_topic", id.p, arena_printf(p.arena, "{\"id\":\"" STR_FMT "\",\"title\":\"news\"}", STR_ARG(id)).p);

    play_start(&p);
    apply(&p, OBJECT("Topic", "news") "spec: {forProvider: {}}\n");
    await_ready(&p, "Topic", "news");
    assert_true(str_eq(observed(&p, "Topic", "news", "id"), id));
    assert_int_equal(cloud_count(&p, "fake_topic"), 1);
    assert_string_equal(annotation(&p, "Topic", "news", MANAGED_CREATE_PENDING), "");
    apply(&p, OBJECT("Topic", "other") "spec: {forProvider: {}}\n");
    await_ready(&p, "Topic", "other");
    assert_int_equal(cloud_count(&p, "fake_topic"), 2);
    play_end(&p);
}

/*
 * A namespaced kind: its ProviderConfig, Secrets and connection secret are in its namespace; a region of its own means another
 * provider process.
 */
static void namespaced(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, "apiVersion: fake.m.example.org/v1beta1\nkind: ClusterProviderConfig\nmetadata: {name: default}\n"
              "spec: {credentials: {source: None}}\n"
              "---\napiVersion: fake.m.example.org/v1beta1\nkind: ProviderConfig\nmetadata: {name: own, namespace: shop}\n"
              "spec: {credentials: {source: Secret, secretRef: {name: creds, namespace: ignored, key: c}}}\n"
              "---\napiVersion: v1\nkind: Secret\nmetadata: {name: creds, namespace: shop}\n"
              "stringData: {c: '{\"token\": \"t\"}', password: of-the-shop}\n"
              "---\napiVersion: fake.m.example.org/v1\nkind: Database\nmetadata: {name: web, namespace: shop}\n"
              "spec: {forProvider: {size: 1, region: south}}\n"
              "---\napiVersion: fake.m.example.org/v1\nkind: User\nmetadata: {name: bob, namespace: shop}\n"
              "spec:\n  providerConfigRef: {kind: ProviderConfig, name: own}\n"
              "  forProvider: {login: bob, passwordSecretRef: {name: creds, key: password}}\n"
              "  writeConnectionSecretToRef: {name: conn}\n");
    for (int i = 0; i < 1000 && controller_count(p.controller).objects < 2; i++)
        (void)usleep(10000); /* until the watch has seen them, nothing counts as moving */
    await_calm(&p);
    struct controller_progress progress = controller_progress(p.controller, 1);
    assert_int_equal(progress.ready, 2);
    assert_non_null(cloud_find(&p, "fake_user", "password", "of-the-shop"));
    const struct store_key key = {.kind = STR("Secret"), .namespace = STR("shop"), .name = STR("conn")};
    const struct json *conn;
    assert_int_equal(store_get(p.store, p.arena, &key, &p.diags, &conn), STORE_OK);
    assert_int_equal(scheduler_count(p.options.schedulers[p.options.backend]).lanes, 2);
    play_end(&p);
}

/* --- policies --- */

static void adoption(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, OBJECT("Database", "old") "spec: {forProvider: {size: 5}}\n");
    await_ready(&p, "Database", "old");
    annotate(&p, "Database", "old", MANAGED_PAUSED, "true");
    (void)usleep(1100000); /* the order does not matter: a paused object claims nothing */
    apply(&p, "apiVersion: fake.example.org/v1\nkind: Database\n"
              "metadata: {name: new, annotations: {crossplane.io/external-name: old}}\nspec: {forProvider: {size: 6}}\n");
    await_cloud(&p, "fake_database", "size", "6");
    await_ready(&p, "Database", "new");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    assert_string_equal(annotation(&p, "Database", "new", MANAGED_CREATE_PENDING), "");
    play_end(&p);
}

static void observe_only(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, OBJECT("Database", "mine") "spec: {forProvider: {size: 5}}\n");
    await_ready(&p, "Database", "mine");
    apply(&p, "apiVersion: fake.example.org/v1\nkind: Database\n"
              "metadata: {name: look, annotations: {crossplane.io/external-name: mine}}\n"
              "spec: {managementPolicies: [Observe], forProvider: {}}\n");
    await_ready(&p, "Database", "look");
    assert_true(str_eqz(observed(&p, "Database", "look", "size"), "5"));
    assert_null(managed_at(object(&p, "Database", "look"), "spec", "forProvider", "size", NULL));
    apply(&p, "apiVersion: fake.example.org/v1\nkind: Database\nmetadata: {name: nothing}\n"
              "spec: {managementPolicies: [Observe], forProvider: {}}\n");
    await(&p, "Database", "nothing", "Synced", "False/ReconcileError", "observe failed: external resource does not exist");
    delete_object(&p, "Database", "look");
    await_gone(&p, "Database", "look");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

#define SHARED(name, spec)                                                                                                       \
    "---\napiVersion: fake.example.org/v1\nkind: Database\nmetadata: {name: " name ", annotations: {" MANAGED_EXTERNAL_NAME      \
    ": shared}}\nspec: {" spec "}\n"
#define IS_TAKEN_BY(name) "external name \"shared\" is already used by Database.fake.example.org \"" name "\""

/* The older object manages the resource, the others keep away until it is deleted. */
static void one_name_for_two(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, SHARED("b", "forProvider: {size: 1}"));
    await_ready(&p, "Database", "b");
    (void)usleep(1100000); /* the store counts creations in seconds, and c would be next by its name */
    apply(&p, SHARED("c", "forProvider: {size: 2}"));
    apply(&p, SHARED("a", "forProvider: {size: 3}"));
    await(&p, "Database", "a", "Synced", "False/ReconcileError", IS_TAKEN_BY("b"));
    await(&p, "Database", "c", "Synced", "False/ReconcileError", IS_TAKEN_BY("b"));
    (void)await_event(&p, "Database", "c", "CannotClaimExternalResource");

    /* An object that only observes may share the resource; another ProviderConfig or region means another resource. */
    apply(&p, SHARED("observer", "managementPolicies: [Observe], forProvider: {}"));
    apply(&p, "---\napiVersion: fake.example.org/v1beta1\nkind: ProviderConfig\nmetadata: {name: other}\n"
              "spec: {credentials: {source: None}}\n");
    apply(&p, SHARED("configured", "providerConfigRef: {name: other}, forProvider: {size: 1}"));
    apply(&p, SHARED("elsewhere", "forProvider: {size: 1, region: north}"));
    await_ready(&p, "Database", "observer");
    await_ready(&p, "Database", "configured");
    await_ready(&p, "Database", "elsewhere");

    /* A new process comes to the same decision, and meanwhile the waiting objects change nothing. */
    play_stop(&p);
    play_start(&p);
    annotate(&p, "Database", "b", "crossplane.io/reconcile-requested-at", "now");
    annotate(&p, "Database", "a", "crossplane.io/reconcile-requested-at", "now");
    await(&p, "Database", "a", "Synced", "False/ReconcileError", IS_TAKEN_BY("b"));
    await_calm(&p);
    await(&p, "Database", "b", "Synced", "True/ReconcileSuccess", NULL);
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    assert_non_null(cloud_find(&p, "fake_database", "size", "1"));
    assert_string_equal(annotation(&p, "Database", "a", MANAGED_CREATE_PENDING), "");

    /* An object that manages nothing is deleted without deleting the resource. */
    delete_object(&p, "Database", "c");
    await_gone(&p, "Database", "c");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    delete_object(&p, "Database", "configured");
    delete_object(&p, "Database", "elsewhere");
    await_gone(&p, "Database", "configured");
    await_gone(&p, "Database", "elsewhere");

    delete_object(&p, "Database", "b");
    await_gone(&p, "Database", "b");
    await_ready(&p, "Database", "a");
    await(&p, "Database", "a", "Synced", "True/ReconcileSuccess", NULL);
    await_cloud(&p, "fake_database", "size", "3");

    /* The next object adopts the resource that was left. */
    (void)usleep(1100000);
    apply(&p, SHARED("d", "forProvider: {size: 4}"));
    await(&p, "Database", "d", "Synced", "False/ReconcileError", IS_TAKEN_BY("a"));
    apply(&p, SHARED("a", "deletionPolicy: Orphan, forProvider: {size: 3}"));
    delete_object(&p, "Database", "a");
    await_gone(&p, "Database", "a");
    await_cloud(&p, "fake_database", "size", "4");
    await_ready(&p, "Database", "d");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

static void pause_and_orphan(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, NULL);
    apply(&p, OBJECT("Database", "web") "spec: {deletionPolicy: Orphan, forProvider: {size: 1}}\n");
    await_ready(&p, "Database", "web");
    annotate(&p, "Database", "web", MANAGED_PAUSED, "true");
    await(&p, "Database", "web", "Synced", "False/ReconcilePaused", NULL);
    await(&p, "Database", "web", "Ready", "True/Available", NULL); /* as before */
    apply(&p, OBJECT("Database", "web") "spec: {deletionPolicy: Orphan, forProvider: {size: 2}}\n");
    await_calm(&p);
    assert_int_equal(controller_progress(p.controller, 1).paused, 1);
    assert_non_null(cloud_find(&p, "fake_database", "size", "1"));
    annotate(&p, "Database", "web", MANAGED_PAUSED, NULL);
    await_cloud(&p, "fake_database", "size", "2");
    delete_object(&p, "Database", "web");
    await_gone(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

/* Each of several processes has some of the objects; an older object with the same claim is noticed in another process, too. */
static bool owns_odd(void *ctx, uint64_t shard)
{
    (void)ctx;
    return shard % 2 == 1;
}

static uint64_t odd_unless_elsewhere(void *ctx, const struct store_key *key, const struct json *object)
{
    (void)ctx, (void)object;
    return str_starts(key->name, STR("elsewhere")) ? 2 : 1;
}

static void one_name_for_two_processes(void **state)
{
    (void)state;
    struct play p = {0};
    if (terraform) /* the scheduler does not matter here */
        return;
    play_begin(&p, NULL);
    p.options.owns = owns_odd;
    p.options.shard = odd_unless_elsewhere;
    apply(&p, play_config);
    apply(&p, SHARED("elsewhere-1", "forProvider: {size: 1}")); /* before the start, so that a list shows it */
    (void)usleep(1100000);
    play_start(&p);
    apply(&p, SHARED("here", "forProvider: {size: 2}"));
    await(&p, "Database", "here", "Synced", "False/ReconcileError", IS_TAKEN_BY("elsewhere-1"));
    assert_int_equal(cloud_count(&p, "fake_database"), 0);
    delete_object(&p, "Database", "elsewhere-1");
    await_ready(&p, "Database", "here");

    /* A younger object of another process is that process's concern; an object that no longer has the name blocks nobody. */
    apply(&p, SHARED("elsewhere-2", "forProvider: {size: 1}"));
    annotate(&p, "Database", "here", "crossplane.io/reconcile-requested-at", "now");
    await_calm(&p);
    await(&p, "Database", "here", "Synced", "True/ReconcileSuccess", NULL);
    play_end(&p);
}

static void replacement(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "replace: {fake_database: [zone]}\n");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {zone: a}}\n");
    await_ready(&p, "Database", "web");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {zone: b}}\n");
    await(&p, "Database", "web", "Synced", "False/ReconcileError",
          "observe failed: cannot run plan: plan failed: Replacement refused");
    await(&p, "Database", "web", "Ready", "True/Available", NULL);
    assert_non_null(cloud_find(&p, "fake_database", "zone", "a"));
    annotate(&p, "Database", "web", CONTROLLER_REPLACE, "true");
    await_cloud(&p, "fake_database", "zone", "b");
    await_ready(&p, "Database", "web");
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

/*
 * What an adopted resource has and its object leaves open is taken over before the two are compared: it need not be replaced for
 * it, nor does an update take it away.
 */
static void adoption_of_what_cannot_change(void **state)
{
    (void)state;
    struct play p;
    play_run(&p, "replace: {fake_database: [zone]}\n");
    apply(&p, OBJECT("Database", "web") "spec: {deletionPolicy: Orphan, forProvider: {size: 1, zone: a}}\n");
    await_ready(&p, "Database", "web");
    delete_object(&p, "Database", "web");
    await_gone(&p, "Database", "web");
    apply(&p, OBJECT("Database", "web") "spec: {forProvider: {size: 2}}\n");
    await_cloud(&p, "fake_database", "size", "2");
    await_ready(&p, "Database", "web");
    await(&p, "Database", "web", "Synced", "True/ReconcileSuccess", NULL);
    assert_non_null(cloud_find(&p, "fake_database", "zone", "a"));
    assert_true(str_eqz(managed_text(managed_at(object(&p, "Database", "web"), "spec", "forProvider", "zone", NULL)), "a"));
    assert_int_equal(cloud_count(&p, "fake_database"), 1);
    play_end(&p);
}

/* --- many --- */

static long resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%*s %ld", &pages) != 1) /* NOLINT(cert-err34-c): the kernel's */
        pages = 0;
    if (f)
        (void)fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static double seconds_since(int64_t *start)
{
    int64_t now = clock_now(&system_clock), took = now - *start;
    *start = now;
    return (double)took / (double)NS_PER_S;
}

static double cpu_seconds(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* All objects become Ready; one more is not managed here. With TERRANE_MEASURE=N for N objects, and their cost. */
static void many(void **state)
{
    (void)state;
    struct play p;
    const char *measure = getenv("TERRANE_MEASURE");
    int wanted = measure ? (int)strtol(measure, NULL, 10) : 0, n = wanted > 0 ? wanted : is_short() ? 12 : 40;
    play_run(&p, NULL);
    int64_t start = clock_now(&system_clock);
    double cpu = cpu_seconds();
    for (int i = 0; i < n; i++) {
        struct arena *a = arena_new(NULL, 0), *own = p.arena;
        p.arena = a;
        apply(&p, arena_printf(a, OBJECT("Database", "db-%d") "spec: {forProvider: {size: 1}}\n", i).p);
        p.arena = own;
        arena_free(a);
    }
    double applied = seconds_since(&start);
    assert_true(controller_wait(p.controller, 1, clock_now(&system_clock) + 60 * PATIENT));
    assert_int_equal(controller_progress(p.controller, 1).ready, n);
    double ready = seconds_since(&start), cpu_ready = cpu_seconds() - cpu;
    uint64_t passes = controller_count(p.controller).passes;
    apply(&p, OBJECT("Database", "one-more") "spec: {forProvider: {size: 1}}\n");
    await_ready(&p, "Database", "one-more");
    double more = seconds_since(&start);
    cpu = cpu_seconds();
    controller_poke(p.controller, NULL, STR_EMPTY, STR_EMPTY);
    assert_true(controller_wait(p.controller, 1, clock_now(&system_clock) + 60 * PATIENT));
    double round = seconds_since(&start);
    if (measure)
        printf("# %d objects: applied in %.2f s, Ready %.2f s later with %.2f CPU s and %.1f passes each; one more in %.3f s; "
               "a round of polls %.2f s with %.2f CPU s; %ld KiB resident\n",
               n, applied, ready, cpu_ready, (double)passes / n, more, round, cpu_seconds() - cpu, resident_kib());
    assert_int_equal(cloud_count(&p, "fake_database"), n + 1);
    play_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_update_delete),
        cmocka_unit_test(deletion_of_what_is_only_in_the_state),
        cmocka_unit_test(order_of_writes),
        cmocka_unit_test(drift),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(references),
        cmocka_unit_test(references_in_a_circle),
        cmocka_unit_test(selectors_in_a_circle),
        cmocka_unit_test(secret_input),
        cmocka_unit_test(foreign_connection_secret),
        cmocka_unit_test(provider_configs),
        cmocka_unit_test(client_metadata),
        cmocka_unit_test(namespaced),
        cmocka_unit_test(adoption),
        cmocka_unit_test(observe_only),
        cmocka_unit_test(one_name_for_two),
        cmocka_unit_test(one_name_for_two_processes),
        cmocka_unit_test(pause_and_orphan),
        cmocka_unit_test(replacement),
        cmocka_unit_test(adoption_of_what_cannot_change),
        cmocka_unit_test(many),
    };
    terraform = getenv("TERRANE_TERRAFORM");
    cmocka_set_test_filter(getenv("TERRANE_TEST_FILTER")); /* NULL: all */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
