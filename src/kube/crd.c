#include "kube/crd.h"

#include "kube/client_private.h"
#include "kube/objects.h"

#define MANAGED_BY "app.kubernetes.io/managed-by"
#define FIRST_PAUSE_NS (50 * NS_PER_MS)
#define MAX_PAUSE_NS NS_PER_S

static const struct kube_resource definitions = {STR("apiextensions.k8s.io"), STR("v1"), STR("CustomResourceDefinition"),
                                                 STR("customresourcedefinitions"), false};

static struct kube_place place_of(struct str name)
{
    return (struct kube_place){&definitions, STR_EMPTY, name, NULL};
}

/* Ownership */

static bool is_ours(const struct json *crd, const char *manager)
{
    const struct json *labels = json_get(json_get(crd, "metadata"), "labels");
    const struct json *fields = json_get(json_get(crd, "metadata"), "managedFields");
    if (str_eqz(json_text(json_get(labels, MANAGED_BY), STR_EMPTY), manager))
        return true;
    for (size_t i = 0; fields && fields->kind == JSON_ARRAY && i < fields->array.n; i++) {
        const struct json *f = fields->array.items[i];
        if (str_eqz(json_text(json_get(f, "manager"), STR_EMPTY), manager) &&
            str_eqz(json_text(json_get(f, "operation"), STR_EMPTY), "Apply"))
            return true;
    }
    return false;
}

static enum kube_result refuse(const struct json *crd, struct str name, struct diags *diags)
{
    struct buf owners BUF_AUTO = BUF_INIT(1024);
    const struct json *fields = json_get(json_get(crd, "metadata"), "managedFields");
    for (size_t i = 0; fields && fields->kind == JSON_ARRAY && i < fields->array.n; i++) {
        const struct json *f = fields->array.items[i];
        if (!json_get(f, "subresource"))
            buf_printf(&owners, "%s\"" STR_FMT "\"", owners.n > 0 ? ", " : "",
                       STR_ARG(json_text(json_get(f, "manager"), STR("?"))));
    }
    (void)diags_fail(
        diags, "The definition belongs to another owner",
        "The CustomResourceDefinition " STR_FMT " exists and was made by %s" STR_FMT
        ". It is left as it is. Remove what installed it (its objects go with it), choose another group, or take it over "
        "on purpose.",
        STR_ARG(name), owners.n > 0 ? "" : "another owner", STR_ARG(buf_str(&owners)));
    return KUBE_CONFLICT;
}

/* With managedFields, which kube_get() leaves out. */
static enum kube_result read_whole(struct kube *k, struct arena *a, struct str name, struct diags *diags, const struct json **ret)
{
    struct kube_place at = place_of(name);
    return kube_do(k, a, &(struct kube_request){.method = "GET", .target = kube_path(a, &at)}, diags, ret);
}

/* Adds our label and drops the members that the server owns. */
static const struct json *labelled(struct arena *a, const struct json *crd, const char *manager)
{
    const struct json *metadata = json_get(crd, "metadata"), *labels = json_get(metadata, "labels");
    const struct json *annotations = json_get(metadata, "annotations");
    size_t n_labels = labels && labels->kind == JSON_OBJECT ? labels->object.n : 0, n = 0, m = 0;
    struct json_member *all = arena_make_n(a, struct json_member, n_labels + 1), own[3], top[4];
    for (size_t i = 0; i < n_labels; i++)
        if (!str_eqz(labels->object.members[i].key, MANAGED_BY))
            all[n++] = labels->object.members[i];
    all[n++] = (struct json_member){.key = STR(MANAGED_BY), .value = json_make_string(a, str_of(manager))};
    own[m++] = (struct json_member){.key = STR("name"), .value = json_get(metadata, "name")};
    own[m++] = (struct json_member){.key = STR("labels"), .value = json_make_object(a, all, n)};
    if (annotations)
        own[m++] = (struct json_member){.key = STR("annotations"), .value = annotations};
    top[0] = (struct json_member){.key = STR("apiVersion"), .value = json_make_string(a, STR("apiextensions.k8s.io/v1"))};
    top[1] = (struct json_member){.key = STR("kind"), .value = json_make_string(a, STR("CustomResourceDefinition"))};
    top[2] = (struct json_member){.key = STR("metadata"), .value = json_make_object(a, own, m)};
    top[3] = (struct json_member){.key = STR("spec"), .value = json_get(crd, "spec")};
    return json_make_object(a, top, 4);
}

enum kube_result kube_crd_apply(struct kube *k, struct arena *a, const struct json *crd, const struct kube_crd_options *options,
                                struct diags *diags, enum kube_crd_change *ret)
{
    struct str name = kube_metadata(crd, "name");
    const struct json *there = NULL, *made = NULL;
    struct diags said;
    diags_init(&said, a);
    if (name.n == 0 || !json_get(crd, "spec")) {
        (void)diags_fail(diags, "Invalid definition", "A CustomResourceDefinition has a metadata.name and a spec.");
        return KUBE_INVALID;
    }
    enum kube_result result = read_whole(k, a, name, &said, &there);
    if (result != KUBE_OK && result != KUBE_NOT_FOUND) {
        diags_append(diags, &said);
        return result;
    }
    if (there && !options->take_over && !is_ours(there, options->manager))
        return refuse(there, name, diags);
    struct kube_place at = place_of(name);
    struct kube_apply how = {.manager = options->manager, .force = true};
    result = kube_apply(k, a, &at, labelled(a, crd, options->manager), &how, diags, &made);
    if (result != KUBE_OK)
        return result;
    bool same = there && str_eq(kube_metadata(there, "resourceVersion"), kube_metadata(made, "resourceVersion"));
    *ret = same ? KUBE_CRD_SAME : there ? KUBE_CRD_UPDATED : KUBE_CRD_CREATED;
    return KUBE_OK;
}

/* Waiting */

static const struct json *condition(const struct json *crd, const char *type)
{
    const struct json *all = json_get(json_get(crd, "status"), "conditions");
    for (size_t i = 0; all && all->kind == JSON_ARRAY && i < all->array.n; i++)
        if (str_eqz(json_text(json_get(all->array.items[i], "type"), STR_EMPTY), type))
            return all->array.items[i];
    return NULL;
}

static bool is(const struct json *condition, const char *status)
{
    return str_eqz(json_text(json_get(condition, "status"), STR_EMPTY), status);
}

static bool has_version(const struct json *crd, struct str version)
{
    const struct json *versions = json_get(json_get(crd, "spec"), "versions");
    for (size_t i = 0; versions && versions->kind == JSON_ARRAY && i < versions->array.n; i++)
        if (str_eq(json_text(json_get(versions->array.items[i], "name"), STR_EMPTY), version))
            return json_bool(json_get(versions->array.items[i], "served"), false);
    return false;
}

bool kube_crd_is_absent(struct kube *k, struct str name, struct str version)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct kube_place at = place_of(name);
    const struct json *crd = NULL, *refusal = NULL;
    struct diags unread;
    diags_init(&unread, a);
    enum kube_result result =
        kube_do(k, a, &(struct kube_request){.method = "GET", .target = kube_path(a, &at), .refusal = &refusal}, &unread, &crd);
    bool absent = result == KUBE_OK ? kube_metadata(crd, "deletionTimestamp").n > 0 ||
                                          !is(condition(crd, "Established"), "True") || !has_version(crd, version)
                                    : result == KUBE_NOT_FOUND && refusal &&
                                          str_eq(json_text(json_get(json_get(refusal, "details"), "name"), STR_EMPTY), name);
    if (absent)
        log_warn(kube_log(k), "a kind is not served; its definition is waited for", LOG_STR("definition", name),
                 LOG_STR("version", version));
    return absent;
}

/* The server begins to serve a kind a moment after it is established. */
static bool is_served(struct kube *k, struct arena *a, const struct json *crd)
{
    const struct json *spec = json_get(crd, "spec"), *versions = json_get(spec, "versions");
    for (size_t i = 0; versions && versions->kind == JSON_ARRAY && i < versions->array.n; i++) {
        const struct json *v = versions->array.items[i];
        struct diags unread;
        diags_init(&unread, a);
        struct kube_resource r = {.group = json_text(json_get(spec, "group"), STR_EMPTY),
                                  .version = json_text(json_get(v, "name"), STR_EMPTY),
                                  .plural = json_text(json_get(json_get(spec, "names"), "plural"), STR_EMPTY)};
        struct str target = arena_printf(a, STR_FMT "?limit=1", STR_ARG(kube_path(a, &(struct kube_place){.resource = &r})));
        if (!json_bool(json_get(v, "served"), false))
            continue;
        enum kube_result result = kube_do(k, a, &(struct kube_request){.method = "GET", .target = target}, &unread, NULL);
        if (result != KUBE_OK && result != KUBE_FORBIDDEN) /* 403 also proves that the kind is served */
            return false;
    }
    return true;
}

static enum kube_result not_in_time(const struct json *crd, struct str name, struct diags *diags)
{
    const struct json *c = condition(crd, "Established");
    (void)diags_fail(diags, "The definition is not served",
                     "The CustomResourceDefinition " STR_FMT " was not established in time: " STR_FMT ".", STR_ARG(name),
                     STR_ARG(json_text(json_get(c, "message"), STR("the API server does not say why"))));
    return KUBE_UNAVAILABLE;
}

enum kube_result kube_crd_wait(struct kube *k, struct str name, const struct kube_crd_options *options, struct diags *diags)
{
    const struct http_time *time = kube_time(k);
    int64_t deadline = options->deadline != NO_DEADLINE ? options->deadline : clock_now(time->clock) + KUBE_CRD_WAIT_S * NS_PER_S;
    int64_t pause = FIRST_PAUSE_NS;
    for (;;) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct json *crd = NULL;
        struct kube_place at = place_of(name);
        enum kube_result result = kube_get(k, a, &at, diags, &crd);
        if (result != KUBE_OK)
            return result;
        const struct json *names = condition(crd, "NamesAccepted");
        if (is(names, "False")) {
            (void)diags_fail(diags, "The definition's names are taken", "The CustomResourceDefinition " STR_FMT ": " STR_FMT ".",
                             STR_ARG(name), STR_ARG(json_text(json_get(names, "message"), STR_EMPTY)));
            return KUBE_CONFLICT;
        }
        if (is(names, "True") && is(condition(crd, "Established"), "True") && is_served(k, a, crd))
            return KUBE_OK;
        if (clock_now(time->clock) >= deadline)
            return not_in_time(crd, name, diags);
        if (!time->pause(time, pause, options->cancel)) {
            (void)diags_fail(diags, "Cancelled", "Waiting for " STR_FMT " was cancelled.", STR_ARG(name));
            return KUBE_CANCELLED;
        }
        pause = pause * 2 < MAX_PAUSE_NS ? pause * 2 : MAX_PAUSE_NS;
    }
}
