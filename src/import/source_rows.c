/* The source that calls APIs by declared rows: each parent once, and then the rows that depend on it. */
#include "import/source.h"
#include "import/source_private.h"
#include "links/pattern.h"

static const struct row_found *found_by(struct discovery *d, const struct row *row);

/* --- conditions --- */

static bool owned_id(struct discovery *d, struct str type, struct str id)
{
    const struct row *row = rows_of(d->rows, type);
    const struct row_found *f = row ? found_by(d, row) : NULL;
    return f && map_get(&f->owned_ids, id) != NULL;
}

/* One matching value at the path is enough; with "!" no value may match. */
static bool fits(struct discovery *d, struct arena *a, const struct picked *at, struct str path, struct str pattern)
{
    bool not = str_starts(pattern, STR("!"));
    pattern = str_slice(pattern, not, pattern.n);
    const struct picked *from = at;
    for (; from && str_starts(path, STR("^")); path = str_slice(path, 1, path.n))
        from = from->parent;
    struct pick_values all = from ? pick_all(a, from->item, path) : (struct pick_values){0};
    bool any = false;
    for (size_t i = 0; i < all.n && !any; i++) {
        struct picked one = {.item = all.v[i]};
        struct str text;
        if (all.v[i]->kind == JSON_NULL)
            continue;
        if (!pick_text(a, &one, STR_EMPTY, &text))
            text = STR("{}");
        struct str rest = str_slice(pattern, 1, pattern.n), other;
        any = str_starts(pattern, STR("<")) ? owned_id(d, rest, text)
              : str_starts(pattern, STR("="))
                  ? pick_fill(a, at, api_facts(d->api), arena_printf(a, "{" STR_FMT "}", STR_ARG(rest)), &other) &&
                        str_eq(other, text)
                  : link_pattern_match(pattern, text);
    }
    return any != not;
}

static bool all_fit(struct discovery *d, struct arena *a, const struct picked *at, const struct json *when)
{
    for (size_t i = 0; when && i < when->object.n; i++) {
        const struct json_member *m = &when->object.members[i];
        struct str pattern =
            m->value->kind == JSON_BOOL ? (m->value->boolean ? STR("true") : STR("false")) : json_text(m->value, STR_EMPTY);
        if (!fits(d, a, at, m->key, pattern))
            return false;
    }
    return true;
}

static struct str owner_of(struct discovery *d, struct arena *a, const struct row *row, const struct picked *at)
{
    for (size_t i = 0; i < row->n_owned; i++)
        if (all_fit(d, a, at, row->owned[i].when))
            return row->owned[i].why;
    return STR_EMPTY;
}

/* --- findings of a row --- */

static void take_items(struct discovery *d, const struct row *row, struct row_found *f, const struct picked *parent)
{
    struct diags diags;
    struct pick_values items;
    bool unknown = false;
    diags_init(&diags, f->arena);
    if (row->each)
        items = pick_all(f->arena, row->each, STR_EMPTY);
    else if (parent && str_starts(row->items, STR("^")))
        items = pick_all(f->arena, parent->item, str_slice(row->items, 1, row->items.n));
    else if (!api_items(d->api, f->arena, row, parent, &items, &diags, &unknown)) {
        f->unknown |= unknown;
        if (f->error.n == 0 && diags.n > 0)
            f->error = diags.v[0].detail;
        return;
    }
    const struct pick_facts *facts = api_facts(d->api);
    for (size_t i = 0; i < items.n; i++) {
        struct row_object o = {.at = {.item = items.v[i], .parent = parent}};
        struct str id = STR_EMPTY;
        if (!all_fit(d, f->arena, &o.at, row->only))
            continue;
        o.owner = owner_of(d, f->arena, row, &o.at);
        if (o.owner.n > 0 && row->id.n > 0 && pick_fill(f->arena, &o.at, facts, row->id, &id))
            map_put(&f->owned_ids, id, f);
        *VEC_PUSH(f->arena, &f->objects) = o;
    }
}

static void fill(struct discovery *d, const struct row *row, struct row_found *f)
{
    if (!row->parent) {
        take_items(d, row, f, NULL);
        return;
    }
    const struct row_found *parents = found_by(d, row->parent);
    f->error = parents->error;
    f->unknown = parents->unknown;
    for (size_t i = 0; i < parents->objects.n; i++)
        if (parents->objects.v[i].owner.n == 0 || d->include_owned || row->with_owned)
            take_items(d, row, f, &parents->objects.v[i].at);
}

/* The first caller makes the request, others wait. Rows form no cycle, so waiting cannot deadlock. */
static const struct row_found *found_by(struct discovery *d, const struct row *row)
{
    struct row_found *f = map_get(d->found, row->name);
    mutex_lock(&f->lock);
    if (!f->done) {
        fill(d, row, f);
        f->done = true;
    }
    mutex_unlock(&f->lock);
    return f;
}

/* --- the source --- */

static bool rows_serve(const struct discovery *d, struct str type)
{
    const struct row *row = rows_of(d->rows, type);
    while (row && !row->service && row->parent)
        row = row->parent;
    return d->api && row && row->service && api_reaches(d->api, row->service);
}

static void count_owned(struct findings *f, struct str type, struct str why)
{
    for (size_t i = 0; i < f->owned.n; i++)
        if (str_eq(f->owned.v[i].why, why)) {
            f->owned.v[i].n++;
            return;
        }
    *VEC_PUSH(f->arena, &f->owned) = (struct left_out){arena_str(f->arena, type), arena_str(f->arena, why), 1, LEFT_OWNED};
}

static enum engine_status rows_find(struct discovery *d, struct engine *e, struct str type, struct findings *ret)
{
    const struct row *row = rows_of(d->rows, type);
    const struct row_found *f = found_by(d, row);
    const struct pick_facts *facts = api_facts(d->api);
    for (size_t i = 0; i < f->objects.n; i++) {
        const struct row_object *o = &f->objects.v[i];
        struct str id, of = STR_EMPTY;
        if (o->owner.n > 0 && !d->include_owned)
            count_owned(ret, type, o->owner);
        else if (pick_fill(ret->arena, &o->at, facts, row->id, &id) && id.n > 0) {
            (void)(row->of.n > 0 && pick_fill(ret->arena, &o->at, facts, row->of, &of));
            *VEC_PUSH(ret->arena, &ret->items) =
                (struct import_item){.type = arena_str(ret->arena, type),
                                     .id = str_slice(id, str_starts(id, row->strip) ? row->strip.n : 0, id.n),
                                     .of = of};
        }
    }
    if (f->error.n == 0)
        return ENGINE_OK;
    ret->unknown = f->unknown;
    (void)diags_fail(e->diags, "Objects cannot be listed", STR_FMT, STR_ARG(f->error));
    return ENGINE_FAILED;
}

const struct source source_rows = {.serves = rows_serve, .find = rows_find};
