/* Sources that use the provider: its own listing, and plural data sources. */
#include "engine/request.h"
#include "import/source.h"
#include "value/json_value.h"

enum { LIST_LIMIT = 1 << 20, MAX_JSON = 256 << 20 };

/* --- ListResource --- */

struct listing {
    struct findings *findings;
    struct engine *engine;
    bool failed;
};

static const struct json *as_json(struct arena *a, const struct value *v, struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_JSON);
    struct json_writer j = {.out = &text};
    bool ok = value_write_json(&j, v, v->type, diags) && json_finish(&j);
    return ok ? json_parse(a, buf_copy(&text, a), "answer", diags) : NULL;
}

static bool on_found(void *ctx, const struct found *found)
{
    struct listing *l = ctx;
    struct arena *a = l->findings->arena;
    const struct json *identity = as_json(a, found->identity, l->engine->diags);
    l->failed = !identity || l->findings->items.n == WORKLIST_MAX_ITEMS;
    if (!l->failed)
        *VEC_PUSH(a, &l->findings->items) =
            (struct import_item){.type = arena_str(a, found->resource->type), .identity = identity};
    return !l->failed;
}

static bool list_serves(const struct discovery *d, struct str type)
{
    return map_get(&d->schema->lists, type) != NULL;
}

/* A required argument of the list, such as a parent's id; NULL: none. */
static const struct schema_attr *list_needs(const struct discovery *d, struct str type)
{
    const struct schema *list = map_get(&d->schema->lists, type);
    for (size_t i = 0; i < list->block->n_attrs; i++)
        if (list->block->attrs[i].required)
            return &list->block->attrs[i];
    return NULL;
}

static enum engine_status list_find(struct discovery *d, struct engine *e, struct str type, struct findings *ret)
{
    const struct schema_attr *needed = list_needs(d, type);
    if (needed) {
        ret->unknown = true;
        (void)diags_fail(e->diags, "Objects cannot be listed", "The provider's list needs the argument \"" STR_FMT "\".",
                         STR_ARG(needed->name));
        return ENGINE_FAILED;
    }
    struct listing l = {.findings = ret, .engine = e};
    struct list_options options = {.limit = LIST_LIMIT};
    struct request q = {.engine = e, .type = type, .name = STR("this")};
    size_t n = 0;
    enum engine_status s = request_list(&q, json_make_object(e->arena, NULL, 0), &options, on_found, &l, &n);
    return s == ENGINE_OK && l.failed ? ENGINE_FAILED : s;
}

const struct source source_list = {.serves = list_serves, .find = list_find};

/* --- data sources --- */

static enum engine_status read_ids(struct engine *e, struct str data, const struct json *config, struct str items, struct str id,
                                   struct str type, struct findings *ret)
{
    struct request q = {.engine = e, .type = data, .name = STR("this")};
    const struct value *v;
    enum engine_status s = request_read_data(&q, config ? config : json_make_object(e->arena, NULL, 0), &v);
    const struct json *answer = s == ENGINE_OK ? as_json(e->arena, v, e->diags) : NULL;
    if (!answer)
        return s == ENGINE_OK ? ENGINE_FAILED : s;
    struct pick_values found = pick_all(e->arena, answer, items);
    for (size_t i = 0; i < found.n; i++) {
        struct picked at = {.item = found.v[i]};
        struct str text;
        bool ok = id.n > 0 ? pick_fill(e->arena, &at, NULL, id, &text) : pick_text(e->arena, &at, STR_EMPTY, &text);
        if (ok && text.n > 0)
            *VEC_PUSH(ret->arena, &ret->items) =
                (struct import_item){.type = arena_str(ret->arena, type), .id = arena_str(ret->arena, text)};
    }
    return ENGINE_OK;
}

static bool data_serves(const struct discovery *d, struct str type)
{
    const struct row *row = rows_of(d->rows, type);
    return row && row->data.n > 0 && map_get(&d->schema->data_sources, row->data);
}

static enum engine_status data_find(struct discovery *d, struct engine *e, struct str type, struct findings *ret)
{
    const struct row *row = rows_of(d->rows, type);
    return read_ids(e, row->data, row->parameters, row->items, row->id, type, ret);
}

const struct source source_data = {.serves = data_serves, .find = data_find};

/* --- a guess --- */

/* aws_vpc -> aws_vpcs, aws_x_policy -> aws_x_policies, if it has `ids` and no required arguments. */
static const struct schema *plural_of(const struct discovery *d, struct arena *a, struct str type, struct str *ret_name)
{
    const struct str names[] = {
        arena_printf(a, STR_FMT "s", STR_ARG(type)),
        arena_printf(a, STR_FMT "es", STR_ARG(type)),
        arena_printf(a, STR_FMT "ies", STR_ARG(str_slice(type, 0, type.n > 0 ? type.n - 1 : 0))),
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct schema *s = map_get(&d->schema->data_sources, names[i]);
        const struct schema_attr *ids = s ? schema_block_attr(s->block, STR("ids")) : NULL;
        const struct type *t = ids ? ids->value_type : NULL;
        bool fits = t && ids->computed && (t->kind == TYPE_LIST || t->kind == TYPE_SET) && t->element->kind == TYPE_STRING;
        for (size_t k = 0; fits && k < s->block->n_attrs; k++)
            fits = !s->block->attrs[k].required;
        for (size_t k = 0; fits && k < s->block->n_blocks; k++)
            fits = s->block->blocks[k].min_items == 0;
        *ret_name = names[i];
        if (fits)
            return s;
    }
    return NULL;
}

/* With an emulator, only the emulator is called: not AWS itself for a service whose endpoint is not configured. */
static bool is_reached(const struct discovery *d, struct str type)
{
    const struct schema_nested_block *endpoints =
        d->schema->provider ? schema_block_block(d->schema->provider->block, STR("endpoints")) : NULL;
    struct str rest = type;
    (void)str_cut(&rest, '_');
    struct row_service service = {.name = str_cut(&rest, '_')};
    bool is_service = endpoints && schema_block_attr(endpoints->block, service.name);
    return !d->api || !is_service || api_reaches(d->api, &service);
}

static bool guess_serves(const struct discovery *d, struct str type)
{
    if (!is_reached(d, type))
        return false;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str name;
    return plural_of(d, scratch, type, &name) != NULL;
}

static enum engine_status guess_find(struct discovery *d, struct engine *e, struct str type, struct findings *ret)
{
    struct str name;
    return plural_of(d, e->arena, type, &name) ? read_ids(e, name, NULL, STR("ids"), STR_EMPTY, type, ret) : ENGINE_FAILED;
}

const struct source source_guess = {.serves = guess_serves, .find = guess_find, .guess = true};
