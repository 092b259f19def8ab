/*
 * The tree. Each container (a block, a nested attribute, an object type) is printed as rows of three columns, name, type and
 * flags, as wide as its own longest entries; the content of a row follows indented.
 */
#include "schema/schema_text.h"

#include "base/terminal.h"

#include <inttypes.h>

enum { INDENT = 2, GAP = 2, MAX_NAME = 40, MAX_TYPE = 28, MAX_TEXT = 4 << 10, DEFAULT_WIDTH = 80, LEAST_WIDTH = 20 };

enum colour { PLAIN, BOLD, DIM, TYPE, WARN };

struct printer {
    struct buf *out;
    struct arena *scratch;
    const struct schema_text_style *style;
};

struct columns {
    size_t depth; /* of indentation */
    size_t name, type;
};

struct text_row {
    struct str name, type, flags;
    enum colour name_colour, flags_colour;
    struct str description;
};

/* Text */

/* Code points, which is close enough to columns for names and types. */
static size_t width_of(struct str s)
{
    return str_count_utf8(s);
}

static void pad(struct buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_addc(out, ' ');
}

static void put_coloured(struct printer *p, enum colour colour, struct str s)
{
    static const char *const codes[] = {[BOLD] = "\033[1m", [DIM] = "\033[2m", [TYPE] = "\033[36m", [WARN] = "\033[33m"};
    bool coloured = p->style->colour && colour != PLAIN && s.n > 0;
    if (coloured)
        buf_addz(p->out, codes[colour]);
    (void)terminal_write_cell(p->out, s, MAX_TEXT);
    if (coloured)
        buf_addz(p->out, "\033[0m");
}

/* Rows */

static size_t at_most(size_t n, size_t max)
{
    return n < max ? n : max;
}

static void widen(struct columns *c, struct str name, struct str type)
{
    size_t name_width = at_most(width_of(name), MAX_NAME), type_width = at_most(width_of(type), MAX_TYPE);
    c->name = c->name > name_width ? c->name : name_width;
    c->type = c->type > type_width ? c->type : type_width;
}

/* Writes a cell, and blanks up to the next column unless nothing follows. */
static void put_cell(struct printer *p, enum colour colour, struct str s, size_t width, bool last)
{
    put_coloured(p, colour, s);
    size_t used = width_of(s);
    if (!last)
        pad(p->out, (used < width ? width - used : 0) + GAP);
}

static void put_description(struct printer *p, size_t indent, struct str description)
{
    struct str line = str_cut(&description, '\n');
    if (!p->style->descriptions || line.n == 0)
        return;
    size_t width = p->style->width ? p->style->width : DEFAULT_WIDTH;
    pad(p->out, indent);
    if (p->style->colour)
        buf_addz(p->out, "\033[2m");
    (void)terminal_write_cell(p->out, line, indent + LEAST_WIDTH < width ? width - indent - 3 : LEAST_WIDTH);
    buf_addz(p->out, p->style->colour ? "\033[0m\n" : "\n");
}

static void put_row(struct printer *p, const struct columns *c, const struct text_row *row)
{
    pad(p->out, c->depth * INDENT);
    put_cell(p, row->name_colour, row->name, c->name, row->type.n == 0 && row->flags.n == 0);
    put_cell(p, TYPE, row->type, c->type, row->flags.n == 0);
    put_coloured(p, row->flags_colour, row->flags);
    buf_addc(p->out, '\n');
    put_description(p, (c->depth + 2) * INDENT, row->description);
}

/* What stands in the columns */

static struct str attr_flags(struct arena *a, const struct schema_attr *attr)
{
    const struct {
        bool set;
        const char *word;
    } flags[] = {
        {attr->required, "required"},   {attr->optional, "optional"},     {attr->computed, "computed"},
        {attr->sensitive, "sensitive"}, {attr->write_only, "write-only"}, {attr->deprecated, "deprecated"},
    };
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (flags[i].set)
            buf_printf(&text, "%s%s", text.n > 0 ? ", " : "", flags[i].word);
    }
    return buf_copy(&text, a);
}

static struct str attr_type(struct arena *a, const struct schema_attr *attr)
{
    if (!attr->nested)
        return attr->type ? type_friendly(a, attr->type) : STR("no type");
    switch (attr->nested->nesting) {
    case NESTING_LIST:
        return STR("list of object");
    case NESTING_SET:
        return STR("set of object");
    case NESTING_MAP:
        return STR("map of object");
    case NESTING_SINGLE:
        return STR("object");
    case NESTING_INVALID:
    case NESTING_GROUP:
        break;
    }
    return STR("invalid nesting");
}

static struct str block_kind(const struct schema_nested_block *b)
{
    switch (b->nesting) {
    case NESTING_SINGLE:
        return STR("block");
    case NESTING_GROUP:
        return STR("block, never null");
    case NESTING_LIST:
        return STR("list of blocks");
    case NESTING_SET:
        return STR("set of blocks");
    case NESTING_MAP:
        return STR("map of blocks");
    case NESTING_INVALID:
        break;
    }
    return STR("invalid nesting");
}

static struct str block_flags(struct arena *a, const struct schema_nested_block *b)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    if (b->nesting == NESTING_SINGLE)
        buf_addz(&text, b->min_items > 0 ? "required" : "optional");
    else if (b->min_items > 0 && b->min_items == b->max_items)
        buf_printf(&text, "exactly %" PRId64, b->min_items);
    else if (b->min_items > 0 && b->max_items > 0)
        buf_printf(&text, "%" PRId64 " to %" PRId64, b->min_items, b->max_items);
    else if (b->min_items > 0)
        buf_printf(&text, "at least %" PRId64, b->min_items);
    else if (b->max_items > 0)
        buf_printf(&text, "at most %" PRId64, b->max_items);
    if (b->block->deprecated)
        buf_printf(&text, "%sdeprecated", text.n > 0 ? ", " : "");
    return buf_copy(&text, a);
}

/* Containers */

/* The object type inside any collections, or NULL. */
static const struct type *object_in(const struct type *t)
{
    while (t && type_is_collection(t))
        t = t->element;
    return t && t->kind == TYPE_OBJECT ? t : NULL;
}

static void put_type(struct printer *p, size_t depth, const struct type *t)
{
    struct columns c = {.depth = depth};
    for (size_t i = 0; i < t->n; i++)
        widen(&c, t->attrs[i].name, type_friendly(p->scratch, t->attrs[i].type));
    for (size_t i = 0; i < t->n; i++) {
        put_row(p, &c,
                &(struct text_row){.name = t->attrs[i].name,
                                   .type = type_friendly(p->scratch, t->attrs[i].type),
                                   .flags = t->attrs[i].optional ? STR("optional") : STR_EMPTY});
        const struct type *inner = object_in(t->attrs[i].type);
        if (inner)
            put_type(p, depth + 1, inner);
    }
}

static void widen_attrs(struct printer *p, struct columns *c, const struct schema_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        widen(c, attrs[i].name, attr_type(p->scratch, &attrs[i]));
}

static void put_attrs(struct printer *p, const struct columns *c, const struct schema_attr *attrs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct schema_attr *attr = &attrs[i];
        put_row(p, c,
                &(struct text_row){.name = attr->name,
                                   .type = attr_type(p->scratch, attr),
                                   .flags = attr_flags(p->scratch, attr),
                                   .name_colour = attr->required ? BOLD : (attr->optional ? PLAIN : DIM),
                                   .flags_colour = attr->deprecated || attr->sensitive || attr->write_only ? WARN : PLAIN,
                                   .description = attr->description});
        if (attr->nested) {
            struct columns inner = {.depth = c->depth + 1};
            widen_attrs(p, &inner, attr->nested->attrs, attr->nested->n_attrs);
            put_attrs(p, &inner, attr->nested->attrs, attr->nested->n_attrs);
        } else if (object_in(attr->type)) {
            put_type(p, c->depth + 1, object_in(attr->type));
        }
    }
}

static void put_block(struct printer *p, size_t depth, const struct schema_block *b)
{
    struct columns c = {.depth = depth};
    widen_attrs(p, &c, b->attrs, b->n_attrs);
    for (size_t i = 0; i < b->n_blocks; i++)
        widen(&c, b->blocks[i].name, block_kind(&b->blocks[i]));
    put_attrs(p, &c, b->attrs, b->n_attrs);
    for (size_t i = 0; i < b->n_blocks; i++) {
        const struct schema_nested_block *nested = &b->blocks[i];
        put_row(p, &c,
                &(struct text_row){.name = nested->name,
                                   .type = block_kind(nested),
                                   .flags = block_flags(p->scratch, nested),
                                   .name_colour = nested->min_items > 0 ? BOLD : PLAIN,
                                   .flags_colour = nested->block->deprecated ? WARN : PLAIN,
                                   .description = nested->block->description});
        put_block(p, depth + 1, nested->block);
    }
}

/* Entries */

static void put_heading(struct printer *p, struct str name, const char *kind, const int64_t *version, bool deprecated,
                        struct str description)
{
    if (p->out->n > 0)
        buf_addc(p->out, '\n');
    put_coloured(p, BOLD, name);
    buf_printf(p->out, "  %s", kind);
    if (version)
        buf_printf(p->out, ", version %" PRId64, *version);
    buf_addz(p->out, deprecated ? ", deprecated\n" : "\n");
    put_description(p, 2 * INDENT, description);
}

static void put_schema(struct printer *p, struct str name, const char *kind, const struct schema *s, bool has_version)
{
    put_heading(p, name, kind, has_version ? &s->version : NULL, s->block->deprecated, s->block->description);
    put_block(p, 1, s->block);
}

static void put_identity(struct printer *p, struct str name, const char *kind, const struct schema_identity *identity)
{
    put_heading(p, name, kind, &identity->version, false, STR_EMPTY);
    struct columns c = {.depth = 1};
    for (size_t i = 0; i < identity->n_attrs; i++)
        widen(&c, identity->attrs[i].name, type_friendly(p->scratch, identity->type->attrs[i].type));
    for (size_t i = 0; i < identity->n_attrs; i++) {
        const struct schema_identity_attr *attr = &identity->attrs[i];
        put_row(p, &c,
                &(struct text_row){.name = attr->name,
                                   .type = type_friendly(p->scratch, identity->type->attrs[i].type),
                                   .flags = attr->required_for_import ? STR("required for import") : STR("optional for import"),
                                   .description = attr->description});
    }
}

static void put_parameter(struct printer *p, const struct columns *c, const struct schema_parameter *parameter, bool variadic)
{
    struct str flags = variadic ? STR("any number") : parameter->allow_null ? STR("may be null") : STR_EMPTY;
    put_row(p, c,
            &(struct text_row){.name = parameter->name,
                               .type = type_friendly(p->scratch, parameter->type ? parameter->type : &type_dynamic),
                               .flags = flags,
                               .description = parameter->description});
}

static void put_function(struct printer *p, struct str name, const char *kind, const struct schema_function *f)
{
    put_heading(p, name, kind, NULL, f->deprecation_message.n > 0, f->summary.n > 0 ? f->summary : f->description);
    struct str result = type_friendly(p->scratch, f->return_type ? f->return_type : &type_dynamic);
    struct columns c = {.depth = 1};
    widen(&c, STR("returns"), result);
    for (size_t i = 0; i < f->n_parameters + (f->variadic ? 1 : 0); i++) {
        const struct schema_parameter *parameter = i < f->n_parameters ? &f->parameters[i] : f->variadic;
        widen(&c, parameter->name, type_friendly(p->scratch, parameter->type ? parameter->type : &type_dynamic));
    }
    for (size_t i = 0; i < f->n_parameters; i++)
        put_parameter(p, &c, &f->parameters[i], false);
    if (f->variadic)
        put_parameter(p, &c, f->variadic, true);
    put_row(p, &c, &(struct text_row){.name = STR("returns"), .type = result, .name_colour = DIM});
}

static void put_entry(struct printer *p, enum schema_section section, const struct map_entry *entry)
{
    static const char *const kinds[SECTION_COUNT] = {
        [SECTION_RESOURCES] = "resource",  [SECTION_DATA_SOURCES] = "data source", [SECTION_EPHEMERALS] = "ephemeral resource",
        [SECTION_LISTS] = "list resource", [SECTION_FUNCTIONS] = "function",       [SECTION_IDENTITIES] = "identity",
        [SECTION_ACTIONS] = "action",      [SECTION_STATE_STORES] = "state store",
    };
    switch (section) {
    case SECTION_FUNCTIONS:
        return put_function(p, entry->key, kinds[section], entry->value);
    case SECTION_IDENTITIES:
        return put_identity(p, entry->key, kinds[section], entry->value);
    default:
        return put_schema(p, entry->key, kinds[section], entry->value, section != SECTION_ACTIONS);
    }
}

bool schema_text_tree(struct buf *out, const struct provider_schema *s, struct str only, const struct schema_text_style *style)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct printer p = {.out = out, .scratch = scratch, .style = style};
    bool any = only.n == 0;
    if (only.n == 0)
        put_schema(&p, STR("provider"), "configuration", s->provider, true);
    for (enum schema_section section = 0; section < SECTION_COUNT; section++) {
        const struct map *map = provider_schema_section(s, section);
        for (size_t i = 0; i < map->n; i++) {
            if (only.n > 0 && !str_eq(map->entries[i].key, only))
                continue;
            put_entry(&p, section, &map->entries[i]);
            arena_reset(scratch);
            any = true;
        }
    }
    return any;
}
