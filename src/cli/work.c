#include "cli/work.h"

#include "base/terminal.h"
#include "base/vec.h"
#include "cli/instance_address.h"
#include "cli/provider_source.h"
#include "cli/schema_source.h"

#include <unistd.h>

#define DEFAULT_STATE "terraform.tfstate"
#define LOCK_SLICE_NS (500 * NS_PER_MS) /* so that Ctrl-C is noticed while waiting */

/* Beginning and end */

bool work_begin(struct work *w, struct app *app, const struct work_options *options)
{
    *w = (struct work){
        .app = app,
        .options = options,
        .engine = {.arena = app->arena, .diags = &app->diags, .log = app->log, .cancel = app->cancel},
    };
    const char *config = options->config, *provider = options->provider_config;
    if (config && provider && strcmp(config, "-") == 0 && strcmp(provider, "-") == 0)
        return diags_fail(&app->diags, "Wrong usage", "Only one of --config and --provider-config can be standard input.");
    return (!config || config_file_read(app->arena, config, &app->diags, &w->config)) &&
           (!provider || config_file_read(app->arena, provider, &app->diags, &w->provider_config));
}

/* Adds Terraform's "on FILE line N"; the line itself is not shown, because it may contain a secret. */
static void tell_places(struct work *w)
{
    for (size_t i = 0; i < w->places.n; i++) {
        const struct work_place *p = &w->places.v[i];
        if (p->diag >= w->app->diags.n)
            continue;
        struct diag *d = &w->app->diags.v[p->diag];
        struct str where = arena_printf(w->app->arena, "on %s line %u, column %u", p->file, p->place.line, p->place.column);
        d->detail =
            d->detail.n == 0 ? where : arena_printf(w->app->arena, STR_FMT ":\n\n" STR_FMT, STR_ARG(where), STR_ARG(d->detail));
    }
}

/* Programs read only stdout. (Wrong usage is reported to the person who writes the program.) */
static void answer_failure(struct work *w)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    (void)work_print_json(w, &j);
}

void work_end(struct work *w, int exit_code)
{
    if (w->options->json && exit_code == EXIT_FAILED && w->app->diags.n > 0 && !w->unheard)
        answer_failure(w);
    tell_places(w);
    if (w->borrowed)
        lease_return(&w->lease);
    pool_provider_close(w->opened);
    if (w->pool)
        pool_free(w->pool);
    if (w->file)
        state_file_close(w->file);
}

/* State */

const char *work_state_path(const struct work *w)
{
    return w->options->state ? w->options->state : DEFAULT_STATE;
}

static bool is_held(const struct diags *diags)
{
    return diags->n > 0 && str_starts(diags->v[0].detail, STR("Error message: resource temporarily unavailable"));
}

bool work_open_state(struct work *w, const char *operation)
{
    struct app *app = w->app;
    int64_t end = clock_now(&system_clock) + w->options->lock_timeout_ns;
    for (;;) {
        int64_t left = end - clock_now(&system_clock);
        struct state_lock_request request = {.operation = operation, .wait_ns = left < LOCK_SLICE_NS ? left : LOCK_SLICE_NS};
        request.wait_ns = request.wait_ns > 0 ? request.wait_ns : 0;
        struct diags found;
        diags_init(&found, app->arena);
        bool ok = state_file_open(app->arena, work_state_path(w), &request, &found, &w->file);
        if (!ok && is_held(&found) && clock_now(&system_clock) < end && !cancel_fired(app->cancel))
            continue;
        diags_append(&app->diags, &found);
        if (!ok)
            w->file = NULL;
        else
            w->state = w->file->state;
        return ok;
    }
}

bool work_look_at_state(struct work *w)
{
    w->state = state_file_look(w->app->arena, work_state_path(w), &w->app->diags);
    return w->state != NULL;
}

/* Provider */

static bool which_provider(const struct work *w, struct str type, struct str known, struct str *ret)
{
    *ret = w->options->provider ? str_of(w->options->provider) : instance_provider_guess(type);
    struct str in_state;
    if (known.n == 0)
        return true;
    if (!instance_provider_source(w->app->arena, known, &in_state))
        return diags_fail(&w->app->diags, "Invalid provider in the state",
                          "%s: \"" STR_FMT "\" is not a valid provider address; expected one such as "
                          "module.net.provider[\"registry.terraform.io/hashicorp/aws\"].west",
                          work_state_path(w), STR_ARG(known));
    if (!w->options->provider)
        *ret = in_state;
    return true;
}

/* The state's own text stays, with its module and alias; an object must not silently move from one provider to another. */
static bool choose_text(struct work *w, const struct provider_source *source, struct str known)
{
    w->provider_text = known.n > 0 ? known : instance_provider_text(w->app->arena, source->address);
    struct str old;
    struct find_context context;
    if (!w->options->provider || !instance_provider_source(w->app->arena, known, &old) || str_eq(old, source->address) ||
        !app_find_context(w->app, &context) || provider_is_path(&context, w->app->arena, str_of(w->options->provider)))
        return true;
    struct provider_address was, now;
    struct diags *diags = &w->app->diags;
    if (!provider_address_parse(w->app->arena, old, diags, &was) ||
        !provider_address_parse(w->app->arena, source->address, diags, &now))
        return false;
    if (str_eq(was.namespace, now.namespace) && str_eq(was.type, now.type))
        return true;
    return diags_fail(diags, "Another provider",
                      "In %s this resource belongs to provider " STR_FMT ", not to " STR_FMT
                      ". Omit --provider, or change the state: terraform state replace-provider",
                      work_state_path(w), STR_ARG(old), STR_ARG(source->address));
}

static bool find_provider(struct work *w, struct str type, struct str known, struct provider_source *ret)
{
    struct app *app = w->app;
    struct str what;
    if (!which_provider(w, type, known, &what))
        return false;
    size_t n = app->diags.n;
    if (provider_source_find(app, app->arena, what, str_of(w->options->version), &app->diags, ret))
        return choose_text(w, ret, known);
    if (!w->options->provider && app->diags.n > n) {
        struct diag *d = &app->diags.v[app->diags.n - 1];
        d->detail = arena_printf(app->arena, STR_FMT "\nThe provider was guessed from %s; --provider SOURCE names another.",
                                 STR_ARG(d->detail), known.n > 0 ? "the state" : "the type's name");
    }
    return false;
}

static pool_wait wait_of(const struct work *w)
{
    int64_t timeout = w->options->timeout_ns;
    return (pool_wait){
        .deadline = timeout > 0 ? clock_now(&system_clock) + timeout : NO_DEADLINE,
        .cancel = w->app->cancel,
    };
}

static enum engine_status open_with(struct work *w, const struct provider_source *source, const struct json *config,
                                    struct pool_provider **ret)
{
    struct pool_source what = {
        .address = source->address,
        .path = source->path,
        .reattach = source->attached ? &source->reattach : NULL,
        .unconfigured = w->unconfigured,
    };
    pool_wait wait = wait_of(w);
    enum engine_status s = pool_open(w->pool, &what, config, &wait, &w->app->diags, ret);
    if (s != ENGINE_OK)
        *ret = NULL;
    return s;
}

static bool start_provider(struct work *w, const struct provider_source *source)
{
    struct app *app = w->app;
    struct pool_options options = {
        .loop = app_loop(app),
        .log = app->log,
        .cache_folder = app->cache_folder,
        .start_timeout_ns = w->options->timeout_ns,
        .no_tls = app_environment("TF_DISABLE_PLUGIN_TLS") != NULL,
    };
    w->pool = pool_new(&options);
    size_t from = app->diags.n;
    enum engine_status s = open_with(w, source, w->provider_config.json, &w->opened);
    work_locate(w, from, &w->provider_config);
    return work_judge(w, s);
}

bool work_open_another(struct work *w, const struct provider_source *source, const struct json *config,
                       struct pool_provider **ret)
{
    return work_judge(w, open_with(w, source, config, ret));
}

bool work_provider(struct work *w, struct str type, struct str known)
{
    struct provider_source *source = arena_make(w->app->arena, struct provider_source);
    if (!find_provider(w, type, known, source) || !start_provider(w, source))
        return false;
    pool_wait wait = wait_of(w);
    if (!work_judge(w, pool_provider_borrow(w->opened, &wait, &w->app->diags, &w->lease)))
        return false;
    w->borrowed = true;
    w->engine.provider = w->lease.provider;
    w->engine.memo = w->lease.memo;
    w->engine.schema = w->lease.schema;
    w->engine.provider_address = source->address;
    w->engine.timeout_ns = w->options->timeout_ns;
    return true;
}

const struct provider_schema *work_schema(struct work *w, struct str type, struct str known)
{
    struct str what;
    if (!which_provider(w, type, known, &what))
        return NULL;
    struct schema_request request = {
        .provider = arena_str(w->app->arena, what).p,
        .constraint = w->options->version,
        .timeout_ns = w->options->timeout_ns,
    };
    struct schema_source source;
    if (!schema_source_load(w->app, &request, &source))
        return NULL;
    w->engine.schema = source.schema;
    w->engine.provider_address = source.address;
    return source.schema;
}

bool work_judge(struct work *w, enum engine_status status)
{
    if (status == ENGINE_CANCELLED)
        (void)diags_fail(&w->app->diags, "Interrupted", "Nothing was changed.");
    return status == ENGINE_OK;
}

/* Configuration */

void work_locate(struct work *w, size_t from, const struct config_file *file)
{
    for (size_t i = from; file->json && i < w->app->diags.n; i++) {
        const struct diag *d = &w->app->diags.v[i];
        if (d->where == DIAG_NOWHERE)
            continue;
        struct config_place place = config_file_place(file, d->path, d->where);
        if (place.line > 0)
            *VEC_PUSH(w->app->arena, &w->places) = (struct work_place){i, file->name, place};
    }
}

const struct json *work_config(struct work *w)
{
    return w->config.json ? w->config.json : json_make_object(w->app->arena, NULL, 0);
}

/* Output */

struct text_style work_style(const struct work *w)
{
    size_t columns = terminal_columns(STDOUT_FILENO);
    return (struct text_style){.colour = w->app->color_out, .width = columns > 0 ? columns : TEXT_DEFAULT_WIDTH};
}

struct json_writer work_json(struct buf *out)
{
    return (struct json_writer){.out = out};
}

void work_json_text(struct json_writer *j, const char *key, struct str text)
{
    json_key(j, str_of(key));
    json_write_string(j, text);
}

static void write_place(struct json_writer *j, const struct work_place *p)
{
    work_json_text(j, "file", str_of(p->file));
    json_key(j, STR("line"));
    json_write_int(j, p->place.line);
    json_key(j, STR("column"));
    json_write_int(j, p->place.column);
}

static void write_diag(const struct work *w, struct json_writer *j, size_t i)
{
    const struct diag *d = &w->app->diags.v[i];
    json_begin_object(j);
    work_json_text(j, "severity", d->severity == DIAG_ERROR ? STR("error") : STR("warning"));
    work_json_text(j, "summary", d->summary);
    work_json_text(j, "detail", d->detail);
    if (d->path.n > 0) {
        json_key(j, STR("path"));
        path_write_json(j, d->path);
    }
    diag_write_output_json(j, d);
    for (size_t k = 0; k < w->places.n; k++)
        if (w->places.v[k].diag == i)
            write_place(j, &w->places.v[k]);
    json_end_object(j);
}

bool work_print_json(struct work *w, struct json_writer *j)
{
    struct diags *diags = &w->app->diags;
    json_key(j, STR("diagnostics"));
    json_begin_array(j);
    for (size_t i = 0; i < diags->n; i++)
        write_diag(w, j, i);
    json_end_array(j);
    json_end_object(j);
    if (!json_finish(j) || !buf_ok(j->out))
        return diags_fail(diags, "Answer too large", "The answer is larger than the limit of %d MiB.", WORK_MAX_JSON >> 20);
    buf_addc(j->out, '\n');
    w->unheard = !app_print(w->app, buf_str(j->out));
    if (w->unheard)
        return false; /* then stderr must show them */
    diags_init(diags, diags->arena);
    w->places.n = 0;
    return true;
}

const struct json *work_plan_json(struct work *w, const struct resource *r, const struct plan *plan)
{
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    if (!plan_write_json(&j, &w->engine, r, plan))
        return NULL;
    json_end_object(&j);
    if (!json_finish(&j)) {
        (void)diags_fail(&w->app->diags, "Plan too large", "The plan is larger than the limit of %d MiB.", WORK_MAX_JSON >> 20);
        return NULL;
    }
    return json_parse(w->app->arena, buf_str(&out), "plan", &w->app->diags);
}

const struct json *work_value_json(struct work *w, const struct resource *r, const struct value *v, struct marks sensitive)
{
    /* A plan without changes contains both. */
    struct plan plan = {
        .action = ACTION_NO_OP,
        .prior = {.value = v, .sensitive = sensitive},
        .planned = v,
        .before_sensitive = sensitive,
        .after_sensitive = sensitive,
    };
    return work_plan_json(w, r, &plan);
}
