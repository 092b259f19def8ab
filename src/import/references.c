#include "import/references.h"

#include "base/ascii.h"
#include "hcl/write.h"
#include "value/identifier.h"

#include <stdlib.h>

#define EVERYWHERE "*"
#define ANYWHERE "?" /* stands for the region of unmistakable values */

enum { MAX_RULES = LINKS_MAX_MATCHES, MAX_DOUBTS = 1 << 16, MAX_OWNERS = 1000 };

/* The owner of a value: one object, or several. */
struct owner {
    size_t item;
    struct str attribute;
    bool several;
    size_t other;       /* if several: the second one */
    struct owner *each; /* if several: each of them, the last first; NULL: more than MAX_OWNERS */
    struct owner *next; /* in that list */
    size_t n;           /* its length */
};

struct edge {
    size_t to;
    bool dropped;
};
struct edges {
    struct edge *v;
    size_t n, cap;
};

struct references {
    struct arena *arena;
    const struct worklist *list;
    const struct link_table *table;
    const struct rows *rows; /* NULL: only one region */
    struct map by_attribute; /* "REGION TYPE ATTRIBUTE VALUE" -> struct owner */
    struct map by_value;     /* VALUE, if unmistakable -> struct owner */
    struct edges *edges;     /* for each item */
};

/* --- unmistakable values --- */

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/*
 * vpc-0a1b2c3d, tgw-attach-0123456789abcdef0: after several words only with the 17 digits that AWS gives today, because names of
 * people's own look like the rest.
 */
static bool is_cloud_id(struct str s)
{
    enum { FEWEST = 8, AWS_DIGITS = 17 };
    size_t from = s.n, digits = 0, words = 0;
    while (from > 0 && is_hex(s.p[from - 1]))
        digits += is_digit(s.p[--from]);
    if (from < 2 || s.p[from - 1] != '-' || s.n - from < FEWEST || digits == 0)
        return false;
    for (size_t i = 0; i < from; i++) {
        bool end = s.p[i] == '-';
        if (end ? i == 0 || s.p[i - 1] == '-' : !is_lower(s.p[i]))
            return false;
        words += end;
    }
    return words == 1 || s.n - from == AWS_DIGITS;
}

static bool is_uuid(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.p[i] != '-' : !is_hex(to_lower(s.p[i])))
            return false;
    }
    return s.n == 36;
}

static bool is_address(struct str s)
{
    return (str_starts(s, STR("https://")) || str_starts(s, STR("http://")) || str_starts(s, STR("/subscriptions/"))) && s.n > 16;
}

static bool is_arn(struct str s)
{
    return str_starts(s, STR("arn:")) && s.n > 16;
}

bool references_unmistakable(struct str s)
{
    return is_arn(s) || is_cloud_id(s) || is_uuid(s) || is_address(s);
}

/* --- the index --- */

/* An object may have one value in several attributes; the most common identifying attribute is used. */
static int rank(struct str attribute, struct str value)
{
    if (str_eqz(attribute, is_arn(value) ? "arn" : "id"))
        return 3;
    return str_eqz(attribute, "id") || str_eqz(attribute, "arn") || str_eqz(attribute, "self_link") ? 2 : 0;
}

static void add_owner(struct references *r, struct owner *several, const struct owner *new)
{
    if (several->each && several->each->item == new->item)
        return;
    struct owner *one = arena_make(r->arena, struct owner);
    *one = (struct owner){.item = new->item, .attribute = new->attribute, .next = several->each};
    if (several->n < MAX_OWNERS)
        several->each = one;
    else
        several->each = NULL;
    several->n++;
}

static void index_value(struct references *r, struct map *map, struct str key, const struct owner *new, struct str value)
{
    struct owner *known = map_get(map, key);
    if (!known) {
        known = arena_make(r->arena, struct owner);
        *known = *new;
        map_put(map, key, known);
    } else if (known->item != new->item) {
        if (!known->several)
            add_owner(r, known, known);
        known->other = known->several ? known->other : new->item;
        known->several = true;
        add_owner(r, known, new);
    } else if (rank(new->attribute, value) > rank(known->attribute, value)) {
        known->attribute = new->attribute;
    }
}

static struct str key_of(struct arena *a, struct str region, struct str type, struct str attribute, struct str value)
{
    return arena_printf(a, STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(region), STR_ARG(type), STR_ARG(attribute),
                        STR_ARG(value));
}

/* The region in which an object can be referred to; EVERYWHERE if its service has no regions. */
static struct str region_of(const struct references *r, size_t item)
{
    const struct import_item *i = &r->list->items.v[item];
    return r->rows && rows_is_global(r->rows, i->type) ? STR(EVERYWHERE) : i->region;
}

static bool is_written(const struct import_item *item, struct str name)
{
    const struct value *config = item->result->configured.config, *v = config ? value_get(config, name) : NULL;
    return v && !value_is_null(v);
}

/*
 * The user sets an argument that is written and not computed, so it may be another object's value, such as the `arn` of an
 * event's target.
 */
static bool is_argument(const struct import_item *item, const struct schema_attr *attr)
{
    return is_written(item, attr->name) && !attr->computed;
}

/* An id that is also a required argument identifies another object: the one that a policy belongs to. */
static bool is_borrowed(const struct import_item *item, struct str id)
{
    const struct schema_block *block = item->result->resource.schema->block;
    const struct value *state = item->result->state;
    for (size_t i = 0; i < block->n_attrs; i++) {
        const struct schema_attr *attr = &block->attrs[i];
        const struct value *v = attr->required ? value_get(state, attr->name) : NULL;
        if (v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && str_eq(v->string, id))
            return true;
    }
    return false;
}

/* Does the value of this attribute identify this object and no other? */
static bool is_own(const struct import_item *item, struct str name, struct str value)
{
    const struct schema_attr *attr = schema_block_attr(item->result->resource.schema->block, name);
    return attr && !is_argument(item, attr) && !(str_eqz(name, "id") && is_borrowed(item, value));
}

static void index_item(struct references *r, size_t i)
{
    const struct import_item *item = &r->list->items.v[i];
    const struct value *state = item->result->state;
    for (size_t k = 0; k < state->n; k++) {
        const struct value *v = state->elements[k];
        struct str name = state->type->attrs[k].name;
        if (v->state != VALUE_KNOWN || v->type->kind != TYPE_STRING || v->string.n == 0)
            continue;
        struct owner owner = {.item = i, .attribute = name};
        index_value(r, &r->by_attribute, key_of(r->arena, region_of(r, i), item->type, name, v->string), &owner, v->string);
        if (r->rows && references_unmistakable(v->string))
            index_value(r, &r->by_attribute, key_of(r->arena, STR(ANYWHERE), item->type, name, v->string), &owner, v->string);
        if (rank(name, v->string) > 0 && references_unmistakable(v->string) && is_own(item, name, v->string))
            index_value(r, &r->by_value, v->string, &owner, v->string);
    }
}

/* --- looking up --- */

/* The names of a path; `key`: including the last step, if that is a map key. */
static bool path_names(struct path path, bool key, char *out, size_t max, struct str *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < path.n; i++) {
        struct str name = path.steps[i].name;
        bool named = path.steps[i].kind == PATH_ATTR || (key && i + 1 == path.n && path.steps[i].kind == PATH_KEY);
        if (!named)
            continue;
        if (n + name.n + 1 > max)
            return false;
        if (n > 0)
            out[n++] = '.';
        memcpy(out + n, name.p, name.n);
        n += name.n;
    }
    *ret = (struct str){out, n};
    return n > 0;
}

/* The owner of this value in the attribute of the rule's target type, unless it is the object itself. */
static const struct owner *owner_of(const struct references *r, struct arena *scratch, size_t item, struct str type,
                                    struct str attribute, struct str text)
{
    const struct owner *o = map_get(&r->by_attribute, key_of(scratch, region_of(r, item), type, attribute, text));
    if (!o && r->rows)
        o = map_get(&r->by_attribute, key_of(scratch, STR(EVERYWHERE), type, attribute, text));
    if (!o && r->rows && references_unmistakable(text))
        o = map_get(&r->by_attribute, key_of(scratch, STR(ANYWHERE), type, attribute, text));
    return o && (o->several || o->item != item) ? o : NULL;
}

/* The rules for that path, those for the map key before those for the map; returns how many. */
static size_t rules_for(const struct references *r, size_t item, struct path at, const struct link_rule **ret)
{
    struct str type = r->list->items.v[item].type, names;
    char buffer[LINKS_MAX_PATH];
    size_t n = 0;
    if (!r->table)
        return 0;
    if (at.n > 0 && at.steps[at.n - 1].kind == PATH_KEY && path_names(at, true, buffer, sizeof buffer, &names))
        n = links_find_all(r->table, type, names, ret, MAX_RULES);
    if (path_names(at, false, buffer, sizeof buffer, &names))
        n += links_find_all(r->table, type, names, ret + n, MAX_RULES - n);
    return n;
}

/*
 * By the link table: the first rule that matches as written; else the first whose target has the value in another identifying
 * attribute (id, ARN or name), because many arguments accept any of these.
 */
static const struct owner *find_declared(const struct references *r, size_t item, struct path at, struct str text)
{
    static const char *const alike[] = {"id", "arn", "name"};
    const struct link_rule *rules[MAX_RULES];
    size_t n = text.n > 0 ? rules_for(r, item, at, rules) : 0;
    if (n == 0)
        return NULL;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct owner *o = NULL;
    for (size_t i = 0; !o && i < n; i++)
        o = rules[i]->kind == LINK_WHOLE ? owner_of(r, scratch, item, rules[i]->target, rules[i]->attribute, text) : NULL;
    for (size_t i = 0; !o && i < n; i++)
        for (size_t k = 0; !o && rules[i]->kind == LINK_WHOLE && k < sizeof alike / sizeof alike[0]; k++)
            o = owner_of(r, scratch, item, rules[i]->target, str_of(alike[k]), text);
    return o;
}

/*
 * An object whose own id or ARN this is comes before those that only have it, whatever the table says: a VPC has the id of its
 * main route table, which is the table's.
 */
static const struct owner *find_any(const struct references *r, size_t item, struct path at, struct str text)
{
    const struct owner *declared = find_declared(r, item, at, text);
    const struct owner *o = references_unmistakable(text) ? map_get(&r->by_value, text) : NULL;
    bool other = o && (o->several || o->item != item);
    if (!declared)
        return other ? o : NULL;
    return other && !o->several && (declared->several || declared->item != o->item) ? o : declared;
}

/* An argument that refers to an object, beside another one. */
struct beside {
    struct str name, text;
    const struct owner *owner; /* NULL: none that is known */
};

enum { MAX_BESIDE = 32 };
static size_t references_beside(const struct references *r, size_t item, struct path at, struct beside *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct path parent = {at.steps, at.n - 1};
    const struct value *block = value_at(r->list->items.v[item].result->configured.config, parent);
    size_t n = 0;
    if (!block || block->state != VALUE_KNOWN || block->type->kind != TYPE_OBJECT)
        return 0;
    for (size_t i = 0; i < block->n && n < MAX_BESIDE; i++) {
        const struct value *v = block->elements[i];
        struct str name = block->type->attrs[i].name;
        if (v->state != VALUE_KNOWN || v->type->kind != TYPE_STRING || str_eq(name, at.steps[at.n - 1].name))
            continue;
        const struct link_rule *rules[MAX_RULES];
        const struct path here = path_attr(scratch, parent, name);
        const struct owner *o = find_any(r, item, here, v->string);
        if (o ? !o->several : v->string.n > 0 && rules_for(r, item, here, rules) > 0)
            ret[n++] = (struct beside){name, v->string, o};
    }
    return n;
}

/* The text of an object's attribute; empty: it has none. */
static struct str state_text(const struct references *r, size_t item, struct str name)
{
    const struct value *state = r->list->items.v[item].result->state;
    const struct value *v = type_attr_find(state->type, name) != SIZE_MAX ? value_get(state, name) : NULL;
    return v && v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING ? v->string : STR_EMPTY;
}

/* Does an attribute of an object refer to this one, by whichever of its values? */
static bool refers_to(const struct references *r, size_t from, struct str name, struct str text, size_t to)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct owner *o = find_any(r, from, path_attr(scratch, PATH_ROOT, name), text);
    return o && !o->several && o->item == to;
}

/* What an object itself is called is no reference. */
static bool is_own_name(struct str attribute)
{
    return str_eqz(attribute, "name") || rank(attribute, STR_EMPTY) > 0;
}

/* Does it refer to that object, or does the object's argument of that name refer to the same? */
static bool agrees(const struct references *r, const struct beside *b, size_t other)
{
    struct str same = state_text(r, other, b->name);
    if (b->owner && b->owner->item == other)
        return true;
    return same.n > 0 && (str_eq(same, b->text) || (b->owner && refers_to(r, other, b->name, same, b->owner->item)));
}

static bool contradicts(const struct references *r, const struct beside *b, size_t other)
{
    return !is_own_name(b->name) && state_text(r, other, b->name).n > 0 && !agrees(r, b, other);
}

/*
 * How many of these speak for an object: they refer to it, or its argument of that name has the same reference. If that has
 * another one, none does: a method of another resource is not meant, whatever API it is of.
 */
static size_t supports(const struct references *r, const struct beside *beside, size_t n, size_t other)
{
    size_t votes = 0;
    for (size_t i = 0; i < n; i++) {
        if (contradicts(r, &beside[i], other))
            return 0;
        votes += beside[i].owner && agrees(r, &beside[i], other);
    }
    return votes;
}

/*
 * Of several owners, the one that the arguments beside this one speak for: a load balancer's zone stands beside its name, a
 * method beside its resource. If there is no such one, all of them.
 */
static const struct owner *settle(const struct references *r, size_t item, struct path at, const struct owner *several)
{
    const struct owner *best = several;
    struct beside beside[MAX_BESIDE];
    size_t most = 0, n = at.n > 0 && at.steps[at.n - 1].kind == PATH_ATTR ? references_beside(r, item, at, beside) : 0;
    for (const struct owner *o = several->each; o && n > 0; o = o->next) {
        size_t votes = o->item == item ? 0 : supports(r, beside, n, o->item);
        if (votes > most)
            best = o;
        else if (votes == most)
            best = several;
        most = votes > most ? votes : most;
    }
    return most > 0 ? best : several;
}

/* Many objects may have a value that does not identify its owner, such as the zone of all load balancers of a region. */
static bool identifies(const struct references *r, const struct owner *o, struct str text)
{
    return references_unmistakable(text) || is_own_name(o->attribute) || str_eq(state_text(r, o->item, STR("id")), text);
}

/* Could an argument name that object by an attribute other than the owner's, and names another one? */
static bool names_another(const struct references *r, size_t item, struct path at, struct str text, const struct owner *o)
{
    static const char *const alike[] = {"id", "arn", "name"};
    const struct link_rule *rules[MAX_RULES];
    size_t n = rules_for(r, item, at, rules);
    bool could = false;
    for (size_t i = 0; i < n; i++) {
        if (rules[i]->kind != LINK_WHOLE || !str_eq(rules[i]->target, r->list->items.v[o->item].type) ||
            str_eq(rules[i]->attribute, o->attribute))
            continue;
        struct str named = state_text(r, o->item, rules[i]->attribute);
        if (named.n > 0 && str_contains(text, named))
            return false;
        could |= named.n > 0;
    }
    for (size_t k = 0; could && k < sizeof alike / sizeof alike[0]; k++)
        could = !str_eq(state_text(r, o->item, str_of(alike[k])), text);
    return could;
}

/* The only known owner of such a value is not meant if an argument beside it names another object, which was not imported. */
static bool is_meant(const struct references *r, size_t item, struct path at, struct str text, const struct owner *o)
{
    if (at.n == 0 || at.steps[at.n - 1].kind != PATH_ATTR || identifies(r, o, text))
        return true;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct path parent = {at.steps, at.n - 1};
    const struct value *block = value_at(r->list->items.v[item].result->configured.config, parent);
    bool object = block && block->state == VALUE_KNOWN && block->type->kind == TYPE_OBJECT;
    for (size_t i = 0; object && i < block->n; i++) {
        const struct value *v = block->elements[i];
        struct str name = block->type->attrs[i].name;
        bool told = v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && v->string.n > 0;
        if (told && !str_eq(name, at.steps[at.n - 1].name) &&
            names_another(r, item, path_attr(scratch, parent, name), v->string, o))
            return false;
    }
    struct beside beside[MAX_BESIDE];
    size_t n = references_beside(r, item, at, beside);
    for (size_t i = 0; i < n; i++) /* a method of another resource */
        if (contradicts(r, &beside[i], o->item))
            return false;
    return true;
}

static const struct owner *find_whole(const struct references *r, size_t item, struct path at, struct str text)
{
    const struct owner *o = find_any(r, item, at, text);
    if (o && o->several)
        return settle(r, item, at, o);
    return o && is_meant(r, item, at, text, o) ? o : NULL;
}

/* A comma may be in a name or separate two of them; the others can only be in a name. */
static bool ends_arn(char c)
{
    return !is_letter(c) && !is_digit(c) && str_find(STR("-_.+=@"), c, 0) == SIZE_MAX;
}

/* The longest known ARN or address at the front that ends at a valid end; names in it may contain blanks and commas. */
static const struct owner *find_name(const struct references *r, size_t item, struct str text, size_t *ret_n)
{
    enum { LONGEST = 512 };
    size_t most = 0;
    while (most < text.n && most < LONGEST && (unsigned char)text.p[most] >= ' ' && text.p[most] != '"')
        most++;
    for (size_t n = most; n > 16; n--) {
        if (n < text.n && !ends_arn(text.p[n]))
            continue;
        const struct owner *o = map_get(&r->by_value, str_slice(text, 0, n));
        if (o && !o->several && o->item != item) {
            *ret_n = n;
            return o;
        }
    }
    return NULL;
}

static bool is_word_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
}

/* More than an ordinary word, so a match in a longer string is not a coincidence. */
static bool is_telling(struct str text, size_t from, size_t n)
{
    bool word = true;
    for (size_t i = from; i < from + n && word; i++)
        word = is_letter(text.p[i]);
    bool opened = from > 0 && text.p[from - 1] == '/', closed = from + n == text.n || text.p[from + n] == '/';
    return n >= 4 && (!word || (n >= 6 && opened && closed));
}

/* Is this one of the object's arguments? */
static bool has_argument(const struct import_item *item, struct str value)
{
    const struct value *config = item->result->configured.config;
    for (size_t i = 0; i < config->n; i++) {
        const struct value *v = config->elements[i];
        if (v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && str_eq(v->string, value))
            return true;
    }
    return false;
}

/*
 * Is the object that this one is a part of named, too, in the text or beside it? The path of an API's resource means nothing in
 * the address of another API.
 */
enum home { NO_HOME, AT_HOME, ASTRAY };
static enum home home_of(const struct references *r, size_t item, const struct owner *o, struct str text)
{
    const struct import_result *owner = r->list->items.v[o->item].result;
    const struct schema_block *block = owner->resource.schema->block;
    enum home home = NO_HOME;
    for (size_t i = 0; i < block->n_attrs; i++) {
        const struct schema_attr *attr = &block->attrs[i];
        bool names_other = attr->required && str_ends(attr->name, STR("_id"));
        const struct value *v = names_other ? value_get(owner->state, attr->name) : NULL;
        if (!v || v->state != VALUE_KNOWN || v->type->kind != TYPE_STRING || v->string.n == 0)
            continue;
        if (str_contains(text, v->string) || has_argument(&r->list->items.v[item], v->string))
            return AT_HOME;
        home = ASTRAY;
    }
    return home;
}

/* By the rules for parts: the longest known value that starts here, between characters that cannot be part of names. */
static const struct owner *find_part(const struct references *r, size_t item, const struct link_rule *const *rules,
                                     size_t n_rules, struct str text, size_t at, size_t *ret_n)
{
    enum { LONGEST = 256 };
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    size_t most = text.n - at < LONGEST ? text.n - at : LONGEST;
    bool glued = at > 0 && is_word_byte(text.p[at - 1]); /* GET/items */
    for (size_t n = most; n >= 4; n--) {
        if ((at + n < text.n && is_word_byte(text.p[at + n])) || !is_word_byte(text.p[at + n - 1]) || !is_telling(text, at, n))
            continue;
        for (size_t i = 0; i < n_rules; i++) {
            const struct owner *o =
                owner_of(r, scratch, item, rules[i]->target, rules[i]->attribute, str_slice(text, at, at + n));
            enum home home = o && !o->several ? home_of(r, item, o, text) : ASTRAY;
            if (home == AT_HOME || (home == NO_HOME && !glued)) {
                *ret_n = n;
                return o;
            }
        }
    }
    return NULL;
}

/* A match at this place of a longer string: an ARN, an address, or a value that a rule allows there. */
static const struct owner *find_inside(const struct references *r, size_t item, const struct link_rule *const *rules,
                                       size_t n_rules, struct str text, size_t at, size_t *ret_n)
{
    struct str rest = str_slice(text, at, text.n);
    const struct owner *o = is_arn(rest) || is_address(rest) ? find_name(r, item, rest, ret_n) : NULL;
    bool begins = n_rules > 0 && (text.p[at] == '/' || (is_word_byte(text.p[at]) && (at == 0 || !is_word_byte(text.p[at - 1]))));
    return o || !begins ? o : find_part(r, item, rules, n_rules, text, at, ret_n);
}

/* The rules for parts at that path; returns how many. */
static size_t part_rules(const struct references *r, size_t item, struct path at, const struct link_rule **ret)
{
    const struct link_rule *all[MAX_RULES];
    size_t n = rules_for(r, item, at, all), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (all[i]->kind == LINK_PART)
            ret[kept++] = all[i];
    return kept;
}

/* --- edges --- */

static struct edge *edge_to(const struct references *r, size_t from, size_t to)
{
    struct edges *e = &r->edges[from];
    for (size_t i = 0; i < e->n; i++)
        if (e->v[i].to == to)
            return &e->v[i];
    return NULL;
}

static bool is_allowed(const struct references *r, size_t from, size_t to)
{
    const struct edge *e = edge_to(r, from, to);
    return e && !e->dropped;
}

static void add_edge(struct references *r, size_t from, const struct owner *to)
{
    if (to && !to->several && to->item != from && !edge_to(r, from, to->item))
        *VEC_PUSH(r->arena, &r->edges[from]) = (struct edge){.to = to->item};
}

struct walk {
    struct references *references;
    size_t item;
};

static bool walk_text(void *ctx, struct path at, const struct value *v)
{
    struct walk *w = ctx;
    if (v->state != VALUE_KNOWN || v->type->kind != TYPE_STRING)
        return true;
    const struct owner *whole = find_whole(w->references, w->item, at, v->string);
    add_edge(w->references, w->item, whole);
    const struct link_rule *rules[MAX_RULES];
    size_t n_rules = whole ? 0 : part_rules(w->references, w->item, at, rules), n;
    for (size_t i = 0; i < v->string.n; i++)
        add_edge(w->references, w->item, find_inside(w->references, w->item, rules, n_rules, v->string, i, &n));
    return true;
}

/*
 * Depth-first search in the order of the list: an edge to an object that is being visited closes a cycle. Uses its own stack,
 * because chains can be as long as the list.
 */
static void drop_circles(struct references *r)
{
    enum { NEW, OPEN, DONE };
    size_t n = r->list->items.n, depth = 0;
    char *state = arena_make_n(r->arena, char, n);
    size_t *stack = arena_make_n(r->arena, size_t, n), *next = arena_make_n(r->arena, size_t, n);
    for (size_t start = 0; start < n; start++) {
        if (state[start] != NEW)
            continue;
        stack[depth++] = start;
        state[start] = OPEN;
        while (depth > 0) {
            size_t at = stack[depth - 1];
            if (next[at] == r->edges[at].n) {
                state[at] = DONE;
                depth--;
                continue;
            }
            struct edge *e = &r->edges[at].v[next[at]++];
            e->dropped = state[e->to] == OPEN;
            if (state[e->to] == NEW) {
                state[e->to] = OPEN;
                stack[depth++] = e->to;
            }
        }
    }
}

struct references *references_find(struct arena *a, const struct worklist *w, const struct link_table *table,
                                   const struct rows *rows)
{
    struct references *r = arena_make(a, struct references);
    *r = (struct references){.arena = a, .list = w, .table = table, .edges = arena_make_n(a, struct edges, w->items.n)};
    r->rows = w->regions.n > 1 ? rows : NULL;
    map_init(&r->by_attribute, a);
    map_init(&r->by_value, a);
    for (size_t i = 0; i < w->items.n; i++)
        if (w->items.v[i].result)
            index_item(r, i);
    for (size_t i = 0; i < w->items.n; i++) {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        struct walk walk = {r, i};
        if (w->items.v[i].result && w->items.v[i].place == IMPORT_NEW)
            value_walk(scratch, w->items.v[i].result->configured.config, walk_text, &walk);
    }
    drop_circles(r);
    return r;
}

/* --- expressions --- */

static const struct hcl_expr *expr_of(const struct references *r, struct arena *a, const struct owner *o)
{
    const struct import_item *item = &r->list->items.v[o->item];
    return hcl_make_traversal(a, item->type, (struct str[]){item->name, o->attribute}, 2);
}

static const struct hcl_expr *with_parts(const struct references *r, struct arena *a, size_t item, struct path at,
                                         struct str text)
{
    VEC(const struct hcl_expr *) parts = {0};
    const struct link_rule *rules[MAX_RULES];
    size_t from = 0, n_rules = part_rules(r, item, at, rules);
    for (size_t i = 0; i < text.n;) {
        size_t n = 0;
        const struct owner *o = find_inside(r, item, rules, n_rules, text, i, &n);
        if (!o || !is_allowed(r, item, o->item)) {
            i++;
            continue;
        }
        if (i > from)
            *VEC_PUSH(a, &parts) = hcl_make_string(a, str_slice(text, from, i));
        *VEC_PUSH(a, &parts) = expr_of(r, a, o);
        i += n;
        from = i;
    }
    if (parts.n == 0)
        return NULL;
    if (from < text.n)
        *VEC_PUSH(a, &parts) = hcl_make_string(a, str_slice(text, from, text.n));
    return hcl_make_template(a, (const struct hcl_expr *const *)parts.v, parts.n);
}

const struct hcl_expr *references_expr(const struct references *r, struct arena *a, size_t item, struct path at, struct str text)
{
    const struct owner *o = find_whole(r, item, at, text);
    if (o && !o->several)
        return is_allowed(r, item, o->item) ? expr_of(r, a, o) : NULL;
    return o ? NULL : with_parts(r, a, item, at, text);
}

static struct str address_of(const struct references *r, struct arena *a, size_t item)
{
    const struct import_item *i = &r->list->items.v[item];
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(i->type), STR_ARG(i->name));
}

struct str_list references_of(const struct references *r, struct arena *a, size_t item)
{
    const struct edges *e = &r->edges[item];
    struct str *all = arena_make_n(a, struct str, e->n);
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++)
        if (!e->v[i].dropped)
            all[n++] = address_of(r, a, e->v[i].to);
    if (n > 0)
        qsort(all, n, sizeof *all, str_cmp_qsort);
    return (struct str_list){all, n};
}

struct doubts {
    const struct references *references;
    struct arena *arena;
    size_t item;
    struct buf out;
};

static void doubt(struct doubts *d, struct path at, struct str line)
{
    buf_addz(&d->out, d->out.n > 0 ? "\n" : "");
    path_write(&d->out, at);
    buf_addz(&d->out, ": ");
    buf_add(&d->out, line);
}

static bool walk_doubt(void *ctx, struct path at, const struct value *v)
{
    struct doubts *d = ctx;
    const struct references *r = d->references;
    if (v->state != VALUE_KNOWN || v->type->kind != TYPE_STRING)
        return true;
    const struct owner *o = find_whole(r, d->item, at, v->string);
    if (o && o->several)
        doubt(d, at,
              arena_printf(d->arena, "could be of " STR_FMT " or " STR_FMT ", so it is left as it is.",
                           STR_ARG(address_of(r, d->arena, o->item)), STR_ARG(address_of(r, d->arena, o->other))));
    else if (o && !is_allowed(r, d->item, o->item))
        doubt(d, at,
              arena_printf(d->arena, "is of " STR_FMT ", which refers to this one.", STR_ARG(address_of(r, d->arena, o->item))));
    return true;
}

struct str references_doubts(const struct references *r, struct arena *a, size_t item)
{
    struct doubts d = {.references = r, .arena = a, .item = item, .out = BUF_INIT(MAX_DOUBTS)};
    value_walk(a, r->list->items.v[item].result->configured.config, walk_doubt, &d);
    struct str text = buf_copy(&d.out, a);
    buf_free(&d.out);
    return text;
}

size_t references_count(const struct references *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->list->items.n; i++)
        for (size_t k = 0; k < r->edges[i].n; k++)
            n += !r->edges[i].v[k].dropped;
    return n;
}
