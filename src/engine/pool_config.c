/*
 * The configuration of a provider: a copy of its JSON, for diagnostics and in case the schema changes; its value by the schema;
 * and the key that identifies it. Opening first makes a provider, then looks for an open one with the same key.
 */
#include "change/change.h"
#include "engine/pool_private.h"
#include "value/msgpack.h"

#include <openssl/hmac.h>
#include <stdlib.h>

#define MAX_CONFIG ((size_t)64 << 20) /* bytes of a configuration, as JSON or MessagePack */
enum { ROOM = 64 << 10 }; /* fits nearly all of them: growing a buffer would leave copies of secrets in freed memory */

/* Masks a sensitive value, nested ones included, in the log from now on. */
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

/* Copies the configuration by writing and parsing it: the caller's copy does not live as long. */
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
 * A keyed hash of the binary's identity, the purpose of the process and the configuration. It reveals nothing of the
 * configuration, and cannot be computed without the pool's key.
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
