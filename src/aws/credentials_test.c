#include "aws/credentials.h"

#include "aws/shared.h"
#include "aws/testing_aws.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/testing.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENV = 16, N_THREADS = 8 };

#define LATER "2015-08-30T13:36:00Z" /* an hour after the test's clock */

/* Configures the server that acts as all of AWS, and records what it received. */
struct world {
    struct testing_aws aws;
    char home[64];
    const char *env[MAX_ENV + 1];
    int n_env;
    struct aws_settings settings;
    struct aws_credentials *credentials;
    /* the server's */
    pthread_mutex_t lock;
    const char *role;       /* of the instance; NULL: no role */
    const char *expiration; /* of what it gives */
    const char *body;       /* instead of the normal answer to the last request of a source */
    int status;             /* with it */
    char *last_form;        /* of STS */
    char *last_head;
    int n_asked; /* for credentials */
};

static void remember(struct world *w, const struct testing_request *r)
{
    mutex_lock(&w->lock);
    free(w->last_form);
    free(w->last_head);
    w->last_form = strndup(r->body.p, r->body.n);
    w->last_head = strndup(r->head.p, r->head.n);
    w->n_asked++;
    mutex_unlock(&w->lock);
}

static void answer_with_keys(struct world *w, struct testing_answer *answer, const char *name)
{
    answer->body = arena_printf(answer->arena,
                                "{\"Code\":\"Success\",\"AccessKeyId\":\"AK%s\",\"SecretAccessKey\":\"" TESTING_SECRET
                                "\",\"Token\":\"token of %s\",\"Expiration\":\"%s\"}",
                                name, name, w->expiration);
}

static void answer_sts(struct world *w, const struct testing_request *r, struct testing_answer *answer)
{
    const char *form = r->body.p;
    bool web = strstr(form, "Action=AssumeRoleWithWebIdentity") != NULL;
    const char *action = strstr(form, "Action=GetCallerIdentity") ? "GetCallerIdentity"
                         : web                                    ? "AssumeRoleWithWebIdentity"
                                                                  : "AssumeRole";
    answer->content_type = "text/xml";
    if (strcmp(action, "GetCallerIdentity") == 0)
        answer->body =
            STR("<GetCallerIdentityResponse xmlns=\"x\"><GetCallerIdentityResult><Arn>arn:aws-cn:iam::123456789012:user/me</Arn>"
                "<UserId>AIDA</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>");
    else
        answer->body =
            arena_printf(answer->arena,
                         "<%sResponse><%sResult><Credentials><AccessKeyId>ASIA%s</AccessKeyId><SecretAccessKey>" TESTING_SECRET
                         "</SecretAccessKey><SessionToken>session&amp;token</SessionToken><Expiration>%s</Expiration>"
                         "</Credentials></%sResult></%sResponse>",
                         action, action, web ? "WEB" : "ROLE", w->expiration, action, action);
}

static void answer(void *ctx, const struct testing_request *r, struct testing_answer *answer)
{
    struct world *w = ctx;
    if (str_eqz(r->target, "/latest/api/token")) {
        bool asked_right = str_eqz(r->method, "PUT") && testing_header(r, "x-aws-ec2-metadata-token-ttl-seconds").n > 0;
        answer->status = asked_right ? 200 : 400;
        answer->body = STR("imds-token");
        return;
    }
    if (str_starts(r->target, STR("/latest/")) && !str_eqz(testing_header(r, "x-aws-ec2-metadata-token"), "imds-token")) {
        answer->status = 401;
        return;
    }
    if (str_eqz(r->target, "/latest/meta-data/placement/region")) {
        answer->body = STR("ap-south-1");
        return;
    }
    if (str_eqz(r->target, "/latest/meta-data/iam/security-credentials/")) {
        answer->status = w->role ? 200 : 404;
        answer->body = str_of(w->role);
        return;
    }
    remember(w, r);
    if (w->body) {
        answer->status = w->status ? w->status : 200;
        answer->body = str_of(w->body);
    } else if (str_starts(r->target, STR("/latest/meta-data/iam/security-credentials/"))) {
        answer_with_keys(w, answer, "IMDS");
    } else if (str_starts(r->target, STR("/container"))) {
        answer_with_keys(w, answer, "CONTAINER");
    } else if (str_starts(r->target, STR("/federation/credentials?role_name=dev%20role&account_id=123456789012"))) {
        answer->body = STR("{\"roleCredentials\":{\"accessKeyId\":\"AKSSO\",\"secretAccessKey\":\"" TESTING_SECRET
                           "\",\"sessionToken\":\"sso\",\"expiration\":1440941760000}}");
    } else if (str_eqz(r->target, "/token")) {
        answer->body = STR("{\"accessToken\":\"new token\",\"expiresIn\":28800,\"refreshToken\":\"next\"}");
    } else if (str_eqz(r->target, "/")) {
        answer_sts(w, r, answer);
    } else {
        answer->status = 404;
    }
}

static void set_env(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_env(struct world *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    assert_true(w->n_env < MAX_ENV);
    w->env[w->n_env++] = arena_vprintf(w->aws.a, format, args).p;
    va_end(args);
}

static void write_file(struct world *w, const char *name, const char *text)
{
    struct str path = arena_printf(w->aws.a, "%s/%s", w->home, name);
    struct str folder = str_slice(path, 0, (size_t)(strrchr(path.p, '/') - path.p));
    assert_true(file_make_folder(arena_str(w->aws.a, folder).p, 0700, &w->aws.diags));
    assert_true(file_write(path.p, str_of(text), 0600, &w->aws.diags));
}

static void begin(struct world *w)
{
    *w = (struct world){.expiration = LATER};
    mutex_init(&w->lock);
    w->aws = (struct testing_aws){.handler = answer, .ctx = w, .service = "sts", .unsigned_too = true};
    testing_aws_start(&w->aws);
    (void)snprintf(w->home, sizeof w->home, "/tmp/terrane-credentials-XXXXXX");
    assert_non_null(mkdtemp(w->home));
    const char *url = testing_server_url(w->aws.server);
    set_env(w, "HOME=%s", w->home);
    set_env(w, "PATH=/usr/bin:/bin");
    set_env(w, "AWS_EC2_METADATA_SERVICE_ENDPOINT=%s", url);
    w->settings.endpoints[AWS_STS] = str_of(url);
    w->settings.endpoints[AWS_SSO] = str_of(url);
    w->settings.endpoints[AWS_SSO_OIDC] = str_of(url);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void end(struct world *w)
{
    aws_credentials_free(w->credentials);
    (void)nftw(w->home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    testing_aws_stop(&w->aws);
    free(w->last_form);
    free(w->last_head);
    mutex_destroy(&w->lock);
}

static bool open_credentials(struct world *w)
{
    w->settings.env = w->env;
    aws_credentials_free(w->credentials);
    w->credentials = NULL;
    diags_init(&w->aws.diags, w->aws.a);
    struct aws_credentials_options o = {.settings = &w->settings, .caller = w->aws.caller, .loop = w->aws.loop};
    return aws_credentials_new(&o, &w->aws.diags, &w->credentials);
}

/* Opens, fetches, and compares access key and source. */
static void expect_keys(struct world *w, const char *access_key, const char *source)
{
    if (!open_credentials(w))
        fail_msg("%s", testing_said(&w->aws.diags));
    const struct aws_keys *keys = aws_credentials_get(w->credentials, NULL, NO_DEADLINE, &w->aws.diags);
    if (!keys)
        fail_msg("%s", testing_said(&w->aws.diags));
    testing_text(keys->access_key, access_key);
    testing_text(keys->secret_key, TESTING_SECRET);
    if (!strstr(keys->source.p, source))
        fail_msg("expected \"%s\" in: %s", source, keys->source.p);
    aws_keys_unref(keys);
}

static void expect_failure(struct world *w, const char *said)
{
    const struct aws_keys *keys = NULL;
    if (open_credentials(w))
        keys = aws_credentials_get(w->credentials, NULL, NO_DEADLINE, &w->aws.diags);
    assert_null(keys);
    testing_says(&w->aws.diags, said);
    assert_null(strstr(testing_said(&w->aws.diags), TESTING_SECRET));
}

static void stated_keys_win(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    set_env(&w, "AWS_ACCESS_KEY_ID=AKENV");
    set_env(&w, "AWS_SECRET_ACCESS_KEY=%s", TESTING_SECRET);
    w.settings.access_key = STR("AKSTATED");
    w.settings.secret_key = STR(TESTING_SECRET);
    expect_keys(&w, "AKSTATED", "provider block");
    w.settings.secret_key = STR_EMPTY;
    expect_failure(&w, "the secret access key is missing");
    end(&w);
}

static void environment(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    set_env(&w, "AWS_ACCESS_KEY_ID=AKENV");
    set_env(&w, "AWS_SECRET_ACCESS_KEY=%s", TESTING_SECRET);
    expect_keys(&w, "AKENV", "environment");
    w.n_env--;
    w.env[w.n_env] = NULL;
    expect_failure(&w, "environment: AWS_SECRET_ACCESS_KEY is not set");
    end(&w);
}

static void nobody_has_any(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    expect_failure(&w, "Tried:");
    static const char *const said[] = {
        "keys in the provider block: access_key and secret_key are not set",
        "environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
        "web identity: AWS_WEB_IDENTITY_TOKEN_FILE is not set",
        "shared files: there is no profile \"default\"",
        "container: neither",
        "instance metadata: HTTP status 404",
        "Set AWS_ACCESS_KEY_ID",
    };
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        testing_says(&w.aws.diags, said[i]);
    set_env(&w, "AWS_EC2_METADATA_DISABLED=TRUE");
    expect_failure(&w, "instance metadata: turned off");
    end(&w);
}

#define SECRET_LINE "aws_secret_access_key = " TESTING_SECRET "\n"

static void profiles(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    write_file(&w, ".aws/credentials",
               "# keys\n[default]\naws_access_key_id = AKDEFAULT\n" SECRET_LINE "\n[dev]\n"
               "AWS_ACCESS_KEY_ID=AKDEV # mine\naws_session_token=t\n" SECRET_LINE);
    write_file(
        &w, ".aws/config",
        "[default]\nregion = eu-central-1\naws_access_key_id = AKCONFIG\n" SECRET_LINE
        "[profile dev]\nregion=us-west-2\n[ profile 'in config' ]\naws_access_key_id = AKINCONFIG\n" SECRET_LINE
        "[plugins]\nwhatever = 1\n  nested = 2\n[profile empty]\nregion = eu-west-3\n[profile half]\naws_access_key_id=AKHALF\n");
    expect_keys(&w, "AKDEFAULT", "profile \"default\" in ");
    set_env(&w, "AWS_PROFILE=dev");
    expect_keys(&w, "AKDEV", "profile \"dev\"");
    w.settings.profile = STR("in config");
    set_env(&w, "AWS_ACCESS_KEY_ID=AKENV");
    set_env(&w, "AWS_SECRET_ACCESS_KEY=%s", TESTING_SECRET);
    expect_keys(&w, "AKINCONFIG", ".aws/config"); /* a profile in the settings wins over the environment */
    w.settings.profile = STR("nobody");
    expect_failure(&w, "The profile \"nobody\" is chosen in the provider block");
    w.settings.profile = STR("half");
    expect_failure(&w, "the secret access key is missing");
    w.settings.profile = STR("empty");
    w.role = "r";
    expect_keys(&w, "AKIMDS", "instance metadata"); /* a profile without credentials is skipped */
    end(&w);
}

static void files_can_be_elsewhere(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    write_file(&w, "a", "[one]\naws_access_key_id=AKONE\n" SECRET_LINE);
    write_file(&w, "b", "[two]\naws_access_key_id=AKTWO\n" SECRET_LINE "[one]\naws_access_key_id=AKLATER\n");
    set_env(&w, "AWS_SHARED_CREDENTIALS_FILE=%s/b", w.home);
    w.settings.profile = STR("two");
    expect_keys(&w, "AKTWO", "/b");
    const struct str files[] = {STR("~/a"), STR("~/b"), STR("~/not there")};
    w.settings.credentials_files = files;
    w.settings.n_credentials_files = 3;
    w.settings.profile = STR("one");
    expect_keys(&w, "AKLATER", "profile \"one\""); /* later files win */
    write_file(&w, "b", "[one]\nthis is no key\n");
    expect_failure(&w, "b:2: neither a section nor a key");
    write_file(&w, "b", "[one\n");
    expect_failure(&w, "b:1: a section without ]");
    write_file(&w, "b", "key = value\n");
    expect_failure(&w, "b:1: a key before the first section");
    end(&w);
}

static void roles_of_profiles(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    write_file(&w, ".aws/credentials", "[base]\naws_access_key_id = AKBASE\n" SECRET_LINE);
    write_file(&w, ".aws/config",
               "[profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\nexternal_id = e&x\n"
               "role_session_name = me\nduration_seconds = 3600\n"
               "[profile second]\nrole_arn = arn:aws:iam::2:role/s\nsource_profile = role\n"
               "[profile a]\nrole_arn = x\nsource_profile = b\n[profile b]\nrole_arn = x\nsource_profile = a\n"
               "[profile self]\nrole_arn = x\nsource_profile = self\naws_access_key_id = AKSELF\n" SECRET_LINE
               "[profile env]\nrole_arn = x\ncredential_source = Environment\n"
               "[profile none]\nrole_arn = x\n[profile mfa]\nrole_arn = x\nmfa_serial = m\nsource_profile = base\n"
               "[profile both]\nrole_arn = x\nsource_profile = base\ncredential_source = Environment\n"
               "[profile odd]\nrole_arn = x\ncredential_source = Somewhere\n"
               "[profile lost]\nrole_arn = x\nsource_profile = nowhere\n"
               "[profile web]\nrole_arn = arn:web\nweb_identity_token_file = ~/web\n");
    w.settings.profile = STR("role");
    expect_keys(&w, "ASIAROLE", "AssumeRole of arn:aws:iam::1:role/r");
    assert_string_equal(w.last_form,
                        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=me&"
                        "DurationSeconds=3600&ExternalId=e%26x");
    assert_non_null(strstr(w.last_head, "Credential=AKBASE/20150830/us-east-1/sts/aws4_request"));
    w.settings.profile = STR("second");
    expect_keys(&w, "ASIAROLE", "arn:aws:iam::2:role/s");
    assert_non_null(strstr(w.last_head, "Credential=ASIAROLE/"));
    assert_non_null(strstr(w.last_head, "X-Amz-Security-Token: session&token"));
    assert_int_equal(w.n_asked, 3);
    w.settings.profile = STR("self");
    expect_keys(&w, "ASIAROLE", "AssumeRole");
    assert_non_null(strstr(w.last_head, "Credential=AKSELF/"));
    w.settings.profile = STR("a");
    expect_failure(&w, "in a circle");
    w.settings.profile = STR("none");
    expect_failure(&w, "expected source_profile, credential_source or web_identity_token_file");
    w.settings.profile = STR("both");
    expect_failure(&w, "both source_profile and credential_source");
    w.settings.profile = STR("odd");
    expect_failure(&w, "credential_source is \"Somewhere\"");
    w.settings.profile = STR("lost");
    expect_failure(&w, "no profile \"nowhere\"");
    w.settings.profile = STR("mfa");
    expect_failure(&w, "a code that has to be typed");
    w.settings.profile = STR("env");
    expect_failure(&w, "credential_source is Environment, which has none");
    set_env(&w, "AWS_ACCESS_KEY_ID=AKENV");
    set_env(&w, "AWS_SECRET_ACCESS_KEY=%s", TESTING_SECRET);
    expect_keys(&w, "ASIAROLE", "AssumeRole");
    assert_non_null(strstr(w.last_head, "Credential=AKENV/"));
    w.settings.profile = STR("web");
    expect_failure(&w, "web");
    write_file(&w, "web", "a.web.token\n");
    expect_keys(&w, "ASIAWEB", "AssumeRoleWithWebIdentity of arn:web");
    assert_non_null(strstr(w.last_form, "&WebIdentityToken=a.web.token"));
    assert_null(strstr(w.last_head, "Authorization"));
    end(&w);
}

static void web_identity_of_the_environment(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    write_file(&w, "web", "tok/en");
    set_env(&w, "AWS_WEB_IDENTITY_TOKEN_FILE=%s/web", w.home);
    expect_failure(&w, "AWS_ROLE_ARN is not");
    set_env(&w, "AWS_ROLE_ARN=arn:env");
    expect_keys(&w, "ASIAWEB", "arn:env");
    assert_non_null(strstr(w.last_form, "RoleSessionName=terrane-"));
    assert_non_null(strstr(w.last_form, "WebIdentityToken=tok%2Fen"));
    w.body = "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>bad token</Message></Error></ErrorResponse>";
    w.status = 400;
    expect_failure(&w, "InvalidIdentityToken: bad token");
    w.status = 200;
    expect_failure(&w, "valid answer to AssumeRoleWithWebIdentity");
    end(&w);
}

static void roles_that_are_stated(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    const struct str arns[] = {STR("arn:p1"), STR("arn:p2")}, keys[] = {STR("k")};
    const struct aws_tag tags[] = {{STR("k"), STR("v 1")}, {STR("empty"), STR_EMPTY}};
    struct aws_role role = {.arn = STR("arn:role"),
                            .session_name = STR("s"),
                            .policy = STR("{}"),
                            .policy_arns = arns,
                            .n_policy_arns = 2,
                            .tags = tags,
                            .n_tags = 2,
                            .transitive_tag_keys = keys,
                            .n_transitive_tag_keys = 1};
    struct aws_role web = {.arn = STR("arn:web"), .web_token = STR("the token")};
    w.settings.access_key = STR("AKSTATED");
    w.settings.secret_key = STR(TESTING_SECRET);
    w.settings.assume_role = &role;
    expect_keys(&w, "ASIAROLE", "AssumeRole of arn:role");
    assert_string_equal(
        w.last_form,
        "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Arole&RoleSessionName=s&DurationSeconds=900&Policy=%7B%7D&"
        "PolicyArns.member.1.arn=arn%3Ap1&PolicyArns.member.2.arn=arn%3Ap2&Tags.member.1.Key=k&Tags.member.1.Value=v%201&"
        "Tags.member.2.Key=empty&Tags.member.2.Value=&TransitiveTagKeys.member.1=k");
    w.settings.assume_web_role = &web; /* assumed first; its keys then assume the role */
    expect_keys(&w, "ASIAROLE", "AssumeRole of arn:role");
    assert_non_null(strstr(w.last_head, "Credential=ASIAWEB/"));
    w.settings.assume_role = NULL;
    expect_keys(&w, "ASIAWEB", "arn:web");
    end(&w);
}

static void containers(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    set_env(&w, "AWS_CONTAINER_CREDENTIALS_FULL_URI=%s/container?x=1", testing_server_url(w.aws.server));
    expect_keys(&w, "AKCONTAINER", "container");
    assert_null(strstr(w.last_head, "Authorization"));
    write_file(&w, "token", "Bearer abc");
    set_env(&w, "AWS_CONTAINER_AUTHORIZATION_TOKEN=from the environment");
    expect_keys(&w, "AKCONTAINER", "container");
    assert_non_null(strstr(w.last_head, "Authorization: from the environment"));
    set_env(&w, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=%s/token", w.home);
    expect_keys(&w, "AKCONTAINER", "container");
    assert_non_null(strstr(w.last_head, "Authorization: Bearer abc"));
    write_file(&w, "token", "two\nlines");
    expect_failure(&w, "line break");
    (void)unlink(arena_printf(w.aws.a, "%s/token", w.home).p);
    expect_failure(&w, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read");
    end(&w);
}

static void tokens_are_not_sent_to_strangers(void **state)
{
    (void)state;
    static const char *const bad[] = {"http://example.com/x",
                                      "http://127.0.0.1.example.com/",
                                      "http://169.254.170.3/",
                                      "nonsense",
                                      "http://169.254.170.2@example.com/",
                                      "ftp://127.0.0.1/"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct world w;
        begin(&w);
        set_env(&w, "AWS_CONTAINER_AUTHORIZATION_TOKEN=secret token");
        set_env(&w, "AWS_CONTAINER_CREDENTIALS_FULL_URI=%s", bad[i]);
        expect_failure(&w, "Container credentials: ");
        end(&w);
    }
    struct world w;
    begin(&w);
    set_env(&w, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=@example.com/");
    expect_failure(&w, "does not start with /");
    end(&w);
}

static void instances(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.role = "my-role\n";
    expect_keys(&w, "AKIMDS", "instance metadata, role my-role");
    struct arena *a = w.aws.a;
    testing_text(aws_credentials_region(w.credentials, a, NULL, NO_DEADLINE), "ap-south-1");
    w.role = "../../../evil";
    expect_failure(&w, "the instance has no role");
    w.role = "r";
    w.body = "{\"Code\":\"AssumeRoleUnauthorizedAccess\",\"Message\":\"EC2 cannot assume the role\"}";
    expect_failure(&w, "EC2 cannot assume the role");
    w.settings.metadata = AWS_OFF;
    expect_failure(&w, "turned off");
    end(&w);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.role = "r";
    static const struct {
        const char *body, *said;
    } cases[] = {
        {"{\"AccessKeyId\":\"AK\",\"SecretAcc", "not a JSON object"},
        {"<html>Sign in</html>", "not a JSON object"},
        {"[]", "not a JSON object"},
        {"{}", "the access key id is missing"},
        {"{\"AccessKeyId\":\"AK\"}", "the secret access key is missing"},
        {"{\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"s\",\"Expiration\":\"soon\"}", "which is not a valid time"},
        {"{\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"s\",\"Expiration\":\"2015-08-30T12:36:05Z\"}",
         "the credentials have expired (2015-08-30T12:36:05Z)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        w.body = cases[i].body;
        expect_failure(&w, cases[i].said);
    }
    char *large = arena_alloc(w.aws.a, 70001, 1);
    memset(large, '{', 70000);
    w.body = large;
    expect_failure(&w, "more than 65536 bytes");
    end(&w);
}

static const char sso_config[] = "[profile sso]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = dev role\n"
                                 "[sso-session corp]\nsso_start_url = https://corp.example/start\nsso_region = eu-west-1\n"
                                 "[profile old]\nsso_start_url = https://corp.example/start\nsso_region = eu-west-1\n"
                                 "sso_account_id = 123456789012\nsso_role_name = dev role\n"
                                 "[profile half]\nsso_session = corp\n[profile lost]\nsso_session = nowhere\n";

/* SHA-1 of the session's name, or of the start URL if there is no session. */
#define SESSION_FILE ".aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json"
#define ADDRESS_FILE ".aws/sso/cache/f7c9b39d0b4c7a7d82c79307585f77e1c5e74378.json"

static void single_sign_on(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    write_file(&w, ".aws/config", sso_config);
    w.settings.profile = STR("sso");
    expect_failure(&w, "there is no saved login. Log in with `aws sso login --profile sso`");
    const char *file = SESSION_FILE;
    write_file(&w, file, "{\"accessToken\":\"the token\",\"expiresAt\":\"2015-08-30T20:00:00Z\"}");
    expect_keys(&w, "AKSSO", "SSO, profile \"sso\"");
    assert_non_null(strstr(w.last_head, "x-amz-sso_bearer_token: the token"));
    w.body = "{\"message\":\"Session token not found or "
             "invalid\",\"__type\":\"com.amazonaws.switchboard.portal#UnauthorizedException\"}";
    w.status = 401;
    expect_failure(&w, "no longer valid. Log in");
    w.body = NULL;
    write_file(&w, file, "{\"accessToken\":\"the token\",\"expiresAt\":\"2015-08-30T12:00:00UTC\"}");
    expect_failure(&w, "has expired. Log in");
    write_file(&w, file, "{\"accessToken\":");
    expect_failure(&w, "has no token and time of expiry");
    w.settings.profile = STR("old");
    write_file(&w, ADDRESS_FILE, "{\"accessToken\":\"t\",\"expiresAt\":\"2015-08-30T20:00:00Z\"}");
    expect_keys(&w, "AKSSO", "SSO, profile \"old\"");
    w.settings.profile = STR("half");
    expect_failure(&w, "sso_account_id is missing");
    w.settings.profile = STR("lost");
    expect_failure(&w, "no section [sso-session nowhere]");
    end(&w);
}

static void single_sign_on_renews_its_token(void **state)
{
    (void)state;
    struct world w;
    struct str text;
    struct stat st;
    begin(&w);
    write_file(&w, ".aws/config", sso_config);
    const char *file = SESSION_FILE;
    const char *path = arena_printf(w.aws.a, "%s/%s", w.home, file).p;
    write_file(&w, file,
               "{\"startUrl\":\"u\",\"accessToken\":\"old\",\"expiresAt\":\"2015-08-30T12:00:00Z\",\"refreshToken\":\"r\","
               "\"clientId\":\"c\","
               "\"clientSecret\":\"s\",\"registrationExpiresAt\":\"2015-10-01T00:00:00Z\"}");
    w.settings.profile = STR("sso");
    expect_keys(&w, "AKSSO", "SSO");
    assert_non_null(strstr(w.last_head, "x-amz-sso_bearer_token: new token"));
    assert_true(file_read(w.aws.a, path, 1 << 16, &w.aws.diags, &text));
    testing_text(
        text,
        "{\"startUrl\":\"u\",\"accessToken\":\"new token\",\"expiresAt\":\"2015-08-30T20:36:00Z\",\"refreshToken\":\"next\","
        "\"clientId\":\"c\",\"clientSecret\":\"s\",\"registrationExpiresAt\":\"2015-10-01T00:00:00Z\"}");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    end(&w);
}

static void processes(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    static const struct {
        const char *command, *said; /* NULL: works */
    } cases[] = {
        {"echo '{\"Version\":1,\"AccessKeyId\":\"AKPROC\",\"SecretAccessKey\":\"" TESTING_SECRET "\",\"Expiration\":\"" LATER
         "\"}'",
         NULL},
        {"echo '{\"Version\":1,\"AccessKeyId\":\"AKPROC\",\"SecretAccessKey\":\"" TESTING_SECRET "\"}' | cat", NULL},
        {"echo something is wrong >&2; exit 3", "it ended with exit code 3: something is wrong"},
        {"kill -9 $$", "it ended with signal 9"},
        {"echo '{\"Version\":2}'", "has no \"Version\": 1"},
        {"echo nonsense", "is not a JSON object"},
        {"head -c 100000 /dev/zero", "prints more than"},
        {"echo '{\"Version\":1,\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"s\",\"Expiration\":\"x\"}'",
         "Expiration is \"x\", which is not a valid time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(&w, ".aws/config", arena_printf(w.aws.a, "[default]\ncredential_process = %s\n", cases[i].command).p);
        if (cases[i].said)
            expect_failure(&w, cases[i].said);
        else
            expect_keys(&w, "AKPROC", "credential_process of profile \"default\"");
    }
    end(&w);
}

struct firing {
    const char *file;
    struct cancel *cancel;
};

static void *fire_when_there(void *arg)
{
    struct firing *f = arg;
    while (!file_exists(f->file))
        (void)sched_yield();
    cancel_fire(f->cancel);
    return NULL;
}

static void a_slow_process_can_be_cancelled(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    write_file(&w, ".aws/config", "[default]\ncredential_process = touch ~/started; sleep 1000\n");
    assert_true(open_credentials(&w));
    struct firing firing = {arena_printf(w.aws.a, "%s/started", w.home).p, cancel_new()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire_when_there, &firing), 0);
    assert_null(aws_credentials_get(w.credentials, firing.cancel, NO_DEADLINE, &w.aws.diags));
    testing_says(&w.aws.diags, "cancelled");
    (void)pthread_join(thread, NULL);
    cancel_free(firing.cancel);
    end(&w);
}

/* The cache */

static const struct aws_keys *get(struct world *w)
{
    return aws_credentials_get(w->credentials, NULL, NO_DEADLINE, &w->aws.diags);
}

static void keys_are_kept_and_renewed_in_time(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.role = "r";
    assert_true(open_credentials(&w));
    const struct aws_keys *first = get(&w), *again = get(&w);
    assert_ptr_equal(first, again);
    assert_int_equal(w.n_asked, 1);
    aws_keys_unref(again);
    fake_clock_advance(&w.aws.time.clock, 54 * 60 * NS_PER_S); /* 6 minutes left */
    again = get(&w);
    assert_ptr_equal(first, again);
    aws_keys_unref(again);
    fake_clock_advance(&w.aws.time.clock, 2 * 60 * NS_PER_S);
    w.expiration = "2015-08-30T14:36:00Z";
    const struct aws_keys *second = get(&w);
    assert_ptr_not_equal(first, second);
    assert_int_equal(w.n_asked, 2);
    aws_keys_unref(first);
    aws_credentials_drop(w.credentials, second);
    aws_credentials_drop(w.credentials, second); /* these keys are no longer used */
    const struct aws_keys *third = get(&w);
    assert_int_equal(w.n_asked, 3);
    aws_keys_unref(second);
    aws_keys_unref(third);
    end(&w);
}

static void keys_that_cannot_be_renewed_serve_on(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.role = "r";
    assert_true(open_credentials(&w));
    const struct aws_keys *first = get(&w);
    fake_clock_advance(&w.aws.time.clock, 57 * 60 * NS_PER_S);
    w.body = "{}";
    const struct aws_keys *again = get(&w);
    assert_ptr_equal(first, again);
    assert_int_equal(w.n_asked, 2);
    aws_keys_unref(again);
    again = get(&w); /* no new attempt for a while */
    assert_int_equal(w.n_asked, 2);
    aws_keys_unref(again);
    fake_clock_advance(&w.aws.time.clock, 2 * 60 * NS_PER_S);
    aws_keys_unref(get(&w));
    assert_int_equal(w.n_asked, 3);
    fake_clock_advance(&w.aws.time.clock, 2 * 60 * NS_PER_S); /* expired */
    assert_null(get(&w));
    aws_keys_unref(first);
    end(&w);
}

static void keys_that_live_short_are_used(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.role = "r";
    w.expiration = "2015-08-30T12:38:00Z";
    assert_true(open_credentials(&w));
    aws_keys_unref(get(&w));
    aws_keys_unref(get(&w));
    assert_int_equal(w.n_asked, 1);
    end(&w);
}

static void *get_and_leave(void *arg)
{
    struct world *w = arg;
    struct arena *a = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct aws_keys *keys = aws_credentials_get(w->credentials, NULL, NO_DEADLINE, &diags);
    bool ok = keys && str_eqz(keys->access_key, "AKIMDS");
    aws_keys_unref(keys);
    arena_free(a);
    return (void *)(uintptr_t)ok;
}

static void one_thread_fetches_for_all(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.role = "r";
    assert_true(open_credentials(&w));
    for (int round = 0; round < 2; round++) {
        pthread_t threads[N_THREADS];
        for (int i = 0; i < N_THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, get_and_leave, &w), 0);
        for (int i = 0; i < N_THREADS; i++) {
            void *ok;
            (void)pthread_join(threads[i], &ok);
            assert_int_equal((uintptr_t)ok, round == 0);
        }
        if (round == 0) {
            assert_int_equal(w.n_asked, 1);
            fake_clock_advance(&w.aws.time.clock, 3600 * NS_PER_S);
            w.body = "{}";
        }
    }
    end(&w);
}

/* Settings */

static void region_and_endpoints(void **state)
{
    (void)state;
    struct world w;
    struct aws_config c;
    begin(&w);
    memset(w.settings.endpoints, 0, sizeof w.settings.endpoints);
    write_file(
        &w, ".aws/config",
        "[default]\nregion = eu-central-1\nservices = mine\nendpoint_url = http://for-all\nuse_fips_endpoint = true\n"
        "ca_bundle = /ca.pem\nmax_attempts = 7\n"
        "[services mine]\nsts =\n  endpoint_url = http://own-sts\n  other = 1\nsso_oidc =\n    endpoint_url = http://own-oidc\n");
    w.settings.env = w.env;
    struct arena *a = w.aws.a;
    assert_true(aws_config_read(a, &w.settings, &w.aws.diags, &c));
    testing_text(c.region, "eu-central-1");
    testing_text(c.endpoints[AWS_STS], "http://own-sts");
    testing_text(c.endpoints[AWS_SSO_OIDC], "http://own-oidc");
    testing_text(c.endpoints[AWS_CLOUDCONTROL], "http://for-all");
    testing_text(c.ca_file, "/ca.pem");
    assert_true(c.fips && !c.dual_stack);
    assert_int_equal(c.max_attempts, 7);
    set_env(&w, "AWS_DEFAULT_REGION=us-west-1");
    set_env(&w, "AWS_ENDPOINT_URL=http://env");
    set_env(&w, "AWS_ENDPOINT_URL_CLOUDCONTROL=http://env-cc");
    set_env(&w, "AWS_USE_DUALSTACK_ENDPOINT=TRUE");
    set_env(&w, "AWS_MAX_ATTEMPTS=3");
    assert_true(aws_config_read(a, &w.settings, &w.aws.diags, &c));
    testing_text(c.region, "us-west-1");
    testing_text(c.endpoints[AWS_CLOUDCONTROL], "http://env-cc");
    testing_text(c.endpoints[AWS_STS], "http://own-sts");
    testing_text(c.endpoints[AWS_SSO], "http://env");
    assert_true(c.dual_stack);
    assert_int_equal(c.max_attempts, 3);
    set_env(&w, "AWS_REGION=us-west-2");
    set_env(&w, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true");
    w.settings.endpoints[AWS_SSO] = STR("http://stated");
    w.settings.fips = AWS_OFF;
    assert_true(aws_config_read(a, &w.settings, &w.aws.diags, &c));
    testing_text(c.region, "us-west-2");
    testing_text(c.endpoints[AWS_SSO], "http://stated");
    testing_text(c.endpoints[AWS_STS], "");
    assert_false(c.fips);
    w.settings.region = STR("xx");
    assert_true(aws_config_read(a, &w.settings, &w.aws.diags, &c));
    testing_text(c.region, "xx");
    w.env[w.n_env - 3] = "AWS_MAX_ATTEMPTS=many";
    assert_false(aws_config_read(a, &w.settings, &w.aws.diags, &c));
    testing_says(&w.aws.diags, "AWS_MAX_ATTEMPTS or max_attempts is \"many\"");
    end(&w);
}

static void who_we_are(void **state)
{
    (void)state;
    struct world w;
    struct aws_identity who;
    struct aws_failure failure;
    begin(&w);
    struct aws_endpoint sts;
    struct aws_endpoint_choice choice = {
        .service = AWS_STS, .region = STR("eu-west-1"), .custom = str_of(testing_server_url(w.aws.server))};
    assert_true(aws_endpoint_find(w.aws.a, &choice, &w.aws.diags, &sts));
    assert_true(aws_sts_identity(w.aws.caller, &sts, w.aws.a, w.aws.credentials, NULL, NO_DEADLINE, &who, &failure));
    testing_text(who.account, "123456789012");
    testing_text(who.arn, "arn:aws-cn:iam::123456789012:user/me");
    testing_text(who.partition, "aws-cn");
    testing_text(who.user_id, "AIDA");
    w.body = "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>cut sho";
    assert_false(aws_sts_identity(w.aws.caller, &sts, w.aws.a, w.aws.credentials, NULL, NO_DEADLINE, &who, &failure));
    assert_int_equal(failure.kind, AWS_FAIL_ANSWER);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stated_keys_win),
        cmocka_unit_test(environment),
        cmocka_unit_test(nobody_has_any),
        cmocka_unit_test(profiles),
        cmocka_unit_test(files_can_be_elsewhere),
        cmocka_unit_test(roles_of_profiles),
        cmocka_unit_test(web_identity_of_the_environment),
        cmocka_unit_test(roles_that_are_stated),
        cmocka_unit_test(containers),
        cmocka_unit_test(tokens_are_not_sent_to_strangers),
        cmocka_unit_test(instances),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(single_sign_on),
        cmocka_unit_test(single_sign_on_renews_its_token),
        cmocka_unit_test(processes),
        cmocka_unit_test(a_slow_process_can_be_cancelled),
        cmocka_unit_test(keys_are_kept_and_renewed_in_time),
        cmocka_unit_test(keys_that_cannot_be_renewed_serve_on),
        cmocka_unit_test(keys_that_live_short_are_used),
        cmocka_unit_test(one_thread_fetches_for_all),
        cmocka_unit_test(region_and_endpoints),
        cmocka_unit_test(who_we_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
