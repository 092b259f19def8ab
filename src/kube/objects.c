#include "kube/objects.h"

struct str kube_metadata(const struct json *object, const char *key)
{
    return json_text(json_get(json_get(object, "metadata"), key), STR_EMPTY);
}

/* A shallow copy of the object in which `key` has another value, or is missing (NULL). */
static const struct json *replaced(struct arena *a, const struct json *object, const char *key, const struct json *value)
{
    struct json_member *members = arena_make_n(a, struct json_member, object->object.n);
    size_t n = 0;
    for (size_t i = 0; i < object->object.n; i++) {
        bool same = str_eqz(object->object.members[i].key, key);
        if (same && !value)
            continue;
        members[n] = object->object.members[i];
        if (same)
            members[n].value = value;
        n++;
    }
    return json_make_object(a, members, n);
}

const struct json *kube_trim(struct arena *a, const struct json *object)
{
    const struct json *metadata = json_get(object, "metadata");
    if (!json_get(metadata, "managedFields"))
        return object;
    return replaced(a, object, "metadata", replaced(a, metadata, "managedFields", NULL));
}

static struct str text_of(struct arena *a, const struct json *j)
{
    struct buf text BUF_AUTO = BUF_INIT(KUBE_MAX_ANSWER);
    struct json_writer w = {.out = &text};
    json_write(&w, j);
    return json_finish(&w) ? buf_copy(&text, a) : STR_EMPTY;
}

/* Sends the body as JSON and trims the answer. */
static enum kube_result ask(struct kube *k, struct arena *a, struct kube_request *r, const struct json *body, struct diags *diags,
                            const struct json **ret)
{
    const struct json *answer = NULL;
    if (body) {
        r->body = text_of(a, body);
        if (r->body.n == 0 || r->body.n > KUBE_MAX_OBJECT) {
            (void)diags_fail(diags, "Too large for the API server", "The object has more than %d bytes as JSON.",
                             KUBE_MAX_OBJECT);
            return KUBE_TOO_LARGE;
        }
    }
    enum kube_result result = kube_do(k, a, r, diags, &answer);
    if (result == KUBE_OK && ret)
        *ret = kube_trim(a, answer);
    return result;
}

enum kube_result kube_get(struct kube *k, struct arena *a, const struct kube_place *at, struct diags *diags,
                          const struct json **ret)
{
    return ask(k, a, &(struct kube_request){.method = "GET", .target = kube_path(a, at)}, NULL, diags, ret);
}

enum kube_result kube_create(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                             struct diags *diags, const struct json **ret)
{
    return ask(k, a, &(struct kube_request){.method = "POST", .target = kube_path(a, at), .once = true}, object, diags, ret);
}

enum kube_result kube_replace(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                              struct diags *diags, const struct json **ret)
{
    return ask(k, a, &(struct kube_request){.method = "PUT", .target = kube_path(a, at)}, object, diags, ret);
}

enum kube_result kube_apply(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *object,
                            const struct kube_apply *how, struct diags *diags, const struct json **ret)
{
    struct buf target BUF_AUTO = BUF_INIT(HTTP_MAX_HEADERS);
    buf_add(&target, kube_path(a, at));
    kube_query(&target, "fieldManager", str_of(how->manager));
    if (how->force)
        kube_query(&target, "force", STR("true"));
    struct kube_request r = {.method = "PATCH", .target = buf_str(&target), .content_type = "application/apply-patch+yaml"};
    return ask(k, a, &r, object, diags, ret);
}

enum kube_result kube_merge(struct kube *k, struct arena *a, const struct kube_place *at, const struct json *patch,
                            struct diags *diags, const struct json **ret)
{
    struct kube_request r = {.method = "PATCH", .target = kube_path(a, at), .content_type = "application/merge-patch+json"};
    return ask(k, a, &r, patch, diags, ret);
}

enum kube_result kube_delete(struct kube *k, struct arena *a, const struct kube_place *at, const struct kube_preconditions *must,
                             struct diags *diags, const struct json **ret)
{
    struct json_member conditions[2], options[3] = {
                                          {.key = STR("apiVersion"), .value = json_make_string(a, STR("v1"))},
                                          {.key = STR("kind"), .value = json_make_string(a, STR("DeleteOptions"))},
                                      };
    size_t n = 0, n_options = 2;
    if (must && must->uid.n > 0)
        conditions[n++] = (struct json_member){.key = STR("uid"), .value = json_make_string(a, must->uid)};
    if (must && must->version.n > 0)
        conditions[n++] = (struct json_member){.key = STR("resourceVersion"), .value = json_make_string(a, must->version)};
    if (n > 0)
        options[n_options++] = (struct json_member){.key = STR("preconditions"), .value = json_make_object(a, conditions, n)};
    struct kube_request r = {.method = "DELETE", .target = kube_path(a, at)};
    return ask(k, a, &r, json_make_object(a, options, n_options), diags, ret);
}
