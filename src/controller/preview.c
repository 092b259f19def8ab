#include "controller/preview.h"

#include "controller/controller_private.h"

/* A turn whose pass only shows what it would do. */
struct previewing {
    struct turn turn;                  /* first */
    struct scheduler_session *session; /* the observation; NULL: there was none */
    struct str failure;                /* of the observation */
    bool acts;                         /* it would start an operation */
};

static struct previewing *of_connection(void *connection)
{
    const struct external_connection *x = connection;
    return (struct previewing *)x->turn;
}

static struct reconcile_answer observe(void *connection, const struct reconcile_call *call, const struct json **object,
                                       struct reconcile_observation *ret)
{
    const struct external_connection *x = connection;
    struct reconcile_answer answer = external_of(x->turn).observe(connection, call, object, ret);
    struct previewing *p = of_connection(connection);
    p->session = x->session;
    p->failure = answer.status == RECONCILE_FAILED ? answer.message : STR_EMPTY;
    return answer;
}

/* Creation and update. */
static struct reconcile_answer note_change(void *connection, const struct reconcile_call *call, const struct json **object,
                                           struct reconcile_change *ret)
{
    (void)call, (void)object;
    of_connection(connection)->acts = true;
    ret->begun = true;
    return (struct reconcile_answer){0};
}

static struct reconcile_answer note_deletion(void *connection, const struct reconcile_call *call, const struct json *object,
                                             struct reconcile_change *ret)
{
    return note_change(connection, call, &object, ret);
}

static struct reconcile_result pass(struct turn *t)
{
    const struct reconcile_key key = {t->key.group, t->key.kind, t->key.namespace, t->key.name};
    struct reconcile_options options = turn_options(t);
    struct reconcile_objects objects = objects_of(t);
    struct reconcile_external external = external_of(t);
    objects.change_log = NULL;
    external.observe = observe;
    external.announce_create = NULL;
    external.create = external.update = note_change;
    external.destroy = note_deletion;
    return reconcile_once(t->arena, &key, &options, &objects, &external);
}

/* --- also marks secrets that only the provider's configuration in Terrane knows --- */

static bool is_marked(const struct json *marks, struct managed_path path)
{
    for (size_t n = 0; n <= path.n; n++) {
        const struct json *mark = managed_path_get(marks, (struct managed_path){path.v, n});
        if (mark && mark->kind == JSON_BOOL && json_bool(mark, false))
            return true;
    }
    return false;
}

/* Where a path inside cannot be marked, the whole attribute is. */
static const struct json *mark_path(struct arena *a, const struct json *marks, struct managed_path path)
{
    struct managed_changes changes = {0};
    struct diags ignored;
    const struct json *next;
    diags_init(&ignored, a);
    if (path.n == 0 || is_marked(marks, path))
        return marks;
    managed_change_add(a, &changes, path, json_make_bool(a, true));
    return managed_apply(a, marks, &changes, &ignored, &next) ? next
                                                              : json_with(a, marks, path.v[0].key, json_make_bool(a, true));
}

static const struct json *mark_value(struct arena *a, struct managed_secret_paths secrets, const struct json *value,
                                     const struct json *marks)
{
    struct diags ignored;
    diags_init(&ignored, a);
    if (!managed_is_object(value) || (marks && marks->kind == JSON_BOOL && json_bool(marks, false)))
        return marks;
    if (!managed_is_object(marks))
        marks = json_make_object(a, NULL, 0);
    for (size_t i = 0; i < secrets.n; i++) {
        struct managed_path path;
        struct managed_paths places = {0};
        if (!managed_path_parse(a, secrets.v[i].terraform, &ignored, &path))
            continue;
        if (!managed_path_expand(a, value, path, &ignored, &places)) {
            path.n = path.n > 0;
            marks = mark_path(a, marks, path);
        }
        for (size_t k = 0; k < places.n; k++)
            marks = mark_path(a, marks, places.v[k]);
    }
    return marks;
}

static const struct json *mark_secrets(struct arena *a, const struct xp_kind *model, const struct json *change)
{
    static const char *const sides[][2] = {{"before", "before_sensitive"}, {"after", "after_sensitive"}};
    struct managed_secret_paths secrets = managed_secret_attributes(a, model);
    for (size_t i = 0; i < 2; i++) {
        const struct json *marks = mark_value(a, secrets, json_get(change, sides[i][0]), json_get(change, sides[i][1]));
        if (marks)
            change = json_with(a, change, str_of(sides[i][1]), marks);
    }
    return change;
}

/* --- the result --- */

static struct managed_condition synced_of(const struct turn *t)
{
    struct managed_condition synced = {.reason = STR_EMPTY, .message = STR_EMPTY};
    if (t->shown)
        (void)managed_condition(t->shown, "Synced", &synced);
    return synced;
}

/* There was no observation, or it failed. */
static struct preview without_plan(struct previewing *p, struct arena *a, struct str error)
{
    struct managed_condition synced = synced_of(&p->turn);
    bool was_asked = p->session || p->turn.failure != SCHEDULER_FINE; /* a failed observation leaves no session */
    if (!was_asked && str_eqz(synced.reason, "ReconcilePaused"))
        return (struct preview){.outcome = PREVIEW_FINE, .why = STR("it is paused")};
    return (struct preview){.outcome = was_asked ? PREVIEW_FAILS : PREVIEW_WAITS,
                            .why = arena_str(a, error.n > 0 ? error : synced.message)};
}

static struct preview judge(struct previewing *p, struct arena *a, struct str error)
{
    struct scheduler_difference difference;
    bool is_fine;
    struct preview made = !p->session || error.n > 0 ? without_plan(p, a, error)
                          : p->acts                  ? (struct preview){.outcome = PREVIEW_CHANGES}
                                                     : (struct preview){.outcome = PREVIEW_FINE};
    if (made.outcome != PREVIEW_CHANGES && made.outcome != PREVIEW_FAILS)
        return made;
    if (!p->session || scheduler_is_up_to_date(p->session, &is_fine, &difference) != SCHEDULER_ANSWERED)
        return made;
    const struct json *change = scheduler_explain(p->session);
    made.action = difference.action;
    made.change = change ? json_copy(a, mark_secrets(a, p->turn.model, change)) : NULL;
    return made;
}

static struct preview preview_turn(struct controller *c, struct arena *a, struct known_object *known)
{
    struct arena *own ARENA_AUTO = arena_new(NULL, 0);
    struct previewing p = {0};
    if (!turn_begin(&p.turn, c, own, known))
        return (struct preview){.outcome = PREVIEW_FAILS, .why = STR("the kind cannot be served")};
    p.turn.is_preview = true;
    struct reconcile_result result = pass(&p.turn);
    struct preview made = judge(&p, a, p.failure.n > 0 ? p.failure : result.error);
    turn_end(&p.turn);
    return made;
}

static bool is_being_deleted(struct controller *c, const struct store_key *key)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored; /* the pass reports it */
    const struct json *object;
    diags_init(&ignored, a);
    return store_get(c->store, a, key, &ignored, &object) == STORE_OK && managed_is_deleted(object);
}

struct preview controller_preview(struct controller *c, struct arena *a, const struct kind *kind, const struct store_key *key)
{
    if (is_being_deleted(c, key))
        return (struct preview){.outcome = PREVIEW_WAITS, .why = STR("it is being deleted, and created again afterwards")};
    struct known_object *known = known_get(c->known, kind, key_text(a, key));
    known_begin(c->known, known);
    struct preview made = preview_turn(c, a, known);
    known_end(c->known, known, KNOWN_READY);
    return made;
}

void controller_preview_stop(struct controller *c)
{
    atomic_store(&c->stopping, true);
}
