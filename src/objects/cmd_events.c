/* terrane events: shows events of objects. */
#include "managed/object.h"
#include "objects/events.h"
#include "objects/table.h"
#include "yaml/yaml.h"

enum { MESSAGE_WIDTH = 1024 };

/* "30s", or for a repeated event "30s (x3 over 5m)". */
static struct str age_of(struct arena *a, const struct store_event *e)
{
    int64_t now = system_clock.wall_ns(&system_clock);
    struct str last = table_age(a, e->last_ns, now);
    if (e->count <= 1)
        return last;
    struct str first = table_age(a, e->first_ns, now);
    return arena_printf(a, STR_FMT " (x%lld over " STR_FMT ")", STR_ARG(last), (long long)e->count, STR_ARG(first));
}

bool events_describe(struct objects *o, struct str uid, struct buf *out)
{
    struct store_events events;
    struct table table;
    if (store_events(o->store, o->app->arena, uid, &o->app->diags, &events) != STORE_OK)
        return false;
    if (events.n == 0) {
        buf_addz(out, "Events:  <none>\n");
        return true;
    }
    buf_addz(out, "Events:\n");
    table_begin(&table, o->app->arena, 0);
    table_add(&table, (struct str[]){STR("  Type"), STR("Reason"), STR("Age"), STR("Message")}, 4);
    for (size_t i = 0; i < events.n; i++) {
        const struct store_event *e = &events.v[i];
        struct str type = arena_printf(o->app->arena, "  " STR_FMT, STR_ARG(e->type));
        table_add(&table, (struct str[]){type, e->reason, age_of(o->app->arena, e), e->message}, 4);
    }
    table_write(out, &table, MESSAGE_WIDTH);
    return true;
}

/* ---- the command ---- */

static struct str title_of(struct arena *a, const struct store_event *e)
{
    struct str kind = arena_lower(a, e->about.kind);
    return arena_printf(a, STR_FMT "%s" STR_FMT "/" STR_FMT, STR_ARG(kind), e->about.group.n > 0 ? "." : "",
                        STR_ARG(e->about.group), STR_ARG(e->about.name));
}

/* In the form of a Kubernetes Event; empty members are left out. */
static const struct json *event_json(struct arena *a, const struct store_event *e)
{
    struct json_member about[] = {{.key = STR("kind"), .value = json_make_string(a, e->about.kind)},
                                  {.key = STR("name"), .value = json_make_string(a, e->about.name)},
                                  {.key = STR("namespace"), .value = json_make_string(a, e->about.namespace)},
                                  {.key = STR("uid"), .value = json_make_string(a, e->uid)},
                                  {.key = STR("group"), .value = json_make_string(a, e->about.group)}};
    struct json_member event[] = {
        {.key = STR("apiVersion"), .value = json_make_string(a, STR("v1"))},
        {.key = STR("kind"), .value = json_make_string(a, STR("Event"))},
        {.key = STR("involvedObject"), .value = json_make_object(a, about, sizeof about / sizeof *about)},
        {.key = STR("type"), .value = json_make_string(a, e->type)},
        {.key = STR("reason"), .value = json_make_string(a, e->reason)},
        {.key = STR("message"), .value = json_make_string(a, e->message)},
        {.key = STR("count"), .value = json_make_number(a, arena_printf(a, "%lld", (long long)e->count))},
        {.key = STR("firstTimestamp"), .value = json_make_string(a, managed_time_text(a, e->first_ns))},
        {.key = STR("lastTimestamp"), .value = json_make_string(a, managed_time_text(a, e->last_ns))},
    };
    return json_make_object(a, event, sizeof event / sizeof *event);
}

bool events_json(struct objects *o, struct str uid, const struct json **ret)
{
    struct arena *a = o->app->arena;
    struct store_events events;
    if (store_events(o->store, a, uid, &o->app->diags, &events) != STORE_OK)
        return false;
    const struct json **items = arena_make_n(a, const struct json *, events.n);
    for (size_t i = 0; i < events.n; i++)
        items[i] = event_json(a, &events.v[i]);
    *ret = json_make_array(a, items, events.n);
    return true;
}

static bool print_whole(struct objects *o, const struct store_event *const *events, size_t n, bool as_yaml)
{
    struct arena *a = o->app->arena;
    const struct json **items = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++)
        items[i] = event_json(a, events[i]);
    struct json_member list[] = {{.key = STR("apiVersion"), .value = json_make_string(a, STR("v1"))},
                                 {.key = STR("kind"), .value = json_make_string(a, STR("List"))},
                                 {.key = STR("items"), .value = json_make_array(a, items, n)}};
    const struct json *whole = json_make_object(a, list, sizeof list / sizeof *list);
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out, .indent = 4};
    if (as_yaml) {
        yaml_write(&out, whole);
    } else {
        json_write(&w, whole);
        (void)json_finish(&w);
        buf_addc(&out, '\n');
    }
    return app_print(o->app, buf_str(&out));
}

static bool print_table(struct objects *o, const struct store_event *const *events, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct table table;
    struct str cells[TABLE_COLUMNS] = {STR("NAMESPACE"), STR("LAST SEEN"), STR("TYPE"),
                                       STR("REASON"),    STR("OBJECT"),    STR("MESSAGE")};
    size_t skipped = o->options->everywhere ? 0 : 1, columns = 6;
    if (n == 0) {
        app_say(o->app, "No events found.\n");
        return true;
    }
    table_begin(&table, o->app->arena, 0);
    table_add(&table, cells + skipped, columns - skipped);
    for (size_t i = 0; i < n; i++) {
        const struct store_event *e = events[i];
        struct str row[] = {e->about.namespace, age_of(o->app->arena, e),   e->type,
                            e->reason,          title_of(o->app->arena, e), e->message};
        table_add(&table, row + skipped, columns - skipped);
    }
    table_write(&out, &table, MESSAGE_WIDTH);
    return app_print(o->app, buf_str(&out));
}

/* Events of cluster-scoped objects have no namespace, and are shown with any. */
static bool is_wanted(struct objects *o, const struct store_event *e, struct str uid)
{
    struct str namespace = o->options->namespace ? str_of(o->options->namespace) : STR(OBJECTS_NAMESPACE);
    return uid.n > 0 || o->options->everywhere || e->about.namespace.n == 0 || str_eq(e->about.namespace, namespace);
}

bool events_show(struct objects *o, int n, const char **words, const char *output)
{
    struct str uid = STR_EMPTY;
    struct store_events events;
    if (n > 0) {
        struct objects_meant meant;
        const struct kind *kind = NULL;
        size_t used;
        if (!objects_understand(o, words, (size_t)n, &meant, &used))
            return false;
        if (meant.n_names != 1 || used != (size_t)n)
            return diags_fail(&o->app->diags, "Name is missing",
                              "Events are those of one object: terrane events KIND NAME; or of all.");
        const struct json *object = objects_get(o, &meant, meant.names[0], false, &kind);
        if (!object)
            return false;
        uid = object_metadata_text(object, "uid");
    }
    if (store_events(o->store, o->app->arena, uid, &o->app->diags, &events) != STORE_OK)
        return false;
    VEC(const struct store_event *) wanted = {0};
    for (size_t i = 0; i < events.n; i++)
        if (is_wanted(o, &events.v[i], uid))
            *VEC_PUSH(o->app->arena, &wanted) = &events.v[i];
    return output ? print_whole(o, wanted.v, wanted.n, strcmp(output, "yaml") == 0) : print_table(o, wanted.v, wanted.n);
}

static int run_events(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct objects_options o = {0};
    const char *output = NULL;
    bool json = false;
    const struct option options[] = {
        OBJECTS_OPTION_NAMESPACE(&o),
        OBJECTS_OPTION_EVERYWHERE(&o),
        {"output", 'o', OPTION_CHOICE, &output, "json|yaml", "whole events"},
        {"json", 0, OPTION_FLAG, &json, NULL, "the same as -o json"},
        OBJECTS_OPTION_DATA(&o),
        {0},
    };
    struct objects objects;
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    output = json ? "json" : output;
    bool ok = objects_open(&objects, app, &o) && events_show(&objects, n, argv, output);
    objects_close(&objects);
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct command command_events = {
    .name = "events",
    .usage = "[KIND NAME] [options]",
    .summary = "show the events of objects in a store",
    .details = "The newest events come last. Events are kept for an hour after they were last seen.",
    .example = "  terrane events -A\n"
               "  terrane events bucket logs -n shop",
    .run = run_events,
    .complete = objects_complete,
};
