/*
 * When several objects claim the same resource (same kind, ProviderConfig and id), the one that has created it manages it, or
 * else the oldest; the others keep away. If two objects have each created something, these are two resources, whatever their ids:
 * some providers give the same id to many (random_password, local_file). Candidates come from what is remembered of objects
 * (known.h); the decision is made on the objects in the store.
 */
#include "controller/controller_private.h"
#include "managed/identity.h"
#include "managed/policies.h"
#include "managed/translate.h"

enum { MAX_NAMESAKES = 64 }; /* compared at most: objects of other regions have the same name, too */

/* What identifies an object's resource, as far as known without asking the provider. */
struct thing {
    struct store_key config;
    const struct json *beside; /* its region */
    struct str id;
};

/*
 * False: nothing identifies a resource yet, or only the provider could tell. Names that repeat identify nothing: an object that
 * kept away from another's resource for its name alone would be let go without deleting its own.
 */
static bool thing_of(struct turn *t, const struct json *templates, const struct json *object, struct thing *ret)
{
    struct thing thing;
    const struct json *parameters;
    struct diags ignored;
    diags_init(&ignored, t->arena);
    if (t->model->config.external_name.name_repeats || !setup_config(t, object, &ignored, &thing.config) ||
        !managed_parameters(t->arena, t->model, object, &ignored, &parameters) ||
        !managed_beside(t->arena, t->model, object, &ignored, &thing.beside))
        return false;
    parameters = managed_add_name(t->arena, t->model, object, parameters);
    if (!managed_id(t->arena, t->model, object, parameters, templates, &ignored, &thing.id) || thing.id.n == 0)
        return false;
    *ret = thing;
    return true;
}

static bool is_same_thing(const struct thing *x, const struct thing *y)
{
    return str_eq(x->id, y->id) && str_eq(x->config.name, y->config.name) && str_eq(x->config.kind, y->config.kind) &&
           str_eq(x->config.namespace, y->config.namespace) && json_eq(x->beside, y->beside);
}

/*
 * An object that is paused or only observes changes nothing, so another may manage the resource, as when a user migrates to new
 * objects.
 */
static bool is_idle(const struct turn *t, const struct json *object)
{
    struct managed_policies policies = managed_policies(object, true, t->kind->flavour == FLAVOUR_CLUSTER);
    return managed_only_observes(&policies) || managed_policies_pause(&policies) || managed_is_paused_by_annotation(object);
}

static bool has_key(const struct known_keys *keys, struct str key)
{
    for (size_t i = 0; i < keys->n; i++)
        if (str_eq(keys->v[i], key))
            return true;
    return false;
}

static struct str created(const struct json *object)
{
    return managed_text(managed_at(object, "metadata", "creationTimestamp", NULL));
}

/* Has this object created the resource? */
static bool has_created(const struct json *object)
{
    return managed_mark_time(object, MANAGED_CREATE_SUCCEEDED) > 0;
}

/*
 * The object that has created the resource comes first, then the older one; of two of the same second, the one whose name comes
 * first.
 */
static bool is_before(struct arena *a, const struct json *x, const struct json *y)
{
    if (has_created(x) != has_created(y))
        return has_created(x);
    struct store_key key_x = object_key(x), key_y = object_key(y);
    int order = str_cmp(created(x), created(y));
    return (order ? order : str_cmp(key_text(a, &key_x), key_text(a, &key_y))) < 0;
}

/*
 * The object that manages this object's resource; NULL: no other. Objects that come after this one and do not wait for it yet are
 * woken.
 */
static const struct json *find_holder(struct turn *t, const struct json *templates, const struct json *object,
                                      const struct known_keys *names)
{
    const struct json *holder = NULL;
    struct known_keys waiting = known_users(t->c->known, t->arena, t->known->key);
    struct thing own, its;
    if (!thing_of(t, templates, object, &own))
        return NULL;
    for (size_t i = 0; i < names->n && i < MAX_NAMESAKES; i++) {
        struct store_key key = key_parse(names->v[i]);
        const struct json *other;
        struct diags ignored;
        diags_init(&ignored, t->arena);
        if (store_get(t->c->store, t->arena, &key, &ignored, &other) != STORE_OK || is_idle(t, other) ||
            (has_created(object) && has_created(other)) || !thing_of(t, templates, other, &its) || !is_same_thing(&own, &its))
            continue;
        if (!is_before(t->arena, other, object)) {
            bool here = controller_owns(t->c, controller_shard_of(t->c, &key, other));
            if (here && !has_key(&waiting, names->v[i])) /* another process sees by itself what its object waits for */
                controller_wake(t->c, names->v[i], QUEUE_CHANGE);
        } else if (!holder || is_before(t->arena, other, holder)) {
            holder = other;
        }
    }
    return holder;
}

struct reconcile_answer claim(void *connection, const struct reconcile_call *call, const struct json *object)
{
    struct external_connection *x = connection;
    struct turn *t = x->turn;
    (void)call;
    struct known_keys names = known_claim(t->c->known, t->arena, t->known, object);
    if (names.n == 0 || is_idle(t, object) || operation_is_open(t->known))
        return (struct reconcile_answer){0};
    const struct json *holder = find_holder(t, x->setup.templates, object, &names);
    if (!holder)
        return (struct reconcile_answer){0};
    struct store_key key = object_key(holder);
    struct str title = object_title(t->arena, &key), name = managed_external_name(object);
    turn_use(t, key_text(t->arena, &key)); /* this object is looked at again when that one is deleted or renamed */
    return answer_failed(arena_printf(t->arena,
                                      "external name \"" STR_FMT "\" is already used by " STR_FMT " (created " STR_FMT
                                      ") with the same ProviderConfig: two objects would undo each other's changes. Delete one "
                                      "of them, give this one another " MANAGED_EXTERNAL_NAME
                                      ", or let it only observe: spec.managementPolicies: [\"Observe\"]",
                                      STR_ARG(name), STR_ARG(title), STR_ARG(created(holder))));
}
