/*
 * Client metadata: facts other than names that a provider's ids consist of, such as the account number. They are attributes of
 * data sources named in the configuration, read once per configuration of the provider and cached.
 */
#include "base/must.h"
#include "controller/controller_private.h"

#include <stdlib.h>
#include <sys/random.h>

enum { KEPT = 64 }; /* configurations; the oldest is dropped */

struct metadata {
    pthread_mutex_t lock; /* protects everything */
    uint64_t seed;
    size_t next;
    struct {
        uint64_t hash; /* of address and configuration, so that no secret is kept */
        struct arena *arena;
        const struct json *values;
    } kept[KEPT];
};

struct metadata *metadata_new(void)
{
    struct metadata *m = must(calloc(1, sizeof *m));
    mutex_init(&m->lock);
    if (getrandom(&m->seed, sizeof m->seed, 0) != (ssize_t)sizeof m->seed)
        m->seed = (uintptr_t)m;
    return m;
}

void metadata_free(struct metadata *m)
{
    for (size_t i = 0; i < KEPT; i++)
        arena_free(m->kept[i].arena);
    mutex_destroy(&m->lock);
    free(m);
}

static uint64_t hash_of(const struct metadata *m, const struct scheduler_provider *p)
{
    struct buf text = BUF_INIT(STORE_MAX_OBJECT * 2);
    struct json_writer w = {.out = &text};
    json_write(&w, p->config);
    uint64_t hash = json_finish(&w) ? str_hash(buf_str(&text), str_hash(p->address, m->seed)) : 0;
    buf_wipe(&text);
    return hash;
}

static const struct json *find(struct metadata *m, struct arena *a, uint64_t hash)
{
    MUTEX_GUARD(&m->lock);
    for (size_t i = 0; i < KEPT; i++)
        if (m->kept[i].values && m->kept[i].hash == hash)
            return json_copy(a, m->kept[i].values);
    return NULL;
}

static void remember(struct metadata *m, uint64_t hash, const struct json *values)
{
    struct arena *a = arena_new(NULL, 0);
    MUTEX_GUARD(&m->lock);
    size_t at = m->next++ % KEPT;
    arena_free(m->kept[at].arena);
    m->kept[at].hash = hash;
    m->kept[at].arena = a;
    m->kept[at].values = json_copy(a, values);
}

/* --- reading --- */

static bool read_one(struct turn *t, const struct setup *setup, int64_t deadline, struct str type, struct diags *diags,
                     const struct json **ret)
{
    struct arena *a = arena_new(NULL, 0);
    const struct scheduler_item item = {
        .key = arena_printf(a, "data." STR_FMT "." STR_FMT, STR_ARG(type), STR_ARG(t->known->key)),
        .provider = {arena_str(a, setup->provider.address), arena_str(a, setup->provider.path),
                     json_copy(a, setup->provider.config)},
        .type = arena_str(a, type),
        .name = STR("this"),
        .data = true,
    };
    struct scheduler_session *session;
    const struct state_instance *now;
    bool changed;
    if (!turn_look(t, setup->scheduler, a, &item, deadline, &session))
        return diags_fail(diags, "Provider not configured",
                          "cannot get terraform setup: the data source " STR_FMT " was not answered in time", STR_ARG(type));
    bool ok = scheduler_update_status(session, &now, &changed) == SCHEDULER_ANSWERED && now;
    if (ok)
        *ret = json_copy(t->arena, now->attributes);
    else
        (void)diags_fail(diags, "Provider not configured",
                         "cannot get terraform setup: cannot read the data source " STR_FMT ": " STR_FMT, STR_ARG(type),
                         STR_ARG(says(t->arena, scheduler_diags(session))));
    scheduler_end(session);
    return ok;
}

static bool read_all(struct turn *t, const struct setup *setup, int64_t deadline, struct diags *diags, const struct json **ret)
{
    const struct xp_config *config = t->kind->provider->config;
    const struct json *values = json_make_object(t->arena, NULL, 0), *read = values;
    for (size_t i = 0; i < config->client_metadata.n; i++) {
        const struct xp_data_attribute *m = &config->client_metadata.v[i];
        const struct json *attributes = json_get_str(read, m->data_source);
        if (!attributes && !read_one(t, setup, deadline, m->data_source, diags, &attributes))
            return false;
        read = json_with(t->arena, read, m->data_source, attributes);
        const struct json *value = json_get_str(attributes, m->attribute);
        if (managed_is_absent(value))
            return diags_fail(diags, "Provider not configured",
                              "cannot get terraform setup: the data source " STR_FMT " has no \"" STR_FMT "\"",
                              STR_ARG(m->data_source), STR_ARG(m->attribute));
        values = json_with(t->arena, values, m->name, value);
    }
    *ret = values;
    return true;
}

static bool speaks_of_it(struct str template)
{
    return str_contains(template, STR("client_metadata"));
}

bool metadata_add(struct turn *t, int64_t deadline, struct diags *diags, struct setup *setup)
{
    const struct xp_external_name *e = &t->model->config.external_name;
    if (t->kind->provider->config->client_metadata.n == 0 || !(speaks_of_it(e->template) || speaks_of_it(e->name_template)))
        return true;
    uint64_t hash = hash_of(t->c->metadata, &setup->provider);
    const struct json *values = find(t->c->metadata, t->arena, hash);
    if (!values) {
        if (!read_all(t, setup, deadline, diags, &values))
            return false;
        remember(t->c->metadata, hash, values);
    }
    setup->templates = json_with(t->arena, setup->templates, STR("client_metadata"), values);
    return true;
}
