/*
 * The provider's own block: from its value to settings (docs/awscc-rules.md 2.9). All arguments are optional.
 *
 * An unknown value anywhere in it is an error with its path: a provider cannot be configured with something that is not there
 * yet. What the schema cannot check (ARNs, durations, lengths, JSON, arguments that exclude one another) is checked here, each
 * with a path.
 */
#pragma once

#include "aws/credentials.h"
#include "cloudcontrol/tags.h"

struct cc_product {
    struct str name, version, comment; /* the last two may be empty */
};
struct cc_products {
    const struct cc_product *v;
    size_t n;
};

struct cc_provider_settings {
    struct aws_settings aws; /* without the environment, which cc_client_open() adds */
    struct str role_arn;     /* CloudFormation's service role, sent with every request */
    int max_retries;         /* attempts; 0: not stated */
    bool insecure;
    struct http_proxies proxies;
    struct cc_products user_agent;
    struct str iam_endpoint;     /* accepted; nothing here asks IAM */
    struct cc_tags default_tags; /* default mode; sorted by key */
    bool skip_validation;        /* default mode: STS is not asked who we are */
};

/*
 * `config` is an object of the schema's type; attributes that it does not have count as null. False and diagnostics: *ret is not
 * set. Warnings (deprecated arguments) may come with true. Texts are copied into `a`.
 *
 * skip_metadata_api_check: awscc reads it the wrong way round. Strict mode does as awscc does, default mode as its documentation
 * says.
 */
bool cc_provider_block_read(struct arena *a, const struct value *config, enum cfn_mode mode, struct diags *diags,
                            struct cc_provider_settings *ret);
/* The products of a list of {product_name, product_version, comment}: `user_agent` of the block and of provider_meta. */
bool cc_products_read(struct arena *a, const struct value *list, struct path path, struct diags *diags, struct cc_products *ret);

/* "NAME/VERSION (COMMENT) ..."; what must not stand in a header is replaced by hyphens. */
struct str cc_products_text(struct arena *a, const struct cc_products *products);
/* "terrane/0.1.0 NAME/VERSION (COMMENT) ...", then TF_APPEND_USER_AGENT of the environment. */
struct str cc_user_agent(struct arena *a, const struct cc_products *products, const char *const *env);
