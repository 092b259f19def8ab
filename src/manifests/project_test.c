/* terrane.yaml. */
#include "manifests/project.h"

#include "base/testing.h"

#include <stdio.h>
#include <unistd.h>

struct world {
    struct arena *arena;
    struct diags diags;
    char folder[64];
};

static void begin(struct world *w, const char *text)
{
    w->arena = arena_new(NULL, 0);
    diags_init(&w->diags, w->arena);
    (void)snprintf(w->folder, sizeof w->folder, "/tmp/terrane-project-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    const char *file = arena_printf(w->arena, "%s/terrane.yaml", w->folder).p;
    assert_true(file_write(file, str_of(text), 0600, &w->diags));
}

static void end(struct world *w)
{
    (void)unlink(arena_printf(w->arena, "%s/terrane.yaml", w->folder).p);
    assert_int_equal(rmdir(w->folder), 0);
    arena_free(w->arena);
}

static void all_settings(void **state)
{
    (void)state;
    struct world w;
    struct project p;
    begin(&w, "providers:\n- source: hashicorp/aws\n  version: ~> 5.0\n  config: aws.yaml\n- source: ./bin/terraform-provider-x\n"
              "scheduler: cli\npoll: 1m30s\nprune: true\n");
    assert_true(project_read(w.arena, w.folder, &w.diags, &p));
    assert_int_equal(p.n_providers, 2);
    testing_text(p.providers[0].source, "hashicorp/aws");
    testing_text(p.providers[0].version, "~> 5.0");
    assert_string_equal(p.providers[0].config, arena_printf(w.arena, "%s/aws.yaml", w.folder).p);
    testing_text(p.providers[1].source, arena_printf(w.arena, "%s/./bin/terraform-provider-x", w.folder).p);
    assert_null(p.providers[1].config);
    testing_text(p.scheduler, "cli");
    assert_int_equal(p.poll_ns, INT64_C(90000000000));
    assert_true(p.prune);
    end(&w);
}

static void nothing_is_said(void **state)
{
    (void)state;
    struct world w;
    struct project p;
    begin(&w, "# nothing\n");
    assert_true(project_read(w.arena, w.folder, &w.diags, &p));
    assert_int_equal(p.n_providers, 0);
    assert_true(unlink(arena_printf(w.arena, "%s/terrane.yaml", w.folder).p) == 0);
    assert_true(project_read(w.arena, w.folder, &w.diags, &p));
    end(&w);
}

static void what_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"[1]\n", "terrane.yaml:1:1: expected an object with settings"},
        {"provider: []\n", "terrane.yaml:1:1: unknown setting \"provider\"; did you mean \"providers\"?"},
        {"providers:\n- hashicorp/aws\n", "terrane.yaml:2:3: expected an object with \"source\""},
        {"providers:\n- {version: 1.0.0}\n", "terrane.yaml:2:3: expected \"source\""},
        {"providers:\n- {source: a/b, sorce: c}\n", "did you mean \"source\"?"},
        {"providers: 7\n", "terrane.yaml:1:12: expected a list"},
        {"scheduler: fast\n", "terrane.yaml:1:12: expected grpc or cli"},
        {"poll: soon\n", "expected a duration"},
        {"poll: -1s\n", "expected a duration"},
        {"prune: 1\n", "expected true or false"},
        {"poll: 1m\npoll: 2m\n", "terrane.yaml:2:1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w;
        struct project p;
        begin(&w, cases[i][0]);
        assert_false(project_read(w.arena, w.folder, &w.diags, &p));
        testing_says(&w.diags, cases[i][1]);
        assert_false(str_ends(w.diags.v[0].detail, STR("?.")));
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_settings), cmocka_unit_test(nothing_is_said),
                                       cmocka_unit_test(what_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
