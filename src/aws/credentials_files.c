/* Credentials and settings from the environment and the shared files. */
#include "aws/credentials_private.h"

#include <strings.h>

/* Which files, which profile */

static bool load_all(struct aws_shared *shared, const struct aws_settings *s, const struct str *stated, size_t n,
                     const char *variable, const char *usual, bool credentials, struct diags *diags)
{
    for (size_t i = 0; i < n; i++)
        if (!aws_shared_read(shared, aws_path(shared->arena, s, stated[i]), credentials, diags))
            return false;
    const char *named = aws_setting_env(s, variable);
    return n > 0 || aws_shared_read(shared, aws_path(shared->arena, s, str_of(named ? named : usual)), credentials, diags);
}

bool aws_shared_load(struct aws_shared *shared, const struct aws_settings *s, struct diags *diags)
{
    return load_all(shared, s, s->config_files, s->n_config_files, "AWS_CONFIG_FILE", "~/.aws/config", false, diags) &&
           load_all(shared, s, s->credentials_files, s->n_credentials_files, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials",
                    true, diags);
}

static struct str profile_name(const struct aws_settings *s)
{
    if (s->profile.n > 0)
        return s->profile;
    const char *named = aws_setting_env(s, "AWS_PROFILE");
    if (!named)
        named = aws_setting_env(s, "AWS_DEFAULT_PROFILE");
    return str_of(named ? named : "default");
}

static bool profile_is_chosen(const struct aws_settings *s)
{
    return s->profile.n > 0 || aws_setting_env(s, "AWS_PROFILE") || aws_setting_env(s, "AWS_DEFAULT_PROFILE");
}

/* Settings */

static struct str env_or_profile(const struct aws_shared *shared, const struct aws_settings *s, const char *variable,
                                 const char *key)
{
    const char *value = aws_setting_env(s, variable);
    return value ? str_of(value) : aws_profile_get(shared, profile_name(s), key);
}

static bool is_true(struct str text)
{
    return text.n == 4 && strncasecmp(text.p, "true", 4) == 0;
}

static bool chosen(enum aws_switch stated, struct str otherwise)
{
    return stated == AWS_UNSET ? is_true(otherwise) : stated == AWS_ON;
}

/* AWS_ENDPOINT_URL_SSO_OIDC */
static const char *endpoint_variable(struct arena *a, enum aws_service service)
{
    struct str name = arena_printf(a, "AWS_ENDPOINT_URL_%s", aws_service_id(service));
    char *p = (char *)name.p;
    for (size_t i = 0; i < name.n; i++)
        p[i] = (char)(p[i] >= 'a' && p[i] <= 'z' ? p[i] & ~0x20 : p[i]);
    return p;
}

/* Precedence: the settings; then a service-specific value before a general one; the environment before the files. */
static struct str find_endpoint(const struct aws_shared *shared, const struct aws_settings *s, enum aws_service service)
{
    struct arena *a = shared->arena;
    if (s->endpoints[service].n > 0)
        return s->endpoints[service];
    if (is_true(env_or_profile(shared, s, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls")))
        return STR_EMPTY;
    const char *variable = aws_setting_env(s, endpoint_variable(a, service));
    if (variable)
        return str_of(variable);
    struct str services = aws_profile_get(shared, profile_name(s), "services");
    const char *key = arena_printf(a, "%s.endpoint_url", aws_service_id(service)).p;
    struct str own = aws_section_get(aws_shared_find(shared, AWS_SECTION_SERVICES, services, false), key);
    return own.n > 0 ? own : env_or_profile(shared, s, "AWS_ENDPOINT_URL", "endpoint_url");
}

static struct str find_region(const struct aws_shared *shared, const struct aws_settings *s)
{
    const char *variable = aws_setting_env(s, "AWS_REGION");
    if (s->region.n > 0)
        return s->region;
    return variable ? str_of(variable) : env_or_profile(shared, s, "AWS_DEFAULT_REGION", "region");
}

static bool check_profile(const struct aws_shared *shared, const struct aws_settings *s, struct diags *diags)
{
    struct str name = profile_name(s);
    if (!profile_is_chosen(s) || aws_shared_has_profile(shared, name))
        return true;
    return diags_fail(diags, "Unknown profile",
                      "The profile \"" STR_FMT
                      "\" is chosen %s, but neither the shared configuration nor the credentials file has "
                      "it. Expected a section [profile " STR_FMT "] in ~/.aws/config or [" STR_FMT "] in ~/.aws/credentials.",
                      STR_ARG(name), s->profile.n > 0 ? "in the provider block" : "by AWS_PROFILE", STR_ARG(name), STR_ARG(name));
}

bool aws_config_read(struct arena *a, const struct aws_settings *s, struct diags *diags, struct aws_config *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct aws_shared shared = {.arena = scratch};
    bool keys_are_stated = s->access_key.n > 0 && s->profile.n == 0; /* then AWS_PROFILE is ignored */
    if (!aws_shared_load(&shared, s, diags) || (!keys_are_stated && !check_profile(&shared, s, diags))) {
        aws_shared_wipe(&shared);
        return false;
    }
    struct aws_config c = {
        .region = arena_str(a, find_region(&shared, s)),
        .profile = arena_str(a, profile_name(s)),
        .fips = chosen(s->fips, env_or_profile(&shared, s, "AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint")),
        .dual_stack = chosen(s->dual_stack, env_or_profile(&shared, s, "AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint")),
        .ca_file = arena_str(a, env_or_profile(&shared, s, "AWS_CA_BUNDLE", "ca_bundle")),
    };
    for (int i = 0; i < AWS_N_SERVICES; i++)
        c.endpoints[i] = arena_str(a, find_endpoint(&shared, s, (enum aws_service)i));
    struct str attempts = env_or_profile(&shared, s, "AWS_MAX_ATTEMPTS", "max_attempts");
    bool ok = attempts.n == 0 || (str_to_i64(attempts, &c.max_attempts) && c.max_attempts > 0 && c.max_attempts <= 1000);
    if (!ok)
        (void)diags_fail(diags, "Invalid number of attempts",
                         "AWS_MAX_ATTEMPTS or max_attempts is \"" STR_FMT "\"; expected a number from 1 to 1000.",
                         STR_ARG(str_slice(attempts, 0, 100)));
    aws_shared_wipe(&shared);
    if (ok)
        *ret = c;
    return ok;
}

/* Credentials of the environment */

enum aws_source aws_source_environment(struct aws_fetch *f, const struct aws_keys **ret)
{
    const char *access_key = aws_setting_env(f->settings, "AWS_ACCESS_KEY_ID");
    const char *secret_key = aws_setting_env(f->settings, "AWS_SECRET_ACCESS_KEY");
    if (!access_key)
        access_key = aws_setting_env(f->settings, "AWS_ACCESS_KEY");
    if (!secret_key)
        secret_key = aws_setting_env(f->settings, "AWS_SECRET_KEY");
    if (!access_key || !secret_key)
        return aws_absent(f, "environment", "%s%s%s not set", access_key ? "" : "AWS_ACCESS_KEY_ID",
                          !access_key && !secret_key ? " and " : "",
                          secret_key   ? " is"
                          : access_key ? "AWS_SECRET_ACCESS_KEY is"
                                       : "AWS_SECRET_ACCESS_KEY are");
    struct aws_keys keys = {.access_key = str_of(access_key),
                            .secret_key = str_of(secret_key),
                            .token = str_of(aws_setting_env(f->settings, "AWS_SESSION_TOKEN")),
                            .source = STR("environment")};
    return aws_found(f, &keys, ret);
}

/* Credentials of profiles */

struct chain {
    struct str names[AWS_MAX_PROFILES]; /* profiles visited so far */
    size_t n;
};

static enum aws_source from_profile(struct aws_fetch *f, struct chain *chain, struct str name, const struct aws_keys **ret);

static const struct aws_section *section_with_keys(const struct aws_fetch *f, struct str profile)
{
    for (int credentials = 1; credentials >= 0; credentials--) {
        const struct aws_section *s = aws_shared_find(f->shared, AWS_SECTION_PROFILE, profile, credentials);
        if (aws_section_get(s, "aws_access_key_id").n > 0 || aws_section_get(s, "aws_secret_access_key").n > 0)
            return s;
    }
    return NULL;
}

static enum aws_source from_keys_of(struct aws_fetch *f, const struct aws_section *s, const struct aws_keys **ret)
{
    struct aws_keys keys = {
        .access_key = aws_section_get(s, "aws_access_key_id"),
        .secret_key = aws_section_get(s, "aws_secret_access_key"),
        .token = aws_section_get(s, "aws_session_token"),
        .source = arena_printf(f->a, "profile \"" STR_FMT "\" in %s", STR_ARG(s->name), s->file),
    };
    return aws_found(f, &keys, ret);
}

static enum aws_source from_named_source(struct aws_fetch *f, struct str profile, struct str source, const struct aws_keys **ret)
{
    enum aws_source result;
    if (str_eqz(source, "Environment"))
        result = aws_source_environment(f, ret);
    else if (str_eqz(source, "EcsContainer"))
        result = aws_source_container(f, ret);
    else if (str_eqz(source, "Ec2InstanceMetadata"))
        result = aws_source_metadata(f, ret);
    else
        return aws_failed(f,
                          "Profile \"" STR_FMT "\": credential_source is \"" STR_FMT
                          "\"; expected Environment, Ec2InstanceMetadata or EcsContainer.",
                          STR_ARG(profile), STR_ARG(source));
    if (result == AWS_SOURCE_ABSENT)
        return aws_failed(f, "Profile \"" STR_FMT "\": credential_source is " STR_FMT ", which has none:" STR_FMT,
                          STR_ARG(profile), STR_ARG(source), STR_ARG(buf_str(f->tried)));
    return result;
}

/* The keys with which to assume the role of a profile. */
static enum aws_source base_of_role(struct aws_fetch *f, struct chain *chain, struct str profile, const struct aws_keys **ret)
{
    struct str other = aws_profile_get(f->shared, profile, "source_profile");
    struct str source = aws_profile_get(f->shared, profile, "credential_source");
    if (other.n > 0 && source.n > 0)
        return aws_failed(f, "Profile \"" STR_FMT "\" has both source_profile and credential_source; expected only one of them.",
                          STR_ARG(profile));
    if (source.n > 0)
        return from_named_source(f, profile, source, ret);
    if (other.n == 0)
        return aws_failed(f,
                          "Profile \"" STR_FMT "\" has role_arn, but no credentials to assume the role with; expected "
                          "source_profile, credential_source or web_identity_token_file.",
                          STR_ARG(profile));
    const struct aws_section *keys = section_with_keys(f, other);
    if (str_eq(other, profile) && keys)
        return from_keys_of(f, keys, ret); /* the role is assumed with the keys of its own profile */
    return from_profile(f, chain, other, ret);
}

static enum aws_source from_role_of(struct aws_fetch *f, struct chain *chain, struct str profile, struct str arn,
                                    const struct aws_keys **ret)
{
    struct aws_role role = {
        .arn = arn,
        .session_name = aws_profile_get(f->shared, profile, "role_session_name"),
        .external_id = aws_profile_get(f->shared, profile, "external_id"),
        .web_token_file = aws_profile_get(f->shared, profile, "web_identity_token_file"),
    };
    struct str duration = aws_profile_get(f->shared, profile, "duration_seconds");
    if (duration.n > 0 && (!str_to_i64(duration, &role.duration_s) || role.duration_s <= 0))
        return aws_failed(f, "Profile \"" STR_FMT "\": duration_seconds is \"" STR_FMT "\"; expected a number of seconds.",
                          STR_ARG(profile), STR_ARG(duration));
    if (aws_profile_get(f->shared, profile, "mfa_serial").n > 0)
        return aws_failed(f,
                          "Profile \"" STR_FMT
                          "\" has mfa_serial: its role needs a code that has to be typed. Assume the role with "
                          "another tool and give its session credentials in the environment, or through credential_process.",
                          STR_ARG(profile));
    if (role.web_token_file.n > 0)
        return aws_source_role(f, &role, NULL, ret);
    const struct aws_keys *base = NULL;
    enum aws_source result = base_of_role(f, chain, profile, &base);
    if (result != AWS_SOURCE_FOUND)
        return result;
    result = aws_source_role(f, &role, base, ret);
    aws_keys_unref(base);
    return result;
}

static bool has_sso(const struct aws_fetch *f, struct str profile)
{
    static const char *const keys[] = {"sso_session", "sso_start_url", "sso_account_id", "sso_role_name"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (aws_profile_get(f->shared, profile, keys[i]).n > 0)
            return true;
    return false;
}

static enum aws_source from_profile(struct aws_fetch *f, struct chain *chain, struct str name, const struct aws_keys **ret)
{
    for (size_t i = 0; i < chain->n; i++)
        if (str_eq(chain->names[i], name))
            return aws_failed(f, "Profiles refer to each other in a circle: source_profile leads back to \"" STR_FMT "\".",
                              STR_ARG(name));
    if (chain->n == AWS_MAX_PROFILES)
        return aws_failed(f, "The chain of source_profile has more than %d profiles.", AWS_MAX_PROFILES);
    if (!aws_shared_has_profile(f->shared, name)) {
        if (chain->n > 0 || profile_is_chosen(f->settings))
            return aws_failed(f, "There is no profile \"" STR_FMT "\" in the shared configuration and credentials files%s.",
                              STR_ARG(name), chain->n > 0 ? ", which source_profile names" : "");
        return aws_absent(f, "shared files", "there is no profile \"" STR_FMT "\"", STR_ARG(name));
    }
    chain->names[chain->n++] = name;

    struct str role = aws_profile_get(f->shared, name, "role_arn");
    if (role.n > 0)
        return from_role_of(f, chain, name, role, ret);
    const struct aws_section *keys = section_with_keys(f, name);
    if (keys)
        return from_keys_of(f, keys, ret);
    if (has_sso(f, name))
        return aws_source_sso(f, name, ret);
    struct str command = aws_profile_get(f->shared, name, "credential_process");
    if (command.n > 0)
        return aws_source_process(f, name, command, ret);
    if (chain->n > 1)
        return aws_failed(f, "Profile \"" STR_FMT "\", which source_profile names, has no credentials.", STR_ARG(name));
    return aws_absent(f, "shared files", "the profile \"" STR_FMT "\" has no credentials", STR_ARG(name));
}

enum aws_source aws_source_profile(struct aws_fetch *f, const struct aws_keys **ret)
{
    struct chain chain = {0};
    return from_profile(f, &chain, profile_name(f->settings), ret);
}
