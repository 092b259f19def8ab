/*
 * The pool with the fake provider: who shares a process, which configurations are refused, how many calls run at once, which
 * processes are ended. Failures are in pool_faults_test.c.
 */
#include "engine/pool.h"

#include "base/file.h"
#include "engine/testing_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- sharing ---- */

static void the_same_configuration_shares_a_process(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *a = must_open(&s, "{\"region\": \"north\", \"size\": 1}");
    struct pool_provider *b = must_open(&s, "{\"size\": \"1\", \"token\": null, \"region\": \"north\"}");
    assert_ptr_equal(a, b);
    struct pool_counts counts = pool_count(s.pool);
    assert_int_equal(counts.providers, 1);
    assert_int_equal(counts.processes, 1);
    assert_int_equal(counts.started, 1);
    assert_int_equal(pool_provider_protocol(a), 6);
    assert_true(str_eq(pool_provider_address(a), s.source.address));
    struct lease x = must_borrow(&s, a), y = must_borrow(&s, b);
    assert_ptr_equal(x.provider, y.provider);
    assert_ptr_equal(x.schema, pool_provider_schema(a));
    assert_int_equal(pool_count(s.pool).leases, 2);
    lease_return(&x);
    lease_return(&y);
    pool_provider_close(a);
    assert_int_equal(pool_count(s.pool).processes, 1);
    pool_provider_close(b);
    assert_int_equal(pool_count(s.pool).providers, 0);
    await_processes(&s, 0);
    must_be_silent(&s);
    stage_end(&s);
}

static void other_configurations_have_other_processes_and_the_same_schema(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *a = must_open(&s, "{\"region\": \"north\", \"token\": \"sesame\"}");
    struct pool_provider *b = must_open(&s, "{\"region\": \"north\", \"token\": \"Sesame\"}");
    struct pool_provider *c = must_open(&s, "{\"region\": \"north\"}");
    assert_ptr_not_equal(a, b);
    assert_ptr_not_equal(b, c);
    assert_ptr_equal(pool_provider_schema(a), pool_provider_schema(b));
    assert_ptr_equal(pool_provider_schema(a), pool_provider_schema(c));
    assert_int_equal(pool_count(s.pool).processes, 3);
    must_be_silent(&s);
    stage_end(&s); /* and with it the handles that are open */
}

static void a_provider_apart_has_a_process_of_its_own(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *a = must_open(&s, "{\"region\": \"north\"}");
    s.source.apart = true;
    struct pool_provider *b = must_open(&s, "{\"region\": \"north\"}");
    struct pool_provider *c = must_open(&s, "{\"region\": \"north\"}");
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(b, c);
    assert_ptr_equal(pool_provider_schema(a), pool_provider_schema(b));
    assert_int_equal(pool_count(s.pool).processes, 2);
    must_be_silent(&s);
    stage_end(&s);
}

static void those_who_open_at_once_share_a_process(void **state)
{
    (void)state;
    enum { N = 8 };
    struct stage s;
    struct user u[N];
    stage_begin(&s, NULL, (struct pool_options){.max_calls = 1});
    for (int i = 0; i < N; i++) {
        u[i] = (struct user){.stage = &s, .config = "{\"region\": \"north\"}"};
        user_start(&u[i]);
    }
    for (int i = 0; i < N; i++) {
        user_join(&u[i]);
        assert_int_equal(u[i].status, ENGINE_OK);
        assert_ptr_equal(u[i].opened, u[0].opened);
    }
    assert_int_equal(pool_count(s.pool).started, 1);
    for (int i = 0; i < N; i++) {
        pool_provider_close(u[i].opened);
        user_end(&u[i]);
    }
    stage_end(&s);
}

/* ---- configuration ---- */

static void what_core_refuses_is_told_in_its_words(void **state)
{
    (void)state;
    static const struct {
        const char *config, *says[2];
    } cases[] = {
        {"{}", {"Error: Missing required argument", "The argument \"region\" is required"}},
        {"{\"region\": \"x\", \"colour\": 1}", {"Error: Extraneous JSON object property", "\"colour\""}},
        {"{\"region\": \"x\", \"size\": \"big\"}", {"Error: Incorrect attribute value type", "a number is required"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage s;
        struct pool_provider *w;
        stage_begin(&s, NULL, (struct pool_options){0});
        assert_int_equal(try_open(&s, cases[i].config, &w), ENGINE_FAILED);
        assert_null(w);
        for (size_t j = 0; j < 2; j++)
            must_say(&s, cases[i].says[j]);
        assert_int_equal(pool_count(s.pool).providers, 0);
        await_processes(&s, 0);
        stage_end(&s);
    }
}

static void what_the_provider_refuses_is_told_with_its_place(void **state)
{
    (void)state;
    static const char *const calls[] = {"ValidateProviderConfig", "ConfigureProvider"};
    for (size_t i = 0; i < 2; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct stage s;
        struct pool_provider *w;
        stage_begin(
            &s,
            arena_printf(a,
                         "rules:\n  - match: {rpc: %s}\n    do: {diagnostics: [{severity: warning, summary: Odd, detail: d}, "
                         "{severity: error, summary: Not there, detail: No such region., attribute: region}]}",
                         calls[i])
                .p,
            (struct pool_options){0});
        assert_int_equal(try_open(&s, "{\"region\": \"x\"}", &w), ENGINE_FAILED);
        assert_null(w);
        assert_int_equal(s.diags.n, 2);
        assert_int_equal(s.diags.n_errors, 1);
        assert_true(str_eqz(s.diags.v[1].summary, "Not there"));
        assert_true(str_eqz(path_text(a, s.diags.v[1].path), "region"));
        assert_int_equal(pool_count(s.pool).providers, 0);
        await_processes(&s, 0);
        assert_int_equal(pool_count(s.pool).lost, 0);
        stage_end(&s);
    }
}

/*
 * As in `terraform validate`, no credentials are needed, and arguments that an empty configuration lacks may come from the
 * environment.
 */
static void validation_needs_no_configured_provider(void **state)
{
    (void)state;
    static const struct {
        const char *config, *refuses;
        enum engine_status status;
        const char *says;
    } cases[] = {
        {"{}", "ConfigureProvider", ENGINE_OK, NULL},
        {"{}", "ValidateProviderConfig", ENGINE_OK, NULL},
        {"{\"region\": \"north\"}", "ConfigureProvider", ENGINE_OK, NULL},
        {"{\"region\": \"north\"}", "ValidateProviderConfig", ENGINE_FAILED, "No such region."},
        {"{\"size\": 1}", "ConfigureProvider", ENGINE_FAILED, "The argument \"region\" is required"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct stage s;
        struct pool_provider *w;
        stage_begin(&s,
                    arena_printf(a,
                                 "rules:\n  - match: {rpc: %s}\n"
                                 "    do: {diagnostics: [{severity: error, summary: Not there, detail: No such region.}]}\n",
                                 cases[i].refuses)
                        .p,
                    (struct pool_options){0});
        s.source.unconfigured = true;
        assert_int_equal(try_open(&s, cases[i].config, &w), cases[i].status);
        if (cases[i].says)
            must_say(&s, cases[i].says);
        else
            must_be_silent(&s);
        stage_end(&s);
    }
}

static void those_who_validate_share_no_process_with_the_others(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *configured = must_open(&s, "{\"region\": \"north\"}");
    s.source.unconfigured = true;
    struct pool_provider *checked = must_open(&s, "{\"region\": \"north\"}");
    assert_ptr_not_equal(configured, checked);
    assert_int_equal(pool_count(s.pool).processes, 2);
    stage_end(&s);
}

static void warnings_come_with_every_opening(void **state)
{
    (void)state;
    static const char script[] = "rules:\n"
                                 "  - match: {rpc: ValidateProviderConfig}\n"
                                 "    do: {diagnostics: [{severity: warning, summary: Old, detail: d, attribute: region}]}\n"
                                 "  - match: {rpc: ConfigureProvider}\n"
                                 "    do: {diagnostics: [{severity: warning, summary: Slow, detail: d}]}\n";
    struct stage s;
    stage_begin(&s, script, (struct pool_options){0});
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    assert_int_equal(s.diags.n, 2);
    assert_ptr_equal(must_open(&s, "{\"region\": \"x\"}"), w);
    assert_int_equal(s.diags.n, 4);
    for (size_t i = 0; i < 4; i += 2) {
        assert_true(str_eqz(s.diags.v[i].summary, "Old"));
        assert_int_equal(s.diags.v[i].path.n, 1);
        assert_true(str_eqz(s.diags.v[i + 1].summary, "Slow"));
    }
    pool_provider_replace(w);
    struct lease lease = must_borrow(&s, w);
    lease_return(&lease);
    assert_int_equal(s.diags.n, 4); /* a borrower has not asked for them */
    stage_end(&s);
}

static void secrets_are_masked_in_the_log(void **state)
{
    (void)state;
    struct stage s;
    int fds[2];
    char text[64 << 10];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct log *log = log_new(fds[1], LOG_TRACE, LOG_TEXT, &system_clock);
    log_set_foreign(log, LOG_FOREIGN_TEXT);
    stage_begin(&s, "rules:\n  - match: {rpc: ConfigureProvider}\n    do: {stderr: \"[WARN] hello open-sesame\\n\"}\n",
                (struct pool_options){.log = log});
    (void)must_open(&s, "{\"region\": \"x\", \"token\": \"open-sesame\"}");
    stage_end(&s);
    log_free(log);
    ssize_t n = read(fds[0], text, sizeof text - 1);
    (void)close(fds[0]);
    (void)close(fds[1]);
    assert_true(n > 0);
    text[n] = '\0';
    assert_non_null(strstr(text, "hello"));
    assert_null(strstr(text, "sesame"));
}

/* ---- the schema ---- */

static void a_cached_schema_saves_the_start_of_a_provider(void **state)
{
    (void)state;
    struct stage s;
    struct pool_provider *w;
    stage_begin(&s, NULL, (struct pool_options){0});
    const struct pool_options cached = {.cache_folder = arena_printf(s.arena, "%s/cache", s.folder).p};
    stage_renew(&s, cached);
    (void)must_open(&s, "{\"region\": \"x\"}");
    stage_renew(&s, cached); /* the end of the first pool waits until the cache is filled */
    assert_int_equal(try_open(&s, "{}", &w), ENGINE_FAILED);
    assert_int_equal(pool_count(s.pool).started, 0);
    w = must_open(&s, "{\"region\": \"x\"}");
    struct lease lease = must_borrow(&s, w);
    assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_OK);
    lease_return(&lease);
    assert_int_equal(pool_count(s.pool).started, 1);
    stage_end(&s);
}

/* The second process ends when it is asked for its schema. */
#define DIES_OF_THE_QUESTION                                                                                                     \
    "counts: cloud\nrules:\n  - match: {rpc: GetProviderSchema, nth: 2}\n    do: {crash: exit, exit_status: 7}\n"

static void every_process_is_asked_for_its_schema_unless_it_does_not_care(void **state)
{
    (void)state;
    static const char *const scripts[] = {DIES_OF_THE_QUESTION,
                                          "capabilities: {get_provider_schema_optional: true}\n" DIES_OF_THE_QUESTION};
    for (size_t i = 0; i < 2; i++) {
        struct stage s;
        stage_begin(&s, scripts[i], (struct pool_options){0});
        struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
        pool_provider_replace(w);
        struct lease lease;
        assert_int_equal(pool_provider_borrow(w, NULL, &s.diags, &lease), i == 0 ? ENGINE_LOST : ENGINE_OK);
        if (i == 0)
            must_say(&s, "was working on GetProviderSchema when it exited with status 7");
        else
            lease_return(&lease);
        assert_int_equal(pool_count(s.pool).lost, i == 0 ? 1 : 0);
        stage_end(&s);
    }
}

static void a_changed_binary_brings_its_own_schema(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    const char *first = stage_file(&s, "first.json", stage_schema);
    const char *second = stage_file(&s, "second.json", stage_other_schema);
    stage_write_program(&s, first);
    struct pool_provider *bare = NULL, *w = must_open(&s, "{\"region\": \"x\"}");
    const struct provider_schema *old = pool_provider_schema(w);
    stage_write_program(&s, second);
    struct lease lease = must_borrow(&s, w); /* of the process that runs */
    assert_ptr_equal(lease.schema, old);
    assert_int_equal(try_open(&s, "{}", &bare), ENGINE_OK);
    assert_ptr_not_equal(pool_provider_schema(bare), old);
    assert_ptr_equal(pool_provider_schema(w), old);
    must_be_silent(&s);

    pool_provider_replace(w);
    struct lease none;
    assert_int_equal(pool_provider_borrow(w, NULL, &s.diags, &none), ENGINE_FAILED);
    must_say(&s, "No argument or block type is named \"region\"");
    lease_return(&lease);

    stage_write_program(&s, first);
    lease = must_borrow(&s, w);
    assert_non_null(schema_block_attr(pool_provider_schema(w)->provider->block, STR("region")));
    assert_ptr_equal(lease.schema, pool_provider_schema(w));
    lease_return(&lease);
    stage_end(&s);
}

/* ---- calls at once ---- */

static void there_are_never_more_calls_than_allowed(void **state)
{
    (void)state;
    enum { N = 16, MOST = 3 };
    struct stage s;
    struct user u[N];
    stage_begin(&s, "latency_ms: 5\n", (struct pool_options){.max_calls = MOST});
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    for (int i = 0; i < N; i++) {
        u[i] = (struct user){.stage = &s, .opened = w, .n_reads = 10};
        user_start(&u[i]);
    }
    size_t most = 0;
    for (int i = 0; i < 100; i++) {
        struct pool_counts counts = pool_count(s.pool);
        assert_true(counts.leases <= MOST);
        most = counts.leases > most ? counts.leases : most;
        nap_ms(1);
    }
    assert_int_equal(most, MOST);
    for (int i = 0; i < N; i++) {
        user_join(&u[i]);
        assert_int_equal(u[i].status, ENGINE_OK);
        assert_int_equal(u[i].answered, PROVIDER_OK);
        user_end(&u[i]);
    }
    assert_int_equal(pool_count(s.pool).started, 1);
    stage_end(&s);
}

static void sixty_four_threads_use_one_provider(void **state)
{
    (void)state;
    enum { N = 64, READS = 30 };
    struct stage s;
    struct user u[N];
    stage_begin(&s, NULL, (struct pool_options){.max_calls = 48, .idle_ns = NS_PER_MS});
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    for (int i = 0; i < N; i++) {
        u[i] = (struct user){.stage = &s, .opened = w, .n_reads = READS};
        user_start(&u[i]);
    }
    for (int i = 0; i < N; i++) {
        user_join(&u[i]);
        assert_int_equal(u[i].status, ENGINE_OK);
        assert_int_equal(u[i].answered, PROVIDER_OK);
        assert_int_equal(u[i].diags.n, 0);
        user_end(&u[i]);
    }
    assert_int_equal(pool_count(s.pool).leases, 0);
    assert_int_equal(pool_count(s.pool).lost, 0);
    stage_end(&s);
}

/* ---- idleness, replacement ---- */

static void an_idle_process_ends_and_comes_back(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){.idle_ns = 50 * NS_PER_MS});
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    await_processes(&s, 0);
    assert_int_equal(pool_count(s.pool).providers, 1);
    struct lease lease = must_borrow(&s, w);
    assert_int_equal(pool_count(s.pool).started, 2);
    nap_ms(200); /* it is not idle while it is lent */
    assert_int_equal(pool_count(s.pool).processes, 1);
    assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_OK);
    lease_return(&lease);
    await_processes(&s, 0);
    assert_int_equal(pool_count(s.pool).lost, 0);
    must_be_silent(&s);
    stage_end(&s);
}

static void a_replaced_process_finishes_its_calls(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    struct lease old = must_borrow(&s, w);
    pool_provider_replace(w);
    struct lease new = must_borrow(&s, w);
    assert_ptr_not_equal(old.provider, new.provider);
    assert_ptr_equal(old.schema, new.schema);
    assert_int_equal(read_thing(old.provider, old.schema, NULL, &s.diags), PROVIDER_OK);
    assert_int_equal(read_thing(new.provider, new.schema, NULL, &s.diags), PROVIDER_OK);
    assert_int_equal(pool_count(s.pool).processes, 2);
    lease_return(&old);
    await_processes(&s, 1);
    lease_return(&new);
    pool_provider_replace(w); /* nobody is in it: it ends at once */
    await_processes(&s, 0);
    must_be_silent(&s);
    stage_end(&s);
}

static void calls_outlive_the_handle(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    struct lease lease = must_borrow(&s, w);
    pool_provider_close(w);
    assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_OK);
    w = must_open(&s, "{\"region\": \"x\"}"); /* a new one: the old one is closed */
    assert_int_equal(pool_count(s.pool).started, 2);
    lease_return(&lease);
    await_processes(&s, 1);
    must_be_silent(&s);
    stage_end(&s);
}

/* ---- providers that run already ---- */

static pid_t start_by_hand(struct stage *s, struct reattach *ret)
{
    int fds[2];
    char line[4096] = "";
    bool found = false;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)dup2(fds[1], STDOUT_FILENO);
        (void)execle(getenv("TERRANE_FAKE"), "fake", "--reattach", s->source.address.p, (char *)NULL, s->env);
        _exit(99);
    }
    (void)close(fds[1]);
    FILE *out = fdopen(fds[0], "r");
    assert_non_null(out);
    assert_non_null(fgets(line, sizeof line, out));
    (void)fclose(out);
    assert_true(reattach_find(s->arena, str_trim(str_of(line)), s->source.address, &s->diags, &found, ret) && found);
    return pid;
}

static void a_provider_that_runs_already_is_attached_to(void **state)
{
    (void)state;
    struct stage s;
    struct reattach r;
    stage_begin(&s, NULL, (struct pool_options){.idle_ns = 50 * NS_PER_MS});
    pid_t pid = start_by_hand(&s, &r);
    s.source.reattach = &r;
    s.source.path = STR_EMPTY;
    struct pool_provider *w = must_open(&s, "{\"region\": \"x\"}");
    await_processes(&s, 0); /* released when idle, and attached to again */
    struct lease lease = must_borrow(&s, w);
    assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_OK);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_GONE);
    lease_return(&lease);
    assert_int_equal(pool_provider_borrow(w, NULL, &s.diags, &lease), ENGINE_LOST);
    must_say(&s, "Provider cannot be attached to");
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_configuration_shares_a_process),
        cmocka_unit_test(a_provider_apart_has_a_process_of_its_own),
        cmocka_unit_test(other_configurations_have_other_processes_and_the_same_schema),
        cmocka_unit_test(those_who_open_at_once_share_a_process),
        cmocka_unit_test(what_core_refuses_is_told_in_its_words),
        cmocka_unit_test(what_the_provider_refuses_is_told_with_its_place),
        cmocka_unit_test(validation_needs_no_configured_provider),
        cmocka_unit_test(those_who_validate_share_no_process_with_the_others),
        cmocka_unit_test(warnings_come_with_every_opening),
        cmocka_unit_test(secrets_are_masked_in_the_log),
        cmocka_unit_test(a_cached_schema_saves_the_start_of_a_provider),
        cmocka_unit_test(every_process_is_asked_for_its_schema_unless_it_does_not_care),
        cmocka_unit_test(a_changed_binary_brings_its_own_schema),
        cmocka_unit_test(there_are_never_more_calls_than_allowed),
        cmocka_unit_test(sixty_four_threads_use_one_provider),
        cmocka_unit_test(an_idle_process_ends_and_comes_back),
        cmocka_unit_test(a_replaced_process_finishes_its_calls),
        cmocka_unit_test(calls_outlive_the_handle),
        cmocka_unit_test(a_provider_that_runs_already_is_attached_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
