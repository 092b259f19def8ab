#include "base/vec.h"
#include "cluster/install.h"
#include "cluster/migrate.h"
#include "controller/controller.h"
#include "managed/edit.h"
#include "managed/object.h"
#include "store/change.h"
#include "store/kube.h"
#include "store/object.h"
#include "store/sqlite.h"

#define OF_KUBERNETES "kubernetes"
#define IN_TRANSIT "terrane-migrate" /* an object whose state is not there yet belongs to no controller, here and there */
#define STATE "state-"
#define JOURNAL "journal-"

enum fate { WILL_MOVE, MOVED, THERE_ALREADY, STAYS };
static const char *const fate_words[] = {
    [WILL_MOVE] = "would move", [MOVED] = "moved", [THERE_ALREADY] = "there already", [STAYS] = "stays"};

struct parcel {
    struct store_key key;
    struct str title, uid;
    bool is_managed;   /* it has a resource, or will have one: two controllers acting on it would create that twice */
    bool was_released; /* by an earlier run that did not come to its end */
    enum fate fate;
    struct str why;
};

struct removal {
    struct app *app;
    const struct migrate_options *o;
    struct arena *arena;
    struct kubeconfig config;
    struct kube *client;
    struct store *from, *to;
    VEC(struct parcel) parcels;
    struct map journals; /* uids of objects with an operation under way */
};

/* ---- the store's content ---- */

static bool is_ours(const struct store_key *key)
{
    return str_eqz(key->namespace, CONTROLLER_NAMESPACE);
}

/* Namespaces first, then objects that others refer to, then managed objects. */
enum { RANK_MANAGED = 3 };
static int rank(const struct store_key *key)
{
    return str_eqz(key->kind, "Namespace")              ? 0
           : key->group.n == 0                          ? 1
           : str_ends(key->kind, STR("ProviderConfig")) ? 2
                                                        : RANK_MANAGED;
}

static bool is_in_transit(const struct json *object)
{
    return str_eqz(managed_annotation(object, MANAGED_BY), IN_TRANSIT);
}

static bool note(void *ctx, struct arena *a, const struct json *object)
{
    (void)a;
    struct removal *r = ctx;
    struct arena *keep = r->arena;
    struct store_key key = object_key(object);
    if (is_ours(&key)) {
        if (str_starts(key.name, STR(JOURNAL)))
            map_put(&r->journals, arena_str(keep, str_slice(key.name, sizeof JOURNAL - 1, key.name.n)), r);
        return true;
    }
    if (str_eqz(key.kind, "ProviderConfigUsage"))
        return true; /* the controller there creates its own */
    struct str who = managed_annotation(object, MANAGED_BY);
    bool is_left = managed_is_of_another(object) && !is_in_transit(object);
    key = (struct store_key){arena_str(keep, key.group), arena_str(keep, key.kind), arena_str(keep, key.namespace),
                             arena_str(keep, key.name)};
    struct parcel p = {.key = key,
                       .title = object_title(keep, &key),
                       .uid = arena_str(keep, managed_uid(object)),
                       .is_managed = rank(&key) == RANK_MANAGED,
                       .was_released = is_in_transit(object)};
    if (is_left && str_eqz(who, OF_KUBERNETES)) {
        p.fate = THERE_ALREADY;
        p.why = STR("it was moved before");
    } else if (is_left) {
        p.fate = STAYS;
        p.why = arena_printf(keep, "its annotation " MANAGED_BY " leaves it to " STR_FMT, STR_ARG(who));
    } else if (managed_is_deleted(object)) {
        p.fate = STAYS;
        p.why = STR("it is being deleted");
    }
    *VEC_PUSH(keep, &r->parcels) = p;
    return true;
}

/* ---- one object ---- */

static bool say(struct removal *r, struct parcel *p, enum fate fate, const struct diags *said)
{
    p->fate = fate;
    if (said && said->n > 0)
        p->why = arena_str(r->arena, said->v[0].detail);
    return fate != STAYS;
}

/* The object as a user would create it, without what a store adds. */
static const struct json *fresh(struct arena *a, const struct json *object, bool in_transit)
{
    static const char *const own[] = {"uid",           "resourceVersion", "generation",     "creationTimestamp",
                                      "managedFields", "selfLink",        "ownerReferences"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        object = managed_put(a, object, NULL, "metadata", own[i], NULL);
    object = json_with(a, object, STR("status"), NULL);
    return in_transit ? managed_annotate(a, object, MANAGED_BY, STR(IN_TRANSIT)) : object;
}

/* Moves the state of the resource to the uid that the object has there. */
static bool move_state(struct removal *r, struct arena *a, const struct parcel *p, struct str uid, struct diags *diags)
{
    struct store_key key = {STR_EMPTY, STR("Secret"), STR(CONTROLLER_NAMESPACE), arena_printf(a, STATE STR_FMT, STR_ARG(p->uid))};
    const struct json *state, *made;
    struct diags said;
    diags_init(&said, a);
    enum store_result result = store_get(r->from, a, &key, &said, &state);
    if (result == STORE_NOT_FOUND)
        return true; /* the resource is found by its external name */
    if (result != STORE_OK) {
        diags_append(diags, &said);
        return false;
    }
    state = fresh(a, state, false);
    state = managed_put(a, state, json_make_string(a, arena_printf(a, STATE STR_FMT, STR_ARG(uid))), "metadata", "name", NULL);
    result = store_create(r->to, a, state, &said, &made);
    if (result == STORE_OK || result == STORE_EXISTS)
        return true;
    diags_append(diags, &said);
    return false;
}

/* Writes the status, and then gives the object to the controller there. */
static bool arrive(struct removal *r, struct arena *a, const struct json *made, const struct json *object, struct diags *diags)
{
    const struct json *status = json_get(object, "status");
    if (status && store_update_status(r->to, a, json_with(a, made, STR("status"), status), diags, &made) != STORE_OK)
        return false;
    made = managed_unannotate(a, made, MANAGED_BY);
    return store_update(r->to, a, made, diags, &made) == STORE_OK;
}

static const struct json *with_owner(void *ctx, struct arena *a, const struct json *object)
{
    const char *who = ctx;
    return who ? managed_annotate(a, object, MANAGED_BY, str_of(who)) : managed_unannotate(a, object, MANAGED_BY);
}

/* Who acts on the object of the store: NULL: the store's controller. */
static bool give_to(struct removal *r, struct arena *a, const struct parcel *p, const char *who, struct diags *diags)
{
    bool changed;
    return !p->is_managed || change_object(r->from, a, &p->key, with_owner, (void *)(uintptr_t)who, diags, &changed);
}

/* It could not be created there: as long as nothing of it is there, the store's controller goes on with it. */
static bool take_back(struct removal *r, struct arena *a, struct parcel *p, const struct diags *said)
{
    struct diags other;
    const struct json *there;
    diags_init(&other, a);
    if (store_get(r->to, a, &p->key, &other, &there) == STORE_NOT_FOUND)
        (void)give_to(r, a, p, NULL, &other);
    return say(r, p, STAYS, said);
}

static const char in_the_way[] = "another object of this name is in the cluster";

/*
 * An object of that name is there. Of a managed one: is it the one that an earlier run has created? `was_released`: such a run
 * has released it here.
 */
static bool goes_on(struct removal *r, struct arena *a, struct parcel *p, struct diags *diags, const struct json **ret_there)
{
    if (store_get(r->to, a, &p->key, diags, ret_there) != STORE_OK)
        return say(r, p, STAYS, diags);
    if (p->is_managed && is_in_transit(*ret_there))
        return true;
    if (!p->is_managed || p->was_released) {
        (void)say(r, p, THERE_ALREADY, NULL);
        return give_to(r, a, p, OF_KUBERNETES, diags) && false;
    }
    p->why = STR(in_the_way);
    (void)give_to(r, a, p, NULL, diags);
    return say(r, p, STAYS, NULL);
}

/*
 * The order allows an interruption at any point: first the store's controller lets go, then the object is created without a
 * controller, then its state is moved, then the controller there gets it. A second run continues where the first one stopped.
 */
static bool move(struct removal *r, struct parcel *p)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags said;
    const struct json *object, *made = NULL;
    diags_init(&said, a);
    if (store_get(r->from, a, &p->key, &said, &object) != STORE_OK)
        return say(r, p, STAYS, &said);
    if (!p->was_released && !give_to(r, a, p, IN_TRANSIT, &said))
        return say(r, p, STAYS, &said);
    object = managed_unannotate(a, object, MANAGED_BY);
    enum store_result result = store_create(r->to, a, fresh(a, object, p->is_managed), &said, &made);
    if (result != STORE_OK && result != STORE_EXISTS)
        return take_back(r, a, p, &said);
    diags_init(&said, a);
    if (result == STORE_EXISTS && !goes_on(r, a, p, &said, &made))
        return false;
    if (p->is_managed && (!move_state(r, a, p, managed_uid(made), &said) || !arrive(r, a, made, object, &said) ||
                          !give_to(r, a, p, OF_KUBERNETES, &said)))
        return say(r, p, STAYS, &said);
    return say(r, p, MOVED, NULL);
}

static bool pass_over(void *ctx, struct arena *a, const struct json *object)
{
    (void)ctx, (void)a, (void)object;
    return true;
}

/* Without --apply: could it be created there? The kind is asked for objects that nobody has. */
static void try_out(struct removal *r, struct parcel *p)
{
    static const struct selector_requirement nobody = {.key = STR(IN_TRANSIT), .op = SELECTOR_EXISTS};
    static const struct selector none = {&nobody, 1};
    const struct store_query query = {.group = p->key.group, .kind = p->key.kind, .selector = &none};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags said;
    const struct json *there;
    struct str version;
    diags_init(&said, a);
    enum store_result result = store_get(r->to, a, &p->key, &said, &there);
    if (result == STORE_OK && (!p->is_managed || (p->was_released && !is_in_transit(there))))
        p->fate = THERE_ALREADY;
    else if (result == STORE_OK && !is_in_transit(there)) {
        p->why = STR(in_the_way);
        p->fate = STAYS;
    } else if (result == STORE_NOT_FOUND) {
        diags_init(&said, a);
        if (store_list(r->to, a, &query, pass_over, NULL, &said, &version) != STORE_OK)
            (void)say(r, p, STAYS, &said);
    } else if (result != STORE_OK)
        (void)say(r, p, STAYS, &said);
}

/* ---- a run ---- */

static bool is_too_large(struct removal *r)
{
    return diags_fail(&r->app->diags, "Report too large", "The report is larger than the limit of %d MiB.", APP_MAX_TEXT >> 20);
}

static bool print(struct removal *r, size_t *ret_left)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out};
    size_t counts[4] = {0};
    if (r->o->json)
        json_begin_array(&w);
    for (size_t i = 0; i < r->parcels.n; i++) {
        const struct parcel *p = &r->parcels.v[i];
        counts[p->fate]++;
        if (!r->o->json) {
            buf_printf(&out, "%-13s " STR_FMT "%s" STR_FMT "\n", fate_words[p->fate], STR_ARG(p->title), p->why.n > 0 ? ": " : "",
                       STR_ARG(p->why));
            continue;
        }
        const struct {
            const char *key;
            struct str text;
        } members[] = {{"group", p->key.group},
                       {"kind", p->key.kind},
                       {"namespace", p->key.namespace},
                       {"name", p->key.name},
                       {"outcome", str_of(fate_words[p->fate])},
                       {"why", p->why}};
        json_begin_object(&w);
        for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
            json_key(&w, str_of(members[k].key));
            json_write_string(&w, members[k].text);
        }
        json_end_object(&w);
    }
    if (r->o->json) {
        json_end_array(&w);
        bool whole = json_finish(&w);
        buf_addc(&out, '\n');
        if (!whole)
            return is_too_large(r);
    } else
        buf_printf(&out, "\n%zu %s, %zu there already, %zu stay.%s\n", counts[WILL_MOVE] + counts[MOVED],
                   r->o->apply ? "moved" : "would move", counts[THERE_ALREADY], counts[STAYS],
                   r->o->apply ? "" : " Nothing was written; --apply does it.");
    *ret_left = counts[STAYS];
    if (!buf_ok(&out))
        return is_too_large(r);
    return app_print(r->app, buf_str(&out));
}

static bool open_stores(struct removal *r)
{
    const struct reach_options reach = {.kubeconfig = r->o->kubeconfig, .context = r->o->context};
    if (!reach_cluster(r->app, r->arena, &reach, r->app->log, &r->config, &r->client))
        return false;
    /* With the lease, so that no `terrane up` acts on objects that are being moved. */
    r->from = store_sqlite_open(r->o->folder, &(struct store_sqlite_options){.visit = !r->o->apply}, &r->app->diags);
    r->to = store_kube_open(&(struct store_kube_options){.client = r->client, .component = "terrane"});
    return r->from && (!r->o->apply || install_namespace(r->client, STR(CONTROLLER_NAMESPACE), &r->app->diags));
}

static int run(struct removal *r)
{
    struct str version;
    size_t left = 0;
    if (!open_stores(r) || store_list(r->from, r->arena, &(struct store_query){0}, note, r, &r->app->diags, &version) != STORE_OK)
        return EXIT_FAILED;
    for (int turn = 0; turn <= RANK_MANAGED; turn++)
        for (size_t i = 0; i < r->parcels.n && !cancel_fired(r->app->cancel); i++) {
            struct parcel *p = &r->parcels.v[i];
            if (rank(&p->key) != turn || p->fate != WILL_MOVE)
                continue;
            if (map_get(&r->journals, p->uid)) {
                p->fate = STAYS;
                p->why = STR("an operation is under way; let `terrane up --once` end it first");
            } else if (r->o->apply)
                (void)move(r, p);
            else
                try_out(r, p);
        }
    if (!print(r, &left))
        return EXIT_FAILED;
    return cancel_fired(r->app->cancel) ? EXIT_INTERRUPTED : left > 0 ? EXIT_CHANGES : EXIT_OK;
}

int to_kubernetes(struct app *app, const struct migrate_options *o)
{
    struct removal r = {.app = app, .o = o, .arena = arena_new(NULL, 0)};
    map_init(&r.journals, r.arena);
    int code = run(&r);
    store_close(r.to);
    store_close(r.from);
    kube_free(r.client);
    arena_free(r.arena);
    return code;
}
