#include "objects/backends.h"

#include "scheduler/backend.h"

#include <unistd.h>

/* NULL: there is none. */
static const char *find_program(struct arena *a)
{
    static const char *const names[] = {"terraform", "tofu"};
    struct str path = str_of(app_environment("PATH"));
    for (size_t i = 0; i < 2; i++)
        for (struct str rest = path; rest.n > 0;) {
            struct str folder = str_cut(&rest, ':');
            const char *program = arena_printf(a, STR_FMT "/%s", STR_ARG(folder), names[i]).p;
            if (folder.n > 0 && access(program, X_OK) == 0)
                return program;
        }
    return NULL;
}

bool backends_make_cli(const struct backends_cli *o, struct scheduler **ret)
{
    struct arena *a = o->app->arena;
    struct diags ignored, *diags = o->is_needed ? &o->app->diags : &ignored;
    struct cli_options options = {.loop = app_loop(o->app), .log = o->log, .program = find_program(a), .folder = o->folder};
    diags_init(&ignored, a);
    *ret = NULL;
    if (!options.program)
        return !o->is_needed ||
               diags_fail(diags, "No terraform", "The scheduler \"cli\" runs terraform or tofu, and neither is in PATH.");
    struct backend *backend = backend_cli_new(&options, diags);
    if (!backend)
        return !o->is_needed;
    *ret = scheduler_new(&(struct scheduler_options){.loop = app_loop(o->app), .log = o->log}, backend);
    return true;
}
