/*
 * IAM Identity Center ("SSO"): exchanges the token that `aws sso login` stored in ~/.aws/sso/cache for credentials of a role. An
 * expired token of an sso-session is renewed if the file has a refresh token, and the file is updated (mode 0600).
 */
#include "aws/credentials_private.h"
#include "aws/sigv4.h"
#include "base/file.h"

#include <openssl/evp.h>
#include <stdlib.h>

enum { MAX_TOKEN_FILE = 256 << 10, RENEW_S = 300 };

struct sso {
    struct str profile, session, start_url, region, account, role;
    const char *file; /* of the token */
};

struct sso_token {
    const struct json *json; /* the whole file */
    struct str access_token;
    int64_t expires;
};

static struct str sha1_of(struct arena *a, struct str text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_Digest(text.p, text.n, digest, &n, EVP_sha1(), NULL) != 1)
        abort();
    struct buf out BUF_AUTO = BUF_INIT(2 * EVP_MAX_MD_SIZE);
    for (unsigned i = 0; i < n; i++)
        buf_printf(&out, "%02x", digest[i]);
    return buf_copy(&out, a);
}

static bool read_settings(struct aws_fetch *f, struct str profile, struct sso *ret)
{
    const struct aws_shared *shared = f->shared;
    struct sso s = {
        .profile = profile,
        .session = aws_profile_get(shared, profile, "sso_session"),
        .start_url = aws_profile_get(shared, profile, "sso_start_url"),
        .region = aws_profile_get(shared, profile, "sso_region"),
        .account = aws_profile_get(shared, profile, "sso_account_id"),
        .role = aws_profile_get(shared, profile, "sso_role_name"),
    };
    if (s.session.n > 0) {
        const struct aws_section *section = aws_shared_find(shared, AWS_SECTION_SSO_SESSION, s.session, false);
        if (!section) {
            (void)aws_failed(f, "Profile \"" STR_FMT "\": there is no section [sso-session " STR_FMT "].", STR_ARG(profile),
                             STR_ARG(s.session));
            return false;
        }
        s.start_url = aws_section_get(section, "sso_start_url");
        s.region = aws_section_get(section, "sso_region");
    }
    static const char *const names[] = {"sso_start_url", "sso_region", "sso_account_id", "sso_role_name"};
    const struct str values[] = {s.start_url, s.region, s.account, s.role};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (values[i].n == 0) {
            (void)aws_failed(f, "Profile \"" STR_FMT "\" uses SSO, but %s is missing.", STR_ARG(profile), names[i]);
            return false;
        }
    struct str key = sha1_of(f->a, s.session.n > 0 ? s.session : s.start_url);
    s.file = aws_path(f->a, f->settings, arena_printf(f->a, "~/.aws/sso/cache/" STR_FMT ".json", STR_ARG(key)));
    *ret = s;
    return true;
}

static enum aws_source log_in_again(struct aws_fetch *f, const struct sso *s, const char *why)
{
    return aws_failed(f, "Profile \"" STR_FMT "\": %s. Log in with `aws sso login --profile " STR_FMT "`.", STR_ARG(s->profile),
                      why, STR_ARG(s->profile));
}

static bool read_token(struct aws_fetch *f, const struct sso *s, struct sso_token *ret, const char **reterr)
{
    struct diags diags;
    struct str text;
    diags_init(&diags, f->a);
    if (!file_exists(s->file)) {
        *reterr = "there is no saved login";
        return false;
    }
    if (!file_read(f->a, s->file, MAX_TOKEN_FILE, &diags, &text)) {
        *reterr = arena_printf(f->a, "the token of the last login cannot be read (" STR_FMT ")", STR_ARG(diags.v[0].detail)).p;
        return false;
    }
    ret->json = json_parse(f->a, text, s->file, &diags);
    str_wipe(text);
    ret->access_token = json_text(json_get(ret->json, "accessToken"), STR_EMPTY);
    if (ret->access_token.n > 0 && timestamp_parse(json_text(json_get(ret->json, "expiresAt"), STR_EMPTY), &ret->expires))
        return true;
    *reterr = arena_printf(f->a, "%s has no token and time of expiry in it", s->file).p;
    return false;
}

static bool find_endpoint(struct aws_fetch *f, const struct sso *s, enum aws_service service, struct aws_endpoint *ret)
{
    struct aws_endpoint_choice choice = {.service = service,
                                         .region = s->region,
                                         .fips = f->config->fips,
                                         .dual_stack = f->config->dual_stack,
                                         .custom = f->config->endpoints[service]};
    return aws_endpoint_find(f->a, &choice, f->diags, ret);
}

static struct aws_call sso_call(const struct aws_fetch *f, const struct aws_endpoint *endpoint, const char *operation)
{
    return (struct aws_call){
        .endpoint = endpoint,
        .operation = operation,
        .max_attempts = AWS_AUTH_ATTEMPTS,
        .max_body = AWS_MAX_SECRET_BODY,
        .deadline = f->deadline,
        .cancel = f->cancel,
        .read_error = aws_read_json_error,
    };
}

/* Renewing a token */

static bool can_be_renewed(const struct aws_fetch *f, const struct sso *s, const struct sso_token *token)
{
    int64_t registered_until;
    static const char *const needed[] = {"refreshToken", "clientId", "clientSecret"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (json_text(json_get(token->json, needed[i]), STR_EMPTY).n == 0)
            return false;
    struct str until = json_text(json_get(token->json, "registrationExpiresAt"), STR_EMPTY);
    return s->session.n > 0 && timestamp_parse(until, &registered_until) && registered_until > aws_caller_now(f->caller);
}

/* Like AWS's tools, writes the old content with the new token. If that fails, users only have to log in again sooner. */
static void save_token(struct aws_fetch *f, const struct sso *s, const struct sso_token *old, const struct sso_token *renewed)
{
    char expires[DATE_TEXT];
    timestamp_format(renewed->expires, expires);
    struct buf out = BUF_INIT(MAX_TOKEN_FILE);
    struct json_writer w = {.out = &out};
    struct str refresh = json_text(json_get(renewed->json, "refreshToken"), STR_EMPTY);
    struct diags diags;
    diags_init(&diags, f->a);
    json_begin_object(&w);
    for (size_t i = 0; i < old->json->object.n; i++) {
        const struct json_member *m = &old->json->object.members[i];
        if (str_eqz(m->key, "accessToken")) {
            json_put_text(&w, "accessToken", renewed->access_token);
        } else if (str_eqz(m->key, "expiresAt")) {
            json_put_text(&w, "expiresAt", str_of(expires));
        } else if (str_eqz(m->key, "refreshToken") && refresh.n > 0) {
            json_put_text(&w, "refreshToken", refresh);
        } else {
            json_key(&w, m->key);
            json_write(&w, m->value);
        }
    }
    json_end_object(&w);
    if (!json_finish(&w) || !file_write(s->file, buf_str(&out), 0600, &diags))
        log_warn(f->log, "renewed SSO token could not be saved", LOG_Z("file", s->file));
    buf_wipe(&out);
}

static bool renew_token(struct aws_fetch *f, const struct sso *s, struct sso_token *token)
{
    struct aws_endpoint endpoint;
    if (!find_endpoint(f, s, AWS_SSO_OIDC, &endpoint))
        return false;
    struct buf body = BUF_INIT(MAX_TOKEN_FILE);
    struct json_writer w = {.out = &body};
    json_begin_object(&w);
    json_put_text(&w, "clientId", json_text(json_get(token->json, "clientId"), STR_EMPTY));
    json_put_text(&w, "clientSecret", json_text(json_get(token->json, "clientSecret"), STR_EMPTY));
    json_put_text(&w, "grantType", STR("refresh_token"));
    json_put_text(&w, "refreshToken", json_text(json_get(token->json, "refreshToken"), STR_EMPTY));
    json_end_object(&w);
    struct http_header type = {STR("Content-Type"), STR("application/json")};
    struct aws_call call = sso_call(f, &endpoint, "CreateToken");
    call.method = "POST";
    call.path = STR("/token");
    call.headers = &type;
    call.n_headers = 1;
    call.body = buf_str(&body);
    struct http_response response;
    struct aws_failure failure;
    struct diags diags;
    diags_init(&diags, f->a);
    bool ok = aws_call(f->caller, f->a, &call, &response, &failure);
    buf_wipe(&body);
    if (!ok)
        return false;
    struct sso_token renewed = {.json = json_parse(f->a, response.body, "answer", &diags)};
    str_wipe(response.body);
    renewed.access_token = json_text(json_get(renewed.json, "accessToken"), STR_EMPTY);
    int64_t seconds = json_int(json_get(renewed.json, "expiresIn"), 0);
    if (renewed.access_token.n == 0 || seconds <= 0 || seconds > 366 * 86400)
        return false;
    renewed.expires = aws_caller_now(f->caller) + seconds * NS_PER_S;
    save_token(f, s, token, &renewed);
    str_wipe(token->access_token);
    token->access_token = renewed.access_token;
    token->expires = renewed.expires;
    return true;
}

/* Credentials */

static enum aws_source read_keys(struct aws_fetch *f, const struct sso *s, struct str body, const struct aws_keys **ret)
{
    struct diags diags;
    diags_init(&diags, f->a);
    const struct json *j = json_get(json_parse(f->a, body, "answer", &diags), "roleCredentials");
    str_wipe(body);
    int64_t expires_ms = json_int(json_get(j, "expiration"), 0);
    struct aws_keys keys = {
        .access_key = json_text(json_get(j, "accessKeyId"), STR_EMPTY),
        .secret_key = json_text(json_get(j, "secretAccessKey"), STR_EMPTY),
        .token = json_text(json_get(j, "sessionToken"), STR_EMPTY),
        .expires = expires_ms > 0 && expires_ms < INT64_MAX / NS_PER_MS ? expires_ms * NS_PER_MS : 0,
        .account = s->account,
        .source = arena_printf(f->a, "SSO, profile \"" STR_FMT "\"", STR_ARG(s->profile)),
    };
    enum aws_source result =
        keys.expires > 0
            ? aws_found(f, &keys, ret)
            : aws_failed(f, STR_FMT ": the service did not send a valid answer to GetRoleCredentials.", STR_ARG(keys.source));
    str_wipe(keys.secret_key);
    str_wipe(keys.token);
    return result;
}

static struct str encoded(struct arena *a, struct str text)
{
    struct buf out BUF_AUTO = BUF_INIT(16 << 10);
    sigv4_encode(&out, text, /* keep_slash= */ false);
    return buf_copy(&out, a);
}

static enum aws_source get_keys(struct aws_fetch *f, const struct sso *s, const struct sso_token *token,
                                const struct aws_keys **ret)
{
    struct aws_endpoint endpoint;
    if (!find_endpoint(f, s, AWS_SSO, &endpoint))
        return AWS_SOURCE_FAILED;
    struct http_header bearer = {STR("x-amz-sso_bearer_token"), token->access_token};
    struct aws_call call = sso_call(f, &endpoint, "GetRoleCredentials");
    call.method = "GET";
    call.path = STR("/federation/credentials");
    call.query = arena_printf(f->a, "role_name=" STR_FMT "&account_id=" STR_FMT, STR_ARG(encoded(f->a, s->role)),
                              STR_ARG(encoded(f->a, s->account)));
    call.headers = &bearer;
    call.n_headers = 1;
    struct http_response response;
    struct aws_failure failure;
    if (aws_call(f->caller, f->a, &call, &response, &failure))
        return read_keys(f, s, response.body, ret);
    if (str_eqz(failure.name, "UnauthorizedException"))
        return log_in_again(f, s, "the token of the last login is no longer valid");
    return aws_call_failed(f, arena_printf(f->a, "SSO, profile \"" STR_FMT "\"", STR_ARG(s->profile)).p, &failure);
}

enum aws_source aws_source_sso(struct aws_fetch *f, struct str profile, const struct aws_keys **ret)
{
    struct sso s;
    struct sso_token token = {0};
    const char *why;
    if (!read_settings(f, profile, &s))
        return AWS_SOURCE_FAILED;
    if (!read_token(f, &s, &token, &why))
        return log_in_again(f, &s, why);
    int64_t now = aws_caller_now(f->caller);
    enum aws_source result;
    if (token.expires <= now + RENEW_S * NS_PER_S && can_be_renewed(f, &s, &token))
        (void)renew_token(f, &s, &token); /* if that fails, the old token may still work */
    if (token.expires <= now)
        result = log_in_again(f, &s, "the token of the last login has expired");
    else
        result = get_keys(f, &s, &token, ret);
    str_wipe(token.access_token);
    return result;
}
