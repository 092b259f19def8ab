#include "import/into.h"

#include "base/file.h"
#include "state/state_file.h"
#include "state/state_value.h"

static struct str pair(struct arena *a, struct str x, const char *between, struct str y)
{
    return arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(x), between, STR_ARG(y));
}

static void put(struct map *m, struct str key, const void *value)
{
    map_put(m, key, (void *)(uintptr_t)value);
}

/* --- the folder --- */

/* The region of an object in the state; empty: the provider's own, or not a region of this run. */
static struct str region_of(const struct into_provider *p, const struct state_resource *r)
{
    for (size_t i = 0; i < p->n_regions; i++) {
        size_t n = p->regions[i].alias.n;
        struct str end = r->provider.n > n ? str_slice(r->provider, r->provider.n - n - 1, r->provider.n) : STR_EMPTY;
        if (end.n > 0 && end.p[0] == '.' && str_ends(end, p->regions[i].alias))
            return p->regions[i].name;
    }
    return STR_EMPTY;
}

struct taking {
    struct into *into;
    struct arena *arena;
    const struct into_provider *provider;
};

static bool take_object(void *ctx, const struct state_resource *r, const struct state_instance *instance)
{
    const struct taking *t = ctx;
    struct into *in = t->into;
    struct arena *a = t->arena;
    struct state_address address = {.module = r->module, .type = r->type, .name = r->name, .key = instance->key};
    struct str *text = arena_make(a, struct str);
    *text = state_address_text(a, &address);
    struct str id = state_instance_id(instance);
    struct str region = region_of(t->provider, r);
    if (id.n > 0)
        put(&in->ids, worklist_key(a, r->type, id, region), text);
    *VEC_PUSH(a, &in->objects) = (struct into_object){r->type, id, *text, region, instance};
    if (r->module.n > 0 || instance->key.kind != STATE_KEY_NONE)
        return true;
    put(&in->managed, *text, instance);
    if (instance->attributes)
        put(&in->settings.locals, *text, instance->attributes); /* so that blocks that refer to the object can be evaluated */
    return true;
}

static bool find_alias(const struct into *in, const struct into_provider *p, struct import_region *region)
{
    struct diags ignored;
    diags_init(&ignored, in->settings.arena);
    for (size_t i = 0; i < in->settings.blocks.n; i++) {
        const struct settings_block *b = &in->settings.blocks.v[i];
        if (b->alias.n == 0 || settings_find(&in->settings, p->address, b->alias) != b)
            continue;
        const struct json *config = settings_evaluate(&in->settings, b, p->schema, &ignored);
        if (str_eq(json_text(json_get(config, "region"), STR_EMPTY), region->name)) {
            region->alias = b->alias;
            return true;
        }
    }
    return false;
}

static bool find_aliases(const struct into *in, const struct into_provider *p, const char *folder, struct diags *diags)
{
    for (size_t i = 0; i < p->n_regions; i++)
        if (!find_alias(in, p, &p->regions[i]))
            return diags_fail(diags, "No provider for a region",
                              "%s has no provider block with an alias for region " STR_FMT
                              ". Add one, for example with alias = \"" STR_FMT "\" and region = \"" STR_FMT "\".",
                              folder, STR_ARG(p->regions[i].name), STR_ARG(p->regions[i].alias), STR_ARG(p->regions[i].name));
    return true;
}

bool into_read(struct into *in, struct arena *a, const char *folder, const struct into_provider *provider, struct diags *diags)
{
    *in = (struct into){0};
    map_init(&in->managed, a);
    map_init(&in->ids, a);
    if (!file_exists(folder))
        return diags_fail(diags, "No such folder", "%s does not exist. --into needs a folder of .tf files.", folder);
    if (!settings_read(&in->settings, a, folder, diags) || !find_aliases(in, provider, folder, diags))
        return false;
    in->state = state_file_look(a, arena_printf(a, "%s/terraform.tfstate", folder).p, diags);
    return in->state && state_visit_managed(in->state, take_object, &(struct taking){in, a, provider});
}

/* --- managed objects --- */

void into_leave_out(struct worklist *w, struct import_item *item, struct str address)
{
    item->status = IMPORT_SKIPPED;
    item->error = arena_printf(w->arena, "managed as " STR_FMT, STR_ARG(address));
}

void into_leave_managed(const struct into *in, struct worklist *w)
{
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        const struct str *address = map_get(&in->ids, worklist_key(w->arena, item->type, item->key, item->region));
        if (address)
            into_leave_out(w, item, *address);
    }
    for (size_t i = 0; i < in->settings.resources.n; i++)
        put(&w->reserved, pair(w->arena, in->settings.resources.v[i].type, ".", in->settings.resources.v[i].name), w);
    for (size_t i = 0; i < in->settings.declared.n; i++)
        put(&w->reserved, pair(w->arena, STR("var"), ".", in->settings.declared.v[i]), w);
    for (size_t i = 0; i < in->managed.n; i++)
        put(&w->reserved, in->managed.entries[i].key, w);
}

/* --- objects that fit a block --- */

static bool is_scalar(const struct json *j)
{
    return j->kind == JSON_STRING || j->kind == JSON_NUMBER || j->kind == JSON_BOOL;
}

static struct str scalar_text(const struct json *j)
{
    if (j->kind == JSON_BOOL)
        return j->boolean ? STR("true") : STR("false");
    return j->text;
}

/* Compares loosely: numbers equal their strings, and lists and sets are not distinguished. */
static bool is_alike(const struct json *have, const struct json *said);

static bool has_item(const struct json *list, const struct json *one)
{
    size_t i = 0;
    while (i < list->array.n && !is_alike(list->array.items[i], one))
        i++;
    return i < list->array.n;
}

static bool is_alike(const struct json *have, const struct json *said)
{
    if (is_scalar(have) && is_scalar(said))
        return str_eq(scalar_text(have), scalar_text(said));
    if (have->kind != said->kind)
        return false;
    if (have->kind == JSON_ARRAY) {
        bool same = have->array.n == said->array.n;
        for (size_t i = 0; same && i < said->array.n; i++)
            same = has_item(have, said->array.items[i]);
        return same;
    }
    if (have->kind != JSON_OBJECT)
        return true;
    for (size_t i = 0; i < said->object.n; i++) {
        const struct json *other = json_get_str(have, said->object.members[i].key);
        if (!other || !is_alike(other, said->object.members[i].value))
            return false;
    }
    return true;
}

/*
 * Every argument that can be evaluated equals the object's, and at least one is a string: numbers and flags match too many
 * objects.
 */
static bool fits(const struct into *in, const struct settings_resource *b, const struct import_item *item)
{
    const struct json *attributes = item->result->instance.attributes;
    size_t texts = 0;
    for (size_t i = 0; i < b->body->n_attrs; i++) {
        const struct json *said = settings_plain(&in->settings, b->body->attrs[i].value);
        const struct json *have = json_get_str(attributes, b->body->attrs[i].name);
        if (!said || said->kind == JSON_NULL)
            continue;
        if (!have || !is_alike(have, said))
            return false;
        texts += said->kind == JSON_STRING && said->text.n > 0;
    }
    return texts > 0;
}

static bool is_open(const struct into *in, struct arena *a, const struct settings_resource *b)
{
    return b->body && !b->repeated && !map_get(&in->managed, pair(a, b->type, ".", b->name));
}

/* The only object that matches this block; NULL: none, or several. */
static struct import_item *fitting(const struct into *in, const struct settings_resource *b, struct worklist *w)
{
    struct import_item *found = NULL;
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        if (!item->result || item->place != IMPORT_NEW || !str_eq(item->type, b->type) || !fits(in, b, item))
            continue;
        if (found)
            return NULL;
        found = item;
    }
    return found;
}

static void take_blocks(const struct into *in, struct worklist *w)
{
    size_t n = in->settings.resources.n;
    struct import_item **found = arena_make_n(w->arena, struct import_item *, n);
    for (size_t i = 0; i < n; i++)
        if (is_open(in, w->arena, &in->settings.resources.v[i]))
            found[i] = fitting(in, &in->settings.resources.v[i], w);
    for (size_t i = 0; i < n; i++) {
        bool only = found[i] != NULL;
        for (size_t k = 0; only && k < n; k++)
            only = k == i || found[k] != found[i];
        if (!only)
            continue;
        found[i]->place = IMPORT_IN_BLOCK;
        found[i]->name = in->settings.resources.v[i].name;
    }
}

/* --- targets of references --- */

/* Adds an item for a managed object: it is never written, but others can refer to it. */
static void add_managed(struct worklist *w, struct str address, const struct state_instance *instance,
                        const struct provider_schema *schema)
{
    struct str rest = address, type = str_cut(&rest, '.');
    const struct schema *s = instance->attributes ? map_get(&schema->resources, type) : NULL;
    struct arena *a = arena_new(NULL, 0);
    struct diags ignored;
    diags_init(&ignored, a);
    const struct value *v = s ? state_get_attributes(a, instance, s->type, &ignored) : NULL;
    if (!v) {
        arena_free(a);
        return;
    }
    struct import_result *result = arena_make(a, struct import_result);
    *result = (struct import_result){
        .arena = a, .resource = {.type = type, .address = address, .schema = s}, .instance = *instance, .state = v};
    struct str id = state_instance_id(instance);
    *VEC_PUSH(w->arena, &w->items) =
        (struct import_item){.type = type, .id = id, .key = id, .name = rest, .place = IMPORT_MANAGED, .result = result};
    into_leave_out(w, &w->items.v[w->items.n - 1], address);
}

void into_place(const struct into *in, struct worklist *w, const struct provider_schema *schema)
{
    size_t n = w->items.n;
    for (size_t i = 0; i < n; i++) {
        struct import_item *item = &w->items.v[i];
        struct str id = item->result ? state_instance_id(&item->result->instance) : STR_EMPTY;
        const struct str *address = id.n > 0 ? map_get(&in->ids, worklist_key(w->arena, item->type, id, item->region)) : NULL;
        if (!address)
            continue;
        into_leave_out(w, item, *address);
        arena_free(item->result->arena);
        item->result = NULL;
    }
    take_blocks(in, w);
    for (size_t i = 0; i < in->managed.n; i++)
        add_managed(w, in->managed.entries[i].key, in->managed.entries[i].value, schema);
}
