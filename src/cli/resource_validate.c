/* terrane resource validate */
#include "cli/resource.h"

static bool check(struct resource_run *run)
{
    struct work *w = &run->work;
    w->unconfigured = true;
    if (!resource_open(run))
        return false;
    struct request q = resource_request(run);
    struct wanted wanted = {.config = work_config(w)};
    size_t from = w->app->diags.n;
    enum engine_status s = request_validate(&q, &wanted);
    work_locate(w, from, &w->config);
    return work_judge(w, s);
}

static bool print_json(struct resource_run *run, bool valid)
{
    const struct diags *diags = &run->work.app->diags;
    struct buf out BUF_AUTO = BUF_INIT(WORK_MAX_JSON);
    struct json_writer j = work_json(&out);
    json_begin_object(&j);
    json_key(&j, STR("valid"));
    json_write_bool(&j, valid);
    json_put_count(&j, "error_count", diags->n_errors);
    json_put_count(&j, "warning_count", diags->n - diags->n_errors);
    return work_print_json(&run->work, &j);
}

int verb_validate(struct resource_run *run)
{
    bool ok = check(run), json = run->options->work.json;
    if (json)
        ok &= print_json(run, ok);
    else if (ok)
        ok = app_print(run->work.app, STR("Success! The configuration is valid.\n"));
    return ok ? EXIT_OK : EXIT_FAILED;
}
