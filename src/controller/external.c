/*
 * The external side of a pass, on the scheduler: translates the object into Terraform's terms, observes it once, and translates
 * the result back.
 */
#include "controller/controller_private.h"
#include "managed/identity.h"
#include "managed/init_provider.h"
#include "managed/late_init.h"
#include "managed/policies.h"
#include "managed/translate.h"

#define READY_REASON "Available"
#define NO_META "null" /* value of the annotation if the provider keeps no private data, as Upjet writes it */
#define WAIT_SLICE_NS (200 * NS_PER_MS)

static struct managed_policies policies_of(const struct turn *t, const struct json *object)
{
    return managed_policies(object, true, t->kind->flavour == FLAVOUR_CLUSTER);
}

/* --- connecting --- */

static struct reconcile_answer connect_provider(void *ctx, const struct reconcile_call *call, const struct json *object,
                                                void **ret_connection)
{
    struct turn *t = ctx;
    struct external_connection *x = arena_make(call->arena, struct external_connection);
    struct diags diags;
    diags_init(&diags, call->arena);
    x->turn = t;
    bool ok = setup_make(t, object, call->deadline, &diags, &x->setup);
    if (ok && !managed_is_deleted(object))
        ok = usage_note(t, object, &diags);
    if (!ok)
        return answer_failed(diags.n == 1 ? diags.v[0].detail : says(call->arena, &diags));
    *ret_connection = x;
    return (struct reconcile_answer){0};
}

/* Sessions end with the turn, because the object shares memory with their results. */
static struct reconcile_answer disconnect(void *connection, const struct reconcile_call *call)
{
    (void)connection, (void)call;
    return (struct reconcile_answer){0};
}

static struct scheduler_session *keep_session(struct external_connection *x, struct scheduler_session *session)
{
    struct turn *t = x->turn;
    vec_reserve(t->arena, (void **)&t->sessions, &t->sessions_cap, t->n_sessions + 1, sizeof(struct scheduler_session *),
                alignof(max_align_t));
    t->sessions[t->n_sessions++] = session;
    return session;
}

/* --- the object in Terraform's terms --- */

struct wanted {
    const struct json *parameters;
    const struct json *config; /* NULL: no configuration is wanted */
    const struct json *ignore;
    const struct json *comparable; /* see struct external_connection */
    const struct state_instance *stored;
    struct str id;
};

/* Fails while Secrets are missing, unless nothing is to be created or changed. */
static bool add_secrets(struct turn *t, const struct json *object, bool needed, struct diags *diags, struct wanted *w)
{
    struct managed_missing_list missing = {0};
    struct managed_secret_paths paths = managed_secret_inputs(t->arena, t->model);
    if (!managed_add_secrets(t->arena, paths, object, w->parameters, turn_secret, t, diags, &missing, &w->parameters))
        return false;
    if (needed)
        managed_say_missing(diags, &missing);
    return !needed || missing.n == 0;
}

static bool ignored_of(struct turn *t, const struct json *object, struct diags *diags, const struct json **ret)
{
    struct managed_ignored ignored = {0};
    *ret = NULL;
    if (!managed_ignored_of(t->arena, t->model, object, diags, &ignored))
        return false;
    if (ignored.n > 0)
        *ret = json_make_array(t->arena, ignored.v, ignored.n);
    return true;
}

/* The configuration that the object wants; none if it is deleted or only observed. */
static bool want(struct external_connection *x, const struct json *object, const struct state_instance *stored,
                 struct diags *diags, struct wanted *ret)
{
    struct turn *t = x->turn;
    struct managed_policies policies = policies_of(t, object);
    bool needed = !managed_is_deleted(object) && !managed_only_observes(&policies);
    struct wanted w = {.stored = stored};
    if (!managed_parameters(t->arena, t->model, object, diags, &w.parameters))
        return false;
    const struct json *without_secrets = w.parameters;
    if (!add_secrets(t, object, needed, diags, &w))
        return false;
    w.parameters = managed_add_name(t->arena, t->model, object, w.parameters);
    if (!managed_id(t->arena, t->model, object, w.parameters, x->setup.templates, diags, &w.id))
        return false;
    if (needed && stored && !ignored_of(t, object, diags, &w.ignore))
        return false;
    if (needed)
        w.config = managed_terraform_of(t->arena, t->model, w.parameters);
    if (!stored && w.id.n == 0 && (lookup_can_list(t) || lookup_by_tags(t)))
        w.comparable = lookup_comparable(t, managed_terraform_of(t->arena, t->model, without_secrets));
    *ret = w;
    return true;
}

/* --- observing --- */

/* The name in Terraform's messages: one that is valid there. */
static struct str terraform_name(struct arena *a, struct str name)
{
    char *made = (char *)arena_str(a, name).p;
    for (size_t i = 0; i < name.n; i++)
        if (made[i] == '.' || made[i] == ':')
            made[i] = '-';
    return (struct str){made, name.n};
}

static int64_t seconds(int64_t s)
{
    return s * NS_PER_S;
}

/* Everything is in the session's own arena, which lives as long as an operation. */
static struct scheduler_item item_of(struct external_connection *x, struct arena *a, const struct json *object,
                                     const struct wanted *w)
{
    const struct turn *t = x->turn;
    const struct xp_resource_config *config = &t->model->config;
    struct state_instance *stored = NULL;
    if (w->stored) {
        stored = arena_make(a, struct state_instance);
        *stored = *w->stored;
        stored->attributes = json_copy(a, w->stored->attributes);
        stored->identity = json_copy(a, w->stored->identity);
        stored->private_bytes = arena_str(a, w->stored->private_bytes);
        stored->sensitive = NULL; /* the schema defines it anyway */
        stored->n_sensitive = 0;
        stored->dependencies = stored->depends_on = NULL;
        stored->n_dependencies = stored->n_depends_on = 0;
    }
    return (struct scheduler_item){
        .key = arena_str(a, managed_uid(object)),
        .provider = {arena_str(a, x->setup.provider.address), arena_str(a, x->setup.provider.path),
                     json_copy(a, x->setup.provider.config)},
        .type = arena_str(a, t->kind->terraform_type),
        .name = terraform_name(a, t->key.name),
        .config = json_copy(a, w->config),
        .ignore = json_copy(a, w->ignore),
        .stored = stored,
        .import_id = stored ? STR_EMPTY : arena_str(a, w->id),
        .may_replace = str_eqz(managed_annotation(object, CONTROLLER_REPLACE), "true") || (stored && stored->tainted),
        .explain = t->is_preview,
        .observe_ns = seconds(config->timeout_read),
        .create_ns = seconds(config->timeout_create),
        .update_ns = seconds(config->timeout_update),
        .delete_ns = seconds(config->timeout_delete),
    };
}

static void wake(void *ctx)
{
    completion_signal(ctx);
}

bool turn_look(struct turn *t, struct scheduler *scheduler, struct arena *a, const struct scheduler_item *item, int64_t deadline,
               struct scheduler_session **ret)
{
    struct completion seen;
    completion_init(&seen);
    struct scheduler_session *session = scheduler_observe(scheduler, a, item, wake, &seen);
    bool done = false;
    while (!done && !atomic_load(&t->c->stopping)) {
        int64_t now = clock_now(&system_clock);
        if (now >= deadline)
            break;
        int64_t until = now + WAIT_SLICE_NS;
        done = completion_wait(&seen, until < deadline ? until : deadline);
    }
    if (!done) {
        scheduler_end(session); /* after this, `wake` is not called */
        completion_destroy(&seen);
        return false;
    }
    completion_destroy(&seen);
    *ret = session;
    return true;
}

static bool look(struct external_connection *x, const struct reconcile_call *call, const struct json *object,
                 const struct wanted *w, struct scheduler_session **ret)
{
    struct arena *a = arena_new(NULL, 0);
    struct scheduler_item item = item_of(x, a, object, w);
    return turn_look(x->turn, x->setup.scheduler, a, &item, call->deadline, ret);
}

/*
 * Is the object at fault, or the provider with its configuration? `counts`: one end of a provider is one failure of its
 * configuration, however many objects were under way.
 */
static void judge(struct turn *t, enum scheduler_failure failure, bool counts, struct str why)
{
    t->failure = failure;
    t->observed |= failure == SCHEDULER_FINE || failure == SCHEDULER_WRONG;
    t->failure_text = counts ? why : STR_EMPTY;
}

static void judge_session(struct turn *t, struct scheduler_session *session)
{
    enum scheduler_failure failure = scheduler_failure(session);
    bool counts = failure == SCHEDULER_TIMED_OUT || scheduler_lost_first(session);
    judge(t, failure, counts, says(t->arena, scheduler_diags(session)));
}

static struct reconcile_answer no_answer(struct turn *t)
{
    if (atomic_load(&t->c->stopping))
        return (struct reconcile_answer){.status = RECONCILE_CONFLICT, .message = STR_EMPTY}; /* without a message */
    struct str why = STR("the provider did not answer in time");
    judge(t, SCHEDULER_TIMED_OUT, true, why);
    return answer_failed(why);
}

/* --- the result --- */

/*
 * Would the provider accept the object as late initialisation would change it? Not if the resource would have to be replaced for
 * what was only observed.
 */
struct accepting {
    struct external_connection *connection;
    const struct reconcile_call *call;
    const struct state_instance *now;
    bool asked, refused_before;
    bool needs_replacement;            /* already without what would be added */
    struct scheduler_session *session; /* of the object that was accepted last; NULL: none was */
};

static uint64_t hash_of(const struct json *object)
{
    struct buf text BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT * 8);
    struct json_writer w = {.out = &text};
    json_write(&w, json_get(object, "spec"));
    return json_finish(&w) ? str_hash(buf_str(&text), 1) : 0;
}

static bool accept_all(struct accepting *q, const struct json *object)
{
    struct turn *t = q->connection->turn;
    struct wanted w;
    struct diags diags;
    struct scheduler_session *session;
    bool up_to_date;
    diags_init(&diags, t->arena);
    if (!want(q->connection, object, q->now, &diags, &w) || !look(q->connection, q->call, object, &w, &session))
        return false;
    bool taken = scheduler_is_up_to_date(session, &up_to_date, NULL) == SCHEDULER_ANSWERED &&
                 (up_to_date || q->needs_replacement || scheduler_may_apply(session, &diags));
    if (taken && q->session)
        scheduler_end(q->session);
    if (taken)
        q->session = session;
    else
        scheduler_end(session);
    return taken;
}

/* What the provider rejected is not asked again until it is different. */
static bool accepts(void *ctx, const struct json *object)
{
    struct accepting *q = ctx;
    struct known_object *known = q->connection->turn->known;
    bool first = !q->asked;
    q->asked = true;
    uint64_t hash = first ? hash_of(object) : 0;
    if (first && hash == known->late_refused)
        q->refused_before = true;
    if (q->refused_before)
        return false;
    bool taken = accept_all(q, object);
    if (first && !taken)
        known->late_refused = hash;
    return taken;
}

/*
 * From then on the session is that of the changed object: compared with the object as it was, the resource would lose in an
 * update what the object has just got, or would have to be replaced for it.
 */
static bool late_initialize(struct external_connection *x, const struct reconcile_call *call, const struct state_instance *now,
                            bool needs_replacement, struct diags *diags, const struct json **object, bool *ret_changed)
{
    struct turn *t = x->turn;
    struct managed_policies policies = policies_of(t, *object);
    struct accepting q = {.connection = x, .call = call, .now = now, .needs_replacement = needs_replacement};
    const struct json *next;
    *ret_changed = false;
    if (managed_is_deleted(*object) || !managed_may_late_initialize(&policies) || managed_only_observes(&policies))
        return true;
    bool ok = managed_late_initialize(t->arena, t->model, *object, now->attributes, accepts, &q, diags, &next);
    if (q.session)
        x->session = keep_session(x, q.session);
    if (!ok)
        return false;
    *ret_changed = next != *object;
    *object = next;
    return true;
}

static const struct json *set_meta(struct arena *a, const struct json *object, struct str bytes)
{
    struct str value = bytes.n == 0 ? STR(NO_META) : bytes;
    if (!str_is_utf8(value) || str_eq(value, managed_annotation(object, MANAGED_PROVIDER_META)))
        return object; /* a value that is not text is only in the record of the state */
    return managed_annotate(a, object, MANAGED_PROVIDER_META, value);
}

/* Without observedGeneration, as Upjet does: late initialisation comes after it and changes the generation, and `kubectl wait`
 * would then wait until the next poll. */
static const struct json *set_ready(struct turn *t, const struct json *object, bool ready)
{
    const struct managed_condition condition = {
        .type = STR("Ready"),
        .status = ready ? STR("True") : STR("False"),
        .reason = ready ? STR(READY_REASON) : STR("Unavailable"),
    };
    return managed_set_condition(t->arena, object, &condition, t->c->clock->wall_ns(t->c->clock));
}

/* Sets the external name, the status and the connection details. */
static bool show(struct external_connection *x, const struct state_instance *now, bool ready, struct diags *diags,
                 const struct json **object, const struct json **ret_details)
{
    struct turn *t = x->turn;
    struct arena *a = t->arena;
    const struct json *next = *object;
    if (!managed_take_name(a, t->model, next, now->attributes, diags, &next) ||
        !managed_set_observed(a, t->model, next, now->attributes, diags, &next))
        return false;
    next = set_meta(a, next, now->private_bytes);
    if (!managed_is_deleted(next))
        next = set_ready(t, next, ready);
    *object = next;
    struct managed_state_details more = {t->model, now->attributes};
    *ret_details = NULL;
    return !wants_connection_secret(next) || managed_connection_details(a, managed_secret_attributes(a, t->model),
                                                                        managed_parameters_of_state(a, t->model, now->attributes),
                                                                        managed_configured_details, &more, diags, ret_details);
}

/* Upjet's beginnings of error messages, which people recognise; the provider's own text follows. */
#define REFRESH_FAILED "cannot run refresh: refresh failed: "
#define PLAN_FAILED "cannot run plan: plan failed: "
#define IMPORT_FAILED "cannot run import: import failed: "

static struct reconcile_answer cannot(struct turn *t, const char *what, const struct diags *diags)
{
    return answer_failed(arena_printf(t->arena, "%s" STR_FMT, what, STR_ARG(says(t->arena, diags))));
}

static struct reconcile_answer cannot_observe(struct external_connection *x, const struct wanted *w, const struct json *object)
{
    struct managed_policies policies = policies_of(x->turn, object);
    bool imported = managed_only_observes(&policies) && !w->stored;
    return cannot(x->turn, imported ? IMPORT_FAILED : REFRESH_FAILED, scheduler_diags(x->session));
}

/* Is the resource up to date, or may it be updated? Without a wanted configuration it is up to date. */
static struct reconcile_answer compare(struct external_connection *x, const struct wanted *w, const struct json *object,
                                       bool *ret)
{
    struct managed_policies policies = policies_of(x->turn, object);
    struct diags diags;
    *ret = true;
    if (managed_is_deleted(object) || managed_only_observes(&policies))
        return (struct reconcile_answer){0};
    if (scheduler_is_up_to_date(x->session, ret, NULL) != SCHEDULER_ANSWERED)
        return cannot_observe(x, w, object);
    diags_init(&diags, x->turn->arena);
    if (*ret || scheduler_may_apply(x->session, &diags))
        return (struct reconcile_answer){0};
    return cannot(x->turn, PLAN_FAILED, &diags);
}

/* --- observing --- */

/*
 * No state is kept and the resource cannot be imported: the object's own values are taken as its state and read, as Upjet does
 * with every object. If that fails, too, its error is reported, because that of the import may only be about an id in another
 * form.
 */
static const struct state_instance *make_up_state(struct turn *t, const struct json *object, const struct wanted *w)
{
    struct state_instance *made = arena_make(t->arena, struct state_instance);
    const struct json *observed = NULL, *attributes = w->parameters;
    struct diags ignored;
    diags_init(&ignored, t->arena);
    if (managed_parameters_of(t->arena, t->model, AT_PROVIDER, managed_at(object, "status", "atProvider", NULL), &ignored,
                              &observed) &&
        observed)
        attributes = managed_merge(t->arena, observed, attributes);
    attributes = managed_terraform_of(t->arena, t->model, attributes);
    made->attributes = json_with(t->arena, attributes, STR("id"), json_make_string(t->arena, w->id));
    made->schema_version =
        (uint64_t)((const struct schema *)map_get(&t->kind->provider->schema->resources, t->kind->terraform_type))->version;
    struct str meta = managed_annotation(object, MANAGED_PROVIDER_META);
    made->private_bytes = str_eqz(meta, NO_META) ? STR_EMPTY : meta;
    return made;
}

static bool import_failed(struct external_connection *x, const struct wanted *w)
{
    bool ignored;
    return !w->stored && w->id.n > 0 && scheduler_failure(x->session) == SCHEDULER_WRONG &&
           scheduler_exists(x->session, &ignored) == SCHEDULER_FAILED;
}

/* The session with what can be known, or an answer that says why there is none. */
static struct reconcile_answer look_twice(struct external_connection *x, const struct reconcile_call *call,
                                          const struct json *object, struct wanted *w)
{
    struct turn *t = x->turn;
    struct managed_policies policies = policies_of(t, object);
    struct scheduler_session *session;
    struct wanted again = *w;
    if (!look(x, call, object, w, &session))
        return no_answer(t);
    x->session = keep_session(x, session);
    if (!import_failed(x, w) || managed_only_observes(&policies))
        return (struct reconcile_answer){0};
    again.stored = make_up_state(t, object, w);
    if (!look(x, call, object, &again, &session))
        return no_answer(t);
    x->session = keep_session(x, session);
    return (struct reconcile_answer){0};
}

/*
 * Stores the state of a resource as soon as it is seen, and removes the record of one that no longer exists. A state that the
 * store will never take does not prevent a deletion.
 */
static bool keep_seen(struct turn *t, const struct json *object, const struct wanted *w, const struct state_instance *now,
                      bool changed, struct diags *diags)
{
    if (now ? !changed && w->stored : !w->stored)
        return true;
    struct diags said;
    diags_init(&said, t->arena);
    enum store_result result = state_keep(t->c->store, managed_uid(object), now, &said);
    if (result == STORE_OK || (managed_is_deleted(object) && state_is_refused(result)))
        return true;
    diags_append(diags, &said);
    return false;
}

static struct reconcile_answer take_seen(struct external_connection *x, const struct reconcile_call *call, const struct wanted *w,
                                         const struct json **object, struct reconcile_observation *ret)
{
    struct turn *t = x->turn;
    const struct state_instance *now;
    struct diags diags;
    struct reconcile_observation seen = {0};
    bool changed, ready = false;
    diags_init(&diags, t->arena);
    bool known = scheduler_update_status(x->session, &now, &changed) == SCHEDULER_ANSWERED;
    struct reconcile_answer sound = {0};
    if (known)
        sound = compare(x, w, *object, &seen.up_to_date);
    judge_session(t, x->session);
    if (!known)
        return cannot_observe(x, w, *object);
    if (!keep_seen(t, *object, w, now, changed, &diags))
        return answer_failed(says(t->arena, &diags));
    seen.exists = now != NULL;
    seen.absence_is_certain = !now && (w->stored || w->id.n > 0);
    if (now) {
        (void)scheduler_is_ready(x->session, &ready);
        if (!show(x, now, ready, &diags, object, &seen.details))
            return answer_failed(says(t->arena, &diags));
    }
    bool planned = sound.status == RECONCILE_OK || t->failure == SCHEDULER_FINE; /* if it was refused, as a replacement is */
    bool refused = sound.status != RECONCILE_OK;
    if (now && planned && !late_initialize(x, call, now, refused, &diags, object, &seen.late_initialized))
        return answer_failed(says(t->arena, &diags));
    if (seen.late_initialized)
        sound = compare(x, w, *object, &seen.up_to_date);
    if (sound.status != RECONCILE_OK) /* the wanted configuration is wrong: the object's status shows the resource all the same */
        return sound;
    *ret = seen;
    return (struct reconcile_answer){0};
}

/* A resource keeps its external name: if somebody has overwritten it in the object, it would refer to another resource. */
static bool put_name_back(struct turn *t, const struct state_instance *stored, struct diags *diags, const struct json **object)
{
    return !stored || managed_take_name(t->arena, t->model, *object, stored->attributes, diags, object);
}

/*
 * After a deletion that succeeded nothing is read, as in Terraform: many a provider reads what exists from the state
 * (hashicorp/random), so an import of the id would find the resource again, for ever.
 */
static struct reconcile_answer observe(void *connection, const struct reconcile_call *call, const struct json **object,
                                       struct reconcile_observation *ret)
{
    struct external_connection *x = connection;
    struct turn *t = x->turn;
    struct diags diags;
    struct wanted w;
    const struct state_instance *stored;
    diags_init(&diags, t->arena);
    if (operation_is_open(t->known)) {
        t->observed = true;
        *ret = (struct reconcile_observation){.exists = true, .up_to_date = true, .operation_runs = true};
        return (struct reconcile_answer){0};
    }
    if (!state_kept(t->c->store, t->arena, managed_uid(*object), &diags, &stored) || !put_name_back(t, stored, &diags, object) ||
        !want(x, *object, stored, &diags, &w))
        return answer_failed(diags.n > 0 ? says(t->arena, &diags) : STR("the object cannot be translated"));
    if (t->deleted && !stored) {
        t->observed = true;
        *ret = (struct reconcile_observation){.absence_is_certain = true};
        return (struct reconcile_answer){0};
    }
    x->comparable = w.comparable;
    struct reconcile_answer answer = look_twice(x, call, *object, &w);
    return answer.status == RECONCILE_OK ? take_seen(x, call, &w, object, ret) : answer;
}

/* --- a creation with unknown outcome --- */

/*
 * The ways, in order: the state that was kept; the id, if it follows from the object; the provider's list. The first two are
 * observations: a kept state is read, an id is imported.
 */
static struct reconcile_answer lookup(void *connection, const struct reconcile_call *call, enum reconcile_lookup way,
                                      const struct json **object, enum reconcile_found *ret)
{
    struct external_connection *x = connection;
    struct turn *t = x->turn;
    struct diags diags;
    struct wanted w;
    const struct state_instance *stored;
    bool exists;
    diags_init(&diags, t->arena);
    *ret = RECONCILE_CANNOT_TELL;
    if (!state_kept(t->c->store, t->arena, managed_uid(*object), &diags, &stored) || !want(x, *object, stored, &diags, &w))
        return answer_failed(says(t->arena, &diags));
    if (way == RECONCILE_BY_LIST)
        return lookup_in_list(x, call, w.comparable, object, ret);
    if (way == RECONCILE_BY_NAME ? !stored : stored || w.id.n == 0)
        return (struct reconcile_answer){0};
    struct reconcile_answer answer = look_twice(x, call, *object, &w);
    if (answer.status != RECONCILE_OK)
        return answer;
    if (scheduler_exists(x->session, &exists) != SCHEDULER_ANSWERED)
        return answer_failed(says(t->arena, scheduler_diags(x->session)));
    const struct state_instance *now;
    bool changed;
    if (exists && scheduler_update_status(x->session, &now, &changed) == SCHEDULER_ANSWERED &&
        (!keep_seen(t, *object, &w, now, changed, &diags) ||
         !managed_take_name(t->arena, t->model, *object, now->attributes, &diags, object)))
        return answer_failed(says(t->arena, &diags));
    *ret = exists ? RECONCILE_FOUND : RECONCILE_NOTHING;
    return (struct reconcile_answer){0};
}

/* --- operations --- */

static struct reconcile_answer announce_create(void *connection, const struct reconcile_call *call, const struct json *object)
{
    const struct external_connection *x = connection;
    (void)call;
    return operation_announce(x->turn, object);
}

static struct reconcile_answer create(void *connection, const struct reconcile_call *call, const struct json **object,
                                      struct reconcile_change *ret)
{
    (void)call;
    return operation_begin(connection, RECONCILE_CREATE, *object, ret);
}

/* The pass also comes here if the resource is missing and the policies forbid its creation; an update would create it. */
static struct reconcile_answer update(void *connection, const struct reconcile_call *call, const struct json **object,
                                      struct reconcile_change *ret)
{
    struct external_connection *x = connection;
    bool exists = false;
    (void)call;
    if (x->session && scheduler_exists(x->session, &exists) == SCHEDULER_ANSWERED && !exists)
        return answer_failed(STR("external resource does not exist, and spec.managementPolicies do not allow to create it"));
    return operation_begin(x, RECONCILE_UPDATE, *object, ret);
}

static struct reconcile_answer destroy(void *connection, const struct reconcile_call *call, const struct json *object,
                                       struct reconcile_change *ret)
{
    struct external_connection *x = connection;
    const struct known_object *known = x->turn->known;
    if (!operation_is_open(known))
        return operation_begin(x, RECONCILE_DELETE, object, ret);
    if (operation_is_delete(known)) {
        ret->begun = ret->again = true;
        return (struct reconcile_answer){0};
    }
    return answer_failed(arena_printf(call->arena,
                                      "cannot start async destroy: apply operation that started at " STR_FMT " is still running",
                                      STR_ARG(managed_time_text(call->arena, operation_started(known)))));
}

struct reconcile_external external_of(struct turn *t)
{
    return (struct reconcile_external){
        .ctx = t,
        .connect = connect_provider,
        .claim = claim,
        .observe = observe,
        .announce_create = announce_create,
        .create = create,
        .update = update,
        .destroy = destroy,
        .disconnect = disconnect,
        .lookup = lookup,
    };
}
