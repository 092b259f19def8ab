/* The Security Token Service: assumes roles and finds our identity. Query protocol: form requests, XML answers. */
#include "aws/arn.h"
#include "aws/credentials_private.h"
#include "aws/sigv4.h"
#include "aws/xml.h"
#include "base/file.h"

#include <stdio.h>

enum { MAX_FORM = 256 << 10, MAX_ANSWER = 256 << 10 };

/* Forms */

static void add_field(struct buf *out, const char *name, struct str value)
{
    if (value.n == 0)
        return;
    buf_printf(out, "%s%s=", out->n > 0 ? "&" : "", name);
    sigv4_encode(out, value, /* keep_slash= */ false);
}

static void add_member(struct buf *out, const char *list, size_t i, const char *part, struct str value)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s.member.%zu%s", list, i + 1, part);
    /* The value of a tag may be empty. */
    buf_printf(out, "%s%s=", out->n > 0 ? "&" : "", name);
    sigv4_encode(out, value, /* keep_slash= */ false);
}

static void add_role(struct aws_fetch *f, struct buf *out, const struct aws_role *role)
{
    int64_t seconds = role->duration_s > 0 ? role->duration_s : AWS_ROLE_SECONDS;
    struct str session = role->session_name;
    if (session.n == 0)
        session = arena_printf(f->a, "terrane-%lld", (long long)(aws_caller_now(f->caller) / 1000));
    add_field(out, "RoleArn", role->arn);
    add_field(out, "RoleSessionName", session);
    add_field(out, "DurationSeconds", arena_printf(f->a, "%lld", (long long)seconds));
    add_field(out, "Policy", role->policy);
    for (size_t i = 0; i < role->n_policy_arns; i++)
        add_member(out, "PolicyArns", i, ".arn", role->policy_arns[i]);
}

static void add_more_of_role(struct buf *out, const struct aws_role *role)
{
    add_field(out, "ExternalId", role->external_id);
    add_field(out, "SourceIdentity", role->source_identity);
    for (size_t i = 0; i < role->n_tags; i++) {
        add_member(out, "Tags", i, ".Key", role->tags[i].key);
        add_member(out, "Tags", i, ".Value", role->tags[i].value);
    }
    for (size_t i = 0; i < role->n_transitive_tag_keys; i++)
        add_member(out, "TransitiveTagKeys", i, "", role->transitive_tag_keys[i]);
}

/* Calls */

static enum aws_retry retry_sts(struct str name, long status)
{
    if (str_eqz(name, "IDPCommunicationError"))
        return AWS_RETRY_YES;
    return status >= 500 ? AWS_RETRY_YES : AWS_RETRY_NO;
}

static struct aws_call sts_call(const struct aws_endpoint *endpoint, const char *action, struct str form)
{
    static const struct http_header headers[] = {
        {{"Content-Type", 12}, {"application/x-www-form-urlencoded; charset=utf-8", 48}}};
    return (struct aws_call){
        .endpoint = endpoint,
        .method = "POST",
        .path = STR("/"),
        .headers = headers,
        .n_headers = 1,
        .body = form,
        .operation = action,
        .max_attempts = AWS_AUTH_ATTEMPTS,
        .max_body = MAX_ANSWER,
        .read_error = aws_read_xml_error,
        .retry = retry_sts,
    };
}

static bool answer_text(struct arena *a, struct str body, const char *action, const char *place, struct str *ret)
{
    return aws_xml_text(a, body, arena_printf(a, "%sResponse/%sResult/%s", action, action, place).p, ret);
}

static enum aws_source read_role_keys(struct aws_fetch *f, const char *action, const struct aws_role *role, struct str body,
                                      const struct aws_keys **ret)
{
    struct aws_keys keys = {.source = arena_printf(f->a, "%s of " STR_FMT, action, STR_ARG(role->arn)),
                            .account = aws_arn_account(role->arn)};
    struct str expiry;
    bool complete = answer_text(f->a, body, action, "Credentials/AccessKeyId", &keys.access_key) &&
                    answer_text(f->a, body, action, "Credentials/SecretAccessKey", &keys.secret_key) &&
                    answer_text(f->a, body, action, "Credentials/SessionToken", &keys.token) &&
                    answer_text(f->a, body, action, "Credentials/Expiration", &expiry) && timestamp_parse(expiry, &keys.expires);
    enum aws_source result =
        complete ? aws_found(f, &keys, ret) : aws_failed(f, "%s: STS did not send a valid answer to %s.", action, action);
    str_wipe(body);
    str_wipe(keys.secret_key);
    str_wipe(keys.token);
    return result;
}

static bool sts_endpoint(struct aws_fetch *f, struct aws_endpoint *ret)
{
    struct str region = f->config->region;
    struct aws_endpoint_choice choice = {
        .service = AWS_STS,
        .region = region.n > 0 ? region : STR("aws-global"),
        .fips = f->config->fips,
        .dual_stack = f->config->dual_stack,
        .custom = f->config->endpoints[AWS_STS],
    };
    if (!aws_endpoint_find(f->a, &choice, f->diags, ret))
        return false;
    if (region.n == 0)
        ret->region = STR("us-east-1");
    return true;
}

static bool read_web_token(struct aws_fetch *f, const struct aws_role *role, struct str *ret)
{
    struct str text;
    if (role->web_token.n > 0) {
        *ret = arena_str(f->a, role->web_token);
        return true;
    }
    if (!file_read(f->a, aws_path(f->a, f->settings, role->web_token_file), AWS_MAX_SECRET_FILE, f->diags, &text))
        return false;
    *ret = str_trim(text);
    return true;
}

enum aws_source aws_source_role(struct aws_fetch *f, const struct aws_role *role, const struct aws_keys *base,
                                const struct aws_keys **ret)
{
    const char *action = base ? "AssumeRole" : "AssumeRoleWithWebIdentity";
    struct aws_endpoint endpoint;
    struct str token = STR_EMPTY;
    if (!sts_endpoint(f, &endpoint) || (!base && !read_web_token(f, role, &token)))
        return AWS_SOURCE_FAILED;
    struct buf form = BUF_INIT(MAX_FORM);
    (void)buf_room(&form, (8 << 10) + 3 * token.n); /* reserved at once, so that reallocation leaves no copy of the token */
    add_field(&form, "Action", str_of(action));
    add_field(&form, "Version", STR("2011-06-15"));
    add_role(f, &form, role);
    if (base)
        add_more_of_role(&form, role);
    add_field(&form, "WebIdentityToken", token);
    str_wipe(token);
    struct aws_call call = sts_call(&endpoint, action, buf_str(&form));
    call.keys = base;
    call.deadline = f->deadline;
    call.cancel = f->cancel;
    struct http_response response;
    struct aws_failure failure;
    const char *what = arena_printf(f->a, "Role " STR_FMT " cannot be assumed: %s", STR_ARG(role->arn), action).p;
    enum aws_source result;
    if (!buf_ok(&form))
        result = aws_failed(f, "%s: the request has more than %d bytes.", what, MAX_FORM);
    else if (aws_call(f->caller, f->a, &call, &response, &failure))
        result = read_role_keys(f, action, role, response.body, ret);
    else
        result = aws_call_failed(f, what, &failure);
    buf_wipe(&form);
    return result;
}

enum aws_source aws_source_web_identity(struct aws_fetch *f, const struct aws_keys **ret)
{
    struct aws_role role = {
        .arn = str_of(aws_setting_env(f->settings, "AWS_ROLE_ARN")),
        .session_name = str_of(aws_setting_env(f->settings, "AWS_ROLE_SESSION_NAME")),
        .web_token_file = str_of(aws_setting_env(f->settings, "AWS_WEB_IDENTITY_TOKEN_FILE")),
    };
    if (role.web_token_file.n == 0)
        return aws_absent(f, "web identity", "AWS_WEB_IDENTITY_TOKEN_FILE is not set");
    if (role.arn.n == 0)
        return aws_failed(f, "Web identity: AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not.");
    return aws_source_role(f, &role, NULL, ret);
}

bool aws_sts_identity(struct aws_caller *caller, const struct aws_endpoint *endpoint, struct arena *a,
                      struct aws_credentials *credentials, struct cancel *cancel, int64_t deadline, struct aws_identity *ret,
                      struct aws_failure *reterr)
{
    static const char action[] = "GetCallerIdentity";
    struct aws_call call = sts_call(endpoint, action, STR("Action=GetCallerIdentity&Version=2011-06-15"));
    call.credentials = credentials;
    call.cancel = cancel;
    call.deadline = deadline;
    struct http_response response;
    struct aws_identity identity;
    if (!aws_call(caller, a, &call, &response, reterr))
        return false;
    if (!answer_text(a, response.body, action, "Account", &identity.account) ||
        !answer_text(a, response.body, action, "Arn", &identity.arn) ||
        !answer_text(a, response.body, action, "UserId", &identity.user_id)) {
        *reterr = (struct aws_failure){
            .kind = AWS_FAIL_ANSWER,
            .status = response.status,
            .message = arena_printf(a, STR_FMT " answers, but not as STS does", STR_ARG(endpoint->host)),
            .attempts = 1,
        };
        return false;
    }
    identity.partition = aws_arn_partition(identity.arn);
    *ret = identity;
    return true;
}
