#include "cli/schema_source.h"

#include "base/file.h"
#include "cli/progress.h"
#include "cli/provider_source.h"
#include "loop/thread.h"
#include "plugin/schema_cache.h"
#include "registry/content_key.h"
#include "schema/schema_json.h"

#define MAX_SCHEMA_FILE ((size_t)1 << 30)

bool schema_source_load_file(struct app *app, const char *path, const char *address, struct schema_source *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0); /* the document is several times as large as what is kept of it */
    struct schema_source source = {.path = str_of(path)};
    struct str text;
    if (!file_read(scratch, path, MAX_SCHEMA_FILE, &app->diags, &text))
        return false;
    const struct json *document = json_parse(scratch, text, path, &app->diags);
    if (document)
        source.schema = schema_read_document(app->arena, document, str_of(address), &source.address, &app->diags);
    if (!source.schema)
        return false;
    *ret = source;
    return true;
}

/* Fetches the schema from a running provider, then ends it. */
static bool fetch(struct app *app, struct provider *provider, struct schema_bytes *ret)
{
    struct grpc_call_options options = {.cancel = app->cancel};
    bool ok = provider_fetch_schema_bytes(provider, app->arena, &options, &app->diags, ret);
    provider_free(provider);
    return ok;
}

static bool decode(struct app *app, const struct schema_bytes *bytes, struct diags *diags, struct schema_source *source)
{
    source->schema = schema_bytes_decode(app->arena, bytes, diags);
    return source->schema != NULL;
}

/* A cache that cannot be used counts as absent, not as an error: the provider is asked instead. */
static bool load_cached(struct app *app, const char *binary, struct schema_source *source)
{
    struct diags ignored;
    diags_init(&ignored, app->arena);
    struct str key;
    struct schema_bytes bytes;
    source->cached = schema_cache_serves(binary) && content_key_remembered(app->arena, binary, app->cache_folder, &key) &&
                     schema_cache_load(app->arena, app->cache_folder, key, &bytes) && decode(app, &bytes, &ignored, source);
    return source->cached;
}

static bool load_attached(struct app *app, const struct provider_source *from, struct schema_source *ret)
{
    struct schema_source source = {.address = from->address};
    struct provider *provider;
    struct schema_bytes bytes;
    if (!provider_attach(app_loop(app), app->log, from->address, &from->reattach, &app->diags, &provider) ||
        !fetch(app, provider, &bytes) || !decode(app, &bytes, &app->diags, &source))
        return false;
    *ret = source;
    return true;
}

/* The binary is hashed in a thread while the provider starts: both take about as long. */
struct hashing {
    pthread_t thread;
    struct arena *arena;
    struct diags diags;
    const char *file, *cache_folder;
    bool ok;
    struct str key;
};

static void *hash_file(void *arg)
{
    struct hashing *h = arg;
    h->ok = content_key(h->arena, h->file, h->cache_folder, &h->diags, &h->key);
    return NULL;
}

static bool hashing_start(struct hashing *h, const char *file, const char *cache_folder)
{
    *h = (struct hashing){.arena = arena_new(NULL, 0), .file = file, .cache_folder = cache_folder};
    diags_init(&h->diags, h->arena);
    if (thread_start(&h->thread, "hash", hash_file, h) == 0)
        return true;
    arena_free(h->arena);
    return false;
}

/* Failures to cache the schema are only logged. */
static void store(struct app *app, struct hashing *h, const struct schema_bytes *bytes)
{
    thread_join(h->thread);
    if (h->ok && bytes)
        h->ok = schema_cache_store(h->cache_folder, h->key, bytes, &h->diags);
    if (!h->ok && h->diags.n > 0)
        log_warn(app->log, "schema not cached", LOG_STR("reason", h->diags.v[0].detail));
    arena_free(h->arena);
}

static bool ask_binary(struct app *app, const struct schema_request *request, const char *path, struct str name,
                       struct schema_bytes *ret)
{
    struct launch_options options = {
        .loop = app_loop(app),
        .log = app->log,
        .path = path,
        .name = name,
        .start_timeout_ns = request->timeout_ns,
        .cancel = app->cancel,
        .no_tls = app_environment("TF_DISABLE_PLUGIN_TLS") != NULL,
    };
    struct provider *provider;
    struct bar bar;
    bar_start(&bar, arena_printf(app->arena, "Asking " STR_FMT " for its schema", STR_ARG(name)).p, BAR_SECONDS);
    bool ok = provider_launch(&options, &app->diags, &provider) && fetch(app, provider, ret);
    bar_end(&bar);
    return ok;
}

static bool load_binary(struct app *app, const struct schema_request *request, const struct provider_source *from,
                        struct schema_source *ret)
{
    struct schema_source source = {.address = from->address, .version = from->version, .path = from->path};
    bool use_cache = !request->no_cache && app->cache_folder;
    if (use_cache && load_cached(app, from->path.p, &source)) {
        *ret = source;
        return true;
    }
    struct schema_bytes bytes;
    struct hashing hashing;
    bool hashes = use_cache && schema_cache_serves(from->path.p) && hashing_start(&hashing, from->path.p, app->cache_folder);
    bool ok = ask_binary(app, request, from->path.p, source.address, &bytes) && decode(app, &bytes, &app->diags, &source);
    if (hashes)
        store(app, &hashing, ok && schema_cache_keeps(source.schema) ? &bytes : NULL);
    if (ok)
        *ret = source;
    return ok;
}

bool schema_source_load(struct app *app, const struct schema_request *request, struct schema_source *ret)
{
    struct str provider = str_of(request->provider);
    if (str_ends(provider, STR(".json")) && file_exists(request->provider))
        return schema_source_load_file(app, request->provider, request->address, ret);
    struct provider_source from;
    if (!provider_source_find(app, app->arena, provider, str_of(request->constraint), &app->diags, &from))
        return false;
    return from.attached ? load_attached(app, &from, ret) : load_binary(app, request, &from, ret);
}
