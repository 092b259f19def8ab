#include "kube/kubeconfig.h"

#include "base/base64.h"
#include "base/env.h"
#include "base/file.h"
#include "base/vec.h"
#include "yaml/yaml.h"

#define SERVICE_ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"
#define BAD "Invalid kubeconfig"
#define EXEC_EXTENSION "client.authentication.k8s.io/exec"

struct file {
    const char *path;
    struct str folder;
    const struct json *root;
};

struct files {
    struct file *v;
    size_t n, cap;
};

/* An entry of a file: a cluster, a user, a context. */
struct entry {
    const struct file *file;
    const struct json *body;
    uint32_t line;
};

struct reader {
    struct arena *a;
    struct diags *diags;
};

/* Members of an entry. Absent and null are the same, as for kubectl. */

static const struct json *member(const struct json *j, const char *key)
{
    const struct json *m = json_get(j, key);
    return m && m->kind != JSON_NULL ? m : NULL;
}

static bool wrong_kind(struct reader *r, const struct file *f, const struct json *at, const char *key, const char *expected)
{
    return diags_fail(r->diags, BAD, "%s:%u: \"%s\" must be %s.", f->path, at->line, key, expected);
}

static bool read_text(struct reader *r, const struct file *f, const struct json *body, const char *key, struct str *ret)
{
    const struct json *m = member(body, key);
    *ret = STR_EMPTY;
    if (!m)
        return true;
    if (m->kind != JSON_STRING)
        return wrong_kind(r, f, m, key, "a string: put it in quotes");
    if (memchr(m->text.p, '\0', m->text.n))
        return wrong_kind(r, f, m, key, "a string without a NUL character");
    *ret = m->text;
    return true;
}

static bool read_bool(struct reader *r, const struct file *f, const struct json *body, const char *key, bool *ret)
{
    const struct json *m = member(body, key);
    *ret = json_bool(m, false);
    return !m || m->kind == JSON_BOOL || wrong_kind(r, f, m, key, "true or false");
}

static bool read_optional(struct reader *r, const struct file *f, const struct json *body, const char *key, const char **ret)
{
    struct str text;
    if (!read_text(r, f, body, key, &text))
        return false;
    *ret = text.n > 0 ? text.p : NULL;
    return true;
}

static const char *relative_to(struct arena *a, struct str folder, struct str path)
{
    bool absolute = path.n > 0 && path.p[0] == '/';
    return absolute ? arena_str(a, path).p : arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(path)).p;
}

static bool read_path(struct reader *r, const struct file *f, const struct json *body, const char *key, const char **ret)
{
    struct str text;
    if (!read_text(r, f, body, key, &text))
        return false;
    *ret = text.n > 0 ? relative_to(r->a, f->folder, text) : NULL;
    return true;
}

/* PEM, as base64 in `data_key` or in the file that `file_key` names. */
static bool read_pem(struct reader *r, const struct entry *e, const char *file_key, const char *data_key, struct kube_text *ret)
{
    struct str data, pem = STR_EMPTY;
    if (!read_path(r, e->file, e->body, file_key, &ret->file) || !read_text(r, e->file, e->body, data_key, &data))
        return false;
    if (data.n == 0)
        return true;
    const struct json *at = json_get(e->body, data_key);
    if (!base64_read(r->a, data, &pem))
        return wrong_kind(r, e->file, at, data_key, "base64");
    if (!str_contains(pem, STR("-----BEGIN ")))
        return wrong_kind(r, e->file, at, data_key, "PEM (\"-----BEGIN ...\") in base64");
    ret->inline_text = pem;
    ret->file = NULL;
    return true;
}

static bool read_list(struct reader *r, const struct file *f, const struct json *body, const char *key, const struct json **ret)
{
    *ret = member(body, key);
    if (*ret && (*ret)->kind != JSON_ARRAY)
        return wrong_kind(r, f, *ret, key, "a list");
    if (*ret && (*ret)->array.n > KUBECONFIG_MAX_ARGS)
        return wrong_kind(r, f, *ret, key, "a list of at most 256 elements");
    return true;
}

static bool read_texts(struct reader *r, const struct file *f, const struct json *body, const char *key, const struct str **ret,
                       size_t *ret_n)
{
    const struct json *list;
    if (!read_list(r, f, body, key, &list))
        return false;
    size_t n = list ? list->array.n : 0;
    struct str *texts = arena_make_n(r->a, struct str, n);
    for (size_t i = 0; i < n; i++) {
        const struct json *item = list->array.items[i];
        if (item->kind != JSON_STRING || memchr(item->text.p, '\0', item->text.n))
            return wrong_kind(r, f, item, key, "a list of strings");
        texts[i] = item->text;
    }
    *ret = texts;
    *ret_n = n;
    return true;
}

/* exec */

static bool read_exec_env(struct reader *r, const struct file *f, const struct json *exec, struct kube_exec *ret)
{
    const struct json *list;
    if (!read_list(r, f, exec, "env", &list))
        return false;
    ret->n_env = list ? list->array.n : 0;
    struct kube_pair *env = arena_make_n(r->a, struct kube_pair, ret->n_env);
    for (size_t i = 0; i < ret->n_env; i++) {
        const struct json *item = list->array.items[i];
        if (item->kind != JSON_OBJECT)
            return wrong_kind(r, f, item, "env", "a list of {name, value}");
        if (!read_text(r, f, item, "name", &env[i].name) || !read_text(r, f, item, "value", &env[i].value))
            return false;
        if (env[i].name.n == 0 || memchr(env[i].name.p, '=', env[i].name.n))
            return wrong_kind(r, f, item, "name", "the name of a variable");
    }
    ret->env = env;
    return true;
}

static bool read_exec_command(struct reader *r, const struct file *f, const struct json *exec, struct kube_exec *ret)
{
    struct str command;
    const struct str *args;
    if (!read_text(r, f, exec, "command", &command) || !read_texts(r, f, exec, "args", &args, &ret->n_args))
        return false;
    if (command.n == 0)
        return diags_fail(r->diags, BAD, "%s:%u: \"exec\" has no \"command\".", f->path, exec->line);
    bool is_path = memchr(command.p, '/', command.n);
    ret->command = is_path ? relative_to(r->a, f->folder, command) : command.p;
    const char **argv = arena_make_n(r->a, const char *, ret->n_args);
    for (size_t i = 0; i < ret->n_args; i++)
        argv[i] = args[i].p;
    ret->args = argv;
    return true;
}

static bool read_exec(struct reader *r, const struct entry *e, const struct kube_exec **ret)
{
    const struct file *f = e->file;
    const struct json *exec = member(e->body, "exec");
    struct kube_exec made = {0};
    struct str mode;
    *ret = NULL;
    if (!exec)
        return true;
    if (exec->kind != JSON_OBJECT)
        return wrong_kind(r, f, exec, "exec", "an object");
    if (!read_text(r, f, exec, "apiVersion", &made.api_version) || !read_text(r, f, exec, "interactiveMode", &mode) ||
        !read_text(r, f, exec, "installHint", &made.install_hint) ||
        !read_bool(r, f, exec, "provideClusterInfo", &made.provide_cluster_info) || !read_exec_command(r, f, exec, &made) ||
        !read_exec_env(r, f, exec, &made))
        return false;
    if (!str_eqz(made.api_version, "client.authentication.k8s.io/v1") &&
        !str_eqz(made.api_version, "client.authentication.k8s.io/v1beta1"))
        return diags_fail(r->diags, BAD,
                          "%s:%u: \"exec\" has the apiVersion \"" STR_FMT
                          "\"; client.authentication.k8s.io/v1 and client.authentication.k8s.io/v1beta1 are understood.",
                          f->path, exec->line, STR_ARG(made.api_version));
    if (str_eqz(mode, "Always"))
        return diags_fail(
            r->diags, BAD,
            "%s:%u: The plugin \"%s\" asks its user (interactiveMode: Always), and this program cannot ask. Use a user "
            "with a token, a certificate or a plugin that works by itself.",
            f->path, exec->line, made.command);
    struct kube_exec *kept = arena_make(r->a, struct kube_exec);
    *kept = made;
    *ret = kept;
    return true;
}

/* Impersonation */

static bool read_extra(struct reader *r, const struct entry *e, struct kube_impersonate *ret)
{
    const struct json *extra = member(e->body, "as-user-extra");
    VEC(struct kube_pair) pairs = {0};
    if (extra && extra->kind != JSON_OBJECT)
        return wrong_kind(r, e->file, extra, "as-user-extra", "an object of lists");
    for (size_t i = 0; extra && i < extra->object.n; i++) {
        const struct json_member *m = &extra->object.members[i];
        const struct str *values = NULL;
        size_t n = 0;
        if (!read_texts(r, e->file, extra, arena_str(r->a, m->key).p, &values, &n))
            return false;
        for (size_t k = 0; k < n && pairs.n < KUBECONFIG_MAX_ARGS; k++)
            *VEC_PUSH(r->a, &pairs) = (struct kube_pair){m->key, values[k]};
    }
    ret->extra = pairs.v;
    ret->n_extra = pairs.n;
    return true;
}

static bool read_impersonation(struct reader *r, const struct entry *e, struct kube_impersonate *ret)
{
    if (!read_text(r, e->file, e->body, "as", &ret->user) || !read_text(r, e->file, e->body, "as-uid", &ret->uid) ||
        !read_texts(r, e->file, e->body, "as-groups", &ret->groups, &ret->n_groups) || !read_extra(r, e, ret))
        return false;
    if (ret->user.n == 0 && (ret->uid.n > 0 || ret->n_groups > 0 || ret->n_extra > 0))
        return diags_fail(r->diags, BAD,
                          "%s:%u: A user is impersonated by \"as\"; groups, a uid or extra values alone are not enough.",
                          e->file->path, e->line);
    return true;
}

/* Clusters and users */

/* The extension for exec plugins among the cluster's extensions, which may be anything. */
static bool read_exec_config(struct reader *r, const struct entry *e, const struct json **ret)
{
    const struct json *list;
    *ret = NULL;
    if (!read_list(r, e->file, e->body, "extensions", &list))
        return false;
    for (size_t i = 0; list && i < list->array.n; i++)
        if (str_eqz(json_text(json_get(list->array.items[i], "name"), STR_EMPTY), EXEC_EXTENSION))
            *ret = member(list->array.items[i], "extension");
    return true;
}

/* The URL may contain a password, so messages do not show it. */
static bool read_proxy(struct reader *r, const struct entry *e, const char **ret)
{
    static const char *const schemes[] = {"http://", "https://", "socks5://"};
    if (!read_optional(r, e->file, e->body, "proxy-url", ret))
        return false;
    for (size_t i = 0; *ret && i < sizeof schemes / sizeof schemes[0]; i++)
        if (str_starts(str_of(*ret), str_of(schemes[i])))
            return true;
    return !*ret || wrong_kind(r, e->file, json_get(e->body, "proxy-url"), "proxy-url",
                               "a URL that begins with http://, https:// or socks5://");
}

static bool read_cluster(struct reader *r, const struct entry *e, struct kubeconfig *ret)
{
    struct str server;
    if (!read_text(r, e->file, e->body, "server", &server) ||
        !read_pem(r, e, "certificate-authority", "certificate-authority-data", &ret->ca) ||
        !read_optional(r, e->file, e->body, "tls-server-name", &ret->tls_server_name) || !read_proxy(r, e, &ret->proxy) ||
        !read_bool(r, e->file, e->body, "insecure-skip-tls-verify", &ret->insecure) || !read_exec_config(r, e, &ret->exec_config))
        return false;
    while (str_ends(server, STR("/")))
        server.n--;
    bool is_url = str_starts(server, STR("https://")) || str_starts(server, STR("http://"));
    if (server.n == 0 || (!is_url && str_find(server, '/', 0) != SIZE_MAX))
        return diags_fail(r->diags, BAD, "%s:%u: The cluster's \"server\" must be a URL such as https://10.0.0.1:6443.",
                          e->file->path, e->line);
    ret->server = server;
    if (ret->insecure && (ret->ca.file || ret->ca.inline_text.n > 0))
        return diags_fail(
            r->diags, BAD,
            "%s:%u: The cluster has both insecure-skip-tls-verify and a certificate authority. Remove the first, and the "
            "server is checked against the second.",
            e->file->path, e->line);
    return true;
}

static bool has(const struct kube_text *t)
{
    return t->file || t->inline_text.n > 0;
}

static bool read_user(struct reader *r, const struct entry *e, struct kubeconfig *ret)
{
    const struct json *provider = member(e->body, "auth-provider");
    if (provider)
        return diags_fail(
            r->diags, BAD,
            "%s:%u: \"auth-provider\" was removed from Kubernetes in 1.26. Use an exec plugin (\"exec\") of your cloud "
            "instead.",
            e->file->path, provider->line);
    if (!read_text(r, e->file, e->body, "token", &ret->token.inline_text) ||
        !read_path(r, e->file, e->body, "tokenFile", &ret->token.file) ||
        !read_pem(r, e, "client-certificate", "client-certificate-data", &ret->certificate) ||
        !read_pem(r, e, "client-key", "client-key-data", &ret->key) ||
        !read_text(r, e->file, e->body, "username", &ret->username) ||
        !read_text(r, e->file, e->body, "password", &ret->password) || !read_exec(r, e, &ret->exec) ||
        !read_impersonation(r, e, &ret->as))
        return false;
    if (has(&ret->certificate) != has(&ret->key))
        return diags_fail(r->diags, BAD, "%s:%u: The user has a client %s without its %s; both are needed.", e->file->path,
                          e->line, has(&ret->key) ? "key" : "certificate", has(&ret->key) ? "certificate" : "key");
    if (ret->username.n > 0 && has(&ret->token))
        return diags_fail(r->diags, BAD, "%s:%u: The user has both a token and a username; remove one of them.", e->file->path,
                          e->line);
    return true;
}

/* Files */

/* The element of `list` with this name: the first file wins. */
static bool find(struct reader *r, const struct files *files, const char *list, const char *inner, struct str name,
                 struct entry *ret)
{
    for (size_t i = 0; i < files->n; i++) {
        const struct file *f = &files->v[i];
        const struct json *all = member(f->root, list);
        for (size_t k = 0; all && k < all->array.n; k++) {
            const struct json *item = all->array.items[k], *body = member(item, inner);
            if (item->kind != JSON_OBJECT || !str_eq(json_text(json_get(item, "name"), STR_EMPTY), name))
                continue;
            if (body && body->kind != JSON_OBJECT)
                return wrong_kind(r, f, body, inner, "an object");
            *ret = (struct entry){f, body, item->line};
            return true;
        }
    }
    *ret = (struct entry){0};
    return true;
}

static bool check_shape(struct reader *r, const struct file *f)
{
    static const char *const lists[] = {"clusters", "users", "contexts"};
    if (f->root->kind == JSON_NULL)
        return true;
    if (f->root->kind != JSON_OBJECT)
        return diags_fail(r->diags, BAD, "%s:%u: Expected a kubeconfig: an object with clusters, users and contexts.", f->path,
                          f->root->line);
    struct str kind = json_text(json_get(f->root, "kind"), STR("Config")),
               version = json_text(json_get(f->root, "apiVersion"), STR("v1"));
    if (!str_eqz(kind, "Config") || !str_eqz(version, "v1"))
        return diags_fail(r->diags, BAD, "%s: This is not a kubeconfig: expected kind: Config of apiVersion: v1.", f->path);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct json *list = member(f->root, lists[i]);
        if (list && list->kind != JSON_ARRAY)
            return wrong_kind(r, f, list, lists[i], "a list");
    }
    return true;
}

static bool add_file(struct reader *r, struct files *files, const char *path, struct str text)
{
    const struct json *root = yaml_parse(r->a, text, path, r->diags);
    const char *slash = strrchr(path, '/');
    struct file f = {.path = path, .root = root, .folder = slash ? (struct str){path, (size_t)(slash - path)} : STR(".")};
    if (!root || !check_shape(r, &f))
        return false;
    if (f.folder.n == 0)
        f.folder = STR("/.");
    *VEC_PUSH(r->a, files) = f;
    return true;
}

static struct str current_context(const struct files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        struct str name = json_text(member(files->v[i].root, "current-context"), STR_EMPTY);
        if (name.n > 0)
            return name;
    }
    return STR_EMPTY;
}

static bool no_such(struct reader *r, const struct files *files, const char *what, const char *list, struct str name)
{
    struct buf names BUF_AUTO = BUF_INIT(4096);
    for (size_t i = 0; i < files->n; i++) {
        const struct json *all = member(files->v[i].root, list);
        for (size_t k = 0; all && k < all->array.n; k++)
            buf_printf(&names, "%s\"" STR_FMT "\"", names.n > 0 ? ", " : "",
                       STR_ARG(json_text(json_get(all->array.items[k], "name"), STR_EMPTY)));
    }
    return diags_fail(r->diags, BAD, "%s%s has no %s \"" STR_FMT "\"; it has %s" STR_FMT ".",
                      files->n > 0 ? files->v[0].path : "It", files->n > 1 ? " (and the other files of KUBECONFIG)" : "", what,
                      STR_ARG(name), names.n > 0 ? "" : "none", STR_ARG(buf_str(&names)));
}

/* "10.0.0.1:6443": TLS if anything about TLS is stated. (kubectl then speaks plain HTTP all the same, which no API server
 * answers.) */
static void add_scheme(struct arena *a, struct kubeconfig *c)
{
    bool tls = has(&c->ca) || has(&c->certificate) || c->insecure;
    if (str_find(c->server, '/', 0) == SIZE_MAX)
        c->server = arena_printf(a, "%s://" STR_FMT, tls ? "https" : "http", STR_ARG(c->server));
}

static bool resolve(struct reader *r, const struct files *files, const char *context, struct kubeconfig *ret)
{
    struct str name = context ? str_of(context) : current_context(files), cluster, user, namespace;
    struct entry c, of_cluster, of_user;
    if (name.n == 0)
        return diags_fail(r->diags, BAD, "%s: No current context. Choose one with: kubectl config use-context NAME",
                          files->v[0].path);
    if (!find(r, files, "contexts", "context", name, &c))
        return false;
    if (!c.file)
        return no_such(r, files, "context", "contexts", name);
    if (!read_text(r, c.file, c.body, "cluster", &cluster) || !read_text(r, c.file, c.body, "user", &user) ||
        !read_text(r, c.file, c.body, "namespace", &namespace) || !find(r, files, "clusters", "cluster", cluster, &of_cluster) ||
        !find(r, files, "users", "user", user, &of_user))
        return false;
    if (!of_cluster.file)
        return no_such(r, files, "cluster", "clusters", cluster);
    if (user.n > 0 && !of_user.file)
        return no_such(r, files, "user", "users", user);
    *ret = (struct kubeconfig){.namespace = namespace.n > 0 ? namespace : STR("default")};
    ret->title = arena_printf(r->a, "context \"" STR_FMT "\" of %s", STR_ARG(name), c.file->path);
    if (!read_cluster(r, &of_cluster, ret) || (user.n > 0 && !read_user(r, &of_user, ret)))
        return false;
    add_scheme(r->a, ret);
    return true;
}

bool kubeconfig_parse(struct arena *a, struct str text, const char *path, const char *context, struct diags *diags,
                      struct kubeconfig *ret)
{
    struct reader r = {a, diags};
    struct files files = {0};
    return add_file(&r, &files, path, text) && resolve(&r, &files, context, ret);
}

/* Loads a file; it may be missing unless `must_exist`. */
static bool load_file(struct reader *r, struct files *files, const char *path, bool must_exist)
{
    struct str text;
    if (!must_exist && !file_exists(path))
        return true;
    return file_read(r->a, path, KUBECONFIG_MAX_FILE, r->diags, &text) && add_file(r, files, path, text);
}

static bool load_list(struct reader *r, struct files *files, struct str list)
{
    while (list.n > 0) {
        struct str path = str_cut(&list, ':');
        if (files->n == KUBECONFIG_MAX_FILES)
            return diags_fail(r->diags, BAD, "KUBECONFIG names more than %d files.", KUBECONFIG_MAX_FILES);
        if (path.n > 0 && !load_file(r, files, arena_str(r->a, path).p, false))
            return false;
    }
    return true;
}

/* In a pod */

static bool in_pod(struct reader *r, const struct kubeconfig_options *o, struct kubeconfig *ret)
{
    const char *host = env_get(o->env, "KUBERNETES_SERVICE_HOST"), *port = env_get(o->env, "KUBERNETES_SERVICE_PORT");
    const char *folder = o->account ? o->account : SERVICE_ACCOUNT;
    struct str namespace = STR_EMPTY;
    struct diags unread;
    diags_init(&unread, r->a);
    bool v6 = strchr(host, ':');
    (void)file_read(r->a, arena_printf(r->a, "%s/namespace", folder).p, 4096, &unread, &namespace);
    namespace = str_trim(namespace);
    *ret = (struct kubeconfig){
        .server = arena_printf(r->a, "https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port),
        .token.file = arena_printf(r->a, "%s/token", folder).p,
        .ca.file = arena_printf(r->a, "%s/ca.crt", folder).p,
        .namespace = namespace.n > 0 ? namespace : STR("default"),
        .title = STR("the pod's service account"),
    };
    return true;
}

static bool is_in_pod(const struct kubeconfig_options *o)
{
    const char *host = env_get(o->env, "KUBERNETES_SERVICE_HOST"), *port = env_get(o->env, "KUBERNETES_SERVICE_PORT");
    return host && *host && port && *port;
}

bool kubeconfig_load(struct arena *a, const struct kubeconfig_options *options, struct diags *diags, struct kubeconfig *ret)
{
    struct reader r = {a, diags};
    struct files files = {0};
    const char *list = env_get(options->env, "KUBECONFIG"), *home = env_get(options->env, "HOME");
    if (options->file) {
        if (!load_file(&r, &files, options->file, true))
            return false;
    } else if (list && *list) {
        if (!load_list(&r, &files, str_of(list)))
            return false;
        if (files.n == 0)
            return diags_fail(diags, "No kubeconfig", "None of the files that KUBECONFIG names exists: %s.", list);
    } else if (is_in_pod(options)) {
        return in_pod(&r, options, ret);
    } else if (home && !load_file(&r, &files, arena_printf(a, "%s/.kube/config", home).p, false)) {
        return false;
    }
    if (files.n == 0)
        return diags_fail(
            diags, "No kubeconfig",
            "There is neither a file ~/.kube/config nor a variable KUBECONFIG that names one, and this is not a pod of a "
            "cluster. Name a kubeconfig, or make one with the tool of your cluster.");
    return resolve(&r, &files, options->context, ret);
}
