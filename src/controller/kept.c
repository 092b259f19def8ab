/* Records of objects, stored as Secrets because the store encrypts those. */
#include "base/base64.h"
#include "controller/controller_private.h"
#include "state/state_read.h"
#include "state/state_write.h"

static const char *const names[] = {[KEPT_STATE] = "state", [KEPT_JOURNAL] = "journal"};
enum { MAX_TRIES = 3 };

static struct store_key key_of(struct arena *a, enum kept_kind kind, struct str uid)
{
    return (struct store_key){.kind = STR("Secret"),
                              .namespace = STR(CONTROLLER_NAMESPACE),
                              .name = arena_printf(a, "%s-" STR_FMT, names[kind], STR_ARG(uid))};
}

static const struct json *text(struct arena *a, struct str s)
{
    return json_make_string(a, s);
}

static const struct json *secret_of(struct arena *a, enum kept_kind kind, const struct store_key *key, struct str content)
{
    const struct json *o = json_make_object(a, NULL, 0);
    struct buf encoded BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT * 2);
    base64_write(&encoded, content);
    o = managed_put(a, o, text(a, STR("v1")), "apiVersion", NULL);
    o = managed_put(a, o, text(a, STR("Secret")), "kind", NULL);
    o = managed_put(a, o, text(a, key->name), "metadata", "name", NULL);
    o = managed_put(a, o, text(a, key->namespace), "metadata", "namespace", NULL);
    o = managed_put(a, o, text(a, str_of(names[kind])), "metadata", "labels", CONTROLLER_LABEL, NULL);
    o = managed_put(a, o, text(a, arena_printf(a, "terrane/%s", names[kind])), "type", NULL);
    return managed_put(a, o, text(a, buf_copy(&encoded, a)), "data", names[kind], NULL);
}

static bool content_of(struct arena *a, enum kept_kind kind, const struct json *secret, struct diags *diags, struct str *ret)
{
    if (base64_read(a, managed_text(managed_at(secret, "data", names[kind], NULL)), ret))
        return true;
    return diags_fail(diags, "Record damaged",
                      "The Secret \"" STR_FMT "\" in the namespace " CONTROLLER_NAMESPACE
                      " does not hold what Terrane keeps in it.",
                      STR_ARG(managed_name(secret)));
}

static enum store_result kept_put(struct store *s, enum kept_kind kind, struct str uid, struct str content, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct store_key key = key_of(a, kind, uid);
    const struct json *secret = secret_of(a, kind, &key, content), *old, *ignored;
    enum store_result result = STORE_FAILED;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        struct diags quiet;
        diags_init(&quiet, a);
        result = store_get(s, a, &key, &quiet, &old);
        if (result == STORE_NOT_FOUND) {
            diags_init(&quiet, a);
            result = store_create(s, a, secret, &quiet, &ignored);
        } else if (result == STORE_OK) {
            const struct json *version = managed_at(old, "metadata", "resourceVersion", NULL);
            const struct json *next = managed_put(a, secret, version, "metadata", "resourceVersion", NULL);
            result = store_update(s, a, next, &quiet, &ignored);
        }
        if (result != STORE_CONFLICT && result != STORE_EXISTS && result != STORE_NOT_FOUND) {
            diags_append(diags, &quiet);
            return result;
        }
    }
    (void)diags_fail(diags, "Record not written", "Another process keeps writing the Secret \"" STR_FMT "\" all the time.",
                     STR_ARG(key.name));
    return STORE_CONFLICT;
}

bool kept_remove(struct store *s, enum kept_kind kind, struct str uid, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct store_key key = key_of(a, kind, uid);
    const struct json *ignored;
    struct diags quiet;
    diags_init(&quiet, a);
    enum store_result result = store_remove(s, a, &key, NULL, &quiet, &ignored);
    if (result == STORE_OK || result == STORE_NOT_FOUND)
        return true;
    diags_append(diags, &quiet);
    return false;
}

bool kept_get(struct store *s, struct arena *a, enum kept_kind kind, struct str uid, struct diags *diags, struct str *ret)
{
    struct store_key key = key_of(a, kind, uid);
    const struct json *secret;
    struct diags quiet;
    diags_init(&quiet, a);
    enum store_result result = store_get(s, a, &key, &quiet, &secret);
    if (result == STORE_NOT_FOUND) {
        *ret = STR_EMPTY;
        return true;
    }
    diags_append(diags, &quiet);
    return result == STORE_OK && content_of(a, kind, secret, diags, ret);
}

struct each {
    enum kept_kind kind;
    kept_wants *wants;
    kept_fn *fn;
    void *ctx;
};

/* The uid in the name of a record; empty: not the name of a record. */
static struct str uid_of(enum kept_kind kind, struct str name)
{
    size_t prefix = strlen(names[kind]);
    bool is_one = str_starts(name, str_of(names[kind])) && name.n > prefix + 1 && name.p[prefix] == '-';
    return is_one ? str_slice(name, prefix + 1, name.n) : STR_EMPTY;
}

/* There are as many records as objects: those that the caller does not want are not read. */
static bool wants_one(void *ctx, const struct store_key *key)
{
    const struct each *e = ctx;
    struct str uid = uid_of(e->kind, key->name);
    return uid.n > 0 && (!e->wants || e->wants(e->ctx, uid));
}

static bool take_one(void *ctx, struct arena *a, const struct json *secret)
{
    const struct each *e = ctx;
    struct str uid = uid_of(e->kind, managed_name(secret)), content = STR_EMPTY;
    struct diags quiet;
    diags_init(&quiet, a);
    if (uid.n == 0 || (e->wants && !e->wants(e->ctx, uid)))
        return true;
    (void)content_of(a, e->kind, secret, &quiet, &content); /* if it fails, content is empty: a damaged record */
    e->fn(e->ctx, uid, content);
    return true;
}

bool kept_each(struct store *s, enum kept_kind kind, kept_wants *wants, kept_fn *fn, void *ctx, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct each each = {kind, wants, fn, ctx};
    const struct str value = str_of(names[kind]);
    const struct selector_requirement label = {.key = STR(CONTROLLER_LABEL), .op = SELECTOR_IN, .values = &value, .n_values = 1};
    const struct selector selector = {&label, 1};
    const struct store_query query = {
        .kind = STR("Secret"), .namespace = STR(CONTROLLER_NAMESPACE), .selector = &selector, .wants = wants_one};
    struct str version;
    return store_list(s, a, &query, take_one, &each, diags, &version) == STORE_OK;
}

/* --- the journal --- */

static bool journal_put(void *store, struct str uid, struct str record, struct diags *diags)
{
    return kept_put(store, KEPT_JOURNAL, uid, record, diags) == STORE_OK;
}

static bool journal_remove(void *store, struct str uid, struct diags *diags)
{
    return kept_remove(store, KEPT_JOURNAL, uid, diags);
}

struct journal journal_in(struct store *s)
{
    return (struct journal){.ctx = s, .put = journal_put, .remove = journal_remove};
}

/* --- states --- */

bool state_text(struct arena *a, const struct state_instance *object, struct diags *diags, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT);
    struct json_writer w = {.out = &out};
    *ret = STR_EMPTY;
    if (!object)
        return true;
    state_write_instance(&w, object, false);
    if (!json_finish(&w) || !buf_ok(&out))
        return diags_fail(diags, "State too large", "The state of the object is larger than what a Secret takes.");
    *ret = buf_copy(&out, a);
    return true;
}

enum store_result state_keep_text(struct store *s, struct str uid, struct str text, struct diags *diags)
{
    if (text.n > 0)
        return kept_put(s, KEPT_STATE, uid, text, diags);
    return kept_remove(s, KEPT_STATE, uid, diags) ? STORE_OK : STORE_FAILED;
}

enum store_result state_keep(struct store *s, struct str uid, const struct state_instance *object, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text;
    return state_text(a, object, diags, &text) ? state_keep_text(s, uid, text, diags) : STORE_TOO_LARGE;
}

bool state_is_refused(enum store_result result)
{
    return result == STORE_INVALID || result == STORE_TOO_LARGE;
}

bool state_kept(struct store *s, struct arena *a, struct str uid, struct diags *diags, const struct state_instance **ret)
{
    struct str content;
    struct state_instance *object = arena_make(a, struct state_instance);
    if (!kept_get(s, a, KEPT_STATE, uid, diags, &content))
        return false;
    if (content.n == 0) {
        *ret = NULL;
        return true;
    }
    const struct json *json = json_parse(a, content, "state", diags);
    if (!json || !state_read_instance(a, json, "state", diags, object))
        return false;
    *ret = object;
    return true;
}
