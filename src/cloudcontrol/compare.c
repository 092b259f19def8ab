#include "cloudcontrol/compare.h"

#include "base/ascii.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/node_value_private.h"
#include "translate/json_order.h"

#include <stdlib.h>

/* --- texts --- */

/* Parses the JSON in a string; NULL if it is not JSON, or the node's strings never are. In a plain string that may be JSON, only
 * objects and arrays count. */
static const struct json *json_inside(struct arena *a, const struct cc_node *node, struct str text)
{
    struct diags ignored;
    if (!cc_text_may_be_json(node) || text.n == 0)
        return NULL;
    if (node->text != CC_TEXT_JSON && text.p[0] != '{' && text.p[0] != '[')
        return NULL;
    diags_init(&ignored, a);
    const struct json *j = json_parse(a, text, "value", &ignored);
    return j ? cc_json_in_one_order(a, node, j) : NULL;
}

/* docs/awscc-rules.md 2.8: precise to the second; a zero offset equals Z; other offsets are compared as written. */
struct moment {
    struct str until_seconds, zone;
};

/* Parses only what the comparison needs; invalid times are compared as strings. */
static bool read_moment(struct str text, struct moment *ret)
{
    enum { SECONDS_END = 19, ZONE = 6 };
    if (text.n <= SECONDS_END || text.p[10] != 'T')
        return false;
    size_t end = SECONDS_END;
    if (text.p[end] == '.' || text.p[end] == ',')
        for (end++; end < text.n && is_digit(text.p[end]);)
            end++;
    ret->until_seconds = str_slice(text, 0, SECONDS_END);
    ret->zone = str_slice(text, end, text.n);
    if (str_eqz(ret->zone, "+00:00") || str_eqz(ret->zone, "-00:00"))
        ret->zone = STR("Z");
    return str_eqz(ret->zone, "Z") || (ret->zone.n == ZONE && (ret->zone.p[0] == '+' || ret->zone.p[0] == '-'));
}

static bool texts_equal(struct arena *a, const struct cc_node *node, struct str x, struct str y)
{
    struct moment mx, my;
    if (str_eq(x, y))
        return true;
    if (node->text == CC_TEXT_RFC3339)
        return read_moment(x, &mx) && read_moment(y, &my) && str_eq(mx.until_seconds, my.until_seconds) &&
               str_eq(mx.zone, my.zone);
    const struct json *jx = json_inside(a, node, x), *jy = jx ? json_inside(a, node, y) : NULL;
    return jy && json_eq(jx, jy);
}

/* --- equality --- */

/* The left value; in a configuration, null means the static default if there is one, but not for create-only attributes. */
static const struct value *said(const struct cc_comparing *c, const struct cc_node *node, const struct value *left)
{
    bool unsaid = c->open == CC_OPEN_CONFIG && value_is_null(left) && !node->create_only;
    const struct value *by_default = unsaid ? cc_static_default(node) : NULL;
    return by_default ? by_default : left;
}

static bool is_open(const struct cc_comparing *c, const struct cc_node *node, const struct value *left)
{
    if (left->state == VALUE_UNKNOWN)
        return c->open == CC_OPEN_PLAN || c->open == CC_OPEN_SENT;
    return value_is_null(left) && node->computed && (c->open == CC_OPEN_CONFIG || c->open == CC_OPEN_SENT);
}

static bool maps_equal(const struct cc_comparing *c, const struct cc_node *node, const struct value *left,
                       const struct value *right)
{
    for (size_t i = 0; i < left->n; i++)
        if (!str_eq(left->keys[i], right->keys[i]) || !cc_equal_as(c, node->element, left->elements[i], right->elements[i]))
            return false;
    return true;
}

static bool parts_equal(const struct cc_comparing *c, const struct cc_node *node, const struct value *left,
                        const struct value *right)
{
    for (size_t i = 0; i < left->n; i++)
        if (!cc_equal_as(c, cc_part_node(node, i), left->elements[i], right->elements[i]))
            return false;
    return true;
}

static bool elements_pair(const struct cc_comparing *c, const struct cc_node *node, const struct value *left,
                          const struct value *right)
{
    size_t *partners = arena_make_n(c->arena, size_t, left->n);
    cc_pair(c, node->element, left->elements, left->n, right->elements, right->n, partners);
    for (size_t i = 0; i < left->n; i++)
        if (partners[i] == CC_NO_PARTNER)
            return false;
    return true;
}

/* The list or set without null elements, which are never sent. */
static const struct value *without_nulls(struct arena *a, const struct cc_node *node, const struct value *v)
{
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (!value_is_null(v->elements[i]))
            parts[n++] = v->elements[i];
    return n == v->n ? v : cc_make(a, node, parts, NULL, n);
}

static bool lists_equal(const struct cc_comparing *c, const struct cc_node *node, const struct value *left,
                        const struct value *right)
{
    left = without_nulls(c->arena, node, left);
    right = without_nulls(c->arena, node, right);
    if (left->n != right->n)
        return false;
    return cc_is_unordered(node) ? elements_pair(c, node, left, right) : parts_equal(c, node, left, right);
}

static bool known_equal(const struct cc_comparing *c, const struct cc_node *node, const struct value *left,
                        const struct value *right)
{
    switch (node->kind) {
    case CC_BOOL:
        return left->boolean == right->boolean;
    case CC_INT64:
    case CC_FLOAT64:
        return number_eq(left->number, right->number);
    case CC_STRING:
        return texts_equal(c->arena, node, left->string, right->string);
    case CC_OBJECT:
        return parts_equal(c, node, left, right);
    case CC_MAP:
        return left->n == right->n && maps_equal(c, node, left, right);
    case CC_LIST:
    case CC_SET:
        return lists_equal(c, node, left, right);
    }
    return false;
}

static bool is_skipped(const struct cc_comparing *c, const struct cc_node *node)
{
    return (c->skip_write_only && node->write_only) || (c->skip_read_only && cc_is_read_only(node));
}

/*
 * Is it empty? If write-only parts are skipped, an object that can have such parts and has nothing else is also empty, because
 * the service may or may not return it.
 */
static bool compares_as_empty(const struct cc_comparing *c, const struct cc_node *node, const struct value *v)
{
    if (cc_is_null_or_empty(v))
        return true;
    if (!c->skip_write_only || node->kind != CC_OBJECT || !cc_has_content(v))
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (!is_skipped(c, &node->children[i]) && !compares_as_empty(c, &node->children[i], v->elements[i]))
            return false;
    return cc_may_have_write_only(node);
}

bool cc_equal_as(const struct cc_comparing *c, const struct cc_node *node, const struct value *left, const struct value *right)
{
    if (left == right || is_skipped(c, node))
        return true;
    left = said(c, node, left);
    if (is_open(c, node, left) || (compares_as_empty(c, node, left) && compares_as_empty(c, node, right)))
        return true;
    if (left->state != right->state)
        return false;
    return left->state != VALUE_KNOWN || known_equal(c, node, left, right);
}

bool cc_equal(struct arena *a, const struct cc_node *node, const struct value *x, const struct value *y)
{
    return cc_equal_as(&(struct cc_comparing){.arena = a}, node, x, y);
}

/* --- hashes --- */

enum { EMPTY_HASH = 1, UNKNOWN_HASH = 2, FALSE_HASH = 3, TRUE_HASH = 4 };

static uint64_t mix(uint64_t h, uint64_t more)
{
    h ^= more + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccd;
    return h ^ h >> 33;
}

/* Seeded, so that an attacker cannot choose strings that collide. */
static uint64_t word_hash(struct arena *a, struct str text)
{
    return str_hash(text, arena_seed(a));
}

/* Equal for equal JSON: ignores the order of members, and the values of numbers, since one number can be written in many ways. */
static uint64_t json_hash(struct arena *a, const struct json *j)
{
    uint64_t h = mix(0, j->kind);
    switch (j->kind) {
    case JSON_BOOL:
        return mix(h, j->boolean);
    case JSON_STRING:
        return mix(h, word_hash(a, j->text));
    case JSON_ARRAY:
        for (size_t i = 0; i < j->array.n; i++)
            h = mix(h, json_hash(a, j->array.items[i]));
        return h;
    case JSON_OBJECT:
        for (size_t i = 0; i < j->object.n; i++)
            h += mix(word_hash(a, j->object.members[i].key), json_hash(a, j->object.members[i].value));
        return h;
    default:
        return h;
    }
}

static uint64_t text_hash(struct arena *a, const struct cc_node *node, struct str text)
{
    struct moment m;
    if (node->text == CC_TEXT_RFC3339 && read_moment(text, &m))
        return mix(word_hash(a, m.until_seconds), word_hash(a, m.zone));
    const struct json *inside = json_inside(a, node, text);
    return inside ? json_hash(a, inside) : word_hash(a, text);
}

static uint64_t hash_as(const struct cc_comparing *c, const struct cc_node *node, const struct value *v);

static uint64_t container_hash(const struct cc_comparing *c, const struct cc_node *node, const struct value *v)
{
    bool array = node->kind == CC_LIST || node->kind == CC_SET;
    uint64_t h = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (array && value_is_null(v->elements[i]))
            continue;
        uint64_t part = hash_as(c, cc_part_node(node, i), v->elements[i]);
        if (node->kind == CC_MAP)
            part = mix(part, word_hash(c->arena, v->keys[i]));
        h = cc_is_unordered(node) ? h + mix(part, 0) : mix(h, part);
    }
    return h;
}

/* `c` says what to skip; its `open` matters only for defaults. */
static uint64_t hash_as(const struct cc_comparing *c, const struct cc_node *node, const struct value *v)
{
    if (is_skipped(c, node))
        return EMPTY_HASH;
    v = said(c, node, v);
    if (compares_as_empty(c, node, v))
        return EMPTY_HASH;
    if (v->state == VALUE_UNKNOWN)
        return UNKNOWN_HASH;
    switch (node->kind) {
    case CC_BOOL:
        return v->boolean ? TRUE_HASH : FALSE_HASH;
    case CC_INT64:
    case CC_FLOAT64:
        return number_hash(v->number, arena_seed(c->arena));
    case CC_STRING:
        return text_hash(c->arena, node, v->string);
    default:
        return container_hash(c, node, v);
    }
}

uint64_t cc_hash(struct arena *a, const struct cc_node *node, const struct value *v)
{
    return hash_as(&(struct cc_comparing){.arena = a}, node, v);
}

/* --- pairing --- */

/* Is any part of a left value open? And how many parts are not? */
static bool has_open(const struct cc_comparing *c, const struct cc_node *node, const struct value *left, size_t *said_so_far)
{
    bool open = false;
    if (is_skipped(c, node))
        return false;
    left = said(c, node, left);
    if (c->open != CC_OPEN_NOT && is_open(c, node, left))
        return true;
    *said_so_far += !cc_is_null_or_empty(left);
    if (left->state != VALUE_KNOWN || (node->kind != CC_OBJECT && !node->element))
        return false;
    for (size_t i = 0; i < left->n; i++)
        open |= has_open(c, cc_part_node(node, i), left->elements[i], said_so_far);
    return open;
}

struct hashed {
    uint64_t hash;
    size_t index;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

struct pairing {
    const struct cc_comparing *c;
    const struct cc_node *element;
    const struct value *const *left, *const *right;
    size_t n_left, n_right;
    size_t *partners;     /* by left element */
    size_t *takers;       /* by right element */
    bool *open;           /* left elements with an open part */
    bool *solid;          /* children that are hashed; NULL: the whole element */
    struct hashed *table; /* right elements sorted by hash */
    size_t *first;        /* for the first entry of each hash: no entry before this position is free */
    size_t tries;
};

static void take(struct pairing *p, size_t l, size_t r)
{
    p->takers[r] = l;
    p->partners[l] = r;
}

static bool try_pair(struct pairing *p, size_t l, size_t r)
{
    if (p->takers[r] != CC_NO_PARTNER || !cc_equal_as(p->c, p->element, p->left[l], p->right[r]))
        return false;
    take(p, l, r);
    return true;
}

static uint64_t hash_of(const struct pairing *p, const struct value *v)
{
    if (!p->solid)
        return hash_as(p->c, p->element, v);
    uint64_t h = 0;
    for (size_t i = 0; cc_has_content(v) && i < p->element->n_children; i++)
        if (p->solid[i])
            h = mix(h, hash_as(p->c, &p->element->children[i], v->elements[i]));
    return h;
}

static void build_table(struct pairing *p)
{
    p->table = arena_make_n(p->c->arena, struct hashed, p->n_right);
    p->first = arena_make_n(p->c->arena, size_t, p->n_right);
    for (size_t i = 0; i < p->n_right; i++)
        p->table[i] = (struct hashed){hash_of(p, p->right[i]), i};
    if (p->n_right > 1)
        qsort(p->table, p->n_right, sizeof p->table[0], by_hash);
    for (size_t i = 0; i < p->n_right; i++)
        p->first[i] = i;
}

static size_t find_hash(const struct pairing *p, uint64_t hash)
{
    size_t low = 0, high = p->n_right;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->table[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_partner(struct pairing *p, size_t l)
{
    uint64_t hash = hash_of(p, p->left[l]);
    size_t start = find_hash(p, hash), at = start < p->n_right ? p->first[start] : start;
    while (at < p->n_right && p->table[at].hash == hash && p->takers[p->table[at].index] != CC_NO_PARTNER)
        at++;
    if (start < p->n_right)
        p->first[start] = at;
    for (; at < p->n_right && p->table[at].hash == hash && p->tries > 0; at++, p->tries--)
        if (try_pair(p, l, p->table[at].index))
            return;
}

/* Pairs elements without open parts. Builds the table only if an element has moved. */
static void pair_closed(struct pairing *p)
{
    bool all = true;
    for (size_t i = 0; i < p->n_left; i++)
        if (!p->open[i] && (i >= p->n_right || !try_pair(p, i, i)))
            all = false;
    if (all)
        return;
    build_table(p);
    for (size_t i = 0; i < p->n_left; i++)
        if (!p->open[i] && p->partners[i] == CC_NO_PARTNER)
            find_partner(p, i);
}

/* Finds the children that are open in no left element; their hash is used to look up partners. */
static void find_solid(struct pairing *p)
{
    bool object = p->element->kind == CC_OBJECT;
    size_t ignored = 0;
    p->solid = arena_make_n(p->c->arena, bool, p->element->n_children);
    for (size_t k = 0; object && k < p->element->n_children; k++)
        p->solid[k] = true;
    for (size_t i = 0; object && i < p->n_left; i++)
        for (size_t k = 0; p->open[i] && k < p->element->n_children; k++) {
            const struct value *part = cc_part(p->left[i], k);
            p->solid[k] = p->solid[k] && part && !has_open(p->c, &p->element->children[k], part, &ignored);
        }
}

/* Finds a free partner for left element `l`, or one whose current partner can be moved (augmenting path). */
static bool augment(struct pairing *p, size_t l, bool *seen)
{
    uint64_t hash = hash_of(p, p->left[l]);
    for (size_t at = find_hash(p, hash); at < p->n_right && p->table[at].hash == hash && p->tries > 0; at++) {
        size_t r = p->table[at].index, taker = p->takers[r];
        bool can_move = taker == CC_NO_PARTNER || p->open[taker];
        if (seen[r] || !can_move)
            continue;
        p->tries--;
        if (!cc_equal_as(p->c, p->element, p->left[l], p->right[r]))
            continue;
        seen[r] = true;
        if (taker != CC_NO_PARTNER && !augment(p, taker, seen))
            continue;
        take(p, l, r);
        return true;
    }
    return false;
}

static void pair_open(struct pairing *p, struct hashed *order, size_t n)
{
    if (n == 0)
        return;
    qsort(order, n, sizeof order[0], by_hash);
    find_solid(p);
    build_table(p);
    for (size_t i = 0; i < n; i++) { /* those with the most known parts first */
        size_t l = order[i].index;
        if (l >= p->n_right || !try_pair(p, l, l))
            find_partner(p, l);
    }
    for (size_t i = 0; n <= CC_MAX_REARRANGED && i < n; i++)
        if (p->partners[order[i].index] == CC_NO_PARTNER)
            (void)augment(p, order[i].index, arena_make_n(p->c->arena, bool, p->n_right));
}

void cc_pair(const struct cc_comparing *c, const struct cc_node *element, const struct value *const *left, size_t n_left,
             const struct value *const *right, size_t n_right, size_t *ret)
{
    struct pairing p = {c, element, left, right, n_left, n_right, ret, .tries = CC_MAX_TRIES * (n_left + 1)};
    struct hashed *order = arena_make_n(c->arena, struct hashed, n_left);
    size_t n_open = 0;
    p.open = arena_make_n(c->arena, bool, n_left);
    p.takers = arena_make_n(c->arena, size_t, n_right);
    for (size_t i = 0; i < n_right; i++)
        p.takers[i] = CC_NO_PARTNER;
    for (size_t i = 0; i < n_left; i++) {
        size_t says = 0;
        ret[i] = CC_NO_PARTNER;
        p.open[i] = c->open != CC_OPEN_NOT && has_open(c, element, left[i], &says);
        if (p.open[i])
            order[n_open++] = (struct hashed){UINT64_MAX - says, i};
    }
    pair_closed(&p);
    pair_open(&p, order, n_open);
}

/* Unpaired elements and their indices. */
struct rest {
    const struct value **v;
    size_t *at, n;
};

static struct rest find_rest(struct arena *a, const struct value *v, const bool *paired)
{
    struct rest rest = {arena_make_n(a, const struct value *, v->n), arena_make_n(a, size_t, v->n), 0};
    for (size_t i = 0; i < v->n; i++)
        if (!paired[i]) {
            rest.at[rest.n] = i;
            rest.v[rest.n++] = v->elements[i];
        }
    return rest;
}

void cc_pair_rest(const struct cc_comparing *c, const struct cc_node *element, const struct value *left,
                  const struct value *right, size_t *partners)
{
    bool *paired = arena_make_n(c->arena, bool, left->n), *taken = arena_make_n(c->arena, bool, right->n);
    size_t *found = arena_make_n(c->arena, size_t, left->n);
    for (size_t i = 0; i < left->n; i++) {
        paired[i] = partners[i] != CC_NO_PARTNER;
        if (paired[i])
            taken[partners[i]] = true;
    }
    struct rest l = find_rest(c->arena, left, paired), r = find_rest(c->arena, right, taken);
    cc_pair(c, element, l.v, l.n, r.v, r.n, found);
    for (size_t i = 0; i < l.n; i++)
        if (found[i] != CC_NO_PARTNER)
            partners[l.at[i]] = r.at[found[i]];
}
