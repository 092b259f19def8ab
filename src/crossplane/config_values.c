/* Reads values of the configuration (strings, names, lists, durations), and reports invalid ones. */
#include "crossplane/config_read_private.h"

/* --- messages --- */

void xp_config_wrong(struct xp_config_reader *r, uint32_t line, uint32_t column, const char *summary, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(r->config->arena, format, args);
    va_end(args);
    diags_fail(r->diags, summary, "%s:%u:%u: " STR_FMT, r->source->name, line, column, STR_ARG(text));
}

void xp_config_wrong_kind(struct xp_config_reader *r, const struct json_member *m, const char *expected)
{
    static const char *const kinds[] = {[JSON_NULL] = "nothing",    [JSON_BOOL] = "true or false", [JSON_NUMBER] = "a number",
                                        [JSON_STRING] = "a string", [JSON_ARRAY] = "a list",       [JSON_OBJECT] = "a mapping"};
    xp_config_wrong(r, m->value->line ? m->value->line : m->line, m->value->line ? m->value->column : m->column, "Wrong value",
                    "\"" STR_FMT "\" must be %s, not %s.", STR_ARG(m->key), expected, kinds[m->value->kind]);
}

static const struct xp_config_key *find_key(const struct xp_config_table *table, struct str name)
{
    for (const struct xp_config_key *k = table->keys; k->name; k++)
        if (str_eqz(name, k->name))
            return k;
    return NULL;
}

static void unknown_key(struct xp_config_reader *r, const struct xp_config_table *table, const struct json_member *m)
{
    const char *meant = NULL;
    size_t least = m->key.n / 2 + 2;
    for (const struct xp_config_key *k = table->keys; k->name; k++) {
        size_t distance = str_distance(str_of(k->name), m->key);
        if (distance < least) {
            least = distance;
            meant = k->name;
        }
    }
    if (meant)
        xp_config_wrong(r, m->line, m->column, "Unknown key", "\"" STR_FMT "\" is not a valid key of %s; did you mean \"%s\"?",
                        STR_ARG(m->key), table->name, meant);
    else
        xp_config_wrong(r, m->line, m->column, "Unknown key", "\"" STR_FMT "\" is not a valid key of %s.", STR_ARG(m->key),
                        table->name);
}

void xp_read_table(struct xp_config_reader *r, const struct xp_config_table *table, const struct json *object, void *target)
{
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        const struct xp_config_key *key = find_key(table, m->key);
        if (key)
            key->read(r, m, (char *)target + key->offset);
        else
            unknown_key(r, table, m);
    }
}

bool xp_config_is_object(struct xp_config_reader *r, const struct json_member *m)
{
    if (m->value->kind == JSON_OBJECT)
        return true;
    xp_config_wrong_kind(r, m, "a mapping");
    return false;
}

/* --- values --- */

void xp_read_text(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (m->value->kind != JSON_STRING)
        xp_config_wrong_kind(r, m, "a string (in quotes, if it looks like something else)");
    else
        *(struct str *)target = arena_str(r->config->arena, m->value->text);
}

/* A value that becomes an API name must be valid for an API server; it is also part of file paths. */
static bool check_name(struct xp_config_reader *r, const struct json_member *m, const struct json *value,
                       bool (*is_name)(struct str), const char *what)
{
    if (is_name(value->text))
        return true;
    xp_config_wrong(r, value->line ? value->line : m->line, value->line ? value->column : m->column, "Wrong name",
                    "\"" STR_FMT "\" cannot be \"" STR_FMT "\": %s.", STR_ARG(m->key), STR_ARG(value->text), what);
    return false;
}

static const char label_rule[] = "lower case letters, digits and '-', a letter first and no '-' last, at most 63";
static const char domain_rule[] = "lower case letters, digits and '-', in parts joined with dots";
static const char kind_rule[] = "letters and digits, a capital first, at most 63";

static void read_name(struct xp_config_reader *r, const struct json_member *m, void *target, bool (*is_name)(struct str),
                      const char *what)
{
    if (m->value->kind != JSON_STRING || check_name(r, m, m->value, is_name, what))
        xp_read_text(r, m, target);
}

void xp_read_label(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    read_name(r, m, target, xp_name_is_label, label_rule);
}

void xp_read_domain(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    read_name(r, m, target, xp_name_is_domain, domain_rule);
}

void xp_read_kind(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    read_name(r, m, target, xp_name_is_kind, kind_rule);
}

void xp_read_bool(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (m->value->kind != JSON_BOOL)
        xp_config_wrong_kind(r, m, "true or false");
    else
        *(bool *)target = m->value->boolean;
}

void xp_read_said(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    bool yes = false;
    if (m->value->kind != JSON_BOOL)
        xp_config_wrong_kind(r, m, "true or false");
    else
        yes = m->value->boolean;
    *(enum xp_said *)target = yes ? SAID_YES : SAID_NO;
}

/* Is it a list of strings? If not, reports that and returns false. */
bool xp_config_is_texts(struct xp_config_reader *r, const struct json_member *m)
{
    if (m->value->kind != JSON_ARRAY) {
        xp_config_wrong_kind(r, m, "a list of strings");
        return false;
    }
    for (size_t i = 0; i < m->value->array.n; i++)
        if (m->value->array.items[i]->kind != JSON_STRING) {
            const struct json_member item = {m->key, m->value->array.items[i], m->line, m->column};
            xp_config_wrong_kind(r, &item, "a list of strings");
            return false;
        }
    return true;
}

void xp_read_texts(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!xp_config_is_texts(r, m))
        return;
    struct str *v = arena_make_n(r->config->arena, struct str, m->value->array.n);
    for (size_t i = 0; i < m->value->array.n; i++)
        v[i] = arena_str(r->config->arena, m->value->array.items[i]->text);
    *(struct xp_str_list *)target = (struct xp_str_list){v, m->value->array.n};
}

void xp_read_labels(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!xp_config_is_texts(r, m))
        return;
    for (size_t i = 0; i < m->value->array.n; i++)
        (void)check_name(r, m, m->value->array.items[i], xp_name_is_label, label_rule);
    xp_read_texts(r, m, target);
}

void xp_read_patterns(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct pattern_list *list = target;
    if (!xp_config_is_texts(r, m))
        return;
    struct arena *a = r->config->arena;
    list->source = r->source;
    list->n = m->value->array.n;
    list->v = arena_make_n(a, struct str, list->n);
    list->lines = arena_make_n(a, uint32_t, list->n);
    list->used = arena_make_n(a, _Atomic bool, list->n);
    for (size_t i = 0; i < list->n; i++) {
        list->v[i] = arena_str(a, m->value->array.items[i]->text);
        list->lines[i] = m->value->array.items[i]->line;
    }
}

void xp_read_acronyms(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct xp_names *names = target;
    if (!xp_config_is_object(r, m))
        return;
    for (size_t i = 0; i < m->value->object.n; i++) {
        const struct json_member *word = &m->value->object.members[i];
        struct str casing = STR_EMPTY;
        xp_read_text(r, word, &casing);
        if (str_eq(arena_lower(r->config->arena, casing), arena_lower(r->config->arena, word->key)))
            xp_names_add(names, word->key, casing);
        else if (casing.n > 0)
            xp_config_wrong(r, word->line, word->column, "Wrong acronym",
                            "\"" STR_FMT "\" is \"" STR_FMT "\" in another casing only.", STR_ARG(word->key), STR_ARG(casing));
    }
}

/* "90s", "30m", "2h" */
void xp_read_duration(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    struct str text = json_text(m->value, STR_EMPTY);
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    int64_t n = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (text.n > 1 && text.p[text.n - 1] == units[i].unit && str_to_i64(str_slice(text, 0, text.n - 1), &n) && n > 0 &&
            n < 1 << 20) {
            *(int64_t *)target = n * units[i].seconds;
            return;
        }
    xp_config_wrong_kind(r, m, "a duration such as 90s, 30m or 2h");
}

void xp_read_compat(struct xp_config_reader *r, const struct json_member *m, void *target)
{
    if (!xp_compat_named(json_text(m->value, STR_EMPTY), target))
        xp_config_wrong_kind(r, m, "own, upjet or upjet-exact");
}
