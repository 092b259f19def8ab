/* terrane cloudcontrol report: what was generated, approximated or rejected, and why. */
#include "packs/cloudcontrol.h"
#include "translate/report.h"

struct report_run {
    struct cloudcontrol_options schemas;
    bool json, full;
    struct cc_report report;
    struct buf out;
    struct json_writer w;
};

static bool add_type(void *ctx, const struct cc_type *t)
{
    struct report_run *r = ctx;
    cc_report_count(&r->report, t);
    if (r->json)
        cc_report_json(&r->w, t);
    else if (r->full)
        cc_report_type(&r->out, t);
    else
        cc_report_line(&r->out, t);
    return buf_ok(&r->out);
}

static bool run_report(struct app *app, struct report_run *r, const char **names, size_t n)
{
    r->w = (struct json_writer){.out = &r->out, .indent = 2};
    if (r->json)
        json_begin_array(&r->w);
    if (!cloudcontrol_each(app, &r->schemas, names, n, add_type, r))
        return false;
    if (r->json) {
        json_end_array(&r->w);
        (void)json_finish(&r->w);
        buf_addc(&r->out, '\n');
    } else if (!r->full) {
        cc_report_summary(&r->out, &r->report);
    }
    return app_print(app, buf_str(&r->out));
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct report_run r = {.out = BUF_INIT(APP_MAX_TEXT)};
    const struct option options[] = {
        CLOUDCONTROL_OPTIONS(&r.schemas),
        {"json", 0, OPTION_FLAG, &r.json, NULL, "for programs"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    r.full = n > 0;
    code = run_report(app, &r, argv, (size_t)n) ? EXIT_OK : EXIT_FAILED;
    buf_free(&r.out);
    return code;
}

const struct command command_cloudcontrol_report = {
    .name = "cloudcontrol report",
    .usage = "[TYPE...] [--strict] [--schemas FROM] [--json]",
    .summary = "show how CloudFormation types were translated, and why",
    .details = "For each type: what was generated, what is represented differently than the schema says, what has no\n"
               "effect, and what was refused. Without TYPE: one line for each type with such notes, and totals.",
    .example = "  terrane cloudcontrol report\n"
               "  terrane cloudcontrol report AWS::WAFv2::WebACL",
    .run = run,
};
