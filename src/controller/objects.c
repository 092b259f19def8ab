/* The object side of a pass, on the store. */
#include "base/base64.h"
#include "controller/controller_private.h"
#include "managed/identity.h"
#include "managed/policies.h"

#include <sys/random.h>

enum { CRITICAL_TRIES = 5, PASSWORD = 27 };

static const char *const critical[] = {MANAGED_EXTERNAL_NAME, MANAGED_CREATE_PENDING, MANAGED_CREATE_SUCCEEDED,
                                       MANAGED_CREATE_FAILED, MANAGED_PROVIDER_META};

static struct diags fresh_diags(struct turn *t)
{
    struct diags d;
    diags_init(&d, t->arena);
    return d;
}

/* Records what this turn has written into the store. */
static void wrote(struct turn *t, const struct json *now)
{
    t->stored = t->shown = t->base = now;
    known_wrote(t->c->known, t->known, now);
}

/* --- collecting writes --- */

static bool same(const struct json *x, const struct json *y)
{
    return managed_is_absent(x) ? managed_is_absent(y) : !managed_is_absent(y) && json_eq(x, y);
}

static const struct json *with_status_of(struct arena *a, const struct json *object, const struct json *other)
{
    return object_with(a, object, "status", json_get(other, "status"));
}

/* Keeps everything except the status, and returns what the store would. */
static void gather(struct turn *t, const struct json **object)
{
    t->stored = t->shown = *object = with_status_of(t->arena, *object, t->stored);
}

/* Applies the collected changes to a version that somebody else has changed meanwhile. */
static const struct json *rebase(struct turn *t, const struct json *wanted, const struct json *fresh);

/* Writes everything except the status. `ours`: nobody else has changed the object. */
static enum store_result write_body(struct turn *t, bool ours, struct diags *diags)
{
    const struct json *wanted = with_status_of(t->arena, t->stored, t->base), *now;
    if (json_eq(wanted, t->base))
        return STORE_OK;
    enum store_result result = store_update(t->c->store, t->arena, wanted, diags, &now);
    if (result != STORE_OK)
        return result;
    t->base = now;
    t->stored = t->shown = with_status_of(t->arena, now, t->stored);
    if (ours)
        known_wrote(t->c->known, t->known, now);
    return STORE_OK;
}

static enum store_result write_gathered(struct turn *t, bool ours, struct diags *diags)
{
    const struct json *now;
    enum store_result result = write_body(t, ours, diags);
    const struct json *status = json_get(t->stored, "status");
    if (result != STORE_OK)
        return result;
    if (!managed_is_absent(status) && !same(status, json_get(t->base, "status"))) {
        result = store_update_status(t->c->store, t->arena, with_status_of(t->arena, t->base, t->stored), diags, &now);
        if (result != STORE_OK)
            return result;
        t->base = now;
        if (ours) /* else it includes a change that no pass has seen yet: the watch shows it */
            known_wrote(t->c->known, t->known, now);
    }
    t->stored = t->shown = t->base;
    return STORE_OK;
}

/*
 * May what the turn has found out be applied to this version? Not to another object of the same name; and without the Lease only
 * the end of a creation, as long as nobody else has told it what has become of that.
 */
static bool may_rebase(const struct turn *t, const struct json *fresh)
{
    if (!str_eq(managed_uid(fresh), managed_uid(t->base)))
        return false;
    return store_holds_lease(t->c->store) ||
           (t->late &&
            str_eq(managed_annotation(fresh, MANAGED_EXTERNAL_NAME), managed_annotation(t->base, MANAGED_EXTERNAL_NAME)) &&
            managed_mark_time(fresh, MANAGED_CREATE_PENDING) == managed_mark_time(t->base, MANAGED_CREATE_PENDING));
}

/* Nobody else knows what a turn has found out: a conflict must not lose it. */
bool turn_flush(struct turn *t)
{
    enum store_result result = STORE_OK;
    struct diags diags;
    if (!t->c->options.sparing || !t->base || t->base == t->stored)
        return true;
    for (int tries = 0; tries <= CRITICAL_TRIES; tries++) {
        const struct json *fresh;
        diags = fresh_diags(t);
        result = write_gathered(t, tries == 0, &diags);
        if (result != STORE_CONFLICT || store_get(t->c->store, t->arena, &t->key, &diags, &fresh) != STORE_OK)
            break;
        if (!may_rebase(t, fresh)) {
            result = STORE_NOT_FOUND;
            break;
        }
        t->stored = t->shown = rebase(t, t->stored, fresh);
        t->base = fresh;
    }
    if (result == STORE_OK || result == STORE_NOT_FOUND) {
        t->stored = t->base;
        return true;
    }
    log_warn(t->c->log, "object not written", LOG_STR("object", t->known->key), LOG_STR("why", says(t->arena, &diags)));
    t->stored = t->shown = t->base;
    return false;
}

/* Writes at once, except for the status; the resource version proves that the object was not out of date. */
static struct reconcile_answer write_now(struct turn *t, const struct json **object)
{
    struct diags diags = fresh_diags(t);
    gather(t, object);
    enum store_result result = write_body(t, true, &diags);
    if (result != STORE_OK)
        t->stored = t->shown = t->base;
    *object = t->stored;
    return answer_of(t, result, &diags);
}

enum store_result turn_read(struct turn *t, struct diags *diags)
{
    if (t->c->options.sparing && t->base && t->base != t->stored)
        return STORE_OK;
    const struct json *object;
    enum store_result result = store_get(t->c->store, t->arena, &t->key, diags, &object);
    if (result != STORE_OK)
        return result;
    t->stored = t->shown = t->base = object;
    if (t->known->life == KNOWN_UNREAD)
        t->known->life = managed_condition(object, "Synced", &(struct managed_condition){0}) ? KNOWN_OLD : KNOWN_NEW;
    return STORE_OK;
}

/* --- reading --- */

static struct reconcile_answer get(void *ctx, const struct reconcile_call *call, const struct reconcile_key *key,
                                   const struct json **ret)
{
    struct turn *t = ctx;
    (void)call, (void)key;
    struct diags diags = fresh_diags(t);
    enum store_result result = turn_read(t, &diags);
    if (result == STORE_OK)
        *ret = t->stored;
    return answer_of(t, result, &diags);
}

const struct json *turn_get(struct turn *t, const struct store_key *key, struct diags *diags)
{
    const struct json *object = NULL;
    struct diags quiet = fresh_diags(t);
    struct str text = key_text(t->arena, key);
    turn_use(t, text);
    enum store_result result = store_get(t->c->store, t->arena, key, &quiet, &object);
    if (result == STORE_OK)
        (void)known_read(t->c->known, text, object);
    if (result != STORE_OK && result != STORE_NOT_FOUND)
        diags_append(diags, &quiet);
    return result == STORE_OK ? object : NULL;
}

const struct json *turn_secret(void *turn, struct str namespace, struct str name)
{
    struct turn *t = turn;
    struct store_key key = {.kind = STR("Secret"), .namespace = namespace, .name = name};
    struct diags ignored = fresh_diags(t); /* the error of an unreadable store is reported elsewhere */
    const struct json *secret = turn_get(t, &key, &ignored), *data = json_get(secret, "data");
    if (!secret)
        return NULL;
    size_t n = managed_count(data), kept = 0;
    struct json_member *members = arena_make_n(t->arena, struct json_member, n);
    for (size_t i = 0; i < n; i++) {
        struct str value;
        if (!base64_read(t->arena, managed_text(data->object.members[i].value), &value))
            continue;
        members[kept++] = (struct json_member){.key = data->object.members[i].key, .value = json_make_string(t->arena, value)};
    }
    return json_make_object(t->arena, members, kept);
}

/* --- writing --- */

static struct reconcile_answer write_object(struct turn *t, const struct json **object)
{
    if (t->c->options.sparing) {
        bool later = same(json_get(*object, "spec"), json_get(t->base, "spec")); /* a changed spec changes the generation */
        if (!later)
            return write_now(t, object);
        gather(t, object);
        return (struct reconcile_answer){0};
    }
    struct diags diags = fresh_diags(t);
    const struct json *now;
    enum store_result result = store_update(t->c->store, t->arena, *object, &diags, &now);
    if (result == STORE_OK) {
        wrote(t, now);
        *object = now;
    }
    return answer_of(t, result, &diags);
}

static struct reconcile_answer update(void *ctx, const struct reconcile_call *call, const struct json **object)
{
    struct turn *t = ctx;
    (void)call;
    return t->c->options.sparing ? write_now(t, object) : write_object(t, object);
}

static struct reconcile_answer update_status(void *ctx, const struct reconcile_call *call, const struct json **object)
{
    struct turn *t = ctx;
    (void)call;
    if (same(json_get(*object, "status"), json_get(t->stored, "status")))
        return (struct reconcile_answer){0};
    if (t->c->options.sparing) {
        t->stored = t->shown = *object = with_status_of(t->arena, t->stored, *object);
        return (struct reconcile_answer){0};
    }
    struct diags diags = fresh_diags(t);
    const struct json *now;
    enum store_result result = store_update_status(t->c->store, t->arena, *object, &diags, &now);
    if (result == STORE_OK) {
        wrote(t, now);
        *object = now;
    }
    return answer_of(t, result, &diags);
}

static const struct json *with_critical(struct arena *a, const struct json *base, const struct json *from)
{
    for (size_t i = 0; i < sizeof critical / sizeof critical[0]; i++) {
        struct str value = managed_annotation(from, critical[i]);
        if (value.n > 0 && !str_eq(value, managed_annotation(base, critical[i])))
            base = managed_annotate(a, base, critical[i], value);
    }
    return base;
}

static const struct json *rebase(struct turn *t, const struct json *wanted, const struct json *fresh)
{
    const struct json *next = with_critical(t->arena, fresh, wanted);
    if (managed_has_finalizer(wanted, MANAGED_FINALIZER) && !managed_is_deleted(fresh))
        next = managed_add_finalizer(t->arena, next, MANAGED_FINALIZER);
    return with_status_of(t->arena, next, wanted);
}

/* After a conflict the object includes somebody else's change, which a pass has yet to see. */
static struct reconcile_answer update_critical_annotations(void *ctx, const struct reconcile_call *call,
                                                           const struct json **object)
{
    struct turn *t = ctx;
    (void)call;
    const struct json *base = t->stored, *now;
    if (t->c->options.sparing) {
        *object = with_critical(t->arena, base, *object);
        gather(t, object);
        return (struct reconcile_answer){0};
    }
    for (int tries = 0;; tries++) {
        struct diags diags = fresh_diags(t);
        enum store_result result = store_update(t->c->store, t->arena, with_critical(t->arena, base, *object), &diags, &now);
        if (result == STORE_OK && tries == 0)
            wrote(t, now);
        if (result == STORE_OK) {
            t->stored = t->shown = t->base = *object = now;
            return (struct reconcile_answer){0};
        }
        if (result != STORE_CONFLICT || tries == CRITICAL_TRIES ||
            store_get(t->c->store, t->arena, &t->key, &diags, &base) != STORE_OK)
            return answer_of(t, result, &diags);
    }
}

static struct reconcile_answer add_finalizer(void *ctx, const struct reconcile_call *call, const struct json **object)
{
    struct turn *t = ctx;
    (void)call;
    if (managed_has_finalizer(*object, MANAGED_FINALIZER))
        return (struct reconcile_answer){0};
    const struct json *next = managed_add_finalizer(t->arena, t->stored, MANAGED_FINALIZER);
    struct reconcile_answer answer = write_object(t, &next);
    if (answer.status == RECONCILE_OK) /* this pass's changes of the spec are still to be written */
        *object = managed_put(t->arena, next, json_get(*object, "spec"), "spec", NULL);
    return answer;
}

/* Writes without the status, which nobody will read. */
static struct reconcile_answer write_last(struct turn *t, const struct json **object)
{
    struct reconcile_answer answer = write_now(t, object);
    t->stored = t->shown = t->base;
    return answer;
}

/* Releases the object: its records are removed first, so that nothing is left if this was the last finalizer. */
static struct reconcile_answer remove_finalizer(void *ctx, const struct reconcile_call *call, const struct json **object)
{
    struct turn *t = ctx;
    struct diags diags = fresh_diags(t);
    (void)call;
    if (!usage_drop(t, managed_uid(*object), &diags) || !kept_remove(t->c->store, KEPT_STATE, managed_uid(*object), &diags))
        return answer_failed(says(t->arena, &diags));
    for (size_t i = 0; i < CONTROLLER_BACKENDS; i++)
        if (t->c->options.schedulers[i])
            scheduler_forget(t->c->options.schedulers[i], managed_uid(*object));
    const struct json *next = managed_remove_finalizer(t->arena, t->stored, MANAGED_FINALIZER);
    if (next == t->stored)
        return (struct reconcile_answer){0};
    struct reconcile_answer answer = t->c->options.sparing ? write_last(t, &next) : write_object(t, &next);
    if (answer.status == RECONCILE_OK) {
        *object = next;
        turn_tell_age(t, next, "deletionTimestamp", CONTROLLER_DELETION);
    }
    return answer;
}

/* --- initialising --- */

static struct str password(struct arena *a)
{
    unsigned char bytes[PASSWORD / 4 * 3 + 3];
    struct buf out BUF_AUTO = BUF_INIT(2 * sizeof bytes);
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return STR_EMPTY;
    base64_write(&out, (struct str){(const char *)bytes, sizeof bytes});
    char *made = (char *)arena_str(a, str_slice(buf_str(&out), 0, PASSWORD)).p;
    for (size_t i = 0; i < PASSWORD; i++) /* only letters and digits: some services accept no others */
        if (made[i] == '+' || made[i] == '/')
            made[i] = made[i] == '+' ? 'p' : 's';
    return (struct str){made, PASSWORD};
}

/* Sets only this key; the rest of the Secret stays. */
static bool make_secret(struct turn *t, const struct json *object, const struct managed_missing *m, struct diags *diags)
{
    struct arena *a = t->arena;
    struct store_key key = {.kind = STR("Secret"), .namespace = m->namespace, .name = m->name};
    const struct json *secret = turn_get(t, &key, diags), *ignored;
    struct str made = password(a);
    if (diags_has_errors(diags) || made.n == 0)
        return false;
    if (managed_text(json_get_str(json_get(secret, "data"), m->key)).n > 0)
        return true;
    bool new = !secret;
    if (new) {
        secret = json_make_object(a, NULL, 0);
        secret = managed_put(a, secret, json_make_string(a, STR("v1")), "apiVersion", NULL);
        secret = managed_put(a, secret, json_make_string(a, STR("Secret")), "kind", NULL);
        secret = managed_put(a, secret, json_make_string(a, m->name), "metadata", "name", NULL);
        secret = managed_put(a, secret, json_make_string(a, m->namespace), "metadata", "namespace", NULL);
        const struct json *owner = owner_of(a, object);
        secret = managed_put(a, secret, json_make_array(a, &owner, 1), "metadata", "ownerReferences", NULL);
    }
    struct buf encoded BUF_AUTO = BUF_INIT(4 * PASSWORD);
    base64_write(&encoded, made);
    const struct json *data = json_with(a, json_get(secret, "data"), m->key, json_make_string(a, buf_copy(&encoded, a)));
    secret = managed_put(a, secret, data, "data", NULL);
    return (new ? store_create : store_update)(t->c->store, a, secret, diags, &ignored) == STORE_OK;
}

static struct reconcile_answer initialize(void *ctx, const struct reconcile_call *call, const struct json **object)
{
    struct turn *t = ctx;
    struct arena *a = t->arena;
    (void)call;
    struct managed_policies policies = managed_policies(*object, true, t->kind->flavour == FLAVOUR_CLUSTER);
    const struct json *next = managed_init_external_name(a, t->model, *object);
    if (!managed_is_deleted(*object) && !managed_only_observes(&policies)) {
        struct managed_missing_list wanted;
        struct diags diags = fresh_diags(t);
        managed_generated_secrets(a, t->model, *object, &wanted);
        for (size_t i = 0; i < wanted.n; i++)
            if (!make_secret(t, *object, &wanted.v[i], &diags))
                return answer_failed(arena_printf(a, "cannot generate password: " STR_FMT, STR_ARG(says(a, &diags))));
        next = managed_add_tags(a, t->model, next);
    }
    if (next == *object)
        return (struct reconcile_answer){0};
    struct reconcile_answer answer = write_object(t, &next);
    if (answer.status == RECONCILE_OK)
        *object = next;
    return answer;
}

/* --- events --- */

static void event(void *ctx, const struct json *object, const struct reconcile_event *event)
{
    struct turn *t = ctx;
    struct diags diags = fresh_diags(t);
    const struct store_event record = {
        .about = t->key,
        .uid = managed_uid(object),
        .type = event->warning ? STR("Warning") : STR("Normal"),
        .reason = str_of(event->reason),
        .message = event->message,
    };
    if (store_record(t->c->store, &record, &diags) != STORE_OK)
        log_warn(t->c->log, "event not recorded", LOG_STR("object", t->known->key), LOG_STR("why", says(t->arena, &diags)));
}

static void change_log(void *ctx, const struct json *object, enum reconcile_operation operation, struct str error)
{
    static const char *const done[] = {[RECONCILE_CREATE] = "creation requested",
                                       [RECONCILE_UPDATE] = "update requested",
                                       [RECONCILE_DELETE] = "deletion requested"};
    static const char *const refused[] = {
        [RECONCILE_CREATE] = "creation failed", [RECONCILE_UPDATE] = "update failed", [RECONCILE_DELETE] = "deletion failed"};
    const struct turn *t = ctx;
    struct str name = managed_external_name(object);
    if (error.n == 0)
        log_info(t->c->log, done[operation], LOG_STR("object", t->known->key), LOG_STR("external_name", name));
    else
        log_warn(t->c->log, refused[operation], LOG_STR("object", t->known->key), LOG_STR("external_name", name),
                 LOG_STR("why", error));
}

struct reconcile_objects objects_of(struct turn *t)
{
    return (struct reconcile_objects){
        .ctx = t,
        .get = get,
        .update = update,
        .update_status = update_status,
        .update_critical_annotations = update_critical_annotations,
        .add_finalizer = add_finalizer,
        .remove_finalizer = remove_finalizer,
        .initialize = initialize,
        .resolve_references = resolve_references,
        .publish = publish_connection,
        .unpublish = unpublish_connection,
        .event = event,
        .change_log = change_log,
    };
}
