#include "kube/status.h"

enum { MAX_CAUSES = 16 };

static struct str reason_of(const struct json *answer)
{
    return json_text(json_get(answer, "reason"), STR_EMPTY);
}

enum kube_result kube_result_of(long status, const struct json *answer)
{
    if (status >= 200 && status < 300)
        return KUBE_OK;
    switch (status) {
    case 401:
        return KUBE_UNAUTHORIZED;
    case 403:
        return KUBE_FORBIDDEN;
    case 404:
        return KUBE_NOT_FOUND;
    case 409:
        return str_eqz(reason_of(answer), "AlreadyExists") ? KUBE_EXISTS : KUBE_CONFLICT;
    case 410:
        return KUBE_GONE;
    case 413:
        return KUBE_TOO_LARGE;
    case 408:
    case 429:
        return KUBE_UNAVAILABLE;
    default:
        return status >= 500 ? KUBE_UNAVAILABLE : KUBE_INVALID;
    }
}

bool kube_is_lasting(enum kube_result result)
{
    return result == KUBE_FORBIDDEN || result == KUBE_UNAUTHORIZED || result == KUBE_NOT_FOUND || result == KUBE_INVALID;
}

static const char *summary_of(enum kube_result result)
{
    switch (result) {
    case KUBE_NOT_FOUND:
        return "Not found";
    case KUBE_EXISTS:
        return "Exists already";
    case KUBE_CONFLICT:
        return "The object has been modified";
    case KUBE_TOO_LARGE:
        return "Too large for the API server";
    case KUBE_GONE:
        return "Version no longer known";
    case KUBE_FORBIDDEN:
        return "Not allowed";
    case KUBE_UNAUTHORIZED:
        return "Credentials were not accepted";
    case KUBE_INVALID:
        return "Refused by the API server";
    default:
        return "The API server cannot do that now";
    }
}

static void explain_causes(struct diags *diags, const char *summary, const struct json *causes, struct str request)
{
    size_t n = causes->array.n < MAX_CAUSES ? causes->array.n : MAX_CAUSES;
    for (size_t i = 0; i < n; i++) {
        const struct json *c = causes->array.items[i];
        struct str field = json_text(json_get(c, "field"), STR_EMPTY);
        (void)diags_fail(diags, summary, STR_FMT ": " STR_FMT "%s" STR_FMT, STR_ARG(request), STR_ARG(field),
                         field.n > 0 ? ": " : "", STR_ARG(json_text(json_get(c, "message"), STR("(no message)"))));
    }
}

/* "Grant it: verbs [list], apiGroups [s3.aws.upbound.io], resources [buckets]." */
static struct str what_to_grant(struct arena *a, const struct kube_right *r)
{
    if (r->path.n > 0)
        return arena_printf(a, "Grant the verb \"%s\" on the URL " STR_FMT " to this user.", r->verb, STR_ARG(r->path));
    return arena_printf(a,
                        "Grant it with a rule of a %s that is bound to this user: apiGroups: [\"" STR_FMT
                        "\"], resources: [\"" STR_FMT "%s" STR_FMT "\"], verbs: [\"%s\"].",
                        r->namespace.n > 0 ? "Role or ClusterRole" : "ClusterRole", STR_ARG(r->group), STR_ARG(r->resource),
                        r->subresource.n > 0 ? "/" : "", STR_ARG(r->subresource), r->verb);
}

/*
 * Admission (a quota, a policy, a namespace that is being deleted) answers with the same status even to users who have the right.
 * Messages of authorizers say who cannot do what.
 */
static bool is_about_rights(const struct json *answer, struct str message)
{
    return !answer || message.n == 0 || str_contains(message, STR("cannot"));
}

void kube_explain(struct diags *diags, long status, const struct json *answer, const struct kube_right *right, struct str why)
{
    enum kube_result result = kube_result_of(status, answer);
    const char *summary = summary_of(result);
    struct arena *a = diags->arena;
    struct str request = kube_right_text(a, right), message = json_text(json_get(answer, "message"), STR_EMPTY);
    const struct json *causes = json_get(json_get(answer, "details"), "causes");
    if (result == KUBE_INVALID && causes && causes->kind == JSON_ARRAY && causes->array.n > 0) {
        explain_causes(diags, summary, causes, request);
        return;
    }
    bool is_right = result == KUBE_FORBIDDEN && is_about_rights(answer, message);
    /* An API server gives a reason; a proxy, another server or the wrong scheme does not. */
    if (!answer && why.n == 0 && status < 500 && (result == KUBE_NOT_FOUND || result == KUBE_INVALID))
        why = STR("Is the address in the kubeconfig, with its scheme and path, that of a Kubernetes API server?");
    if (message.n == 0)
        message = arena_printf(a, "HTTP status %ld, without a reason", status);
    if (result == KUBE_UNAUTHORIZED && why.n == 0)
        why = STR("Renew the token or the client certificate that the kubeconfig has for this user, or choose another context");
    if (is_right)
        (void)diags_fail(diags, summary, "Missing right: " STR_FMT ". " STR_FMT "\n\nThe server says: " STR_FMT, STR_ARG(request),
                         STR_ARG(what_to_grant(a, right)), STR_ARG(message));
    else
        (void)diags_fail(diags, summary, STR_FMT ": " STR_FMT "%s" STR_FMT, STR_ARG(request), STR_ARG(message),
                         why.n > 0 ? ". " : "", STR_ARG(why));
}
