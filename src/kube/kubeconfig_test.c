#include "kube/kubeconfig.h"

#include "base/testing.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASE                                                                                                                     \
    "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts:\n- name: x\n  context: {cluster: c, user: u, namespace: ns}\n"  \
    "- name: second\n  context: {cluster: c}\n"
#define CLUSTER "clusters:\n- name: c\n  cluster: {server: 'https://h:6443/'}\n"
#define PEM "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==" /* -----BEGIN CERTIFICATE----- */
#define USER(body) BASE CLUSTER "users:\n- name: u\n  user: " body "\n"

struct fixture {
    struct arena *a;
    struct diags diags;
    struct kubeconfig config;
};

static bool parse(struct fixture *f, const char *text, const char *context)
{
    diags_init(&f->diags, f->a);
    return kubeconfig_parse(f->a, str_of(text), "/etc/kube/config", context, &f->diags, &f->config);
}

static void reads_all(void **state)
{
    (void)state;
    struct fixture f = {.a = arena_new(NULL, 0)};
    bool ok =
        parse(&f,
              BASE "clusters:\n- name: c\n  cluster:\n    server: https://h:6443\n    certificate-authority: ca.crt\n"
                   "    certificate-authority-data: " PEM "\n    tls-server-name: other\n    proxy-url: http://p:3128\n"
                   "    extensions:\n    - {name: minikube.io/x, extension: 5}\n"
                   "    - {name: client.authentication.k8s.io/exec, extension: {audience: a}}\n"
                   "users:\n- name: u\n  user:\n    tokenFile: sub/token\n    token: t\n    client-certificate: /abs/c\n"
                   "    client-key: ./k\n    as: me\n    as-uid: '7'\n    as-groups: [a, b]\n    as-user-extra: {k: [v, w]}\n"
                   "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: ./bin/plugin\n      args: [x]\n"
                   "      env: [{name: A, value: B}]\n      interactiveMode: Never\n      provideClusterInfo: true\n",
              NULL);
    testing_no_errors(&f.diags);
    assert_true(ok);
    const struct kubeconfig *c = &f.config;
    testing_text(c->server, "https://h:6443");
    assert_null(c->ca.file);
    testing_text(c->ca.inline_text, "-----BEGIN CERTIFICATE-----\n");
    assert_string_equal(c->tls_server_name, "other");
    assert_string_equal(c->proxy, "http://p:3128");
    assert_string_equal(c->token.file, "/etc/kube/sub/token");
    assert_string_equal(c->certificate.file, "/abs/c");
    assert_string_equal(c->key.file, "/etc/kube/./k");
    testing_text(json_text(json_get(c->exec_config, "audience"), STR_EMPTY), "a");
    testing_text(c->as.user, "me");
    testing_text(c->as.uid, "7");
    assert_int_equal(c->as.n_groups, 2);
    assert_int_equal(c->as.n_extra, 2);
    testing_text(c->as.extra[1].value, "w");
    assert_string_equal(c->exec->command, "/etc/kube/./bin/plugin");
    assert_string_equal(c->exec->args[0], "x");
    testing_text(c->exec->env[0].name, "A");
    assert_true(c->exec->provide_cluster_info);
    testing_text(c->namespace, "ns");
    testing_text(c->title, "context \"x\" of /etc/kube/config");
    assert_true(parse(&f, BASE CLUSTER, "second"));
    testing_text(f.config.server, "https://h:6443");
    testing_text(f.config.namespace, "default");
    arena_free(f.a);
}

/* kubectl accepts HOST:PORT, too. */
static void adds_the_scheme(void **state)
{
    (void)state;
    static const struct {
        const char *cluster, *user, *server;
    } cases[] = {
        {"{server: 'h:6443'}", "{token: t}", "http://h:6443"},
        {"{server: 'h:6443/', insecure-skip-tls-verify: true}", "{token: t}", "https://h:6443"},
        {"{server: h, certificate-authority: ca.crt}", "{token: t}", "https://h"},
        {"{server: '[::1]:6443'}", "{client-certificate: c, client-key: k}", "https://[::1]:6443"},
        {"{server: 'http://h:80'}", "{client-certificate: c, client-key: k}", "http://h:80"},
    };
    struct fixture f = {.a = arena_new(NULL, 0)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str text = arena_printf(f.a, BASE "clusters: [{name: c, cluster: %s}]\nusers: [{name: u, user: %s}]\n",
                                       cases[i].cluster, cases[i].user);
        assert_true(parse(&f, text.p, NULL));
        testing_text(f.config.server, cases[i].server);
    }
    arena_free(f.a);
}

static void refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *context, *says;
    } cases[] = {
        {"[]", NULL, "/etc/kube/config:1: Expected a kubeconfig"},
        {"kind: Pod", NULL, "not a kubeconfig"},
        {"", NULL, "No current context"},
        {"clusters: 5", NULL, ":1: \"clusters\" must be a list"},
        {BASE CLUSTER, "z", "has no context \"z\"; it has \"x\", \"second\""},
        {BASE CLUSTER, NULL, "has no user \"u\"; it has none"},
        {BASE "clusters: []", NULL, "has no cluster \"c\""},
        {BASE "clusters:\n- name: c\n  cluster: {server: 'ftp://h'}\nusers: [{name: u}]", NULL,
         ":10: The cluster's \"server\" must be a URL"},
        {BASE "clusters:\n- name: c\n  cluster: {server: 'h:6443/prefix'}\nusers: [{name: u}]", NULL, "must be a URL"},
        {BASE "clusters:\n- name: c\n  cluster: {}\nusers: [{name: u}]", NULL, "must be a URL"},
        {BASE "clusters:\n- name: c\n  cluster: {server: 'https://h', insecure-skip-tls-verify: true, certificate-authority: c}\n"
              "users: [{name: u}]",
         NULL, "both insecure-skip-tls-verify and a certificate authority"},
        {BASE "clusters:\n- name: c\n  cluster: {server: 'https://h', insecure-skip-tls-verify: 'yes'}\nusers: [{name: u}]", NULL,
         ":11: \"insecure-skip-tls-verify\" must be true or false"},
        {BASE "clusters:\n- name: c\n  cluster: {server: 'https://h', extensions: {a: b}}\nusers: [{name: u}]", NULL,
         ":11: \"extensions\" must be a list"},
        {BASE "clusters:\n- name: c\n  cluster: {server: 'https://h', proxy-url: 'u:secret@p'}\nusers: [{name: u}]", NULL,
         ":11: \"proxy-url\" must be a URL that begins with http://, https:// or socks5://"},
        {USER("{token: 5}"), NULL, "\"token\" must be a string: put it in quotes"},
        {USER("{token: [secret]}"), NULL, "\"token\" must be a string"},
        {USER("5"), NULL, "\"user\" must be an object"},
        {USER("{client-certificate-data: '!'}"), NULL, "must be base64"},
        {USER("{client-key-data: c2VjcmV0}"), NULL, "must be PEM"},
        {USER("{client-certificate: c}"), NULL, "a client certificate without its key"},
        {USER("{client-key: c}"), NULL, "a client key without its certificate"},
        {USER("{token: secret, username: u}"), NULL, "both a token and a username"},
        {USER("{auth-provider: {name: gcp}}"), NULL, "Use an exec plugin"},
        {USER("{as-groups: [a]}"), NULL, "impersonated by \"as\""},
        {USER("{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}"), NULL, "are understood"},
        {USER("{exec: {apiVersion: client.authentication.k8s.io/v1}}"), NULL, "has no \"command\""},
        {USER("{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}}"), NULL,
         "this program cannot ask"},
        {USER("{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, env: [{name: 'A=B'}]}}"), NULL,
         "name of a variable"},
    };
    struct fixture f = {.a = arena_new(NULL, 0)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(parse(&f, cases[i].text, cases[i].context));
        testing_says(&f.diags, cases[i].says);
        testing_says(&f.diags, "/etc/kube/config");
        assert_null(strstr(testing_said(&f.diags), "secret"));
        assert_null(strstr(testing_said(&f.diags), "c2VjcmV0"));
    }
    arena_free(f.a);
}

static const char *file(struct arena *a, const char *folder, const char *name, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    const char *path = arena_printf(a, "%s/%s", folder, name).p;
    assert_true(file_write(path, str_of(text), 0600, &diags));
    return path;
}

/*
 * The first file wins, for whole entries; paths are relative to their own file; without KUBECONFIG the pod's account is used,
 * then the home folder.
 */
static void chooses(void **state)
{
    (void)state;
    struct fixture f = {.a = arena_new(NULL, 0)};
    char folder[] = "/tmp/terrane-kubeconfig-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *sub = arena_printf(f.a, "%s/.kube", folder).p, *pod = arena_printf(f.a, "%s/pod", folder).p;
    assert_int_equal(mkdir(sub, 0700), 0);
    assert_int_equal(mkdir(pod, 0700), 0);
    const char *one = file(f.a, folder, "one", "users:\n- name: u\n  user: {tokenFile: t}\ncurrent-context: ''\n");
    const char *two = file(f.a, sub, "config", USER("{token: other, username: x}"));
    const char *env[] = {arena_printf(f.a, "KUBECONFIG=%s/absent:%s::%s", folder, one, two).p,
                         arena_printf(f.a, "HOME=%s", folder).p, "KUBERNETES_SERVICE_HOST=fd00::1", "KUBERNETES_SERVICE_PORT=443",
                         NULL};
    diags_init(&f.diags, f.a);
    struct kubeconfig_options options = {.env = env, .account = pod};
    assert_true(kubeconfig_load(f.a, &options, &f.diags, &f.config));
    assert_string_equal(f.config.token.file, arena_printf(f.a, "%s/t", folder).p);
    assert_int_equal(f.config.username.n, 0);

    options.env = env + 1;
    (void)file(f.a, pod, "namespace", "mine\n");
    assert_true(kubeconfig_load(f.a, &options, &f.diags, &f.config));
    testing_text(f.config.server, "https://[fd00::1]:443");
    testing_text(f.config.namespace, "mine");
    assert_string_equal(f.config.token.file, arena_printf(f.a, "%s/token", pod).p);

    const char *home[] = {env[1], NULL};
    options.env = home;
    (void)file(f.a, sub, "config", USER("{token: t}"));
    assert_true(kubeconfig_load(f.a, &options, &f.diags, &f.config));
    testing_text(f.config.token.inline_text, "t");
    testing_no_errors(&f.diags);

    const char *nothing[] = {"HOME=/nonexistent", NULL};
    options.env = nothing;
    assert_false(kubeconfig_load(f.a, &options, &f.diags, &f.config));
    testing_says(&f.diags, "~/.kube/config");
    assert_int_equal(unlink(one) | unlink(two) | unlink(arena_printf(f.a, "%s/namespace", pod).p) | rmdir(sub) | rmdir(pod) |
                         rmdir(folder),
                     0);
    arena_free(f.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all),
        cmocka_unit_test(adds_the_scheme),
        cmocka_unit_test(refuses),
        cmocka_unit_test(chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
