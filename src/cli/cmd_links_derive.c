/* terrane links derive: a link table from CloudFormation resource schemas. */
#include "base/file.h"
#include "cfn/names.h"
#include "cfn/sources.h"
#include "cli/app.h"
#include "links/derive.h"

enum { TABLE_MODE = 0666 };

/* The known types, each with the names of its properties (only the keys of its map matter). */
struct known {
    struct arena *arena;
    struct map types; /* -> struct map * */
};

static bool parse_each(struct app *app, const struct cfn_sources *sources,
                       bool (*each)(void *ctx, const struct json *schema, const char *source), void *ctx)
{
    for (size_t i = 0; i < sources->n; i++) {
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        const char *source = arena_str(scratch, sources->v[i].name).p;
        const struct json *schema = json_parse(scratch, sources->v[i].text, source, &app->diags);
        if (!schema || !each(ctx, schema, source))
            return false;
    }
    return true;
}

static bool learn(void *ctx, const struct json *schema, const char *source)
{
    struct known *k = ctx;
    struct str type = json_text(json_get(schema, "typeName"), STR_EMPTY);
    const struct json *properties = json_get(schema, "properties");
    struct map *names = arena_make(k->arena, struct map);
    (void)source;
    map_init(names, k->arena);
    for (size_t i = 0; properties && properties->kind == JSON_OBJECT && i < properties->object.n; i++)
        map_put(names, arena_str(k->arena, properties->object.members[i].key), k);
    map_put(&k->types, arena_str(k->arena, type), names);
    return true;
}

/* --- names in the provider awscc --- */

static struct str type_name(void *ctx, struct arena *a, struct str cloudformation)
{
    const struct known *k = ctx;
    struct cfn_type_name name;
    bool known = map_get(&k->types, cloudformation) && cfn_parse_cf_type(cloudformation, &name);
    return known ? cfn_tf_type(a, &name) : STR_EMPTY;
}

/* If a type has no property Id, AWS means its identifier by that, which is the attribute id. */
static struct str property_name(void *ctx, struct arena *a, struct str cloudformation, struct str property, bool top)
{
    const struct known *k = ctx;
    const struct map *properties = map_get(&k->types, cloudformation);
    struct str name = cfn_snake(a, property);
    if (!top)
        return name;
    if (!properties || !map_get(properties, property))
        return properties && str_eqz(property, "Id") ? STR("id") : STR_EMPTY;
    if (str_eqz(name, "id"))
        return arena_printf(a, STR_FMT "_id", STR_ARG(cfn_relative_type(type_name(ctx, a, cloudformation))));
    return str_eqz(name, "provider") ? STR("provider_name") : name;
}

/* --- the command --- */

struct derive_run {
    struct app *app;
    struct link_table *table;
    struct link_derive_names names;
    struct link_derived sum;
};

static bool derive_one(void *ctx, const struct json *schema, const char *source)
{
    struct derive_run *r = ctx;
    struct link_derived one;
    if (!links_derive(r->table, schema, source, &r->names, &r->app->diags, &one))
        return false;
    r->sum.n_references += one.n_references;
    r->sum.n_skipped += one.n_skipped;
    r->sum.n_read_only += one.n_read_only;
    return true;
}

static bool derive(struct app *app, const char *from, struct link_table *t, struct link_derived *ret)
{
    struct cfn_sources sources;
    struct known known = {.arena = app->arena};
    struct derive_run run = {.app = app, .table = t, .names = {&known, type_name, property_name}};
    links_init(t, app->arena);
    map_init(&known.types, app->arena);
    if (!cfn_sources_read(app->arena, from, &app->diags, &sources) || !parse_each(app, &sources, learn, &known) ||
        !parse_each(app, &sources, derive_one, &run))
        return false;
    *ret = run.sum;
    return true;
}

static bool write_table(struct app *app, const char *from, const char *output, bool json)
{
    struct link_table t;
    struct link_derived derived;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT), summary BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (!derive(app, from, &t, &derived))
        return false;
    if (json)
        links_json(&out, &t);
    else
        links_write(&out, &t);
    if (!output)
        return app_print(app, buf_str(&out));
    buf_printf(&summary, "%s: %zu rules from %zu references (%zu to types that do not exist, %zu of read-only properties)\n",
               output, t.rules.n, derived.n_references, derived.n_skipped, derived.n_read_only);
    return file_write(output, buf_str(&out), TABLE_MODE, &app->diags) && app_print(app, buf_str(&summary));
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    const char *output = NULL;
    bool json = false;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &output, "FILE", "file to write (default: stdout)"},
        {"json", 0, OPTION_FLAG, &json, NULL, "the rules as JSON"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Name one folder or archive of schemas: terrane links derive schemas -o awscc.links.");
    return write_table(app, argv[0], output, json) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_links_derive = {
    .name = "links derive",
    .usage = "SCHEMAS [-o FILE]",
    .summary = "make a link table from CloudFormation resource schemas",
    .details = "A property with `relationshipRef` names the property and type that it refers to; names are those of the\n"
               "awscc provider. SCHEMAS is what `terrane cloudcontrol pack` takes: a folder of JSON files, an archive, or\n"
               "a URL.",
    .example = "  terrane links derive schemas -o awscc.links\n"
               "  terrane links derive CloudformationSchema.zip | less",
    .run = run,
};
