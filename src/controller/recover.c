/* Cleans up after an earlier process: handles operations in the journal, and records of objects that are gone. */
#include "controller/controller_private.h"

struct found {
    struct arena *arena;
    VEC(struct journal_entry) entries;
    VEC(struct str) states; /* uids of objects that are gone */
    VEC(struct str) usages; /* KEYs of usages by such objects */
    const struct map *uids; /* of the existing objects -> KEY: a damaged record has only the uid */
    struct controller *c;
};

static void found_journal(void *ctx, struct str uid, struct str text)
{
    struct found *f = ctx;
    *VEC_PUSH(f->arena, &f->entries) = journal_read(f->arena, arena_str(f->arena, uid), text);
}

static bool is_of_none(void *ctx, struct str uid)
{
    const struct found *f = ctx;
    return !map_get(f->uids, uid);
}

static void found_state(void *ctx, struct str uid, struct str text)
{
    struct found *f = ctx;
    (void)text;
    *VEC_PUSH(f->arena, &f->states) = arena_str(f->arena, uid);
}

/* The name of a usage is the uid of the user, so the usage need not be read. */
static bool found_usage(void *ctx, const struct store_key *key)
{
    struct found *f = ctx;
    const struct kind *kind = kinds_find(f->c->kinds, key->group, key->kind);
    if (kind && kind->role == KIND_USAGE && is_of_none(f, key->name))
        *VEC_PUSH(f->arena, &f->usages) = key_text(f->arena, key);
    return false;
}

static bool take_usage(void *ctx, struct arena *a, const struct json *object)
{
    struct store_key key = object_key(object);
    (void)a;
    (void)found_usage(ctx, &key);
    return true;
}

/* When other controllers keep records in the store, too, records of kinds that are not listed here are theirs. */
static bool is_gone(struct controller *c, struct arena *a, const struct journal_entry *entry)
{
    const struct store_key key = {entry->group, entry->kind, entry->namespace, entry->name};
    const struct json *there;
    struct diags ignored;
    diags_init(&ignored, a);
    if (!c->options.sparing)
        return true;
    return entry->kind.n > 0 && kinds_find(c->kinds, entry->group, entry->kind) &&
           store_get(c->store, a, &key, &ignored, &there) == STORE_NOT_FOUND;
}

/* False: the object cannot be read, and without its record a creation could be repeated. */
static bool recover_one(struct found *f, struct journal_entry *entry, struct diags *ret_diags)
{
    struct controller *c = f->c;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *text = map_get(f->uids, entry->uid);
    if (text) {
        struct store_key key = key_parse(str_of(text));
        const struct kind *kind = kinds_find(c->kinds, key.group, key.kind);
        struct turn t;
        if (!kind) /* its provider is not served this time: the record stays */
            return true;
        if (!turn_begin(&t, c, a, known_get(c->known, kind, str_of(text))))
            return true;
        enum store_result there = turn_read(&t, &diags);
        if (there == STORE_OK)
            turn_settle(&t, entry, false);
        turn_end(&t);
        if (there != STORE_OK && there != STORE_NOT_FOUND) {
            diags_append(ret_diags, &diags);
            return false;
        }
    } else if (is_gone(c, a, entry)) {
        struct str why;
        if (journal_recover(a, entry, NULL, false, &why) == JOURNAL_WARN)
            log_warn(c->log, "something may be left", LOG_STR("why", why));
        (void)journal_settle(&c->journal, entry->uid, &diags);
    }
    atomic_fetch_add(&c->recovered, 1);
    return true;
}

/* Removes the records of objects that are gone; what cannot be removed is found again next time. */
static bool clear_up(struct found *f, struct diags *diags)
{
    struct controller *c = f->c;
    struct str version;
    if (!kept_each(c->store, KEPT_STATE, is_of_none, found_state, f, diags) ||
        store_list(c->store, f->arena, &(struct store_query){.wants = found_usage}, take_usage, f, diags, &version) != STORE_OK)
        return false;
    for (size_t i = 0; i < f->states.n; i++) {
        struct diags ignored;
        diags_init(&ignored, f->arena);
        (void)kept_remove(c->store, KEPT_STATE, f->states.v[i], &ignored);
    }
    for (size_t i = 0; i < f->usages.n; i++) {
        struct store_key key = key_parse(f->usages.v[i]);
        const struct json *gone;
        struct diags ignored;
        diags_init(&ignored, f->arena);
        (void)store_remove(c->store, f->arena, &key, NULL, &ignored, &gone);
    }
    return true;
}

bool controller_recover(struct controller *c, const struct map *uids, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct found f = {.arena = a, .c = c, .uids = uids};
    if (!kept_each(c->store, KEPT_JOURNAL, NULL, found_journal, &f, diags))
        return false;
    for (size_t i = 0; i < f.entries.n; i++)
        if (!recover_one(&f, &f.entries.v[i], diags))
            return false;
    return c->options.sparing || clear_up(&f, diags); /* an object that is not listed may be another controller's */
}
