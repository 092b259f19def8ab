/* terrane cloudcontrol table: the result for each type, for comparison with other tools. */
#include "packs/cloudcontrol.h"
#include "translate/table.h"

struct table_run {
    enum cc_table table;
    struct buf rows;
};

static bool add_rows(void *ctx, const struct cc_type *t)
{
    struct table_run *r = ctx;
    cc_table_rows(&r->rows, r->table, t);
    return buf_ok(&r->rows);
}

static bool run_table(struct app *app, const struct cloudcontrol_options *o, enum cc_table table, const char **names, size_t n)
{
    struct table_run r = {table, BUF_INIT(CC_TABLE_MAX)};
    struct buf header BUF_AUTO = BUF_INIT(CC_TABLE_MAX);
    bool ok = cloudcontrol_each(app, o, names, n, add_rows, &r);
    if (ok) {
        cc_table_sort(&r.rows);
        cc_table_header(&header, table);
        ok = app_print(app, buf_str(&header)) && app_print(app, buf_str(&r.rows));
    }
    buf_free(&r.rows);
    return ok;
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct cloudcontrol_options o = {0};
    const struct option options[] = {CLOUDCONTROL_OPTIONS(&o), {0}};
    enum cc_table table;
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n < 1 || !cc_table_named(str_of(argv[0]), &table))
        return app_usage(app, self, "Name a table: resources, singular or types.");
    return run_table(app, &o, table, argv + 1, (size_t)n - 1) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_cloudcontrol_table = {
    .name = "cloudcontrol table",
    .usage = "resources|singular|types [--strict] [--schemas FROM] [TYPE...]",
    .summary = "print the attributes of all types as a table",
    .details = "One line for each attribute (or type), tab-separated, sorted: names, type, flags, default, validators,\n"
               "plan modifiers, a hash of the description.",
    .example = "  terrane cloudcontrol table resources --strict --schemas schemas/ > resources.tsv\n"
               "  terrane cloudcontrol table resources AWS::Logs::LogGroup",
    .run = run,
};
