#include "objects/objects.h"

#include "base/base64.h"
#include "base/map.h"
#include "base/vec.h"
#include "controller/controller.h"
#include "store/sqlite.h"

enum { MAX_NAMES_TEXT = 1 << 20 };

#define RECORD_NAME "kinds"
#define RECORD_KEY "names.json"

/* ---- the store ---- */

const char *objects_folder(struct app *app, const char *given)
{
    const char *own = given ? given : app_environment("TERRANE_STORE");
    const char *xdg = app_environment("XDG_STATE_HOME"), *home = app_environment("HOME");
    if (own)
        return own;
    if (xdg && xdg[0] == '/')
        return arena_printf(app->arena, "%s/terrane", xdg).p;
    if (home)
        return arena_printf(app->arena, "%s/.local/state/terrane", home).p;
    (void)diags_fail(&app->diags, "No folder for the store", "HOME is not set. Say where the store is: --data FOLDER.");
    return NULL;
}

static const struct store_key record_key = {.group = {"", 0},
                                            .kind = {"ConfigMap", 9},
                                            .namespace = {CONTROLLER_NAMESPACE, sizeof CONTROLLER_NAMESPACE - 1},
                                            .name = {RECORD_NAME, sizeof RECORD_NAME - 1}};

/* The stored record; NULL: there is none. */
static const struct json *read_record(struct store *s, struct arena *a)
{
    struct diags ignored;
    const struct json *record = NULL;
    diags_init(&ignored, a);
    return store_get(s, a, &record_key, &ignored, &record) == STORE_OK ? record : NULL;
}

static void read_kinds(struct objects *o)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *record = read_record(o->store, a);
    struct str text = json_text(json_get(json_get(record, "data"), RECORD_KEY), STR_EMPTY);
    const struct json *names = text.n > 0 ? json_parse_lenient(a, text) : NULL;
    if (names)
        (void)kinds_add_names(o->kinds, names);
}

/* The names of the kinds served now, and of earlier ones whose groups are not served now: objects of these may still exist. */
static const struct json *all_names(struct arena *a, const struct kinds *kinds, const struct json *record)
{
    struct str text = json_text(json_get(json_get(record, "data"), RECORD_KEY), STR_EMPTY);
    const struct json *now = kinds_names(kinds, a), *old = text.n > 0 ? json_parse_lenient(a, text) : NULL;
    VEC(const struct json *) names = {0};
    for (size_t i = 0; i < now->array.n; i++)
        *VEC_PUSH(a, &names) = now->array.items[i];
    struct kinds *before = kinds_new();
    size_t n_plain = kinds_all(before).n;
    if (old && kinds_add_names(before, old)) /* in the same order, after the plain kinds */
        for (size_t i = 0; i < old->array.n; i++)
            if (!kinds_serve_group(kinds, kinds_all(before).v[n_plain + i]->group))
                *VEC_PUSH(a, &names) = old->array.items[i];
    kinds_free(before);
    return json_make_array(a, names.v, names.n);
}

bool objects_record_kinds(struct store *s, const struct kinds *kinds, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(MAX_NAMES_TEXT);
    struct json_writer w = {.out = &text};
    const struct json *old = read_record(s, a), *made = NULL;
    json_write(&w, all_names(a, kinds, old));
    if (!json_finish(&w) || !buf_ok(&text)) /* larger than an object can be: commands use the names of before */
        return true;
    if (str_eq(json_text(json_get(json_get(old, "data"), RECORD_KEY), STR_EMPTY), buf_str(&text)))
        return true;
    const struct json *data =
        json_make_object(a, &(struct json_member){.key = STR(RECORD_KEY), .value = json_make_string(a, buf_str(&text))}, 1);
    const struct json *fresh =
        json_parse(a,
                   STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"" CONTROLLER_NAMESPACE
                       "\",\"name\":\"" RECORD_NAME "\"}}"),
                   "record", diags);
    const struct json *record = object_with(a, old ? old : fresh, "data", data);
    return (old ? store_update(s, a, record, diags, &made) : store_create(s, a, record, diags, &made)) == STORE_OK;
}

bool objects_open(struct objects *o, struct app *app, const struct objects_options *options)
{
    *o = (struct objects){.app = app, .options = options, .folder = objects_folder(app, options->data)};
    if (!o->folder)
        return false;
    if (options->selector) {
        if (!selector_parse(app->arena, str_of(options->selector), &app->diags, &o->selector))
            return false;
        o->selected = &o->selector;
    }
    o->store = store_sqlite_open(o->folder, &(struct store_sqlite_options){.visit = true}, &app->diags);
    if (!o->store)
        return false;
    o->kinds = kinds_new();
    read_kinds(o);
    return true;
}

void objects_close(struct objects *o)
{
    kinds_free(o->kinds);
    store_close(o->store);
}

/* ---- what a command line names ---- */

static bool unknown_kind(struct objects *o, struct str word)
{
    struct str meant = kinds_closest(o->kinds, o->app->arena, word);
    if (meant.n > 0)
        return diags_fail(&o->app->diags, "Unknown kind",
                          "There is no kind \"" STR_FMT "\" in this store. Did you mean \"" STR_FMT "\"?", STR_ARG(word),
                          STR_ARG(meant));
    return diags_fail(&o->app->diags, "Unknown kind",
                      "There is no kind \"" STR_FMT
                      "\" in this store. It has the kinds of the providers that `terrane up` last used.",
                      STR_ARG(word));
}

typedef VEC(const struct kind *) kind_list;

static bool add_kinds(struct objects *o, struct str words, kind_list *list)
{
    while (words.n > 0) {
        struct str word = str_cut(&words, ',');
        struct kinds_list named = kinds_named(o->kinds, o->app->arena, word);
        bool is_all = str_eq_nocase(word, STR("all")) || str_eq_nocase(word, STR("managed"));
        if (named.n == 0 && !is_all)
            return unknown_kind(o, word);
        for (size_t i = 0; i < named.n; i++)
            *VEC_PUSH(o->app->arena, list) = named.v[i];
    }
    return true;
}

bool objects_understand(struct objects *o, const char *const *words, size_t n, struct objects_meant *ret, size_t *ret_used)
{
    kind_list kinds = {0};
    VEC(struct str) names = {0};
    struct str name = str_of(words[0]), kind = str_cut(&name, '/');
    bool has_slash = strchr(words[0], '/') != NULL;
    size_t used = 1;
    if (!add_kinds(o, kind, &kinds))
        return false;
    if (has_slash && name.n == 0)
        return diags_fail(&o->app->diags, "Name is missing", "\"%s\" has no name after the slash.", words[0]);
    if (has_slash)
        *VEC_PUSH(o->app->arena, &names) = name;
    for (; !has_slash && used < n; used++)
        *VEC_PUSH(o->app->arena, &names) = str_of(words[used]);
    *ret = (struct objects_meant){kinds.v, kinds.n, names.v, names.n};
    *ret_used = used;
    return true;
}

/* ---- finding objects ---- */

struct str objects_namespace(const struct objects *o, const struct kind *kind)
{
    if (!kind->namespaced || o->options->everywhere)
        return STR_EMPTY;
    return o->options->namespace ? str_of(o->options->namespace) : STR(OBJECTS_NAMESPACE);
}

struct finding {
    struct objects *o;
    const struct objects_meant *meant;
    objects_each_fn *each;
    void *ctx;
};

static const struct kind *kind_among(const struct finding *f, const struct json *object)
{
    const struct kind *kind = kinds_of_object(f->o->kinds, object);
    for (size_t i = 0; kind && i < f->meant->n_kinds; i++)
        if (f->meant->kinds[i] == kind)
            return kind;
    return NULL;
}

static bool take(void *ctx, struct arena *a, const struct json *object)
{
    struct finding *f = ctx;
    const struct kind *kind = kind_among(f, object);
    struct str namespace = kind ? objects_namespace(f->o, kind) : STR_EMPTY;
    if (!kind || (namespace.n > 0 && !str_eq(namespace, object_metadata_text(object, "namespace"))))
        return true;
    return f->each(f->ctx, a, kind, object);
}

bool objects_each(struct objects *o, const struct objects_meant *meant, objects_each_fn *each, void *ctx)
{
    struct finding f = {o, meant, each, ctx};
    struct store_query query = {.selector = o->selected};
    struct str version;
    if (meant->n_kinds == 0)
        return true;
    if (meant->n_kinds == 1) { /* with several kinds, one list of all objects is faster: there may be thousands of kinds */
        query.group = meant->kinds[0]->group;
        query.kind = meant->kinds[0]->kind;
        query.namespace = objects_namespace(o, meant->kinds[0]);
    }
    return store_list(o->store, o->app->arena, &query, take, &f, &o->app->diags, &version) == STORE_OK;
}

struct elsewhere {
    struct arena *arena;
    struct str name, namespace; /* of the first one */
    size_t n;
};

static bool see_name(void *ctx, const struct store_key *key)
{
    struct elsewhere *e = ctx;
    if (str_eq(key->name, e->name) && e->n++ == 0)
        e->namespace = arena_str(e->arena, key->namespace);
    return false; /* the object itself is not needed */
}

static bool take_name(void *ctx, struct arena *a, const struct json *object)
{
    struct store_key key = object_key(object);
    (void)a;
    (void)see_name(ctx, &key);
    return true;
}

/* People forget -n: says where there is one of that name. */
static struct str found_elsewhere(struct objects *o, const struct objects_meant *meant, struct str name)
{
    struct elsewhere e = {.arena = o->app->arena, .name = name};
    struct diags ignored;
    struct str version;
    diags_init(&ignored, o->app->arena);
    for (size_t i = 0; i < meant->n_kinds; i++)
        (void)store_list(o->store, o->app->arena,
                         &(struct store_query){.group = meant->kinds[i]->group, .kind = meant->kinds[i]->kind, .wants = see_name},
                         take_name, &e, &ignored, &version);
    if (e.n == 0)
        return STR(".");
    return arena_printf(o->app->arena, ". There is one in namespace " STR_FMT "%s (-n " STR_FMT ").", STR_ARG(e.namespace),
                        e.n > 1 ? ", and in others" : "", STR_ARG(e.namespace));
}

static bool not_found(struct objects *o, const struct objects_meant *meant, struct str name)
{
    const struct kind *kind = meant->kinds[0];
    struct str namespace = objects_namespace(o, kind);
    struct str title = meant->n_kinds > 1 || kind->group.n == 0
                           ? kind->kind
                           : arena_printf(o->app->arena, STR_FMT "." STR_FMT, STR_ARG(kind->kind), STR_ARG(kind->group));
    const char *where = namespace.n == 0 ? "" : meant->n_kinds == 1 ? " in namespace " : ", cluster-scoped or in namespace ";
    struct str elsewhere = namespace.n > 0 ? found_elsewhere(o, meant, name) : STR(".");
    return diags_fail(&o->app->diags, "Object does not exist", "There is no " STR_FMT " \"" STR_FMT "\"%s" STR_FMT STR_FMT,
                      STR_ARG(title), STR_ARG(name), where, STR_ARG(namespace), STR_ARG(elsewhere));
}

const struct json *objects_get(struct objects *o, const struct objects_meant *meant, struct str name, bool quiet,
                               const struct kind **ret_kind)
{
    for (size_t i = 0; i < meant->n_kinds; i++) {
        const struct kind *kind = meant->kinds[i];
        struct store_key key = {kind->group, kind->kind, objects_namespace(o, kind), name};
        struct diags unread;
        const struct json *found = NULL;
        diags_init(&unread, o->app->arena);
        enum store_result result = store_get(o->store, o->app->arena, &key, &unread, &found);
        if (result == STORE_OK) {
            *ret_kind = kind;
            return found;
        }
        if (result != STORE_NOT_FOUND) {
            diags_append(&o->app->diags, &unread);
            return NULL;
        }
    }
    if (!quiet && meant->n_kinds > 0)
        (void)not_found(o, meant, name);
    return NULL;
}

struct counting {
    objects_each_fn *each;
    void *ctx;
    size_t n;
    bool failed;
};

static bool count_one(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    struct counting *c = ctx;
    c->n++;
    c->failed = !c->each(c->ctx, a, kind, object) || c->failed;
    return !c->failed;
}

bool objects_each_word(struct objects *o, int n, const char **words, objects_each_fn *each, void *ctx)
{
    struct counting c = {.each = each, .ctx = ctx};
    bool ok = true;
    for (size_t at = 0, used = 0; at < (size_t)n; at += used) {
        struct objects_meant meant = {0};
        if (!objects_understand(o, words + at, (size_t)n - at, &meant, &used))
            return false;
        if (meant.n_names == 0)
            ok = objects_each(o, &meant, count_one, &c) && ok;
        for (size_t i = 0; i < meant.n_names; i++) {
            const struct kind *kind = NULL;
            const struct json *object = objects_get(o, &meant, meant.names[i], false, &kind);
            ok = object && count_one(&c, o->app->arena, kind, object) && ok;
        }
    }
    if (ok && c.n == 0)
        app_say(o->app, "No objects found.\n");
    return ok && !c.failed;
}

enum kind_role objects_role(const struct kinds *kinds, const struct store_key *key)
{
    const struct kind *kind = kinds_find(kinds, key->group, key->kind);
    return kind ? kind->role : KIND_MANAGED;
}

struct str objects_name(struct arena *a, const struct json *object)
{
    struct store_key key = object_key(object);
    struct str kind = arena_lower(a, key.kind);
    return arena_printf(a, STR_FMT "%s" STR_FMT "/" STR_FMT, STR_ARG(kind), key.group.n > 0 ? "." : "", STR_ARG(key.group),
                        STR_ARG(key.name));
}
