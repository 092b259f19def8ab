#include "controller/known.h"

#include "base/lock.h"
#include "base/must.h"
#include "managed/object.h"

#include <stdlib.h>
#include <sys/random.h>

enum { FIRST_BUCKETS = 1 << 10, MAX_BUCKETS = 1 << 24 };

/* Something that is used, with its users. */
struct used {
    struct used *next;
    struct use *users;
    uint64_t version; /* a hash of the resource version that was read or seen last; 0: there was none */
    size_t n;
    char key[];
};

/* An edge, in the lists of both its ends. */
struct use {
    struct used *used;
    struct known_object *user;
    struct use *next_use;              /* of the user */
    struct use *prev_user, *next_user; /* of what is used */
};

/* An object of another process. */
struct elsewhere {
    struct elsewhere *next, *next_claim;
    uint64_t claim;
    bool created;
    size_t n;
    char key[];
};

struct known {
    pthread_mutex_t lock; /* protects everything */
    uint64_t seed;
    struct known_object **objects, **claims; /* hashed by key; by claim */
    size_t n_object_buckets;                 /* of both tables */
    struct used **used;
    size_t n_used_buckets;
    struct elsewhere **elsewhere, **claims_elsewhere; /* hashed by key; by claim */
    size_t n_elsewhere_buckets;                       /* of both tables */
    size_t n_objects, n_used, n_uses, n_elsewhere;
};

/* --- keys --- */

/* Called several times per object at startup: printf would take longer than everything else. */
struct str key_text(struct arena *a, const struct store_key *key)
{
    const struct str parts[] = {key->group, key->kind, key->namespace, key->name};
    enum { N = sizeof parts / sizeof *parts };
    char *text = arena_alloc(a, parts[0].n + parts[1].n + parts[2].n + parts[3].n + N, 1), *at = text;
    for (size_t i = 0; i < N; i++) {
        if (parts[i].n > 0)
            memcpy(at, parts[i].p, parts[i].n);
        at += parts[i].n;
        *at++ = i + 1 < N ? '/' : '\0';
    }
    return (struct str){text, (size_t)(at - text) - 1};
}

struct str key_text_any(struct arena *a, struct str group, struct str kind)
{
    return arena_printf(a, STR_FMT "/" STR_FMT "/*", STR_ARG(group), STR_ARG(kind));
}

struct store_key key_parse(struct str text)
{
    struct store_key key;
    key.group = str_cut(&text, '/');
    key.kind = str_cut(&text, '/');
    key.namespace = str_cut(&text, '/');
    key.name = text;
    return key;
}

/* --- the table --- */

static void *make(size_t n, size_t size)
{
    return must(calloc(n, size));
}

struct known *known_new(void)
{
    struct known *k = make(1, sizeof *k);
    mutex_init(&k->lock);
    if (getrandom(&k->seed, sizeof k->seed, 0) != (ssize_t)sizeof k->seed)
        k->seed = (uintptr_t)k;
    k->n_object_buckets = k->n_used_buckets = k->n_elsewhere_buckets = FIRST_BUCKETS;
    k->objects = make(k->n_object_buckets, sizeof(struct known_object *));
    k->claims = make(k->n_object_buckets, sizeof(struct known_object *));
    k->used = make(k->n_used_buckets, sizeof(struct used *));
    k->elsewhere = make(k->n_elsewhere_buckets, sizeof(struct elsewhere *));
    k->claims_elsewhere = make(k->n_elsewhere_buckets, sizeof(struct elsewhere *));
    return k;
}

static struct known_object **object_bucket(struct known *k, struct str key)
{
    return &k->objects[str_hash(key, k->seed) % k->n_object_buckets];
}

static struct used **used_bucket(struct known *k, struct str key)
{
    return &k->used[str_hash(key, k->seed) % k->n_used_buckets];
}

static void link_claim(struct known *k, struct known_object *o)
{
    struct known_object **to = &k->claims[o->claim % k->n_object_buckets];
    o->next_claim = *to;
    *to = o;
}

static void unlink_claim(struct known *k, struct known_object *o)
{
    struct known_object **link = &k->claims[o->claim % k->n_object_buckets];
    while (o->claim != 0 && *link != o)
        link = &(*link)->next_claim;
    if (o->claim != 0)
        *link = o->next_claim;
    o->claim = 0;
}

static void grow_objects(struct known *k)
{
    if (k->n_objects < 2 * k->n_object_buckets || k->n_object_buckets >= MAX_BUCKETS)
        return;
    struct known_object **old = k->objects;
    size_t n = k->n_object_buckets;
    k->n_object_buckets *= 4;
    k->objects = make(k->n_object_buckets, sizeof(struct known_object *));
    free(k->claims);
    k->claims = make(k->n_object_buckets, sizeof(struct known_object *));
    for (size_t i = 0; i < n; i++)
        while (old[i]) {
            struct known_object *o = old[i], **to = object_bucket(k, o->key);
            old[i] = o->next;
            o->next = *to;
            *to = o;
            if (o->claim != 0)
                link_claim(k, o);
        }
    free(old);
}

static void grow_used(struct known *k)
{
    if (k->n_used < 2 * k->n_used_buckets || k->n_used_buckets >= MAX_BUCKETS)
        return;
    struct used **old = k->used;
    size_t n = k->n_used_buckets;
    k->n_used_buckets *= 4;
    k->used = make(k->n_used_buckets, sizeof(struct used *));
    for (size_t i = 0; i < n; i++)
        while (old[i]) {
            struct used *u = old[i], **to = used_bucket(k, (struct str){u->key, u->n});
            old[i] = u->next;
            u->next = *to;
            *to = u;
        }
    free(old);
}

static struct known_object *find_object(struct known *k, struct str key)
{
    struct known_object *o = *object_bucket(k, key);
    while (o && !str_eq(o->key, key))
        o = o->next;
    return o;
}

static struct used *find_used(struct known *k, struct str key)
{
    struct used *u = *used_bucket(k, key);
    while (u && !str_eq((struct str){u->key, u->n}, key))
        u = u->next;
    return u;
}

static struct known_object *get_object(struct known *k, const struct kind *kind, struct str key)
{
    struct known_object *o = find_object(k, key);
    if (o)
        return o;
    o = make(1, sizeof *o + key.n + 1);
    char *text = (char *)(o + 1);
    memcpy(text, key.p, key.n);
    o->key = (struct str){text, key.n};
    o->kind = kind;
    k->n_objects++;
    grow_objects(k);
    struct known_object **to = object_bucket(k, o->key);
    o->next = *to;
    *to = o;
    return o;
}

struct known_object *known_get(struct known *k, const struct kind *kind, struct str key)
{
    MUTEX_GUARD(&k->lock);
    return get_object(k, kind, key);
}

/* --- who uses what --- */

static struct used *get_used(struct known *k, struct str key)
{
    struct used *u = find_used(k, key);
    if (u)
        return u;
    u = make(1, sizeof *u + key.n);
    u->n = key.n;
    memcpy(u->key, key.p, key.n);
    k->n_used++;
    grow_used(k);
    struct used **to = used_bucket(k, key);
    u->next = *to;
    *to = u;
    return u;
}

static void drop_use(struct known *k, struct use *e)
{
    struct used *u = e->used;
    *(e->prev_user ? &e->prev_user->next_user : &u->users) = e->next_user;
    if (e->next_user)
        e->next_user->prev_user = e->prev_user;
    free(e);
    k->n_uses--;
    if (u->users)
        return;
    struct used **link = used_bucket(k, (struct str){u->key, u->n});
    while (*link != u)
        link = &(*link)->next;
    *link = u->next;
    free(u);
    k->n_used--;
}

static void drop_uses(struct known *k, struct use *first)
{
    while (first) {
        struct use *e = first;
        first = e->next_use;
        drop_use(k, e);
    }
}

static void add_use(struct known *k, struct known_object *o, struct str key, bool config)
{
    struct use *e = make(1, sizeof *e);
    struct used *u = get_used(k, key);
    *e = (struct use){.used = u, .user = o, .next_use = o->uses, .next_user = u->users};
    if (u->users)
        u->users->prev_user = e;
    u->users = e;
    o->uses = e;
    k->n_uses++;
    if (config)
        o->config = e;
}

void known_use(struct known *k, struct known_object *o, struct str key)
{
    MUTEX_GUARD(&k->lock);
    for (const struct use *e = o->uses; e; e = e->next_use)
        if (str_eq((struct str){e->used->key, e->used->n}, key))
            return;
    add_use(k, o, key, false);
}

static bool uses_are(const struct known_object *o, const struct known_keys *uses, struct str config)
{
    const struct use *e = o->uses;
    for (size_t i = uses->n; i-- > 0; e = e->next_use) /* the list is in reverse order */
        if (!e || !str_eq((struct str){e->used->key, e->used->n}, uses->v[i]))
            return false;
    struct str known = o->config ? (struct str){o->config->used->key, o->config->used->n} : STR_EMPTY;
    return !e && str_eq(known, config);
}

void known_set_uses(struct known *k, struct known_object *o, const struct known_keys *uses, struct str config)
{
    MUTEX_GUARD(&k->lock);
    if (uses_are(o, uses, config))
        return;
    struct use *old = o->uses;
    o->uses = o->config = NULL;
    for (size_t i = 0; i < uses->n; i++)
        add_use(k, o, uses->v[i], !o->config && config.n > 0 && str_eq(uses->v[i], config));
    drop_uses(k, old); /* only now, because the version of what is still used stays */
}

static void add_key(struct arena *a, struct known_keys *list, struct str key)
{
    vec_reserve(a, (void **)&list->v, &list->cap, list->n + 1, sizeof *list->v, alignof(max_align_t));
    list->v[list->n++] = arena_str(a, key);
}

struct known_keys known_users(struct known *k, struct arena *a, struct str used)
{
    struct known_keys found = {0};
    MUTEX_GUARD(&k->lock);
    const struct used *u = find_used(k, used);
    for (const struct use *e = u ? u->users : NULL; e; e = e->next_user)
        add_key(a, &found, e->user->key);
    return found;
}

size_t known_count_users(struct known *k, const struct kind *kind, struct str config)
{
    size_t n = 0;
    MUTEX_GUARD(&k->lock);
    const struct used *u = find_used(k, config);
    for (const struct use *e = u ? u->users : NULL; e; e = e->next_user)
        n++;
    for (size_t i = 0; i < k->n_object_buckets; i++)
        for (const struct known_object *o = k->objects[i]; o; o = o->next)
            n += o->kind->role == KIND_MANAGED && o->kind->provider == kind->provider && o->kind->flavour == kind->flavour &&
                 o->phase == KNOWN_MOVING && !o->config;
    return n;
}

static struct str config_of(const struct known_object *o, struct arena *a)
{
    return o && o->config ? arena_str(a, (struct str){o->config->used->key, o->config->used->n}) : STR_EMPTY;
}

struct str known_config(struct known *k, struct arena *a, struct known_object *o)
{
    MUTEX_GUARD(&k->lock);
    return config_of(o, a);
}

struct str known_config_of(struct known *k, struct arena *a, struct str key)
{
    MUTEX_GUARD(&k->lock);
    return config_of(find_object(k, key), a);
}

/* --- freeing --- */

static void free_object(struct known *k, struct known_object *o)
{
    drop_uses(k, o->uses);
    free((char *)o->usage.p);
    free((char *)o->usage_uid.p);
    free(o);
}

static void forget_object(struct known *k, struct known_object *o)
{
    struct known_object **link = object_bucket(k, o->key);
    while (*link != o)
        link = &(*link)->next;
    *link = o->next;
    k->n_objects--;
    unlink_claim(k, o);
    free_object(k, o);
}

void known_forget(struct known *k, struct known_object *o)
{
    MUTEX_GUARD(&k->lock);
    forget_object(k, o);
}

void known_free(struct known *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->n_object_buckets; i++)
        while (k->objects[i]) {
            struct known_object *o = k->objects[i];
            k->objects[i] = o->next;
            free_object(k, o);
        }
    for (size_t i = 0; i < k->n_elsewhere_buckets; i++)
        while (k->elsewhere[i]) {
            struct elsewhere *e = k->elsewhere[i];
            k->elsewhere[i] = e->next;
            free(e);
        }
    free(k->objects);
    free(k->claims);
    free(k->used);
    free(k->elsewhere);
    free(k->claims_elsewhere);
    mutex_destroy(&k->lock);
    free(k);
}

/* --- sightings --- */

static uint64_t version_of(const struct known *k, const struct json *object)
{
    return str_hash(json_text(managed_at(object, "metadata", "resourceVersion", NULL), STR_EMPTY), k->seed);
}

bool known_is_used(struct known *k, struct str key)
{
    MUTEX_GUARD(&k->lock);
    return find_used(k, key) != NULL;
}

bool known_read(struct known *k, struct str key, const struct json *object)
{
    uint64_t version = version_of(k, object);
    MUTEX_GUARD(&k->lock);
    struct used *u = find_used(k, key);
    bool is_new = u && u->version != version;
    if (u)
        u->version = version;
    return is_new;
}

static bool is_own(const struct known_object *o, uint64_t version)
{
    for (size_t i = 0; i < o->n_own && i < KNOWN_OWN_WRITES; i++)
        if (o->own[i] == version)
            return true;
    return false;
}

/* Did somebody else change the object? Then what failed before may succeed now. */
static bool judge(struct known_object *o, const struct known_sighting *seen)
{
    if (is_own(o, seen->version))
        return false;
    bool wakes = !o->seen || reconcile_sight_wakes(o->sight, seen->sight);
    if (wakes)
        o->failed_operations = 0;
    o->sight = seen->sight;
    o->seen = true;
    return wakes;
}

static uint64_t claim_of(const struct known *k, const struct kind *kind, const struct json *object)
{
    const struct json *config = managed_at(object, "spec", "providerConfigRef", NULL);
    struct str name = managed_annotation(object, MANAGED_EXTERNAL_NAME);
    if (name.n == 0 || kind->role != KIND_MANAGED)
        return 0;
    uint64_t hash = str_hash(managed_text(json_get(config, "name")), str_hash(name, k->seed));
    return (hash ^ (uintptr_t)kind) | 1; /* each kind has one structure, so its address identifies it */
}

static void set_claim(struct known *k, struct known_object *o, uint64_t claim)
{
    if (o->claim == claim)
        return;
    unlink_claim(k, o);
    o->claim = claim;
    if (claim != 0)
        link_claim(k, o);
}

/* --- objects of other processes --- */

static struct elsewhere **elsewhere_bucket(const struct known *k, struct str key)
{
    return &k->elsewhere[str_hash(key, k->seed) % k->n_elsewhere_buckets];
}

static struct elsewhere *find_elsewhere(const struct known *k, struct str key)
{
    struct elsewhere *e = *elsewhere_bucket(k, key);
    while (e && !str_eq((struct str){e->key, e->n}, key))
        e = e->next;
    return e;
}

static void link_elsewhere(struct known *k, struct elsewhere *e)
{
    struct elsewhere **to = elsewhere_bucket(k, (struct str){e->key, e->n});
    struct elsewhere **claim = &k->claims_elsewhere[e->claim % k->n_elsewhere_buckets];
    e->next = *to;
    *to = e;
    e->next_claim = *claim;
    *claim = e;
}

static void grow_elsewhere(struct known *k)
{
    if (k->n_elsewhere < 2 * k->n_elsewhere_buckets || k->n_elsewhere_buckets >= MAX_BUCKETS)
        return;
    struct elsewhere **old = k->elsewhere;
    size_t n = k->n_elsewhere_buckets;
    k->n_elsewhere_buckets *= 4;
    free(k->claims_elsewhere);
    k->elsewhere = make(k->n_elsewhere_buckets, sizeof(struct elsewhere *));
    k->claims_elsewhere = make(k->n_elsewhere_buckets, sizeof(struct elsewhere *));
    for (size_t i = 0; i < n; i++)
        while (old[i]) {
            struct elsewhere *e = old[i];
            old[i] = e->next;
            link_elsewhere(k, e);
        }
    free(old);
}

static void drop_elsewhere(struct known *k, struct str key)
{
    struct elsewhere *e = find_elsewhere(k, key), **link = elsewhere_bucket(k, key);
    if (!e)
        return;
    while (*link != e)
        link = &(*link)->next;
    *link = e->next;
    for (link = &k->claims_elsewhere[e->claim % k->n_elsewhere_buckets]; *link != e;)
        link = &(*link)->next_claim;
    *link = e->next_claim;
    free(e);
    k->n_elsewhere--;
}

static void put_elsewhere(struct known *k, struct str key, uint64_t claim, bool created)
{
    drop_elsewhere(k, key);
    if (claim == 0)
        return;
    struct elsewhere *e = make(1, sizeof *e + key.n);
    e->claim = claim;
    e->created = created;
    e->n = key.n;
    memcpy(e->key, key.p, key.n);
    k->n_elsewhere++;
    grow_elsewhere(k);
    link_elsewhere(k, e);
}

static bool has_created(const struct json *object)
{
    return managed_annotation(object, MANAGED_CREATE_SUCCEEDED).n > 0;
}

static void add_claims(struct known *k, struct arena *a, uint64_t claim, const struct known_object *but, struct known_keys *ret)
{
    const struct known_object *o = claim != 0 ? k->claims[claim % k->n_object_buckets] : NULL;
    for (; o; o = o->next_claim)
        if (o != but && o->claim == claim)
            add_key(a, ret, o->key);
}

struct known_keys known_saw_elsewhere(struct known *k, struct arena *a, const struct kind *kind, struct str key,
                                      const struct json *object)
{
    struct known_keys found = {0};
    uint64_t claim = claim_of(k, kind, object);
    bool created = has_created(object);
    MUTEX_GUARD(&k->lock);
    const struct elsewhere *e = find_elsewhere(k, key);
    if (e ? e->claim == claim && e->created == created : claim == 0)
        return found;
    put_elsewhere(k, key, claim, created);
    add_claims(k, a, claim, NULL, &found);
    return found;
}

void known_gone_elsewhere(struct known *k, struct str key)
{
    MUTEX_GUARD(&k->lock);
    drop_elsewhere(k, key);
}

bool known_give_away(struct known *k, struct known_object *o)
{
    MUTEX_GUARD(&k->lock);
    bool was_seen = o->n_unjudged > 0;
    if (!find_elsewhere(k, o->key)) /* what was seen there is newer */
        put_elsewhere(k, o->key, o->claim, false);
    forget_object(k, o);
    return was_seen;
}

struct known_keys known_claim(struct known *k, struct arena *a, struct known_object *o, const struct json *object)
{
    struct known_keys found = {0};
    uint64_t claim = claim_of(k, o->kind, object);
    bool created = has_created(object);
    MUTEX_GUARD(&k->lock);
    set_claim(k, o, claim);
    add_claims(k, a, claim, o, &found);
    const struct elsewhere *e = claim != 0 ? k->claims_elsewhere[claim % k->n_elsewhere_buckets] : NULL;
    for (; e; e = e->next_claim)
        if (e->claim == claim && !(created && e->created))
            add_key(a, &found, (struct str){e->key, e->n});
    return found;
}

bool known_saw(struct known *k, const struct kind *kind, struct str key, const struct json *object, uint64_t shard)
{
    const struct known_sighting seen = {version_of(k, object), reconcile_sight(object, k->seed)};
    uint64_t claim = claim_of(k, kind, object);
    MUTEX_GUARD(&k->lock);
    struct known_object *o = get_object(k, kind, key);
    drop_elsewhere(k, key);
    atomic_store(&o->shard, shard);
    if (!o->working) /* otherwise its worker knows it better */
        set_claim(k, o, claim);
    if (!o->working)
        return judge(o, &seen);
    if (!is_own(o, seen.version)) {
        if (o->n_unjudged < KNOWN_UNJUDGED)
            o->unjudged[o->n_unjudged] = seen;
        o->n_unjudged++;
    }
    return false;
}

void known_wrote(struct known *k, struct known_object *o, const struct json *object)
{
    struct reconcile_sight sight = reconcile_sight(object, k->seed);
    MUTEX_GUARD(&k->lock);
    o->own[o->n_own++ % KNOWN_OWN_WRITES] = version_of(k, object);
    o->sight = sight;
    o->seen = true;
}

/* --- phases --- */

void known_wake(struct known *k, struct str key)
{
    MUTEX_GUARD(&k->lock);
    struct known_object *o = find_object(k, key);
    if (o)
        o->dirty = true;
}

bool known_set_shard(struct known *k, struct str key, uint64_t shard)
{
    MUTEX_GUARD(&k->lock);
    struct known_object *o = find_object(k, key);
    if (o)
        atomic_store(&o->shard, shard);
    return o;
}

bool known_begin(struct known *k, struct known_object *o)
{
    MUTEX_GUARD(&k->lock);
    bool woken = o->dirty;
    o->dirty = false;
    o->working = true;
    return woken;
}

bool known_end(struct known *k, struct known_object *o, enum known_phase phase)
{
    MUTEX_GUARD(&k->lock);
    bool wakes = o->n_unjudged > KNOWN_UNJUDGED;
    for (size_t i = 0; i < o->n_unjudged && i < KNOWN_UNJUDGED; i++)
        wakes |= judge(o, &o->unjudged[i]);
    o->n_unjudged = 0;
    o->working = false;
    o->dirty |= wakes;
    o->phase = phase;
    o->failures = phase == KNOWN_FAILING ? o->failures + 1 : 0;
    return wakes;
}

void known_operation_ended(struct known *k, struct known_object *o, bool failed)
{
    MUTEX_GUARD(&k->lock);
    o->failed_operations = failed ? o->failed_operations + 1 : 0;
}

void known_updated(struct known *k, struct known_object *o, bool in_vain)
{
    MUTEX_GUARD(&k->lock);
    o->vain_updates = in_vain ? o->vain_updates + 1 : 0;
}

static enum known_phase phase_of(const struct known_object *o, unsigned tries)
{
    if (o->dirty || o->working)
        return KNOWN_MOVING;
    if (o->failed_operations >= tries || o->vain_updates >= tries)
        return KNOWN_FAILING;
    return o->phase == KNOWN_FAILING && o->failures < tries ? KNOWN_MOVING : o->phase;
}

struct known_counts known_count(struct known *k, unsigned tries)
{
    MUTEX_GUARD(&k->lock);
    struct known_counts counts = {.uses = k->n_uses};
    for (size_t i = 0; i < k->n_object_buckets; i++)
        for (const struct known_object *o = k->objects[i]; o; o = o->next)
            if (o->kind->role == KIND_MANAGED) {
                counts.objects++;
                counts.phases[phase_of(o, tries)]++;
            }
    return counts;
}

void known_each(struct known *k, void (*each)(void *ctx, struct known_object *o), void *ctx)
{
    MUTEX_GUARD(&k->lock);
    for (size_t i = 0; i < k->n_object_buckets; i++)
        for (struct known_object *o = k->objects[i]; o; o = o->next)
            if (o->kind->role == KIND_MANAGED)
                each(ctx, o);
}
