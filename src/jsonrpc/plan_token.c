/*
 * Encoding: numbers take as few bytes as possible, texts are their length and bytes, lists their length and elements; values are
 * MessagePack by the schema's types. The reader gets only bytes that have passed the checksum; even so it never allocates more
 * than the remaining bytes could fill.
 */
#include "jsonrpc/plan_token.h"

#include "base/base64.h"
#include "base/must.h"
#include "base/vec.h"
#include "jsonrpc/message.h"
#include "value/msgpack.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdlib.h>

enum { MAC_SIZE = 32, VERSION = 2, MAX_PLAN = 512 << 20 };

static const char no_sha256[] = "out of memory, or libcrypto has no SHA-256";

void rpc_plan_key_make(struct rpc_plan_key *key)
{
    unsigned char bytes[MAC_SIZE];
    must_be(RAND_bytes(bytes, sizeof bytes) == 1 && RAND_bytes((unsigned char *)&key->mask, sizeof key->mask) == 1,
            "no randomness");
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    key->mac = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
    EVP_MAC_free(hmac);
    const OSSL_PARAM digest[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char[]){"SHA256"}, 0),
                                 OSSL_PARAM_construct_end()};
    must_be(key->mac && EVP_MAC_init(key->mac, bytes, sizeof bytes, digest) == 1, no_sha256);
    OPENSSL_cleanse(bytes, sizeof bytes);
}

void rpc_plan_key_done(struct rpc_plan_key *key)
{
    EVP_MAC_CTX_free(key->mac);
    *key = (struct rpc_plan_key){0};
}

/* HMAC() would look up both algorithms each time, which takes longer than computing the HMAC. */
static void sign(const struct rpc_plan_key *key, struct str bytes, unsigned char mac[MAC_SIZE])
{
    size_t size;
    EVP_MAC_CTX *sum = EVP_MAC_CTX_dup(key->mac);
    must_be(sum && EVP_MAC_update(sum, (const unsigned char *)bytes.p, bytes.n) == 1 &&
                EVP_MAC_final(sum, mac, &size, MAC_SIZE) == 1,
            no_sha256);
    EVP_MAC_CTX_free(sum);
}

/*
 * Schemas keep their address as long as the pool exists, so the address identifies them; it is masked so that callers do not
 * learn it.
 */
static uint64_t schema_mark(const struct rpc_plan_key *key, const struct provider_schema *schema)
{
    return (uint64_t)(uintptr_t)schema ^ key->mask;
}

/* Writing */

/* Seven bits a byte, lowest first; the last byte has its high bit clear. */
static void put_number(struct buf *out, uint64_t n)
{
    for (; n > 0x7f; n >>= 7)
        buf_addc(out, (char)(n | 0x80));
    buf_addc(out, (char)n);
}

static void put_text(struct buf *out, struct str text)
{
    put_number(out, text.n);
    buf_add(out, text);
}

static bool put_value(struct buf *out, const struct value *v, const struct type *t, struct diags *diags)
{
    put_number(out, v != NULL);
    if (!v)
        return true;
    struct buf bytes BUF_AUTO = BUF_INIT(MAX_PLAN);
    if (!msgpack_encode(&bytes, v, t, diags))
        return false;
    put_text(out, buf_str(&bytes));
    return true;
}

/* A set element has no step that could be written: the path ends before it. */
static size_t steps_before_set(struct path path)
{
    size_t n = 0;
    while (n < path.n && path.steps[n].kind != PATH_ELEMENT)
        n++;
    return n;
}

static void put_paths(struct buf *out, const struct path *paths, size_t n)
{
    put_number(out, n);
    for (size_t i = 0; i < n; i++) {
        size_t n_steps = steps_before_set(paths[i]);
        put_number(out, n_steps);
        for (size_t k = 0; k < n_steps; k++) {
            const struct path_step *step = &paths[i].steps[k];
            put_number(out, step->kind);
            if (step->kind == PATH_INDEX)
                put_number(out, (uint64_t)step->index);
            else
                put_text(out, step->name);
        }
    }
}

static bool put_object(struct buf *out, const struct resource *r, const struct object *o, struct diags *diags)
{
    if (!put_value(out, o->value, r->schema->type, diags))
        return false;
    if (!put_value(out, r->identity ? o->identity : NULL, r->identity ? r->identity->type : NULL, diags))
        return false;
    put_text(out, o->private);
    put_paths(out, o->sensitive.paths, o->sensitive.n);
    put_number(out, o->tainted);
    put_number(out, o->create_before_destroy);
    return true;
}

static void put_config(struct buf *out, const struct json *config)
{
    put_number(out, config != NULL);
    if (!config)
        return;
    struct buf text BUF_AUTO = BUF_INIT(MAX_PLAN);
    struct json_writer w = {.out = &text};
    json_write(&w, config);
    out->failed |= !json_finish(&w);
    put_text(out, buf_str(&text));
}

static void put_options(struct buf *out, const struct plan_options *o)
{
    put_number(out, o->no_refresh);
    put_paths(out, o->ignore.v, o->ignore.n);
    put_number(out, o->ignore_all);
    put_number(out, o->replace);
    put_number(out, o->create_before_destroy);
}

/* If nothing changes, the planned value is the prior one, which takes one byte. */
static bool put_planned(struct buf *out, const struct resource *r, const struct plan *plan, struct diags *diags)
{
    bool same = plan->planned == plan->prior.value;
    put_number(out, same);
    return same || put_value(out, plan->planned, r->schema->type, diags);
}

static bool put_plan(struct buf *out, const struct resource *r, const struct plan *plan, struct diags *diags)
{
    put_number(out, plan->action);
    put_text(out, str_of(plan->reason));
    if (!put_object(out, r, &plan->prior, diags))
        return false;
    put_config(out, plan->config.json);
    put_options(out, &plan->options);
    if (!put_planned(out, r, plan, diags))
        return false;
    put_text(out, plan->planned_private);
    if (!put_value(out, r->identity ? plan->planned_identity : NULL, r->identity ? r->identity->type : NULL, diags))
        return false;
    put_paths(out, plan->before_sensitive.paths, plan->before_sensitive.n);
    put_paths(out, plan->after_sensitive.paths, plan->after_sensitive.n);
    put_paths(out, plan->replace_paths.v, plan->replace_paths.n);
    return true;
}

bool rpc_plan_seal(struct buf *out, const struct rpc_plan_key *key, const struct rpc_plan_header *header,
                   const struct provider_schema *schema, const struct resource *r, const struct plan *plan, struct diags *diags)
{
    struct buf bytes BUF_AUTO = BUF_INIT(MAX_PLAN);
    put_number(&bytes, VERSION);
    put_number(&bytes, header->handle);
    put_number(&bytes, header->sequence);
    put_number(&bytes, header->complete);
    put_text(&bytes, header->type);
    put_number(&bytes, schema_mark(key, schema));
    if (header->complete && !put_plan(&bytes, r, plan, diags))
        return false;
    if (buf_ok(&bytes)) {
        unsigned char mac[MAC_SIZE];
        sign(key, buf_str(&bytes), mac);
        buf_add(&bytes, (struct str){(const char *)mac, sizeof mac});
        base64_write(out, buf_str(&bytes));
    }
    return (buf_ok(&bytes) && buf_ok(out)) ||
           diags_fail(diags, "Plan too large", "The plan is too large or nested too deeply to be returned.");
}

/* Reading */

struct reader {
    struct arena *arena;
    struct str rest;
    bool failed;
};

static uint64_t get_number(struct reader *in)
{
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64 && in->rest.n > 0 && !in->failed; shift += 7) {
        unsigned char byte = (unsigned char)in->rest.p[0];
        in->rest = str_slice(in->rest, 1, in->rest.n);
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return n;
    }
    in->failed = true;
    return 0;
}

static struct str get_text(struct reader *in)
{
    uint64_t n = get_number(in);
    if (in->failed || n > in->rest.n) {
        in->failed = true;
        return STR_EMPTY;
    }
    struct str text = str_slice(in->rest, 0, n);
    in->rest = str_slice(in->rest, n, in->rest.n);
    return text;
}

static const struct value *get_value(struct reader *in, const struct type *t)
{
    if (get_number(in) == 0)
        return NULL;
    struct diags ignored;
    diags_init(&ignored, in->arena);
    struct str bytes = get_text(in);
    const struct value *v = in->failed || !t ? NULL : msgpack_decode(in->arena, bytes, t, &ignored);
    in->failed |= !v;
    return v;
}

static struct path get_path(struct reader *in)
{
    VEC(struct path_step) steps = {0};
    for (uint64_t left = get_number(in); left > 0 && !in->failed; left--) {
        struct path_step step = {.kind = (enum path_step_kind)get_number(in)};
        if (step.kind == PATH_INDEX)
            step.index = (int64_t)get_number(in);
        else
            step.name = get_text(in);
        in->failed |= step.kind > PATH_INDEX;
        *VEC_PUSH(in->arena, &steps) = step;
    }
    return (struct path){steps.v, steps.n};
}

static struct change_paths get_paths(struct reader *in)
{
    VEC(struct path) paths = {0};
    for (uint64_t left = get_number(in); left > 0 && !in->failed; left--) {
        struct path path = get_path(in);
        *VEC_PUSH(in->arena, &paths) = path;
    }
    return (struct change_paths){paths.v, paths.n};
}

static struct marks get_marks(struct reader *in)
{
    struct change_paths paths = get_paths(in);
    return marks_make(in->arena, paths.v, paths.n);
}

static struct object get_object(struct reader *in, const struct resource *r)
{
    struct object o = {0};
    o.value = get_value(in, r->schema->type);
    o.identity = get_value(in, r->identity ? r->identity->type : NULL);
    o.private = get_text(in);
    o.sensitive = get_marks(in);
    o.tainted = get_number(in);
    o.create_before_destroy = get_number(in);
    return o;
}

/* Reading the JSON again gives the same value, and cannot fail, as it was read before. */
static struct resource_config get_config(struct reader *in, const struct resource *r)
{
    if (get_number(in) == 0)
        return (struct resource_config){.value = value_null(in->arena, r->schema->type)};
    struct diags ignored;
    diags_init(&ignored, in->arena);
    struct resource_config config = {0};
    struct str text = get_text(in);
    if (!in->failed)
        config.json = json_parse(in->arena, text, "plan", &ignored);
    if (config.json && config.json->kind == JSON_OBJECT)
        config.value = change_config_read(in->arena, r->schema->block, config.json, NULL, &ignored);
    in->failed |= !config.value;
    return config;
}

static struct plan_options get_options(struct reader *in)
{
    struct plan_options o = {0};
    o.no_refresh = get_number(in);
    o.ignore = get_paths(in);
    o.ignore_all = get_number(in);
    o.replace = get_number(in);
    o.create_before_destroy = get_number(in);
    return o;
}

bool rpc_plan_unseal(struct arena *a, const struct rpc_plan_key *key, struct str text, struct rpc_sealed_plan *ret)
{
    struct str bytes;
    unsigned char mac[MAC_SIZE];
    if (!base64_read(a, text, &bytes) || bytes.n < MAC_SIZE)
        return false;
    bytes.n -= MAC_SIZE;
    sign(key, bytes, mac);
    if (CRYPTO_memcmp(mac, bytes.p + bytes.n, MAC_SIZE) != 0)
        return false;
    struct reader in = {.arena = a, .rest = bytes};
    struct rpc_sealed_plan sealed = {0};
    in.failed = get_number(&in) != VERSION;
    sealed.header.handle = get_number(&in);
    sealed.header.sequence = get_number(&in);
    sealed.header.complete = get_number(&in);
    sealed.header.type = get_text(&in);
    sealed.schema = get_number(&in);
    sealed.body = in.rest;
    if (!in.failed)
        *ret = sealed;
    return !in.failed;
}

bool rpc_plan_decode(struct arena *a, const struct rpc_plan_key *key, const struct rpc_sealed_plan *sealed,
                     const struct provider_schema *schema, const struct resource *r, struct plan *ret)
{
    if (sealed->schema != schema_mark(key, schema))
        return false;
    struct reader in = {.arena = a, .rest = sealed->body};
    struct plan plan = {0};
    uint64_t action = get_number(&in);
    plan.action = (enum change_action)action;
    struct str reason = get_text(&in);
    plan.reason = reason.n > 0 ? arena_str(a, reason).p : NULL;
    plan.prior = get_object(&in, r);
    plan.config = get_config(&in, r);
    plan.options = get_options(&in);
    plan.planned = get_number(&in) ? plan.prior.value : get_value(&in, r->schema->type);
    plan.planned_private = get_text(&in);
    plan.planned_identity = get_value(&in, r->identity ? r->identity->type : NULL);
    plan.before_sensitive = get_marks(&in);
    plan.after_sensitive = get_marks(&in);
    plan.replace_paths = get_paths(&in);
    if (in.failed || in.rest.n > 0 || !plan.planned || action > ACTION_READ)
        return false;
    *ret = plan;
    return true;
}
