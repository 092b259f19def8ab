#include "import/names.h"

#include "base/ascii.h"

enum { MAX_NAME = 60 };

struct str import_snake(struct arena *a, struct str text)
{
    char *out = arena_make_n(a, char, text.n * 2 + 3);
    size_t n = 0;
    for (size_t i = 0; i < text.n && n < MAX_NAME; i++) {
        char c = text.p[i], before = '\0';
        if (i > 0)
            before = text.p[i - 1];
        bool word = is_letter(c) || is_digit(c);
        bool begins =
            word && c != to_lower(c) && (is_letter(before) || is_digit(before)) && before == to_lower(before); /* webServer */
        if (begins && n > 0 && out[n - 1] != '_')
            out[n++] = '_';
        if (word)
            out[n++] = to_lower(c);
        else if (n > 0 && out[n - 1] != '_')
            out[n++] = '_';
    }
    while (n > 0 && out[n - 1] == '_')
        n--;
    struct str name = {out, n};
    if (n == 0)
        return STR("object");
    return is_digit(out[0]) ? arena_printf(a, "r_" STR_FMT, STR_ARG(name)) : name;
}

static struct str text_at(const struct value *v, struct str name)
{
    const struct value *part =
        v && v->state == VALUE_KNOWN && (v->type->kind == TYPE_OBJECT || v->type->kind == TYPE_MAP) ? value_get(v, name) : NULL;
    return part && part->state == VALUE_KNOWN && part->type->kind == TYPE_STRING ? part->string : STR_EMPTY;
}

/* The own part of a name: of an ARN what follows the account, of an address the last segment. */
static struct str own_part(struct str text)
{
    struct str rest = text;
    for (size_t i = 0; str_starts(text, STR("arn:")) && i < 5; i++)
        (void)str_cut(&rest, ':');
    if (str_starts(text, STR("http")) || str_starts(text, STR("/subscriptions/")))
        for (size_t i = text.n; i-- > 0;)
            if (text.p[i] == '/' && i + 1 < text.n)
                return str_slice(text, i + 1, text.n);
    return rest.n > 0 ? rest : text;
}

static bool is_plain(struct str id)
{
    size_t letters = 0;
    for (size_t i = 0; i < id.n; i++) {
        letters += is_letter(id.p[i]);
        if (!is_letter(id.p[i]) && !is_digit(id.p[i]) && id.p[i] != '-' && id.p[i] != '_' && id.p[i] != '.')
            return false;
    }
    return letters > 0;
}

/*
 * The requested id if it is a single word: the state's id may differ, as for databases. The requested id is also kept where a
 * provider makes up a new id, with the time in it, at every import.
 */
static struct str lasting_id(const struct import_item *item)
{
    if (is_plain(item->id))
        return item->id;
    enum { LONG_NUMBER = 16 };
    struct str id = text_at(item->result->state, STR("id"));
    size_t digits = 0;
    for (size_t i = 0; i < id.n && digits < LONG_NUMBER; i++)
        digits = is_digit(id.p[i]) ? digits + 1 : 0;
    return digits == LONG_NUMBER && item->id.n > 0 ? item->id : id;
}

/* broker_name of aws_mq_broker. */
static struct str name_of_type(const struct import_item *item)
{
    const struct value *state = item->result->state;
    struct str ending = STR("_name");
    for (size_t i = 0; i < state->n; i++) {
        struct str attr = state->type->attrs[i].name;
        struct str kind = str_slice(attr, 0, str_ends(attr, ending) ? attr.n - ending.n : 0);
        if (kind.n > 0 && kind.n < item->type.n && str_ends(item->type, kind) && item->type.p[item->type.n - kind.n - 1] == '_')
            return text_at(state, attr);
    }
    return STR_EMPTY;
}

static struct str source_of(const struct import_item *item)
{
    const struct value *state = item->result->state;
    struct str candidates[] = {text_at(value_get(state, STR("tags")), STR("Name")),
                               text_at(value_get(state, STR("tags")), STR("name")),
                               text_at(state, STR("name")),
                               name_of_type(item),
                               text_at(state, STR("display_name")),
                               lasting_id(item)};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (candidates[i].n > 0)
            return own_part(candidates[i]);
    return own_part(item->key);
}

static struct str address_of(struct arena *a, const struct import_item *item, struct str name)
{
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(item->type), STR_ARG(name));
}

/* Is the name used by existing code? */
static bool is_reserved(const struct worklist *w, const struct import_item *item, struct str name)
{
    return map_get(&w->reserved, address_of(w->arena, item, name));
}

void import_choose_names(struct worklist *w)
{
    struct map taken, last; /* last: TYPE.NAME -> the last number used, so that many equal names cost little */
    map_init(&taken, w->arena);
    map_init(&last, w->arena);
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        if (item->name.n > 0 && item->status != IMPORT_SKIPPED)
            (void)map_add(&taken, address_of(w->arena, item, item->name), item);
    }
    for (size_t i = 0; i < w->items.n; i++) {
        struct import_item *item = &w->items.v[i];
        if (item->name.n > 0 || !item->result)
            continue;
        struct str base = import_snake(w->arena, source_of(item)), name = base;
        bool taken_already = is_reserved(w, item, name) || map_get(&taken, address_of(w->arena, item, name));
        if (taken_already && item->region.n > 0)
            base = name =
                import_snake(w->arena, arena_printf(w->arena, STR_FMT "_" STR_FMT, STR_ARG(base), STR_ARG(item->region)));
        uintptr_t n = (uintptr_t)map_get(&last, address_of(w->arena, item, base));
        for (n = n > 0 ? n : 1; is_reserved(w, item, name) || !map_add(&taken, address_of(w->arena, item, name), item); n++)
            name = arena_printf(w->arena, STR_FMT "_%zu", STR_ARG(base), (size_t)n + 1);
        map_put(&last, address_of(w->arena, item, base), (void *)n);
        item->name = name;
    }
}
