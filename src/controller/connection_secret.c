/* Creates, updates and removes the connection secret of an object. */
#include "base/base64.h"
#include "controller/controller_private.h"

#define CONNECTION_TYPE "connection.crossplane.io/v1alpha1"
#define CANNOT "cannot create or update connection secret: "

bool wants_connection_secret(const struct json *object)
{
    return managed_text(managed_at(object, "spec", "writeConnectionSecretToRef", "name", NULL)).n > 0;
}

static struct store_key secret_key(const struct turn *t, const struct json *object)
{
    const struct json *ref = managed_at(object, "spec", "writeConnectionSecretToRef", NULL);
    return (struct store_key){
        .kind = STR("Secret"),
        .namespace = t->kind->namespaced ? managed_namespace(object) : managed_text(json_get(ref, "namespace")),
        .name = managed_text(json_get(ref, "name")),
    };
}

const struct json *owner_of(struct arena *a, const struct json *object)
{
    const struct json *yes = json_make_bool(a, true);
    const struct json_member members[] = {
        {.key = STR("apiVersion"), .value = json_get(object, "apiVersion")},
        {.key = STR("kind"), .value = json_get(object, "kind")},
        {.key = STR("name"), .value = json_make_string(a, managed_name(object))},
        {.key = STR("uid"), .value = json_make_string(a, managed_uid(object))},
        {.key = STR("controller"), .value = yes},
        {.key = STR("blockOwnerDeletion"), .value = yes},
    };
    return json_make_object(a, members, sizeof members / sizeof members[0]);
}

/* May this object write the Secret? With the messages of Crossplane. */
static struct reconcile_answer may_write(struct turn *t, const struct json *object, const struct json *secret)
{
    struct str controller = managed_controller(secret), type = managed_text(json_get(secret, "type"));
    if (controller.n == 0 && !str_eqz(type, CONNECTION_TYPE))
        return answer_failed(arena_printf(t->arena, CANNOT "refusing to modify uncontrolled secret of type \"" STR_FMT "\"",
                                          STR_ARG(type.n > 0 ? type : STR("Opaque"))));
    if (controller.n > 0 && !str_eq(controller, managed_uid(object)))
        return answer_failed(arena_printf(t->arena, CANNOT "existing secret is not controlled by UID \"" STR_FMT "\"",
                                          STR_ARG(managed_uid(object))));
    return (struct reconcile_answer){0};
}

static const struct json *with_details(struct arena *a, const struct json *secret, const struct json *details)
{
    const struct json *data = json_get(secret, "data");
    for (size_t i = 0; i < managed_count(details); i++) {
        struct buf encoded BUF_AUTO = BUF_INIT(STORE_MAX_OBJECT);
        base64_write(&encoded, managed_text(details->object.members[i].value));
        data = json_with(a, data, details->object.members[i].key, json_make_string(a, buf_copy(&encoded, a)));
    }
    return data ? managed_put(a, secret, data, "data", NULL) : secret;
}

static const struct json *new_secret(struct arena *a, const struct store_key *key)
{
    const struct json *o = json_make_object(a, NULL, 0);
    o = managed_put(a, o, json_make_string(a, STR("v1")), "apiVersion", NULL);
    o = managed_put(a, o, json_make_string(a, STR("Secret")), "kind", NULL);
    o = managed_put(a, o, json_make_string(a, key->name), "metadata", "name", NULL);
    o = managed_put(a, o, json_make_string(a, key->namespace), "metadata", "namespace", NULL);
    return managed_put(a, o, json_make_string(a, STR(CONNECTION_TYPE)), "type", NULL);
}

struct reconcile_answer publish_connection(void *turn, const struct reconcile_call *call, const struct json *object,
                                           const struct json *details)
{
    struct turn *t = turn;
    struct arena *a = t->arena;
    (void)call;
    if (!wants_connection_secret(object))
        return (struct reconcile_answer){0};
    struct store_key key = secret_key(t, object);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *old = turn_get(t, &key, &diags), *ignored;
    if (diags_has_errors(&diags))
        return answer_failed(arena_printf(a, CANNOT STR_FMT, STR_ARG(says(a, &diags))));
    struct reconcile_answer answer = old ? may_write(t, object, old) : (struct reconcile_answer){0};
    if (answer.status != RECONCILE_OK)
        return answer;
    const struct json *secret = old ? old : new_secret(a, &key);
    if (managed_controller(secret).n == 0) {
        const struct json *owners =
            managed_append(a, managed_at(secret, "metadata", "ownerReferences", NULL), owner_of(a, object));
        secret = managed_put(a, secret, owners, "metadata", "ownerReferences", NULL);
    }
    secret = with_details(a, secret, details);
    if (old && json_eq(secret, old))
        return (struct reconcile_answer){0};
    enum store_result result = (old ? store_update : store_create)(t->c->store, a, secret, &diags, &ignored);
    if (result == STORE_CONFLICT || result == STORE_EXISTS)
        return (struct reconcile_answer){.status = RECONCILE_CONFLICT, .message = STR_EMPTY};
    if (result != STORE_OK)
        return answer_failed(arena_printf(a, CANNOT STR_FMT, STR_ARG(says(a, &diags))));
    return (struct reconcile_answer){0};
}

/* Nothing else deletes a Secret whose owner is gone. */
struct reconcile_answer unpublish_connection(void *turn, const struct reconcile_call *call, const struct json *object)
{
    struct turn *t = turn;
    (void)call;
    if (!wants_connection_secret(object))
        return (struct reconcile_answer){0};
    struct store_key key = secret_key(t, object);
    struct diags diags;
    diags_init(&diags, t->arena);
    const struct json *secret = turn_get(t, &key, &diags), *ignored;
    if (!secret || !str_eq(managed_controller(secret), managed_uid(object)))
        return (struct reconcile_answer){0};
    const struct store_preconditions must = {.uid = managed_uid(secret)};
    enum store_result result = store_remove(t->c->store, t->arena, &key, &must, &diags, &ignored);
    if (result == STORE_OK || result == STORE_NOT_FOUND || result == STORE_CONFLICT)
        return (struct reconcile_answer){0};
    return answer_failed(says(t->arena, &diags));
}
