/* The network mirror protocol: URL/HOST/NAMESPACE/TYPE/index.json, VERSION.json beside it, and archives anywhere. */
#include "base/json.h"
#include "install/origin_private.h"

/* The URL of a document of the provider. The mirror's URL may lack its final slash. */
static struct str url_of(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                         struct str document)
{
    return arena_printf(c->arena, STR_FMT "%s" STR_FMT "/" STR_FMT ".json", STR_ARG(s->place),
                        str_ends(s->place, STR("/")) ? "" : "/", STR_ARG(provider_address_text(c->arena, address)),
                        STR_ARG(document));
}

/* *ret NULL: not found. */
static bool get(const struct origin_context *c, const struct origin *s, struct str url, struct fetch_answer *ret_answer,
                struct str *ret_token, const struct json **ret)
{
    struct str host = fetch_host(c->fetcher, c->arena, s->place);
    const char *what = arena_printf(c->arena, "the network mirror " STR_FMT, STR_ARG(s->name)).p;
    return credentials_token(c->credentials, c->arena, host, c->diags, ret_token) &&
           origin_get(c, &(struct origin_question){url, *ret_token, host, what}, ret_answer, ret);
}

bool network_mirror_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                         struct origin_versions *ret)
{
    struct fetch_answer answer;
    struct str token;
    const struct json *j;
    if (!get(c, s, url_of(c, s, address, STR("index")), &answer, &token, &j))
        return false;
    const struct json *versions = json_get(j, "versions");
    for (size_t i = 0; versions && versions->kind == JSON_OBJECT && i < versions->object.n; i++)
        origin_add_version(c, s, versions->object.members[i].key, ret);
    return true;
}

static bool read_archive(const struct origin_context *c, const struct json *archive, const struct fetch_answer *answer,
                         struct origin_package *ret)
{
    struct str url = json_text(json_get(archive, "url"), STR_EMPTY);
    struct origin_package p = {.kind = PACKAGE_URL, .key = STR_EMPTY, .sha256 = STR_EMPTY, .token = STR_EMPTY};
    p.place = url.n > 0 ? fetch_resolve(c->fetcher, c->arena, answer->url, url) : STR_EMPTY;
    if (p.place.n == 0)
        return diags_fail(c->diags, "Invalid response from a registry", STR_FMT " has no usable URL for the archive.",
                          STR_ARG(fetch_shown(c->arena, answer->url)));
    const struct json *hashes = json_get(archive, "hashes");
    size_t n = hashes && hashes->kind == JSON_ARRAY ? hashes->array.n : 0;
    n = n < ORIGIN_MAX_HASHES ? n : ORIGIN_MAX_HASHES;
    struct str *all = arena_make_n(c->arena, struct str, n);
    size_t n_sums = 0;
    for (size_t i = 0; i < n; i++) {
        all[i] = json_text(hashes->array.items[i], STR_EMPTY);
        if (str_starts(all[i], STR("zh:")) && n_sums++ == 0)
            p.sha256 = str_slice(all[i], 3, all[i].n);
    }
    /* If there are several, any of them may match, which is checked after the download; so is a hash that is not valid. */
    if (n_sums > 1 || !origin_is_sha256(p.sha256))
        p.sha256 = STR_EMPTY;
    p.hashes = all;
    p.n_hashes = n;
    *ret = p;
    return true;
}

bool network_mirror_package(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                            const struct origin_version *version, struct str platform, bool *ret_found,
                            struct origin_package *ret)
{
    struct fetch_answer answer;
    struct str token;
    const struct json *j;
    *ret_found = false;
    if (!get(c, s, url_of(c, s, address, version->text), &answer, &token, &j))
        return false;
    const struct json *archive = json_get_str(json_get(j, "archives"), platform);
    if (!archive)
        return true;
    if (!read_archive(c, archive, &answer, ret))
        return false;
    /* The mirror's token is sent only for archives on the mirror's own host. */
    if (str_eq(fetch_host(c->fetcher, c->arena, ret->place), fetch_host(c->fetcher, c->arena, s->place)))
        ret->token = token;
    *ret_found = true;
    return true;
}
