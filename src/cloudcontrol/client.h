/*
 * A configured client: settings and environment in, an API that can be called out. Made once per ConfigureProvider; thread-safe.
 */
#pragma once

#include "cloudcontrol/api.h"
#include "cloudcontrol/provider_block.h"

struct cc_client;
struct cc_client_options {
    const struct cc_provider_settings *settings; /* what it points to lives as long as the client */
    const char *const *env;                      /* as environ; lives as long */
    struct loop *loop;
    struct log *log;
    const struct http_time *time; /* NULL: the machine's */
    struct cancel *cancel;        /* of this call */
    int64_t deadline;
};

/* Finds region and credentials, and asks STS who that is: wrong credentials are found here and not at the first resource. */
bool cc_client_open(const struct cc_client_options *options, struct diags *diags, struct cc_client **ret);
void cc_client_close(struct cc_client *client); /* NULL is accepted; no call may be under way */

struct cc_api *cc_client_api(const struct cc_client *client);
struct str cc_client_region(const struct cc_client *client);
/* All empty when the block says skip_credentials_validation. */
const struct aws_identity *cc_client_identity(const struct cc_client *client);
