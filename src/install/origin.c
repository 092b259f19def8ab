#include "base/json.h"
#include "base/vec.h"
#include "install/origin_private.h"
#include "registry/find_places.h"
#include "registry/mirror_scan.h"

#include <errno.h>

enum { SHA256_HEX = 64 };

bool origin_allows(const struct origin *s, const struct provider_address *address)
{
    struct search_place place = {.rule = s->rule};
    return search_place_allows(&place, address);
}

static const struct json *read_json(const struct origin_context *c, const struct fetch_answer *answer, const char *what)
{
    struct diags problems;
    diags_init(&problems, c->arena);
    const struct json *j = json_parse(c->arena, answer->body, what, &problems);
    if (j && j->kind == JSON_OBJECT)
        return j;
    (void)diags_fail(c->diags, "Invalid response from a registry", "%s (" STR_FMT ") did not answer with a JSON object%s" STR_FMT,
                     what, STR_ARG(fetch_shown(c->arena, answer->url)), problems.n > 0 ? ": " : "",
                     STR_ARG(problems.n > 0 ? problems.v[0].detail : STR(".")));
    return NULL;
}

bool origin_refused(const struct origin_context *c, const struct fetch_answer *answer, struct str host, bool had_token)
{
    if (answer->status == 401 || answer->status == 403) {
        const char *why = had_token
                              ? "The token that is set for this host was refused."
                              : "No token is set for this host: a credentials block of the CLI configuration, or the variable "
                                "TF_TOKEN_ followed by the host (dots as underscores), sets one.";
        return diags_fail(c->diags, "Access denied", STR_FMT " asks for credentials (" STR_FMT ", status %ld). %s", STR_ARG(host),
                          STR_ARG(fetch_shown(c->arena, answer->url)), answer->status, why);
    }
    return diags_fail(c->diags, "Cannot query a provider source", STR_FMT " answered with status %ld.",
                      STR_ARG(fetch_shown(c->arena, answer->url)), answer->status);
}

bool origin_get(const struct origin_context *c, const struct origin_question *q, struct fetch_answer *ret_answer,
                const struct json **ret)
{
    if (!fetch_document(c->fetcher, c->arena, q->url, q->token, false, q->what, c->diags, ret_answer))
        return false;
    *ret = NULL;
    if (ret_answer->status == 404)
        return true;
    if (ret_answer->status != 200)
        return origin_refused(c, ret_answer, q->host, q->token.n > 0);
    *ret = read_json(c, ret_answer, q->what);
    return *ret != NULL;
}

bool origin_is_sha256(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
            return false;
    return s.n == SHA256_HEX;
}

void origin_add_version(const struct origin_context *c, const struct origin *s, struct str text, struct origin_versions *ret)
{
    struct origin_version v = {.protocols = STR_EMPTY, .speaks = true, .from = s};
    if (ret->n >= ORIGIN_MAX_VERSIONS || !provider_version_parse(arena_str(c->arena, text), &v.version))
        return;
    v.text = provider_version_text(c->arena, &v.version);
    *VEC_PUSH(c->arena, ret) = v;
}

/* Folders */

static bool scan(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                 struct provider_packages *ret)
{
    struct mirror_problem problem;
    *ret = (struct provider_packages){0};
    if (mirror_scan(c->arena, s->place.p, address, ret, &problem) ||
        (!s->named && (problem.error == ENOENT || problem.error == ENOTDIR)))
        return true;
    return diags_fail(c->diags, "Cannot search for providers", STR_FMT " (" STR_FMT "): %s.", STR_ARG(problem.path),
                      STR_ARG(s->name), strerror(problem.error));
}

static bool folder_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                        struct origin_versions *ret)
{
    struct provider_packages packages;
    if (!scan(c, s, address, &packages))
        return false;
    for (size_t i = 0; i < packages.n; i++)
        origin_add_version(c, s, provider_version_text(c->arena, &packages.v[i].version), ret);
    return true;
}

static bool folder_package(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                           const struct origin_version *version, struct str platform, bool *ret_found, struct origin_package *ret)
{
    struct provider_packages packages;
    *ret_found = false;
    if (!scan(c, s, address, &packages))
        return false;
    for (size_t i = 0; i < packages.n && !*ret_found; i++) {
        const struct provider_package *p = &packages.v[i];
        if (provider_version_cmp(&p->version, &version->version) != 0 || !str_eq(p->platform, platform))
            continue;
        *ret = (struct origin_package){.kind = p->packed ? PACKAGE_ZIP : PACKAGE_FOLDER, .place = p->path, .key = STR_EMPTY};
        *ret_found = true;
    }
    return true;
}

bool origin_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                 struct origin_versions *ret)
{
    if (!origin_allows(s, address))
        return true;
    switch (s->kind) {
    case METHOD_FOLDER:
        return folder_list(c, s, address, ret);
    case METHOD_NETWORK:
        return network_mirror_list(c, s, address, ret);
    case METHOD_DIRECT:
        return registry_list(c, s, address, ret);
    case METHOD_OCI:
        break;
    }
    diags_warn(c->diags, "Installation method not supported", "oci_mirror of " STR_FMT " is ignored.", STR_ARG(s->name));
    return true;
}

bool origin_package(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                    const struct origin_version *version, struct str platform, bool *ret_found, struct origin_package *ret)
{
    if (s->kind == METHOD_FOLDER)
        return folder_package(c, s, address, version, platform, ret_found, ret);
    if (s->kind == METHOD_NETWORK)
        return network_mirror_package(c, s, address, version, platform, ret_found, ret);
    return registry_package(c, address, version, platform, ret_found, ret);
}
