/*
 * Where a service is: partitions, regions, FIPS and dual stack, and addresses of one's own.
 */
#pragma once

#include "base/diag.h"

enum aws_service { AWS_CLOUDCONTROL, AWS_SSO, AWS_SSO_OIDC, AWS_STS, AWS_N_SERVICES };

struct aws_partition {
    const char *name; /* "aws", "aws-cn" */
    const char *suffix, *dual_stack_suffix;
};

/* By the region's name; a region that nobody knows is of the partition that its name resembles, else of aws. */
const struct aws_partition *aws_partition_of(struct str region);
/* Letters, digits and hyphens, as a host's label has them: what may be made part of a host name. */
bool aws_region_valid(struct str region);

struct aws_endpoint_choice {
    enum aws_service service;
    struct str region;
    bool fips, dual_stack;
    struct str custom; /* http or https URL; empty: AWS's own */
};

struct lazy_curl;

struct aws_endpoint {
    struct str url;    /* without slash at the end */
    struct str host;   /* as the Host header has it, with the port unless it is the scheme's own */
    struct str path;   /* the URL's, without slash at the end; usually empty */
    struct str region; /* to sign for */
    const char *signing_name;
};

/* Of a URL alone: url, host and path. False: it is none. */
bool aws_endpoint_of_url(struct arena *a, const struct lazy_curl *curl, struct str url, struct aws_endpoint *ret);

/* False and a diagnostic: no region, a region that cannot be one, a URL that is none. */
bool aws_endpoint_find(struct arena *a, const struct aws_endpoint_choice *choice, struct diags *diags, struct aws_endpoint *ret);

/* "cloudcontrol", "sso_oidc": the key in a services section of the shared configuration; AWS_ENDPOINT_URL_ with it in capitals.
 */
const char *aws_service_id(enum aws_service service);
