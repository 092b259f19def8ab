/* Shared by `terrane up` and `terrane plan`: the folder, the providers of its kinds, the engine. */
#include "objects/up.h"

#include "base/file.h"
#include "engine/pool.h"
#include "objects/admit.h"
#include "scheduler/backend.h"

#define IDLE_PROVIDER_NS (600 * NS_PER_S)
#define STOP_NS (60 * NS_PER_S)

struct str up_project_text(struct up *u, struct arena *a)
{
    struct diags ignored;
    struct str text = STR_EMPTY;
    diags_init(&ignored, a);
    if (!folder_is_input(u->folder))
        (void)file_read(a, arena_printf(a, "%s/" FOLDER_PROJECT, folder_path(u->folder)).p, PROJECT_MAX_FILE, &ignored, &text);
    return text;
}

bool up_open(struct up *u)
{
    struct app *app = u->app;
    const char *path = u->options->path;
    bool is_input = strcmp(path, "-") == 0;
    if (!is_input && !project_read(u->arena, path, &app->diags, &u->project))
        return false;
    app->install = u->options->install || u->project.auto_install;
    size_t n = 0;
    const char **except = arena_make_n(u->arena, const char *, u->project.n_providers + u->options->configs.n);
    for (size_t i = 0; i < u->project.n_providers; i++)
        if (u->project.providers[i].config)
            except[n++] = u->project.providers[i].config;
    for (size_t i = 0; i < u->options->configs.n; i++)
        except[n++] = u->options->configs.v[i];
    u->folder = folder_open(path, except, n, &app->diags);
    if (!u->folder)
        return false;
    u->project_text = up_project_text(u, u->arena);
    return true;
}

bool up_serve(struct up *u, struct folder_files *ret)
{
    struct map groups;
    struct serve_request request = {&u->options->providers, &u->options->configs, &u->project};
    map_init(&groups, u->arena);
    if (!up_look(u, ret) || !up_groups(u, ret, &groups) || !serve_begin(&u->serve, u->app, &request, &groups))
        return false;
    u->admit = admit_new(u->serve.kinds);
    return true;
}

void up_engine(struct up *u)
{
    u->pool = pool_new(&(struct pool_options){
        .loop = app_loop(u->app), .log = u->log, .cache_folder = u->app->cache_folder, .idle_ns = IDLE_PROVIDER_NS});
    u->schedulers[CONTROLLER_GRPC] =
        scheduler_new(&(struct scheduler_options){.loop = app_loop(u->app), .log = u->log}, backend_grpc_new(u->pool, u->log));
}

void up_end(struct up *u)
{
    if (u->options->watched)
        watched_rest(u->options->watched);
    if (u->controller && !controller_stop(u->controller, clock_now(&system_clock) + STOP_NS))
        show_line(u->show, "Some operations were still running; the next `terrane up` finds out how they ended.");
    controller_free(u->controller);
    for (size_t i = 0; i < CONTROLLER_BACKENDS; i++)
        scheduler_free(u->schedulers[i]);
    pool_free(u->pool);
    admit_free(u->admit);
    serve_end(&u->serve);
    store_close(u->store);
    folder_free(u->folder);
    if (u->options->watched)
        watched_unlog(u->options->watched);
    up_log_close(u->log_file);
    arena_free(u->claims_arena);
    arena_free(u->arena);
}
