#include "engine/testing_pool.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ADDRESS "registry.terraform.io/terrane/fake"
#define SCHEMA(provider_attributes)                                                                                              \
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"" ADDRESS "\":{"                                                        \
    "\"provider\":{\"version\":0,\"block\":{\"attributes\":{" provider_attributes "}}},"                                         \
    "\"resource_schemas\":{\"fake_thing\":{\"version\":0,\"block\":{\"attributes\":{"                                            \
    "\"id\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true}}}}}}}}"

const char stage_schema[] = SCHEMA("\"region\":{\"type\":\"string\",\"required\":true},"
                                   "\"token\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},"
                                   "\"size\":{\"type\":\"number\",\"optional\":true}");
const char stage_other_schema[] = SCHEMA("\"place\":{\"type\":\"string\",\"optional\":true}");

/* ---- the stage ---- */

static void make_pool(struct stage *s, struct pool_options options)
{
    options.loop = s->loop;
    options.env = s->env;
    s->pool = pool_new(&options);
}

const char *stage_file(struct stage *s, const char *name, const char *text)
{
    const char *path = arena_printf(s->arena, "%s/%s", s->folder, name).p;
    assert_true(file_write(path, str_of(text), 0600, &s->diags));
    return path;
}

void stage_begin(struct stage *s, const char *script, struct pool_options options)
{
    *s = (struct stage){.arena = arena_new(NULL, 0), .loop = loop_new()};
    diags_init(&s->diags, s->arena);
    char *folder = (char *)arena_printf(s->arena, "/tmp/pool-XXXXXX").p;
    assert_non_null(mkdtemp(folder));
    s->folder = folder;
    size_t n = 0;
    s->env[n++] = arena_printf(s->arena, "TERRANE_FAKE_SCHEMA=%s", stage_file(s, "schema.json", stage_schema)).p;
    s->env[n++] = arena_printf(s->arena, "TERRANE_FAKE_CLOUD=%s/cloud", folder).p;
    if (script)
        s->env[n++] = arena_printf(s->arena, "TERRANE_FAKE_SCRIPT=%s", stage_file(s, "script.yaml", script)).p;
    s->source = (struct pool_source){.address = STR(ADDRESS), .path = str_of(getenv("TERRANE_FAKE"))};
    make_pool(s, options);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char inner[1024];
        (void)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(inner) != 0)
            remove_folder(inner);
    }
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

static void assert_no_child(void)
{
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD); /* neither child nor zombie */
}

void stage_renew(struct stage *s, struct pool_options options)
{
    pool_free(s->pool);
    assert_no_child();
    make_pool(s, options);
}

void stage_end(struct stage *s)
{
    pool_free(s->pool);
    assert_no_child();
    loop_free(s->loop);
    remove_folder(s->folder);
    arena_free(s->arena);
}

void stage_write_program(struct stage *s, const char *schema_file)
{
    const char *path = arena_printf(s->arena, "%s/provider", s->folder).p;
    struct str text =
        arena_printf(s->arena, "#!/bin/sh\nTERRANE_FAKE_SCHEMA='%s' exec '%s'\n", schema_file, getenv("TERRANE_FAKE"));
    assert_true(file_write(path, text, 0700, &s->diags));
    s->source.path = str_of(path);
}

/* ---- what was said ---- */

struct str stage_text(struct stage *s)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_write(&text, &s->diags, false);
    return buf_copy(&text, s->arena);
}

void must_say(struct stage *s, const char *what)
{
    struct str text = stage_text(s);
    if (!strstr(text.p, what))
        fail_msg("\"%s\" is not in:\n%s", what, text.p);
}

void must_be_silent(struct stage *s)
{
    if (s->diags.n > 0)
        fail_msg("%s", stage_text(s).p);
}

/* ---- opening, borrowing, calling ---- */

static enum engine_status open_with(struct stage *s, const char *config, const pool_wait *wait, struct diags *diags,
                                    struct pool_provider **ret)
{
    const struct json *json = json_parse(diags->arena, str_of(config), "config", diags);
    return pool_open(s->pool, &s->source, json, wait, diags, ret);
}

enum engine_status try_open(struct stage *s, const char *config, struct pool_provider **ret)
{
    const pool_wait wait = {.deadline = clock_now(&system_clock) + PATIENT};
    *ret = NULL;
    return open_with(s, config, &wait, &s->diags, ret);
}

struct pool_provider *must_open(struct stage *s, const char *config)
{
    struct pool_provider *w;
    if (try_open(s, config, &w) != ENGINE_OK)
        fail_msg("%s", stage_text(s).p);
    return w;
}

struct lease must_borrow(struct stage *s, struct pool_provider *w)
{
    struct lease lease = {0};
    const pool_wait wait = {.deadline = clock_now(&system_clock) + PATIENT};
    if (pool_provider_borrow(w, &wait, &s->diags, &lease) != ENGINE_OK)
        fail_msg("%s", stage_text(s).p);
    return lease;
}

enum provider_status read_thing(struct provider *p, const struct provider_schema *schema, const pool_wait *wait,
                                struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema *thing = map_get(&schema->resources, STR("fake_thing"));
    const struct read_request request = {.type_name = STR("fake_thing"), .state = schema_empty_value(a, thing->block)};
    struct read_response response;
    return provider_read(p, a, &request, wait, diags, &response);
}

void nap_ms(int64_t ms)
{
    const struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};
    (void)nanosleep(&nap, NULL);
}

void await_processes(struct stage *s, size_t n)
{
    int64_t deadline = clock_now(&system_clock) + PATIENT;
    while (pool_count(s->pool).processes != n) {
        if (clock_now(&system_clock) > deadline)
            fail_msg("%zu processes, not %zu", pool_count(s->pool).processes, n);
        nap_ms(1);
    }
}

/* ---- users ---- */

static void borrow_once(struct user *u, const pool_wait *wait)
{
    struct lease lease;
    u->status = pool_provider_borrow(u->opened, wait, &u->diags, &lease);
    if (u->status != ENGINE_OK)
        return;
    if (u->n_reads > 0)
        u->answered = read_thing(lease.provider, lease.schema, wait, &u->diags);
    lease_return(&lease);
}

static void *use(void *arg)
{
    struct user *u = arg;
    const pool_wait wait = {.deadline = u->deadline, .cancel = u->cancel};
    if (u->config) {
        u->status = open_with(u->stage, u->config, &wait, &u->diags, &u->opened);
        return NULL;
    }
    int i = 0;
    do
        borrow_once(u, &wait);
    while (u->status == ENGINE_OK && u->answered == PROVIDER_OK && ++i < u->n_reads);
    return NULL;
}

void user_start(struct user *u)
{
    u->cancel = cancel_new();
    u->arena = arena_new(NULL, 0);
    diags_init(&u->diags, u->arena);
    assert_int_equal(pthread_create(&u->thread, NULL, use, u), 0);
}

void user_join(struct user *u)
{
    if (u->thread)
        (void)pthread_join(u->thread, NULL);
    u->thread = 0;
}

void user_end(struct user *u)
{
    user_join(u);
    cancel_free(u->cancel);
    arena_free(u->arena);
}
