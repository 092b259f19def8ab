/* Private to credentials*.c: what the sources share. Each source is one function; each file holds the sources of one kind. */
#pragma once

#include "aws/credentials.h"
#include "aws/shared.h"
#include "base/json.h"
#include "base/log.h"

enum {
    AWS_MAX_SECRET_FILE = 64 << 10,
    AWS_MAX_SECRET_BODY = 64 << 10, /* of an answer that contains credentials */
    AWS_AUTH_ATTEMPTS = 5,
    AWS_MAX_PROFILES = 16, /* length of a source_profile chain */
    AWS_METADATA_CONNECT_S = 1,
    AWS_METADATA_TIMEOUT_S = 2,
    AWS_CONTAINER_TIMEOUT_S = 5,
    AWS_PROCESS_TIMEOUT_S = 60,
    AWS_ROLE_SECONDS = 900,
};

enum aws_source {
    AWS_SOURCE_FOUND,  /* *ret is a reference */
    AWS_SOURCE_ABSENT, /* not configured: try the next source; the reason is noted in `tried` */
    AWS_SOURCE_FAILED, /* configured, but failed: the search ends with a diagnostic */
};

/* One run through the chain of sources. */
struct aws_fetch {
    struct arena *a; /* of this run */
    const struct aws_settings *settings;
    const struct aws_config *config;
    const struct aws_shared *shared;
    struct aws_caller *caller;
    struct loop *loop;
    struct log *log;
    struct cancel *cancel;
    int64_t deadline;
    struct diags *diags;
    struct buf *tried; /* a line for each source that had no keys */
    bool from_metadata;
};

/* Notes why a source has no keys; returns ABSENT. */
enum aws_source aws_absent(struct aws_fetch *f, const char *source, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports why a configured source failed; returns FAILED. */
enum aws_source aws_failed(struct aws_fetch *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a failed call. */
enum aws_source aws_call_failed(struct aws_fetch *f, const char *what, const struct aws_failure *failure);
/* Returns a copy of the keys if they are complete, else FAILED. */
enum aws_source aws_found(struct aws_fetch *f, const struct aws_keys *keys, const struct aws_keys **ret);
/* {"AccessKeyId":...,"SecretAccessKey":...,"Expiration":...}, with the token as the member `token`. Overwrites the secrets in
 * `j`. */
enum aws_source aws_found_json(struct aws_fetch *f, struct str source, const struct json *j, const char *token,
                               const struct aws_keys **ret);

/* Expands ~ at the start of a path from the settings. */
const char *aws_path(struct arena *a, const struct aws_settings *settings, struct str path);
const char *aws_setting_env(const struct aws_settings *settings, const char *name); /* NULL: not set or empty */

/* credentials_files.c */
bool aws_shared_load(struct aws_shared *shared, const struct aws_settings *settings, struct diags *diags);
enum aws_source aws_source_environment(struct aws_fetch *f, const struct aws_keys **ret);
enum aws_source aws_source_profile(struct aws_fetch *f, const struct aws_keys **ret);

/* credentials_process.c */
enum aws_source aws_source_process(struct aws_fetch *f, struct str profile, struct str command, const struct aws_keys **ret);

/* credentials_http.c */
enum aws_source aws_source_container(struct aws_fetch *f, const struct aws_keys **ret);
enum aws_source aws_source_metadata(struct aws_fetch *f, const struct aws_keys **ret);
bool aws_metadata_region(struct aws_fetch *f, struct str *ret);

/* credentials_sso.c */
enum aws_source aws_source_sso(struct aws_fetch *f, struct str profile, const struct aws_keys **ret);

/* credentials_sts.c: assumes the role, with web identity if the role has a token, else with the keys `base`. */
enum aws_source aws_source_role(struct aws_fetch *f, const struct aws_role *role, const struct aws_keys *base,
                                const struct aws_keys **ret);
/* AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN. */
enum aws_source aws_source_web_identity(struct aws_fetch *f, const struct aws_keys **ret);
