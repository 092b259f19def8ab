#include "crossplane/config_show.h"

#include "crossplane/config_private.h"
#include "crossplane/model.h"

struct shower {
    struct arena *arena;
    const struct xp_config_file *file; /* NULL: defaults */
    struct str entry;
    struct xp_config_lines lines;
};

static bool is_list_of_paths(struct str key)
{
    static const char *const lists[] = {"omit",      "identifiers", "status_only", "embed",    "no_embed",
                                        "sensitive", "required",    "optional",    "immutable"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (str_eqz(key, lists[i]))
            return true;
    return false;
}

/* Maps whose members are shown as separate lines, because later files can override single members. */
static bool is_opened(struct str key)
{
    static const char *const maps[] = {"root_group",         "acronyms",          "references", "fields",
                                       "timeouts",           "late_init",         "cluster",    "namespaced",
                                       "provider_arguments", "generated_secrets", "renamed",    "connection_details"};
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (str_eqz(key, maps[i]))
            return true;
    return false;
}

static bool is_flavour(struct str key)
{
    return str_eqz(key, "cluster") || str_eqz(key, "namespaced");
}

static void add_line(struct shower *s, struct str key, const struct json *value, uint32_t line)
{
    struct xp_config_line new = {s->entry, key, value, s->file ? s->file->name : NULL, line};
    struct str rest = key, flavour = str_cut(&rest, '.');
    bool adds_up = is_list_of_paths(is_flavour(flavour) ? rest : key);
    for (size_t i = 0; i < s->lines.n && !adds_up; i++) {
        if (!str_eq(s->lines.v[i].key, key) || !str_eq(s->lines.v[i].entry, s->entry))
            continue;
        s->lines.v[i] = new;
        return;
    }
    *VEC_PUSH(s->arena, &s->lines) = new;
}

/* Two levels at most: cluster.references.vpc_id. */
static void add_members(struct shower *s, struct str prefix, const struct json *object)
{
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        struct str key = arena_printf(s->arena, STR_FMT "%s" STR_FMT, STR_ARG(prefix), prefix.n > 0 ? "." : "", STR_ARG(m->key));
        bool may_open = prefix.n == 0 || (is_flavour(prefix) && !is_flavour(m->key));
        if (m->value->kind == JSON_OBJECT && may_open && is_opened(m->key))
            add_members(s, key, m->value);
        else
            add_line(s, key, m->value, m->line);
    }
}

/* --- settings of the whole file --- */

static void add_default(struct shower *s, const char *key, const struct json *value)
{
    add_line(s, str_of(key), value, 0);
}

static void add_defaults(struct shower *s, struct str provider)
{
    struct arena *a = s->arena;
    const struct xp_config *c = xp_config_default(a, provider);
    const struct json *yes = json_make_bool(a, true);
    add_default(s, "short_name", json_make_string(a, c->short_name));
    add_default(s, "root_group.cluster", json_make_string(a, c->root_cluster));
    add_default(s, "root_group.namespaced", json_make_string(a, c->root_namespaced));
    add_default(s, "version", json_make_string(a, c->version));
    add_default(s, "compat", json_make_string(a, STR("own")));
    add_default(s, "embed_singletons", yes);
    add_default(s, "init_provider", yes);
    add_default(s, "references_in_init", yes);
    add_default(s, "secrets_in_init", yes);
}

static void add_settings(struct shower *s, const struct json *tree)
{
    struct json_member *kept = arena_make_n(s->arena, struct json_member, tree->object.n);
    size_t n = 0;
    for (size_t i = 0; i < tree->object.n; i++)
        if (!str_eqz(tree->object.members[i].key, "resources"))
            kept[n++] = tree->object.members[i];
    add_members(s, STR_EMPTY, json_make_object(s->arena, kept, n));
}

/* --- entries --- */

static void add_entries(struct shower *s, const struct json *tree, struct str type)
{
    const struct json *resources = json_get(tree, "resources");
    for (size_t i = 0; resources && resources->kind == JSON_OBJECT && i < resources->object.n; i++) {
        const struct json_member *m = &resources->object.members[i];
        if (m->value->kind != JSON_OBJECT || (type.n > 0 && !link_pattern_match(m->key, type)))
            continue;
        s->entry = type.n > 0 ? STR_EMPTY : m->key;
        add_members(s, STR_EMPTY, m->value);
    }
    s->entry = STR_EMPTY;
}

void xp_config_show(struct arena *a, const struct xp_config *c, const struct xp_config_file *files, size_t n,
                    struct xp_config_lines *ret)
{
    struct shower s = {.arena = a, .entry = STR_EMPTY};
    add_line(&s, STR("provider"), json_make_string(a, c->provider), 0);
    add_defaults(&s, c->provider);
    for (size_t i = 0; i < n; i++) {
        s.file = &files[i];
        add_settings(&s, files[i].tree);
    }
    for (size_t i = 0; i < n; i++) {
        s.file = &files[i];
        add_entries(&s, files[i].tree, STR_EMPTY);
    }
    *ret = s.lines;
}

void xp_config_show_type(struct arena *a, const struct xp_config *c, const struct xp_config_file *files, size_t n,
                         struct str type, struct xp_config_lines *ret)
{
    struct shower s = {.arena = a, .entry = STR_EMPTY};
    const struct xp_config *none = xp_config_default(a, c->provider);
    struct xp_resource_config resolved;
    struct xp_kind k = {0};
    xp_config_resolve(none, a, type, FLAVOUR_NAMESPACED, &resolved);
    xp_kind_names(a, &resolved, &k);
    add_default(&s, "group", json_make_string(a, k.group));
    add_default(&s, "kind", json_make_string(a, k.kind));
    add_default(&s, "version", json_make_string(a, c->version));
    add_default(&s, "external_name", json_make_string(a, STR("provider")));
    for (size_t i = 0; i < n; i++) {
        s.file = &files[i];
        const struct json *tree = files[i].tree;
        for (size_t j = 0; j < tree->object.n; j++)
            if (str_eqz(tree->object.members[j].key, "version"))
                add_line(&s, STR("version"), tree->object.members[j].value, tree->object.members[j].line);
    }
    for (size_t i = 0; i < n; i++) {
        s.file = &files[i];
        add_entries(&s, files[i].tree, type);
    }
    *ret = s.lines;
}

/* --- writing --- */

static void write_origin(struct buf *out, const struct xp_config_line *l)
{
    if (l->file)
        buf_printf(out, "  # %s:%u\n", l->file, l->line);
    else
        buf_addz(out, "  # default\n");
}

/* False: it is the one. */
static bool is_another(struct str name, struct str typed, size_t *least, struct str *closest)
{
    size_t distance = str_distance(name, typed);
    if (distance < *least) {
        *least = distance;
        *closest = name;
    }
    return distance > 0;
}

struct str xp_config_similar_type(const struct xp_config *c, struct str typed)
{
    enum { TYPING_ERRORS = 2 };
    struct str closest = STR_EMPTY;
    size_t least = TYPING_ERRORS + 1;
    for (size_t i = 0; i < c->rules.n; i++) {
        const struct xp_resource_rule *r = &c->rules.v[i];
        if (r->exact && !is_another(r->pattern, typed, &least, &closest))
            return STR_EMPTY;
        for (size_t j = 0; r->types && j < r->types->n; j++)
            if (!is_another(r->types->entries[j].key, typed, &least, &closest))
                return STR_EMPTY;
    }
    return closest;
}

void xp_config_lines_write(struct buf *out, const struct xp_config_lines *lines)
{
    const char *file = NULL;
    struct str entry = STR_EMPTY;
    for (size_t i = 0; i < lines->n; i++) {
        const struct xp_config_line *l = &lines->v[i];
        bool new_entry = l->entry.n > 0 && (!str_eq(l->entry, entry) || l->file != file);
        if (new_entry)
            buf_printf(out, "%s\"" STR_FMT "\":\n", entry.n == 0 ? "resources:\n  " : "  ", STR_ARG(l->entry));
        entry = l->entry;
        file = l->file;
        struct json_writer w = {.out = out};
        buf_printf(out, "%s" STR_FMT ": ", l->entry.n > 0 ? "    " : "", STR_ARG(l->key));
        json_write(&w, l->value);
        (void)json_finish(&w);
        write_origin(out, l);
    }
}

void xp_config_lines_write_json(struct json_writer *w, const struct xp_config_lines *lines)
{
    json_begin_array(w);
    for (size_t i = 0; i < lines->n; i++) {
        const struct xp_config_line *l = &lines->v[i];
        json_begin_object(w);
        if (l->entry.n > 0) {
            json_key(w, STR("entry"));
            json_write_string(w, l->entry);
        }
        json_key(w, STR("key"));
        json_write_string(w, l->key);
        json_key(w, STR("value"));
        json_write(w, l->value);
        if (l->file) {
            json_key(w, STR("file"));
            json_write_string(w, str_of(l->file));
            json_key(w, STR("line"));
            json_write_int(w, l->line);
        }
        json_end_object(w);
    }
    json_end_array(w);
}
