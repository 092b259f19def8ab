/*
 * Credentials: finds them, caches them, and refreshes them before they expire. Thread-safe.
 *
 * The chain of sources; the first that has keys wins:
 *
 *   1. keys from the settings (provider block)
 *   2. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, unless the settings name a profile
 *   3. AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, unless the settings name a profile
 *   4. the shared configuration and credentials files: the profile of the settings, of AWS_PROFILE, or `default`, with its
 *      keys, role, web identity, SSO or process
 *   5. AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI
 *   6. the instance metadata service, version 2
 *
 * assume_role_with_web_identity in the settings replaces the whole chain; assume_role is assumed with the keys that the chain
 * found. A source that is not configured is skipped. A source that is configured but fails ends the search: going on could mean
 * acting as a different principal. If no source has keys, the error says why for each of them.
 *
 * Secrets are overwritten before they are freed, and never appear in logs or errors.
 */
#pragma once

#include "aws/call.h"

struct aws_tag {
    struct str key, value;
};

/* A role to assume. */
struct aws_role {
    struct str arn;
    struct str session_name; /* empty: generated */
    struct str external_id, policy, source_identity;
    const struct str *policy_arns;
    size_t n_policy_arns;
    const struct aws_tag *tags;
    size_t n_tags;
    const struct str *transitive_tag_keys;
    size_t n_transitive_tag_keys;
    int64_t duration_s; /* 0: 15 minutes, as hashicorp's providers ask for */
    /* With web identity: one of the two. */
    struct str web_token, web_token_file;
};

enum aws_switch { AWS_UNSET, AWS_ON, AWS_OFF };

/* Explicit settings; every field may be empty. Strings and pointers must outlive whatever is created from them. */
struct aws_settings {
    const char *const *env; /* as environ, NULL-terminated; NULL: an empty one */
    const char *home;       /* for ~; NULL: HOME of the environment, else the user's */
    struct str access_key, secret_key, token;
    struct str profile, region;
    const struct str *config_files, *credentials_files; /* n 0: AWS_CONFIG_FILE or ~/.aws/config; the same for credentials */
    size_t n_config_files, n_credentials_files;
    const struct aws_role *assume_role, *assume_web_role; /* NULL: none */
    enum aws_switch metadata;                             /* the instance metadata service */
    enum aws_switch fips, dual_stack;
    struct str endpoints[AWS_N_SERVICES]; /* empty: not set */
};

/*
 * One set of keys: shared, immutable and reference-counted. Dropping the last reference overwrites them.
 */
struct aws_keys {
    struct str access_key, secret_key, token;
    int64_t expires;    /* wall ns; 0: never */
    struct str source;  /* for people: "profile \"dev\" in ~/.aws/credentials" */
    struct str account; /* if the source knows it; usually empty */
};
void aws_keys_unref(const struct aws_keys *keys); /* NULL is accepted */

struct aws_credentials;
struct aws_credentials_options {
    const struct aws_settings *settings;
    struct aws_caller *caller;
    struct loop *loop; /* runs credential_process */
    struct log *log;
};
/* Reads only the shared files (again when keys are fetched); makes no requests. False if a file or a setting is invalid. */
bool aws_credentials_new(const struct aws_credentials_options *options, struct diags *diags, struct aws_credentials **ret);
void aws_credentials_free(struct aws_credentials *c);
/* Credentials that always return these keys, for tests and tools. */
struct aws_credentials *aws_credentials_fixed(const struct aws_keys *keys);

/*
 * Returns valid keys, as a reference that the caller must unref. Blocks while keys are fetched: one thread fetches, others wait.
 * Keys are refreshed AWS_REFRESH_S before they expire; if that fails, they stay in use while they are valid. On failure returns
 * NULL and diagnostics.
 */
enum { AWS_REFRESH_S = 300 };
const struct aws_keys *aws_credentials_get(struct aws_credentials *c, struct cancel *cancel, int64_t deadline,
                                           struct diags *diags);
/* Reports that the service rejected these keys as expired: the next aws_credentials_get() fetches new ones. */
void aws_credentials_drop(struct aws_credentials *c, const struct aws_keys *keys);

/* Other configuration, from the settings, the environment and the shared files. */
struct aws_config {
    struct str region;  /* of the settings, AWS_REGION, AWS_DEFAULT_REGION, or the profile; empty: none */
    struct str profile; /* the one in use */
    bool fips, dual_stack;
    struct str endpoints[AWS_N_SERVICES]; /* empty: AWS's own */
    struct str ca_file;                   /* AWS_CA_BUNDLE, ca_bundle of the profile */
    int64_t max_attempts;                 /* AWS_MAX_ATTEMPTS, max_attempts of the profile; 0: none */
};
/* Needs no caller, because the result configures the caller. False if a file or a setting is invalid. */
bool aws_config_read(struct arena *a, const struct aws_settings *settings, struct diags *diags, struct aws_config *ret);
/* The machine's region from the metadata service, if the keys came from there; empty: unknown. */
struct str aws_credentials_region(struct aws_credentials *c, struct arena *a, struct cancel *cancel, int64_t deadline);

/* Who the keys belong to: calls STS GetCallerIdentity at this endpoint. */
struct aws_identity {
    struct str account, arn, user_id;
    struct str partition; /* of the ARN */
};
bool aws_sts_identity(struct aws_caller *caller, const struct aws_endpoint *endpoint, struct arena *a,
                      struct aws_credentials *credentials, struct cancel *cancel, int64_t deadline, struct aws_identity *ret,
                      struct aws_failure *reterr);
