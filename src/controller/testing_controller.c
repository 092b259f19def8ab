#include "controller/testing_controller.h"

#include "base/base64.h"
#include "base/file.h"
#include "scheduler/backend.h"
#include "schema/testing_schema.h"
#include "store/object.h"
#include "store/sqlite.h"
#include "yaml/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TESTDATA TERRANE_SOURCE "/src/controller/testdata"

const char *terraform;

bool is_short(void)
{
    return terraform && !getenv("TERRANE_TEST_FULL");
}

const char play_config[] = "apiVersion: fake.example.org/v1beta1\n"
                           "kind: ProviderConfig\n"
                           "metadata: {name: default}\n"
                           "spec: {credentials: {source: None}}\n";

/* --- start and stop --- */

static struct backend *backend_of(struct play *p)
{
    if (!p->terraform)
        return backend_grpc_new(p->stage.pool, NULL);
    const struct cli_options options = {
        .loop = p->stage.loop,
        .program = p->terraform,
        .folder = arena_printf(p->arena, "%s/workspaces", p->stage.folder).p,
        .env = p->stage.env,
    };
    struct backend *b = backend_cli_new(&options, &p->diags);
    testing_no_errors(&p->diags);
    return b;
}

static void add_kinds(struct play *p)
{
    struct kinds_provider *provider = arena_make(p->arena, struct kinds_provider);
    const struct json *document = testing_json(p->arena, testing_file_in(p->arena, TESTDATA, "schema.json"));
    *provider = (struct kinds_provider){
        .address = p->stage.source.address,
        .path = p->stage.source.path,
        .schema = testing_read(p->arena, document),
        .config = xp_config_read(p->arena, testing_file_in(p->arena, TESTDATA, "fake.yaml"), "fake.yaml", &p->diags),
    };
    testing_no_errors(&p->diags);
    p->kinds = kinds_new();
    assert_true(kinds_add(p->kinds, provider, &p->diags));
}

/* A child of a killed process also holds the lock until it ends. */
static void open_store(struct play *p)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    for (;;) {
        struct diags diags;
        diags_init(&diags, p->arena);
        p->store = store_sqlite_open(p->folder, NULL, &diags);
        if (p->store)
            return;
        if (clock_now(&system_clock) > end)
            testing_no_errors(&diags);
        nap_ms(5);
    }
}

void play_begin_in(struct play *p, const char *script, const char *folder)
{
    const char *program = p->terraform;
    *p = (struct play){.arena = arena_new(NULL, 0), .terraform = program};
    diags_init(&p->diags, p->arena);
    stage_begin(&p->stage, script, (struct pool_options){0});
    (void)stage_file(&p->stage, "schema.json", testing_file_in(p->arena, TESTDATA, "schema.json").p);
    if (folder) /* the cloud is in it, too */
        p->stage.env[1] = arena_printf(p->arena, "TERRANE_FAKE_CLOUD=%s/cloud", folder).p;
    p->folder = arena_printf(p->arena, "%s/store", folder ? folder : p->stage.folder).p;
    open_store(p);
    add_kinds(p);
    enum controller_backend backend = program ? CONTROLLER_CLI : CONTROLLER_GRPC;
    p->schedulers[backend] = scheduler_new(&(struct scheduler_options){.loop = p->stage.loop}, backend_of(p));
    p->options = (struct controller_options){
        .store = p->store,
        .kinds = p->kinds,
        .backend = backend,
        .poll_ns = 3600 * NS_PER_S,
        .backoff_min_ns = 50 * NS_PER_MS,
        .backoff_max_ns = NS_PER_S,
    };
    p->options.schedulers[backend] = p->schedulers[backend];
}

void play_begin(struct play *p, const char *script)
{
    play_begin_in(p, script, NULL);
}

void play_start(struct play *p)
{
    p->controller = controller_new(&p->options);
    assert_true(controller_start(p->controller, &p->diags));
    testing_no_errors(&p->diags);
}

void play_run(struct play *p, const char *script)
{
    *p = (struct play){.terraform = terraform};
    play_begin(p, script);
    apply(p, play_config);
    play_start(p);
}

void play_stop(struct play *p)
{
    if (p->controller)
        (void)controller_stop(p->controller, clock_now(&system_clock) + PATIENT);
    controller_free(p->controller);
    p->controller = NULL;
}

void play_end(struct play *p)
{
    play_stop(p);
    for (size_t i = 0; i < CONTROLLER_BACKENDS; i++)
        scheduler_free(p->schedulers[i]);
    kinds_free(p->kinds);
    store_close(p->store);
    stage_end(&p->stage);
    arena_free(p->arena);
}

/* --- objects --- */

static struct store_key key_of(const char *kind, const char *name)
{
    if (strcmp(kind, "Secret") == 0)
        return (struct store_key){.kind = STR("Secret"), .namespace = STR("default"), .name = str_of(name)};
    return (struct store_key){.group = STR("fake.example.org"), .kind = str_of(kind), .name = str_of(name)};
}

const struct json *object(struct play *p, const char *kind, const char *name)
{
    struct store_key key = key_of(kind, name);
    struct diags diags;
    const struct json *found;
    diags_init(&diags, p->arena);
    return store_get(p->store, p->arena, &key, &diags, &found) == STORE_OK ? found : NULL;
}

static void put(struct play *p, const struct json *wanted)
{
    struct store_key key = object_key(wanted);
    for (int tries = 0; tries < 50; tries++) {
        struct diags diags;
        const struct json *old, *now;
        diags_init(&diags, p->arena);
        enum store_result result = store_get(p->store, p->arena, &key, &diags, &old);
        diags_init(&diags, p->arena);
        if (result == STORE_NOT_FOUND) {
            result = store_create(p->store, p->arena, wanted, &diags, &now);
        } else {
            const struct json *next = old;
            for (size_t i = 0; i < wanted->object.n; i++)
                if (!str_eqz(wanted->object.members[i].key, "metadata"))
                    next = json_with(p->arena, next, wanted->object.members[i].key, wanted->object.members[i].value);
            result = store_update(p->store, p->arena, next, &diags, &now);
        }
        if (result == STORE_OK)
            return;
        if (result != STORE_CONFLICT)
            testing_no_errors(&diags);
    }
    fail_msg("%s", "conflicts without end");
}

void apply(struct play *p, const char *yaml)
{
    struct yaml_documents documents;
    assert_true(yaml_parse_all(p->arena, str_of(yaml), "test", &p->diags, &documents));
    for (size_t i = 0; i < documents.n; i++)
        put(p, documents.v[i]);
}

void delete_object(struct play *p, const char *kind, const char *name)
{
    struct store_key key = key_of(kind, name);
    const struct json *gone;
    assert_int_equal(store_remove(p->store, p->arena, &key, NULL, &p->diags, &gone), STORE_OK);
}

const char *annotation(struct play *p, const char *kind, const char *name, const char *key)
{
    struct str value = managed_annotation(object(p, kind, name), key);
    return value.n > 0 ? value.p : "";
}

void annotate(struct play *p, const char *kind, const char *name, const char *key, const char *value)
{
    for (int tries = 0; tries < 50; tries++) {
        struct diags diags;
        const struct json *now, *next = object(p, kind, name);
        diags_init(&diags, p->arena);
        next = value ? managed_annotate(p->arena, next, key, str_of(value)) : managed_unannotate(p->arena, next, key);
        if (store_update(p->store, p->arena, next, &diags, &now) == STORE_OK)
            return;
    }
    fail_msg("%s", "conflicts without end");
}

/* --- waiting --- */

static const char *line_of(struct play *p, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &out};
    if (!j)
        return "nothing";
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_copy(&out, p->arena).p;
}

static bool is_so(const struct json *o, const char *type, const char *status_reason, const char *message)
{
    struct managed_condition c;
    char text[128];
    if (!managed_condition(o, type, &c))
        return false;
    (void)snprintf(text, sizeof text, STR_FMT "/" STR_FMT, STR_ARG(c.status), STR_ARG(c.reason));
    return strcmp(text, status_reason) == 0 && (!message || (c.message.n > 0 && strstr(c.message.p, message)));
}

void await(struct play *p, const char *kind, const char *name, const char *type, const char *status_reason, const char *message)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    while (!is_so(object(p, kind, name), type, status_reason, message)) {
        if (clock_now(&system_clock) > end)
            fail_msg("%s %s is not %s=%s (%s), but %s", kind, name, type, status_reason, message ? message : "",
                     line_of(p, object(p, kind, name)));
        nap_ms(5);
    }
}

void await_ready(struct play *p, const char *kind, const char *name)
{
    await(p, kind, name, "Ready", "True/Available", NULL);
    await(p, kind, name, "Synced", "True/ReconcileSuccess", NULL);
}

void await_gone(struct play *p, const char *kind, const char *name)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    while (object(p, kind, name)) {
        if (clock_now(&system_clock) > end)
            fail_msg("%s %s is still there: %s", kind, name, line_of(p, object(p, kind, name)));
        nap_ms(5);
    }
}

void await_calm(struct play *p)
{
    assert_true(controller_wait(p->controller, 1, clock_now(&system_clock) + PATIENT));
}

static const char *event_message(struct play *p, const char *kind, const char *name, const char *reason)
{
    struct store_events events;
    struct store_key key = key_of(kind, name);
    assert_int_equal(store_events(p->store, p->arena, STR_EMPTY, &p->diags, &events), STORE_OK);
    for (size_t i = events.n; i-- > 0;)
        if (str_eq(events.v[i].about.kind, key.kind) && str_eq(events.v[i].about.name, key.name) &&
            str_eqz(events.v[i].reason, reason))
            return arena_str(p->arena, events.v[i].message).p;
    return NULL;
}

bool has_event(struct play *p, const char *kind, const char *name, const char *reason)
{
    return event_message(p, kind, name, reason) != NULL;
}

const char *await_event(struct play *p, const char *kind, const char *name, const char *reason)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    const char *message;
    while (!(message = event_message(p, kind, name, reason))) {
        if (clock_now(&system_clock) > end)
            fail_msg("no event %s of %s %s", reason, kind, name);
        nap_ms(5);
    }
    return message;
}

/* --- the cloud --- */

typedef void file_fn(struct play *p, const char *path, void *ctx);

static void each_file(struct play *p, const char *type, file_fn *fn, void *ctx)
{
    const char *cloud = p->stage.env[1] + strlen("TERRANE_FAKE_CLOUD=");
    const char *path = arena_printf(p->arena, "%s/%s", cloud, type).p;
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (strstr(e->d_name, ".json") && e->d_name[strlen(e->d_name) - 1] == 'n')
            fn(p, arena_printf(p->arena, "%s/%s", path, e->d_name).p, ctx);
    if (folder)
        (void)closedir(folder);
}

static void count_file(struct play *p, const char *path, void *ctx)
{
    (void)p, (void)path;
    (*(size_t *)ctx)++;
}

size_t cloud_count(struct play *p, const char *type)
{
    size_t n = 0;
    each_file(p, type, count_file, &n);
    return n;
}

struct search {
    const char *attribute, *value;
    const struct json *found;
};

static void search_file(struct play *p, const char *path, void *ctx)
{
    struct search *s = ctx;
    struct str text;
    struct diags ignored;
    diags_init(&ignored, p->arena);
    if (!file_read(p->arena, path, 1 << 20, &ignored, &text))
        return;
    const struct json *j = json_parse_lenient(p->arena, text);
    if (str_eqz(json_text(json_get(j, s->attribute), STR_EMPTY), s->value))
        s->found = j;
}

const struct json *cloud_find(struct play *p, const char *type, const char *attribute, const char *value)
{
    struct search s = {attribute, value, NULL};
    each_file(p, type, search_file, &s);
    return s.found;
}

void await_cloud(struct play *p, const char *type, const char *attribute, const char *value)
{
    int64_t end = clock_now(&system_clock) + PATIENT;
    while (!cloud_find(p, type, attribute, value)) {
        if (clock_now(&system_clock) > end)
            fail_msg("no %s has %s = %s", type, attribute, value);
        nap_ms(5);
    }
}

struct edit {
    const char *attribute;
    const struct json *value;
};

static void edit_file(struct play *p, const char *path, void *ctx)
{
    const struct edit *e = ctx;
    struct str text;
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer w = {.out = &out};
    assert_true(file_read(p->arena, path, 1 << 20, &p->diags, &text));
    json_write(&w, json_with(p->arena, json_parse_lenient(p->arena, text), str_of(e->attribute), e->value));
    assert_true(json_finish(&w));
    assert_true(file_write(path, buf_str(&out), 0600, &p->diags));
}

void cloud_edit(struct play *p, const char *type, const char *attribute, const char *value)
{
    struct edit e = {attribute, testing_json(p->arena, str_of(value))};
    each_file(p, type, edit_file, &e);
}

static void remove_file(struct play *p, const char *path, void *ctx)
{
    (void)p, (void)ctx;
    assert_int_equal(unlink(path), 0);
}

void cloud_clear(struct play *p, const char *type)
{
    each_file(p, type, remove_file, NULL);
}

void cloud_put(struct play *p, const char *type, const char *id, const char *json)
{
    const char *cloud = p->stage.env[1] + strlen("TERRANE_FAKE_CLOUD=");
    assert_true(file_make_folder(cloud, 0700, &p->diags));
    assert_true(file_make_folder(arena_printf(p->arena, "%s/%s", cloud, type).p, 0700, &p->diags));
    assert_true(file_write(arena_printf(p->arena, "%s/%s/%s.json", cloud, type, id).p, str_of(json), 0600, &p->diags));
}
