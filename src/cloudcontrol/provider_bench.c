/*
 * Measures the start time and memory of a provider with these types, launched as Terraform launches it (only its own process
 * counts), or the time to translate all schemas. Prints one JSON object; used by `make bench`, not a test.
 */
#include "base/buf.h"
#include "change/change.h"
#include "plugin/launch.h"
#include "translate/pack_write.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] = "usage: cloudcontrol_bench schema PROVIDER      start, and the whole schema\n"
                            "       cloudcontrol_bench plan PROVIDER TYPE   start, and the plan of a creation\n"
                            "       cloudcontrol_bench translate FROM       all schemas of a folder or file\n";

struct bench {
    struct arena *arena;
    struct diags diags;
    struct loop *loop;
    int64_t start;
};

static _Noreturn void give_up(const struct bench *b)
{
    struct buf text = BUF_INIT(1 << 16);
    diags_write(&text, &b->diags, false);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    exit(1);
}

static double ms_since(int64_t start)
{
    return (double)(clock_now(&system_clock) - start) / 1e6;
}

/* --- a process --- */

/* The number after this text at the start of a line; 0 if there is none. */
static long number_in(const char *path, const char *after)
{
    char line[256];
    long n = 0;
    FILE *f = fopen(path, "re");
    while (f && n == 0 && fgets(line, sizeof line, f))
        if (strncmp(line, after, strlen(after)) == 0)
            n = strtol(line + strlen(after), NULL, 10);
    if (f)
        (void)fclose(f);
    return n;
}

/* Peak memory of our one child process in KiB; 0 if unknown. */
static long peak_of_child(void)
{
    char path[300];
    long pid = 0;
    DIR *threads = opendir("/proc/self/task");
    struct dirent *thread;
    while (threads && pid == 0 && (thread = readdir(threads)) != NULL) {
        (void)snprintf(path, sizeof path, "/proc/self/task/%s/children", thread->d_name);
        pid = number_in(path, "");
    }
    if (threads)
        (void)closedir(threads);
    (void)snprintf(path, sizeof path, "/proc/%ld/status", pid);
    return number_in(path, "VmHWM:");
}

static struct provider *launch(struct bench *b, const char *path)
{
    struct provider *p;
    b->start = clock_now(&system_clock);
    if (!provider_launch(&(struct launch_options){.loop = b->loop, .path = path, .name = STR("provider")}, &b->diags, &p))
        give_up(b);
    return p;
}

static void fetch(struct bench *b, struct provider *p, struct schema_bytes *ret)
{
    if (!provider_fetch_schema_bytes(p, b->arena, NULL, &b->diags, ret))
        give_up(b);
}

static void measure_schema(struct bench *b, const char *path)
{
    struct schema_bytes bytes;
    struct provider *p = launch(b, path);
    double started = ms_since(b->start);
    fetch(b, p, &bytes);
    double all = ms_since(b->start);
    printf("{\"started_ms\":%.3f,\"ms\":%.3f,\"bytes\":%zu,\"peak_kib\":%ld}\n", started, all,
           bytes.schema.n + bytes.identities.n, peak_of_child());
    provider_free(p);
}

/* --- a plan --- */

static const struct provider_schema *learn_schema(struct bench *b, const char *path)
{
    struct schema_bytes bytes;
    struct provider *p = launch(b, path);
    fetch(b, p, &bytes);
    provider_free(p);
    const struct provider_schema *schema = schema_bytes_decode(b->arena, &bytes, &b->diags);
    if (!schema)
        give_up(b);
    return schema;
}

/* A minimal configuration for a create: required attributes are unknown, as if they came from another resource. */
static const struct value *make_config(struct arena *a, const struct schema_block *block)
{
    const struct type *t = block->type;
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++)
        parts[i] = value_null(a, t->attrs[i].type);
    for (size_t i = 0; i < block->n_attrs; i++)
        for (size_t k = 0; k < t->n; k++)
            if (block->attrs[i].required && str_eq(t->attrs[k].name, block->attrs[i].name))
                parts[k] = value_unknown(a, t->attrs[k].type);
    return value_object(a, t, parts);
}

/* Like Terraform core, reuses a known schema, and fetches it again only if the provider requires that. */
static void measure_plan(struct bench *b, const char *path, const char *type_name)
{
    const struct provider_schema *schema = learn_schema(b, path);
    const struct schema *type = map_get(&schema->resources, str_of(type_name));
    if (!type) {
        (void)diags_fail(&b->diags, "Unknown type", "The provider has no type \"%s\".", type_name);
        give_up(b);
    }
    const struct value *config = make_config(b->arena, type->block);
    const struct value *prior = value_null(b->arena, type->block->type);
    const struct plan_request request = {
        .type_name = str_of(type_name),
        .prior_state = prior,
        .proposed_new_state = change_proposed_new(b->arena, type->block, prior, config),
        .config = config,
    };
    struct plan_response response;
    struct provider *p = launch(b, path);
    double started = ms_since(b->start);
    provider_use_schema(p, schema);
    if (provider_plan(p, b->arena, &request, NULL, &b->diags, &response) != PROVIDER_OK || diags_has_errors(&b->diags))
        give_up(b);
    double all = ms_since(b->start);
    printf("{\"started_ms\":%.3f,\"ms\":%.3f,\"peak_kib\":%ld}\n", started, all, peak_of_child());
    provider_free(p);
}

/* --- translation --- */

static void measure_translation(struct bench *b, const char *from)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct cfn_sources sources;
    if (!cfn_sources_read(b->arena, from, &b->diags, &sources))
        give_up(b);
    size_t n = 0;
    double parse = 0, translate = 0, schema = 0;
    struct schema_builder *builder = schema_builder_new(b->arena);
    for (size_t i = 0; i < sources.n; i++, arena_reset(scratch)) {
        int64_t start = clock_now(&system_clock);
        const struct cfn_schema *cfn = cfn_schema_parse(scratch, sources.v[i].text, "schema", &b->diags);
        parse += ms_since(start);
        if (!cfn)
            continue;
        start = clock_now(&system_clock);
        const struct cc_type *type = cc_translate(scratch, cfn, CFN_MODE_DEFAULT);
        translate += ms_since(start);
        start = clock_now(&system_clock);
        cc_schema_add(builder, type);
        schema += ms_since(start);
        n++;
    }
    printf("{\"types\":%zu,\"parse_ms\":%.3f,\"translate_ms\":%.3f,\"schema_ms\":%.3f}\n", n, parse, translate, schema);
}

int main(int argc, char **argv)
{
    struct str what = argc > 2 ? str_of(argv[1]) : STR_EMPTY;
    struct bench b = {.arena = arena_new(NULL, 0), .loop = loop_new()};
    diags_init(&b.diags, b.arena);
    bool known = true;
    if (argc == 3 && str_eq(what, STR("schema")))
        measure_schema(&b, argv[2]);
    else if (argc == 4 && str_eq(what, STR("plan")))
        measure_plan(&b, argv[2], argv[3]);
    else if (argc == 3 && str_eq(what, STR("translate")))
        measure_translation(&b, argv[2]);
    else
        known = false;
    if (!known)
        (void)fputs(usage, stderr);
    loop_free(b.loop);
    arena_free(b.arena);
    return known ? 0 : 2;
}
