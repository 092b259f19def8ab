/* terrane get: shows objects of a store, as a table, JSON or YAML. */
#include "base/terminal.h"
#include "managed/object.h"
#include "objects/await.h"
#include "objects/events.h"
#include "objects/objects.h"
#include "objects/table.h"
#include "yaml/yaml.h"

#include <unistd.h>

struct getting {
    struct objects *o;
    const char *output;
    bool several; /* output is a list, not one object */
    size_t n;
    /* One table per kind: */
    struct table table;
    const struct kind *kind; /* of the current table */
    bool many_kinds;
    struct buf text;
    struct json_writer json;
    bool follows; /* also show changes (--watch) */
};

static bool is_wide(const struct getting *g)
{
    return g->output && strcmp(g->output, "wide") == 0;
}

/* ---- tables ---- */

struct column {
    const char *title;
    struct str (*cell)(struct getting *g, struct arena *a, const struct json *object);
};

static struct str condition_status(const struct json *object, const char *type)
{
    struct managed_condition c;
    return managed_condition(object, type, &c) ? c.status : STR_EMPTY;
}

static struct str cell_synced(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return condition_status(object, "Synced");
}

static struct str cell_ready(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return condition_status(object, "Ready");
}

static struct str cell_external_name(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return managed_annotation(object, MANAGED_EXTERNAL_NAME);
}

static struct str cell_config(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return managed_provider_config(object);
}

/* Why the object is not synced or ready. */
static struct str cell_message(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    static const char *const types[] = {"Synced", "Ready"};
    struct managed_condition c;
    for (size_t i = 0; i < 2; i++)
        if (managed_condition(object, types[i], &c) && !str_eqz(c.status, "True"))
            return c.message.n > 0 ? c.message : c.reason;
    return STR_EMPTY;
}

static struct str cell_age(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g;
    int64_t since = 0;
    if (!managed_time_parse(object_metadata_text(object, "creationTimestamp"), &since))
        since = 0;
    return table_age(a, since, system_clock.wall_ns(&system_clock));
}

static struct str cell_type(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return json_text(json_get(object, "type"), STR("Opaque"));
}

static struct str cell_data(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g;
    size_t n = managed_count(json_get(object, "data")) + managed_count(json_get(object, "binaryData"));
    return arena_printf(a, "%zu", n);
}

static struct str cell_active(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return object_is_being_deleted(object) ? STR("Terminating") : STR("Active");
}

static struct str cell_used_config(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return managed_text(managed_at(object, "providerConfigRef", "name", NULL));
}

static struct str cell_used_kind(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return managed_text(managed_at(object, "resourceRef", "kind", NULL));
}

static struct str cell_used_name(struct getting *g, struct arena *a, const struct json *object)
{
    (void)g, (void)a;
    return managed_text(managed_at(object, "resourceRef", "name", NULL));
}

static const struct column managed_columns[] = {
    {"SYNCED", cell_synced}, {"READY", cell_ready}, {"EXTERNAL-NAME", cell_external_name}, {"AGE", cell_age}, {0}};
static const struct column wide_columns[] = {{"SYNCED", cell_synced},
                                             {"READY", cell_ready},
                                             {"EXTERNAL-NAME", cell_external_name},
                                             {"AGE", cell_age},
                                             {"PROVIDER-CONFIG", cell_config},
                                             {"MESSAGE", cell_message},
                                             {0}};
static const struct column usage_columns[] = {{"AGE", cell_age},
                                              {"CONFIG-NAME", cell_used_config},
                                              {"RESOURCE-KIND", cell_used_kind},
                                              {"RESOURCE-NAME", cell_used_name},
                                              {0}};
static const struct column secret_columns[] = {{"TYPE", cell_type}, {"DATA", cell_data}, {"AGE", cell_age}, {0}};
static const struct column map_columns[] = {{"DATA", cell_data}, {"AGE", cell_age}, {0}};
static const struct column namespace_columns[] = {{"STATUS", cell_active}, {"AGE", cell_age}, {0}};
static const struct column age_columns[] = {{"AGE", cell_age}, {0}};

static const struct column *columns_of(const struct getting *g, const struct kind *kind)
{
    switch (kind->role) {
    case KIND_MANAGED:
        return is_wide(g) ? wide_columns : managed_columns;
    case KIND_USAGE:
        return usage_columns;
    case KIND_CONFIG:
        return age_columns;
    case KIND_PLAIN:
        break;
    }
    if (object_is_secret(kind->group, kind->kind))
        return secret_columns;
    return str_eqz(kind->kind, "ConfigMap") ? map_columns : str_eqz(kind->kind, "Namespace") ? namespace_columns : age_columns;
}

static bool print_table(struct getting *g)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    bool is_first = g->text.n == 0;
    if (g->table.lines.n == 0)
        return true;
    buf_addz(&g->text, "."); /* something was printed */
    if (!is_first)
        buf_addc(&out, '\n');
    table_write(&out, &g->table, 0);
    return app_print(g->o->app, buf_str(&out));
}

static bool add_row(struct getting *g, struct arena *a, const struct kind *kind, const struct json *object)
{
    const struct column *columns = columns_of(g, kind);
    struct str cells[TABLE_COLUMNS];
    size_t n = 0;
    bool shows_namespace = g->o->options->everywhere && (kind->namespaced || g->many_kinds);
    if (kind != g->kind && !(g->follows && g->kind)) { /* with --watch there is only one table */
        if (!print_table(g))
            return false;
        g->kind = kind;
        table_begin(&g->table, g->o->app->arena, terminal_columns(STDOUT_FILENO));
        if (shows_namespace)
            cells[n++] = STR("NAMESPACE");
        cells[n++] = STR("NAME");
        for (const struct column *c = columns; c->title; c++)
            cells[n++] = str_of(c->title);
        table_add(&g->table, cells, n);
        n = 0;
    }
    if (shows_namespace)
        cells[n++] = object_metadata_text(object, "namespace");
    cells[n++] = g->many_kinds ? objects_name(a, object) : object_metadata_text(object, "name");
    for (const struct column *c = columns; c->title; c++)
        cells[n++] = c->cell(g, a, object);
    table_add(&g->table, cells, n);
    return true;
}

/* ---- objects ---- */

static bool print_yaml_item(struct getting *g, const struct json *object)
{
    struct buf item BUF_AUTO = BUF_INIT(APP_MAX_TEXT), out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!g->several)
        yaml_write(&out, object);
    else
        yaml_write(&item, json_make_array(g->o->app->arena, &object, 1));
    if (item.n > 0 && g->n == 1)
        buf_addc(&out, '\n'); /* after "items:" */
    buf_add(&out, buf_str(&item));
    return app_print(g->o->app, buf_str(&out));
}

static bool print_name(struct getting *g, struct arena *a, const struct json *object)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    buf_add(&out, objects_name(a, object));
    buf_addc(&out, '\n');
    return app_print(g->o->app, buf_str(&out));
}

/* Prints a changed object: a row below the others, or the whole object as another document. */
static bool print_change(struct getting *g, struct arena *a, const struct kind *kind, const struct json *object)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!g->output || is_wide(g)) {
        if (g->kind)
            table_go_on(&g->table, a);
        if (!add_row(g, a, kind, object))
            return false;
        table_write(&out, &g->table, 0);
    } else if (strcmp(g->output, "yaml") == 0) {
        buf_addz(&out, "---\n");
        yaml_write(&out, object);
    } else if (strcmp(g->output, "json") == 0) {
        struct json_writer w = {.out = &out, .indent = 4};
        json_write(&w, object);
        if (!json_finish(&w))
            return false;
        buf_addc(&out, '\n');
    } else {
        return print_name(g, a, object);
    }
    return app_print(g->o->app, buf_str(&out));
}

static bool print_one(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    struct getting *g = ctx;
    g->n++;
    if (!g->output || is_wide(g))
        return add_row(g, a, kind, object);
    if (g->follows)
        return print_change(g, a, kind, object);
    if (strcmp(g->output, "name") == 0)
        return print_name(g, a, object);
    if (strcmp(g->output, "yaml") == 0)
        return print_yaml_item(g, object);
    json_write(&g->json, object);
    return !g->json.failed;
}

/* `-o json` of several objects is a List, whose items are written one by one. */
static bool begin_output(struct getting *g)
{
    bool json = g->output && strcmp(g->output, "json") == 0, yaml = g->output && strcmp(g->output, "yaml") == 0;
    g->json = (struct json_writer){.out = &g->text, .flush = app_flush, .ctx = g->o->app, .indent = 4};
    if (yaml && g->several)
        return app_print(g->o->app, STR("apiVersion: v1\nkind: List\nmetadata:\n  resourceVersion: \"\"\nitems:"));
    if (!json || !g->several)
        return true;
    json_begin_object(&g->json);
    json_key(&g->json, STR("apiVersion"));
    json_write_string(&g->json, STR("v1"));
    json_key(&g->json, STR("items"));
    json_begin_array(&g->json);
    return true;
}

static bool end_output(struct getting *g)
{
    bool json = g->output && strcmp(g->output, "json") == 0, yaml = g->output && strcmp(g->output, "yaml") == 0;
    if (yaml && g->several && g->n == 0)
        return app_print(g->o->app, STR(" []\n"));
    if (json && g->several) {
        json_end_array(&g->json);
        json_key(&g->json, STR("kind"));
        json_write_string(&g->json, STR("List"));
        json_key(&g->json, STR("metadata"));
        json_begin_object(&g->json);
        json_key(&g->json, STR("resourceVersion"));
        json_write_string(&g->json, STR_EMPTY);
        json_end_object(&g->json);
        json_end_object(&g->json);
    }
    if (json)
        return json_finish(&g->json) && app_print(g->o->app, STR("\n"));
    return g->output && !is_wide(g) ? true : print_table(g);
}

static void say_nothing_found(struct getting *g, const struct objects_meant *meant)
{
    bool namespaced = meant->n_kinds > 0 && meant->kinds[0]->namespaced && !g->o->options->everywhere;
    struct str namespace = namespaced ? objects_namespace(g->o, meant->kinds[0]) : STR_EMPTY;
    if (namespace.n > 0)
        app_say(g->o->app, "No objects found in namespace " STR_FMT "; -A shows those of all namespaces.\n", STR_ARG(namespace));
    else
        app_say(g->o->app, "No objects found.\n");
}

/* Names one after the other: a missing object is an error, the others are shown. */
static bool get_named(struct getting *g, const struct objects_meant *meant)
{
    bool ok = true;
    for (size_t i = 0; i < meant->n_names; i++) {
        const struct kind *kind = NULL;
        const struct json *object = objects_get(g->o, meant, meant->names[i], false, &kind);
        ok = object && print_one(g, g->o->app->arena, kind, object) && ok;
    }
    return ok;
}

struct kinds_seen {
    const struct kind *first;
    bool several;
};

static bool see_kind(void *ctx, struct arena *a, const struct kind *kind, const struct json *object)
{
    (void)a, (void)object;
    struct kinds_seen *seen = ctx;
    seen->several = seen->first && seen->first != kind;
    seen->first = kind;
    return !seen->several;
}

/* A word may match kinds of several groups. Rows show the group if there are objects of more than one. */
static bool has_many_kinds(struct getting *g, const struct objects_meant *meant, const char *word, bool is_only_word)
{
    struct kinds_seen seen = {0};
    if (!is_only_word || strchr(word, ',') || str_eq_nocase(str_of(word), STR("all")) ||
        str_eq_nocase(str_of(word), STR("managed")))
        return true;
    if (meant->n_kinds > 1 && meant->n_names == 0)
        (void)objects_each(g->o, meant, see_kind, &seen);
    return seen.several;
}

/* ---- watching ---- */

static bool is_meant(const struct getting *g, const struct objects_meant *meant, const struct kind *kind,
                     const struct json *object)
{
    bool kind_is = false, name_is = meant->n_names == 0;
    struct str namespace = objects_namespace(g->o, kind);
    for (size_t i = 0; i < meant->n_kinds; i++)
        kind_is = kind_is || meant->kinds[i] == kind;
    for (size_t i = 0; i < meant->n_names; i++)
        name_is = name_is || str_eq(meant->names[i], object_metadata_text(object, "name"));
    return kind_is && name_is && (namespace.n == 0 || str_eq(namespace, object_metadata_text(object, "namespace")));
}

static void stop_watch(void *watch)
{
    store_watch_stop(watch);
}

static bool follow_changes(struct getting *g, const struct objects_meant *meant, struct store_watch *watch)
{
    struct app *app = g->o->app;
    struct cancel_watch on_cancel = {.fn = stop_watch, .arg = watch};
    enum store_result result = STORE_OK;
    bool ok = true;
    cancel_watch(app->cancel, &on_cancel);
    while (ok && result == STORE_OK) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct store_change change;
        result = store_watch_next(watch, a, NO_DEADLINE, &app->diags, &change);
        const struct kind *kind = result == STORE_OK ? kinds_of_object(g->o->kinds, change.object) : NULL;
        if (kind && is_meant(g, meant, kind, change.object))
            ok = print_change(g, a, kind, change.object);
    }
    cancel_unwatch(app->cancel, &on_cancel);
    return ok && result == STORE_STOPPED;
}

/* Existing objects first, then every change. */
static bool get_and_follow(struct getting *g, int n, const char **words)
{
    struct objects_meant meant;
    struct store_watch *watch = NULL;
    struct str version;
    size_t used = 0;
    struct objects *o = g->o;
    if (!objects_understand(o, words, (size_t)n, &meant, &used))
        return false;
    if (used < (size_t)n)
        return diags_fail(&o->app->diags, "Too many kinds", "With --watch give one KIND, or several joined by commas.");
    g->many_kinds = has_many_kinds(g, &meant, words[0], true);
    const struct store_query nothing = {.group = STR("none.terrane"), .kind = STR("None")};
    if (store_list(o->store, o->app->arena, &nothing, NULL, NULL, &o->app->diags, &version) != STORE_OK ||
        store_watch_open(o->store, &(struct store_query){.selector = o->selected}, version, &o->app->diags, &watch) != STORE_OK)
        return false;
    bool ok = meant.n_names > 0 ? get_named(g, &meant) : objects_each(o, &meant, print_one, g);
    ok = ok && ((g->output && !is_wide(g)) || print_table(g)) && follow_changes(g, &meant, watch);
    store_watch_close(watch);
    return ok;
}

/* KIND/NAME words one after the other; or KIND and names. */
static bool get_all(struct getting *g, int n, const char **words)
{
    bool ok = true;
    struct objects_meant meant = {0};
    for (size_t at = 0, used = 0; at < (size_t)n; at += used) {
        if (!objects_understand(g->o, words + at, (size_t)n - at, &meant, &used))
            return false;
        g->several = meant.n_names != 1 || (size_t)n > at + used || at > 0;
        if (at == 0) {
            g->many_kinds = has_many_kinds(g, &meant, words[0], (size_t)n == used);
            if (!begin_output(g))
                return false;
        }
        ok = (meant.n_names > 0 ? get_named(g, &meant) : objects_each(g->o, &meant, print_one, g)) && ok;
    }
    if (!end_output(g))
        return false;
    if (ok && g->n == 0 && !(g->output && (strcmp(g->output, "json") == 0 || strcmp(g->output, "yaml") == 0)))
        say_nothing_found(g, &meant);
    return ok;
}

/* As users of kubectl ask for events, which are not objects here: they have neither names nor labels. */
static bool is_events(const char *word)
{
    static const char *const words[] = {"events", "event", "ev"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool get_events(struct getting *g, int n)
{
    struct diags *diags = &g->o->app->diags;
    if (n > 1 || g->o->selected || (g->output && strcmp(g->output, "name") == 0))
        return diags_fail(diags, "Events have no names",
                          "Events of a store have neither names nor labels. Those of one object: terrane events KIND NAME.");
    if (g->follows)
        return diags_fail(diags, "Events cannot be followed",
                          "terrane get events shows what has happened so far; terrane get all -w follows objects.");
    return events_show(g->o, 0, NULL, is_wide(g) ? NULL : g->output);
}

static int run_get(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct objects_options o = {0};
    const char *output = NULL;
    bool follows = false, wait = false, json = false;
    int64_t timeout_ns = 0;
    const struct option options[] = {
        OBJECTS_OPTION_NAMESPACE(&o),
        OBJECTS_OPTION_EVERYWHERE(&o),
        OBJECTS_OPTION_SELECTOR(&o),
        {"output", 'o', OPTION_CHOICE, &output, "json|yaml|wide|name",
         "json|yaml: whole objects, wide: more columns, name: names only"},
        {"json", 0, OPTION_FLAG, &json, NULL, "the same as -o json"},
        {"watch", 'w', OPTION_FLAG, &follows, NULL, "watch for changes until Ctrl-C"},
        {"wait", 0, OPTION_FLAG, &wait, NULL, "wait until they are Ready and Synced; exit code 2 after the timeout"},
        {"timeout", 0, OPTION_DURATION, &timeout_ns, "TIME", "with --wait: how long (default: no limit)"},
        OBJECTS_OPTION_DATA(&o),
        {0},
    };
    struct objects objects;
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0)
        return app_usage(app, self, "Say which kind: terrane get all, terrane get buckets, terrane get bucket logs.");
    output = json ? "json" : output;
    if (!objects_open(&objects, app, &o)) {
        objects_close(&objects);
        return EXIT_FAILED;
    }
    size_t n_awaited = 1;
    code = wait && !is_events(argv[0]) ? objects_await(&objects, n, argv, timeout_ns, &n_awaited) : EXIT_OK;
    if (n_awaited == 0 || (code != EXIT_OK && code != EXIT_NOT_READY)) {
        objects_close(&objects);
        return code;
    }
    struct getting g = {.o = &objects, .output = output, .text = BUF_INIT(APP_MAX_TEXT), .follows = follows};
    bool ok = is_events(argv[0]) ? get_events(&g, n) : follows ? get_and_follow(&g, n, argv) : get_all(&g, n, argv);
    buf_free(&g.text);
    objects_close(&objects);
    return ok ? code : EXIT_FAILED;
}

const struct command command_get = {
    .name = "get",
    .usage = "KIND[.GROUP]|all [NAME...] [options]",
    .summary = "show objects of a store, as a table, JSON or YAML",
    .details =
        "KIND is a kind, its plural or its short name, with or without its group, several joined by commas; `all` are all\n"
        "managed resources. KIND/NAME works too. The store may be in use by `terrane up` at the same time.\n"
        "The values of Secrets are shown by -o json and -o yaml only, encoded, as kubectl does. With -w a line follows for each\n"
        "change; whole objects come as documents one after the other. `terrane get events` is `terrane events`.",
    .example = "  terrane get all -A\n"
               "  terrane get buckets.s3 logs -n shop -o yaml\n"
               "  terrane get secret -l app=web -o name\n"
               "  terrane get all -w\n"
               "  terrane get bucket logs --wait --timeout 5m\n"
               "  terrane get events -A",
    .run = run_get,
    .complete = objects_complete,
};
