#include "import/pairs.h"

#include "base/lock.h"
#include "import/keep.h"

/* A parent whose configuration changes. */
struct parent {
    struct import_item *item;
    struct configure_choice choice;
    struct configured configured;
};

struct pairing {
    struct arena *arena;
    const struct import_reading *options;
    const struct rows *rows;
    struct worklist *list;
    struct map own; /* "PAIR REGION VALUE" of the separate resources */
    VEC(struct parent) parents;
    pthread_mutex_t lock; /* guards the list's arena */
};

static struct str text_at(const struct import_result *r, struct str name)
{
    const struct value *v = r->state->state == VALUE_KNOWN ? value_get(r->state, name) : NULL;
    return v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING ? v->string : STR_EMPTY;
}

static struct str own_key(struct arena *a, size_t pair, const struct import_item *item, struct str value)
{
    return arena_printf(a, "%zu " STR_FMT " " STR_FMT, pair, STR_ARG(item->region), STR_ARG(value));
}

static void note_own(struct pairing *p, size_t pair)
{
    const struct row_pair *row = &p->rows->pairs.v[pair];
    for (size_t i = 0; i < p->list->items.n; i++) {
        const struct import_item *item = &p->list->items.v[i];
        struct str value =
            item->result && str_eq(item->type, row->own) ? text_at(item->result, row->by->object.members[0].key) : STR_EMPTY;
        if (value.n > 0)
            map_put(&p->own, own_key(p->arena, pair, item, value), p);
    }
}

/* The value has no effect: {enabled = false} means no versioning. */
static bool says_nothing(const struct value *v)
{
    if (v->state != VALUE_KNOWN || type_is_primitive(v->type))
        return import_is_zero(v);
    for (size_t i = 0; i < v->n; i++)
        if (!says_nothing(v->elements[i]))
            return false;
    return true;
}

/* Which arguments of the parent are omitted, and which are restored. */
static struct configure_choice choice_of(struct pairing *p, const struct import_item *item)
{
    const struct import_result *r = item->result;
    const struct rows *rows = p->rows;
    struct str *omit = arena_make_n(p->arena, struct str, rows->pairs.n),
               *keep = arena_make_n(p->arena, struct str, rows->pairs.n);
    struct configure_choice c = {.omit = omit, .keep = keep};
    struct map done;
    map_init(&done, p->arena);
    for (size_t i = 0; i < rows->pairs.n; i++) {
        const struct row_pair *pair = &rows->pairs.v[i];
        const struct value *now = value_get(r->configured.config, pair->argument), *state = value_get(r->state, pair->argument);
        if (!str_eq(pair->parent, item->type) || !now || !state)
            continue;
        struct str value = text_at(r, json_text(pair->by->object.members[0].value, STR_EMPTY));
        if (value.n > 0 && map_get(&p->own, own_key(p->arena, i, item, value))) {
            map_put(&done, pair->argument, p);
            bool attribute = schema_block_attr(r->resource.schema->block, pair->argument) != NULL;
            if (attribute ? now->state == VALUE_KNOWN : !import_is_zero(now)) /* an empty list means: none */
                omit[c.n_omit++] = pair->argument;
        }
    }
    for (size_t i = 0; i < rows->pairs.n; i++) {
        const struct row_pair *pair = &rows->pairs.v[i];
        const struct value *now = value_get(r->configured.config, pair->argument), *state = value_get(r->state, pair->argument);
        if (str_eq(pair->parent, item->type) && now && state && import_is_zero(now) && !says_nothing(state) &&
            map_add(&done, pair->argument, p))
            keep[c.n_keep++] = pair->argument;
    }
    return c;
}

static enum engine_status write_anew(void *ctx, struct engine *e, size_t i)
{
    struct pairing *p = ctx;
    struct parent *parent = &p->parents.v[i];
    const struct import_result *r = parent->item->result;
    struct object object = {.value = r->state, .sensitive = r->sensitive, .stored = &r->instance};
    return import_configure(e, &r->resource, &object, &r->instance, p->options->style, &parent->choice, &parent->configured);
}

static void written_anew(void *ctx, size_t i, enum engine_status status, struct arena *a, const struct diags *diags)
{
    struct pairing *p = ctx;
    struct parent *parent = &p->parents.v[i];
    struct import_item *item = parent->item;
    mutex_lock(&p->lock);
    if (status == ENGINE_OK) {
        import_keep_configured(item->result, &parent->configured);
        item->status = import_status_of(&parent->configured);
    } else if (parent->choice.n_omit > 0 && status != ENGINE_CANCELLED) {
        item->status = IMPORT_FAILED;
        item->error = import_first_error(p->list->arena, diags);
    }
    mutex_unlock(&p->lock);
    /* A restored argument that the provider rejects stays omitted. */
    arena_free(a);
}

static struct str region_of(void *ctx, size_t i)
{
    const struct pairing *p = ctx;
    return p->parents.v[i].item->region;
}

void import_settle_pairs(const struct import_reading *r, const struct rows *rows, struct worklist *w)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct pairing p = {.arena = a, .options = r, .rows = rows, .list = w};
    struct map parents;
    map_init(&p.own, a);
    map_init(&parents, a);
    for (size_t i = 0; i < rows->pairs.n; i++) {
        note_own(&p, i);
        map_put(&parents, rows->pairs.v[i].parent, &p);
    }
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        if (!item->result || !map_get(&parents, item->type))
            continue;
        struct configure_choice choice = choice_of(&p, item);
        if (choice.n_omit + choice.n_keep > 0)
            *VEC_PUSH(a, &p.parents) = (struct parent){.item = item, .choice = choice};
    }
    mutex_init(&p.lock);
    import_run_jobs(&(struct import_jobs){r, write_anew, written_anew, &p, region_of}, p.parents.n);
    mutex_destroy(&p.lock);
}
