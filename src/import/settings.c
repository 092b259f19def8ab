#include "import/settings.h"

#include "base/ascii.h"
#include "base/file.h"
#include "registry/address.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_FILES = 4096, MAX_FILE = 256 << 20, MAX_PART = 1 << 20 };

/* A local whose evaluation waits until all files are read. */
struct local {
    struct str name; /* local.NAME */
    const struct hcl_expr *value;
};
struct reading {
    struct settings *settings;
    struct diags *diags;
    const char *file;
    VEC(struct local) locals;
};

static struct evaluation evaluation_of(const struct settings *s, struct diags *diags)
{
    return (struct evaluation){.arena = s->arena, .objects = &s->locals, .variables = &s->variables, .diags = diags};
}

static const struct str *copy_text(struct arena *a, struct str text)
{
    struct str *copy = arena_make(a, struct str);
    *copy = text;
    return copy;
}

static void put(struct map *m, struct str key, const void *value)
{
    map_put(m, key, (void *)(uintptr_t)value);
}

/* The value of an expression, if it can be evaluated now. */
const struct json *settings_plain(const struct settings *s, const struct hcl_expr *e)
{
    struct diags ignored;
    diags_init(&ignored, s->arena);
    struct evaluation ev = evaluation_of(s, &ignored);
    return evaluate_expression(&ev, e);
}

/* --- large files --- */

/* The marker of a heredoc that begins at the end of this line; empty: none. */
static struct str heredoc_of(struct str line)
{
    line = str_trim(line);
    size_t n = line.n;
    while (n > 0 && (is_letter(line.p[n - 1]) || is_digit(line.p[n - 1]) || line.p[n - 1] == '_'))
        n--;
    struct str marker = str_slice(line, n, line.n);
    n -= n > 0 && line.p[n - 1] == '-';
    return n >= 2 && line.p[n - 1] == '<' && line.p[n - 2] == '<' ? marker : STR_EMPTY;
}

/*
 * Generated files may be longer than the parser accepts, so they are parsed in parts. A part is as long as possible and ends
 * before a line that begins with a letter, where the next block or argument of well-formatted code begins.
 */
static struct str next_part(struct str *rest, uint32_t *line)
{
    struct str all = *rest, marker = STR_EMPTY;
    size_t end = all.n > MAX_PART ? 0 : all.n;
    uint32_t lines = 0, lines_then = 0;
    for (struct str ahead = all; end < all.n && ahead.n > 0; lines++) {
        size_t at = all.n - ahead.n;
        bool begins = marker.n == 0 && at > 0 && (is_letter(ahead.p[0]) || ahead.p[0] == '_');
        if (end > 0 && at > MAX_PART)
            break;
        if (begins) {
            end = at;
            lines_then = lines;
        }
        struct str text = str_cut(&ahead, '\n');
        marker = marker.n == 0 ? heredoc_of(text) : str_eq(str_trim(text), marker) ? STR_EMPTY : marker;
        if (ahead.n == 0 && at <= MAX_PART)
            end = all.n;
    }
    end = end > 0 ? end : all.n;
    *rest = str_slice(all, end, all.n);
    *line += lines_then;
    return str_slice(all, 0, end);
}

/* --- the native syntax --- */

static void take_required(struct reading *r, const struct hcl_body *terraform)
{
    struct settings *s = r->settings;
    for (size_t i = 0; i < terraform->n_blocks; i++) {
        const struct hcl_body *required = &terraform->blocks[i].body;
        for (size_t k = 0; str_eqz(terraform->blocks[i].type, "required_providers") && k < required->n_attrs; k++) {
            const struct json *j = settings_plain(s, required->attrs[k].value);
            struct str source = json_text(json_get(j, "source"), STR_EMPTY);
            if (source.n > 0)
                put(&s->required, required->attrs[k].name, copy_text(s->arena, source));
        }
    }
}

static void take_block(struct reading *r, const struct hcl_block *b)
{
    struct settings *s = r->settings;
    if (str_eqz(b->type, "terraform"))
        take_required(r, &b->body);
    if (str_eqz(b->type, "provider") && b->n_labels == 1) {
        const struct hcl_attr *alias = hcl_body_attr(&b->body, "alias");
        struct str text = alias ? json_text(settings_plain(s, alias->value), STR_EMPTY) : STR_EMPTY;
        *VEC_PUSH(s->arena, &s->blocks) =
            (struct settings_block){.name = b->labels[0], .alias = text, .file = r->file, .body = &b->body};
    }
    if (str_eqz(b->type, "resource") && b->n_labels == 2)
        *VEC_PUSH(s->arena, &s->resources) = (struct settings_resource){
            .type = b->labels[0],
            .name = b->labels[1],
            .body = &b->body,
            .repeated = hcl_body_attr(&b->body, "count") || hcl_body_attr(&b->body, "for_each"),
        };
    if (str_eqz(b->type, "variable") && b->n_labels == 1)
        *VEC_PUSH(s->arena, &s->declared) = b->labels[0];
    const struct hcl_attr *initial = str_eqz(b->type, "variable") ? hcl_body_attr(&b->body, "default") : NULL;
    if (initial && b->n_labels == 1 && !map_get(&s->variables, b->labels[0])) {
        const struct json *j = settings_plain(s, initial->value);
        if (j)
            put(&s->variables, b->labels[0], j);
    }
    for (size_t i = 0; str_eqz(b->type, "locals") && i < b->body.n_attrs; i++)
        *VEC_PUSH(s->arena, &r->locals) =
            (struct local){arena_printf(s->arena, "local." STR_FMT, STR_ARG(b->body.attrs[i].name)), b->body.attrs[i].value};
}

static bool read_native(struct reading *r, struct str text)
{
    for (uint32_t line = 1; text.n > 0;) {
        uint32_t first = line;
        struct str part = next_part(&text, &line);
        const struct hcl_body *body = hcl_parse(r->settings->arena, part, r->file, first, r->diags);
        if (!body)
            return false;
        for (size_t i = 0; i < body->n_blocks; i++)
            take_block(r, &body->blocks[i]);
    }
    return true;
}

/* --- JSON --- */

/* A block may be an object, or an array of them. */
static size_t count_of(const struct json *j)
{
    if (!j)
        return 0;
    return j->kind == JSON_ARRAY ? j->array.n : 1;
}

static const struct json *item_of(const struct json *j, size_t i)
{
    return j->kind == JSON_ARRAY ? j->array.items[i] : j;
}

static void take_json_provider(struct reading *r, struct str name, const struct json *j)
{
    struct settings *s = r->settings;
    for (size_t i = 0; i < count_of(j); i++) {
        const struct json *body = item_of(j, i);
        *VEC_PUSH(s->arena, &s->blocks) = (struct settings_block){
            .name = name, .alias = json_text(json_get(body, "alias"), STR_EMPTY), .file = r->file, .json = body};
    }
}

static void take_json_required(struct reading *r, const struct json *required)
{
    struct settings *s = r->settings;
    for (size_t i = 0; i < count_of(required); i++) {
        const struct json *one = item_of(required, i);
        for (size_t k = 0; one->kind == JSON_OBJECT && k < one->object.n; k++) {
            struct str source = json_text(json_get(one->object.members[k].value, "source"), STR_EMPTY);
            if (source.n > 0)
                put(&s->required, one->object.members[k].key, copy_text(s->arena, source));
        }
    }
}

static bool read_json(struct reading *r, struct str text)
{
    struct settings *s = r->settings;
    const struct json *j = json_parse(s->arena, text, r->file, r->diags);
    if (!j)
        return false;
    const struct json *providers = json_get(j, "provider"), *terraform = json_get(j, "terraform");
    for (size_t i = 0; i < count_of(providers); i++) {
        const struct json *one = item_of(providers, i);
        for (size_t k = 0; one->kind == JSON_OBJECT && k < one->object.n; k++)
            take_json_provider(r, one->object.members[k].key, one->object.members[k].value);
    }
    for (size_t i = 0; i < count_of(terraform); i++)
        take_json_required(r, json_get(item_of(terraform, i), "required_providers"));
    const struct json *resources = json_get(j, "resource");
    for (size_t i = 0; resources && resources->kind == JSON_OBJECT && i < resources->object.n; i++) {
        const struct json_member *m = &resources->object.members[i];
        for (size_t k = 0; m->value->kind == JSON_OBJECT && k < m->value->object.n; k++)
            *VEC_PUSH(s->arena, &s->resources) =
                (struct settings_resource){.type = m->key, .name = m->value->object.members[k].key};
    }
    const struct json *variables = json_get(j, "variable");
    for (size_t i = 0; variables && variables->kind == JSON_OBJECT && i < variables->object.n; i++) {
        const struct json_member *m = &variables->object.members[i];
        *VEC_PUSH(s->arena, &s->declared) = m->key;
        const struct json *initial = count_of(m->value) > 0 ? json_get(item_of(m->value, 0), "default") : NULL;
        if (initial && !map_get(&s->variables, m->key))
            put(&s->variables, m->key, initial);
    }
    return true;
}

/* Strings in JSON syntax are templates. NULL: one of them cannot be evaluated. */
static const struct json *json_values(const struct settings *s, const struct json *j, struct diags *diags);

static const struct json *json_text_value(const struct settings *s, const struct json *j, struct diags *diags)
{
    if (!str_contains(j->text, STR("${")) && !str_contains(j->text, STR("%{")))
        return j;
    struct buf text BUF_AUTO = BUF_INIT(HCL_LIMIT_BYTES);
    struct json_writer w = {.out = &text};
    json_write_string(&w, j->text);
    if (!json_finish(&w))
        return NULL;
    struct str line = arena_printf(s->arena, "x = " STR_FMT "\n", STR_ARG(buf_str(&text)));
    const struct hcl_body *body = hcl_parse(s->arena, line, "text", 1, diags);
    struct evaluation ev = evaluation_of(s, diags);
    return body && body->n_attrs == 1 ? evaluate_expression(&ev, body->attrs[0].value) : NULL;
}

static const struct json *json_values(const struct settings *s, const struct json *j, struct diags *diags)
{
    if (j->kind == JSON_STRING)
        return json_text_value(s, j, diags);
    if (j->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(s->arena, const struct json *, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            if (!(items[i] = json_values(s, j->array.items[i], diags)))
                return NULL;
        return json_make_array(s->arena, items, j->array.n);
    }
    if (j->kind != JSON_OBJECT)
        return j;
    struct json_member *members = arena_make_n(s->arena, struct json_member, j->object.n);
    for (size_t i = 0; i < j->object.n; i++) {
        members[i] =
            (struct json_member){.key = j->object.members[i].key, .value = json_values(s, j->object.members[i].value, diags)};
        if (!members[i].value)
            return NULL;
    }
    return json_make_object(s->arena, members, j->object.n);
}

/* --- variables and locals --- */

static bool read_tfvars(struct reading *r, struct str text)
{
    struct settings *s = r->settings;
    if (str_ends(str_of(r->file), STR(".json"))) {
        const struct json *j = json_parse(s->arena, text, r->file, r->diags);
        for (size_t i = 0; j && j->kind == JSON_OBJECT && i < j->object.n; i++)
            put(&s->variables, j->object.members[i].key, j->object.members[i].value);
        return j != NULL;
    }
    for (uint32_t line = 1; text.n > 0;) {
        uint32_t first = line;
        struct str part = next_part(&text, &line);
        const struct hcl_body *body = hcl_parse(s->arena, part, r->file, first, r->diags);
        if (!body)
            return false;
        for (size_t i = 0; i < body->n_attrs; i++) {
            const struct json *j = settings_plain(s, body->attrs[i].value);
            if (j)
                put(&s->variables, body->attrs[i].name, j);
        }
    }
    return true;
}

static void take_environment(struct settings *s)
{
    static const char prefix[] = "TF_VAR_";
    for (char **e = environ; *e; e++) {
        struct str rest = str_of(*e);
        if (!str_starts(rest, STR(prefix)))
            continue;
        struct str name = str_cut(&rest, '=');
        put(&s->variables, arena_str(s->arena, str_slice(name, strlen(prefix), name.n)),
            json_make_string(s->arena, arena_str(s->arena, rest)));
    }
}

/* Locals may refer to each other in any order: evaluation repeats until no more can be evaluated. */
static void evaluate_locals(struct reading *r)
{
    struct settings *s = r->settings;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < r->locals.n; i++) {
            const struct json *j = map_get(&s->locals, r->locals.v[i].name) ? NULL : settings_plain(s, r->locals.v[i].value);
            if (!j)
                continue;
            put(&s->locals, r->locals.v[i].name, j);
            more = true;
        }
    }
}

/* --- the folder --- */

enum kind { KIND_NATIVE, KIND_JSON, KIND_TFVARS, KIND_AUTO_TFVARS, KIND_OTHER };

static enum kind kind_of(struct str name)
{
    if (str_eqz(name, "terraform.tfvars") || str_eqz(name, "terraform.tfvars.json"))
        return KIND_TFVARS;
    if (str_ends(name, STR(".auto.tfvars")) || str_ends(name, STR(".auto.tfvars.json")))
        return KIND_AUTO_TFVARS;
    if (str_ends(name, STR(".tf")) || str_ends(name, STR(".tofu")))
        return KIND_NATIVE;
    return str_ends(name, STR(".tf.json")) || str_ends(name, STR(".tofu.json")) ? KIND_JSON : KIND_OTHER;
}

struct names {
    struct str *v;
    size_t n, cap;
};

static struct names names_in(struct arena *a, const char *folder)
{
    struct names names = {0};
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d)) && names.n < MAX_FILES;)
        if (e->d_name[0] != '.' && kind_of(str_of(e->d_name)) != KIND_OTHER)
            *VEC_PUSH(a, &names) = arena_str(a, str_of(e->d_name));
    if (d)
        (void)closedir(d);
    if (names.n > 0)
        qsort(names.v, names.n, sizeof *names.v, str_cmp_qsort);
    return names;
}

static bool read_kind(struct reading *r, const struct names *names, enum kind kind)
{
    struct settings *s = r->settings;
    for (size_t i = 0; i < names->n; i++) {
        struct str text;
        if (kind_of(names->v[i]) != kind)
            continue;
        r->file = arena_printf(s->arena, "%s/" STR_FMT, s->folder, STR_ARG(names->v[i])).p;
        if (!file_read(s->arena, r->file, MAX_FILE, r->diags, &text) || !(kind == KIND_NATIVE ? read_native(r, text)
                                                                          : kind == KIND_JSON ? read_json(r, text)
                                                                                              : read_tfvars(r, text)))
            return false;
    }
    return true;
}

bool settings_read(struct settings *s, struct arena *a, const char *folder, struct diags *diags)
{
    *s = (struct settings){.arena = a, .folder = folder};
    map_init(&s->required, a);
    map_init(&s->variables, a);
    map_init(&s->locals, a);
    struct reading r = {.settings = s, .diags = diags};
    struct names names = names_in(a, folder);
    if (!read_kind(&r, &names, KIND_NATIVE) || !read_kind(&r, &names, KIND_JSON))
        return false;
    take_environment(s);
    if (!read_kind(&r, &names, KIND_TFVARS) || !read_kind(&r, &names, KIND_AUTO_TFVARS))
        return false;
    evaluate_locals(&r);
    return lock_file_read(a, arena_printf(a, "%s/.terraform.lock.hcl", folder).p, diags, &s->lock);
}

/* --- looking up --- */

static struct str last_part(struct str source)
{
    size_t i = source.n;
    while (i > 0 && source.p[i - 1] != '/')
        i--;
    return str_slice(source, i, source.n);
}

static bool stands_for(const struct settings *s, struct str name, struct str address)
{
    const struct str *source = map_get(&s->required, name);
    if (!source)
        return str_eq(name, last_part(address));
    struct provider_address required, wanted;
    struct diags ignored;
    diags_init(&ignored, s->arena);
    return provider_address_parse(s->arena, *source, &ignored, &required) &&
           provider_address_parse(s->arena, address, &ignored, &wanted) && provider_address_matches(&required, &wanted);
}

const struct settings_block *settings_find(const struct settings *s, struct str address, struct str alias)
{
    for (size_t i = 0; i < s->blocks.n; i++)
        if (str_eq(s->blocks.v[i].alias, alias) && stands_for(s, s->blocks.v[i].name, address))
            return &s->blocks.v[i];
    return NULL;
}

struct str settings_version(const struct settings *s, struct str address)
{
    const struct lock_entry *locked = lock_file_find(&s->lock, address);
    return locked ? locked->version : STR_EMPTY;
}

static bool is_own_argument(struct str name)
{
    return str_eqz(name, "alias") || str_eqz(name, "version");
}

static const struct json *without_own(const struct settings *s, const struct json *j)
{
    struct json_member *members = arena_make_n(s->arena, struct json_member, j->object.n);
    size_t n = 0;
    for (size_t i = 0; i < j->object.n; i++)
        if (!is_own_argument(j->object.members[i].key))
            members[n++] = j->object.members[i];
    return json_make_object(s->arena, members, n);
}

/* The name of the argument that could not be evaluated, for the message; empty: a block. */
static struct str culprit(const struct settings *s, const struct settings_block *b)
{
    for (size_t i = 0; b->body && i < b->body->n_attrs; i++)
        if (!settings_plain(s, b->body->attrs[i].value))
            return b->body->attrs[i].name;
    return STR_EMPTY;
}

const struct json *settings_evaluate(const struct settings *s, const struct settings_block *b, const struct schema_block *schema,
                                     struct diags *diags)
{
    struct diags found;
    diags_init(&found, s->arena);
    struct evaluation ev = evaluation_of(s, &found);
    const struct json *ignored,
        *j = b->body ? evaluate_resource(&ev, schema, b->body, &ignored) : json_values(s, b->json, &found);
    if (j && j->kind == JSON_OBJECT)
        return without_own(s, j);
    struct str name = culprit(s, b);
    bool alias = b->alias.n > 0;
    (void)diags_fail(diags, "Provider configuration cannot be evaluated",
                     "%s: provider \"" STR_FMT "\"%s" STR_FMT "%s has %s" STR_FMT "%s that is not a plain value, a variable or a "
                     "local. Write the configuration to a file and use --provider-config " STR_FMT "%s" STR_FMT "=FILE.",
                     b->file, STR_ARG(b->name), alias ? " (alias \"" : "", STR_ARG(b->alias), alias ? "\")" : "",
                     name.n > 0 ? "an argument \"" : "a block", STR_ARG(name), name.n > 0 ? "\"" : "", STR_ARG(b->name),
                     alias ? "." : "", STR_ARG(b->alias));
    return NULL;
}
