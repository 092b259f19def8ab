/*
 * The configuration of the provider for an object. In order, later values override earlier ones: spec.configuration of its
 * ProviderConfig, the credentials, other members of that spec under the provider's own names, and what the object sets (its
 * region).
 */
#include "base/ascii.h"
#include "base/file.h"
#include "controller/controller_private.h"
#include "controller/credentials.h"
#include "managed/init_provider.h"
#include "managed/translate.h"

#include <stdlib.h>

#define SETUP "cannot get terraform setup: "
enum { MAX_CREDENTIALS = 1 << 20 };

/* --- which ProviderConfig --- */

static const struct kind *config_of(const struct turn *t, const struct json *object, struct diags *diags, struct store_key *ret)
{
    const struct json *ref = managed_at(object, "spec", "providerConfigRef", NULL);
    struct str name = managed_text(json_get(ref, "name")), said = managed_text(json_get(ref, "kind"));
    bool cluster = t->kind->flavour == FLAVOUR_CLUSTER || !str_eqz(said, "ProviderConfig");
    const struct kind *kind = kinds_config(t->c->kinds, t->kind->provider, t->kind->flavour, cluster);
    if (!kind || (said.n > 0 && !str_eq(said, kind->kind))) {
        (void)diags_fail(diags, "Provider not configured",
                         SETUP "spec.providerConfigRef.kind is \"" STR_FMT "\", expected ProviderConfig or ClusterProviderConfig",
                         STR_ARG(said));
        return NULL;
    }
    *ret = (struct store_key){
        .group = kind->group,
        .kind = kind->kind,
        .namespace = kind->namespaced ? managed_namespace(object) : STR_EMPTY,
        .name = name.n > 0 ? name : STR("default"),
    };
    return kind;
}

bool setup_config(const struct turn *t, const struct json *object, struct diags *diags, struct store_key *ret)
{
    return config_of(t, object, diags, ret) != NULL;
}

/* --- spec.configuration --- */

/* The arguments have a model of their own; functions for objects expect them in the place of forProvider. */
static bool take_configuration(struct turn *t, const struct xp_kind *model, const struct json *config, struct diags *diags,
                               const struct json **ret)
{
    struct arena *a = t->arena;
    const struct json *said = managed_at(config, "spec", "configuration", NULL), *parameters;
    struct managed_missing_list missing = {0};
    *ret = NULL;
    if (!said)
        return true;
    const struct json *object = managed_put(a, json_make_object(a, NULL, 0), said, "spec", "forProvider", NULL);
    object = managed_put(a, object, managed_at(config, "metadata", NULL), "metadata", NULL);
    if (!managed_parameters_of(a, model, FOR_PROVIDER, said, diags, &parameters) ||
        !managed_add_secrets(a, managed_secret_inputs(a, model), object, parameters, turn_secret, t, diags, &missing,
                             &parameters))
        return false;
    managed_say_missing(diags, &missing);
    if (missing.n > 0)
        return false;
    *ret = managed_terraform_of(a, model, parameters);
    return true;
}

/* --- spec.credentials --- */

static bool secret_text(struct turn *t, const struct kind *kind, const struct json *config, const struct json *ref,
                        struct diags *diags, struct str *ret)
{
    struct str name = managed_text(json_get(ref, "name")), key = managed_text(json_get(ref, "key"));
    struct str namespace = kind->namespaced ? managed_namespace(config) : managed_text(json_get(ref, "namespace"));
    if (!ref)
        return diags_fail(diags, "Credentials not available",
                          SETUP "cannot extract credentials: cannot extract from secret key when none specified");
    const struct json *data = turn_secret(t, namespace, name);
    if (!data)
        return diags_fail(diags, "Credentials not available",
                          SETUP "cannot extract credentials: cannot get credentials secret: Secret \"" STR_FMT "\" not found",
                          STR_ARG(name));
    const struct json *value = json_get_str(data, key);
    if (!value)
        return diags_fail(diags, "Credentials not available",
                          SETUP "cannot extract credentials: the Secret \"" STR_FMT "\" in the namespace \"" STR_FMT
                                "\" has no key \"" STR_FMT "\"",
                          STR_ARG(name), STR_ARG(namespace), STR_ARG(key));
    *ret = value->text;
    return true;
}

static bool env_text(struct turn *t, const struct json *env, struct diags *diags, struct str *ret)
{
    struct str name = arena_str(t->arena, managed_text(json_get(env, "name")));
    const char *value = name.n > 0 ? getenv(name.p) : NULL;
    if (!value)
        return diags_fail(diags, "Credentials not available",
                          SETUP "cannot extract credentials: the environment of this program has no variable \"" STR_FMT "\"",
                          STR_ARG(name));
    *ret = arena_str(t->arena, str_of(value));
    return true;
}

static bool file_text(struct turn *t, const struct json *fs, struct diags *diags, struct str *ret)
{
    struct str path = arena_str(t->arena, managed_text(json_get(fs, "path")));
    struct diags why;
    diags_init(&why, t->arena);
    if (file_read(t->arena, path.p, MAX_CREDENTIALS, &why, ret))
        return true;
    return diags_fail(diags, "Credentials not available", SETUP "cannot extract credentials: " STR_FMT,
                      STR_ARG(says(t->arena, &why)));
}

/* The text of the credentials; empty: the provider finds them in its environment. */
static bool credentials_text(struct turn *t, const struct kind *kind, const struct json *config, struct diags *diags,
                             struct str *ret)
{
    const struct json *said = managed_at(config, "spec", "credentials", NULL);
    struct str source = managed_text(json_get(said, "source"));
    *ret = STR_EMPTY;
    if (str_eqz(source, "Secret"))
        return secret_text(t, kind, config, json_get(said, "secretRef"), diags, ret);
    if (str_eqz(source, "Environment"))
        return env_text(t, json_get(said, "env"), diags, ret);
    if (str_eqz(source, "Filesystem"))
        return file_text(t, json_get(said, "fs"), diags, ret);
    if (source.n == 0 || str_eqz(source, "None") || str_eqz(source, "InjectedIdentity") || str_eqz(source, "IRSA") ||
        str_eqz(source, "PodIdentity") || setup_is_identity(source))
        return true;
    return diags_fail(diags, "Credentials not available",
                      SETUP "cannot extract credentials: the source \"" STR_FMT
                            "\" is not supported; expected Secret, Environment, Filesystem, None or InjectedIdentity",
                      STR_ARG(source));
}

/* --- everything together --- */

/* Provider arguments that the object sets itself. */
static bool take_own(struct turn *t, const struct schema_block *block, const struct json *object, const struct json *so_far,
                     struct diags *diags, const struct json **ret)
{
    const struct json *beside;
    if (!managed_beside(t->arena, t->model, object, diags, &beside))
        return false;
    for (size_t i = 0; i < managed_count(beside); i++)
        if (schema_block_attr(block, beside->object.members[i].key))
            so_far = json_with(t->arena, so_far, beside->object.members[i].key, beside->object.members[i].value);
    *ret = so_far;
    return true;
}

static bool configuration_of(struct turn *t, const struct kind *kind, const struct json *config, const struct json *object,
                             struct diags *diags, const struct json **ret)
{
    const struct schema_block *block = t->kind->provider->schema->provider->block;
    const struct xp_kind *model = kinds_model(t->c->kinds, kind, diags);
    const struct json *made = NULL;
    struct str text;
    if (!model || !take_configuration(t, model, config, diags, &made) || !credentials_text(t, kind, config, diags, &text))
        return false;
    const struct json *credentials;
    if (!credentials_read(t->arena, block, t->kind->provider->config->provider, text, diags, &credentials))
        return false;
    made = managed_merge(t->arena, credentials, made ? made : json_make_object(t->arena, NULL, 0));
    made = setup_beside(t->arena, block, config, made);
    if (!take_own(t, block, object, made, diags, &made))
        return false;
    *ret = setup_upjet(t->arena, t->kind->provider, config, made);
    return true;
}

static struct scheduler *scheduler_for(struct turn *t, const struct json *config, struct diags *diags)
{
    struct str said = managed_annotation(config, CONTROLLER_SCHEDULER);
    enum controller_backend backend = t->c->options.backend;
    if (str_eqz(said, "grpc"))
        backend = CONTROLLER_GRPC;
    else if (str_eqz(said, "cli"))
        backend = CONTROLLER_CLI;
    else if (said.n > 0)
        (void)diags_fail(diags, "Unknown scheduler",
                         SETUP "the annotation " CONTROLLER_SCHEDULER " is \"" STR_FMT "\", expected grpc or cli", STR_ARG(said));
    if (!diags_has_errors(diags) && !t->c->options.schedulers[backend])
        (void)diags_fail(diags, "No such scheduler", SETUP "the scheduler \"%s\" is not available: %s",
                         backend == CONTROLLER_CLI ? "cli" : "grpc",
                         backend == CONTROLLER_CLI ? "no terraform or tofu was found" : "it was not started");
    return diags_has_errors(diags) ? NULL : t->c->options.schedulers[backend];
}

bool setup_make(struct turn *t, const struct json *object, int64_t deadline, struct diags *diags, struct setup *ret)
{
    struct store_key key;
    const struct json *configuration;
    const struct kind *kind = config_of(t, object, diags, &key);
    if (!kind)
        return false;
    t->config = key_text(t->arena, &key);
    const struct json *config = turn_get(t, &key, diags);
    if (!config && !diags_has_errors(diags))
        (void)diags_fail(diags, "Provider not configured",
                         SETUP "%scannot get referenced ProviderConfig: " STR_FMT "." STR_FMT " \"" STR_FMT "\" not found",
                         t->kind->flavour == FLAVOUR_NAMESPACED ? "cannot resolve provider config: " : "", STR_ARG(key.kind),
                         STR_ARG(key.group), STR_ARG(key.name));
    if (!config || !configuration_of(t, kind, config, object, diags, &configuration))
        return false;
    struct scheduler *scheduler = scheduler_for(t, config, diags);
    if (!scheduler)
        return false;
    *ret = (struct setup){
        .scheduler = scheduler,
        .provider = {t->kind->provider->address, t->kind->provider->path, configuration},
        .templates = json_with(t->arena, NULL, STR("configuration"), configuration),
    };
    return metadata_add(t, deadline, diags, ret);
}
