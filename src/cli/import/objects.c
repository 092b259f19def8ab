/* Determines which objects a run is about, and the providers to read them with. */
#include "base/file.h"
#include "cli/import/run.h"
#include "cli/shipped_config.h"
#include "drift/held.h"
#include "import/names.h"
#include "links/pattern.h"
#include "links/rows.h"

#include <unistd.h>

/* --- which objects --- */

/* Should objects of this type be listed? */
static bool is_listed(void *ctx, struct str type)
{
    const struct import_wish *r = ctx;
    if (!import_wants_type(&r->find, type))
        return false;
    for (size_t i = 0; i < r->find.list.n; i++)
        if (link_pattern_match(str_of(r->find.list.v[i]), type))
            return true;
    return r->find.list.n == 0;
}

/* Lists the objects of a region; NULL: the provider's own. */
static bool find_in_region(struct import_run *run, const struct import_region *region)
{
    struct app *app = run->app;
    struct discovery *d = &run->discovery;
    struct api *api = NULL;
    struct import_reading reading = run->reading;
    struct api_options options = {
        .config = region ? region->config : run->work.provider_config.json,
        .env = (const char *const *)environ,
        .loop = app_loop(app),
        .log = app->log,
        .cancel = app->cancel,
        .rates = run->rates,
        .rows = &run->rows,
    };
    if (region)
        reading.provider = region->provider;
    if (run->rows.rows.n > 0 && !api_open(&options, &app->diags, &api))
        return false;
    import_set_rates(run->rates, &run->rows, api, run->request->find.rate);
    *d = (struct discovery){
        .region = region ? region->name : STR_EMPTY,
        .n_types = d->n_types,
        .schema = run->work.engine.schema,
        .rows = &run->rows,
        .api = api,
        .include_owned = run->request->find.include_owned,
        .wants = is_listed,
        .ctx = (void *)(uintptr_t)run->request,
    };
    bar_start(&run->bar, "Asking what there is, type by type", BAR_THINGS);
    bool ok = discover(d, &reading, &run->list, &app->diags);
    bar_end(&run->bar);
    api_close(api);
    d->api = NULL;
    return ok;
}

/* Lists the objects of the account. */
static bool find_objects(struct import_run *run)
{
    struct app *app = run->app;
    const struct discovery *d = &run->discovery;
    if (run->request->ids.n > 0 && run->request->find.list.n == 0)
        return true;
    bool ok = find_in_region(run, NULL);
    for (size_t i = 0; ok && i < run->reading.regions.n; i++)
        ok = find_in_region(run, &run->reading.regions.v[i]);
    if (ok && d->n_types == 0)
        return diags_fail(&app->diags, "Nothing to import",
                          "Provider " STR_FMT " cannot list %s. Name the objects in a file: --ids FILE, with TYPE ID a line.",
                          STR_ARG(run->source.address),
                          run->request->find.list.n + run->request->find.only.n == 0 ? "objects" : "objects of such a type");
    return ok;
}

static bool read_ids(struct import_run *run)
{
    struct app *app = run->app;
    for (size_t i = 0; i < run->request->ids.n; i++) {
        struct str text;
        if (!file_read(app->arena, run->request->ids.v[i], WORKLIST_MAX_FILE, &app->diags, &text) ||
            !worklist_read(&run->list, text, run->request->ids.v[i], &app->diags))
            return false;
    }
    return true;
}

static void leave_out_unwanted(struct import_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->list.items.n; i++)
        if (import_wants_type(&run->request->find, run->list.items.v[i].type) &&
            import_wants_key(&run->request->find, run->list.items.v[i].key))
            run->list.items.v[n++] = run->list.items.v[i];
    run->list.items.n = n;
}

static const char *list_path(const struct import_run *run)
{
    return arena_printf(run->app->arena, "%s/" WORKLIST_FILE, run->request->folder).p;
}

bool import_save_list(struct import_run *run)
{
    struct buf text BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE);
    worklist_write(&text, &run->list, run->source.address);
    if (!buf_ok(&text))
        return diags_fail(&run->app->diags, "Work list too large", "%s would be larger than %d MiB.", list_path(run),
                          WORKLIST_MAX_FILE >> 20);
    return file_write(list_path(run), buf_str(&text), 0666, &run->app->diags);
}

/* Reads the list of an earlier run, with the user's changes. */
static bool read_list(struct import_run *run)
{
    struct app *app = run->app;
    struct str text;
    worklist_init(&run->list, app->arena);
    return !run->request->resume || (file_read(app->arena, list_path(run), WORKLIST_MAX_FILE, &app->diags, &text) &&
                                     worklist_read(&run->list, text, list_path(run), &app->diags));
}

/* Creates the list, unless an earlier run's is used. */
static bool make_list(struct import_run *run)
{
    struct app *app = run->app;
    const struct import_wish *r = run->request;
    if (r->resume)
        return worklist_sort(&run->list, &app->diags);
    if (file_exists(list_path(run)) && !r->force)
        return diags_fail(&app->diags, "Work list in the way",
                          "%s is of an earlier run. Use --resume to continue it, or --force to start over.", list_path(run));
    if (!read_ids(run) || !find_objects(run))
        return false;
    leave_out_unwanted(run);
    return worklist_sort(&run->list, &app->diags);
}

/* --- links --- */

/* Loads the user's tables, then the one that ships for the provider. */
static bool load_links(struct import_run *run)
{
    struct app *app = run->app;
    links_init(&run->links, app->arena);
    for (size_t i = 0; i < run->request->links.n; i++) {
        const char *path = run->request->links.v[i];
        struct link_rows rows = {.arena = app->arena};
        struct str text;
        if (!file_read(app->arena, path, LINKS_MAX_FILE, &app->diags, &text))
            return false;
        bool ok = link_rows_are(text)
                      ? link_rows_read(&rows, text, path, &app->diags) && link_rows_to_table(&rows, &run->links, &app->diags)
                      : links_read(&run->links, text, path, &app->diags);
        if (!ok)
            return false;
    }
    struct str text;
    const char *shipped = shipped_file(app, "links", provider_type_name(run->source.address), ".links", LINKS_MAX_FILE, &text);
    return !shipped || links_read(&run->links, text, shipped, &app->diags);
}

/* --- regions --- */

enum { MOST_REGIONS = 64 };

/* From --region, or from the list of an earlier run: names joined by commas, each once. */
static bool take_regions(struct import_run *run)
{
    struct app *app = run->app;
    struct worklist *w = &run->list;
    const struct option_texts *said = &run->request->regions;
    for (size_t i = 0; i < said->n; i++)
        for (struct str rest = str_of(said->v[i]); rest.n > 0;) {
            struct str name = str_trim(str_cut(&rest, ','));
            size_t k = 0;
            while (k < w->regions.n && !str_eq(w->regions.v[k], name))
                k++;
            if (name.n > 0 && k == w->regions.n)
                *VEC_PUSH(app->arena, &w->regions) = name;
        }
    return w->regions.n <= MOST_REGIONS ||
           diags_fail(&app->diags, "Too many regions", "A run has at most %d regions.", MOST_REGIONS);
}

/* Opens a provider for each region except the first, which uses the run's own configuration. */
static bool open_regions(struct import_run *run)
{
    struct app *app = run->app;
    const struct worklist *w = &run->list;
    struct import_regions *regions = &run->reading.regions;
    run->regions = arena_make_n(app->arena, struct import_region, w->regions.n + 1);
    regions->v = run->regions;
    for (size_t i = 1; i < w->regions.n; i++) {
        struct import_region *r = &run->regions[regions->n];
        *r = (struct import_region){
            .name = w->regions.v[i],
            .alias = import_snake(app->arena, w->regions.v[i]),
            .config = import_config_in(app->arena, run->work.provider_config.json, w->regions.v[i]),
        };
        if (!work_open_another(&run->work, &run->source, r->config, &r->provider))
            return false;
        regions->n++;
    }
    return true;
}

void import_close(struct import_run *run)
{
    for (size_t i = 0; i < run->reading.regions.n; i++)
        pool_provider_close(run->reading.regions.v[i].provider);
}

/* Objects of a region that the folder's state has under another id, or that a managed object says itself. */
static void leave_held(struct import_run *run, struct str region)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct held held;
    held_init(&held, scratch, run->work.engine.schema, &run->rows);
    for (size_t i = 0; i < run->into.objects.n; i++) {
        const struct into_object *o = &run->into.objects.v[i];
        if (str_eq(o->region, region))
            held_add(&held, &(struct held_object){o->type, o->id, o->address, o->instance});
    }
    for (size_t i = 0; i < run->list.items.n; i++) {
        struct import_item *item = &run->list.items.v[i];
        const struct held_object *o =
            item->status != IMPORT_SKIPPED && str_eq(item->region, region) ? held_find(&held, item) : NULL;
        if (o)
            into_leave_out(&run->list, item, o->address);
    }
}

bool import_open(struct import_run *run)
{
    struct app *app = run->app;
    const struct import_wish *r = run->request;
    struct str what = str_of(r->work.provider);
    if (!read_list(run) || !take_regions(run))
        return false;
    if (run->list.regions.n > 0)
        run->work.provider_config.json = import_config_in(app->arena, run->work.provider_config.json, run->list.regions.v[0]);
    if (!provider_source_find(app, app->arena, what, str_of(r->work.version), &app->diags, &run->source) ||
        !work_provider(&run->work, what, STR_EMPTY) || !open_regions(run) || !load_links(run) ||
        !import_load_rows(app, run->source.address, &r->find, &run->rows))
        return false;
    run->reading.provider = run->work.opened;
    run->reading.rates = run->rates;
    run->reading.rows = &run->rows;
    run->reading.provider_address = run->source.address;
    struct into_provider provider = {run->source.address, run->work.engine.schema->provider->block, run->regions,
                                     run->reading.regions.n};
    if (r->into && !into_read(&run->into, app->arena, r->into, &provider, &app->diags))
        return false;
    if (!make_list(run))
        return false;
    if (r->into) {
        into_leave_managed(&run->into, &run->list);
        leave_held(run, STR_EMPTY);
        for (size_t i = 0; i < run->list.regions.n; i++)
            leave_held(run, run->list.regions.v[i]);
    }
    if (!file_make_folder(r->folder, 0777, &app->diags) ||
        !import_journal_open(&run->journal, app->arena, r->folder, run->reading.style, !r->resume, &app->diags) ||
        !import_save_list(run))
        return false;
    run->reading.journal = &run->journal;
    run->journal.asked = run->reading.ask;
    if (r->resume)
        import_journal_load(&run->journal, &run->list, run->work.engine.schema);
    return true;
}
