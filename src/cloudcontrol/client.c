#include "cloudcontrol/client.h"

#include "base/env.h"
#include "base/log.h"

#include <stdlib.h>

struct cc_client {
    struct arena *arena;
    struct aws_settings settings; /* of the provider block, plus the environment */
    struct aws_config config;
    struct str region;
    struct http *http;
    struct aws_caller *caller;
    struct aws_credentials *credentials;
    struct cc_api *api;
    struct aws_identity identity;
};

static void warn_of_surprises(const struct cc_client_options *o, bool https_proxy_is_borrowed, struct diags *diags)
{
    if (https_proxy_is_borrowed)
        diags_warn(diags, "Missing HTTPS Proxy",
                   "An HTTP proxy is set, but no HTTPS proxy. The HTTP proxy is used for HTTPS too. To use no proxy for HTTPS, "
                   "set https_proxy to an empty string.");
    if (o->settings->aws.profile.n > 0 && env_get(o->env, "AWS_ACCESS_KEY_ID") && env_get(o->env, "AWS_SECRET_ACCESS_KEY"))
        diags_warn(diags, "Configuration conflict detected",
                   "A profile is set, and so are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The profile is used.");
}

static int max_attempts(const struct cc_client *c, const struct cc_client_options *o)
{
    if (o->settings->max_retries > 0)
        return o->settings->max_retries;
    return c->config.max_attempts > 0 ? (int)c->config.max_attempts : AWS_MAX_ATTEMPTS;
}

static bool make_caller(struct cc_client *c, const struct cc_client_options *o, struct diags *diags)
{
    bool borrowed;
    struct http_options http = {
        .loop = o->loop,
        .ca_file = c->config.ca_file.n > 0 ? c->config.ca_file.p : NULL,
        .insecure = o->settings->insecure,
        .proxies = http_proxies(&o->settings->proxies, o->env, &borrowed),
        .user_agent = cc_user_agent(c->arena, &o->settings->user_agent, o->env),
    };
    warn_of_surprises(o, borrowed, diags);
    c->http = http_new(&http, diags);
    if (!c->http)
        return false;
    c->caller = aws_caller_new(
        &(struct aws_caller_options){.http = c->http, .time = o->time, .log = o->log, .max_attempts = max_attempts(c, o)});
    return true;
}

static bool find_endpoint(struct cc_client *c, enum aws_service service, struct diags *diags, struct aws_endpoint *ret)
{
    struct aws_endpoint_choice choice = {
        .service = service,
        .region = c->region,
        .fips = c->config.fips,
        .dual_stack = c->config.dual_stack,
        .custom = c->config.endpoints[service],
    };
    return aws_endpoint_find(c->arena, &choice, diags, ret);
}

/* The region may come from the instance that provides the credentials, so keys are fetched first. */
static bool find_keys_and_region(struct cc_client *c, const struct cc_client_options *o, struct diags *diags)
{
    const struct aws_keys *keys = aws_credentials_get(c->credentials, o->cancel, o->deadline, diags);
    if (!keys)
        return false;
    log_info(o->log, "credentials found", LOG_STR("source", keys->source));
    aws_keys_unref(keys);
    c->region = c->config.region;
    if (c->region.n == 0)
        c->region = aws_credentials_region(c->credentials, c->arena, o->cancel, o->deadline);
    return true;
}

static bool find_identity(struct cc_client *c, const struct cc_client_options *o, struct diags *diags)
{
    struct aws_endpoint sts;
    struct aws_failure failure;
    if (o->settings->skip_validation)
        return true;
    if (!find_endpoint(c, AWS_STS, diags, &sts))
        return false;
    if (aws_sts_identity(c->caller, &sts, c->arena, c->credentials, o->cancel, o->deadline, &c->identity, &failure))
        return true;
    return aws_failure_report(&failure, "STS GetCallerIdentity", "Invalid provider credentials", diags);
}

static bool open_parts(struct cc_client *c, const struct cc_client_options *o, struct diags *diags)
{
    if (!aws_config_read(c->arena, &c->settings, diags, &c->config) || !make_caller(c, o, diags))
        return false;
    struct aws_credentials_options credentials = {.settings = &c->settings, .caller = c->caller, .loop = o->loop, .log = o->log};
    struct aws_endpoint endpoint;
    if (!aws_credentials_new(&credentials, diags, &c->credentials) || !find_keys_and_region(c, o, diags) ||
        !find_endpoint(c, AWS_CLOUDCONTROL, diags, &endpoint) || !find_identity(c, o, diags))
        return false;
    c->api = cc_api_new(&(struct cc_api_options){.caller = c->caller,
                                                 .credentials = c->credentials,
                                                 .endpoint = endpoint,
                                                 .role_arn = o->settings->role_arn,
                                                 .log = o->log});
    return true;
}

bool cc_client_open(const struct cc_client_options *options, struct diags *diags, struct cc_client **ret)
{
    struct arena *a = arena_new(NULL, 0);
    struct cc_client *c = arena_make(a, struct cc_client);
    c->arena = a;
    c->settings = options->settings->aws;
    c->settings.env = options->env;
    if (!open_parts(c, options, diags)) {
        cc_client_close(c);
        return false;
    }
    *ret = c;
    return true;
}

void cc_client_close(struct cc_client *c)
{
    if (!c)
        return;
    cc_api_free(c->api);
    aws_credentials_free(c->credentials);
    aws_caller_free(c->caller);
    http_free(c->http);
    arena_free(c->arena);
}

struct cc_api *cc_client_api(const struct cc_client *client)
{
    return client->api;
}

struct str cc_client_region(const struct cc_client *client)
{
    return client->region;
}

const struct aws_identity *cc_client_identity(const struct cc_client *client)
{
    return &client->identity;
}
