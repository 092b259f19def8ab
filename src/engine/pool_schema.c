/*
 * Binaries and their schemas. A schema is decoded once for each binary and shared by all its processes; the first thread that
 * needs it loads it, others wait in line. It comes from the disk cache if that has the binary's content, else from the provider
 * itself. A process that was started for this is kept as the spare: the next process to be configured.
 *
 * The cache is filled in the background, because hashing a provider means reading up to 700 MB.
 */
#include "engine/pool_private.h"
#include "plugin/schema_cache.h"
#include "registry/content_key.h"

#include <inttypes.h>
#include <sys/stat.h>

/* ---- which binary ---- */

/* If this differs from the binary's identity, the file has changed. Allocated in `a`. */
static struct str source_identity(struct arena *a, const struct pool_source *source)
{
    const struct reattach *r = source->reattach;
    if (r)
        return arena_printf(a, STR_FMT "\nattached %d %" PRId64 " %d " STR_FMT, STR_ARG(source->address), r->protocol, r->pid,
                            (int)r->address.network, STR_ARG(r->address.text));
    struct str path = arena_str(a, source->path);
    struct stat st = {0};
    (void)stat(path.p, &st); /* if there is no file, the start will fail with a diagnostic */
    return arena_printf(a, STR_FMT "\n" STR_FMT "\n%ju %ju %jd %jd.%09ld %jd.%09ld", STR_ARG(source->address), STR_ARG(path),
                        (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
                        st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

struct pool_source source_copy(struct arena *a, const struct pool_source *source)
{
    struct pool_source copy = *source;
    copy.address = arena_str(a, source->address);
    copy.path = arena_str(a, source->path);
    if (source->reattach) {
        struct reattach *r = arena_make(a, struct reattach);
        *r = *source->reattach;
        r->address.text = arena_str(a, r->address.text);
        copy.reattach = r;
    }
    return copy;
}

LOCKED static struct binary *find_or_add(struct pool *pool, struct str identity)
{
    for (struct binary *b = pool->binaries; b; b = b->next)
        if (str_eq(b->identity, identity))
            return b;
    struct arena *a = arena_new(NULL, 0);
    struct binary *b = arena_make(a, struct binary);
    *b = (struct binary){.pool = pool, .next = pool->binaries, .arena = a, .identity = arena_str(a, identity)};
    pool->binaries = b;
    return b;
}

static void binary_free(struct binary *b)
{
    arena_free(b->schema_arena);
    arena_free(b->arena);
}

void binaries_free(struct pool *pool)
{
    for (struct binary *b = pool->binaries, *next; b; b = next) {
        next = b->next;
        binary_free(b);
    }
}

/* Removes a binary whose schema could not be loaded and that no thread is loading, or bad paths would pile up. */
LOCKED static void forget_if_useless(struct binary *b)
{
    if (b->schema || b->loading)
        return;
    struct binary **link = &b->pool->binaries;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    binary_free(b);
}

struct pool_process *binary_take_spare(struct binary *b)
{
    struct pool_process *spare = b->spare;
    b->spare = NULL;
    return spare;
}

/* ---- the cache ---- */

struct storing {
    struct pool *pool;
    struct arena *arena; /* of this struct and its contents */
    struct pool_source source;
    struct str identity;
    struct schema_bytes bytes;
};

static bool is_unchanged(struct storing *s)
{
    return str_eq(source_identity(s->arena, &s->source), s->identity);
}

/*
 * The file's identity is compared before and after hashing, so that a schema is never stored under the key of another file.
 * Failing to cache a schema is not an error.
 */
static void store(void *arg)
{
    struct storing *s = arg;
    const char *folder = s->pool->options.cache_folder;
    struct diags why;
    diags_init(&why, s->arena);
    struct str key;
    bool ok = is_unchanged(s) && content_key(s->arena, s->source.path.p, folder, &why, &key) && is_unchanged(s) &&
              schema_cache_store(folder, key, &s->bytes, &why);
    if (!ok)
        log_warn(s->pool->options.log, "schema not cached", LOG_STR("provider", s->source.address),
                 LOG_STR("reason", why.n > 0 ? why.v[0].detail : STR("the file was changed")));
    arena_free(s->arena);
}

static struct storing *storing_new(struct binary *b, const struct pool_source *source)
{
    struct arena *a = arena_new(NULL, 0);
    struct storing *s = arena_make(a, struct storing);
    *s = (struct storing){.pool = b->pool, .arena = a, .source = source_copy(a, source), .identity = arena_str(a, b->identity)};
    return s;
}

/* A cached schema that cannot be used counts as absent: the provider is asked instead. */
static const struct provider_schema *load_cached(struct pool *pool, const struct pool_source *source, struct arena *a,
                                                 int *ret_protocol)
{
    const char *folder = pool->options.cache_folder;
    if (!folder || source->reattach || !schema_cache_serves(source->path.p))
        return NULL;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags ignored;
    diags_init(&ignored, scratch);
    struct str key;
    struct schema_bytes bytes;
    if (!content_key_remembered(scratch, source->path.p, folder, &key) || !schema_cache_load(scratch, folder, key, &bytes))
        return NULL;
    *ret_protocol = bytes.protocol;
    return schema_bytes_decode(a, &bytes, &ignored);
}

/* ---- loading ---- */

struct loaded {
    struct arena *arena;
    const struct provider_schema *schema;
    int protocol;
    struct pool_process *process; /* NULL: no process had to be started */
};

/* A lost provider may answer a retry; a schema that cannot be decoded fails every time. */
static enum engine_status why_no_schema(const struct pool_process *p, const pool_wait *wait)
{
    if (cancel_fired(wait->cancel))
        return ENGINE_CANCELLED;
    return provider_is_gone(p->provider) || wait_is_over(wait) ? ENGINE_LOST : ENGINE_FAILED;
}

static enum engine_status ask_process(struct binary *b, const struct pool_source *source, const pool_wait *wait,
                                      struct diags *diags, struct loaded *loaded)
{
    struct storing *s = storing_new(b, source);
    if (provider_fetch_schema_bytes(loaded->process->provider, s->arena, wait, diags, &s->bytes))
        loaded->schema = schema_bytes_decode(loaded->arena, &s->bytes, diags);
    loaded->protocol = provider_protocol(loaded->process->provider);
    if (loaded->schema && b->pool->options.cache_folder && !source->reattach && schema_cache_serves(source->path.p) &&
        schema_cache_keeps(loaded->schema))
        workers_submit(b->pool->workers, store, s);
    else
        arena_free(s->arena);
    return loaded->schema ? ENGINE_OK : why_no_schema(loaded->process, wait);
}

static enum engine_status load(struct binary *b, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                               struct loaded *loaded)
{
    *loaded = (struct loaded){.arena = arena_new(NULL, 0)};
    loaded->schema = load_cached(b->pool, source, loaded->arena, &loaded->protocol);
    if (loaded->schema)
        return ENGINE_OK;
    if (!pool_process_launch(b->pool, source, wait, diags, &loaded->process))
        return cancel_fired(wait->cancel) ? ENGINE_CANCELLED : ENGINE_LOST;
    return ask_process(b, source, wait, diags, loaded);
}

LOCKED static void keep(struct binary *b, const struct loaded *loaded)
{
    b->schema_arena = loaded->arena;
    b->schema = loaded->schema;
    b->protocol = loaded->protocol;
    b->spare = loaded->process;
}

LOCKED static void drop(struct pool *pool, const struct loaded *loaded)
{
    arena_free(loaded->arena);
    if (!loaded->process)
        return;
    if (provider_is_gone(loaded->process->provider))
        pool->counts.lost++;
    pool_process_end(loaded->process);
}

/* If the schema is loaded, all waiters get it; else the first one gets the turn to load it. */
LOCKED static void advance(struct binary *b)
{
    while (b->schema && b->line.first)
        line_give(&b->line, TURN_GIVEN, NULL);
    if (!b->line.first || b->loading)
        return;
    b->loading = true;
    line_give(&b->line, TURN_START, NULL);
}

LOCKED static enum engine_status load_for_all(struct binary *b, const struct pool_source *source, const pool_wait *wait,
                                              struct diags *diags)
{
    struct pool *pool = b->pool;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags found;
    diags_init(&found, scratch);
    struct loaded loaded;
    pool_unlock(pool);
    enum engine_status status = load(b, source, wait, &found, &loaded);
    pool_lock(pool);
    b->loading = false;
    diags_append(diags, &found);
    if (status == ENGINE_OK)
        keep(b, &loaded);
    else
        drop(pool, &loaded);
    if (status != ENGINE_OK && !wait_is_over(wait))
        line_fail_all(&b->line, status, &found);
    advance(b);
    forget_if_useless(b);
    return status;
}

LOCKED static enum engine_status await_schema(struct binary *b, const struct pool_source *source, const pool_wait *wait,
                                              struct diags *diags)
{
    struct waiter me;
    line_join(&b->line, &me, b->pool, diags);
    advance(b);
    switch (line_wait(&b->line, &me, source->address, wait)) {
    case TURN_START:
        return load_for_all(b, source, wait, diags);
    case TURN_FAILED:
        return me.status;
    default:
        return ENGINE_OK;
    }
}

enum engine_status binary_get(struct pool *pool, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                              struct binary **ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str identity = source_identity(scratch, source);
    pool_lock(pool);
    struct binary *b = find_or_add(pool, identity);
    enum engine_status status = b->schema ? ENGINE_OK : await_schema(b, source, wait, diags);
    pool_unlock(pool);
    if (status == ENGINE_OK)
        *ret = b;
    return status;
}

int pool_protocol(struct pool *pool, const struct pool_source *source)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str identity = source_identity(scratch, source);
    int protocol = 0;
    pool_lock(pool);
    for (const struct binary *b = pool->binaries; b; b = b->next)
        if (str_eq(b->identity, identity))
            protocol = b->protocol;
    pool_unlock(pool);
    return protocol;
}
