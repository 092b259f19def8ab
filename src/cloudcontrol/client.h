/*
 * A configured client: turns settings and environment into a usable API. One per ConfigureProvider; thread-safe.
 */
#pragma once

#include "cloudcontrol/api.h"
#include "cloudcontrol/provider_block.h"

struct cc_client;
struct cc_client_options {
    const struct cc_provider_settings *settings; /* what it points to must outlive the client */
    const char *const *env;                      /* as environ; must outlive the client */
    struct loop *loop;
    struct log *log;
    const struct http_time *time; /* NULL: the machine's */
    struct cancel *cancel;        /* of this call */
    int64_t deadline;
};

/* Finds region and credentials, and asks STS for the identity, so that wrong credentials fail here, not at the first resource. */
bool cc_client_open(const struct cc_client_options *options, struct diags *diags, struct cc_client **ret);
void cc_client_close(struct cc_client *client); /* NULL is accepted; no call may be in progress */

struct cc_api *cc_client_api(const struct cc_client *client);
struct str cc_client_region(const struct cc_client *client);
/* All empty if the provider block sets skip_credentials_validation. */
const struct aws_identity *cc_client_identity(const struct cc_client *client);
