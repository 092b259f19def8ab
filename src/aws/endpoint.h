/*
 * Endpoints of services: partitions, regions, FIPS, dual stack, and custom URLs.
 */
#pragma once

#include "base/diag.h"

enum aws_service { AWS_CLOUDCONTROL, AWS_SSO, AWS_SSO_OIDC, AWS_STS, AWS_N_SERVICES };

struct aws_partition {
    const char *name; /* "aws", "aws-cn" */
    const char *suffix, *dual_stack_suffix;
};

/* The partition of a region. An unknown region belongs to the partition whose naming scheme it matches, else to aws. */
const struct aws_partition *aws_partition_of(struct str region);
/* Is it a valid DNS label (letters, digits and hyphens), so that it can be part of a host name? */
bool aws_region_valid(struct str region);

struct aws_endpoint_choice {
    enum aws_service service;
    struct str region;
    bool fips, dual_stack;
    struct str custom; /* http or https URL; empty: AWS's own */
};

struct lazy_curl;

struct aws_endpoint {
    struct str url;    /* without a trailing slash */
    struct str host;   /* for the Host header, with the port unless it is the scheme's default */
    struct str path;   /* of the URL, without a trailing slash; usually empty */
    struct str region; /* to sign for */
    const char *signing_name;
};

/* Sets url, host and path from a URL. False if it is not a valid URL. */
bool aws_endpoint_of_url(struct arena *a, const struct lazy_curl *curl, struct str url, struct aws_endpoint *ret);

/* False and a diagnostic if the region is missing or invalid, or the URL is invalid. */
bool aws_endpoint_find(struct arena *a, const struct aws_endpoint_choice *choice, struct diags *diags, struct aws_endpoint *ret);

/* "cloudcontrol", "sso_oidc": the key in a services section of the shared configuration, and in capitals the suffix of
 * AWS_ENDPOINT_URL_. */
const char *aws_service_id(enum aws_service service);
