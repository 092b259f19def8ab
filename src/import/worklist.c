#include "import/worklist.h"

#include "value/identifier.h"

#include <stdlib.h>

const char *import_status_name(enum import_status s)
{
    static const char *const names[] = {
        [IMPORT_WAITING] = "waiting", [IMPORT_CLEAN] = "clean",   [IMPORT_REPAIRED] = "repaired",
        [IMPORT_IGNORED] = "ignored", [IMPORT_FAILED] = "failed", [IMPORT_SKIPPED] = "skipped",
    };
    return names[s];
}

void worklist_init(struct worklist *w, struct arena *a)
{
    *w = (struct worklist){.arena = a};
    map_init(&w->seen, a);
    map_init(&w->reserved, a);
    map_init(&w->states, a);
}

static struct str identity_text(struct arena *a, const struct json *identity)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    struct json_writer j = {.out = &out};
    json_write(&j, identity);
    return json_finish(&j) ? buf_copy(&out, a) : STR_EMPTY;
}

struct str worklist_key(struct arena *a, struct str type, struct str key, struct str region)
{
    return arena_printf(a, STR_FMT " " STR_FMT "%s" STR_FMT, STR_ARG(type), STR_ARG(key), region.n > 0 ? " " : "",
                        STR_ARG(region));
}

bool worklist_add(struct worklist *w, const struct import_item *item, const char *where, struct diags *diags)
{
    struct import_item i = *item;
    if (!identifier_is(i.type))
        return diags_fail(diags, "Invalid object", "%s: \"" STR_FMT "\" is not the name of a resource type.", where,
                          STR_ARG(i.type));
    if (!i.identity && i.id.n == 0)
        return diags_fail(diags, "Invalid object", "%s: " STR_FMT " has no id.", where, STR_ARG(i.type));
    if (i.name.n > 0 && !identifier_is(i.name))
        return diags_fail(diags, "Invalid object",
                          "%s: \"" STR_FMT "\" is not a name: it must begin with a letter or an underscore and have nothing but "
                          "letters, digits, underscores and dashes.",
                          where, STR_ARG(i.name));
    if (w->items.n == WORKLIST_MAX_ITEMS)
        return diags_fail(diags, "Too many objects", "%s: a run has at most %d objects.", where, WORKLIST_MAX_ITEMS);
    i.type = arena_str(w->arena, i.type);
    i.id = arena_str(w->arena, i.id);
    i.name = arena_str(w->arena, i.name);
    i.error = arena_str(w->arena, i.error);
    i.of = arena_str(w->arena, i.of);
    i.region = arena_str(w->arena, i.region);
    i.from = arena_str(w->arena, i.from);
    i.at = arena_str(w->arena, i.at);
    i.key = i.identity ? identity_text(w->arena, i.identity) : i.id;
    if (i.identity)
        i.identity = json_parse(w->arena, i.key, where, diags);
    if (item->identity && !i.identity)
        return false;
    if (map_add(&w->seen, worklist_key(w->arena, i.type, i.key, i.region), w))
        *VEC_PUSH(w->arena, &w->items) = i;
    return true;
}

const char *left_out_name(enum left_out_kind kind)
{
    static const char *const names[] = {[LEFT_OWNED] = "owned",
                                        [LEFT_FAILED] = "failed",
                                        [LEFT_UNLISTED] = "unlisted",
                                        [LEFT_UNTAGGED] = "untagged",
                                        [LEFT_UNKNOWN] = "unknown"};
    return names[kind];
}

void worklist_leave_out(struct worklist *w, const struct left_out *what)
{
    for (size_t i = 0; i < w->left_out.n; i++) {
        struct left_out *o = &w->left_out.v[i];
        if (o->kind == what->kind && str_eq(o->type, what->type) && str_eq(o->why, what->why)) {
            o->n += what->n;
            return;
        }
    }
    *VEC_PUSH(w->arena, &w->left_out) =
        (struct left_out){arena_str(w->arena, what->type), arena_str(w->arena, what->why), what->n, what->kind};
}

size_t worklist_count_left_out(const struct worklist *w, enum left_out_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < w->left_out.n; i++)
        n += w->left_out.v[i].kind != kind ? 0 : w->left_out.v[i].n > 0 ? w->left_out.v[i].n : 1;
    return n;
}

void worklist_free_results(struct worklist *w)
{
    for (size_t i = 0; i < w->items.n; i++) {
        if (w->items.v[i].result)
            arena_free(w->items.v[i].result->arena);
        w->items.v[i].result = NULL;
    }
}

static int by_type_key_and_region(const void *x, const void *y)
{
    const struct import_item *a = x, *b = y;
    int order = str_cmp(a->type, b->type);
    order = order ? order : str_cmp(a->key, b->key);
    return order ? order : str_cmp(a->region, b->region);
}

bool worklist_sort(struct worklist *w, struct diags *diags)
{
    struct map names;
    map_init(&names, w->arena);
    if (w->items.n > 0)
        qsort(w->items.v, w->items.n, sizeof *w->items.v, by_type_key_and_region);
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        struct str address = arena_printf(w->arena, STR_FMT "." STR_FMT, STR_ARG(item->type), STR_ARG(item->name));
        if (item->name.n > 0 && item->status != IMPORT_SKIPPED && !map_add(&names, address, item))
            return diags_fail(diags, "Name used twice",
                              "Two objects are to be called " STR_FMT ": \"" STR_FMT "\" is the second.", STR_ARG(address),
                              STR_ARG(item->key));
    }
    return true;
}

/* --- JSON --- */

void worklist_write_left_out(struct json_writer *j, const struct worklist *w)
{
    if (w->left_out.n == 0)
        return;
    json_key(j, STR("left_out"));
    json_begin_array(j);
    for (size_t i = 0; i < w->left_out.n; i++) {
        const struct left_out *o = &w->left_out.v[i];
        json_begin_object(j);
        json_key(j, STR("type"));
        json_write_string(j, o->type);
        json_key(j, STR("reason"));
        json_write_string(j, str_of(left_out_name(o->kind)));
        json_key(j, STR("why"));
        json_write_string(j, o->why);
        if (o->n > 0) {
            json_key(j, STR("objects"));
            json_write_int(j, (int64_t)o->n);
        }
        json_end_object(j);
    }
    json_end_array(j);
}

void worklist_write(struct buf *out, const struct worklist *w, struct str provider)
{
    struct json_writer j = {.out = out, .indent = 2};
    json_begin_object(&j);
    json_key(&j, STR("version"));
    json_write_int(&j, 1);
    json_key(&j, STR("provider"));
    json_write_string(&j, provider);
    if (w->regions.n > 0) {
        json_key(&j, STR("regions"));
        json_begin_array(&j);
        for (size_t i = 0; i < w->regions.n; i++)
            json_write_string(&j, w->regions.v[i]);
        json_end_array(&j);
    }
    json_key(&j, STR("objects"));
    json_begin_array(&j);
    for (size_t i = 0; i < w->items.n; i++) {
        const struct import_item *item = &w->items.v[i];
        if (!import_is_told(item))
            continue;
        json_begin_object(&j);
        json_key(&j, STR("type"));
        json_write_string(&j, item->type);
        json_key(&j, item->identity ? STR("identity") : STR("id"));
        if (item->identity)
            json_write(&j, item->identity);
        else
            json_write_string(&j, item->id);
        if (item->region.n > 0) {
            json_key(&j, STR("region"));
            json_write_string(&j, item->region);
        }
        if (item->from.n > 0) {
            json_key(&j, STR("state"));
            json_write_string(&j, item->from);
            json_key(&j, STR("at"));
            json_write_string(&j, item->at);
        }
        if (item->name.n > 0) {
            json_key(&j, STR("name"));
            json_write_string(&j, item->name);
        }
        json_key(&j, STR("status"));
        json_write_string(&j, str_of(import_status_name(item->status)));
        if (item->error.n > 0) {
            json_key(&j, STR("error"));
            json_write_string(&j, item->error);
        }
        json_end_object(&j);
    }
    json_end_array(&j);
    worklist_write_left_out(&j, w);
    json_end_object(&j);
    if (!json_finish(&j))
        out->failed = true;
    buf_addc(out, '\n');
}
