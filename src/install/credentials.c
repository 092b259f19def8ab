#include "install/credentials.h"

#include "base/json.h"
#include "loop/capture.h"

#include <unistd.h>

/* "a_b__c" in a variable's name stands for the host "a.b-c". */
static struct str host_of_variable(struct arena *a, struct str name)
{
    char *host = arena_alloc(a, name.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        bool two = name.p[i] == '_' && i + 1 < name.n && name.p[i + 1] == '_';
        host[n++] = two ? '-' : name.p[i] == '_' ? '.' : name.p[i];
        i += two;
    }
    return (struct str){host, n};
}

static struct str from_environment(const struct credentials *c, struct arena *a, struct str host)
{
    struct str prefix = STR("TF_TOKEN_");
    for (const char *const *v = c->env; v && *v; v++) {
        struct str value = str_of(*v);
        struct str name = str_cut(&value, '=');
        if (!str_starts(name, prefix) || value.n == 0)
            continue;
        if (str_eq_nocase(host_of_variable(a, str_slice(name, prefix.n, name.n)), host))
            return value;
    }
    return STR_EMPTY;
}

static struct str from_config(const struct credentials *c, struct str host)
{
    for (size_t i = c->config ? c->config->n_tokens : 0; i-- > 0;)
        if (str_eq_nocase(c->config->tokens[i].host, host))
            return c->config->tokens[i].token;
    return STR_EMPTY;
}

/* Finds the helper in the folders where Terraform looks; NULL: it is in none of them. */
static const char *find_helper(const struct credentials *c, struct arena *a, struct str name)
{
    const char *folders[] = {"", c->platform};
    for (size_t i = 0; c->home && i < 2; i++) {
        const char *path = arena_printf(a, "%s/.terraform.d/plugins%s%s/terraform-credentials-" STR_FMT, c->home,
                                        i > 0 ? "/" : "", folders[i], STR_ARG(name))
                               .p;
        if (access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

static bool read_answer(struct arena *a, struct str text, const char *path, struct diags *diags, struct str *ret)
{
    struct diags ignored; /* the parser's message might show part of the token */
    diags_init(&ignored, a);
    const struct json *answer = json_parse(a, text, path, &ignored);
    if (!answer || answer->kind != JSON_OBJECT)
        return diags_fail(diags, "Cannot get credentials", "%s did not print a JSON object.", path);
    *ret = json_text(json_get(answer, "token"), STR_EMPTY);
    return true;
}

static bool from_helper(const struct credentials *c, struct arena *a, struct str host, struct diags *diags, struct str *ret)
{
    const struct credentials_helper *helper = &c->config->helper;
    const char *path = find_helper(c, a, helper->name);
    if (!path)
        return diags_fail(diags, "Cannot get credentials",
                          "The CLI configuration names the credentials helper \"" STR_FMT "\", but there is no program "
                          "terraform-credentials-" STR_FMT " in ~/.terraform.d/plugins.",
                          STR_ARG(helper->name), STR_ARG(helper->name));
    const char **argv = arena_make_n(a, const char *, helper->n_args + 4);
    size_t n = 0;
    argv[n++] = path;
    for (size_t i = 0; i < helper->n_args; i++)
        argv[n++] = helper->args[i].p;
    argv[n++] = "get";
    argv[n++] = arena_str(a, host).p;
    struct capture_options options = {
        .loop = c->loop,
        .path = path,
        .argv = argv,
        .env = c->env,
        .max_out = CREDENTIALS_MAX_ANSWER,
        .deadline = clock_now(&system_clock) + CREDENTIALS_HELPER_S * NS_PER_S,
        .cancel = c->cancel,
    };
    struct buf out = BUF_INIT(CREDENTIALS_MAX_ANSWER);
    struct str why;
    bool ok = capture_run(a, &options, &out, &why);
    if (ok)
        ok = read_answer(a, buf_str(&out), path, diags, ret);
    else
        (void)diags_fail(diags, "Cannot get credentials", "%s: " STR_FMT ".", path, STR_ARG(why));
    buf_wipe(&out);
    return ok;
}

bool credentials_token(const struct credentials *c, struct arena *a, struct str host, struct diags *diags, struct str *ret)
{
    struct str token = from_environment(c, a, host);
    if (token.n == 0)
        token = from_config(c, host);
    if (token.n == 0 && c->config && c->config->helper.name.n > 0 && !from_helper(c, a, host, diags, &token))
        return false;
    if (token.n > 0)
        log_redact(c->log, token);
    *ret = token;
    return true;
}
