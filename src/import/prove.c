#include "import/prove.h"

#include "base/file.h"
#include "base/lock.h"
#include "engine/request.h"
#include "import/evaluate.h"
#include "loop/capture.h"
#include "output/temporary.h"
#include "value/json_value.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { MAX_OUTPUT = 64 << 20, MAX_SHOWN = 4 << 10 };

/* --- by the engine --- */

struct proof {
    struct worklist *list;
    const struct import_files *files;
    struct map objects, variables;
    size_t *todo;
    bool fresh;
    pthread_mutex_t lock; /* guards the list's arena and the count */
    size_t failed;
};

static enum engine_status prove_one(void *ctx, struct engine *e, size_t i)
{
    struct proof *p = ctx;
    size_t number = p->todo[i];
    const struct import_item *item = &p->list->items.v[number];
    struct evaluation ev = {.arena = e->arena, .objects = &p->objects, .variables = &p->variables, .diags = e->diags};
    const char *source = arena_printf(e->arena, STR_FMT ".tf", STR_ARG(item->type)).p;
    const struct hcl_body *file = hcl_parse(e->arena, p->files->objects[number], source, 1, e->diags);
    const struct schema_block *schema = item->result->resource.schema->block;
    struct wanted wanted = {.no_refresh = !p->fresh};
    wanted.config = file ? evaluate_resource(&ev, schema, &file->blocks[0].body, &wanted.ignore) : NULL;
    if (!wanted.config)
        return ENGINE_FAILED;
    struct request q = {.engine = e, .type = item->type, .name = item->name};
    struct plan plan;
    enum engine_status s = request_plan(&q, &item->result->instance, &wanted, &plan);
    if (s != ENGINE_OK || plan.action == ACTION_NO_OP)
        return s;
    struct buf names BUF_AUTO = BUF_INIT(1 << 20);
    struct change_paths differences = {0};
    if (plan.prior.value && plan.planned->state == VALUE_KNOWN)
        differences = import_differences(e->arena, plan.prior.value, plan.planned);
    for (size_t k = 0; k < differences.n; k++) {
        buf_addz(&names, k > 0 ? ", " : ": ");
        path_write(&names, differences.v[k]);
    }
    (void)diags_fail(e->diags, "Plan is not empty", "What was written would %s the object" STR_FMT ".",
                     change_action_name(plan.action), STR_ARG(buf_str(&names)));
    return ENGINE_FAILED;
}

static void proven(void *ctx, size_t i, enum engine_status status, struct arena *a, const struct diags *diags)
{
    struct proof *p = ctx;
    struct import_item *item = &p->list->items.v[p->todo[i]];
    mutex_lock(&p->lock);
    if (status != ENGINE_OK) {
        p->failed++;
        item->status = IMPORT_FAILED;
        item->error = STR("It could not be verified.");
        for (size_t k = diags->n; k-- > 0;)
            if (diags->v[k].severity == DIAG_ERROR)
                item->error =
                    arena_printf(p->list->arena, STR_FMT ": " STR_FMT, STR_ARG(diags->v[k].summary), STR_ARG(diags->v[k].detail));
    }
    mutex_unlock(&p->lock);
    arena_free(a);
}

static struct str region_of(void *ctx, size_t i)
{
    const struct proof *p = ctx;
    return p->list->items.v[p->todo[i]].region;
}

static const struct json *value_json(struct arena *a, const struct value *v)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf out BUF_AUTO = BUF_INIT(MAX_OUTPUT);
    struct json_writer w = {.out = &out};
    bool ok = value_write_json(&w, v, v->type, &diags) && json_finish(&w);
    return ok ? json_parse(a, buf_copy(&out, a), "variable", &diags) : NULL;
}

size_t import_prove(const struct import_reading *r, struct worklist *w, const struct import_files *files, bool fresh)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct proof p = {.list = w, .files = files, .fresh = fresh, .todo = arena_make_n(a, size_t, w->items.n)};
    size_t n = 0;
    map_init(&p.objects, a);
    map_init(&p.variables, a);
    for (size_t i = 0; i < w->items.n; i++) {
        const struct import_item *item = &w->items.v[i];
        if (!item->result)
            continue;
        if (item->place == IMPORT_NEW)
            p.todo[n++] = i;
        map_put(&p.objects, arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(item->type), STR_ARG(item->name)),
                (void *)(uintptr_t)item->result->instance.attributes);
    }
    for (size_t i = 0; i < files->variables.n; i++)
        map_put(&p.variables, files->variables.v[i].name, (void *)(uintptr_t)value_json(a, files->variables.v[i].value));
    mutex_init(&p.lock);
    import_run_jobs(&(struct import_jobs){r, prove_one, proven, &p, region_of}, n);
    mutex_destroy(&p.lock);
    return p.failed;
}

/* --- by terraform --- */

const char *import_find_program(struct arena *a, const char *const *names)
{
    const char *path = getenv("PATH");
    for (; *names; names++)
        for (struct str rest = str_of(path); rest.n > 0;) {
            struct str folder = str_cut(&rest, ':');
            struct str file = arena_printf(a, STR_FMT "/%s", STR_ARG(folder), *names);
            struct stat st;
            if (folder.n > 0 && stat(file.p, &st) == 0 && S_ISREG(st.st_mode) && access(file.p, X_OK) == 0)
                return file.p;
        }
    return NULL;
}

static const char *const *environment(struct arena *a, const char *cli_config)
{
    extern char **environ;
    VEC(const char *) all = {0};
    for (char **e = environ; *e; e++) {
        struct str s = str_of(*e);
        if (!str_starts(s, STR("TF_CLI_")) && !str_starts(s, STR("TF_REATTACH_")) && !str_starts(s, STR("TF_DATA_DIR=")) &&
            !str_starts(s, STR("TF_WORKSPACE=")) && !str_starts(s, STR("TF_PLUGIN_CACHE_DIR=")) && !str_starts(s, STR("TF_VAR_")))
            *VEC_PUSH(a, &all) = *e;
    }
    *VEC_PUSH(a, &all) = arena_printf(a, "TF_CLI_CONFIG_FILE=%s", cli_config).p;
    *VEC_PUSH(a, &all) = "CHECKPOINT_DISABLE=1";
    *VEC_PUSH(a, &all) = "TF_IN_AUTOMATION=1";
    *VEC_PUSH(a, &all) = NULL;
    return (const char *const *)all.v;
}

/* The exit code; -1: it could not be run, or was interrupted. */
static int run_program(const struct import_cli *c, struct arena *a, const char *folder, const char *const *args,
                       struct diags *diags, struct str *ret_output)
{
    VEC(const char *) argv = {0};
    *VEC_PUSH(a, &argv) = c->program;
    for (; *args; args++)
        *VEC_PUSH(a, &argv) = *args;
    *VEC_PUSH(a, &argv) = NULL;
    struct captured done;
    struct capture_options options = {
        .loop = c->loop,
        .path = c->program,
        .argv = (const char *const *)argv.v,
        .env = environment(a, arena_printf(a, "%s/cli.tfrc", folder).p),
        .folder = folder,
        .max_out = MAX_OUTPUT,
        .deadline = NO_DEADLINE,
        .cancel = c->cancel,
        .cancel_signal = SIGINT,
    };
    if (!capture_all(&options, diags, &done))
        return -1;
    *ret_output = arena_printf(a, STR_FMT STR_FMT, STR_ARG(buf_str(&done.out)), STR_ARG(buf_str(&done.err)));
    int code = capture_exit_code(&done);
    capture_wipe(&done);
    return code;
}

static const char *platform(struct arena *a)
{
    struct utsname name;
    static const char *const known[][2] = {{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"i686", "386"}, {"armv7l", "arm"}};
    if (uname(&name) != 0)
        return "linux_amd64";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name.machine, known[i][0]) == 0)
            return arena_printf(a, "linux_%s", known[i][1]).p;
    return arena_printf(a, "linux_%s", name.machine).p;
}

/* Puts the provider of this run where init looks for it; tofu uses another default host. */
static bool make_mirror(const struct import_cli *c, struct arena *a, const char *folder, struct diags *diags)
{
    struct str source = import_provider_source(c->provider_address), name = import_provider_name(c->provider_address);
    bool usual = source.n < c->provider_address.n;
    static const char *const hosts[] = {"registry.terraform.io/", "registry.opentofu.org/"};
    struct str version = c->provider_version.n > 0 ? c->provider_version : STR("0.0.1");
    for (size_t i = 0; i < (usual ? 2U : 1U); i++) {
        struct str place = arena_printf(a, "%s/mirror/%s" STR_FMT "/" STR_FMT "/%s", folder, usual ? hosts[i] : "",
                                        STR_ARG(source), STR_ARG(version), platform(a));
        struct str link =
            arena_printf(a, STR_FMT "/terraform-provider-" STR_FMT "_v" STR_FMT, STR_ARG(place), STR_ARG(name), STR_ARG(version));
        if (!file_make_folder(place.p, 0700, diags))
            return false;
        if (symlink(arena_str(a, c->provider_path).p, link.p) != 0)
            return diags_fail(diags, "Cannot verify", "%s: %s.", link.p, strerror(errno));
    }
    struct str config =
        arena_printf(a, "provider_installation {\n  filesystem_mirror {\n    path = \"%s/mirror\"\n  }\n}\n", folder);
    return file_write(arena_printf(a, "%s/cli.tfrc", folder).p, config, 0600, diags);
}

static bool uses_identity(struct str content)
{
    return strstr(content.p, "identity") != NULL;
}

/* Writes the files. Import blocks by identity need newer programs, so they are left out; those objects are in the state. */
static bool lay_out(const struct import_cli *c, struct arena *a, const char *folder, const struct import_files *files,
                    struct diags *diags)
{
    unsigned syntax = c->json ? IMPORT_TO_JSON : IMPORT_TO_HCL;
    for (size_t i = 0; i < files->files.n; i++) {
        const struct import_file *f = &files->files.v[i];
        bool state = f->to == IMPORT_TO_STATE, imports = (f->to & IMPORT_TO_IMPORTS) != 0;
        if (!(state || (f->to & syntax)) || (imports && uses_identity(f->content)))
            continue;
        if (!file_write(arena_printf(a, "%s/" STR_FMT, folder, STR_ARG(f->path)).p, f->content, 0600, diags))
            return false;
    }
    return make_mirror(c, a, folder, diags);
}

static enum import_cli_end run_all(const struct import_cli *c, struct arena *a, const char *folder, struct diags *diags,
                                   struct str *ret_output)
{
    static const char *const steps[][8] = {
        {"init", "-input=false", "-no-color", "-backend=false", NULL},
        {"validate", "-no-color", NULL},
        {"plan", "-input=false", "-no-color", "-detailed-exitcode", "-lock=false", NULL},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct str output = STR_EMPTY;
        int code = run_program(c, a, folder, steps[i], diags, &output);
        *ret_output = output;
        if (code == 2 && i == 2)
            return IMPORT_CLI_CHANGES;
        if (code == 0)
            continue;
        if (!cancel_fired(c->cancel))
            (void)diags_fail(diags, "Verification failed", "%s %s ended with status %d.\n\n" STR_FMT, c->program, steps[i][0],
                             code, STR_ARG(str_slice(str_trim(output), 0, MAX_SHOWN)));
        return IMPORT_CLI_FAILED;
    }
    return IMPORT_CLI_CLEAN;
}

enum import_cli_end import_prove_by_cli(const struct import_cli *c, struct arena *a, const struct import_files *files,
                                        struct diags *diags, struct str *ret_output)
{
    struct temporary folder; /* the state has secrets: the next run removes the folder of a killed one */
    const char *parent = temporary_parent(SIZE_MAX);
    *ret_output = STR_EMPTY;
    if (!temporary_make(a, parent, "terrane-import-", &folder)) {
        (void)diags_fail(diags, "Cannot verify", "cannot create a folder in %s: %s.", parent, strerror(errno));
        return IMPORT_CLI_FAILED;
    }
    bool ok = lay_out(c, a, folder.path, files, diags);
    enum import_cli_end end = ok ? run_all(c, a, folder.path, diags, ret_output) : IMPORT_CLI_FAILED;
    temporary_remove(&folder);
    return end;
}
