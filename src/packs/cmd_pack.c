/* terrane cloudcontrol pack: all schemas in one file. */
#include "base/clock.h"
#include "base/file.h"
#include "cli/progress.h"
#include "packs/cloudcontrol.h"
#include "translate/pack_write.h"

#include <stdlib.h>

enum { MAX_LOCK = 64 << 20, FILE_MODE = 0666, SHOWN_SKIPPED = 10 };

struct pack_request {
    const char *from, *output, *lock, *locked;
    bool without_answers, quiet, json;
};

/* With --locked: only the schemas that the lock file names. */
static bool check_locked(struct app *app, const struct pack_request *r, const struct cfn_sources *sources)
{
    struct str text;
    if (!r->locked)
        return true;
    if (!file_read(app->arena, r->locked, MAX_LOCK, &app->diags, &text))
        return false;
    const struct json *lock = json_parse(app->arena, text, r->locked, &app->diags);
    return lock && cc_pack_locked(sources->v, sources->n, lock, &app->diags);
}

static bool make_folder_of(struct app *app, const char *path)
{
    struct str folder = str_of(path);
    while (folder.n > 0 && folder.p[folder.n - 1] != '/')
        folder.n--;
    return folder.n == 0 || file_make_folder(arena_str(app->arena, folder).p, 0777, &app->diags);
}

static bool report_json(struct app *app, const struct pack_request *r, const struct cc_pack_made *made)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    struct json_writer w = {.out = &out, .indent = 2};
    json_begin_object(&w);
    json_put_text(&w, "file", str_of(r->output));
    json_put_text(&w, "lock", str_of(r->lock));
    json_put_count(&w, "types", made->n_types);
    json_put_count(&w, "bytes", made->bytes);
    json_put_count(&w, "patterns", made->n_patterns);
    json_put_count(&w, "patterns_dropped", made->n_patterns_dropped);
    json_put_count(&w, "files_skipped", made->n_skipped);
    json_end_object(&w);
    (void)json_finish(&w);
    buf_addc(&out, '\n');
    return app_print(app, buf_str(&out));
}

static bool report(struct app *app, const struct pack_request *r, const struct cc_pack_made *made)
{
    if (r->json)
        return report_json(app, r, made);
    if (r->quiet)
        return true;
    struct str text =
        arena_printf(app->arena, "%s: %zu types, %.1f MB; %zu of %zu patterns dropped, %zu files skipped\n", r->output,
                     made->n_types, (double)made->bytes / 1e6, made->n_patterns_dropped, made->n_patterns, made->n_skipped);
    return app_print(app, text);
}

/*
 * The lock file is renamed last: an older lock beside a newer pack makes schemas fail visibly; a newer lock beside an older pack
 * would name schemas that the pack does not have.
 */
static bool write_files(struct app *app, const struct pack_request *r, struct str pack, struct str lock)
{
    const struct file_content files[] = {{r->output, pack}, {r->lock, lock}};
    return file_write_all(files, sizeof files / sizeof files[0], FILE_MODE, &app->diags);
}

static bool run_pack(struct app *app, const struct pack_request *r)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct cfn_sources sources;
    struct cc_pack_options options = {.source = str_of(r->from), .without_answers = r->without_answers};
    struct cc_pack_made made;
    struct buf pack BUF_AUTO = BUF_INIT(CFN_PACK_MAX_BYTES), lock BUF_AUTO = BUF_INIT(MAX_LOCK);
    struct bar bar = {0};
    if (!r->quiet)
        bar_start(&bar, arena_printf(scratch, "Packing the schemas of %s", r->from).p, BAR_SECONDS);
    bool ok = source_date(app, system_clock.wall_ns(&system_clock) / NS_PER_S, &options.date) &&
              cfn_sources_read(scratch, r->from, &app->diags, &sources) && check_locked(app, r, &sources) &&
              cc_pack_make(sources.v, sources.n, &options, &pack, &lock, &made, &app->diags) && make_folder_of(app, r->output) &&
              write_files(app, r, buf_str(&pack), buf_str(&lock));
    bar_end(&bar);
    return ok && report(app, r, &made);
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct pack_request r = {0};
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &r.output, "FILE", "the pack to write (default: the pack in use)"},
        {"lock", 0, OPTION_TEXT, &r.lock, "FILE", "the lock file to write (default: the pack's name and .lock.json)"},
        {"locked", 0, OPTION_TEXT, &r.locked, "FILE", "fail if the schemas differ from those of this lock file"},
        {"without-answers", 0, OPTION_FLAG, &r.without_answers, NULL,
         "leave out the encoded schema: a smaller pack, a slower start"},
        {"json", 0, OPTION_FLAG, &r.json, NULL, "what was written, as JSON"},
        {"quiet", 'q', OPTION_FLAG, &r.quiet, NULL, "print nothing"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Give one folder, file or URL.");
    r.from = argv[0];
    if (!r.output)
        r.output = cloudcontrol_pack_path(app);
    if (!r.output) {
        (void)cloudcontrol_no_pack_path(app);
        return EXIT_FAILED;
    }
    if (!r.lock)
        r.lock = arena_printf(app->arena, "%s.lock.json", r.output).p;
    return run_pack(app, &r) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_cloudcontrol_pack = {
    .name = "cloudcontrol pack",
    .usage = "FROM [-o FILE]",
    .summary = "make one file of CloudFormation schemas",
    .details = "FROM is a folder of schemas, a zip as AWS publishes it, an .ndjson.gz or npm package that has them, or the\n"
               "URL of such a file. Schemas are checked, patterns that RE2 refuses are dropped, and the schema of the\n"
               "whole provider is encoded. The same schemas give the same bytes; the lock file records what they were.",
    .example = "  terrane cloudcontrol pack https://schema.cloudformation.us-east-1.amazonaws.com/CloudformationSchema.zip\n"
               "  terrane cloudcontrol pack schemas/ -o awscc.pack\n"
               "  terrane cloudcontrol pack schemas/ -o awscc.pack --locked awscc.pack.lock.json",
    .run = run,
};
