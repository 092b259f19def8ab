#include "generate/config_crd.h"

#define PROVIDER_BLOCK "provider"

const struct config_kind config_kinds[N_CONFIG_KINDS] = {
    {"ProviderConfig", "providerconfigs", FLAVOUR_CLUSTER, false, false},
    {"ProviderConfigUsage", "providerconfigusages", FLAVOUR_CLUSTER, false, true},
    {"ProviderConfig", "providerconfigs", FLAVOUR_NAMESPACED, true, false},
    {"ClusterProviderConfig", "clusterproviderconfigs", FLAVOUR_NAMESPACED, false, false},
    {"ProviderConfigUsage", "providerconfigusages", FLAVOUR_NAMESPACED, true, true},
};

struct str config_group(const struct xp_config *config, enum xp_flavour flavour)
{
    return flavour == FLAVOUR_CLUSTER ? config->root_cluster : config->root_namespaced;
}

/* The inputs of a CRD. */
struct crd {
    struct arena *scratch;
    const struct xp_config *config;
    const struct xp_kind *model;
    const struct config_kind *kind;
};

static const char credentials_lines[] = "credentials:\n"
                                        "  description: Source of the provider's secret arguments, as JSON.\n"
                                        "  properties:\n"
                                        "    env:\n"
                                        "      description: An environment variable of the controller.\n"
                                        "      properties:\n"
                                        "        name:\n"
                                        "          type: string\n"
                                        "      required:\n"
                                        "      - name\n"
                                        "      type: object\n"
                                        "    fs:\n"
                                        "      description: A file of the controller.\n"
                                        "      properties:\n"
                                        "        path:\n"
                                        "          type: string\n"
                                        "      required:\n"
                                        "      - path\n"
                                        "      type: object\n"
                                        "    secretRef:\n"
                                        "      description: A key of a secret.\n"
                                        "      properties:\n"
                                        "        key:\n"
                                        "          type: string\n"
                                        "        name:\n"
                                        "          type: string\n"
                                        "        namespace:\n"
                                        "          type: string\n"
                                        "      required:\n"
                                        "      - key\n"
                                        "      - name\n"
                                        "      - namespace\n"
                                        "      type: object\n"
                                        "    source:\n"
                                        "      enum:\n"
                                        "      - None\n"
                                        "      - Secret\n"
                                        "      - InjectedIdentity\n"
                                        "      - Environment\n"
                                        "      - Filesystem\n"
                                        "      type: string\n"
                                        "  required:\n"
                                        "  - source\n"
                                        "  type: object\n";

static const char config_columns[] = "- jsonPath: .metadata.creationTimestamp\n"
                                     "  name: AGE\n"
                                     "  type: date\n"
                                     "- jsonPath: .spec.credentials.secretRef.name\n"
                                     "  name: SECRET-NAME\n"
                                     "  priority: 1\n"
                                     "  type: string\n";

static const char usage_columns[] = "- jsonPath: .metadata.creationTimestamp\n"
                                    "  name: AGE\n"
                                    "  type: date\n"
                                    "- jsonPath: .providerConfigRef.name\n"
                                    "  name: CONFIG-NAME\n"
                                    "  type: string\n"
                                    "- jsonPath: .resourceRef.kind\n"
                                    "  name: RESOURCE-KIND\n"
                                    "  type: string\n"
                                    "- jsonPath: .resourceRef.name\n"
                                    "  name: RESOURCE-NAME\n"
                                    "  type: string\n";

static const char usage_namespaced_lines[] = "providerConfigRef:\n"
                                             "  properties:\n"
                                             "    kind:\n"
                                             "      type: string\n"
                                             "    name:\n"
                                             "      type: string\n"
                                             "  required:\n"
                                             "  - kind\n"
                                             "  - name\n"
                                             "  type: object\n";

static const char usage_resource_lines[] = "resourceRef:\n"
                                           "  properties:\n"
                                           "    apiVersion:\n"
                                           "      type: string\n"
                                           "    kind:\n"
                                           "      type: string\n"
                                           "    name:\n"
                                           "      type: string\n"
                                           "    uid:\n"
                                           "      type: string\n"
                                           "  required:\n"
                                           "  - apiVersion\n"
                                           "  - kind\n"
                                           "  - name\n"
                                           "  type: object\n";

static void write_usage_schema(const struct crd *c, struct yaml_out *y)
{
    yaml_plain(y, "description", "Records that an object uses a configuration, which is kept as long as it is in use.");
    yaml_begin(y, STR("properties"));
    yaml_lines(y, crd_object_lines);
    if (c->kind->flavour == FLAVOUR_CLUSTER)
        crd_write_config_ref(y, false);
    else
        yaml_lines(y, usage_namespaced_lines);
    yaml_lines(y, usage_resource_lines);
    yaml_end(y);
    yaml_lines(y, "required:\n"
                  "- providerConfigRef\n"
                  "- resourceRef\n"
                  "type: object");
}

/* Writes the properties of the spec from the configuration file, with the default credentials if the file has none. */
static void write_config_properties(const struct crd *c, struct yaml_out *y)
{
    const struct json *said = c->config->provider_config;
    if (!json_get(said, "credentials"))
        yaml_lines(y, credentials_lines);
    for (size_t i = 0; said && i < said->object.n; i++)
        yaml_json(y, said->object.members[i].key, said->object.members[i].value);
}

static void write_config_spec(const struct crd *c, struct yaml_out *y)
{
    struct xp_fields arguments = c->model->trees[FOR_PROVIDER];
    yaml_begin(y, STR("spec"));
    yaml_begin(y, STR("properties"));
    if (arguments.n > 0 && !json_get(c->config->provider_config, "configuration")) {
        yaml_begin(y, STR("configuration"));
        yaml_plain(y, "description", "Arguments of the provider. Those of the credentials win over them.");
        crd_write_object(y, c->model, c->kind->namespaced ? FLAVOUR_NAMESPACED : FLAVOUR_CLUSTER, arguments);
        yaml_end(y);
    }
    write_config_properties(c, y);
    yaml_end(y);
    yaml_lines(y, "required:\n"
                  "- credentials\n"
                  "type: object");
    yaml_end(y);
}

static void write_config_status(struct yaml_out *y)
{
    yaml_begin(y, STR("status"));
    yaml_begin(y, STR("properties"));
    yaml_lines(y, crd_condition_lines);
    yaml_lines(y, "users:\n"
                  "  description: How many objects use it.\n"
                  "  format: int64\n"
                  "  type: integer\n");
    yaml_end(y);
    yaml_plain(y, "type", "object");
    yaml_end(y);
}

static void write_config_schema(const struct crd *c, struct yaml_out *y)
{
    yaml_plain(y, "description", "How the provider is configured.");
    yaml_begin(y, STR("properties"));
    yaml_lines(y, crd_object_lines);
    write_config_spec(c, y);
    write_config_status(y);
    yaml_end(y);
    yaml_lines(y, "required:\n"
                  "- spec\n"
                  "type: object");
}

static void write_config_names(const struct crd *c, struct yaml_out *y)
{
    const struct str categories[] = {STR("crossplane"), STR("provider"), c->config->short_name};
    yaml_begin(y, STR("names"));
    yaml_texts(y, STR("categories"), categories, 3);
    yaml_plain(y, "kind", c->kind->kind);
    yaml_text(y, STR("listKind"), arena_printf(c->scratch, "%sList", c->kind->kind));
    yaml_plain(y, "plural", c->kind->plural);
    yaml_text(y, STR("singular"), arena_lower(c->scratch, str_of(c->kind->kind)));
    yaml_end(y);
}

static void write_config_version(const struct crd *c, struct yaml_out *y)
{
    yaml_list(y, STR("versions"));
    yaml_item(y);
    yaml_list(y, STR("additionalPrinterColumns"));
    yaml_lines(y, c->kind->usage ? usage_columns : config_columns);
    yaml_plain(y, "name", CONFIG_VERSION);
    yaml_begin(y, STR("schema"));
    yaml_begin(y, STR("openAPIV3Schema"));
    if (c->kind->usage)
        write_usage_schema(c, y);
    else
        write_config_schema(c, y);
    yaml_end(y);
    yaml_end(y);
    yaml_lines(y, "served: true\n"
                  "storage: true");
    if (c->kind->usage) {
        yaml_empty(y, STR("subresources"));
    } else {
        yaml_begin(y, STR("subresources"));
        yaml_empty(y, STR("status"));
        yaml_end(y);
    }
    yaml_end(y);
}

void config_crd_write(struct buf *out, const struct xp_config *config, const struct xp_kind *model,
                      const struct config_kind *kind)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct crd c = {scratch, config, model, kind};
    struct str group = config_group(config, kind->flavour);
    struct yaml_out y = {.out = out};
    yaml_lines(&y, "---\n"
                   "apiVersion: apiextensions.k8s.io/v1\n"
                   "kind: CustomResourceDefinition");
    yaml_begin(&y, STR("metadata"));
    yaml_text(&y, STR("name"), arena_printf(scratch, "%s." STR_FMT, kind->plural, STR_ARG(group)));
    yaml_end(&y);
    yaml_begin(&y, STR("spec"));
    yaml_text(&y, STR("group"), group);
    write_config_names(&c, &y);
    yaml_plain(&y, "scope", kind->namespaced ? "Namespaced" : "Cluster");
    write_config_version(&c, &y);
    yaml_end(&y);
}

/* --- the arguments of the provider --- */

/* No argument is required, because any of them may come from the credentials instead. */
static struct xp_fields all_optional(struct arena *a, struct xp_fields fields)
{
    struct xp_field *copy = arena_make_n(a, struct xp_field, fields.n);
    for (size_t i = 0; i < fields.n; i++) {
        copy[i] = fields.v[i];
        copy[i].required = false;
    }
    return (struct xp_fields){copy, fields.n};
}

/*
 * Treats the arguments like those of a data source: no id, no initProvider. The rules of the configuration file are for resource
 * types, so none applies; and since Upjet has no such kind, there are no bugs of it to reproduce.
 */
bool config_model(struct arena *a, const struct provider_schema *schema, const struct xp_config *of, struct xp_notes *notes,
                  struct diags *diags, struct xp_kind *ret)
{
    const struct schema *s = schema->provider;
    struct xp_resource_config config = {
        .config = of,
        .arena = a,
        .type = STR(DATA_SOURCE_PREFIX PROVIDER_BLOCK),
        .flavour = FLAVOUR_CLUSTER,
        .compat = COMPAT_OWN,
        .version = STR(CONFIG_VERSION),
    };
    struct xp_kind k;
    if (xp_kind_build(a, STR(PROVIDER_BLOCK), s, &config, notes, diags, &k) != MODEL_OK)
        return false;
    if (schema_block_block(s->block, STR("timeouts")))
        xp_notes_add(notes, NOTE_REDUCED, STR(PROVIDER_BLOCK), STR("timeouts"), "Left out of the configuration.");
    k.kind = STR("ClusterProviderConfig");
    k.singular = STR("clusterproviderconfig");
    k.plural = STR("providerconfigs");
    k.trees[FOR_PROVIDER] = all_optional(a, k.trees[FOR_PROVIDER]);
    *ret = k;
    return true;
}
