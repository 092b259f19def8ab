#include "cluster/activation.h"

#include "base/map.h"
#include "base/vec.h"
#include "kube/list.h"

static const struct kube_resource policies = {STR("apiextensions.crossplane.io"), STR("v1alpha1"),
                                              STR("ManagedResourceActivationPolicy"), STR("managedresourceactivationpolicies"),
                                              false};
static const struct kube_resource definitions = {STR("apiextensions.crossplane.io"), STR("v1alpha1"),
                                                 STR("ManagedResourceDefinition"), STR("managedresourcedefinitions"), false};

struct asking {
    struct arena *arena;
    VEC(const char *) patterns;
    struct map states; /* CRD name -> "Active" or another state */
};

static bool take_policy(void *ctx, struct arena *a, const struct json *policy)
{
    struct asking *q = ctx;
    const struct json *wanted = json_get(json_get(policy, "spec"), "activate");
    (void)a;
    for (size_t i = 0; wanted && wanted->kind == JSON_ARRAY && i < wanted->array.n; i++)
        *VEC_PUSH(q->arena, &q->patterns) = arena_str(q->arena, json_text(wanted->array.items[i], STR_EMPTY)).p;
    return true;
}

static bool take_definition(void *ctx, struct arena *a, const struct json *definition)
{
    struct asking *q = ctx;
    (void)a;
    struct str name = json_text(json_get(json_get(definition, "metadata"), "name"), STR_EMPTY);
    struct str state = json_text(json_get(json_get(definition, "spec"), "state"), STR_EMPTY);
    map_put(&q->states, arena_str(q->arena, name), (void *)arena_str(q->arena, state).p);
    return true;
}

/* Lists all objects of a kind that the cluster may not have. */
static bool ask(struct kube *client, struct asking *q, const struct kube_resource *what, kube_each *each, struct diags *diags)
{
    const struct kube_place all = {what, STR_EMPTY, STR_EMPTY, NULL};
    const struct kube_selection any = {STR_EMPTY, STR_EMPTY};
    struct diags said;
    struct str version;
    diags_init(&said, q->arena);
    enum kube_result result = kube_list(client, q->arena, &all, &any, each, q, &said, &version);
    if (result == KUBE_OK || result == KUBE_NOT_FOUND || result == KUBE_FORBIDDEN) /* forbidden: the policies do not apply */
        return true;
    diags_append(diags, &said);
    return false;
}

static bool is_wanted(const struct activation_options *o, const struct asking *q, const struct kind *kind)
{
    const struct patterns by_policy = {q->patterns.v, q->patterns.n};
    return o->activate.n == 0 || selection_matches(&o->activate, kind) || selection_matches(&by_policy, kind);
}

static bool serves(const struct kinds_list *managed, const struct kind *config)
{
    for (size_t i = 0; i < managed->n; i++)
        if (managed->v[i]->provider == config->provider && managed->v[i]->flavour == config->flavour)
            return true;
    return false;
}

bool activation_make(struct arena *a, const struct activation_options *o, struct diags *diags, struct activation *ret)
{
    struct asking q = {.arena = a};
    VEC(const struct kind *) served = {0}, installed = {0};
    uint64_t digest = 0;
    map_init(&q.states, a);
    if (!ask(o->client, &q, &policies, take_policy, diags) || !ask(o->client, &q, &definitions, take_definition, diags))
        return false;
    for (size_t i = 0; i < o->known.n; i++) {
        const struct kind *k = o->known.v[i];
        struct str name = selection_name(a, k);
        const char *state = map_get(&q.states, name);
        struct kinds_list so_far = {served.v, served.n};
        bool managed = k->role == KIND_MANAGED; /* the others follow in the list */
        if (managed ? (state ? strcmp(state, "Active") != 0 : !is_wanted(o, &q, k)) : !serves(&so_far, k))
            continue;
        *VEC_PUSH(a, &served) = k;
        if (!state)
            *VEC_PUSH(a, &installed) = k;
        digest ^= str_hash(name, state ? 1 : 2);
    }
    *ret = (struct activation){{served.v, served.n}, {installed.v, installed.n}, digest};
    return true;
}
