#include "cluster/reach.h"

#include "cluster/selection.h"

#include <unistd.h>

bool reach_cluster(struct app *app, struct arena *a, const struct reach_options *o, struct log *log,
                   struct kubeconfig *ret_config, struct kube **ret)
{
    const char *const *env = (const char *const *)environ;
    const struct kubeconfig_options from = {.env = env, .file = o->kubeconfig, .context = o->context};
    if (!kubeconfig_load(a, &from, &app->diags, ret_config))
        return false;
    *ret = kube_new(
        &(struct kube_options){
            .loop = app_loop(app), .config = ret_config, .env = env, .user_agent = STR("terrane/" TERRANE_VERSION), .log = log},
        &app->diags);
    return *ret != NULL;
}

static enum xp_flavour flavours_of(const char *word)
{
    return !word || strcmp(word, "both") == 0 ? FLAVOUR_BOTH
           : strcmp(word, "cluster") == 0     ? FLAVOUR_CLUSTER
                                              : FLAVOUR_NAMESPACED;
}

bool reach_kinds(struct app *app, struct arena *a, const struct reach_options *o, struct serve *serve, struct kinds_list *ret)
{
    const struct project nothing = {.scheduler = STR_EMPTY}, *settings = o->settings ? o->settings : &nothing;
    const struct serve_request request = {o->providers, o->configs, settings};
    struct map no_groups;
    map_init(&no_groups, a);
    if (!serve_begin(serve, app, &request, &no_groups))
        return false;
    const struct selection_options selection = {.only = o->only->n > 0 ? (struct patterns){o->only->v, o->only->n}
                                                                       : (struct patterns){settings->only.v, settings->only.n},
                                                .flavours = flavours_of(o->flavour),
                                                .kinds = serve->kinds};
    return selection_make(a, &selection, &app->diags, ret);
}
