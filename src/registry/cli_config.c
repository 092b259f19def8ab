/*
 * Converts the tree of a file (hcl1.h) to the settings. Like Terraform, this is strict inside provider_installation (kinds of
 * blocks, no "=", no labels, order) and lenient elsewhere. All problems of a file are reported, not only the first.
 *
 * JSON has no blocks: an object, or a list of objects, stands for one or several blocks of its key.
 */
#include "registry/cli_config.h"

#include "base/vec.h"
#include "registry/address.h"
#include "registry/hcl1.h"

#include <inttypes.h>
#include <strings.h>

struct decoder {
    struct arena *arena;
    const char *source;
    struct diags *diags;
    VEC(struct install_method) methods;
    VEC(struct dev_override) overrides;
    struct str plugin_cache_dir;
    size_t n_installations;
    VEC(struct host_token) tokens;
    VEC(struct host_service) services;
    struct credentials_helper helper;
    bool has_downloads;
};

static bool __attribute__((format(printf, 4, 5))) fail_at(struct decoder *d, uint32_t line, uint32_t column, const char *format,
                                                          ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(d->diags->arena, format, args);
    va_end(args);
    return diags_fail(d->diags, "Invalid CLI configuration", "%s:%" PRIu32 ":%" PRIu32 ": " STR_FMT ".", d->source, line, column,
                      STR_ARG(text));
}

/* The last attribute with that name (HCL 1 ignores case here); NULL: none. */
static const struct hcl1_value *attribute(const struct hcl1_value *body, struct str name)
{
    const struct hcl1_value *found = NULL;
    for (size_t i = 0; i < body->body.n; i++) {
        const struct hcl1_item *item = &body->body.v[i];
        if (item->n_labels == 0 && item->key.n == name.n && strncasecmp(item->key.p, name.p, name.n) == 0)
            found = &item->value;
    }
    return found;
}

/* Text that can be a path; as in Terraform, numbers are accepted too. */
static bool get_text(struct decoder *d, const struct hcl1_value *v, const char *name, struct str *ret)
{
    if (v->kind != HCL1_STRING && v->kind != HCL1_NUMBER)
        return fail_at(d, v->line, v->column, "%s must be a string", name);
    if (str_find(v->text, '\0', 0) != SIZE_MAX)
        return fail_at(d, v->line, v->column, "%s must not hold a NUL character", name);
    *ret = arena_str(d->arena, v->text);
    return true;
}

static bool get_pattern(struct decoder *d, const struct hcl1_value *v, const char *name, struct str *ret)
{
    struct str text = STR_EMPTY;
    if (!get_text(d, v, name, &text))
        return false;
    const char *problem = provider_pattern_problem(text);
    if (problem)
        return fail_at(d, v->line, v->column, "\"" STR_FMT "\" in %s is not a valid provider pattern: %s", STR_ARG(text), name,
                       problem);
    *ret = text;
    return true;
}

static bool get_patterns(struct decoder *d, const struct hcl1_value *body, const char *name, const struct str **ret,
                         size_t *ret_n)
{
    *ret = NULL;
    *ret_n = 0;
    const struct hcl1_value *list = attribute(body, str_of(name));
    if (!list)
        return true;
    if (list->kind != HCL1_LIST)
        return fail_at(d, list->line, list->column, "%s must be a list of strings", name);
    struct str *patterns = arena_make_n(d->arena, struct str, list->list.n);
    for (size_t i = 0; i < list->list.n; i++)
        if (!get_pattern(d, &list->list.v[i], name, &patterns[i]))
            return false;
    *ret = patterns;
    *ret_n = list->list.n;
    return true;
}

/* A required, non-empty argument of a method. */
static bool get_required(struct decoder *d, const struct hcl1_item *method, const struct hcl1_value *body, const char *name,
                         struct str *ret)
{
    const struct hcl1_value *v = attribute(body, str_of(name));
    if (v && !get_text(d, v, name, ret))
        return false;
    if (!v || ret->n == 0)
        return fail_at(d, method->line, method->column, STR_FMT " needs a \"%s\"", STR_ARG(method->key), name);
    return true;
}

/* `required`: the name of the required argument (path, url or template); NULL: none. */
static bool decode_method(struct decoder *d, const struct hcl1_item *item, const struct hcl1_value *body,
                          enum install_method_kind kind, const char *required)
{
    struct install_method method = {.kind = kind, .path = STR_EMPTY, .file = str_of(d->source)};
    if ((required && !get_required(d, item, body, required, &method.path)) ||
        !get_patterns(d, body, "include", &method.include, &method.n_include) ||
        !get_patterns(d, body, "exclude", &method.exclude, &method.n_exclude))
        return false;
    *VEC_PUSH(d->arena, &d->methods) = method;
    d->has_downloads |= kind != METHOD_FOLDER;
    return true;
}

static bool decode_override(struct decoder *d, const struct hcl1_item *item)
{
    struct dev_override override = {.address = arena_str(d->arena, item->key), .file = str_of(d->source)};
    struct provider_address address;
    struct diags problems;
    diags_init(&problems, d->arena);
    if (!provider_address_parse(d->arena, item->key, &problems, &address)) {
        struct str detail = problems.v[0].detail;
        detail.n -= str_ends(detail, STR("."));
        return fail_at(d, item->line, item->column, "in dev_overrides: " STR_FMT, STR_ARG(detail));
    }
    if (!get_text(d, &item->value, "the folder of a development override", &override.folder))
        return false;
    if (override.folder.n == 0)
        return fail_at(d, item->value.line, item->value.column, "the folder of a development override must not be empty");
    *VEC_PUSH(d->arena, &d->overrides) = override;
    return true;
}

static bool decode_overrides(struct decoder *d, const struct hcl1_item *method, const struct hcl1_value *body)
{
    if (d->methods.n > 0)
        return fail_at(d, method->line, method->column, "dev_overrides must come before all other installation methods");
    bool ok = true;
    for (size_t i = 0; i < body->body.n; i++)
        ok &= decode_override(d, &body->body.v[i]);
    return ok;
}

static bool decode_method_body(struct decoder *d, const struct hcl1_item *method, const struct hcl1_value *body)
{
    if (body->kind != HCL1_BODY)
        return fail_at(d, body->line, body->column, STR_FMT " must be a block", STR_ARG(method->key));
    if (str_eq(method->key, STR("filesystem_mirror")))
        return decode_method(d, method, body, METHOD_FOLDER, "path");
    if (str_eq(method->key, STR("dev_overrides")))
        return decode_overrides(d, method, body);
    if (str_eq(method->key, STR("direct")))
        return decode_method(d, method, body, METHOD_DIRECT, NULL);
    if (str_eq(method->key, STR("network_mirror")))
        return decode_method(d, method, body, METHOD_NETWORK, "url");
    if (str_eq(method->key, STR("oci_mirror")))
        return decode_method(d, method, body, METHOD_OCI, "repository_template");
    return fail_at(d, method->line, method->column,
                   "unknown installation method \"" STR_FMT "\" (known: dev_overrides, filesystem_mirror, network_mirror, "
                   "oci_mirror, direct)",
                   STR_ARG(method->key));
}

/* Calls `decode` for each block that the item stands for. */
typedef bool decode_fn(struct decoder *d, const struct hcl1_item *item, const struct hcl1_value *body);

static bool decode_blocks(struct decoder *d, const struct hcl1_item *item, decode_fn *decode)
{
    if (item->assigned)
        return fail_at(d, item->line, item->column, STR_FMT " must be a block, without an equals sign", STR_ARG(item->key));
    if (item->n_labels > 0)
        return fail_at(d, item->line, item->column, STR_FMT " must not have a label", STR_ARG(item->key));
    if (item->value.kind != HCL1_LIST)
        return decode(d, item, &item->value);
    bool ok = true;
    for (size_t i = 0; i < item->value.list.n; i++)
        ok &= decode(d, item, &item->value.list.v[i]);
    return ok;
}

static bool decode_installation(struct decoder *d, const struct hcl1_item *item, const struct hcl1_value *body)
{
    if (body->kind != HCL1_BODY)
        return fail_at(d, body->line, body->column, "provider_installation must be a block");
    if (d->n_installations++ > 0)
        return fail_at(d, item->line, item->column, "a second provider_installation block; only one is allowed");
    bool ok = true;
    for (size_t i = 0; i < body->body.n; i++)
        ok &= decode_blocks(d, &body->body.v[i], decode_method_body);
    return ok;
}

/* Like Terraform, ignores anything that is not a token. */
static void decode_token(struct decoder *d, struct str host, const struct hcl1_value *body)
{
    const struct hcl1_value *one = body->kind == HCL1_LIST && body->list.n == 1 ? &body->list.v[0] : body;
    const struct hcl1_value *token = one->kind == HCL1_BODY ? attribute(one, STR("token")) : NULL;
    if (token && token->kind == HCL1_STRING && token->text.n > 0)
        *VEC_PUSH(d->arena, &d->tokens) = (struct host_token){arena_lower(d->arena, host), arena_str(d->arena, token->text)};
}

static void decode_service(struct decoder *d, struct str host, const struct hcl1_value *body)
{
    const struct hcl1_value *one = body->kind == HCL1_LIST && body->list.n == 1 ? &body->list.v[0] : body;
    const struct hcl1_value *services = one->kind == HCL1_BODY ? attribute(one, STR("services")) : NULL;
    if (services && services->kind == HCL1_LIST && services->list.n == 1)
        services = &services->list.v[0];
    const struct hcl1_value *url = services && services->kind == HCL1_BODY ? attribute(services, STR("providers.v1")) : NULL;
    if (url && url->kind == HCL1_STRING && url->text.n > 0)
        *VEC_PUSH(d->arena, &d->services) = (struct host_service){arena_lower(d->arena, host), arena_str(d->arena, url->text)};
}

/* KEY "HOST" { ... }; in JSON an object with hosts as keys, or a list of such objects. */
static void decode_hosts(struct decoder *d, const struct hcl1_item *item,
                         void (*decode)(struct decoder *d, struct str host, const struct hcl1_value *body))
{
    const struct hcl1_value *v = &item->value;
    if (item->n_labels == 1)
        decode(d, item->labels[0], v);
    size_t n = v->kind == HCL1_LIST ? v->list.n : 1;
    for (size_t i = 0; item->n_labels == 0 && i < n; i++) {
        const struct hcl1_value *hosts = v->kind == HCL1_LIST ? &v->list.v[i] : v;
        for (size_t k = 0; hosts->kind == HCL1_BODY && k < hosts->body.n; k++)
            decode(d, hosts->body.v[k].key, &hosts->body.v[k].value);
    }
}

static bool decode_helper(struct decoder *d, struct str name, const struct hcl1_value *body)
{
    const struct hcl1_value *list = body->kind == HCL1_BODY ? attribute(body, STR("args")) : NULL;
    size_t n = list && list->kind == HCL1_LIST ? list->list.n : 0;
    struct str *args = arena_make_n(d->arena, struct str, n);
    for (size_t i = 0; i < n; i++)
        if (!get_text(d, &list->list.v[i], "an argument of credentials_helper", &args[i]))
            return false;
    d->helper = (struct credentials_helper){arena_str(d->arena, name), args, n};
    return true;
}

/* credentials_helper "NAME" { args = [...] } */
static bool decode_helpers(struct decoder *d, const struct hcl1_item *item)
{
    const struct hcl1_value *v = &item->value;
    struct str name = item->n_labels == 1 ? item->labels[0] : STR_EMPTY;
    if (item->n_labels == 0 && v->kind == HCL1_BODY && v->body.n == 1) {
        name = v->body.v[0].key;
        v = &v->body.v[0].value;
    }
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '/' || name.p[i] == '\0')
            name.n = 0;
    if (name.n == 0 || d->helper.name.n > 0)
        return fail_at(d, item->line, item->column, "credentials_helper must be one block with the helper's name as its label");
    return decode_helper(d, name, v);
}

static bool decode_file(struct decoder *d, const struct hcl1_value *root)
{
    bool ok = true;
    for (size_t i = 0; i < root->body.n; i++) {
        const struct hcl1_item *item = &root->body.v[i];
        if (str_eq(item->key, STR("provider_installation")))
            ok &= decode_blocks(d, item, decode_installation);
        else if (str_eq(item->key, STR("credentials")))
            decode_hosts(d, item, decode_token);
        else if (str_eq(item->key, STR("host")))
            decode_hosts(d, item, decode_service);
        else if (str_eq(item->key, STR("credentials_helper")))
            ok &= decode_helpers(d, item);
    }
    const struct hcl1_value *cache = attribute(root, STR("plugin_cache_dir"));
    if (cache)
        ok &= get_text(d, cache, "plugin_cache_dir", &d->plugin_cache_dir);
    return ok;
}

bool cli_config_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct cli_config *ret)
{
    struct str *file = arena_make(a, struct str);
    *file = arena_str(a, str_of(source));
    struct decoder d = {.arena = a, .source = file->p, .diags = diags, .plugin_cache_dir = STR_EMPTY, .helper.name = STR_EMPTY};
    const struct hcl1_value *root = hcl1_parse(a, text, source, diags);
    if (!root || !decode_file(&d, root))
        return false;
    *ret = (struct cli_config){
        .files = file,
        .n_files = 1,
        .plugin_cache_dir = d.plugin_cache_dir,
        .has_installation = d.n_installations > 0,
        .has_downloads = d.has_downloads,
        .methods = d.methods.v,
        .n_methods = d.methods.n,
        .overrides = d.overrides.v,
        .n_overrides = d.overrides.n,
        .tokens = d.tokens.v,
        .n_tokens = d.tokens.n,
        .services = d.services.v,
        .n_services = d.services.n,
        .helper = d.helper,
    };
    return true;
}
