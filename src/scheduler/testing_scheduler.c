#include "scheduler/testing_scheduler.h"

#include <dirent.h>
#include <stdio.h>

#define ADDRESS "registry.terraform.io/terrane/fake"

static const char schema[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"" ADDRESS "\":{\"provider\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"region\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"resource_schemas\":{\"fake_thing\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"required\":true},"
    "\"size\":{\"type\":\"number\",\"optional\":true},\"zone\":{\"type\":\"string\",\"optional\":true},"
    "\"comment\":{\"type\":\"string\",\"optional\":true,\"computed\":true},"
    "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true},"
    "\"password\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}}}}}}}}";

const char *terraform;

struct backend *backend_of(struct world *w)
{
    struct stage *s = &w->stage;
    if (!terraform)
        return backend_grpc_new(s->pool, NULL);
    const struct cli_options options = {
        .loop = s->loop,
        .program = terraform,
        .folder = arena_printf(s->arena, "%s/workspaces", s->folder).p,
        .env = s->env,
    };
    struct backend *b = backend_cli_new(&options, &s->diags);
    if (!b)
        fail_msg("%s", stage_text(s).p);
    return b;
}

void assert_lost(struct world *w, uint64_t n)
{
    if (!terraform)
        assert_int_equal(pool_count(w->stage.pool).lost, n);
}

void world_begin(struct world *w, const char *script, struct scheduler_options options)
{
    stage_begin(&w->stage, script, (struct pool_options){0});
    (void)stage_file(&w->stage, "schema.json", schema);
    options.loop = w->stage.loop;
    w->scheduler = scheduler_new(&options, backend_of(w));
}

void world_end(struct world *w)
{
    scheduler_free(w->scheduler);
    stage_end(&w->stage);
}

void thing_begin(struct thing *t, struct world *w, const char *key, const char *config)
{
    *t = (struct thing){.world = w, .config = config, .arena = arena_new(NULL, 0)};
    (void)snprintf(t->key, sizeof t->key, "%s", key);
}

void remember(struct thing *t, const struct state_instance *object)
{
    t->exists = object != NULL;
    if (object)
        t->stored = (struct state_instance){
            .attributes = json_copy(t->arena, object->attributes),
            .private_bytes = arena_str(t->arena, object->private_bytes),
            .schema_version = object->schema_version,
            .tainted = object->tainted,
        };
}

static bool keep(void *ctx, const struct scheduler_kept *now)
{
    struct thing *t = ctx;
    assert_int_equal(t->n_done, 0); /* `keep` comes before `done` */
    t->n_kept++;
    t->n_nothing_kept += now->object == NULL;
    t->unknown = now->unknown;
    if (t->refuse_to_keep)
        return false;
    remember(t, now->object);
    return true;
}

static void done(void *ctx)
{
    struct thing *t = ctx;
    t->n_done++;
    completion_signal(&t->done);
}

struct scheduler_item item_of(struct thing *t, struct arena *a)
{
    struct stage *s = &t->world->stage;
    struct state_instance *stored = NULL;
    if (t->exists) {
        stored = arena_make(a, struct state_instance);
        *stored = t->stored;
        stored->attributes = json_copy(a, t->stored.attributes);
    }
    struct str region = arena_printf(a, "{\"region\":\"%s\"}", t->region ? t->region : "here");
    return (struct scheduler_item){
        .key = arena_str(a, str_of(t->key)),
        .provider = {s->source.address, s->source.path, json_parse_lenient(a, region)},
        .type = STR("fake_thing"),
        .name = STR("this"),
        .config = t->config ? json_parse_lenient(a, str_of(t->config)) : NULL,
        .stored = stored,
        .import_id = str_of(t->import_id),
        .may_replace = t->may_replace,
        .observe_ns = t->observe_ns,
        .create_ns = t->operation_ns,
        .update_ns = t->operation_ns,
        .delete_ns = t->operation_ns,
    };
}

void start_looking(struct thing *t)
{
    struct arena *a = arena_new(NULL, 0);
    struct scheduler_item item = item_of(t, a);
    t->session = scheduler_observe(t->world->scheduler, a, &item, NULL, NULL);
}

void await_seen(struct thing *t)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    bool exists;
    while (scheduler_exists(t->session, &exists) == SCHEDULER_PENDING) {
        if (clock_now(&system_clock) > end)
            fail_msg("%s", "no observation");
        nap_ms(1);
    }
}

void look(struct thing *t)
{
    start_looking(t);
    await_seen(t);
}

void end_session(struct thing *t)
{
    scheduler_end(t->session);
    t->session = NULL;
}

void thing_end(struct thing *t)
{
    scheduler_end(t->session);
    arena_free(t->arena);
}

static const char *text_of(struct arena *a, const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_write(&text, diags, false);
    return buf_copy(&text, a).p;
}

void assert_says(struct thing *t, const struct diags *diags, const char *what)
{
    const char *text = text_of(t->arena, diags);
    if (!strstr(text, what))
        fail_msg("\"%s\" is not in:\n%s", what, text);
}

const char *state_of(struct thing *t)
{
    bool exists, up_to_date;
    if (scheduler_exists(t->session, &exists) != SCHEDULER_ANSWERED ||
        scheduler_is_up_to_date(t->session, &up_to_date, NULL) != SCHEDULER_ANSWERED)
        fail_msg("%s", text_of(t->arena, scheduler_diags(t->session)));
    if (!exists)
        return "missing";
    return up_to_date ? "fine" : "different";
}

enum scheduler_answer try_start(struct thing *t, start_fn *start, struct diags *diags, struct scheduler_started *ret)
{
    const struct scheduler_events events = {.keep = keep, .done = done, .ctx = t};
    t->n_kept = t->n_nothing_kept = t->n_done = 0;
    completion_init(&t->done);
    diags_init(diags, t->arena);
    return start(t->session, t->arena, &events, diags, ret);
}

void must_start(struct thing *t, start_fn *start)
{
    struct diags diags;
    struct scheduler_started started;
    if (try_start(t, start, &diags, &started) != SCHEDULER_ANSWERED)
        fail_msg("%s", text_of(t->arena, &diags));
    assert_false(started.completed);
}

struct scheduler_result collect(struct thing *t)
{
    struct scheduler_result result;
    assert_true(completion_wait(&t->done, clock_now(&system_clock) + PATIENT));
    assert_true(scheduler_collect(t->world->scheduler, str_of(t->key), &result));
    return result;
}

enum scheduler_failure run(struct thing *t, start_fn *start)
{
    look(t);
    must_start(t, start);
    end_session(t);
    struct scheduler_result result = collect(t);
    enum scheduler_failure failure = result.report.failure;
    scheduler_result_free(&result);
    return failure;
}

void must_be(struct thing *t, const char *state)
{
    look(t);
    assert_string_equal(state_of(t), state);
    end_session(t);
}

size_t n_objects(struct world *w)
{
    char path[512];
    size_t n = 0;
    (void)snprintf(path, sizeof path, "%s/cloud/fake_thing", w->stage.folder);
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        n += strstr(e->d_name, ".json") != NULL;
    if (folder)
        (void)closedir(folder);
    return n;
}

struct str id_of(const struct thing *t)
{
    return json_text(json_get(t->stored.attributes, "id"), STR_EMPTY);
}
