#include "manifests/project.h"

#include "base/duration.h"
#include "base/file.h"
#include "base/map.h"
#include "manifests/folder.h"
#include "yaml/yaml.h"

#include <inttypes.h>

struct reading {
    struct arena *a;
    const char *source, *folder;
    struct diags *diags;
};

static bool fail(const struct reading *r, uint32_t line, uint32_t column, struct str what)
{
    return diags_fail(r->diags, "Invalid " FOLDER_PROJECT, "%s:%" PRIu32 ":%" PRIu32 ": " STR_FMT "%s", r->source, line, column,
                      STR_ARG(what), str_ends(what, STR("?")) ? "" : ".");
}

static bool wrong_value(const struct reading *r, const struct json *at, const char *expected)
{
    return fail(r, at->line, at->column, arena_printf(r->a, "expected %s", expected));
}

/* Checks that all members are known. `names` ends with NULL. */
static bool check_members(const struct reading *r, const struct json *object, const char *const *names)
{
    struct map known;
    map_init(&known, r->a);
    for (; *names; names++)
        map_put(&known, str_of(*names), r->a);
    bool ok = true;
    for (size_t i = 0; i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        if (map_get(&known, m->key))
            continue;
        struct str meant = map_closest(&known, m->key);
        struct str said = meant.n > 0 ? arena_printf(r->a, "unknown setting \"" STR_FMT "\"; did you mean \"" STR_FMT "\"?",
                                                     STR_ARG(m->key), STR_ARG(meant))
                                      : arena_printf(r->a, "unknown setting \"" STR_FMT "\"", STR_ARG(m->key));
        ok = fail(r, m->line, m->column, said);
    }
    return ok;
}

static bool take_text(const struct reading *r, const struct json *in, const char *key, struct str *ret)
{
    const struct json *j = json_get(in, key);
    if (!j)
        return true;
    if (j->kind != JSON_STRING || j->text.n == 0)
        return wrong_value(r, j, arena_printf(r->a, "a string for \"%s\"", key).p);
    *ret = arena_str(r->a, j->text);
    return true;
}

static bool is_relative_path(struct str s)
{
    return str_starts(s, STR("./")) || str_starts(s, STR("../"));
}

static const char *from_folder(const struct reading *r, struct str path)
{
    return str_starts(path, STR("/")) ? arena_str(r->a, path).p : arena_printf(r->a, "%s/" STR_FMT, r->folder, STR_ARG(path)).p;
}

static bool read_provider(const struct reading *r, const struct json *j, struct project_provider *ret)
{
    static const char *const names[] = {"source", "version", "config", NULL};
    struct project_provider p = {.source = STR_EMPTY, .version = STR_EMPTY};
    struct str config = STR_EMPTY;
    if (j->kind != JSON_OBJECT)
        return wrong_value(r, j, "an object with \"source\", such as {source: hashicorp/aws}");
    if (!check_members(r, j, names) || !take_text(r, j, "source", &p.source) || !take_text(r, j, "version", &p.version) ||
        !take_text(r, j, "config", &config))
        return false;
    if (p.source.n == 0)
        return wrong_value(r, j, "\"source\": an address such as hashicorp/aws, or the path of a binary");
    if (is_relative_path(p.source))
        p.source = str_of(from_folder(r, p.source));
    p.config = config.n > 0 ? from_folder(r, config) : NULL;
    *ret = p;
    return true;
}

static bool read_providers(const struct reading *r, const struct json *j, struct project *p)
{
    if (!j)
        return true;
    if (j->kind != JSON_ARRAY || j->array.n > PROJECT_MAX_PROVIDERS)
        return wrong_value(r, j, arena_printf(r->a, "a list of at most %d providers", PROJECT_MAX_PROVIDERS).p);
    p->providers = arena_make_n(r->a, struct project_provider, j->array.n);
    for (; p->n_providers < j->array.n; p->n_providers++)
        if (!read_provider(r, j->array.items[p->n_providers], &p->providers[p->n_providers]))
            return false;
    return true;
}

static bool read_settings(const struct reading *r, const struct json *j, struct project *p)
{
    const struct json *scheduler = json_get(j, "scheduler"), *poll = json_get(j, "poll"), *prune = json_get(j, "prune");
    const struct json *install = json_get(j, "auto_install");
    p->scheduler = json_text(scheduler, STR_EMPTY);
    if (scheduler && !str_eqz(p->scheduler, "grpc") && !str_eqz(p->scheduler, "cli"))
        return wrong_value(r, scheduler, "grpc or cli");
    if (poll && (!duration_parse(json_text(poll, STR_EMPTY), &p->poll_ns) || p->poll_ns <= 0))
        return wrong_value(r, poll, "a duration for \"poll\", such as 10m");
    if (prune && prune->kind != JSON_BOOL)
        return wrong_value(r, prune, "true or false for \"prune\"");
    if (install && install->kind != JSON_BOOL)
        return wrong_value(r, install, "true or false for \"auto_install\"");
    p->prune = json_bool(prune, false);
    p->auto_install = json_bool(install, false);
    return true;
}

static bool read_texts(const struct reading *r, const struct json *in, const char *key, struct project_texts *ret)
{
    const struct json *j = json_get(in, key);
    if (!j)
        return true;
    if (j->kind != JSON_ARRAY || j->array.n > PROJECT_MAX_PATTERNS)
        return wrong_value(r, j, arena_printf(r->a, "a list of at most %d patterns for \"%s\"", PROJECT_MAX_PATTERNS, key).p);
    ret->v = arena_make_n(r->a, const char *, j->array.n);
    for (; ret->n < j->array.n; ret->n++) {
        const struct json *item = j->array.items[ret->n];
        if (item->kind != JSON_STRING || item->text.n == 0)
            return wrong_value(r, item, "a pattern as aws_s3_*");
        ret->v[ret->n] = arena_str(r->a, item->text).p;
    }
    return true;
}

static bool read_file(const struct reading *r, const char *const *names, struct project *ret)
{
    struct project p = {.scheduler = STR_EMPTY};
    struct str text;
    if (!file_read(r->a, r->source, PROJECT_MAX_FILE, r->diags, &text))
        return false;
    const struct json *j = yaml_parse(r->a, text, r->source, r->diags);
    if (!j)
        return false;
    if (j->kind != JSON_NULL && j->kind != JSON_OBJECT)
        return wrong_value(r, j, "an object with settings");
    if (j->kind == JSON_OBJECT &&
        (!check_members(r, j, names) || !read_providers(r, json_get(j, "providers"), &p) || !read_settings(r, j, &p) ||
         !read_texts(r, j, "only", &p.only) || !read_texts(r, j, "activate", &p.activate)))
        return false;
    *ret = p;
    return true;
}

bool project_read(struct arena *a, const char *folder, struct diags *diags, struct project *ret)
{
    static const char *const names[] = {"providers", "scheduler", "poll", "prune", "auto_install", NULL};
    struct reading r = {a, arena_printf(a, "%s/" FOLDER_PROJECT, folder).p, folder, diags};
    if (file_exists(r.source))
        return read_file(&r, names, ret);
    *ret = (struct project){.scheduler = STR_EMPTY};
    return true;
}

bool project_read_settings(struct arena *a, const char *path, struct diags *diags, struct project *ret)
{
    static const char *const names[] = {"providers", "scheduler", "poll", "only", "activate", NULL};
    const char *slash = strrchr(path, '/');
    const char *folder = !slash ? "." : slash == path ? "/" : arena_str(a, str_slice(str_of(path), 0, (size_t)(slash - path))).p;
    struct reading r = {a, path, folder, diags};
    return read_file(&r, names, ret);
}
