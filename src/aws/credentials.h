/*
 * Credentials: where they are looked for, kept until they expire, fetched anew before that. Thread-safe.
 *
 * The chain, first answer wins:
 *
 *   1. keys that are stated (provider block)
 *   2. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, unless a profile is stated
 *   3. AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, unless a profile is stated
 *   4. the shared configuration and credentials files: the profile that is stated, that of AWS_PROFILE, or `default`, with its
 * keys, role, web identity, SSO or process
 *   5. AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI
 *   6. the instance metadata service, version 2
 *
 * A stated assume_role_with_web_identity takes the place of all of it; a stated assume_role is assumed with whatever came out.
 * A source that is not configured is passed over, one that is and fails ends the search: to go on would be to act as somebody
 * else. If nobody answers, the error says of each source why.
 *
 * Secrets are overwritten when they are dropped, never logged, and never part of an error.
 */
#pragma once

#include "aws/call.h"

struct aws_tag {
    struct str key, value;
};

/* A role to be assumed. */
struct aws_role {
    struct str arn;
    struct str session_name; /* empty: one is made up */
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

/* What is stated; everything may be empty. Views and pointers must live as long as what is made of them. */
struct aws_settings {
    const char *const *env; /* as environ, NULL-terminated; NULL: an empty one */
    const char *home;       /* for ~; NULL: HOME of the environment, else the user's */
    struct str access_key, secret_key, token;
    struct str profile, region;
    const struct str *config_files, *credentials_files; /* n 0: AWS_CONFIG_FILE or ~/.aws/config, likewise credentials */
    size_t n_config_files, n_credentials_files;
    const struct aws_role *assume_role, *assume_web_role; /* NULL: none */
    enum aws_switch metadata;                             /* the instance metadata service */
    enum aws_switch fips, dual_stack;
    struct str endpoints[AWS_N_SERVICES]; /* empty: not stated */
};

/*
 * Keys of somebody, shared and immutable: the last reference that is given up overwrites them.
 */
struct aws_keys {
    struct str access_key, secret_key, token;
    int64_t expires;    /* wall ns; 0: never */
    struct str source;  /* for people: "profile \"dev\" in ~/.aws/credentials" */
    struct str account; /* where the source tells; usually empty */
};
void aws_keys_unref(const struct aws_keys *keys); /* NULL is accepted */

struct aws_credentials;
struct aws_credentials_options {
    const struct aws_settings *settings;
    struct aws_caller *caller;
    struct loop *loop; /* credential_process runs there */
    struct log *log;
};
/* Asks nobody yet; only the shared files are read (and again when keys are fetched). False: a file or a setting is wrong. */
bool aws_credentials_new(const struct aws_credentials_options *options, struct diags *diags, struct aws_credentials **ret);
void aws_credentials_free(struct aws_credentials *c);
/* Keys that nothing can change, for tests and tools. */
struct aws_credentials *aws_credentials_fixed(const struct aws_keys *keys);

/*
 * Valid keys: a reference, for the caller to give up. Blocks while they are fetched; one thread fetches, others wait. Keys are
 * fetched anew AWS_REFRESH_S before they expire; if that fails while they are still valid, they are used on. NULL and diagnostics
 * otherwise.
 */
enum { AWS_REFRESH_S = 300 };
const struct aws_keys *aws_credentials_get(struct aws_credentials *c, struct cancel *cancel, int64_t deadline,
                                           struct diags *diags);
/* The service says that these have expired: the next call of aws_credentials_get() fetches new ones. */
void aws_credentials_drop(struct aws_credentials *c, const struct aws_keys *keys);

/* What the environment and the shared files say besides. Texts live as long as `c`. */
struct aws_config {
    struct str region;  /* stated, AWS_REGION, AWS_DEFAULT_REGION, the profile's; empty: none */
    struct str profile; /* the one in use */
    bool fips, dual_stack;
    struct str endpoints[AWS_N_SERVICES]; /* empty: AWS's own */
    struct str ca_file;                   /* AWS_CA_BUNDLE, ca_bundle of the profile */
    int64_t max_attempts;                 /* AWS_MAX_ATTEMPTS, max_attempts of the profile; 0: none */
};
/* Needs no caller: it decides how the caller is made. False: a file or a setting is wrong. */
bool aws_config_read(struct arena *a, const struct aws_settings *settings, struct diags *diags, struct aws_config *ret);
/* The region of the machine, by the metadata service, when the keys came from there; empty: not known. */
struct str aws_credentials_region(struct aws_credentials *c, struct arena *a, struct cancel *cancel, int64_t deadline);

/* Who the keys belong to: STS GetCallerIdentity at this address. */
struct aws_identity {
    struct str account, arn, user_id;
    struct str partition; /* of the ARN */
};
bool aws_sts_identity(struct aws_caller *caller, const struct aws_endpoint *endpoint, struct arena *a,
                      struct aws_credentials *credentials, struct cancel *cancel, int64_t deadline, struct aws_identity *ret,
                      struct aws_failure *reterr);
