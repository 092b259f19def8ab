#include "links/links.h"

#include "links/pattern.h"

enum { MAX_KEY = LINKS_MAX_NAME + LINKS_MAX_PATH + 1, MAX_RULE = 2 * MAX_KEY + 64 };

/* The linked list of exact rules for one argument; numbers start at 1. */
struct chain {
    uint32_t first, last;
};

/* --- paths --- */

static bool is_mark(struct str s)
{
    return str_starts(s, STR("[]")) || str_starts(s, STR("{}"));
}

struct str link_path_step(struct str *rest, struct str *ret_marks)
{
    struct str step = str_cut(rest, '.');
    size_t n = step.n;
    while (n >= 2 && is_mark(str_slice(step, n - 2, step.n)))
        n -= 2;
    *ret_marks = str_slice(step, n, step.n);
    return str_slice(step, 0, n);
}

/* Writes logging[].target_bucket as logging.target_bucket to `out`, which has room for path.n bytes. */
static struct str path_names(struct str path, char *out)
{
    size_t n = 0;
    while (path.n > 0) {
        struct str marks;
        struct str name = link_path_step(&path, &marks);
        if (n > 0)
            out[n++] = '.';
        memcpy(out + n, name.p, name.n);
        n += name.n;
    }
    return (struct str){out, n};
}

static bool is_name(struct str s, const char *more)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!plain && (c == '\0' || !strchr(more, c)))
            return false;
    }
    return s.n > 0;
}

bool link_path_is_valid(struct str path, bool open)
{
    bool ok = path.n > 0 && path.n <= LINKS_MAX_PATH && path.p[path.n - 1] != '.';
    while (path.n > 0 && ok) {
        struct str marks;
        struct str name = link_path_step(&path, &marks);
        ok = is_name(name, open ? "*?" : "");
    }
    return ok;
}

/* Alternatives: at most one pair of braces, not empty. */
static bool is_type_pattern(struct str s)
{
    size_t open = str_find(s, '{', 0), close = str_find(s, '}', 0);
    if (s.n > LINKS_MAX_NAME || !is_name(s, "*?{},"))
        return false;
    if (open == SIZE_MAX)
        return close == SIZE_MAX && str_find(s, ',', 0) == SIZE_MAX;
    return close != SIZE_MAX && close > open + 1 && str_find(s, '{', open + 1) == SIZE_MAX &&
           str_find(s, '}', close + 1) == SIZE_MAX && str_find(str_slice(s, 0, open), ',', 0) == SIZE_MAX &&
           str_find(s, ',', close) == SIZE_MAX;
}

/* --- filling --- */

void links_init(struct link_table *t, struct arena *a)
{
    *t = (struct link_table){.arena = a};
    map_init(&t->exact, a);
    map_init(&t->seen, a);
}

void link_rule_write(struct buf *out, const struct link_rule *r)
{
    buf_printf(out, STR_FMT " " STR_FMT " -> ", STR_ARG(r->type), STR_ARG(r->path));
    if (r->kind == LINK_NONE)
        buf_addz(out, "none");
    else
        buf_printf(out, STR_FMT "." STR_FMT "%s", STR_ARG(r->target), STR_ARG(r->attribute), r->kind == LINK_PART ? " part" : "");
}

void links_write(struct buf *out, const struct link_table *t)
{
    for (size_t i = 0; i < t->rules.n; i++) {
        link_rule_write(out, &t->rules.v[i]);
        buf_addc(out, '\n');
    }
}

/* Writes "TYPE NAMES" to `out`, which has room for MAX_KEY bytes. */
static struct str exact_key(char *out, struct str type, struct str names)
{
    memcpy(out, type.p, type.n);
    out[type.n] = ' ';
    memcpy(out + type.n + 1, names.p, names.n);
    return (struct str){out, type.n + 1 + names.n};
}

static void add_to_chain(struct link_table *t, uint32_t number)
{
    struct link_rule *r = &t->rules.v[number - 1];
    char key[MAX_KEY];
    struct str k = exact_key(key, r->type, r->names);
    struct chain *chain = map_get(&t->exact, k);
    if (chain) {
        t->rules.v[chain->last - 1].next = number;
        chain->last = number;
        return;
    }
    chain = arena_make(t->arena, struct chain);
    *chain = (struct chain){number, number};
    map_put(&t->exact, arena_str(t->arena, k), chain);
}

/* Marks do not matter when rules are compared. */
static bool is_new(struct link_table *t, const struct link_rule *r)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_RULE);
    struct link_rule plain = *r;
    plain.path = r->names;
    link_rule_write(&text, &plain);
    return !map_get(&t->seen, buf_str(&text)) && map_add(&t->seen, buf_copy(&text, t->arena), t);
}

static bool is_rule(const struct link_rule *r)
{
    bool ends = r->kind == LINK_NONE ||
                (r->target.n <= LINKS_MAX_NAME && is_name(r->target, "") && link_path_is_valid(r->attribute, false));
    return ends && is_type_pattern(r->type) && link_path_is_valid(r->path, true);
}

enum link_added links_add(struct link_table *t, const struct link_rule *rule)
{
    struct link_rule r = *rule;
    char names[LINKS_MAX_PATH];
    if (!is_rule(&r))
        return LINK_WRONG;
    if (t->rules.n == LINKS_MAX_RULES || arena_exhausted(t->arena))
        return LINK_FULL;
    r.names = path_names(r.path, names);
    if (!is_new(t, &r))
        return LINK_REPEATED;
    r.type = arena_str(t->arena, r.type);
    r.path = arena_str(t->arena, r.path);
    r.names = str_eq(r.names, r.path) ? r.path : arena_str(t->arena, r.names);
    r.target = arena_str(t->arena, r.target);
    r.attribute = arena_str(t->arena, r.attribute);
    r.exact = !link_pattern_is_open(r.type) && !link_pattern_is_open(r.names);
    r.next = 0;
    *VEC_PUSH(t->arena, &t->rules) = r;
    if (r.exact)
        add_to_chain(t, (uint32_t)t->rules.n);
    else
        *VEC_PUSH(t->arena, &t->open) = (uint32_t)t->rules.n;
    return LINK_ADDED;
}

/* --- looking up --- */

bool link_rule_has_type(const struct link_rule *r, struct str type)
{
    return r->exact ? str_eq(r->type, type) : link_pattern_match(r->type, type);
}

/* A rule for many types must not link the target's own argument to itself. */
static bool matches(const struct link_rule *r, struct str type, struct str names)
{
    return link_pattern_match(r->type, type) && link_path_pattern_match(r->names, names) &&
           !(str_eq(r->target, type) && str_eq(r->attribute, names));
}

/* The number of the first exact rule for the argument; 0 if there is none. */
static uint32_t first_exact(const struct link_table *t, struct str type, struct str names)
{
    char key[MAX_KEY];
    const struct chain *chain = type.n <= LINKS_MAX_NAME ? map_get(&t->exact, exact_key(key, type, names)) : NULL;
    return chain ? chain->first : 0;
}

/* The number of the next matching rule with wildcards before rule number `end` (0: no limit); 0 if there is none. */
static uint32_t next_open(const struct link_table *t, struct str type, struct str names, uint32_t end, size_t *at)
{
    while (*at < t->open.n && (end == 0 || t->open.v[*at] < end)) {
        uint32_t number = t->open.v[(*at)++];
        if (matches(&t->rules.v[number - 1], type, names))
            return number;
    }
    return 0;
}

static bool is_listed(const struct link_rule *const *list, size_t n, const struct link_rule *r)
{
    for (size_t i = 0; i < n; i++)
        if (list[i]->kind == r->kind && str_eq(list[i]->target, r->target) && str_eq(list[i]->attribute, r->attribute))
            return true;
    return false;
}

/* Exact rules and rules with wildcards are two ordered lists; this merges them. */
size_t links_find_all(const struct link_table *t, struct str type, struct str path, const struct link_rule **ret, size_t max)
{
    char room[LINKS_MAX_PATH];
    if (path.n > LINKS_MAX_PATH)
        return 0;
    struct str names = path_names(path, room);
    uint32_t exact = first_exact(t, type, names);
    size_t n = 0, open = 0;
    while (n < max) {
        uint32_t number = next_open(t, type, names, exact, &open);
        if (number == 0) {
            number = exact;
            exact = exact > 0 ? t->rules.v[exact - 1].next : 0;
        }
        if (number == 0 || t->rules.v[number - 1].kind == LINK_NONE)
            break;
        if (!is_listed(ret, n, &t->rules.v[number - 1]))
            ret[n++] = &t->rules.v[number - 1];
    }
    return n;
}

const struct link_rule *links_find(const struct link_table *t, struct str type, struct str path)
{
    const struct link_rule *first;
    return links_find_all(t, type, path, &first, 1) > 0 ? first : NULL;
}
