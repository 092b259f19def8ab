#include "aws/endpoint.h"

#include "lazy/lazy_curl.h"

#include <stdlib.h>

/* Partitions by the prefix of a region's name. */
static const struct {
    const char *start;
    struct aws_partition partition;
} partitions[] = {
    {"cn-", {"aws-cn", "amazonaws.com.cn", "api.amazonwebservices.com.cn"}},
    {"eusc-", {"aws-eusc", "amazonaws.eu", "api.amazonwebservices.eu"}},
    {"us-iso-", {"aws-iso", "c2s.ic.gov", "api.aws.ic.gov"}},
    {"us-isob-", {"aws-iso-b", "sc2s.sgov.gov", "api.aws.scloud"}},
    {"eu-isoe-", {"aws-iso-e", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"}},
    {"us-isof-", {"aws-iso-f", "csp.hci.ic.gov", "api.aws.hci.ic.gov"}},
    {"us-gov-", {"aws-us-gov", "amazonaws.com", "api.aws"}},
    {"", {"aws", "amazonaws.com", "api.aws"}},
};

static const struct {
    const char *id, *host, *fips_host, *signing_name;
    bool gov_is_fips; /* in aws-us-gov the standard host also serves FIPS */
} services[AWS_N_SERVICES] = {
    [AWS_CLOUDCONTROL] = {"cloudcontrol", "cloudcontrolapi", "cloudcontrolapi-fips", "cloudcontrolapi", false},
    [AWS_SSO] = {"sso", "portal.sso", "portal.sso-fips", "awsssoportal", true},
    [AWS_SSO_OIDC] = {"sso_oidc", "oidc", "oidc-fips", "sso-oauth", true},
    [AWS_STS] = {"sts", "sts", "sts-fips", "sts", true},
};

const char *aws_service_id(enum aws_service service)
{
    return services[service].id;
}

const struct aws_partition *aws_partition_of(struct str region)
{
    size_t i = 0;
    while (!str_starts(region, str_of(partitions[i].start)))
        i++;
    return &partitions[i].partition;
}

bool aws_region_valid(struct str region)
{
    for (size_t i = 0; i < region.n; i++) {
        char c = region.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool hyphen = c == '-' && i > 0 && i + 1 < region.n;
        if (!letter && !hyphen)
            return false;
    }
    return region.n > 0 && region.n <= 63;
}

static void use_own(struct arena *a, const struct aws_endpoint_choice *c, struct aws_endpoint *ret)
{
    const struct aws_partition *partition = aws_partition_of(c->region);
    bool plain = c->fips && !c->dual_stack && services[c->service].gov_is_fips && strcmp(partition->name, "aws-us-gov") == 0;
    const char *host = c->fips && !plain ? services[c->service].fips_host : services[c->service].host;
    const char *suffix = c->dual_stack ? partition->dual_stack_suffix : partition->suffix;
    ret->host = arena_printf(a, "%s." STR_FMT ".%s", host, STR_ARG(c->region), suffix);
    if (c->service == AWS_STS && str_eqz(c->region, "aws-global")) {
        ret->host = STR("sts.amazonaws.com");
        ret->region = STR("us-east-1");
    }
    ret->url = arena_printf(a, "https://" STR_FMT, STR_ARG(ret->host));
    ret->path = STR_EMPTY;
}

static char *part_of(const struct lazy_curl *curl, CURLU *url, CURLUPart part)
{
    char *text = NULL;
    return curl->url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static bool take_parts(struct arena *a, const struct lazy_curl *curl, CURLU *parts, struct aws_endpoint *ret)
{
    char *scheme = part_of(curl, parts, CURLUPART_SCHEME), *host = part_of(curl, parts, CURLUPART_HOST);
    char *port = part_of(curl, parts, CURLUPART_PORT), *path = part_of(curl, parts, CURLUPART_PATH);
    char *user = part_of(curl, parts, CURLUPART_USER), *query = part_of(curl, parts, CURLUPART_QUERY);
    bool https = scheme && strcmp(scheme, "https") == 0;
    bool ok = host && path && !user && !query && (https || (scheme && strcmp(scheme, "http") == 0));
    if (ok) {
        bool usual = !port || strcmp(port, https ? "443" : "80") == 0;
        ret->host = arena_printf(a, "%s%s%s", host, usual ? "" : ":", usual ? "" : port);
        ret->path = arena_str(a, str_of(path));
        while (str_ends(ret->path, STR("/")))
            ret->path.n--;
        ret->url = arena_printf(a, "%s://" STR_FMT STR_FMT, scheme, STR_ARG(ret->host), STR_ARG(ret->path));
    }
    char *all[] = {scheme, host, port, path, user, query};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        curl->free(all[i]);
    return ok;
}

bool aws_endpoint_of_url(struct arena *a, const struct lazy_curl *curl, struct str url, struct aws_endpoint *ret)
{
    const char *text = arena_str(a, url).p;
    CURLU *parts = curl->url();
    if (!parts)
        abort();
    bool ok = strlen(text) == url.n && curl->url_set(parts, CURLUPART_URL, text, CURLU_PATH_AS_IS) == CURLUE_OK &&
              take_parts(a, curl, parts, ret);
    curl->url_cleanup(parts);
    return ok;
}

bool aws_endpoint_find(struct arena *a, const struct aws_endpoint_choice *c, struct diags *diags, struct aws_endpoint *ret)
{
    struct aws_endpoint e = {.region = arena_str(a, c->region), .signing_name = services[c->service].signing_name};
    if (c->region.n == 0)
        return diags_fail(
            diags, "Missing region",
            "No AWS region is set. Set `region` in the provider block, AWS_REGION in the environment, or `region` in "
            "the profile of ~/.aws/config.");
    if (!aws_region_valid(c->region))
        return diags_fail(diags, "Invalid region",
                          "\"" STR_FMT "\" is not a valid AWS region; expected letters, digits and hyphens, as in us-east-1.",
                          STR_ARG(str_slice(c->region, 0, 100)));
    const struct lazy_curl *curl = c->custom.n > 0 ? lazy_curl(diags) : NULL;
    if (c->custom.n == 0)
        use_own(a, c, &e);
    else if (!curl)
        return false;
    else if (!aws_endpoint_of_url(a, curl, c->custom, &e))
        return diags_fail(
            diags, "Invalid endpoint",
            "\"" STR_FMT "\" is not a valid endpoint; expected http://HOST[:PORT][/PATH] or https://..., without user and query.",
            STR_ARG(str_slice(c->custom, 0, 200)));
    *ret = e;
    return true;
}
