#include "cli/provider_source.h"

#include "cli/installer.h"

/* A missing provider is installed if the user wants that; then it is found as any other. */
static bool find_or_install(const struct app *app, const struct find_context *context, struct arena *a, struct str what,
                            struct str constraint, struct diags *diags, struct found_provider *ret)
{
    struct diags absent;
    diags_init(&absent, a);
    bool wanted;
    if (provider_find(context, a, what, constraint, &absent, ret)) {
        diags_append(diags, &absent);
        return true;
    }
    if (!installer_wanted(app, a, diags, &wanted))
        return false;
    if (!wanted || provider_is_path(context, a, what)) {
        diags_append(diags, &absent);
        return false;
    }
    struct install_wanted install = {.provider = what, .constraint = constraint, .platform = str_of(context->platform)};
    struct installed done;
    return installer_run(app, context, a, &install, 1, diags, &done) && provider_find(context, a, what, constraint, diags, ret);
}

static bool find_binary(const struct app *app, const struct find_context *context, struct arena *a, struct str what,
                        struct str constraint, struct diags *diags, struct provider_source *ret)
{
    struct found_provider found;
    if (!find_or_install(app, context, a, what, constraint, diags, &found))
        return false;
    *ret = (struct provider_source){
        .address = provider_address_text(a, &found.address),
        .version = found.version,
        .path = found.path,
    };
    return true;
}

/* Sets *ret_found if TF_REATTACH_PROVIDERS names the provider; false if the variable or the address is invalid. */
static bool find_running(struct arena *a, struct str what, struct diags *diags, bool *ret_found, struct provider_source *ret)
{
    const char *variable = app_environment("TF_REATTACH_PROVIDERS");
    struct provider_address address;
    struct reattach r;
    *ret_found = false;
    if (!variable)
        return true;
    if (!provider_address_parse(a, what, diags, &address) ||
        !reattach_find(a, str_of(variable), provider_address_text(a, &address), diags, ret_found, &r))
        return false;
    if (*ret_found)
        *ret = (struct provider_source){.address = provider_address_text(a, &address), .attached = true, .reattach = r};
    return true;
}

static bool find_any(struct app *app, struct str what, struct str constraint, struct provider_source *ret)
{
    struct find_context context;
    if (!app_find_context(app, &context))
        return false;
    if (provider_is_path(&context, app->arena, what))
        return find_binary(app, &context, app->arena, what, constraint, &app->diags, ret);
    bool running;
    if (!find_running(app->arena, what, &app->diags, &running, ret))
        return false;
    return running ||
           (app_cli_config(app, &context) && find_binary(app, &context, app->arena, what, constraint, &app->diags, ret));
}

bool provider_source_find(const struct app *app, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                          struct provider_source *ret)
{
    struct app own = *app;
    own.arena = a;
    diags_init(&own.diags, a);
    bool ok = find_any(&own, what, constraint, ret);
    diags_append(diags, &own.diags);
    return ok;
}
