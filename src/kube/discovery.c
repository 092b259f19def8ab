#include "kube/discovery.h"

#include "base/lock.h"
#include "base/must.h"
#include "base/vec.h"
#include "kube/client_private.h"

#define AGGREGATED                                                                                                               \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                                                      \
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

struct kube_discovery {
    struct kube *k;
    pthread_mutex_t lock; /* guards the members below; held while the server is asked */
    struct arena *arena;
    struct kube_kinds kinds;
    bool asked; /* all kinds were fetched once */
};

/* Reading */

static struct str text(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

static size_t count(const struct json *list)
{
    return list && list->kind == JSON_ARRAY ? list->array.n : 0;
}

static void add(struct arena *a, struct kube_kinds *kinds, struct kube_resource r)
{
    bool usable = r.version.n > 0 && r.kind.n > 0 && r.plural.n > 0 && str_find(r.plural, '/', 0) == SIZE_MAX;
    if (!usable || kinds->n >= KUBE_DISCOVERY_MAX_KINDS)
        return;
    *VEC_PUSH(a, kinds) = (struct kube_resource){arena_str(a, r.group), arena_str(a, r.version), arena_str(a, r.kind),
                                                 arena_str(a, r.plural), r.namespaced};
}

bool kube_kinds_of_aggregated(struct arena *a, const struct json *answer, struct kube_kinds *kinds)
{
    if (!str_eqz(text(answer, "kind"), "APIGroupDiscoveryList"))
        return false;
    const struct json *groups = json_get(answer, "items");
    for (size_t g = 0; g < count(groups); g++) {
        const struct json *group = groups->array.items[g], *versions = json_get(group, "versions");
        for (size_t v = 0; v < count(versions); v++) {
            const struct json *version = versions->array.items[v], *resources = json_get(version, "resources");
            for (size_t i = 0; i < count(resources); i++) {
                const struct json *r = resources->array.items[i];
                add(a, kinds,
                    (struct kube_resource){text(json_get(group, "metadata"), "name"), text(version, "version"),
                                           text(json_get(r, "responseKind"), "kind"), text(r, "resource"),
                                           str_eqz(text(r, "scope"), "Namespaced")});
            }
        }
    }
    return true;
}

bool kube_kinds_of_version(struct arena *a, const struct json *answer, struct str group, struct str version,
                           struct kube_kinds *kinds)
{
    const struct json *resources = json_get(answer, "resources");
    if (!str_eqz(text(answer, "kind"), "APIResourceList"))
        return false;
    for (size_t i = 0; i < count(resources); i++) {
        const struct json *r = resources->array.items[i];
        add(a, kinds,
            (struct kube_resource){group, version, text(r, "kind"), text(r, "name"),
                                   json_bool(json_get(r, "namespaced"), false)});
    }
    return true;
}

/* Asking */

static enum kube_result ask(struct kube_discovery *d, struct arena *a, struct str path, const char *accept, struct diags *diags,
                            const struct json **ret)
{
    struct kube_request r = {.method = "GET", .target = path, .accept = accept, .max_answer = KUBE_DISCOVERY_MAX};
    return kube_do(d->k, a, &r, diags, ret);
}

/* Kinds of the core group and of all other groups. */
static enum kube_result fetch_aggregated(struct kube_discovery *d, struct arena *keep, struct diags *diags,
                                         struct kube_kinds *kinds)
{
    static const char *const paths[] = {"/api", "/apis"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct json *answer;
        struct diags said;
        diags_init(&said, a);
        enum kube_result result = ask(d, a, str_of(paths[i]), AGGREGATED, &said, &answer);
        if (result == KUBE_NOT_FOUND) { /* it does not mean that a kind is missing: an API server always has these */
            (void)diags_fail(diags, "The answer is not from an API server",
                             "%s was not found there. Is the address in the kubeconfig that of a Kubernetes API server?",
                             paths[i]);
            return KUBE_UNAVAILABLE;
        }
        diags_append(diags, &said);
        if (result != KUBE_OK)
            return result;
        if (!kube_kinds_of_aggregated(keep, answer, kinds))
            return KUBE_OK; /* not supported: groups are fetched one by one */
    }
    return KUBE_OK;
}

static enum kube_result fetch_version(struct kube_discovery *d, struct arena *keep, struct str group, struct str version,
                                      struct diags *diags, struct kube_kinds *kinds)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *answer;
    struct str path =
        group.n > 0 ? arena_printf(a, "/apis/" STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(version)) : STR("/api/v1");
    enum kube_result result = ask(d, a, path, NULL, diags, &answer);
    if (result == KUBE_OK)
        (void)kube_kinds_of_version(keep, answer, group, version, kinds);
    return result;
}

static enum kube_result fetch_group(struct kube_discovery *d, struct arena *keep, struct str group, struct diags *diags,
                                    struct kube_kinds *kinds)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *answer;
    if (group.n == 0)
        return fetch_version(d, keep, group, STR("v1"), diags, kinds);
    enum kube_result result = ask(d, a, arena_printf(a, "/apis/" STR_FMT, STR_ARG(group)), NULL, diags, &answer);
    if (result != KUBE_OK)
        return result;
    struct str preferred = text(json_get(answer, "preferredVersion"), "version");
    const struct json *versions = json_get(answer, "versions");
    if (preferred.n > 0)
        result = fetch_version(d, keep, group, preferred, diags, kinds);
    for (size_t i = 0; i < count(versions) && result == KUBE_OK; i++) {
        struct str version = text(versions->array.items[i], "version");
        if (version.n > 0 && !str_eq(version, preferred))
            result = fetch_version(d, keep, group, version, diags, kinds);
    }
    return result;
}

/* Finding */

static const struct kube_resource *find(const struct kube_kinds *kinds, struct str group, struct str kind, struct str version)
{
    for (size_t i = 0; i < kinds->n; i++) {
        const struct kube_resource *r = &kinds->v[i];
        if (str_eq(r->kind, kind) && str_eq(r->group, group) && (version.n == 0 || str_eq(r->version, version)))
            return r;
    }
    return NULL;
}

/* Adds kinds that are not cached yet. Kinds that the server no longer has stay cached; a request for one gets a 404. */
static void learn(struct kube_discovery *d, const struct kube_kinds *fresh)
{
    for (size_t i = 0; i < fresh->n; i++) {
        const struct kube_resource *r = &fresh->v[i];
        if (!find(&d->kinds, r->group, r->kind, r->version))
            add(d->arena, &d->kinds, *r);
    }
}

/* Fetches all kinds, once. */
static enum kube_result ask_for_all(struct kube_discovery *d, struct diags *diags)
{
    enum kube_result result = fetch_aggregated(d, d->arena, diags, &d->kinds);
    d->asked = result == KUBE_OK;
    return result;
}

/* Also finds kinds that were defined a moment ago. */
static enum kube_result ask_for_group(struct kube_discovery *d, struct str group, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_kinds fresh = {0};
    enum kube_result result = fetch_group(d, a, group, diags, &fresh);
    learn(d, &fresh);
    return result == KUBE_NOT_FOUND ? KUBE_OK : result; /* the server has no kinds of this group */
}

static enum kube_result not_served(struct str group, struct str kind, struct str version, struct diags *diags)
{
    (void)diags_fail(diags, "Kind not found",
                     "The API server has no kind \"" STR_FMT "\" in group \"" STR_FMT "\"%s" STR_FMT
                     ". Is its CustomResourceDefinition installed?",
                     STR_ARG(kind), STR_ARG(group), version.n > 0 ? ", version " : "", STR_ARG(version));
    return KUBE_NOT_FOUND;
}

enum kube_result kube_discover(struct kube_discovery *d, struct arena *a, struct str group, struct str kind, struct str version,
                               struct diags *diags, struct kube_resource *ret)
{
    MUTEX_GUARD(&d->lock);
    const struct kube_resource *found = find(&d->kinds, group, kind, version);
    struct diags said;
    diags_init(&said, diags->arena);
    enum kube_result result = KUBE_OK;
    if (!found && !d->asked) {
        result = ask_for_all(d, &said);
        found = find(&d->kinds, group, kind, version);
    }
    if (!found && result == KUBE_OK) {
        result = ask_for_group(d, group, &said);
        found = find(&d->kinds, group, kind, version);
    }
    if (result != KUBE_OK) {
        diags_append(diags, &said);
        return result;
    }
    if (!found)
        return not_served(group, kind, version, diags);
    *ret = (struct kube_resource){arena_str(a, found->group), arena_str(a, found->version), arena_str(a, found->kind),
                                  arena_str(a, found->plural), found->namespaced};
    return KUBE_OK;
}

struct kube_discovery *kube_discovery_new(struct kube *k)
{
    struct kube_discovery *d = must(calloc(1, sizeof *d));
    d->k = k;
    d->arena = arena_new(NULL, 0);
    mutex_init(&d->lock);
    return d;
}

void kube_discovery_free(struct kube_discovery *d)
{
    if (!d)
        return;
    arena_free(d->arena);
    mutex_destroy(&d->lock);
    free(d);
}
