#include "base/file.h"
#include "base/map.h"
#include "generate/against_crd.h"
#include "yaml/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FILE ((size_t)256 << 20)

/* The location of an old CRD. */
struct old_crd {
    const char *path;
    size_t start, length; /* of its document in the file */
    bool seen;
};

struct against {
    struct arena *arena, *scratch;
    struct map old; /* name -> struct old_crd */
    struct against_report report;
};

/* --- documents --- */

static bool is_separator(struct str line)
{
    return str_starts(line, STR("---")) && (line.n == 3 || line.p[3] == ' ' || line.p[3] == '\r' || line.p[3] == '\t');
}

static struct str next_line(struct str *rest)
{
    return str_cut(rest, '\n');
}

/* Takes the first document off `rest`. */
static struct str next_document(struct str *rest)
{
    struct str at = *rest;
    while (at.n > 0) {
        const char *mark = memmem(at.p, at.n, "---", 3);
        if (!mark)
            break;
        size_t before = (size_t)(mark - rest->p);
        struct str line = str_slice(*rest, before, rest->n);
        line = next_line(&line);
        at = str_slice(*rest, before + 3, rest->n);
        if ((before > 0 && rest->p[before - 1] != '\n') || !is_separator(line))
            continue;
        struct str document = str_slice(*rest, 0, before);
        *rest = str_slice(*rest, before + line.n + 1, rest->n);
        return document;
    }
    struct str document = *rest;
    *rest = STR_EMPTY;
    return document;
}

/* Parses JSON as JSON, not as YAML, because it may have tabs and long lines. */
static const struct json *parse(struct arena *a, struct str document, const char *source, struct diags *diags)
{
    struct str text = str_trim(document), inside = str_trim(str_slice(text, 1, text.n));
    bool json = text.n > 0 && text.p[0] == '{' && inside.n > 0 && inside.p[0] == '"';
    return json ? json_parse(a, text, source, diags) : yaml_parse(a, text, source, diags);
}

/* The name on a line, if it is a plain scalar. */
static struct str plain_value(struct str line, size_t key)
{
    struct str value = str_trim(str_slice(line, key, line.n));
    bool quoted = value.n >= 2 && (value.p[0] == '"' || value.p[0] == '\'') && value.p[value.n - 1] == value.p[0];
    if (quoted)
        value = str_slice(value, 1, value.n - 1);
    for (size_t i = 0; i < value.n; i++) {
        char c = value.p[i];
        bool usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
        if (!usual)
            return STR_EMPTY;
    }
    return value;
}

static size_t indent_of(struct str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

struct header {
    struct str kind, name;
};

/* Kind and name from the first lines of a document in block style, to avoid parsing it; empty if it is written differently. */
static struct header skim(struct str document)
{
    struct header h = {STR_EMPTY, STR_EMPTY};
    bool in_metadata = false;
    size_t below = 0;
    while (document.n > 0 && (h.kind.n == 0 || h.name.n == 0)) {
        struct str line = next_line(&document);
        size_t indent = indent_of(line);
        if (indent == line.n || line.p[indent] == '#')
            continue;
        if (indent == 0) {
            in_metadata = str_eqz(str_trim(line), "metadata:");
            below = 0;
            if (str_starts(line, STR("kind:")))
                h.kind = plain_value(line, sizeof "kind:" - 1);
            continue;
        }
        below = below ? below : indent;
        if (in_metadata && indent == below && str_starts(str_slice(line, indent, line.n), STR("name:")))
            h.name = plain_value(line, indent + sizeof "name:" - 1);
    }
    return h;
}

/* False if the document is unreadable. The name is empty if it is not a CRD. */
static bool crd_name(struct arena *scratch, struct str document, const char *source, struct diags *diags, struct str *ret)
{
    struct header h = skim(document);
    if (str_trim(document).n > 0 && (h.kind.n == 0 || h.name.n == 0)) {
        const struct json *parsed = parse(scratch, document, source, diags);
        if (!parsed)
            return false;
        h.kind = json_text(json_get(parsed, "kind"), STR_EMPTY);
        h.name = json_text(json_get(json_get(parsed, "metadata"), "name"), STR_EMPTY);
    }
    *ret = str_eqz(h.kind, "CustomResourceDefinition") ? h.name : STR_EMPTY;
    return true;
}

/* --- the old folder --- */

static bool remember(struct against *c, struct str name, const char *path, size_t start, size_t length, struct diags *diags)
{
    struct old_crd *old = arena_make(c->arena, struct old_crd);
    *old = (struct old_crd){.path = path, .start = start, .length = length};
    if (map_add(&c->old, arena_str(c->arena, name), old))
        return true;
    return diags_fail(diags, "Duplicate CRD", "%s and %s both have " STR_FMT ".",
                      ((const struct old_crd *)map_get(&c->old, name))->path, path, STR_ARG(name));
}

static bool index_file(struct against *c, const char *path, struct diags *diags)
{
    struct str text, name;
    arena_reset(c->scratch);
    if (!file_read(c->scratch, path, MAX_FILE, diags, &text))
        return false;
    for (struct str rest = text; rest.n > 0;) {
        struct str document = next_document(&rest);
        if (!crd_name(c->scratch, document, path, diags, &name))
            return false;
        if (name.n > 0 && !remember(c, name, path, (size_t)(document.p - text.p), document.n, diags))
            return false;
    }
    return true;
}

static bool is_manifest(const char *name)
{
    struct str s = str_of(name);
    return name[0] != '.' && (str_ends(s, STR(".yaml")) || str_ends(s, STR(".yml")) || str_ends(s, STR(".json")));
}

static int is_listed(const struct dirent *entry)
{
    return is_manifest(entry->d_name);
}

static bool index_folder(struct against *c, const char *folder, struct diags *diags)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_listed, alphasort);
    if (n < 0)
        return diags_fail(diags, "Cannot compare", "Cannot read the folder %s: %s.", folder, strerror(errno));
    bool ok = true;
    for (int i = 0; i < n; i++) {
        ok = ok && index_file(c, arena_printf(c->arena, "%s/%s", folder, entries[i]->d_name).p, diags);
        free(entries[i]);
    }
    free(entries);
    if (ok && c->old.n == 0)
        return diags_fail(diags, "Cannot compare", "%s contains no CustomResourceDefinition.", folder);
    return ok;
}

struct against *against_open(struct arena *a, const char *folder, struct diags *diags)
{
    struct against *c = arena_make(a, struct against);
    *c = (struct against){.arena = a, .scratch = arena_new(a, 0)};
    map_init(&c->old, a);
    struct str inside = arena_printf(a, "%s/crds", folder);
    return index_folder(c, file_exists(inside.p) ? inside.p : folder, diags) ? c : NULL;
}

/* --- pairs --- */

static bool read_old(struct arena *a, const struct old_crd *old, struct diags *diags, struct str *ret)
{
    char *text = arena_alloc(a, old->length, 1);
    int fd = open(old->path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    while (fd >= 0 && n < old->length) {
        ssize_t got = pread(fd, text + n, old->length - n, (off_t)(old->start + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (fd >= 0)
        (void)close(fd);
    if (n < old->length)
        return diags_fail(diags, "Cannot compare", "%s cannot be read again.", old->path);
    *ret = (struct str){text, n};
    return true;
}

static void report_kind(struct against *c, struct str name, enum against_what what)
{
    bool gone = what == AGAINST_KIND_REMOVED;
    *VEC_PUSH(c->arena, &c->report.changes) = (struct against_change){
        .crd = arena_str(c->arena, name),
        .version = STR_EMPTY,
        .path = STR_EMPTY,
        .what = what,
        .breaking = gone,
        .detail = STR_EMPTY,
    };
}

static bool compare_with(struct against *c, struct old_crd *old, struct str document, struct diags *diags)
{
    struct str before = STR_EMPTY;
    old->seen = true;
    c->report.n_compared++;
    if (!read_old(c->scratch, old, diags, &before))
        return false;
    if (str_eq(before, document)) {
        c->report.n_same++;
        return true;
    }
    const struct json *was = parse(c->scratch, before, old->path, diags);
    const struct json *is = was ? parse(c->scratch, document, "the new CRD", diags) : NULL;
    if (!is)
        return false;
    size_t n = c->report.changes.n;
    against_compare(c->arena, c->scratch, was, is, &c->report);
    c->report.n_same += c->report.changes.n == n;
    return true;
}

bool against_add(struct against *c, struct str text, struct diags *diags)
{
    while (text.n > 0) {
        struct str document = next_document(&text), name;
        arena_reset(c->scratch);
        if (!crd_name(c->scratch, document, "the new CRD", diags, &name))
            return false;
        if (name.n == 0)
            continue;
        struct old_crd *old = map_get(&c->old, name);
        if (!old)
            report_kind(c, name, AGAINST_KIND_ADDED);
        else if (!compare_with(c, old, document, diags))
            return false;
    }
    return true;
}

/* --- the report --- */

static int by_place(const void *x, const void *y)
{
    const struct against_change *a = x, *b = y;
    int order = str_cmp(a->crd, b->crd);
    order = order ? order : str_cmp(a->version, b->version);
    order = order ? order : str_cmp(a->path, b->path);
    order = order ? order : (int)a->what - (int)b->what;
    order = order ? order : (int)a->trees - (int)b->trees;
    return order ? order : str_cmp(a->detail, b->detail);
}

void against_finish(struct against *c, bool all, struct against_report *ret)
{
    for (size_t i = 0; all && i < c->old.n; i++)
        if (!((const struct old_crd *)c->old.entries[i].value)->seen)
            report_kind(c, c->old.entries[i].key, AGAINST_KIND_REMOVED);
    struct against_report *r = &c->report;
    if (r->changes.n > 0)
        qsort(r->changes.v, r->changes.n, sizeof *r->changes.v, by_place);
    for (size_t i = 0; i < r->changes.n; i++)
        r->n_breaking += r->changes.v[i].breaking;
    arena_free(c->scratch);
    c->scratch = NULL;
    *ret = *r;
}

static const char *const tree_words[] = {"forProvider", "initProvider", "atProvider"};
enum { N_TREE_WORDS = sizeof tree_words / sizeof tree_words[0] };

static const struct {
    const char *name, *words;
} whats[] = {
    [AGAINST_KIND_ADDED] = {"kind-added", "kind added"},
    [AGAINST_KIND_REMOVED] = {"kind-removed", "kind removed"},
    [AGAINST_FIELD_ADDED] = {"field-added", "added"},
    [AGAINST_FIELD_REMOVED] = {"field-removed", "removed"},
    [AGAINST_FIELD_RETYPED] = {"field-retyped", "retyped"},
    [AGAINST_FIELD_REQUIRED] = {"field-required", "newly required"},
    [AGAINST_FIELD_OPTIONAL] = {"field-optional", "no longer required"},
    [AGAINST_NARROWED] = {"narrowed", "narrower"},
    [AGAINST_WIDENED] = {"widened", "wider"},
    [AGAINST_CHANGED] = {"changed", "changed"},
};

static void write_change(struct buf *out, const struct against_change *c)
{
    buf_printf(out, "%-8s  " STR_FMT "%s" STR_FMT ": ", c->breaking ? "breaking" : "safe", STR_ARG(c->crd),
               c->version.n > 0 ? "/" : "", STR_ARG(c->version));
    buf_printf(out, STR_FMT "%s%s", STR_ARG(c->path), c->path.n > 0 ? ": " : "", whats[c->what].words);
    if (c->detail.n > 0)
        buf_printf(out, ": " STR_FMT, STR_ARG(c->detail));
    for (size_t t = 0, n = 0; c->trees && t < N_TREE_WORDS; t++)
        if (c->trees & 1u << t)
            buf_printf(out, "%s%s", n++ > 0 ? ", " : " (", tree_words[t]);
    buf_addz(out, c->trees ? ")\n" : "\n");
}

void against_write(struct buf *out, const struct against_report *r)
{
    size_t added = 0, removed = 0;
    for (size_t i = 0; i < r->changes.n; i++) {
        write_change(out, &r->changes.v[i]);
        added += r->changes.v[i].what == AGAINST_KIND_ADDED;
        removed += r->changes.v[i].what == AGAINST_KIND_REMOVED;
    }
    buf_printf(out, "%zu kinds compared, %zu without a change; %zu added, %zu removed; %zu breaking changes, %zu others\n",
               r->n_compared, r->n_same, added, removed, r->n_breaking, r->changes.n - r->n_breaking);
}

static void write_change_json(struct json_writer *w, const struct against_change *c)
{
    json_begin_object(w);
    json_key(w, STR("breaking"));
    json_write_bool(w, c->breaking);
    json_put_text(w, "change", str_of(whats[c->what].name));
    json_put_text(w, "crd", c->crd);
    json_put_text(w, "version", c->version);
    json_key(w, STR("trees"));
    json_begin_array(w);
    for (size_t t = 0; t < N_TREE_WORDS; t++)
        if (c->trees & 1u << t)
            json_write_string(w, str_of(tree_words[t]));
    json_end_array(w);
    json_put_text(w, "path", c->path);
    json_put_text(w, "detail", c->detail);
    json_end_object(w);
}

void against_write_json(struct json_writer *w, const struct against_report *r)
{
    json_key(w, STR("compared"));
    json_write_int(w, (int64_t)r->n_compared);
    json_key(w, STR("unchanged"));
    json_write_int(w, (int64_t)r->n_same);
    json_key(w, STR("breaking"));
    json_write_int(w, (int64_t)r->n_breaking);
    json_key(w, STR("changes"));
    json_begin_array(w);
    for (size_t i = 0; i < r->changes.n; i++)
        write_change_json(w, &r->changes.v[i]);
    json_end_array(w);
}
