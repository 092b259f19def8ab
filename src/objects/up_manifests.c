/* The part of `terrane up` that handles the folder: new, changed and removed manifests. */
#include "base/map.h"
#include "controller/known.h"
#include "objects/admit.h"
#include "objects/up.h"
#include "objects/versions.h"

#include <malloc.h>

/* The place of the manifest that claims an object. */
struct claim {
    struct store_key key; /* with its namespace */
    const char *file;     /* owned by the folder */
    uint32_t line, column;
    /* The manifest to apply once the object's deletion has ended; NULL: it is not being deleted. */
    const struct manifest *pending;
    bool is_wrong; /* the manifest could not be applied */
};

/* ---- reading ---- */

bool up_look(struct up *u, struct folder_files *ret)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    bool ok = folder_scan(u->folder, &diags, ret);
    show_diags(u->show, &diags);
    for (size_t i = 0; ok && i < ret->n; i++) {
        if (!ret->v[i]->changed)
            continue;
        struct diags of_file = ret->v[i]->diags; /* a copy, because show_diags() empties it */
        show_diags(u->show, &of_file);
    }
    return ok;
}

struct grouping {
    struct arena *a;
    struct map *groups;
};

static void add_group(struct grouping *g, struct str group)
{
    if (group.n > 0 && !map_get(g->groups, group))
        map_put(g->groups, arena_str(g->a, group), g);
}

/* Only the key is needed: no object is read. */
static bool take_key(void *ctx, const struct store_key *key)
{
    add_group(ctx, key->group);
    return false;
}

static bool take_group(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    add_group(ctx, object_group(object));
    return true;
}

bool up_groups(struct up *u, const struct folder_files *files, struct map *ret)
{
    struct grouping g = {u->arena, ret};
    struct str version;
    for (size_t i = 0; i < files->n; i++)
        for (size_t k = 0; k < files->v[i]->manifests.n; k++)
            add_group(&g, files->v[i]->manifests.v[k].key.group);
    return store_list(u->store, u->arena, &(struct store_query){.wants = take_key}, take_group, &g, &u->app->diags, &version) ==
           STORE_OK;
}

/* ---- one manifest ---- */

static const struct json *with_namespace(struct arena *a, const struct json *object, struct str namespace)
{
    if (namespace.n == 0)
        return object_metadata(object, "namespace") ? object_with_metadata(a, object, "namespace", NULL) : object;
    return object_with_metadata_text(a, object, "namespace", namespace);
}

/* The key in the store: cluster-scoped kinds have no namespace, all others have one. */
static struct store_key complete_key(const struct manifest *m, const struct kind *kind)
{
    struct store_key key = m->key;
    if (!kind->namespaced)
        key.namespace = STR_EMPTY;
    else if (key.namespace.n == 0)
        key.namespace = STR(OBJECTS_NAMESPACE);
    return key;
}

/* NULL: no provider serves it, which is reported. */
static const struct kind *kind_of(struct up *u, const struct manifest *m, bool tell)
{
    const struct kind *kind = kinds_find(u->serve.kinds, m->key.group, m->key.kind);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    if (kind)
        return kind;
    if (serve_could(&u->serve, m->key.group)) {
        u->again = true;
        return NULL;
    }
    diags_init(&diags, a);
    u->n_wrong += !serve_unknown(&u->serve, m, &diags);
    if (tell)
        show_diags(u->show, &diags);
    return NULL;
}

static void say_outcome(struct up *u, const struct json *object, enum apply_outcome outcome)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str name = objects_name(a, object);
    if (outcome != APPLY_UNCHANGED && !u->options->plan)
        show_line(u->show, STR_FMT " %s", STR_ARG(name),
                  outcome == APPLY_BEING_DELETED ? "is being deleted; it is created again afterwards" : apply_word(outcome));
}

/* A copy that outlives the file. */
static const struct manifest *keep_manifest(struct arena *a, const struct manifest *m)
{
    struct manifest *kept = arena_make(a, struct manifest);
    struct buf text BUF_AUTO = BUF_INIT(MANIFEST_MAX_FILE);
    struct json_writer w = {.out = &text};
    struct diags ignored;
    diags_init(&ignored, a);
    json_write(&w, m->object);
    (void)json_finish(&w);
    *kept = *m;
    kept->source = arena_str(a, str_of(m->source)).p;
    kept->object = json_parse(a, buf_str(&text), kept->source, &ignored);
    if (!kept->object)
        return NULL;
    kept->key = object_key(kept->object);
    return kept;
}

static void apply_one(struct up *u, const struct manifest *m, struct claim *claim)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct apply_options options = {.store = u->store,
                                    .from = folder_is_input(u->folder) ? STR_EMPTY : str_of(folder_path(u->folder)),
                                    .admit = admit_manifest,
                                    .ctx = u->admit};
    struct diags diags;
    enum apply_outcome outcome;
    const struct json *stored = NULL;
    diags_init(&diags, a);
    const struct kind *kind = kinds_find(u->serve.kinds, claim->key.group, claim->key.kind);
    const struct json *object = versions_upgrade(u->serve.kinds, kind, a, with_namespace(a, m->object, claim->key.namespace));
    bool ok = apply_manifest(&options, a, object, &diags, &outcome, &stored);
    admit_places(a, m, &diags);
    show_diags(u->show, &diags);
    bool waits = ok && outcome == APPLY_BEING_DELETED;
    claim->is_wrong = !ok;
    claim->pending = !waits ? NULL : claim->pending ? claim->pending : keep_manifest(u->arena, m);
    u->n_pending += claim->pending != NULL;
    if (ok)
        say_outcome(u, stored, outcome);
    else
        u->n_wrong++;
}

/* ---- claims ---- */

/* There may be very many, so the key's parts point into the map's key. */
static struct claim *add_claim(struct arena *a, struct map *claims, const struct store_key *key, const struct claim *where)
{
    struct claim *c = arena_make(a, struct claim);
    struct str text = key_text(a, key);
    *c = (struct claim){.key = key_parse(text), .file = where->file, .line = where->line, .column = where->column};
    map_put(claims, text, c);
    return c;
}

static void say_claimed_twice(struct up *u, const struct manifest *m, const struct claim *other)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct manifest first = {.source = other->file, .line = other->line, .column = other->column};
    struct str place = manifest_place(a, m), title = object_title(a, &other->key), used = manifest_place(a, &first);
    (void)diags_fail(&diags, "Object is defined twice",
                     STR_FMT ": " STR_FMT " is also in " STR_FMT ", which is used. Remove one of them, or give it another name.",
                     STR_ARG(place), STR_ARG(title), STR_ARG(used));
    show_diags(u->show, &diags);
    u->n_wrong++;
}

static void claim_one(struct up *u, struct arena *a, struct map *claims, const struct folder_file *file, const struct manifest *m,
                      bool apply)
{
    const struct kind *kind = kind_of(u, m, apply);
    if (!kind)
        return;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct store_key key = complete_key(m, kind);
    struct str text = key_text(scratch, &key);
    const struct claim *other = map_get(claims, text);
    if (other) {
        say_claimed_twice(u, m, other);
        return;
    }
    struct claim *c = add_claim(a, claims, &key, &(struct claim){.file = file->path, .line = m->line, .column = m->column});
    const struct claim *before = map_get(&u->claims, text);
    if (apply)
        apply_one(u, m, c);
    else if (before && before->pending)
        c->pending = before->pending, u->n_pending++;
}

/* ---- objects without a manifest ---- */

static struct store_key keep_key(struct arena *a, const struct store_key *key)
{
    return (struct store_key){arena_str(a, key->group), arena_str(a, key->kind), arena_str(a, key->namespace),
                              arena_str(a, key->name)};
}

static void await_gone(struct up *u, const struct store_key *key)
{
    if (objects_role(u->serve.kinds, key) == KIND_CONFIG)
        *VEC_PUSH(u->arena, &u->going_configs) = keep_key(u->arena, key);
    else
        *VEC_PUSH(u->arena, &u->going) = keep_key(u->arena, key);
}

static bool prune(struct up *u, const struct store_key *key)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    const struct json *left = NULL;
    diags_init(&diags, a);
    enum store_result result = store_remove(u->store, a, key, NULL, &diags, &left);
    if (result == STORE_OK)
        show_line(u->show, STR_FMT " deleted: its manifest is gone", STR_ARG(object_title(a, key)));
    else if (result != STORE_NOT_FOUND)
        show_diags(u->show, &diags);
    if (result == STORE_OK && left && object_n_finalizers(left) > 0)
        await_gone(u, key);
    return result == STORE_OK;
}

static void lose_object(struct up *u, const struct store_key *key, const char *was_in)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    if (!u->options->prune && !u->project.prune)
        show_line(u->show,
                  STR_FMT ": its manifest is gone%s%s; the object stays. Delete it with `terrane delete`, or start with --prune.",
                  STR_ARG(object_title(a, key)), was_in ? " from " : "", was_in ? was_in : "");
    else if (objects_role(u->serve.kinds, key) == KIND_PLAIN)
        *VEC_PUSH(u->arena, &u->held) = keep_key(u->arena, key);
    else
        (void)prune(u, key);
}

static bool is_gone(struct up *u, const struct store_key *key)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored;
    const struct json *there = NULL;
    diags_init(&ignored, a);
    enum store_result result = store_get(u->store, a, key, &ignored, &there);
    return result == STORE_NOT_FOUND || (result == STORE_OK && !object_is_being_deleted(there));
}

/* True: something was removed. */
static bool prune_held(struct up *u)
{
    bool any = false;
    while (u->going.n > 0 && is_gone(u, &u->going.v[u->going.n - 1]))
        u->going.n--;
    while (u->going.n == 0 && u->going_configs.n > 0 && is_gone(u, &u->going_configs.v[u->going_configs.n - 1]))
        u->going_configs.n--;
    if (u->going.n > 0 || u->going_configs.n > 0)
        return false;
    for (size_t i = 0; i < u->held.n; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        if (!map_get(&u->claims, key_text(a, &u->held.v[i]))) /* its manifest may be there again */
            any = prune(u, &u->held.v[i]) || any;
    }
    u->held.n = 0;
    return any;
}

bool up_awaits_config(const struct up *u)
{
    return u->going.n == 0 && u->going_configs.n > 0;
}

void up_tell_held(struct up *u)
{
    for (size_t i = 0; i < u->held.n; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        show_line(u->show, STR_FMT " stays while objects are being deleted that may need it",
                  STR_ARG(object_title(a, &u->held.v[i])));
    }
}

static bool is_broken(const struct folder_files *files, const char *path)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->v[i]->path, path) == 0)
            return files->v[i]->broken;
    return false;
}

/* Earlier claims without a manifest now; claims of a file that cannot be parsed are kept. */
static void find_lost(struct up *u, struct arena *a, struct map *claims, const struct folder_files *files)
{
    for (size_t i = 0; i < u->claims.n; i++) {
        const struct claim *old = u->claims.entries[i].value;
        if (map_get(claims, u->claims.entries[i].key))
            continue;
        if (is_broken(files, old->file))
            (void)add_claim(a, claims, &old->key, old);
        else
            lose_object(u, &old->key, old->file);
    }
}

struct leftover {
    struct up *u;
    const struct map *claims;
    VEC(struct store_key) keys;
};

/* Reads only objects that no manifest claims and that may be of one: there are as many records of our own as objects. */
static bool may_be_left(void *ctx, const struct store_key *key)
{
    const struct leftover *l = ctx;
    const struct kind *kind = kinds_find(l->u->serve.kinds, key->group, key->kind);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    return (!kind || kind->role != KIND_USAGE) && !str_eqz(key->namespace, CONTROLLER_NAMESPACE) &&
           !map_get(l->claims, key_text(a, key));
}

static bool take_leftover(void *ctx, struct arena *a, const struct json *object)
{
    struct leftover *l = ctx;
    struct str from = json_text(json_get(object_metadata(object, "annotations"), APPLY_FROM), STR_EMPTY);
    struct store_key key = object_key(object);
    if (!str_eqz(from, folder_path(l->u->folder)) || map_get(l->claims, key_text(a, &key)))
        return true;
    if (object_is_being_deleted(object))
        await_gone(l->u, &key);
    else
        *VEC_PUSH(l->u->arena, &l->keys) = keep_key(l->u->arena, &key);
    return true;
}

/*
 * At startup: finds objects that an earlier run applied from this folder. A broken file may contain any of them, so nothing is
 * removed then.
 */
static bool find_leftovers(struct up *u, const struct map *claims, const struct folder_files *files)
{
    struct leftover l = {.u = u, .claims = claims};
    struct str version;
    if (folder_is_input(u->folder))
        return true;
    if (store_list(u->store, u->arena, &(struct store_query){.wants = may_be_left}, take_leftover, &l, &u->app->diags,
                   &version) != STORE_OK)
        return false;
    bool any_broken = false;
    for (size_t i = 0; i < files->n; i++)
        any_broken = any_broken || files->v[i]->broken;
    for (size_t i = 0; i < l.keys.n && !any_broken; i++)
        lose_object(u, &l.keys.v[i], NULL);
    return true;
}

/* ---- a scan ---- */

bool up_apply(struct up *u, const struct folder_files *files, bool all)
{
    struct arena *a = arena_new(NULL, 0);
    struct map claims;
    bool ok = true;
    size_t n_held = u->held.n;
    map_init(&claims, a);
    u->n_wrong = u->n_pending = 0;
    for (size_t i = 0; i < files->n; i++) {
        const struct folder_file *f = files->v[i];
        u->n_wrong += f->broken;
        for (size_t k = 0; k < f->manifests.n; k++)
            claim_one(u, a, &claims, f, &f->manifests.v[k], all || f->changed);
    }
    if (all)
        ok = u->again || u->options->plan || find_leftovers(u, &claims, files);
    else
        find_lost(u, a, &claims, files);
    arena_free(u->claims_arena);
    u->claims_arena = a;
    u->claims = claims;
    (void)prune_held(u);
    if (u->held.n > n_held)
        up_tell_held(u);
    folder_used(u->folder);
    (void)malloc_trim(0); /* thousands of manifests leave freed memory, which is returned to the system */
    return ok;
}

bool up_apply_pending(struct up *u)
{
    bool any = prune_held(u);
    if (u->n_pending == 0)
        return any;
    u->n_pending = 0;
    for (size_t i = 0; i < u->claims.n; i++) {
        struct claim *c = u->claims.entries[i].value;
        if (!c->pending)
            continue;
        if (is_gone(u, &c->key)) {
            apply_one(u, c->pending, c);
            any = true;
        } else {
            u->n_pending++;
        }
    }
    return any;
}

bool up_brought(const struct up *u, size_t i, struct store_key *ret)
{
    for (size_t k = 0; k < u->claims.n; k++) {
        const struct claim *c = u->claims.entries[k].value;
        if (c->is_wrong || i-- > 0)
            continue;
        *ret = c->key;
        return true;
    }
    return false;
}
