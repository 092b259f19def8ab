/* ProviderConfigs: each use is recorded in an object beside them, and prevents their removal. */
#include "base/must.h"
#include "controller/controller_private.h"

#include <stdlib.h>

#define IN_USE "in-use.crossplane.io"
#define LABEL "crossplane.io/provider-config"
#define LABEL_KIND "crossplane.io/provider-config-kind"
#define RECOUNT_NS (2 * NS_PER_S) /* so that many changes lead to one count */

static struct store_key usage_key(const struct turn *t, const struct kind *kind, struct str uid)
{
    return (struct store_key){
        .group = kind->group,
        .kind = kind->kind,
        .namespace = kind->namespaced ? t->key.namespace : STR_EMPTY,
        .name = uid,
    };
}

static const struct json *text(struct arena *a, struct str s)
{
    return json_make_string(a, s);
}

/* `old`: what is stored now, of which everything else stays, so that a usage that is right already is not written. */
static const struct json *usage_of(struct turn *t, const struct kind *kind, const struct store_key *key,
                                   const struct store_key *config, const struct json *object, const struct json *old)
{
    struct arena *a = t->arena;
    const struct json *owner = owner_of(a, object), *o = old ? old : json_make_object(a, NULL, 0);
    struct str version = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(kind->group), STR_ARG(kind->version));
    o = managed_put(a, o, text(a, version), "apiVersion", NULL);
    o = managed_put(a, o, text(a, kind->kind), "kind", NULL);
    o = managed_put(a, o, text(a, key->name), "metadata", "name", NULL);
    if (key->namespace.n > 0)
        o = managed_put(a, o, text(a, key->namespace), "metadata", "namespace", NULL);
    o = managed_put(a, o, text(a, config->name), "metadata", "labels", LABEL, NULL);
    if (t->kind->flavour == FLAVOUR_NAMESPACED)
        o = managed_put(a, o, text(a, config->kind), "metadata", "labels", LABEL_KIND, NULL);
    o = managed_put(a, o, json_make_array(a, &owner, 1), "metadata", "ownerReferences", NULL);
    o = managed_put(a, o, text(a, config->name), "providerConfigRef", "name", NULL);
    if (t->kind->flavour == FLAVOUR_NAMESPACED)
        o = managed_put(a, o, text(a, config->kind), "providerConfigRef", "kind", NULL);
    o = managed_put(a, o, json_get(object, "apiVersion"), "resourceRef", "apiVersion", NULL);
    o = managed_put(a, o, json_get(object, "kind"), "resourceRef", "kind", NULL);
    o = managed_put(a, o, text(a, t->key.name), "resourceRef", "name", NULL);
    return managed_put(a, o, text(a, managed_uid(object)), "resourceRef", "uid", NULL);
}

static void remember(struct str *where, struct str s)
{
    char *copy = must(malloc(s.n + 1));
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    free((char *)where->p);
    *where = (struct str){copy, s.n};
}

/* The number of a ProviderConfig's users has changed. */
static void recount(struct turn *t, struct str config)
{
    if (config.n > 0)
        queue_add_after(t->c->queue, config, STR_EMPTY, QUEUE_RETRY, RECOUNT_NS);
}

/* KEY of the ProviderConfig that a usage is of; empty: it is not served. */
static struct str config_of_usage(struct controller *c, struct arena *a, const struct kind *kind, const struct json *usage)
{
    const struct json *ref = json_get(usage, "providerConfigRef");
    bool cluster = kind->flavour == FLAVOUR_CLUSTER || !str_eqz(managed_text(json_get(ref, "kind")), "ProviderConfig");
    const struct kind *config = kinds_config(c->kinds, kind->provider, kind->flavour, cluster);
    if (!config)
        return STR_EMPTY;
    const struct store_key key = {.group = config->group,
                                  .kind = config->kind,
                                  .namespace = config->namespaced ? managed_namespace(usage) : STR_EMPTY,
                                  .name = managed_text(json_get(ref, "name"))};
    return key_text(a, &key);
}

void usage_seen(struct controller *c, const struct kind *kind, const struct json *usage)
{
    if (!c->options.owns)
        return;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str config = config_of_usage(c, a, kind, usage);
    if (config.n > 0)
        queue_add_after(c->queue, config, STR_EMPTY, QUEUE_RETRY, RECOUNT_NS);
}

static enum store_result write_usage(struct turn *t, const struct json *object, const struct store_key *config,
                                     struct diags *diags)
{
    const struct kind *kind = kinds_usage(t->c->kinds, t->kind->provider, t->kind->flavour);
    struct store_key key = usage_key(t, kind, managed_uid(object));
    const struct json *old, *now;
    struct diags said;
    diags_init(&said, t->arena);
    enum store_result result = store_get(t->c->store, t->arena, &key, &said, &old);
    if (result == STORE_OK)
        return store_update(t->c->store, t->arena, usage_of(t, kind, &key, config, object, old), diags, &now);
    if (result == STORE_NOT_FOUND)
        return store_create(t->c->store, t->arena, usage_of(t, kind, &key, config, object, NULL), diags, &now);
    diags_append(diags, &said);
    return result;
}

bool usage_note(struct turn *t, const struct json *object, struct diags *diags)
{
    if (str_eq(t->known->usage, t->config))
        return true;
    struct store_key config = key_parse(t->config);
    struct diags why;
    diags_init(&why, t->arena);
    enum store_result result = write_usage(t, object, &config, &why);
    if (result == STORE_EXISTS || result == STORE_CONFLICT) { /* what was known of it was out of date */
        diags_init(&why, t->arena);
        result = write_usage(t, object, &config, &why);
    }
    if (result != STORE_OK)
        return diags_fail(diags, "Usage not recorded", "cannot track ProviderConfig usage: " STR_FMT,
                          STR_ARG(says(t->arena, &why)));
    recount(t, t->known->usage);
    remember(&t->known->usage, t->config);
    remember(&t->known->usage_uid, managed_uid(object));
    recount(t, t->config);
    return true;
}

bool usage_drop(struct turn *t, struct str uid, struct diags *diags)
{
    const struct kind *kind = kinds_usage(t->c->kinds, t->kind->provider, t->kind->flavour);
    struct store_key key = usage_key(t, kind, uid);
    const struct json *gone;
    struct diags said;
    diags_init(&said, t->arena);
    enum store_result result = store_remove(t->c->store, t->arena, &key, NULL, &said, &gone);
    /* After a start the object may go before it was known which one it uses. */
    recount(t, result == STORE_OK ? config_of_usage(t->c, t->arena, kind, gone) : known_config(t->c->known, t->arena, t->known));
    if (result == STORE_OK || result == STORE_NOT_FOUND)
        return true;
    diags_append(diags, &said);
    return false;
}

/* --- a turn with a ProviderConfig --- */

static bool count_one(void *ctx, struct arena *a, const struct json *usage)
{
    (void)a, (void)usage;
    (*(size_t *)ctx)++;
    return true;
}

/* Counts what is stored: after a start, objects had no pass yet, and use the ProviderConfig all the same. */
static bool count_users(struct turn *t, size_t *ret)
{
    const struct kind *kind = kinds_usage(t->c->kinds, t->kind->provider, t->kind->flavour);
    const struct selector_requirement labels[] = {
        {.key = STR(LABEL), .op = SELECTOR_IN, .values = &t->key.name, .n_values = 1},
        {.key = STR(LABEL_KIND), .op = SELECTOR_IN, .values = &t->key.kind, .n_values = 1},
    };
    const struct selector selector = {labels, t->kind->flavour == FLAVOUR_NAMESPACED ? 2 : 1};
    const struct store_query query = {
        .group = kind->group, .kind = kind->kind, .namespace = t->key.namespace, .selector = &selector};
    struct diags ignored;
    struct str version;
    diags_init(&ignored, t->arena);
    *ret = 0;
    return store_list(t->c->store, t->arena, &query, count_one, ret, &ignored, &version) == STORE_OK;
}

static void blocked(struct turn *t, const struct json *config)
{
    static const char why[] = "Blocking deletion while usages still exist";
    const struct store_event event = {.about = t->key,
                                      .uid = managed_uid(config),
                                      .type = STR("Warning"),
                                      .reason = STR("UsageAccounting"),
                                      .message = STR("Blocking deletion while usages still exist")};
    struct diags ignored;
    const struct managed_condition condition = {
        .type = STR("Terminating"), .status = STR("True"), .reason = STR("InUse"), .message = str_of(why)};
    struct managed_condition shown;
    diags_init(&ignored, t->arena);
    if (!managed_condition(config, "Terminating", &shown))
        (void)store_record(t->c->store, &event, &ignored);
    const struct json *now = managed_set_condition(t->arena, t->stored, &condition, t->c->clock->wall_ns(t->c->clock));
    if (now != t->stored)
        t->shown = now;
}

static bool write_config(struct turn *t, const struct json *next)
{
    const struct json *now;
    struct diags diags;
    diags_init(&diags, t->arena);
    enum store_result result = store_update(t->c->store, t->arena, next, &diags, &now);
    if (result == STORE_OK) {
        t->stored = t->shown = now;
        known_wrote(t->c->known, t->known, now);
    } else if (result != STORE_NOT_FOUND) {
        queue_retry(t->c->queue, t->known->key, STR_EMPTY);
    }
    return result == STORE_OK;
}

static void write_users(struct turn *t, size_t users)
{
    const struct json *now, *next = t->shown;
    struct diags diags;
    diags_init(&diags, t->arena);
    if (json_int(managed_at(next, "status", "users", NULL), 0) != (int64_t)users || !managed_at(next, "status", "users", NULL))
        next = managed_put(t->arena, next, json_make_number(t->arena, arena_printf(t->arena, "%zu", users)), "status", "users",
                           NULL);
    if (next == t->stored)
        return;
    enum store_result result = store_update_status(t->c->store, t->arena, next, &diags, &now);
    if (result == STORE_OK)
        known_wrote(t->c->known, t->known, now);
    else if (result != STORE_NOT_FOUND)
        queue_retry(t->c->queue, t->known->key, STR_EMPTY);
}

/*
 * The deletion of a namespace removes the usages before the objects, which could not be deleted without their configuration. So
 * these are counted, too, and counted again later, because no usage announces their end.
 */
static size_t count_unrecorded(struct turn *t)
{
    size_t n = known_count_users(t->c->known, t->kind, t->known->key);
    if (n > 0)
        queue_add_after(t->c->queue, t->known->key, STR_EMPTY, QUEUE_RETRY, RECOUNT_NS);
    return n;
}

void config_turn(struct turn *t)
{
    struct diags diags;
    diags_init(&diags, t->arena);
    enum store_result result = store_get(t->c->store, t->arena, &t->key, &diags, &t->stored);
    t->shown = t->stored;
    if (result == STORE_NOT_FOUND) {
        known_forget(t->c->known, t->known);
        return;
    }
    size_t users;
    if (result != STORE_OK || !count_users(t, &users)) {
        queue_retry(t->c->queue, t->known->key, STR_EMPTY);
        return;
    }
    bool deleted = managed_is_deleted(t->stored);
    if (deleted && users == 0)
        users = count_unrecorded(t);
    if (deleted && users == 0) {
        (void)write_config(t, managed_remove_finalizer(t->arena, t->stored, IN_USE));
        return;
    }
    if (deleted)
        blocked(t, t->stored);
    else if (!managed_has_finalizer(t->stored, IN_USE) && !write_config(t, managed_add_finalizer(t->arena, t->stored, IN_USE)))
        return;
    write_users(t, users);
}
