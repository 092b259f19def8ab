/*
 * Turns the value of the provider block into settings (docs/awscc-rules.md 2.9). All arguments are optional.
 *
 * An unknown value is an error with its path, because a provider cannot be configured with a value that does not exist yet.
 * What the schema cannot check (ARNs, durations, lengths, JSON, conflicting arguments) is checked here; errors have a path.
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
    int max_retries;         /* attempts; 0: not set */
    bool insecure;
    struct http_proxies proxies;
    struct cc_products user_agent;
    struct str iam_endpoint;     /* accepted, but unused: Terrane does not call IAM */
    struct cc_tags default_tags; /* default mode; sorted by key */
    bool skip_validation;        /* default mode: do not ask STS for our identity */
};

/*
 * `config` is an object of the schema's type; missing attributes count as null. On errors returns false and diagnostics without
 * setting *ret. True may come with warnings (deprecated arguments). Copies strings into `a`.
 *
 * skip_metadata_api_check: awscc inverts its meaning. Strict mode does the same; default mode follows the documentation.
 */
bool cc_provider_block_read(struct arena *a, const struct value *config, enum cfn_mode mode, struct diags *diags,
                            struct cc_provider_settings *ret);
/* The products of a list of {product_name, product_version, comment}: `user_agent` of the block and of provider_meta. */
bool cc_products_read(struct arena *a, const struct value *list, struct path path, struct diags *diags, struct cc_products *ret);

/* "NAME/VERSION (COMMENT) ..."; characters that a header must not contain become hyphens. */
struct str cc_products_text(struct arena *a, const struct cc_products *products);
/* "terrane/0.1.0 NAME/VERSION (COMMENT) ...", then TF_APPEND_USER_AGENT of the environment. */
struct str cc_user_agent(struct arena *a, const struct cc_products *products, const char *const *env);
