/*
 * The configuration of a provider: a copy of its JSON, for diagnostics and for a schema that changes; its value by the schema;
 * and the key by which it is known. Whoever opens makes a provider first and then sees whether there is one with that key.
 */
#include "change/change.h"
#include "engine/pool_private.h"
#include "value/msgpack.h"

#include <openssl/hmac.h>
#include <stdlib.h>

#define MAX_CONFIG ((size_t)64 << 20) /* bytes of a configuration, as JSON or MessagePack */
enum { ROOM = 64 << 10 };             /* for nearly all of them at once: growing would leave copies of secrets behind */

/* Whatever the schema calls secret, also inside: masked in the log from now on. */
static bool redact(void *ctx, struct path path, const struct value *v)
{
    (void)path;
    if (v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING)
        log_redact(ctx, v->string);
    return true;
}

static void redact_sensitive(struct log *log, const struct schema_block *block, const struct value *config)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct marks marks = change_sensitive(scratch, block, config);
    for (size_t i = 0; log && i < marks.n; i++) {
        const struct value *v = value_at(config, marks.paths[i]);
        if (v)
            value_walk(scratch, v, redact, log);
    }
}

bool pool_provider_goes_unchecked(const struct pool_provider *w)
{
    return w->source.unconfigured && w->config_json->kind == JSON_OBJECT && w->config_json->object.n == 0;
}

bool pool_provider_read_config(struct pool_provider *w, struct binary *b, struct diags *diags)
{
    struct arena *a = arena_new(NULL, 0);
    const struct schema *schema = b->schema->provider;
    const struct value *config = pool_provider_goes_unchecked(w)
                                     ? value_null(a, schema->type)
                                     : change_config_read(a, schema->block, w->config_json, NULL, diags);
    if (!config) {
        arena_free(a);
        return false;
    }
    redact_sensitive(w->pool->options.log, schema->block, config);
    arena_free(w->config_arena);
    w->config_arena = a;
    w->config = config;
    pool_lock(w->pool);
    w->binary = b;
    pool_unlock(w->pool);
    return true;
}

/* The configuration is copied by way of its text: the caller's goes. */
static const struct json *copy_config(struct arena *a, const struct json *config, struct diags *diags)
{
    if (!config)
        return json_make_object(a, NULL, 0);
    struct buf text = BUF_INIT(MAX_CONFIG);
    (void)buf_room(&text, ROOM);
    struct json_writer w = {.out = &text};
    json_write(&w, config);
    const struct json *copy = NULL;
    if (json_finish(&w))
        copy = json_parse(a, buf_str(&text), "provider configuration", diags);
    else
        diags_fail(diags, "Provider configuration too large", "The limit is %zu MiB as JSON.", MAX_CONFIG >> 20);
    buf_wipe(&text);
    return copy;
}

/*
 * A keyed hash, of which nothing can be learnt and which nobody can foresee: of the binary's identity, what the process is for,
 * and the configuration.
 */
static bool make_key(struct pool_provider *w, struct diags *diags)
{
    struct str identity = w->binary->identity;
    uint64_t length = identity.n;
    struct buf text = BUF_INIT(MAX_CONFIG);
    (void)buf_room(&text, ROOM);
    buf_add(&text, (struct str){(const char *)&length, sizeof length});
    buf_add(&text, identity);
    buf_addc(&text, w->source.unconfigured ? 'u' : 'c');
    buf_addc(&text, w->source.apart ? 'a' : 's');
    bool ok = msgpack_encode(&text, w->config, w->binary->schema->provider->type, diags);
    const unsigned char *bytes = (const unsigned char *)text.p;
    if (ok && !HMAC(EVP_sha256(), w->pool->key, sizeof w->pool->key, bytes, text.n, w->key, NULL))
        abort(); /* no memory, or a libcrypto without SHA-256 */
    buf_wipe(&text);
    return ok;
}

void pool_provider_free(struct pool_provider *w)
{
    arena_free(w->config_arena);
    arena_free(w->arena);
}

struct pool_provider *pool_provider_new(struct pool *pool, const struct pool_source *source, struct binary *b,
                                        const struct json *config, struct diags *diags)
{
    struct arena *a = arena_new(NULL, 0);
    struct pool_provider *w = arena_make(a, struct pool_provider);
    *w = (struct pool_provider){.pool = pool, .arena = a, .source = source_copy(a, source)};
    diags_init(&w->warnings, a);
    w->config_json = copy_config(a, config, diags);
    if (w->config_json && pool_provider_read_config(w, b, diags) && make_key(w, diags))
        return w;
    pool_provider_free(w);
    return NULL;
}
