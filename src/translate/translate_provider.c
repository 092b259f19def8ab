/*
 * The schema of the provider block (docs/awscc-rules.md 2.9).
 */
#include "translate/translate.h"

enum { MAX_ATTRS = 32 };

struct attrs {
    struct schema_attr v[MAX_ATTRS];
    size_t n;
};

static struct schema_attr *add(struct attrs *attrs, const char *name, const struct type *type, const char *description)
{
    struct schema_attr *attr = &attrs->v[attrs->n++];
    *attr = (struct schema_attr){.name = str_of(name),
                                 .type = type,
                                 .description = str_of(description),
                                 .deprecation_message = STR_EMPTY,
                                 .optional = true};
    return attr;
}

static void add_required(struct attrs *attrs, const char *name, const struct type *type, const char *description)
{
    struct schema_attr *attr = add(attrs, name, type, description);
    attr->required = true;
    attr->optional = false;
}

static void add_nested(struct arena *a, struct attrs *attrs, const char *name, enum schema_nesting nesting,
                       const struct attrs *inner, const char *description)
{
    struct schema_object *object = arena_make(a, struct schema_object);
    struct schema_attr *v = arena_make_n(a, struct schema_attr, inner->n);
    memcpy(v, inner->v, inner->n * sizeof v[0]);
    *object = (struct schema_object){.nesting = nesting, .attrs = v, .n_attrs = inner->n};
    add(attrs, name, NULL, description)->nested = object;
}

/* The attributes that assume_role and assume_role_with_web_identity share. */
static void add_role(struct arena *a, struct attrs *attrs)
{
    add_required(attrs, "role_arn", &type_string, "ARN of the role to assume.");
    add(attrs, "duration", &type_string, "How long the session lasts, as \"1h\" (default: 15 minutes).");
    add(attrs, "policy", &type_string,
        "Session policy in JSON: the session has the permissions that both it and the role grant.");
    add(attrs, "policy_arns", type_list(a, &type_string), "ARNs of managed policies to use as session policies.");
    add(attrs, "session_name", &type_string, "Name of the session.");
}

static void add_assume_role(struct arena *a, struct attrs *attrs)
{
    struct attrs role = {.n = 0};
    add_role(a, &role);
    add(&role, "external_id", &type_string, "External identifier that the role asks for.");
    add(&role, "tags", type_map(a, &type_string), "Session tags.");
    add(&role, "transitive_tag_keys", type_set(a, &type_string), "Session tags that are passed on to further sessions.");
    add_nested(a, attrs, "assume_role", NESTING_SINGLE, &role, "A role to work with, assumed with the credentials found.");

    struct attrs web = {.n = 0};
    add_role(a, &web);
    add(&web, "web_identity_token", &type_string, "Token of an OpenID Connect or OAuth 2.0 identity provider.");
    add(&web, "web_identity_token_file", &type_string, "File that has the token; AWS_WEB_IDENTITY_TOKEN_FILE.");
    add_nested(a, attrs, "assume_role_with_web_identity", NESTING_SINGLE, &web, "A role to work with, assumed with a token.");
}

static void add_endpoints(struct arena *a, struct attrs *attrs)
{
    struct attrs endpoints = {.n = 0};
    add(&endpoints, "cloudcontrolapi", &type_string, "Address of the Cloud Control API.");
    add(&endpoints, "iam", &type_string, "Address of IAM.");
    add(&endpoints, "sso", &type_string, "Address of IAM Identity Center.");
    add(&endpoints, "sts", &type_string, "Address of STS.");
    add_nested(a, attrs, "endpoints", NESTING_SINGLE, &endpoints, "Addresses to use instead of those of AWS.");
}

static void add_user_agent(struct arena *a, struct attrs *attrs)
{
    struct attrs product = {.n = 0};
    add(&product, "comment", &type_string, "A comment.");
    add_required(&product, "product_name", &type_string, "Name of the product.");
    add(&product, "product_version", &type_string, "Version of the product.");
    add_nested(a, attrs, "user_agent", NESTING_LIST, &product, "Products that are named in the User-Agent of every request.");
}

static void add_credentials(struct arena *a, struct attrs *attrs)
{
    add(attrs, "access_key", &type_string, "Access key; AWS_ACCESS_KEY_ID.");
    add(attrs, "secret_key", &type_string, "Secret key; AWS_SECRET_ACCESS_KEY.");
    add(attrs, "token", &type_string, "Session token of temporary credentials; AWS_SESSION_TOKEN.");
    add(attrs, "profile", &type_string, "Profile of the shared files; AWS_PROFILE.");
    add(attrs, "region", &type_string, "Region; AWS_REGION, AWS_DEFAULT_REGION, or as the profile says.");
    add(attrs, "role_arn", &type_string, "ARN of the service role that CloudFormation acts with.");
    add(attrs, "shared_config_files", type_list(a, &type_string), "Shared configuration files; default: ~/.aws/config.");
    add(attrs, "shared_credentials_files", type_list(a, &type_string), "Shared credentials files; default: ~/.aws/credentials.");
    add(attrs, "skip_metadata_api_check", &type_bool, "Do not ask the metadata service of EC2 for credentials.");
    struct schema_attr *misspelt = add(attrs, "skip_medatadata_api_check", &type_bool, "Do not ask the metadata service of EC2.");
    misspelt->deprecated = true;
    misspelt->deprecation_message = STR("Use skip_metadata_api_check instead.");
}

static void add_connection(struct attrs *attrs)
{
    add(attrs, "http_proxy", &type_string, "Proxy for HTTP; HTTP_PROXY.");
    add(attrs, "https_proxy", &type_string, "Proxy for HTTPS; HTTPS_PROXY.");
    add(attrs, "no_proxy", &type_string, "Hosts that no proxy is used for, with commas between; NO_PROXY.");
    add(attrs, "insecure", &type_bool, "Accept any certificate of the server.");
    add(attrs, "max_retries", &type_number, "How often a request is tried at most; default: 25.");
}

/* Attributes that awscc does not have. */
static void add_own(struct attrs *attrs)
{
    add(attrs, "skip_credentials_validation", &type_bool, "Do not ask STS who the credentials belong to.");
}

static void build_default_tags(struct arena *a, struct schema_block *block)
{
    struct schema_attr *tags = arena_make(a, struct schema_attr);
    struct attrs attrs = {.n = 0};
    *tags = *add(&attrs, "tags", type_map(a, &type_string), "Tags by key.");
    struct schema_block *inner = arena_make(a, struct schema_block);
    *inner = (struct schema_block){.attrs = tags, .n_attrs = 1, .deprecation_message = STR_EMPTY};
    inner->description = STR("Tags that every object gets whose type can be tagged.");
    struct schema_nested_block *nested = arena_make(a, struct schema_nested_block);
    *nested = (struct schema_nested_block){.name = STR("default_tags"), .nesting = NESTING_SINGLE, .block = inner};
    block->blocks = nested;
    block->n_blocks = 1;
}

static const struct schema *build_meta(struct schema_builder *b, struct arena *a, struct diags *diags)
{
    struct attrs attrs = {.n = 0};
    add_user_agent(a, &attrs);
    struct schema_block block = {
        .attrs = attrs.v, .n_attrs = attrs.n, .description = STR_EMPTY, .deprecation_message = STR_EMPTY};
    return schema_build(b, 0, &block, STR("provider_meta"), diags);
}

void cc_schema_provider(struct schema_builder *b, enum cfn_mode mode)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct provider_schema *s = schema_builder_schema(b);
    struct attrs attrs = {.n = 0};
    struct schema_block block = {.description = STR_EMPTY, .deprecation_message = STR_EMPTY};
    struct diags diags;
    diags_init(&diags, a);
    add_credentials(a, &attrs);
    add_connection(&attrs);
    add_assume_role(a, &attrs);
    add_endpoints(a, &attrs);
    add_user_agent(a, &attrs);
    if (mode == CFN_MODE_DEFAULT) {
        add_own(&attrs);
        build_default_tags(a, &block);
    }
    block.attrs = attrs.v;
    block.n_attrs = attrs.n;
    s->provider = schema_build(b, 0, &block, STR("provider"), &diags);
    s->provider_meta = build_meta(b, a, &diags);
    s->capabilities = (struct server_capabilities){.plan_destroy = true, .get_provider_schema_optional = true};
}
