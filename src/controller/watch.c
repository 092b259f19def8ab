/* Watches the store, and wakes the objects that a change concerns. */
#include "controller/controller_private.h"

#define MAX_PAUSE_NS (10 * NS_PER_S) /* between two tries to watch a store that refuses */
#define CALM_NS (60 * NS_PER_S)      /* a watch that has lasted so long begins again at once */

/* --- reading objects --- */

/* An object that is up to date by its status gets the priority of a poll. */
static enum queue_priority first_priority(const struct json *object)
{
    struct managed_condition ready, synced;
    bool fine = managed_condition(object, "Ready", &ready) && str_eqz(ready.status, "True") &&
                managed_condition(object, "Synced", &synced) && str_eqz(synced.status, "True") && !managed_is_deleted(object) &&
                synced.observed_generation == managed_generation(object);
    return fine ? QUEUE_POLL : QUEUE_CHANGE;
}

static bool is_ours(const struct kind *kind)
{
    return kind && (kind->role == KIND_MANAGED || kind->role == KIND_CONFIG);
}

/* This process owned it; its turn gives it away, and must do so before this process can own it again. */
static void give_away_known(struct controller *c, struct str key, uint64_t shard)
{
    if (known_set_shard(c->known, key, shard))
        controller_wake(c, key, QUEUE_CHANGE);
}

/* With several processes, each handles its own objects, and remembers of the others' objects which resource they claim. */
static void saw_elsewhere(struct controller *c, struct arena *a, const struct kind *kind, struct str key,
                          const struct json *object, uint64_t shard)
{
    give_away_known(c, key, shard);
    struct known_keys same = known_saw_elsewhere(c->known, a, kind, key, object);
    for (size_t i = 0; i < same.n; i++)
        controller_wake(c, same.v[i], QUEUE_RETRY);
}

struct taking_in {
    struct controller *c;
    bool all;         /* also objects that have not changed since they were last seen */
    struct map *uids; /* NULL: not wanted */
};

static bool is_managed(const struct kind *kind)
{
    return !kind || kind->role == KIND_MANAGED; /* also kinds that are not served at present */
}

static bool is_plain(const struct kind *kind)
{
    return kind && kind->role == KIND_PLAIN;
}

/* There are as many Secrets and usages as objects; only those that are used are read here. */
static bool wants(void *ctx, const struct store_key *key)
{
    const struct taking_in *in = ctx;
    const struct kind *kind = kinds_find(in->c->kinds, key->group, key->kind);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    return is_ours(kind) || (in->uids && is_managed(kind)) ||
           (is_plain(kind) && !in->all && known_is_used(in->c->known, key_text(a, key)));
}

/* Objects are read again because changes were missed, perhaps of what other objects use. */
static void wake_users_missed(struct controller *c, struct arena *a, const struct kind *kind, struct str key)
{
    if (kind->role == KIND_CONFIG)
        queue_config_changed(c->queue, key);
    controller_wake_users(c, a, key);
    if (kind->role == KIND_MANAGED)
        controller_wake_users(c, a, key_text_any(a, kind->group, kind->kind));
}

static bool take_in(void *ctx, struct arena *a, const struct json *object)
{
    const struct taking_in *in = ctx;
    struct controller *c = in->c;
    const struct kind *kind = kinds_of_object(c->kinds, object);
    struct store_key key = object_key(object);
    struct str text = key_text(a, &key);
    if (in->uids && is_managed(kind))
        map_put(in->uids, arena_str(in->uids->arena, managed_uid(object)), (void *)arena_str(in->uids->arena, text).p);
    if (is_plain(kind) && !in->all && known_read(c->known, text, object))
        wake_users_missed(c, a, kind, text);
    if (!is_ours(kind))
        return true;
    uint64_t shard = controller_shard_of(c, &key, object);
    if (!controller_owns(c, shard)) {
        saw_elsewhere(c, a, kind, text, object, shard);
        if (!in->all && known_read(c->known, text, object))
            wake_users_missed(c, a, kind, text);
        else if (!in->all) /* what selects is not told which version it has not seen */
            controller_wake_users(c, a, key_text_any(a, kind->group, kind->kind));
        return true;
    }
    bool woken = known_saw(c->known, kind, text, object, shard);
    if (woken || in->all)
        controller_wake(c, text, kind->role == KIND_CONFIG ? QUEUE_CHANGE : first_priority(object));
    if (woken && !in->all)
        wake_users_missed(c, a, kind, text);
    return true;
}

static void note_version(struct controller *c, struct str version)
{
    MUTEX_GUARD(&c->lock);
    (void)snprintf(c->watched, sizeof c->watched, STR_FMT, STR_ARG(version));
}

static bool no_object(void *ctx, struct arena *a, const struct json *object)
{
    (void)ctx, (void)a, (void)object;
    return true;
}

bool watch_is_current(struct controller *c)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct store_query nothing = {.group = STR("terrane"), .kind = STR("Nothing")}; /* a query for the version only */
    struct diags ignored;
    struct str version;
    diags_init(&ignored, a);
    if (store_list(c->store, a, &nothing, no_object, NULL, &ignored, &version) != STORE_OK)
        return true; /* then there is nothing to wait for */
    MUTEX_GUARD(&c->lock);
    return str_eqz(version, c->watched);
}

static bool open_watch(struct controller *c, struct str version, struct diags *diags)
{
    struct store_watch *watch;
    if (store_watch_open(c->store, &(struct store_query){0}, version, diags, &watch) != STORE_OK)
        return false;
    note_version(c, version);
    MUTEX_GUARD(&c->lock);
    c->watch = watch;
    if (atomic_load(&c->stopping))
        store_watch_stop(watch);
    return true;
}

bool watch_begin(struct controller *c, bool all, struct map *uids, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct taking_in in = {c, all, uids};
    struct str version;
    return store_list(c->store, a, &(struct store_query){.wants = wants}, take_in, &in, diags, &version) == STORE_OK &&
           open_watch(c, version, diags);
}

bool watch_take(struct controller *c, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct taking_in in = {c, false, NULL};
    struct str version;
    return store_list(c->store, a, &(struct store_query){.wants = wants}, take_in, &in, diags, &version) == STORE_OK;
}

void watch_end(struct controller *c)
{
    mutex_lock(&c->lock);
    struct store_watch *watch = c->watch;
    c->watch = NULL;
    mutex_unlock(&c->lock);
    store_watch_close(watch);
}

/* --- watching --- */

static void config_changed(struct controller *c, struct arena *a, struct str key)
{
    queue_config_changed(c->queue, key);
    controller_wake_users(c, a, key);
}

static void managed_changed(struct controller *c, struct arena *a, const struct kind *kind, struct str key,
                            const struct store_change *change)
{
    struct store_key id = object_key(change->object);
    uint64_t shard = controller_shard_of(c, &id, change->object);
    if (controller_owns(c, shard)) {
        bool wakes = known_saw(c->known, kind, key, change->object, shard);
        if (wakes || change->kind == STORE_DELETED)
            controller_wake(c, key, QUEUE_CHANGE);
    } else if (change->kind == STORE_DELETED) {
        known_gone_elsewhere(c->known, key);
        give_away_known(c, key, shard);
    } else {
        saw_elsewhere(c, a, kind, key, change->object, shard);
    }
    controller_wake_users(c, a, key);
    controller_wake_users(c, a, key_text_any(a, kind->group, kind->kind));
}

static void handle(struct controller *c, struct arena *a, const struct store_change *change)
{
    struct store_key id = object_key(change->object);
    const struct kind *kind = kinds_find(c->kinds, id.group, id.kind);
    if (kind && kind->role == KIND_USAGE)
        usage_seen(c, kind, change->object);
    if (!kind || kind->role == KIND_USAGE || (kind->role == KIND_PLAIN && str_eqz(id.namespace, CONTROLLER_NAMESPACE)))
        return;
    atomic_fetch_add(&c->changes, 1);
    struct str key = key_text(a, &id);
    if (kind->role == KIND_PLAIN) {
        (void)known_read(c->known, key, change->object);
        controller_wake_users(c, a, key);
    } else if (kind->role == KIND_MANAGED) {
        managed_changed(c, a, kind, key, change);
    } else {
        bool wakes = known_saw(c->known, kind, key, change->object, controller_shard_of(c, &id, change->object));
        if (!wakes && change->kind != STORE_DELETED)
            return;
        controller_wake(c, key, QUEUE_CHANGE);
        config_changed(c, a, key);
    }
}

/* How soon after each other a watch had to begin again. */
struct restarts {
    int64_t begun, pause;
};

/* True: not stopping. */
static bool pause_for(struct controller *c, int64_t ns)
{
    int64_t until = clock_now(&system_clock) + ns;
    MUTEX_GUARD(&c->lock);
    while (!atomic_load(&c->stopping))
        if (!cond_wait(&c->changed, &c->lock, until))
            break;
    return !atomic_load(&c->stopping);
}

/*
 * The watch fell behind, or the store failed: reads all objects again. At once the first time; a watch that soon fails again (a
 * missing right, for example) is not tried all the time.
 */
static bool begin_again(struct controller *c, struct arena *a, struct restarts *r, const struct diags *why)
{
    int64_t pause = NS_PER_S;
    log_warn(c->log, "watch begins again", LOG_STR("why", says(a, why)));
    watch_end(c);
    if (clock_now(&system_clock) >= r->begun + CALM_NS)
        r->pause = 0;
    if (r->pause > 0 && !pause_for(c, r->pause))
        return false;
    r->pause = r->pause == 0 ? NS_PER_S : r->pause * 2 < MAX_PAUSE_NS ? r->pause * 2 : MAX_PAUSE_NS;
    while (!atomic_load(&c->stopping)) {
        struct diags diags;
        arena_reset(a); /* the store may be unavailable for long */
        diags_init(&diags, a);
        if (watch_begin(c, false, NULL, &diags)) {
            r->begun = clock_now(&system_clock);
            return true;
        }
        log_error(c->log, "store cannot be watched", LOG_STR("why", says(a, &diags)));
        (void)pause_for(c, pause);
        pause = pause * 2 < MAX_PAUSE_NS ? pause * 2 : MAX_PAUSE_NS;
    }
    return false;
}

void *watch_run(void *controller)
{
    struct controller *c = controller;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct restarts restarts = {.begun = clock_now(&system_clock)};
    for (bool go_on = true; go_on && !atomic_load(&c->stopping); arena_reset(a)) {
        struct store_change change;
        struct diags diags;
        diags_init(&diags, a);
        enum store_result result = store_watch_next(c->watch, a, NO_DEADLINE, &diags, &change);
        if (result == STORE_OK) {
            handle(c, a, &change);
            note_version(c, object_metadata_text(change.object, "resourceVersion"));
        } else if (result == STORE_STOPPED) {
            go_on = false;
        } else if (result != STORE_TIMEOUT) {
            go_on = begin_again(c, a, &restarts, &diags);
        }
    }
    watch_end(c);
    return NULL;
}
