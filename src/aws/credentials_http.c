/*
 * Credentials that the environment provides over HTTP: containers (ECS, EKS) and instances (EC2). Requests bypass any proxy.
 *
 * Plain http is allowed only to this machine and AWS's link-local addresses, so that a variable that names another host does not
 * send a token there.
 */
#include "aws/credentials_private.h"
#include "base/file.h"

#include <strings.h>

#define CONTAINER_HOST "http://169.254.170.2"
#define METADATA_IPV4 "http://169.254.169.254"
#define METADATA_IPV6 "http://[fd00:ec2::254]"

enum { MAX_ROLE_NAME = 128 };

/* {"AccessKeyId":...,"SecretAccessKey":...,"Token":...,"Expiration":...}, the answer format of both. */
static enum aws_source read_keys(struct aws_fetch *f, struct str source, struct str body, const struct aws_keys **ret)
{
    struct diags diags;
    diags_init(&diags, f->a);
    const struct json *j = json_parse(f->a, body, "answer", &diags);
    str_wipe(body);
    if (!j || j->kind != JSON_OBJECT)
        return aws_failed(f, STR_FMT ": the answer is not a JSON object.", STR_ARG(source));
    struct str code = json_text(json_get(j, "Code"), STR("Success"));
    if (!str_eqz(code, "Success"))
        return aws_failed(f, STR_FMT ": " STR_FMT ": " STR_FMT, STR_ARG(source), STR_ARG(code),
                          STR_ARG(json_text(json_get(j, "Message"), STR_EMPTY)));
    return aws_found_json(f, source, j, "Token", ret);
}

/* {"code":...,"message":...}, or nothing. */
static bool read_plain_error(struct arena *a, const struct http_response *response, struct str *ret_name, struct str *ret_message)
{
    if (aws_read_json_error(a, response, ret_name, ret_message))
        return true;
    *ret_name = arena_printf(a, "HTTP status %ld", response->status);
    *ret_message = STR("no further explanation");
    return true;
}

/* Containers */

static bool is_container_address(struct str host)
{
    static const char *const addresses[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
    struct str name = host;
    size_t end = str_starts(host, STR("[")) ? str_find(host, ']', 0) : str_find(host, ':', 0);
    if (end != SIZE_MAX)
        name = str_slice(host, 0, str_starts(host, STR("[")) ? end + 1 : end);
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        if (str_eqz(name, addresses[i]))
            return true;
    if (!str_starts(name, STR("127.")))
        return false;
    for (size_t i = 0; i < name.n; i++) /* an address, not a name such as 127.0.0.1.example.com */
        if (name.p[i] != '.' && (name.p[i] < '0' || name.p[i] > '9'))
            return false;
    return true;
}

/* False if the endpoint must not be used; *reterr says why. */
static bool container_endpoint(struct aws_fetch *f, const char *relative, const char *full, struct aws_endpoint *ret,
                               struct str *ret_query, const char **reterr)
{
    struct str url = relative ? arena_printf(f->a, CONTAINER_HOST "%s", relative) : str_of(full);
    struct str rest = url;
    url = str_cut(&rest, '?');
    *ret_query = rest;
    if (relative && relative[0] != '/')
        *reterr = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not start with /";
    else if (!aws_endpoint_of_url(f->a, http_curl(aws_caller_http(f->caller)), url, ret))
        *reterr = "AWS_CONTAINER_CREDENTIALS_FULL_URI is not a valid URL";
    else if (str_starts(url, STR("http://")) && !is_container_address(ret->host))
        *reterr = "over http, AWS_CONTAINER_CREDENTIALS_FULL_URI may only name this machine itself or a container's own address";
    else
        return true;
    return false;
}

/* The authorization token for the container's agent; empty if none is configured. */
static bool container_token(struct aws_fetch *f, struct str *ret, const char **reterr)
{
    const char *file = aws_setting_env(f->settings, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    struct diags diags;
    diags_init(&diags, f->a);
    *ret = str_of(aws_setting_env(f->settings, "AWS_CONTAINER_AUTHORIZATION_TOKEN"));
    if (file && !file_read(f->a, file, AWS_MAX_SECRET_FILE, &diags, ret)) {
        *reterr =
            arena_printf(f->a, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read: " STR_FMT, STR_ARG(diags.v[0].detail)).p;
        return false;
    }
    if (str_find(*ret, '\n', 0) == SIZE_MAX && str_find(*ret, '\r', 0) == SIZE_MAX)
        return true;
    *reterr = "the authorization token of the container has a line break in it";
    return false;
}

enum aws_source aws_source_container(struct aws_fetch *f, const struct aws_keys **ret)
{
    const char *relative = aws_setting_env(f->settings, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = aws_setting_env(f->settings, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
    const char *why = NULL;
    struct aws_endpoint endpoint = {0};
    struct str token = STR_EMPTY, query;
    if (!relative && !full)
        return aws_absent(f, "container",
                          "neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set");
    if (!container_endpoint(f, relative, full, &endpoint, &query, &why) || !container_token(f, &token, &why))
        return aws_failed(f, "Container credentials: %s.", why);
    struct http_header headers[] = {{STR("Accept"), STR("application/json")}, {STR("Authorization"), token}};
    struct aws_call call = {
        .endpoint = &endpoint,
        .method = "GET",
        .query = query,
        .headers = headers,
        .n_headers = token.n > 0 ? 2 : 1,
        .operation = "container credentials",
        .max_attempts = AWS_NETWORK_ATTEMPTS,
        .max_body = AWS_MAX_SECRET_BODY,
        .timeout_ns = AWS_CONTAINER_TIMEOUT_S * NS_PER_S,
        .direct = true,
        .deadline = f->deadline,
        .cancel = f->cancel,
        .read_error = read_plain_error,
    };
    struct http_response response;
    struct aws_failure failure;
    if (!aws_call(f->caller, f->a, &call, &response, &failure))
        return aws_call_failed(f, "Container credentials", &failure);
    return read_keys(f, STR("container"), response.body, ret);
}

/* Instances */

struct metadata {
    struct aws_endpoint endpoint;
    struct str token;
};

/* ABSENT if there is no answer: most machines are not EC2 instances. */
static enum aws_source ask(struct aws_fetch *f, const struct metadata *m, const char *method, const char *path,
                           const struct http_header *header, struct str *ret, long *ret_status)
{
    struct aws_call call = {
        .endpoint = &m->endpoint,
        .method = method,
        .path = str_of(path),
        .headers = header,
        .n_headers = 1,
        .operation = "instance metadata",
        .max_attempts = 2,
        .max_body = AWS_MAX_SECRET_BODY,
        .connect_ns = AWS_METADATA_CONNECT_S * NS_PER_S,
        .timeout_ns = AWS_METADATA_TIMEOUT_S * NS_PER_S,
        .direct = true,
        .deadline = f->deadline,
        .cancel = f->cancel,
        .read_error = read_plain_error,
    };
    struct http_response response;
    struct aws_failure failure;
    *ret_status = 0;
    if (aws_call(f->caller, f->a, &call, &response, &failure)) {
        *ret = response.body;
        *ret_status = response.status;
        return AWS_SOURCE_FOUND;
    }
    *ret_status = failure.status;
    if (failure.kind == AWS_FAIL_CANCELLED || failure.kind == AWS_FAIL_DEADLINE)
        return aws_call_failed(f, "Instance metadata", &failure);
    return aws_absent(f, "instance metadata", STR_FMT, STR_ARG(aws_failure_text(f->a, &failure)));
}

static bool metadata_is_off(const struct aws_fetch *f)
{
    const char *off = aws_setting_env(f->settings, "AWS_EC2_METADATA_DISABLED");
    if (f->settings->metadata != AWS_UNSET)
        return f->settings->metadata == AWS_OFF;
    return off && strcasecmp(off, "true") == 0;
}

static struct str metadata_url(const struct aws_fetch *f)
{
    struct str profile = f->config->profile;
    const char *url = aws_setting_env(f->settings, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const char *mode = aws_setting_env(f->settings, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
    struct str stated = url ? str_of(url) : STR_EMPTY;
    if (stated.n == 0 && f->shared)
        stated = aws_profile_get(f->shared, profile, "ec2_metadata_service_endpoint");
    struct str how = mode ? str_of(mode) : STR_EMPTY;
    if (how.n == 0 && f->shared)
        how = aws_profile_get(f->shared, profile, "ec2_metadata_service_endpoint_mode");
    if (stated.n > 0)
        return stated;
    return how.n == 4 && strncasecmp(how.p, "IPv6", 4) == 0 ? STR(METADATA_IPV6) : STR(METADATA_IPV4);
}

static enum aws_source open_metadata(struct aws_fetch *f, struct metadata *ret)
{
    long status;
    struct http_header ttl = {STR("X-aws-ec2-metadata-token-ttl-seconds"), STR("21600")};
    if (metadata_is_off(f))
        return aws_absent(f, "instance metadata", "turned off (AWS_EC2_METADATA_DISABLED or skip_metadata_api_check)");
    *ret = (struct metadata){0};
    if (!aws_endpoint_of_url(f->a, http_curl(aws_caller_http(f->caller)), metadata_url(f), &ret->endpoint))
        return aws_failed(f, "AWS_EC2_METADATA_SERVICE_ENDPOINT is not a valid URL: " STR_FMT,
                          STR_ARG(str_slice(metadata_url(f), 0, 200)));
    enum aws_source result = ask(f, ret, "PUT", "/latest/api/token", &ttl, &ret->token, &status);
    if (result == AWS_SOURCE_FOUND && (ret->token.n == 0 || str_find(ret->token, '\n', 0) != SIZE_MAX))
        return aws_absent(f, "instance metadata", "the service that answered is not an instance metadata service of version 2");
    return result;
}

static struct http_header token_header(const struct metadata *m)
{
    return (struct http_header){STR("X-aws-ec2-metadata-token"), m->token};
}

static bool is_role_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] >= 127 || strchr("/?#%", name.p[i]))
            return false;
    return name.n > 0 && name.n <= MAX_ROLE_NAME;
}

enum aws_source aws_source_metadata(struct aws_fetch *f, const struct aws_keys **ret)
{
    static const char folder[] = "/latest/meta-data/iam/security-credentials/";
    struct metadata m;
    struct str text = STR_EMPTY;
    long status;
    enum aws_source result = open_metadata(f, &m);
    if (result != AWS_SOURCE_FOUND)
        return result;
    struct http_header header = token_header(&m);
    result = ask(f, &m, "GET", folder, &header, &text, &status);
    if (result != AWS_SOURCE_FOUND)
        return result;
    struct str role = str_trim(str_cut(&text, '\n'));
    if (!is_role_name(role))
        return aws_absent(f, "instance metadata", "the instance has no role");
    struct str source = arena_printf(f->a, "instance metadata, role " STR_FMT, STR_ARG(role));
    result = ask(f, &m, "GET", arena_printf(f->a, "%s" STR_FMT, folder, STR_ARG(role)).p, &header, &text, &status);
    if (result != AWS_SOURCE_FOUND)
        return result;
    f->from_metadata = true;
    return read_keys(f, source, text, ret);
}

bool aws_metadata_region(struct aws_fetch *f, struct str *ret)
{
    struct metadata m;
    struct str text = STR_EMPTY;
    long status;
    if (open_metadata(f, &m) != AWS_SOURCE_FOUND)
        return false;
    struct http_header header = token_header(&m);
    if (ask(f, &m, "GET", "/latest/meta-data/placement/region", &header, &text, &status) != AWS_SOURCE_FOUND ||
        !aws_region_valid(str_trim(text)))
        return false;
    *ret = str_trim(text);
    return true;
}
