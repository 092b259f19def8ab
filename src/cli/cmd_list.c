/* terrane list: lists existing objects, if the provider can list them. */
#include "base/terminal.h"
#include "cli/installer.h"
#include "cli/work.h"
#include "engine/request.h"
#include "value/json_value.h"

struct listing {
    struct work *w;
    bool header; /* the header is written */
    bool failed;
};

static bool write_identity(struct listing *l, struct json_writer *j, const struct value *identity)
{
    json_key(j, STR("identity"));
    if (!identity) {
        json_write_null(j);
        return true;
    }
    return value_write_json(j, identity, identity->type, &l->w->app->diags);
}

/* Writes one object as a line of JSON. */
static bool print_line(struct listing *l, const struct found *found)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    work_json_text(&j, "type", found->resource->type);
    work_json_text(&j, "display_name", found->display_name);
    if (!write_identity(l, &j, found->identity))
        return false;
    if (found->object.value) {
        json_key(&j, STR("state"));
        if (!object_write_json(&j, &l->w->engine, found->resource, &found->object))
            return false;
    }
    json_end_object(&j);
    if (!json_finish(&j))
        return diags_fail(&l->w->app->diags, "Object too large", "An object is larger than the limit of %d MiB.",
                          WORK_MAX_JSON >> 20);
    buf_addc(&out, '\n');
    return app_print(l->w->app, buf_str(&out));
}

static void write_cell(struct buf *out, struct str text, size_t width)
{
    for (size_t columns = terminal_write_cell(out, text, SIZE_MAX); columns < width; columns++)
        buf_addc(out, ' ');
}

/* Writes an identity as name=web, region=north. */
static bool write_identity_text(struct listing *l, struct buf *out, const struct value *identity)
{
    for (size_t i = 0; identity && !value_is_null(identity) && i < identity->n; i++) {
        const struct value *v = identity->elements[i];
        struct buf text BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
        struct json_writer j = work_json(&text);
        if (!value_write_json(&j, v, v->type, &l->w->app->diags) || !json_finish(&j))
            return false;
        buf_addz(out, i > 0 ? ", " : "");
        write_cell(out, identity->type->attrs[i].name, 0);
        buf_addc(out, '=');
        bool plain = v->type->kind == TYPE_STRING && !value_is_null(v);
        write_cell(out, plain ? v->string : buf_str(&text), 0);
    }
    return true;
}

enum { NAME_WIDTH = 32 };

static bool print_row(struct listing *l, const struct found *found)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!l->header)
        buf_printf(&out, "%-*s  %s\n", NAME_WIDTH, "NAME", "IDENTITY");
    l->header = true;
    write_cell(&out, found->display_name, NAME_WIDTH);
    buf_addz(&out, "  ");
    if (!write_identity_text(l, &out, found->identity))
        return false;
    buf_addc(&out, '\n');
    return app_print(l->w->app, buf_str(&out));
}

static bool print_object(struct listing *l, const struct found *found)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_style style = work_style(l->w);
    const struct json *value = work_value_json(l->w, found->resource, found->object.value, found->object.sensitive);
    if (!value)
        return false;
    struct text_object what = {
        .address = found->display_name,
        .type = found->resource->type,
        .name = STR("this"),
        .schema = found->resource->schema->block,
    };
    object_text(&out, &what, json_get(value, "before"), json_get(value, "before_sensitive"), &style);
    buf_addc(&out, '\n');
    return app_print(l->w->app, buf_str(&out));
}

static bool on_found(void *ctx, const struct found *found)
{
    struct listing *l = ctx;
    bool ok;
    if (l->w->options->json)
        ok = print_line(l, found);
    else
        ok = found->object.value ? print_object(l, found) : print_row(l, found);
    l->failed = !ok;
    return ok;
}

static bool no_list(struct work *w, struct str type)
{
    const struct map *lists = &w->engine.schema->lists;
    if (map_get(lists, type) || !map_get(&w->engine.schema->resources, type))
        return false;
    struct buf names BUF_AUTO = BUF_INIT(1 << 16);
    for (size_t i = 0; i < lists->n; i++)
        buf_printf(&names, "%s" STR_FMT, i > 0 ? ", " : "", STR_ARG(lists->entries[i].key));
    if (lists->n == 0)
        (void)diags_fail(&w->app->diags, "Cannot be listed", "Provider " STR_FMT " cannot list anything.",
                         STR_ARG(w->engine.provider_address));
    else
        (void)diags_fail(&w->app->diags, "Cannot be listed",
                         "Provider " STR_FMT " cannot list objects of type \"" STR_FMT "\". It can list: " STR_FMT ".",
                         STR_ARG(w->engine.provider_address), STR_ARG(type), STR_ARG(buf_str(&names)));
    return true;
}

static bool list(struct work *w, struct str type, int64_t limit, bool include)
{
    struct listing l = {.w = w};
    struct list_options options = {.include_resource = include, .limit = limit};
    if (!work_provider(w, type, STR_EMPTY) || no_list(w, type))
        return false;
    struct request q = {.engine = &w->engine, .type = type, .name = STR("this")};
    size_t n = 0, from = w->app->diags.n;
    enum engine_status s = request_list(&q, work_config(w), &options, on_found, &l, &n);
    work_locate(w, from, &w->config);
    if (!work_judge(w, s) || l.failed)
        return false;
    if (n == 0 && !w->options->json)
        return app_print(w->app, STR("No objects were found.\n"));
    if ((int64_t)n == (limit > 0 ? limit : LIST_DEFAULT_LIMIT))
        diags_warn(&w->app->diags, "There may be more",
                   "The list stopped at the limit of %zu objects. Use --limit N to show more.", n);
    return true;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct work_options o = {0};
    int64_t limit = 0;
    bool include = false;
    const struct option options[] = {
        {.name = "config",
         .letter = 'c',
         .kind = OPTION_TEXT,
         .target = &o.config,
         .value = "FILE",
         .help = "what to look for: .json, .yaml or .yml; - for standard input (default: everything)"},
        {.name = "limit", .kind = OPTION_NUMBER, .target = &limit, .value = "N", .help = "stop after N objects (default 100)"},
        {.name = "include-resource",
         .kind = OPTION_FLAG,
         .target = &include,
         .help = "include the objects themselves, not only their names"},
        WORK_PROVIDER_OPTIONS(&o),
        APP_OPTION_INSTALL(app),
        APP_OPTION_TRACE(app),
        {.name = "json",
         .kind = OPTION_FLAG,
         .target = &o.json,
         .help = "one JSON object per line; sensitive values are NOT hidden"},
        {0},
    };
    int n, exit_code;
    if (!app_args(app, self, options, argc, argv, &n, &exit_code))
        return exit_code;
    if (n != 1)
        return app_usage(app, self, "Name one type: terrane list TYPE [-c FILE].");
    struct work w;
    exit_code = work_begin(&w, app, &o) && list(&w, str_of(argv[0]), limit, include) ? EXIT_OK : EXIT_FAILED;
    work_end(&w, EXIT_OK); /* diagnostics stay on stderr, because stdout has the objects */
    return exit_code;
}

const struct command command_list = {
    .name = "list",
    .usage = "TYPE [-c FILE] [--limit N]",
    .summary = "list the objects that exist, managed or not, if the provider can list them",
    .details =
        "Objects are printed as they come: a table of names and identities, or the objects with --include-resource.\n"
        "With --json: {\"type\", \"display_name\", \"identity\", \"state\"} per line. An identity is what `terrane resource\n"
        "import --identity` takes.",
    .example = "  terrane list aws_instance --provider-config aws.yaml --limit 20\n"
               "  terrane list aws_instance --provider-config aws.yaml --json | jq -r .identity.id",
    .run = run,
};
