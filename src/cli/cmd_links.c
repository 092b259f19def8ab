/* terrane links: the table of references between resource types. */
#include "base/file.h"
#include "cli/progress.h"
#include "cli/schema_source.h"
#include "links/check.h"
#include "links/mine.h"
#include "links/pages.h"

enum { TABLE_MODE = 0666, SHOWN_BROKEN = 5, MAX_FOUND = 256 };

/* Where schemas come from; shared by several commands. */
struct schema_options {
    struct option_texts files, providers;
    const char *address, *constraint;
};

#define SCHEMA_OPTIONS(o)                                                                                                        \
    {"schema", 0, OPTION_LIST, &(o)->files, "FILE", "schema from a file that `terraform providers schema -json` wrote"},         \
        {"address", 0, OPTION_TEXT, &(o)->address, "ADDRESS", "which provider of that file, if it has several"},                 \
        {"provider", 0, OPTION_LIST, &(o)->providers, "PROVIDER", "schema of this provider: aws, hashicorp/aws, a binary"},      \
        {"version", 0, OPTION_TEXT, &(o)->constraint, "CONSTRAINT", "version of the provider, for example \"~> 5.1\""}

struct schemas {
    const struct provider_schema **v;
    size_t n;
};

static bool load_schemas(struct app *app, const struct schema_options *o, struct schemas *ret)
{
    struct schemas s = {.v = arena_make_n(app->arena, const struct provider_schema *, o->files.n + o->providers.n)};
    struct schema_source source;
    for (size_t i = 0; i < o->files.n; i++) {
        if (!schema_source_load_file(app, o->files.v[i], o->address, &source))
            return false;
        s.v[s.n++] = source.schema;
    }
    for (size_t i = 0; i < o->providers.n; i++) {
        const struct schema_request request = {.provider = o->providers.v[i], .address = o->address, .constraint = o->constraint};
        if (!schema_source_load(app, &request, &source))
            return false;
        s.v[s.n++] = source.schema;
    }
    *ret = s;
    return true;
}

/* --- tables --- */

/* Reads a table's text, or rows; rows are also kept, to be generalised. */
static bool read_table(struct app *app, const char *path, struct link_table *t, struct link_rows *all)
{
    struct str text;
    struct link_rows rows = {.arena = app->arena};
    if (!file_read(app->arena, path, LINKS_MAX_FILE, &app->diags, &text))
        return false;
    if (!link_rows_are(text))
        return links_read(t, text, path, &app->diags);
    if (!link_rows_read(&rows, text, path, &app->diags))
        return false;
    link_rows_sort(&rows);
    for (size_t i = 0; i < rows.n; i++)
        *VEC_PUSH(app->arena, all) = rows.v[i];
    return link_rows_to_table(&rows, t, &app->diags);
}

static bool read_tables(struct app *app, const char *const *paths, size_t n, struct link_table *t, struct link_rows *rows)
{
    bool ok = true;
    links_init(t, app->arena);
    *rows = (struct link_rows){.arena = app->arena};
    for (size_t i = 0; i < n; i++)
        ok &= read_table(app, paths[i], t, rows);
    return ok;
}

static bool print_or_write(struct app *app, const char *path, struct str text)
{
    return path ? file_write(path, text, TABLE_MODE, &app->diags) : app_print(app, text);
}

/* --- JSON --- */

static bool end_json(struct json_writer *w)
{
    json_end_object(w);
    bool ok = json_finish(w);
    buf_addc(w->out, '\n');
    return ok;
}

static bool print_table(struct app *app, const struct link_table *t, bool json, const char *output)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (json)
        links_json(&out, t);
    else
        links_write(&out, t);
    return print_or_write(app, output, buf_str(&out));
}

/* --- links mine --- */

struct mine_request {
    struct schema_options schema;
    const char *docs, *output;
    int64_t generalise;
    bool tsv, json, strict;
};

static bool mine_each(struct app *app, const struct link_pages *pages, struct bar *bar, struct link_mine *m, struct diags *broken)
{
    for (size_t i = 0; i < pages->n; i++) {
        bar_set(bar, (int64_t)i, (int64_t)pages->n);
        struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
        struct str page;
        if (!file_read(scratch, pages->v[i], PAGES_MAX_BYTES, &app->diags, &page))
            return false;
        link_mine_page(m, page, pages->v[i], broken);
    }
    return true;
}

static bool mine_pages(struct app *app, const char *folder, struct link_mine *m, struct diags *broken)
{
    struct link_pages pages;
    if (!link_pages_find(app->arena, folder, &app->diags, &pages))
        return false;
    struct bar bar;
    bar_start(&bar, "Reading pages", BAR_THINGS);
    bool ok = mine_each(app, &pages, &bar, m, broken);
    bar_end(&bar);
    link_rows_sort(&m->rows);
    return ok;
}

/* Broken examples are an error of the documentation: reports a warning with the first few, or an error with --strict. */
static bool judge_examples(struct app *app, const struct mine_request *r, const struct link_mine *m, const struct diags *broken)
{
    struct buf text BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (m->n_broken == 0 || (r->json && !r->strict))
        return true;
    buf_printf(&text, "%zu of %zu examples cannot be read:", m->n_broken, m->n_examples);
    for (size_t i = 0; i < broken->n && i < SHOWN_BROKEN; i++)
        buf_printf(&text, "\n" STR_FMT, STR_ARG(broken->v[i].detail));
    if (broken->n > SHOWN_BROKEN)
        buf_printf(&text,
                   "\n"
                   "... and %zu more (--json lists them all)",
                   broken->n - SHOWN_BROKEN);
    if (r->strict)
        return diags_fail(&app->diags, "Broken examples", STR_FMT, STR_ARG(buf_str(&text)));
    diags_warn(&app->diags, "Broken examples", STR_FMT, STR_ARG(buf_str(&text)));
    return true;
}

static void put_rows(struct json_writer *w, const struct link_rows *rows)
{
    json_key(w, STR("rows"));
    json_begin_array(w);
    for (size_t i = 0; i < rows->n; i++) {
        const struct link_row *r = &rows->v[i];
        json_begin_object(w);
        json_put_text(w, "type", r->type);
        json_put_text(w, "path", r->path);
        json_put_text(w, "target", r->target);
        json_put_text(w, "attribute", r->attribute);
        json_put_text(w, "kind", r->kind == LINK_PART ? STR("part") : STR("whole"));
        json_put_count(w, "count", r->count);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_mined_json(struct buf *out, const struct link_mine *m, const struct diags *broken)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_put_count(&w, "pages", m->n_pages);
    json_put_count(&w, "examples", m->n_examples);
    json_put_count(&w, "dropped", m->n_dropped);
    json_key(&w, STR("broken"));
    json_begin_array(&w);
    for (size_t i = 0; i < broken->n; i++)
        json_write_string(&w, broken->v[i].detail);
    json_end_array(&w);
    put_rows(&w, &m->rows);
    (void)end_json(&w);
}

static bool write_mined_table(struct app *app, const struct mine_request *r, const struct link_mine *m, struct buf *out,
                              size_t *ret_n)
{
    struct link_table t;
    links_init(&t, app->arena);
    if (!link_rows_to_table(&m->rows, &t, &app->diags))
        return false;
    size_t seen = t.rules.n;
    if (r->generalise > 0)
        (void)link_rows_generalise(&m->rows, (size_t)r->generalise, &t);
    buf_printf(out, "# %zu links that the examples of the documentation show (%zu pages, %zu examples)", seen, m->n_pages,
               m->n_examples);
    if (t.rules.n > seen)
        buf_printf(out,
                   ", and %zu\n"
                   "# rules at the end for what at least %lld types have in common",
                   t.rules.n - seen, (long long)r->generalise);
    buf_addz(out, ".\n");
    links_write(out, &t);
    *ret_n = t.rules.n;
    return true;
}

static bool write_mined(struct app *app, const struct mine_request *r, const struct link_mine *m, const struct diags *broken)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT), summary BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    size_t n = m->rows.n;
    if (r->json)
        write_mined_json(&out, m, broken);
    else if (r->tsv)
        link_rows_write(&out, &m->rows);
    else if (!write_mined_table(app, r, m, &out, &n))
        return false;
    if (!print_or_write(app, r->output, buf_str(&out)))
        return false;
    buf_printf(&summary, "%s: %zu %s from %zu pages, %zu examples (%zu broken), %zu links dropped\n", r->output ? r->output : "",
               n, r->tsv || r->json ? "rows" : "rules", m->n_pages, m->n_examples, m->n_broken, m->n_dropped);
    return !r->output || app_print(app, buf_str(&summary));
}

static bool mine_docs(struct app *app, const struct mine_request *r)
{
    struct schemas schemas;
    struct link_mine m;
    struct diags broken;
    diags_init(&broken, app->arena);
    if (!load_schemas(app, &r->schema, &schemas))
        return false;
    link_mine_init(&m, app->arena, schemas.n > 0 ? schemas.v[0] : NULL);
    return mine_pages(app, r->docs, &m, &broken) && judge_examples(app, r, &m, &broken) && write_mined(app, r, &m, &broken);
}

static int run_mine(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct mine_request r = {0};
    const struct option options[] = {
        SCHEMA_OPTIONS(&r.schema),
        {"output", 'o', OPTION_TEXT, &r.output, "FILE", "file to write (default: stdout)"},
        {"generalise", 0, OPTION_NUMBER, &r.generalise, "N",
         "add a general rule for an argument's name that at least N types use alike"},
        {"tsv", 0, OPTION_FLAG, &r.tsv, NULL, "print rows with their counts instead of a table"},
        {"json", 0, OPTION_FLAG, &r.json, NULL, "the same as JSON, with the examples that cannot be read"},
        {"strict", 0, OPTION_FLAG, &r.strict, NULL, "fail if an example cannot be read"},
        {0},
    };
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1 || r.schema.files.n + r.schema.providers.n > 1 || (r.tsv && r.json))
        return app_usage(app, self, "Name one folder, at most one schema, and at most one of --tsv and --json.");
    r.docs = argv[0];
    return mine_docs(app, &r) ? EXIT_OK : EXIT_FAILED;
}

/* --- links convert --- */

static int run_convert(struct app *app, const struct command *self, int argc, const char **argv)
{
    const char *output = NULL;
    int64_t generalise = 0;
    bool json = false;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &output, "FILE", "file to write (default: stdout)"},
        {"generalise", 0, OPTION_NUMBER, &generalise, "N",
         "add a general rule for an argument's name that at least N types of the rows use alike"},
        {"json", 0, OPTION_FLAG, &json, NULL, "the rules as JSON"},
        {0},
    };
    int n, code;
    struct link_table t;
    struct link_rows rows;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0)
        return app_usage(app, self, "Name the files: terrane links convert rows.tsv -o aws.links.");
    if (!read_tables(app, argv, (size_t)n, &t, &rows))
        return EXIT_FAILED;
    if (generalise > 0)
        (void)link_rows_generalise(&rows, (size_t)generalise, &t);
    return print_table(app, &t, json, output) ? EXIT_OK : EXIT_FAILED;
}

/* --- links check --- */

static void say_problems(struct app *app, const struct link_check *check)
{
    for (size_t i = 0; i < check->problems.n; i++) {
        const struct link_problem *p = &check->problems.v[i];
        struct buf where BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
        if (p->rule->source)
            buf_printf(&where, "%s:%u", p->rule->source, p->rule->line);
        else
            link_rule_write(&where, p->rule);
        if (p->error)
            diags_fail(&app->diags, "Wrong link", STR_FMT ": " STR_FMT, STR_ARG(buf_str(&where)), STR_ARG(p->text));
        else
            diags_warn(&app->diags, "Useless link", STR_FMT ": " STR_FMT, STR_ARG(buf_str(&where)), STR_ARG(p->text));
    }
}

static void write_check_json(struct buf *out, const struct link_table *t, const struct link_check *check)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_put_count(&w, "rules", t->rules.n);
    json_put_count(&w, "right", check->n_good);
    json_put_count(&w, "wrong", check->n_errors);
    json_put_count(&w, "unchecked", check->n_unchecked);
    json_key(&w, STR("problems"));
    json_begin_array(&w);
    for (size_t i = 0; i < check->problems.n; i++) {
        json_begin_object(&w);
        json_put_text(&w, "severity", check->problems.v[i].error ? STR("error") : STR("warning"));
        json_put_text(&w, "problem", check->problems.v[i].text);
        json_key(&w, STR("rule"));
        link_rule_json(&w, check->problems.v[i].rule);
        json_end_object(&w);
    }
    json_end_array(&w);
    (void)end_json(&w);
}

static bool check_tables(struct app *app, const struct link_table *t, const struct schemas *schemas, bool json)
{
    struct link_check check;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    links_check(app->arena, t, schemas->v, schemas->n, &check);
    if (json) {
        write_check_json(&out, t, &check);
    } else {
        say_problems(app, &check);
        buf_printf(&out, "%zu rules: %zu correct, %zu wrong, %zu about types of other providers\n", t->rules.n, check.n_good,
                   check.n_errors, check.n_unchecked);
    }
    return app_print(app, buf_str(&out)) && check.n_errors == 0;
}

static int run_check(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct schema_options schema = {0};
    bool json = false;
    const struct option options[] = {
        SCHEMA_OPTIONS(&schema),
        {"json", 0, OPTION_FLAG, &json, NULL, "the result as JSON"},
        {0},
    };
    int n, code;
    struct schemas schemas;
    struct link_table t;
    struct link_rows rows;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n == 0 || schema.files.n + schema.providers.n == 0)
        return app_usage(app, self,
                         "Name the files and what to check them against: terrane links check aws.links --provider aws.");
    bool ok = read_tables(app, argv, (size_t)n, &t, &rows) && load_schemas(app, &schema, &schemas) &&
              check_tables(app, &t, &schemas, json);
    return ok ? EXIT_OK : EXIT_FAILED;
}

/* --- links find --- */

static size_t rules_of_type(const struct link_table *t, struct str type, const struct link_rule **ret)
{
    size_t n = 0;
    for (size_t i = 0; i < t->rules.n; i++)
        if (link_rule_has_type(&t->rules.v[i], type))
            ret[n++] = &t->rules.v[i];
    return n;
}

static bool print_found(struct app *app, const struct link_rule *const *rules, size_t n, bool json)
{
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    if (json)
        link_rules_json(&out, rules, n);
    for (size_t i = 0; i < n && !json; i++) {
        link_rule_write(&out, rules[i]);
        if (rules[i]->source)
            buf_printf(&out, "  # %s:%u", rules[i]->source, rules[i]->line);
        buf_addc(&out, '\n');
    }
    return app_print(app, buf_str(&out));
}

static int run_find(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct option_texts tables = {0};
    bool json = false;
    const struct option options[] = {
        {"table", 't', OPTION_LIST, &tables, "FILE", "the table; several are read one after the other"},
        {"json", 0, OPTION_FLAG, &json, NULL, "the rules as JSON"},
        {0},
    };
    int n, code;
    struct link_table t;
    struct link_rows rows;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n < 1 || n > 2 || tables.n == 0)
        return app_usage(
            app, self,
            "Name a type, optionally an argument, and the table: terrane links find aws_lb subnets --table aws.links.");
    if (!read_tables(app, tables.v, tables.n, &t, &rows))
        return EXIT_FAILED;
    const struct link_rule **found = arena_make_n(app->arena, const struct link_rule *, t.rules.n + MAX_FOUND);
    size_t n_found = n == 1 ? rules_of_type(&t, str_of(argv[0]), found)
                            : links_find_all(&t, str_of(argv[0]), str_of(argv[1]), found, MAX_FOUND);
    return print_found(app, found, n_found, json) ? EXIT_OK : EXIT_FAILED;
}

/* --- the commands --- */

const struct command command_links_mine = {
    .name = "links mine",
    .usage = "DOCS_DIR [--schema FILE | --provider PROVIDER] [-o FILE]",
    .summary = "make a link table from the examples in a provider's documentation",
    .details = "Reads the HCL of every page about a resource (docs/resources, website/docs/r) and counts which argument is\n"
               "given which attribute of another resource. With a schema, links are dropped unless it has both ends, and\n"
               "paths are written as in the schema. Of several targets the one seen most often comes first.",
    .example = "  terrane links mine terraform-provider-aws --provider aws -o aws.links\n"
               "  terrane links mine terraform-provider-aws/website/docs/r --schema schema.json --generalise 5\n"
               "  terrane links mine docs --tsv | sort -t$'\\t' -k5nr | head",
    .run = run_mine,
};

const struct command command_links_convert = {
    .name = "links convert",
    .usage = "FILE... [-o FILE]",
    .summary = "make one link table from rows and other tables",
    .details = "A file is a table or has rows (source type, path, target type, target attribute, count, kind), as `terrane\n"
               "links mine --tsv` prints them. Files are read in order, so rules of the first ones win; repeated rules are\n"
               "dropped.",
    .example = "  terrane links convert aws.tsv -o aws.links\n"
               "  terrane links convert mine.links aws.tsv --generalise 5 -o all.links",
    .run = run_convert,
};

const struct command command_links_check = {
    .name = "links check",
    .usage = "FILE... (--schema FILE | --provider PROVIDER)",
    .summary = "check a link table against schemas",
    .details = "Both ends of every rule must exist, and lists and maps must be marked as such. Rules about types of\n"
               "providers that are not named are not checked. Exit code 1 if a rule is wrong.",
    .example = "  terrane links check aws.links --provider aws\n"
               "  terrane links check aws.links --schema schema.json --json",
    .run = run_check,
};

const struct command command_links_find = {
    .name = "links find",
    .usage = "TYPE [PATH] --table FILE",
    .summary = "show what a link table says about a type or an argument",
    .details = "With a path: the links of that argument; the first one wins. Without: all rules about the type, in order.",
    .example = "  terrane links find aws_lb --table aws.links\n"
               "  terrane links find aws_s3_bucket logging.target_bucket --table mine.links --table aws.links",
    .run = run_find,
};
