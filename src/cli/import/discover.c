#include "cli/import/discover.h"

#include "base/file.h"
#include "cli/shipped_config.h"
#include "import/files.h"
#include "links/pattern.h"

bool import_load_rows(struct app *app, struct str address, const struct discover_wish *wish, struct rows *ret)
{
    struct str text, source = import_provider_source(address);
    rows_init(ret, app->arena);
    const char *shipped = shipped_file(app, "discovery", import_provider_name(address), ".yaml", ROWS_MAX_FILE, &text);
    struct arena *a = app->arena;
    /* Only for the provider that the rows were written for: another one may have the same name. */
    if (shipped && str_eq(arena_printf(a, "hashicorp/" STR_FMT, STR_ARG(import_provider_name(address))), source) &&
        !rows_read(ret, text, shipped, &app->diags))
        return false;
    for (size_t i = 0; i < wish->rows.n; i++)
        if (!file_read(a, wish->rows.v[i], ROWS_MAX_FILE, &app->diags, &text) ||
            !rows_read(ret, text, wish->rows.v[i], &app->diags))
            return false;
    return rows_bind(ret, &app->diags);
}

void import_set_rates(struct rates *rates, const struct rows *rows, const struct api *api, int64_t rate)
{
    for (size_t i = 0; i < rows->services.n; i++) {
        const struct row_service *s = rows->services.entries[i].value;
        rates_set(rates, s->name, rate > 0 ? (double)rate : api && api_is_own(api, s) ? 0 : (double)s->rate);
    }
}

static bool any_fits(const struct option_texts *patterns, struct str text)
{
    for (size_t i = 0; i < patterns->n; i++)
        for (struct str rest = str_of(patterns->v[i]); rest.n > 0;) {
            bool braces = str_find(rest, '{', 0) != SIZE_MAX; /* then commas belong to the pattern */
            struct str pattern = braces ? rest : str_cut(&rest, ',');
            rest = braces ? STR_EMPTY : rest;
            if (link_pattern_match(pattern, text))
                return true;
        }
    return false;
}

bool import_wants_type(const struct discover_wish *wish, struct str type)
{
    return (wish->only.n == 0 || any_fits(&wish->only, type)) && !any_fits(&wish->exclude, type);
}

bool import_wants_key(const struct discover_wish *wish, struct str key)
{
    return (wish->id.n == 0 || any_fits(&wish->id, key)) && !any_fits(&wish->exclude_id, key);
}

static const struct value *tag_of(const struct value *state, struct str key)
{
    const struct value *tags = state->state == VALUE_KNOWN ? value_get(state, STR("tags")) : NULL;
    if (!tags || tags->state != VALUE_KNOWN || tags->type->kind != TYPE_MAP)
        return NULL;
    const struct value *v = value_get(tags, key);
    return v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING ? v : NULL;
}

static bool has_tags(const struct discover_wish *wish, const struct import_item *item)
{
    for (size_t i = 0; item->result && i < wish->tags.n; i++) {
        struct str pattern = str_of(wish->tags.v[i]), key = str_cut(&pattern, '=');
        const struct value *v = tag_of(item->result->state, key);
        if (!v || (pattern.n > 0 && !link_pattern_match(pattern, v->string)))
            return false;
    }
    return true;
}

void import_drop_untagged(const struct discover_wish *wish, struct worklist *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        if (has_tags(wish, item)) {
            w->items.v[n++] = *item;
            continue;
        }
        worklist_leave_out(w, &(struct left_out){item->type, STR("without the tags"), 1, LEFT_UNTAGGED});
        arena_free(item->result->arena);
    }
    w->items.n = n;
}
