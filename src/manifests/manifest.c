#include "manifests/manifest.h"

#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"
#include "store/object.h"
#include "yaml/yaml.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

struct reading {
    struct arena *a;
    const char *source;
    struct diags *diags;
    struct manifests *list;
    size_t first; /* number of manifests before this text */
};

static bool fail(const struct reading *r, const struct json *at, const char *what, struct str name)
{
    return diags_fail(r->diags, "Invalid manifest", "%s:%" PRIu32 ":%" PRIu32 ": %s" STR_FMT ".", r->source, at->line, at->column,
                      what, STR_ARG(name));
}

static const char *kind_of_value(const struct json *j)
{
    static const char *const names[] = {
        [JSON_NULL] = "nothing",    [JSON_BOOL] = "a bool",  [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string", [JSON_ARRAY] = "a list", [JSON_OBJECT] = "an object",
    };
    return names[j->kind];
}

/* Checks that a member is a non-empty string. */
static bool check_text(const struct reading *r, const struct json *in, const char *key, const char *example)
{
    const struct json *value = json_get(in, key);
    if (value && value->kind == JSON_STRING && value->text.n > 0)
        return true;
    const char *what = !value ? "missing" : value->kind == JSON_STRING ? "empty" : kind_of_value(value);
    struct str found = arena_printf(r->a, "%s is %s; expected a string, such as %s", key, what, example);
    return fail(r, value ? value : in, "", found);
}

static bool check_metadata(const struct reading *r, const struct json *object)
{
    const struct json *metadata = json_get(object, "metadata");
    if (!metadata || metadata->kind != JSON_OBJECT)
        return fail(r, metadata ? metadata : object, "metadata must be an object with the name", STR_EMPTY);
    if (!json_get(metadata, "name") && json_get(metadata, "generateName"))
        return fail(r, metadata, "an object that is kept in a file needs metadata.name, and has metadata.generateName only",
                    STR_EMPTY);
    const struct json *namespace = json_get(metadata, "namespace");
    if (namespace && namespace->kind != JSON_STRING)
        return fail(r, namespace, "metadata.namespace must be a string", STR_EMPTY);
    return check_text(r, metadata, "name", "name: web");
}

static bool add_object(const struct reading *r, const struct json *object)
{
    if (!check_metadata(r, object))
        return false;
    *VEC_PUSH(r->a, r->list) = (struct manifest){
        .source = r->source, .line = object->line, .column = object->column, .object = object, .key = object_key(object)};
    return true;
}

static bool add(const struct reading *r, const struct json *document, int depth);

static bool add_items(const struct reading *r, const struct json *list, const struct json *items, int depth)
{
    bool ok = true;
    if (depth == MANIFEST_MAX_LIST_DEPTH)
        return fail(r, list, "lists within lists are nested too deeply", STR_EMPTY);
    for (size_t i = 0; i < items->array.n; i++)
        ok = add(r, items->array.items[i], depth + 1) && ok;
    return ok;
}

static bool add(const struct reading *r, const struct json *document, int depth)
{
    if (document->kind != JSON_OBJECT)
        return fail(r, document, "expected an object with apiVersion, kind and metadata, found ",
                    str_of(kind_of_value(document)));
    if (r->list->n - r->first == MANIFEST_MAX_DOCUMENTS)
        return fail(r, document, "", arena_printf(r->a, "more than %d objects in one file", MANIFEST_MAX_DOCUMENTS));
    if (!check_text(r, document, "apiVersion", "apiVersion: v1") || !check_text(r, document, "kind", "kind: Secret"))
        return false;
    const struct json *items = json_get(document, "items");
    if (str_ends(object_kind(document), STR("List")) && items && items->kind == JSON_ARRAY)
        return add_items(r, document, items, depth);
    return add_object(r, document);
}

/* Does the text look like JSON? A .json file with other content is read as YAML. */
static bool is_json(struct str text)
{
    text = str_trim(text);
    return str_starts(text, STR("{")) || str_starts(text, STR("["));
}

bool manifests_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct manifests *list)
{
    struct reading r = {a, source, diags, list, list->n};
    struct str mark = STR("\xef\xbb\xbf"); /* some editors write a byte order mark */
    if (str_starts(text, mark))
        text = str_slice(text, mark.n, text.n);
    /* JSON is also YAML, but the JSON parser reports errors and their places better. */
    if (str_ends(str_of(source), STR(".json")) && is_json(text)) {
        const struct json *document = json_parse(a, text, source, diags);
        return document && add(&r, document, 0);
    }
    struct yaml_documents documents;
    if (!yaml_parse_all(a, text, source, diags, &documents))
        return false;
    bool ok = true;
    for (size_t i = 0; i < documents.n; i++)
        ok = add(&r, documents.v[i], 0) && ok;
    return ok;
}

bool manifests_read(struct arena *a, const char *path, struct diags *diags, struct manifests *list)
{
    struct str text = STR_EMPTY;
    if (strcmp(path, "-") == 0)
        return file_read_input(a, MANIFEST_MAX_FILE, diags, &text) && manifests_parse(a, text, "standard input", diags, list);
    return file_read(a, path, MANIFEST_MAX_FILE, diags, &text) &&
           manifests_parse(a, text, arena_str(a, str_of(path)).p, diags, list);
}

struct str manifest_place(struct arena *a, const struct manifest *m)
{
    return arena_printf(a, "%s:%" PRIu32 ":%" PRIu32, m->source, m->line, m->column);
}
