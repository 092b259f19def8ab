/* terrane resource import: imports an existing object into the state. */
#include "cli/progress.h"
#include "cli/resource.h"
#include "state/state_write.h"

static bool is_taken(struct resource_run *run, const struct state_address *address)
{
    if (!object_in_state(run, address))
        return false;
    (void)diags_fail(&run->work.app->diags, "Resource already managed",
                     "%s already has an object at " STR_FMT
                     ". To import to this address, remove it first: terraform state rm '" STR_FMT "'",
                     work_state_path(&run->work), STR_ARG(state_address_text(run->work.app->arena, address)),
                     STR_ARG(state_address_text(run->work.app->arena, address)));
    return true;
}

static bool find(struct resource_run *run, struct imports *ret)
{
    struct work *w = &run->work;
    struct request q = resource_request(run);
    struct import_target target = {.id = str_of(run->id)};
    struct config_file identity = {0};
    if (run->options->identity) {
        if (!config_file_read(w->app->arena, run->options->identity, &w->app->diags, &identity))
            return false;
        target.identity = identity.json;
    }
    struct progress progress;
    progress_start(&progress, run->text, ACTION_READ, w->options->json);
    size_t from = w->app->diags.n;
    enum engine_status s = request_import(&q, &target, ret);
    progress_end(&progress, s == ENGINE_OK);
    work_locate(w, from, &identity);
    return work_judge(w, s);
}

/*
 * A provider may find more than was asked for, of other types, too: the first of each type gets the name, further ones get a
 * number appended, as in Terraform.
 */
static struct state_address place_for(struct resource_run *run, const struct imports *imports, size_t i)
{
    struct state_address address = run->address;
    size_t same = 0;
    address.type = imports->v[i].resource.type;
    for (size_t k = 0; k < i; k++)
        same += str_eq(imports->v[k].resource.type, address.type);
    if (same > 0)
        address.name = arena_printf(run->work.app->arena, STR_FMT "-%zu", STR_ARG(address.name), same);
    return address;
}

static bool store_all(struct resource_run *run, const struct imports *imports, struct state_address *places)
{
    struct resource asked = run->resource;
    for (size_t i = 0; i < imports->n; i++) {
        places[i] = place_for(run, imports, i);
        if (is_taken(run, &places[i]))
            return false;
        run->resource = imports->v[i].resource;
        bool ok = resource_store(run, &places[i], &imports->v[i].object);
        run->resource = asked;
        if (!ok)
            return false;
    }
    return state_file_save(run->work.file, &run->work.app->diags);
}

static bool print_text(struct resource_run *run, const struct imports *imports, const struct state_address *places)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    buf_addz(&out, "Import successful! Now in the state:\n");
    for (size_t i = 0; i < imports->n; i++)
        buf_printf(&out, "  " STR_FMT "\n", STR_ARG(state_address_text(run->work.app->arena, &places[i])));
    buf_printf(&out,
               "\n`terrane resource show " STR_FMT " " STR_FMT
               "` shows it; `terrane resource plan` with a configuration shows what differs.\n",
               STR_ARG(run->address.type), STR_ARG(run->address.name));
    return app_print(run->work.app, buf_str(&out));
}

static bool print_json(struct resource_run *run, const struct imports *imports, const struct state_address *places)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    json_key(&j, STR("imported"));
    json_begin_array(&j);
    for (size_t i = 0; i < imports->n; i++) {
        json_begin_object(&j);
        work_json_text(&j, "address", state_address_text(run->work.app->arena, &places[i]));
        work_json_text(&j, "type", places[i].type);
        json_key(&j, STR("state"));
        state_write_instance(&j, object_in_state(run, &places[i]), false);
        json_end_object(&j);
    }
    json_end_array(&j);
    return work_print_json(&run->work, &j);
}

int verb_import(struct resource_run *run)
{
    struct imports imports;
    if (!work_open_state(&run->work, "OperationTypeImport") || is_taken(run, &run->address) || !resource_open(run) ||
        !find(run, &imports))
        return EXIT_FAILED;
    struct state_address *places = arena_make_n(run->work.app->arena, struct state_address, imports.n);
    bool ok = store_all(run, &imports, places) &&
              (run->options->work.json ? print_json(run, &imports, places) : print_text(run, &imports, places));
    return ok ? EXIT_OK : EXIT_FAILED;
}
