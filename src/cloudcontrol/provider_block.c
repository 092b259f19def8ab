#include "cloudcontrol/provider_block.h"

#include "aws/arn.h"
#include "base/duration.h"
#include "base/env.h"
#include "lazy/lazy_curl.h"

enum {
    MAX_ATTEMPTS = 1000,
    MIN_TOKEN = 4,
    MAX_TOKEN = 20000,
    MAX_ROLE_SECONDS = 12 * 3600,
    MIN_ROLE_SECONDS = 15 * 60,
    MAX_PRODUCT = 256,
    MAX_USER_AGENT = 32 << 10,
};

struct reading {
    struct arena *a;
    struct diags *diags;
};

/* Parts of an object: absent, null and empty all mean not set. */

static const struct value *part(const struct value *object, const char *name)
{
    const struct value *v = object && object->state == VALUE_KNOWN ? value_get(object, str_of(name)) : NULL;
    return v && v->state == VALUE_KNOWN ? v : NULL;
}

static struct str text_part(const struct reading *r, const struct value *object, const char *name)
{
    const struct value *v = part(object, name);
    return v && v->type->kind == TYPE_STRING ? arena_str(r->a, v->string) : STR_EMPTY;
}

/* NULL for null, which differs from the empty string. */
static const char *maybe_text_part(const struct reading *r, const struct value *object, const char *name)
{
    const struct value *v = part(object, name);
    return v && v->type->kind == TYPE_STRING ? arena_str(r->a, v->string).p : NULL;
}

static bool flag_part(const struct value *object, const char *name)
{
    const struct value *v = part(object, name);
    return v && v->type->kind == TYPE_BOOL && v->boolean;
}

static const struct str *texts_part(const struct reading *r, const struct value *object, const char *name, size_t *ret_n)
{
    const struct value *v = part(object, name);
    size_t n = v && type_is_collection(v->type) ? v->n : 0;
    struct str *texts = arena_make_n(r->a, struct str, n);
    *ret_n = 0;
    for (size_t i = 0; i < n; i++)
        if (v->elements[i]->state == VALUE_KNOWN)
            texts[(*ret_n)++] = arena_str(r->a, v->elements[i]->string);
    return texts;
}

static struct path at(const struct reading *r, struct path path, const char *name)
{
    return path_attr(r->a, path, str_of(name));
}

/* Unknown values */

static bool report_unknown(void *ctx, struct path path, const struct value *v)
{
    struct reading *r = ctx;
    if (v->state == VALUE_UNKNOWN)
        (void)diags_fail_at(r->diags, path, "Unknown Value",
                            "The provider cannot be configured with a value that is known only after apply. Set " STR_FMT
                            " to something that is known now, or apply what it comes from first (-target).",
                            STR_ARG(path.n > 0 ? path_text(r->a, path) : STR("the block")));
    return v->state == VALUE_KNOWN;
}

/* Checks */

static void check_arn(const struct reading *r, struct path path, struct str text)
{
    if (text.n > 0 && !aws_arn_valid(text))
        (void)diags_fail_at(r->diags, path, "Invalid ARN",
                            "\"" STR_FMT "\" is not a valid ARN; expected arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE.",
                            STR_ARG(str_slice(text, 0, 200)));
}

static int64_t read_duration(const struct reading *r, const struct value *object, struct path path)
{
    struct str text = text_part(r, object, "duration");
    int64_t ns = 0;
    struct path place = at(r, path, "duration");
    if (text.n == 0)
        return 0;
    if (!duration_parse(text, &ns))
        (void)diags_fail_at(r->diags, place, "Invalid duration",
                            "\"" STR_FMT "\" is not a valid duration; expected numbers with units, as in 1h, 30m or 1h30m.",
                            STR_ARG(str_slice(text, 0, 100)));
    else if (ns < MIN_ROLE_SECONDS * INT64_C(1000000000) || ns > MAX_ROLE_SECONDS * INT64_C(1000000000))
        (void)diags_fail_at(r->diags, place, "Invalid duration",
                            "\"" STR_FMT "\" is out of range; expected a duration between 15 minutes and 12 hours.",
                            STR_ARG(text));
    return ns / INT64_C(1000000000);
}

static void check_json(const struct reading *r, struct path path, struct str text)
{
    struct diags found;
    diags_init(&found, r->a);
    if (text.n > 0 && !json_parse(r->a, text, "policy", &found))
        (void)diags_fail_at(r->diags, path, "Invalid JSON", "Expected a policy in JSON: " STR_FMT, STR_ARG(found.v[0].detail));
}

/* Roles */

static struct aws_role *read_role(const struct reading *r, const struct value *object, struct path path)
{
    struct aws_role *role = arena_make(r->a, struct aws_role);
    role->arn = text_part(r, object, "role_arn");
    role->session_name = text_part(r, object, "session_name");
    role->external_id = text_part(r, object, "external_id");
    role->policy = text_part(r, object, "policy");
    role->policy_arns = texts_part(r, object, "policy_arns", &role->n_policy_arns);
    role->transitive_tag_keys = texts_part(r, object, "transitive_tag_keys", &role->n_transitive_tag_keys);
    role->duration_s = read_duration(r, object, path);
    if (role->arn.n == 0)
        (void)diags_fail_at(r->diags, at(r, path, "role_arn"), "Missing role", "Set role_arn to the ARN of the role to assume.");
    check_arn(r, at(r, path, "role_arn"), role->arn);
    for (size_t i = 0; i < role->n_policy_arns; i++)
        check_arn(r, at(r, path, "policy_arns"), role->policy_arns[i]);
    check_json(r, at(r, path, "policy"), role->policy);
    return role;
}

static const struct aws_role *read_assume_role(const struct reading *r, const struct value *config)
{
    const struct value *object = part(config, "assume_role");
    if (!object)
        return NULL;
    struct aws_role *role = read_role(r, object, at(r, PATH_ROOT, "assume_role"));
    const struct value *tags = part(object, "tags");
    struct aws_tag *v = arena_make_n(r->a, struct aws_tag, tags ? tags->n : 0);
    for (size_t i = 0; tags && i < tags->n; i++)
        if (tags->elements[i]->state == VALUE_KNOWN)
            v[role->n_tags++] = (struct aws_tag){arena_str(r->a, tags->keys[i]), arena_str(r->a, tags->elements[i]->string)};
    role->tags = v;
    return role;
}

static const struct aws_role *read_assume_web_role(const struct reading *r, const struct value *config)
{
    const struct value *object = part(config, "assume_role_with_web_identity");
    struct path path = at(r, PATH_ROOT, "assume_role_with_web_identity");
    if (!object)
        return NULL;
    struct aws_role *role = read_role(r, object, path);
    role->web_token = text_part(r, object, "web_identity_token");
    role->web_token_file = text_part(r, object, "web_identity_token_file");
    if (role->web_token.n > 0 && (role->web_token.n < MIN_TOKEN || role->web_token.n > MAX_TOKEN))
        (void)diags_fail_at(r->diags, at(r, path, "web_identity_token"), "Invalid token",
                            "Expected a token of %d to %d characters; found %zu.", MIN_TOKEN, MAX_TOKEN, role->web_token.n);
    if ((role->web_token.n > 0) == (role->web_token_file.n > 0))
        (void)diags_fail_at(r->diags, path, "Invalid web identity",
                            "Expected either web_identity_token or web_identity_token_file, %s.",
                            role->web_token.n > 0 ? "not both" : "but neither is set");
    return role;
}

/* The rest */

static void read_endpoints(const struct reading *r, const struct value *config, struct cc_provider_settings *s)
{
    static const struct {
        const char *name;
        enum aws_service service;
    } known[] = {{"cloudcontrolapi", AWS_CLOUDCONTROL}, {"sso", AWS_SSO}, {"sts", AWS_STS}};
    const struct value *object = part(config, "endpoints");
    struct path path = at(r, PATH_ROOT, "endpoints");
    s->iam_endpoint = text_part(r, object, "iam");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct str url = text_part(r, object, known[i].name);
        struct aws_endpoint ignored = {0};
        const struct lazy_curl *curl = url.n > 0 ? lazy_curl(r->diags) : NULL;
        if (curl && !aws_endpoint_of_url(r->a, curl, url, &ignored))
            (void)diags_fail_at(r->diags, at(r, path, known[i].name), "Invalid endpoint",
                                "\"" STR_FMT "\" is not a valid endpoint; expected http://HOST[:PORT][/PATH] or https://....",
                                STR_ARG(str_slice(url, 0, 200)));
        s->aws.endpoints[known[i].service] = url;
    }
}

static bool number_is(const struct value *v, int64_t *ret)
{
    return v->type->kind == TYPE_NUMBER && number_to_i64(v->number, ret);
}

static void read_retries(const struct reading *r, const struct value *config, struct cc_provider_settings *s)
{
    const struct value *v = part(config, "max_retries");
    int64_t n = 0;
    if (v && (!number_is(v, &n) || n < 0 || n > MAX_ATTEMPTS))
        (void)diags_fail_at(r->diags, at(r, PATH_ROOT, "max_retries"), "Invalid number of retries",
                            "Expected a whole number from 0 to %d.", MAX_ATTEMPTS);
    else if (v)
        s->max_retries = n > 0 ? (int)n : 1;
}

/* awscc inverts this setting: it enables the metadata service when told to skip it, and vice versa. */
static void read_metadata_switch(const struct reading *r, const struct value *config, enum cfn_mode mode,
                                 struct cc_provider_settings *s)
{
    const char *name = "skip_metadata_api_check";
    const struct value *v = part(config, name);
    if (!v) {
        name = "skip_medatadata_api_check";
        v = part(config, name);
        if (v)
            diags_add(r->diags, &(struct diag){.severity = DIAG_WARNING,
                                               .summary = STR("Argument is deprecated"),
                                               .detail = STR("Use skip_metadata_api_check instead."),
                                               .path = at(r, PATH_ROOT, name)});
    }
    if (!v)
        return;
    bool off = mode == CFN_MODE_STRICT ? !flag_part(config, name) : flag_part(config, name);
    s->aws.metadata = off ? AWS_OFF : AWS_ON;
}

static void read_default_tags(const struct reading *r, const struct value *config, struct cc_provider_settings *s)
{
    const struct value *tags = part(part(config, "default_tags"), "tags");
    struct cc_tag *v = arena_make_n(r->a, struct cc_tag, tags ? tags->n : 0);
    for (size_t i = 0; tags && i < tags->n; i++)
        if (tags->elements[i]->state == VALUE_KNOWN) /* keys of a map are sorted */
            v[s->default_tags.n++] = (struct cc_tag){arena_str(r->a, tags->keys[i]), arena_str(r->a, tags->elements[i]->string)};
    s->default_tags.v = v;
}

static void check_keys(const struct reading *r, const struct cc_provider_settings *s)
{
    const struct aws_settings *aws = &s->aws;
    bool any = aws->access_key.n > 0 || aws->secret_key.n > 0 || aws->token.n > 0;
    if (any && (aws->access_key.n == 0 || aws->secret_key.n == 0))
        (void)diags_fail_at(r->diags, at(r, PATH_ROOT, aws->access_key.n == 0 ? "access_key" : "secret_key"),
                            "Incomplete credentials", "access_key and secret_key must be set together: set both, or neither.");
}

static void check_region(const struct reading *r, const struct cc_provider_settings *s)
{
    if (s->aws.region.n > 0 && !aws_region_valid(s->aws.region))
        (void)diags_fail_at(r->diags, at(r, PATH_ROOT, "region"), "Invalid region",
                            "\"" STR_FMT "\" is not a valid AWS region; expected letters, digits and hyphens, as in us-east-1.",
                            STR_ARG(str_slice(s->aws.region, 0, 100)));
}

bool cc_products_read(struct arena *a, const struct value *list, struct path path, struct diags *diags, struct cc_products *ret)
{
    struct reading r = {.a = a, .diags = diags};
    size_t n = list && list->state == VALUE_KNOWN ? list->n : 0;
    struct cc_product *v = arena_make_n(a, struct cc_product, n);
    size_t n_errors = diags->n_errors;
    for (size_t i = 0; i < n; i++) {
        const struct value *object = list->elements[i];
        v[i] = (struct cc_product){.name = text_part(&r, object, "product_name"),
                                   .version = text_part(&r, object, "product_version"),
                                   .comment = text_part(&r, object, "comment")};
        struct path place = path_index(a, path, (int64_t)i);
        if (v[i].name.n == 0)
            (void)diags_fail_at(diags, at(&r, place, "product_name"), "Missing product name",
                                "Set product_name to the name of the product.");
        if (v[i].name.n > MAX_PRODUCT || v[i].version.n > MAX_PRODUCT || v[i].comment.n > MAX_PRODUCT)
            (void)diags_fail_at(diags, place, "Product too long",
                                "Name, version and comment must have at most %d characters each.", MAX_PRODUCT);
    }
    if (diags->n_errors > n_errors)
        return false;
    *ret = (struct cc_products){v, n};
    return true;
}

bool cc_provider_block_read(struct arena *a, const struct value *config, enum cfn_mode mode, struct diags *diags,
                            struct cc_provider_settings *ret)
{
    struct reading r = {.a = a, .diags = diags};
    struct cc_provider_settings s = {0};
    size_t n_errors = diags->n_errors;
    value_walk(a, config, report_unknown, &r);
    if (diags->n_errors > n_errors)
        return false;
    s.aws.access_key = text_part(&r, config, "access_key");
    s.aws.secret_key = text_part(&r, config, "secret_key");
    s.aws.token = text_part(&r, config, "token");
    s.aws.profile = text_part(&r, config, "profile");
    s.aws.region = text_part(&r, config, "region");
    s.aws.config_files = texts_part(&r, config, "shared_config_files", &s.aws.n_config_files);
    s.aws.credentials_files = texts_part(&r, config, "shared_credentials_files", &s.aws.n_credentials_files);
    s.aws.assume_role = read_assume_role(&r, config);
    s.aws.assume_web_role = read_assume_web_role(&r, config);
    s.role_arn = text_part(&r, config, "role_arn");
    s.insecure = flag_part(config, "insecure");
    s.skip_validation = flag_part(config, "skip_credentials_validation");
    s.proxies.http = maybe_text_part(&r, config, "http_proxy");
    s.proxies.https = maybe_text_part(&r, config, "https_proxy");
    s.proxies.none_for = maybe_text_part(&r, config, "no_proxy");
    read_endpoints(&r, config, &s);
    read_retries(&r, config, &s);
    read_metadata_switch(&r, config, mode, &s);
    read_default_tags(&r, config, &s);
    (void)cc_products_read(a, part(config, "user_agent"), at(&r, PATH_ROOT, "user_agent"), diags, &s.user_agent);
    check_arn(&r, at(&r, PATH_ROOT, "role_arn"), s.role_arn);
    check_keys(&r, &s);
    check_region(&r, &s);
    if (diags->n_errors > n_errors)
        return false;
    *ret = s;
    return true;
}

/* User agent */

/* Replaces what a header must not contain: a name is an HTTP token, a comment has no parentheses. */
static void add_clean(struct buf *out, struct str text, const char *refused)
{
    for (size_t i = 0; i < text.n; i++)
        buf_addc(out, text.p[i] < ' ' || text.p[i] >= 127 || strchr(refused, text.p[i]) ? '-' : text.p[i]);
}

struct str cc_products_text(struct arena *a, const struct cc_products *products)
{
    static const char separators[] = " ()<>@,;:\\\"/[]?={}";
    struct buf out BUF_AUTO = BUF_INIT(MAX_USER_AGENT);
    for (size_t i = 0; i < products->n; i++) {
        const struct cc_product *p = &products->v[i];
        if (i > 0)
            buf_addc(&out, ' ');
        add_clean(&out, p->name, separators);
        if (p->version.n > 0) {
            buf_addc(&out, '/');
            add_clean(&out, p->version, separators);
        }
        if (p->comment.n > 0) {
            buf_addz(&out, " (");
            add_clean(&out, p->comment, "()\\");
            buf_addc(&out, ')');
        }
    }
    return buf_copy(&out, a);
}

struct str cc_user_agent(struct arena *a, const struct cc_products *products, const char *const *env)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_USER_AGENT);
    buf_addz(&out, "terrane/" TERRANE_VERSION);
    if (products->n > 0)
        buf_addc(&out, ' ');
    buf_add(&out, cc_products_text(a, products));
    struct str appended = str_trim(str_of(env_get(env, "TF_APPEND_USER_AGENT")));
    if (appended.n > 0) {
        buf_addc(&out, ' ');
        add_clean(&out, str_slice(appended, 0, 4096), "");
    }
    return buf_copy(&out, a);
}
