/* terrane resource show: an object of the state, without a provider. */
#include "cli/instance_address.h"
#include "cli/resource.h"
#include "state/state_value.h"

static bool no_object(struct resource_run *run)
{
    struct work *w = &run->work;
    struct buf names BUF_AUTO = BUF_INIT(1 << 16);
    for (size_t i = 0; i < w->state->n_resources; i++) {
        const struct state_resource *r = &w->state->resources[i];
        struct state_address address = {.module = r->module, .mode = r->mode, .type = r->type, .name = r->name};
        if (str_eq(r->type, run->address.type) && r->mode == STATE_MANAGED)
            buf_printf(&names, "%s" STR_FMT, names.n > 0 ? ", " : "", STR_ARG(state_address_text(w->app->arena, &address)));
    }
    if (names.n > 0)
        return diags_fail(&w->app->diags, "No such object",
                          "There is no " STR_FMT " in %s. Objects of this type in it: " STR_FMT ".", STR_ARG(run->text),
                          work_state_path(w), STR_ARG(buf_str(&names)));
    return diags_fail(&w->app->diags, "No such object", "There is no " STR_FMT " in %s. Use --state FILE for another state file.",
                      STR_ARG(run->text), work_state_path(w));
}

static bool read_object(struct resource_run *run, const struct state_instance *object, const struct json **ret)
{
    struct work *w = &run->work;
    struct arena *a = w->app->arena;
    if (!work_schema(w, run->address.type, provider_in_state(run)) ||
        !engine_resource(&w->engine, run->address.type, run->address.name, &run->resource))
        return false;
    const struct schema *schema = run->resource.schema;
    size_t n = w->app->diags.n;
    const struct value *v = state_get_attributes(a, object, schema->type, &w->app->diags);
    if (!v) {
        if (w->app->diags.n > n && object->schema_version != (uint64_t)schema->version)
            diags_warn(&w->app->diags, "Different schema version",
                       "The object was stored by a different version of the provider. `terrane resource refresh` upgrades it.");
        return false;
    }
    struct marks sensitive = marks_union(a, state_get_sensitive(a, object), change_sensitive(a, schema->block, v));
    *ret = work_value_json(w, &run->resource, v, sensitive);
    return *ret != NULL;
}

static void write_index(struct json_writer *j, struct state_key key)
{
    if (key.kind == STATE_KEY_NONE)
        return;
    json_key(j, STR("index"));
    if (key.kind == STATE_KEY_INT)
        json_write_int(j, key.number);
    else
        json_write_string(j, key.text);
}

/* The form of one resource in `terraform show -json`. */
static bool print_json(struct resource_run *run, const struct state_instance *object, const struct json *value)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    work_json_text(&j, "address", run->text);
    work_json_text(&j, "mode", STR("managed"));
    work_json_text(&j, "type", run->address.type);
    work_json_text(&j, "name", run->address.name);
    write_index(&j, run->address.key);
    struct str source;
    if (instance_provider_source(run->work.app->arena, provider_in_state(run), &source))
        work_json_text(&j, "provider_name", source);
    json_key(&j, STR("schema_version"));
    json_write_int(&j, (int64_t)object->schema_version);
    json_key(&j, STR("values"));
    json_write(&j, json_get(value, "before"));
    json_key(&j, STR("sensitive_values"));
    json_write(&j, json_get(value, "before_sensitive"));
    if (object->n_dependencies > 0) {
        json_key(&j, STR("depends_on"));
        json_begin_array(&j);
        for (size_t i = 0; i < object->n_dependencies; i++)
            json_write_string(&j, object->dependencies[i]);
        json_end_array(&j);
    }
    if (object->tainted) {
        json_key(&j, STR("tainted"));
        json_write_bool(&j, true);
    }
    return work_print_json(&run->work, &j);
}

static bool print_text(struct resource_run *run, const struct state_instance *object, const struct json *value)
{
    struct text_style style = work_style(&run->work);
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct text_object what = resource_text_object(run, &run->address);
    what.tainted = object->tainted;
    object_text(&out, &what, json_get(value, "before"), json_get(value, "before_sensitive"), &style);
    return app_print(run->work.app, buf_str(&out));
}

int verb_show(struct resource_run *run)
{
    if (!work_look_at_state(&run->work))
        return EXIT_FAILED;
    const struct state_instance *object = object_in_state(run, &run->address);
    const struct json *value;
    if (!object) {
        (void)no_object(run);
        return EXIT_FAILED;
    }
    bool ok = read_object(run, object, &value) &&
              (run->options->work.json ? print_json(run, object, value) : print_text(run, object, value));
    return ok ? EXIT_OK : EXIT_FAILED;
}
