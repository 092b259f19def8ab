#include "kube/exec.h"

#include "base/base64.h"
#include "base/env.h"
#include "base/json.h"
#include "http/timing.h"
#include "loop/capture.h"

#include <unistd.h>

#define FAILED "No credentials from the exec plugin"
enum { MAX_INFO = 1 << 20 };

/* The plugin's input */

static void write_cluster(struct json_writer *w, const struct kube_exec_options *o)
{
    const struct kubeconfig *c = o->config;
    struct buf ca BUF_AUTO = BUF_INIT(MAX_INFO);
    json_key(w, STR("cluster"));
    json_begin_object(w);
    json_key(w, STR("server"));
    json_write_string(w, c->server);
    if (c->tls_server_name) {
        json_key(w, STR("tls-server-name"));
        json_write_string(w, str_of(c->tls_server_name));
    }
    if (c->insecure) {
        json_key(w, STR("insecure-skip-tls-verify"));
        json_write_bool(w, true);
    }
    if (o->ca.n > 0) {
        base64_write(&ca, o->ca);
        json_key(w, STR("certificate-authority-data"));
        json_write_string(w, buf_str(&ca));
    }
    if (c->proxy) {
        json_key(w, STR("proxy-url"));
        json_write_string(w, str_of(c->proxy));
    }
    if (c->exec_config) {
        json_key(w, STR("config"));
        json_write(w, c->exec_config);
    }
    json_end_object(w);
}

static const char *exec_info(struct arena *a, const struct kube_exec_options *o)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_INFO);
    struct json_writer w = {.out = &text};
    buf_addz(&text, "KUBERNETES_EXEC_INFO=");
    json_begin_object(&w);
    json_key(&w, STR("kind"));
    json_write_string(&w, STR("ExecCredential"));
    json_key(&w, STR("apiVersion"));
    json_write_string(&w, o->config->exec->api_version);
    json_key(&w, STR("spec"));
    json_begin_object(&w);
    if (o->config->exec->provide_cluster_info)
        write_cluster(&w, o);
    json_key(&w, STR("interactive"));
    json_write_bool(&w, false);
    json_end_object(&w);
    json_end_object(&w);
    (void)json_finish(&w);
    return buf_copy(&text, a).p;
}

static bool is_set_by(const struct kube_exec *exec, const char *variable)
{
    struct str name = str_of(variable);
    name = str_cut(&name, '=');
    for (size_t i = 0; i < exec->n_env; i++)
        if (str_eq(exec->env[i].name, name))
            return true;
    return str_eqz(name, "KUBERNETES_EXEC_INFO");
}

static const char *const *make_env(struct arena *a, const struct kube_exec_options *o)
{
    const struct kube_exec *exec = o->config->exec;
    size_t n = 0, most = exec->n_env + 2;
    for (size_t i = 0; o->env && o->env[i]; i++)
        most++;
    const char **env = arena_make_n(a, const char *, most);
    for (size_t i = 0; o->env && o->env[i]; i++)
        if (!is_set_by(exec, o->env[i]))
            env[n++] = o->env[i];
    for (size_t i = 0; i < exec->n_env; i++)
        env[n++] = arena_printf(a, STR_FMT "=" STR_FMT, STR_ARG(exec->env[i].name), STR_ARG(exec->env[i].value)).p;
    env[n++] = exec_info(a, o);
    return env;
}

/* NULL: not found. */
static const char *find_program(struct arena *a, const char *command, const char *const *env)
{
    if (strchr(command, '/'))
        return access(command, X_OK) == 0 ? command : NULL;
    const char *path = env_get(env, "PATH");
    for (struct str rest = str_of(path ? path : "/usr/local/bin:/usr/bin:/bin"); rest.n > 0;) {
        struct str folder = str_cut(&rest, ':');
        const char *file = arena_printf(a, STR_FMT "/%s", STR_ARG(folder), command).p;
        /* An empty part of PATH would mean the working folder, which anybody may be able to write to: skip it. */
        if (folder.n > 0 && access(file, X_OK) == 0)
            return file;
    }
    return NULL;
}

/* The plugin's output */

static bool read_status(const struct json *status, const char *title, struct diags *diags, struct kube_exec_answer *ret)
{
    struct kube_exec_answer got = {
        .token = json_text(json_get(status, "token"), STR_EMPTY),
        .certificate = json_text(json_get(status, "clientCertificateData"), STR_EMPTY),
        .key = json_text(json_get(status, "clientKeyData"), STR_EMPTY),
    };
    struct str expires = json_text(json_get(status, "expirationTimestamp"), STR_EMPTY);
    if (got.token.n == 0 && got.certificate.n == 0)
        return diags_fail(diags, FAILED, "%s printed neither status.token nor status.clientCertificateData.", title);
    if ((got.certificate.n > 0) != (got.key.n > 0))
        return diags_fail(diags, FAILED, "%s printed only one of status.clientCertificateData and status.clientKeyData.", title);
    if (expires.n > 0 && !timestamp_parse(expires, &got.expires))
        return diags_fail(diags, FAILED, "%s: status.expirationTimestamp is not a valid time such as 2026-01-02T15:04:05Z.",
                          title);
    *ret = got;
    return true;
}

bool kube_exec_read(struct arena *a, struct str text, struct str api_version, const char *title, struct diags *diags,
                    struct kube_exec_answer *ret)
{
    struct diags unread;
    diags_init(&unread, a); /* the parser's message may quote a secret */
    const struct json *j = json_parse(a, text, "output", &unread);
    if (!j || j->kind != JSON_OBJECT)
        return diags_fail(diags, FAILED, "%s printed something that is not a JSON object.", title);
    if (!str_eqz(json_text(json_get(j, "kind"), STR_EMPTY), "ExecCredential"))
        return diags_fail(diags, FAILED, "%s printed an object that is not of the kind ExecCredential.", title);
    if (!str_eq(json_text(json_get(j, "apiVersion"), STR_EMPTY), api_version))
        return diags_fail(diags, FAILED,
                          "%s was asked for apiVersion " STR_FMT
                          " and printed another one. Set the apiVersion of \"exec\" in the "
                          "kubeconfig to the one that the plugin supports.",
                          title, STR_ARG(api_version));
    return read_status(json_get(j, "status"), title, diags, ret);
}

static bool not_found(const struct kube_exec *exec, struct diags *diags)
{
    return diags_fail(diags, FAILED, "\"%s\" was not found, or cannot be executed.%s" STR_FMT, exec->command,
                      exec->install_hint.n > 0 ? "\n\n" : "", STR_ARG(exec->install_hint));
}

bool kube_exec_run(struct arena *a, const struct kube_exec_options *o, struct diags *diags, struct kube_exec_answer *ret)
{
    const struct kube_exec *exec = o->config->exec;
    const char *const *env = make_env(a, o);
    const char *program = find_program(a, exec->command, env);
    if (!program)
        return not_found(exec, diags);
    const char **argv = arena_make_n(a, const char *, exec->n_args + 2);
    argv[0] = exec->command;
    for (size_t i = 0; i < exec->n_args; i++)
        argv[i + 1] = exec->args[i];
    struct capture_options options = {
        .loop = o->loop,
        .path = program,
        .argv = argv,
        .env = env,
        .max_out = KUBE_EXEC_MAX_OUTPUT,
        .deadline = clock_now(&system_clock) + KUBE_EXEC_TIMEOUT_S * NS_PER_S,
        .cancel = o->cancel,
    };
    struct buf out;
    struct str why;
    const char *title = arena_printf(a, "\"%s\"", exec->command).p;
    bool ok = capture_run(a, &options, &out, &why);
    if (!ok)
        (void)diags_fail(diags, FAILED, "%s: " STR_FMT ".", title, STR_ARG(why));
    else
        ok = kube_exec_read(a, buf_str(&out), exec->api_version, title, diags, ret);
    buf_wipe(&out);
    return ok;
}
