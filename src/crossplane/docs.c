#include "crossplane/docs.h"

#include "yaml/yaml.h"

enum { MAX_TEXT = 1 << 20 };

struct xp_docs {
    const struct json *resources;
};

const struct xp_docs *xp_docs_read(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    const struct json *file = yaml_parse(a, text, source, diags);
    if (!file)
        return NULL;
    const struct json *resources = json_get(file, "resources");
    if (!resources || resources->kind != JSON_OBJECT) {
        (void)diags_fail(diags, "Not documentation", "%s has no \"resources\", as provider-metadata.yaml has.", source);
        return NULL;
    }
    struct xp_docs *d = arena_make(a, struct xp_docs);
    d->resources = resources;
    return d;
}

static struct str last_name(struct str path)
{
    size_t dot = path.n;
    while (dot > 0 && path.p[dot - 1] != '.')
        dot--;
    return str_slice(path, dot, path.n);
}

/* The length of the common suffix; 0 unless the last names are equal. */
static size_t common_end(struct str a, struct str b)
{
    size_t n = 0;
    if (!str_eq(last_name(a), last_name(b)))
        return 0;
    while (n < a.n && n < b.n && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
        n++;
    return n;
}

static struct str find(const struct json *arguments, struct str path)
{
    const struct json *found = json_get_str(arguments, path);
    if (!found)
        found = json_get_str(arguments, last_name(path));
    size_t longest = 0;
    for (size_t i = 0; !found && arguments && arguments->kind == JSON_OBJECT && i < arguments->object.n; i++)
        longest = common_end(arguments->object.members[i].key, path) > longest
                      ? common_end(arguments->object.members[i].key, path)
                      : longest;
    for (size_t i = 0; longest > 0 && !found && i < arguments->object.n; i++)
        if (common_end(arguments->object.members[i].key, path) == longest)
            found = arguments->object.members[i].value;
    return json_text(found, STR_EMPTY);
}

static bool speaks_of_terraform(struct str s)
{
    static const char word[] = "terraform";
    for (size_t i = 0; i + sizeof word - 1 <= s.n; i++) {
        size_t n = 0;
        while (word[n] && (s.p[i + n] | 0x20) == word[n])
            n++;
        if (!word[n])
            return true;
    }
    return false;
}

/* Cuts off the first sentence, including its full stop, which is followed by a blank or the end. */
static struct str cut_sentence(struct str *rest)
{
    size_t n = 0;
    while (n < rest->n && !(rest->p[n] == '.' && (n + 1 == rest->n || rest->p[n + 1] == ' ' || rest->p[n + 1] == '\n')))
        n++;
    n = n < rest->n ? n + 1 : n;
    struct str sentence = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return sentence;
}

struct str xp_docs_describe(const struct xp_docs *d, struct arena *a, struct str type, struct str path, struct str schema_text)
{
    struct str text = find(json_get(json_get_str(d->resources, type), "argumentDocs"), path);
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    while (text.n > 0) {
        struct str sentence = cut_sentence(&text);
        if (!speaks_of_terraform(sentence))
            buf_add(&out, sentence);
    }
    struct str said = str_trim(buf_str(&out));
    if (said.n == 0 || str_eq(said, str_trim(schema_text)))
        return schema_text;
    return arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(said), schema_text.n > 0 ? "\n" : "", STR_ARG(schema_text));
}
