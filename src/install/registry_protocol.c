/*
 * The provider registry protocol: the host names its registry (service discovery); the registry lists versions and returns for
 * each package its URL, the URLs of the checksums and of their signature, and the signing keys. All signature checks are here.
 */
#include "base/json.h"
#include "base/vec.h"
#include "install/openpgp.h"
#include "install/origin_private.h"

enum { MAX_KEYS = OPENPGP_MAX_KEYS };

struct registry {
    struct str url; /* of the service, with a slash at its end */
    struct str token;
    const char *what; /* for messages */
};

static bool fail_answer(const struct origin_context *c, const char *what, const char *why)
{
    return diags_fail(c->diags, "Invalid response from a registry", "%s: %s.", what, why);
}

/* Service discovery */

static struct str discovery_url(const struct origin_context *c, struct str host)
{
    return arena_printf(c->arena, "https://" STR_FMT "/.well-known/terraform.json", STR_ARG(host));
}

/* The URL from the CLI configuration, which replaces discovery; empty: none. */
static struct str configured(const struct origin_context *c, struct str host)
{
    const struct cli_config *config = c->find->config;
    for (size_t i = config ? config->n_services : 0; i-- > 0;)
        if (str_eq_nocase(config->services[i].host, host))
            return config->services[i].url;
    return STR_EMPTY;
}

static bool discover(const struct origin_context *c, const struct provider_address *address, struct registry *r)
{
    struct str url = discovery_url(c, address->host);
    struct fetch_answer answer;
    const struct json *j;
    if (!origin_get(c, &(struct origin_question){url, r->token, address->host, r->what}, &answer, &j))
        return false;
    if (!j)
        return diags_fail(c->diags, "Not a registry", STR_FMT " is not a provider registry: it has no " STR_FMT ".",
                          STR_ARG(address->host), STR_ARG(url));
    struct str service = json_text(json_get(j, "providers.v1"), STR_EMPTY);
    if (service.n == 0)
        return diags_fail(c->diags, "Not a registry",
                          STR_FMT " is not a provider registry: \"providers.v1\" is not in " STR_FMT ".", STR_ARG(address->host),
                          STR_ARG(url));
    r->url = fetch_resolve(c->fetcher, c->arena, answer.url, service);
    return r->url.n > 0 || fail_answer(c, r->what, "\"providers.v1\" is not an address of http or https");
}

static bool open_registry(const struct origin_context *c, const struct provider_address *address, struct registry *r)
{
    r->what = arena_printf(c->arena, "the registry " STR_FMT, STR_ARG(address->host)).p;
    if (!credentials_token(c->credentials, c->arena, address->host, c->diags, &r->token))
        return false;
    struct str own = configured(c, address->host);
    r->url = own.n > 0 ? fetch_resolve(c->fetcher, c->arena, discovery_url(c, address->host), own) : STR_EMPTY;
    if (own.n > 0 && r->url.n == 0)
        return diags_fail(c->diags, "Invalid host block",
                          "The CLI configuration has \"" STR_FMT "\" as the provider registry of " STR_FMT
                          "; expected an address of http or https, or a path on that host.",
                          STR_ARG(own), STR_ARG(address->host));
    if (own.n == 0 && !discover(c, address, r))
        return false;
    struct str query = r->url;
    r->url = str_cut(&query, '?');
    if (!str_ends(r->url, STR("/")))
        r->url = arena_printf(c->arena, STR_FMT "/", STR_ARG(r->url));
    return true;
}

/* *ret NULL: 404. */
static bool get(const struct origin_context *c, const struct registry *r, struct str host, struct str path,
                struct fetch_answer *ret_answer, const struct json **ret)
{
    struct str url = arena_printf(c->arena, STR_FMT STR_FMT, STR_ARG(r->url), STR_ARG(path));
    return origin_get(c, &(struct origin_question){url, r->token, host, r->what}, ret_answer, ret);
}

/* Versions */

static bool speaks(struct str protocol)
{
    struct str major = str_cut(&protocol, '.');
    return str_eq(major, STR("5")) || str_eq(major, STR("6"));
}

static void read_protocols(const struct origin_context *c, const struct json *list, struct origin_version *v)
{
    if (!list || list->kind != JSON_ARRAY || list->array.n == 0)
        return;
    struct buf text BUF_AUTO = BUF_INIT(256);
    v->speaks = false;
    for (size_t i = 0; i < list->array.n; i++) {
        struct str one = json_text(list->array.items[i], STR_EMPTY);
        buf_printf(&text, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(one));
        v->speaks |= speaks(one);
    }
    v->protocols = buf_copy(&text, c->arena);
}

static void warn(const struct origin_context *c, const struct json *j, const struct provider_address *address)
{
    const struct json *warnings = json_get(j, "warnings");
    for (size_t i = 0; warnings && warnings->kind == JSON_ARRAY && i < warnings->array.n && i < 8; i++) {
        struct str text = json_text(warnings->array.items[i], STR_EMPTY);
        if (text.n > 0)
            diags_warn(c->diags, "The registry has a warning", STR_FMT ": " STR_FMT,
                       STR_ARG(provider_address_text(c->arena, address)), STR_ARG(text));
    }
}

bool registry_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                   struct origin_versions *ret)
{
    struct registry r = {.url = STR_EMPTY};
    struct fetch_answer answer;
    const struct json *j;
    if (!open_registry(c, address, &r) ||
        !get(c, &r, address->host,
             arena_printf(c->arena, STR_FMT "/" STR_FMT "/versions", STR_ARG(address->namespace), STR_ARG(address->type)),
             &answer, &j))
        return false;
    if (!j)
        return true;
    const struct json *versions = json_get(j, "versions");
    if (!versions || versions->kind != JSON_ARRAY)
        return fail_answer(c, r.what, "\"versions\" is not a list");
    for (size_t i = 0; i < versions->array.n; i++) {
        size_t before = ret->n;
        const struct json *version = json_get(versions->array.items[i], "version");
        origin_add_version(c, s, version && version->kind == JSON_STRING ? version->text : STR_EMPTY, ret);
        if (ret->n > before)
            read_protocols(c, json_get(versions->array.items[i], "protocols"), &ret->v[before]);
    }
    warn(c, j, address);
    return true;
}

/* Packages */

struct package_reader {
    const struct origin_context *c;
    const struct json *j;
    const struct fetch_answer *answer;
    const char *what;
};

static bool read_url(struct package_reader *r, const char *key, struct str *ret)
{
    struct str text = json_text(json_get(r->j, key), STR_EMPTY);
    *ret = text.n > 0 ? fetch_resolve(r->c->fetcher, r->c->arena, r->answer->url, text) : STR_EMPTY;
    return ret->n > 0 || fail_answer(r->c, r->what, arena_printf(r->c->arena, "\"%s\" is missing or not an address", key).p);
}

/* Downloads a document from any host: without the registry's token, and trusted because of its signature. */
static bool get_file(struct package_reader *r, const char *key, struct str *ret)
{
    struct str url;
    struct fetch_answer answer;
    if (!read_url(r, key, &url) ||
        !fetch_document(r->c->fetcher, r->c->arena, url, STR_EMPTY, true, r->what, r->c->diags, &answer))
        return false;
    if (answer.status != 200)
        return origin_refused(r->c, &answer, fetch_host(r->c->fetcher, r->c->arena, url), false);
    *ret = answer.body;
    return true;
}

static size_t read_keys(struct package_reader *r, struct str keys[MAX_KEYS])
{
    const struct json *list = json_get(json_get(r->j, "signing_keys"), "gpg_public_keys");
    size_t n = 0;
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->array.n && n < MAX_KEYS; i++) {
        keys[n] = json_text(json_get(list->array.items[i], "ascii_armor"), STR_EMPTY);
        n += keys[n].n > 0;
    }
    return n;
}

/* Takes one word off the front of a line. */
static struct str cut_word(struct str *line)
{
    size_t n = 0;
    *line = str_trim(*line);
    while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t')
        n++;
    struct str word = str_slice(*line, 0, n);
    *line = str_slice(*line, n, line->n);
    return word;
}

/*
 * Reads lines of "HEX  NAME" as Terraform does: the checksum of the package's own file is in the first line with its name, and
 * the checksums of all lines, the manifest's among them, go into the lock file: or only the own one if any line is something
 * else.
 */
static bool read_sums(struct package_reader *r, struct str sums, struct str filename, struct origin_package *p)
{
    VEC(struct str) hashes = {0};
    struct str own = STR_EMPTY;
    bool all = true;
    while (sums.n > 0 && hashes.n < ORIGIN_MAX_HASHES) {
        struct str line = str_trim(str_cut(&sums, '\n'));
        if (line.n == 0)
            continue;
        struct str hex = arena_lower(r->c->arena, cut_word(&line)), name = cut_word(&line);
        if (name.n > 0 && name.p[0] == '*')
            name = str_slice(name, 1, name.n);
        if (own.n == 0 && str_eq(name, filename))
            own = hex;
        all = all && name.n > 0 && origin_is_sha256(hex);
        *VEC_PUSH(r->c->arena, &hashes) = arena_printf(r->c->arena, "zh:" STR_FMT, STR_ARG(hex));
    }
    if (own.n == 0)
        return diags_fail(r->c->diags, "Package not in the signed checksums", "%s: SHA256SUMS has no line for \"" STR_FMT "\".",
                          r->what, STR_ARG(filename));
    if (!str_eq(own, p->sha256))
        return diags_fail(r->c->diags, "Checksums disagree",
                          "%s says that the SHA-256 of " STR_FMT " is " STR_FMT "; its signed SHA256SUMS has " STR_FMT ".",
                          r->what, STR_ARG(filename), STR_ARG(p->sha256), STR_ARG(own));
    p->signed_zh = all ? hashes.v : p->hashes;
    p->n_signed = all ? hashes.n : p->n_hashes;
    return true;
}

static bool read_signed(struct package_reader *r, struct origin_package *p)
{
    struct str keys[MAX_KEYS], sums = STR_EMPTY, signature = STR_EMPTY, why;
    struct str filename = json_text(json_get(r->j, "filename"), STR_EMPTY);
    if (!get_file(r, "shasums_url", &sums) || !get_file(r, "shasums_signature_url", &signature))
        return false;
    size_t n = read_keys(r, keys);
    if (!openpgp_verify(r->c->arena, keys, n, sums, signature, r->c->diags, &p->key, &why))
        return why.n > 0 && diags_fail(r->c->diags, "The signature of a provider is not valid",
                                       "%s: the signature of the checksums of " STR_FMT " cannot be accepted: " STR_FMT
                                       ". Nothing was installed.",
                                       r->what, STR_ARG(filename), STR_ARG(why));
    return read_sums(r, sums, filename, p);
}

/* The package must be for the platform that was asked for, and have a protocol that we speak. */
static bool check_kind(struct package_reader *r, const struct origin_version *version, struct str platform)
{
    struct str os = json_text(json_get(r->j, "os"), STR_EMPTY), arch = json_text(json_get(r->j, "arch"), STR_EMPTY);
    struct str told = arena_printf(r->c->arena, STR_FMT "_" STR_FMT, STR_ARG(os), STR_ARG(arch));
    if (!str_eq(told, platform))
        return diags_fail(r->c->diags, "Package for another platform", "%s was asked for " STR_FMT " and offers " STR_FMT ".",
                          r->what, STR_ARG(platform), STR_ARG(told));
    struct origin_version told_version = {.speaks = true, .protocols = STR_EMPTY};
    read_protocols(r->c, json_get(r->j, "protocols"), &told_version);
    if (!told_version.speaks)
        return diags_fail(r->c->diags, "Provider protocol not supported",
                          "Version " STR_FMT " supports protocols " STR_FMT "; Terrane supports 5 and 6.", STR_ARG(version->text),
                          STR_ARG(told_version.protocols));
    return true;
}

bool registry_package(const struct origin_context *c, const struct provider_address *address,
                      const struct origin_version *version, struct str platform, bool *ret_found, struct origin_package *ret)
{
    struct registry r = {.url = STR_EMPTY};
    struct fetch_answer answer;
    const struct json *j;
    struct str arch = platform, os = str_cut(&arch, '_');
    struct str path =
        arena_printf(c->arena, STR_FMT "/" STR_FMT "/" STR_FMT "/download/" STR_FMT "/" STR_FMT, STR_ARG(address->namespace),
                     STR_ARG(address->type), STR_ARG(version->text), STR_ARG(os), STR_ARG(arch));
    *ret_found = false;
    if (!open_registry(c, address, &r) || !get(c, &r, address->host, path, &answer, &j))
        return false;
    if (!j)
        return true;
    struct package_reader reader = {c, j, &answer, r.what};
    struct origin_package p = {.kind = PACKAGE_URL, .token = STR_EMPTY, .key = STR_EMPTY};
    p.sha256 = arena_lower(c->arena, json_text(json_get(j, "shasum"), STR_EMPTY));
    if (!check_kind(&reader, version, platform) || !read_url(&reader, "download_url", &p.place))
        return false;
    if (!origin_is_sha256(p.sha256))
        return fail_answer(c, r.what, "\"shasum\" is not a SHA-256");
    struct str *own = arena_make(c->arena, struct str);
    *own = arena_printf(c->arena, "zh:" STR_FMT, STR_ARG(p.sha256));
    p.hashes = own;
    p.n_hashes = 1;
    if (!read_signed(&reader, &p))
        return false;
    *ret = p;
    *ret_found = true;
    return true;
}
