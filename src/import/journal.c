#include "import/journal.h"

#include "base/file.h"
#include "base/lock.h"
#include "engine/plan_json.h"
#include "import/keep.h"
#include "state/state_read.h"
#include "state/state_value.h"
#include "state/state_write.h"
#include "value/json_value.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { MAX_LINE = 256 << 20 };
#define MAX_JOURNAL ((size_t)4 << 30)

bool import_journal_open(struct import_journal *j, struct arena *a, const char *folder, enum configure_style style, bool fresh,
                         struct diags *diags)
{
    *j = (struct import_journal){.fd = -1, .style = style, .path = arena_printf(a, "%s/" JOURNAL_FILE, folder).p};
    mutex_init(&j->lock);
    j->fd = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (j->fd < 0)
        return diags_fail(diags, "Cannot keep what is read", "%s: %s.", j->path, strerror(errno));
    /* On file systems without locks the journal is not locked. */
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return diags_fail(diags, "Folder in use", "Another run is importing to %s. Wait until it has finished.", folder);
    if (fresh && ftruncate(j->fd, 0) != 0)
        return diags_fail(diags, "Cannot keep what is read", "%s: %s.", j->path, strerror(errno));
    return true;
}

void import_journal_close(struct import_journal *j)
{
    if (j->fd >= 0)
        (void)close(j->fd);
    j->fd = -1;
    mutex_destroy(&j->lock);
}

static void write_paths(struct json_writer *w, const char *key, struct change_paths paths)
{
    json_key(w, str_of(key));
    json_begin_array(w);
    for (size_t i = 0; i < paths.n; i++)
        path_write_json(w, paths.v[i]);
    json_end_array(w);
}

bool import_journal_add(struct import_journal *j, const struct import_item *item, struct diags *diags)
{
    const struct import_result *r = item->result;
    struct buf out BUF_AUTO = BUF_INIT(MAX_LINE);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_key(&w, STR("asked"));
    json_write_string(&w, item->type);
    json_key(&w, STR("key"));
    json_write_string(&w, item->key);
    if (item->region.n > 0) {
        json_key(&w, STR("region"));
        json_write_string(&w, item->region);
    }
    json_key(&w, STR("type"));
    json_write_string(&w, r->resource.type);
    json_key(&w, STR("style"));
    json_write_int(&w, (int64_t)j->style);
    json_key(&w, STR("more"));
    json_write_bool(&w, j->asked);
    json_key(&w, STR("status"));
    json_write_int(&w, (int64_t)item->status);
    json_key(&w, STR("state"));
    state_write_instance(&w, &r->instance, false);
    json_key(&w, STR("config"));
    if (!value_write_json(&w, r->configured.config, r->resource.schema->type, diags))
        return false;
    write_paths(&w, "ignored", r->configured.ignored);
    write_paths(&w, "unread", r->configured.unread);
    write_paths(&w, "dropped", r->configured.dropped);
    json_end_object(&w);
    bool ok = json_finish(&w);
    buf_addc(&out, '\n');
    mutex_lock(&j->lock);
    ok = ok && buf_ok(&out) && file_put(j->fd, buf_str(&out));
    mutex_unlock(&j->lock);
    return ok || diags_fail(diags, "Cannot keep what is read", "%s: %s.", j->path, strerror(errno));
}

/* --- reading --- */

static bool read_paths(struct arena *a, const struct schema_block *block, const struct json *j, struct change_paths *ret)
{
    size_t n = j && j->kind == JSON_ARRAY ? j->array.n : 0;
    struct path *paths = arena_make_n(a, struct path, n);
    for (size_t i = 0; i < n; i++)
        if (!change_path_read(a, block, j->array.items[i], &paths[i]))
            return false;
    *ret = (struct change_paths){paths, n};
    return true;
}

/* The result is in the line's arena. */
static struct import_result *read_result(struct arena *a, const struct json *j, const struct provider_schema *schema)
{
    struct import_result *r = arena_make(a, struct import_result);
    struct diags diags;
    diags_init(&diags, a);
    r->arena = a;
    r->resource.type = json_text(json_get(j, "type"), STR_EMPTY);
    r->resource.schema = map_get(&schema->resources, r->resource.type);
    r->resource.identity = map_get(&schema->identities, r->resource.type);
    const struct json *config = json_get(j, "config"), *state = json_get(j, "state");
    const struct schema *s = r->resource.schema;
    bool ok = s && config && state && state_read_instance(a, state, JOURNAL_FILE, &diags, &r->instance) &&
              r->instance.attributes && r->instance.attributes->kind == JSON_OBJECT &&
              r->instance.schema_version == (uint64_t)s->version &&
              (r->state = state_get_attributes(a, &r->instance, s->type, &diags)) &&
              (r->configured.config = value_from_json(a, config, s->type, PATH_ROOT, &diags)) &&
              read_paths(a, s->block, json_get(j, "ignored"), &r->configured.ignored) &&
              read_paths(a, s->block, json_get(j, "unread"), &r->configured.unread) &&
              read_paths(a, s->block, json_get(j, "dropped"), &r->configured.dropped);
    if (ok)
        r->sensitive = state_get_sensitive(a, &r->instance);
    return ok ? r : NULL;
}

static struct import_item *item_of(const struct import_journal *j, const struct map *items, const struct json *line)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str key = worklist_key(scratch, json_text(json_get(line, "asked"), STR_EMPTY),
                                  json_text(json_get(line, "key"), STR_EMPTY), json_text(json_get(line, "region"), STR_EMPTY));
    struct import_item *item = line ? map_get(items, key) : NULL;
    bool fits = item && item->status != IMPORT_SKIPPED && json_int(json_get(line, "style"), -1) == (int64_t)j->style;
    fits = fits && json_bool(json_get(line, "more"), !j->asked) == j->asked;
    return fits ? item : NULL;
}

/* Gives the object the result of a line, reduced like a freshly read one (keep.h). */
static void take(struct import_journal *j, const struct map *items, struct arena *a, struct str text,
                 const struct provider_schema *schema)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *line = json_parse(a, arena_str(a, text), JOURNAL_FILE, &diags);
    struct import_item *item = item_of(j, items, line);
    int64_t status = json_int(json_get(line, "status"), IMPORT_FAILED);
    struct import_result *r = item && status >= IMPORT_CLEAN && status <= IMPORT_IGNORED ? read_result(a, line, schema) : NULL;
    if (!r)
        return;
    if (item->result)
        arena_free(item->result->arena);
    item->result = import_keep(r);
    item->status = (enum import_status)status;
    item->error = STR_EMPTY;
}

void import_journal_load(struct import_journal *j, struct worklist *w, const struct provider_schema *schema)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct str text;
    struct map items;
    diags_init(&diags, scratch);
    map_init(&items, scratch);
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        map_put(&items, worklist_key(scratch, item->type, item->key, item->region), item);
    }
    if (!file_read(scratch, j->path, MAX_JOURNAL, &diags, &text))
        return;
    /* Ends an incomplete last line, so that the next one starts on a line of its own. */
    if (text.n > 0 && text.p[text.n - 1] != '\n')
        (void)file_put(j->fd, STR("\n"));
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    while (text.n > 0) {
        take(j, &items, a, str_cut(&text, '\n'), schema);
        arena_reset(a);
    }
}
