#include "cluster/deploy.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/vec.h"
#include "cluster/install.h"
#include "cluster/selection.h"
#include "controller/controller.h"
#include "conversion/webhook.h"
#include "yaml/yaml_out.h"

#include <stdlib.h>

enum {
    MAX_FILE = 16 << 20,
    MAX_VERBS = 8,
    REPLICAS = 2,
    HEALTH_PORT = 8080,
    END_S = 5, /* beyond --grace */
};
#define NAME "terrane"
/* Not called NAME, because kustomize would replace it by the Lease's name. */
#define CONFIG_MAP "terrane-config"
#define CONFIG_FOLDER "/etc/terrane"
#define SETTINGS "settings.yaml"
/* The Secret with the dashboard's token. */
#define DASHBOARD_SECRET "terrane-dashboard"

struct file {
    const char *path, *name; /* the user's path; the name in the ConfigMap, and in the folder config/ */
};

struct deploy {
    struct arena *arena;
    const struct deploy_options *o;
    struct output *out;
    struct diags *diags;
    struct buf text;
    struct crd_webhook webhook;     /* its Service, if there is one; else empty */
    long webhook_port, health_port; /* of the container */
    VEC(struct file) files;
};

static struct yaml_out begin(struct deploy *d)
{
    buf_clear(&d->text);
    return (struct yaml_out){.out = &d->text};
}

static bool add(struct deploy *d, const char *path)
{
    if (!buf_ok(&d->text))
        return diags_fail(d->diags, "File too large", "%s cannot be written.", path);
    return output_add(d->out, str_of(path), buf_str(&d->text), d->diags);
}

static bool add_text(struct deploy *d, const char *path, const char *text)
{
    buf_clear(&d->text);
    buf_addz(&d->text, text);
    return add(d, path);
}

/* ---- roles ---- */

/* Writes a list of words separated by blanks. */
static void write_words(struct deploy *d, struct yaml_out *y, const char *key, const char *words)
{
    struct str all[MAX_VERBS], rest = str_of(words);
    size_t n = 0;
    while (rest.n > 0 && n < MAX_VERBS)
        all[n++] = arena_str(d->arena, str_cut(&rest, ' '));
    yaml_texts(y, str_of(key), all, n);
}

struct rule {
    struct str group;
    const struct str *resources;
    size_t n_resources;
    const char *verbs;
    const struct str *names; /* of objects; n_names 0: all */
    size_t n_names;
};

static void write_rule(struct deploy *d, struct yaml_out *y, const struct rule *r)
{
    if (r->n_resources == 0)
        return;
    yaml_item(y);
    yaml_texts(y, STR("apiGroups"), &r->group, 1);
    if (r->n_names > 0)
        yaml_texts(y, STR("resourceNames"), r->names, r->n_names);
    yaml_texts(y, STR("resources"), r->resources, r->n_resources);
    write_words(d, y, "verbs", r->verbs);
    yaml_end(y);
}

static void write_simple(struct deploy *d, struct yaml_out *y, const char *group, const char *resource, const char *verbs,
                         const char *name)
{
    struct str resources = str_of(resource), names = str_of(name);
    write_rule(d, y, &(struct rule){str_of(group), &resources, 1, verbs, &names, name != NULL});
}

static int by_name(const void *x, const void *y)
{
    const struct kind *a = *(const struct kind *const *)x, *b = *(const struct kind *const *)y;
    int order = str_cmp(a->group, b->group);
    return order != 0 ? order : str_cmp(a->plural, b->plural);
}

/* The verbs for kinds of a role, and for their status. */
static const struct {
    const char *verbs, *status;
} done_with[] = {
    [KIND_MANAGED] = {"get list watch update", "update"},
    [KIND_CONFIG] = {"get list watch update", "update"},
    [KIND_USAGE] = {"get list watch create update delete", NULL},
};

static const char *verbs_of(const struct deploy *d, enum kind_role role)
{
    const struct watched_options *w = &d->o->run->watch;
    bool may_delete = role == KIND_MANAGED && w->allow_actions && watched_wants_dashboard(w);
    return may_delete ? "get list watch update delete" : done_with[role].verbs;
}

/* One rule for all kinds of a group with the same verbs. */
static void write_kind_rules(struct deploy *d, struct yaml_out *y, const struct kind *const *kinds, size_t n, enum kind_role role)
{
    /* The API server may check the permission for /finalizers of objects that own others (OpenShift does). */
    size_t parts = role == KIND_MANAGED ? 2 : 1;
    struct str *plain = arena_make_n(d->arena, struct str, n), *status = arena_make_n(d->arena, struct str, parts * n);
    for (size_t i = 0, m = 0; i < n; i++) {
        if (kinds[i]->role == role) {
            status[parts * m] = arena_printf(d->arena, STR_FMT "/status", STR_ARG(kinds[i]->plural));
            if (parts == 2)
                status[parts * m + 1] = arena_printf(d->arena, STR_FMT "/finalizers", STR_ARG(kinds[i]->plural));
            plain[m++] = kinds[i]->plural;
        }
        bool ends = i + 1 == n || !str_eq(kinds[i]->group, kinds[i + 1]->group);
        if (!ends)
            continue;
        write_rule(d, y, &(struct rule){kinds[i]->group, plain, m, verbs_of(d, role), NULL, 0});
        if (done_with[role].status)
            write_rule(d, y, &(struct rule){kinds[i]->group, status, parts * m, done_with[role].status, NULL, 0});
        m = 0;
    }
}

static void write_definition_rules(struct deploy *d, struct yaml_out *y)
{
    const struct kinds_list which = d->o->which;
    static const struct str definitions = STR("customresourcedefinitions");
    struct str *names = arena_make_n(d->arena, struct str, which.n);
    for (size_t i = 0; i < which.n; i++)
        names[i] = selection_name(d->arena, which.v[i]);
    write_rule(d, y, &(struct rule){STR("apiextensions.k8s.io"), &definitions, 1, "create", NULL, 0});
    write_rule(d, y, &(struct rule){STR("apiextensions.k8s.io"), &definitions, 1, "get patch", names, which.n});
}

static void begin_role(struct yaml_out *y, const char *kind, const char *comment)
{
    yaml_lines(y, "---");
    yaml_lines(y, comment);
    yaml_plain(y, "apiVersion", "rbac.authorization.k8s.io/v1");
    yaml_plain(y, "kind", kind);
    yaml_begin(y, STR("metadata"));
    yaml_plain(y, "name", NAME);
    if (strcmp(kind, "Role") == 0)
        yaml_plain(y, "namespace", CONTROLLER_NAMESPACE);
    yaml_end(y);
    yaml_list(y, STR("rules"));
}

static void write_cluster_role(struct deploy *d, struct yaml_out *y)
{
    const struct kinds_list which = d->o->which;
    const struct kind **kinds = arena_make_n(d->arena, const struct kind *, which.n);
    memcpy(kinds, which.v, which.n * sizeof *kinds);
    qsort(kinds, which.n, sizeof *kinds, by_name);
    begin_role(y, "ClusterRole",
               "# The kinds that are served, their definitions, and what belongs to their objects: credentials and\n"
               "# connection details in whatever namespace they are, records of the controller itself, and events.");
    for (int role = KIND_MANAGED; role <= KIND_USAGE; role++)
        write_kind_rules(d, y, kinds, which.n, (enum kind_role)role);
    write_definition_rules(d, y);
    write_simple(d, y, "", "secrets", "get list watch create update delete", NULL);
    write_simple(d, y, "", "events", watched_wants_dashboard(&d->o->run->watch) ? "create get list patch" : "create get patch",
                 NULL);
    write_simple(d, y, "", "namespaces", "get", CONTROLLER_NAMESPACE);
    /* To find out whether Crossplane decides which kinds are active. */
    write_simple(d, y, "apiextensions.crossplane.io", "managedresourcedefinitions", "list", NULL);
    write_simple(d, y, "apiextensions.crossplane.io", "managedresourceactivationpolicies", "list", NULL);
}

static void write_role(struct deploy *d, struct yaml_out *y)
{
    const struct run_options *o = d->o->run;
    begin_role(y, "Role", "# Its Lease.");
    if (o->shards) { /* the names of the members' Leases are not known in advance */
        write_simple(d, y, "coordination.k8s.io", "leases", "get list create update delete", NULL);
        return;
    }
    write_simple(d, y, "coordination.k8s.io", "leases", "create", NULL);
    write_simple(d, y, "coordination.k8s.io", "leases", "get update", o->name ? o->name : RUN_NAME);
}

static void write_binding(struct yaml_out *y, const char *kind, const char *of)
{
    yaml_lines(y, "---");
    yaml_plain(y, "apiVersion", "rbac.authorization.k8s.io/v1");
    yaml_plain(y, "kind", kind);
    yaml_begin(y, STR("metadata"));
    yaml_plain(y, "name", NAME);
    if (strcmp(of, "Role") == 0)
        yaml_plain(y, "namespace", CONTROLLER_NAMESPACE);
    yaml_end(y);
    yaml_begin(y, STR("roleRef"));
    yaml_plain(y, "apiGroup", "rbac.authorization.k8s.io");
    yaml_plain(y, "kind", of);
    yaml_plain(y, "name", NAME);
    yaml_end(y);
    yaml_lines(y, "subjects:\n"
                  "- kind: ServiceAccount\n"
                  "  name: " NAME "\n"
                  "  namespace: " CONTROLLER_NAMESPACE "\n");
}

static bool emit_roles(struct deploy *d)
{
    struct yaml_out y = begin(d);
    write_cluster_role(d, &y);
    write_binding(&y, "ClusterRoleBinding", "ClusterRole");
    if (!d->o->run->no_election) {
        write_role(d, &y);
        write_binding(&y, "RoleBinding", "Role");
    }
    return add(d, "rbac.yaml");
}

/* ---- the controller ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file must be in the settings' folder, so that the relative path stays valid. */
static bool find_config_of_settings(struct deploy *d, const char *config)
{
    const char *settings = d->o->run->settings, *slash = strrchr(settings, '/'), *name = base_of(config);
    struct str folder = slash ? (struct str){settings, (size_t)(slash - settings)} : STR(".");
    if (!str_eq((struct str){config, (size_t)(name - config - 1)}, folder) || strcmp(name, SETTINGS) == 0)
        return diags_fail(d->diags, "A configuration is not beside the settings",
                          "%s names %s. In the cluster both are files of one folder: put it beside the settings, or give it with "
                          "--config.",
                          settings, config);
    for (size_t i = 0; i < d->files.n; i++)
        if (strcmp(d->files.v[i].name, name) == 0)
            return true;
    *VEC_PUSH(d->arena, &d->files) = (struct file){config, name};
    return true;
}

/* First those of --config, in their order. */
static bool find_files(struct deploy *d)
{
    const struct run_options *o = d->o->run;
    for (size_t i = 0; i < o->configs.n; i++)
        *VEC_PUSH(d->arena, &d->files) =
            (struct file){o->configs.v[i], arena_printf(d->arena, "%zu-%s", i, base_of(o->configs.v[i])).p};
    if (!o->settings)
        return true;
    *VEC_PUSH(d->arena, &d->files) = (struct file){o->settings, SETTINGS};
    for (size_t i = 0; i < d->o->settings->n_providers; i++)
        if (d->o->settings->providers[i].config && !find_config_of_settings(d, d->o->settings->providers[i].config))
            return false;
    return true;
}

static bool emit_files(struct deploy *d)
{
    for (size_t i = 0; i < d->files.n; i++) {
        struct str text;
        if (!file_read(d->arena, d->files.v[i].path, MAX_FILE, d->diags, &text) ||
            !output_add(d->out, arena_printf(d->arena, "config/%s", d->files.v[i].name), text, d->diags))
            return false;
    }
    return true;
}

static struct str time_argument(struct arena *a, const char *name, int64_t ns)
{
    bool whole = ns % NS_PER_S == 0;
    return arena_printf(a, "--%s=%lld%s", name, (long long)(ns / (whole ? NS_PER_S : NS_PER_MS)), whole ? "s" : "ms");
}

static void write_arguments(struct deploy *d, struct yaml_out *y)
{
    const struct run_options *o = d->o->run;
    VEC(struct str) args = {0};
    *VEC_PUSH(d->arena, &args) = STR("controller");
    *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--listen=:%ld", d->health_port);
    for (size_t i = 0; i < o->providers.n; i++)
        *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--provider=%s", o->providers.v[i]);
    for (size_t i = 0; i < o->only.n; i++)
        *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--only=%s", o->only.v[i]);
    for (size_t i = 0; i < o->activate.n; i++)
        *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--activate=%s", o->activate.v[i]);
    for (size_t i = 0; i < o->configs.n; i++)
        *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--config=" CONFIG_FOLDER "/%s", d->files.v[i].name);
    if (o->settings)
        *VEC_PUSH(d->arena, &args) = STR("--settings=" CONFIG_FOLDER "/" SETTINGS);
    const struct {
        const char *name, *value;
    } texts[] = {{"flavour", o->flavour},
                 {"name", o->name},
                 {"scheduler", o->scheduler},
                 {"webhook", o->webhook},
                 {"shard-by", o->shard_by},
                 {"dashboard", o->watch.dashboard},
                 {"webhook-listen", o->webhook_listen}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value)
            *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--%s=%s", texts[i].name, texts[i].value);
    if (o->poll_ns > 0)
        *VEC_PUSH(d->arena, &args) = time_argument(d->arena, "poll", o->poll_ns);
    if (o->grace_ns > 0)
        *VEC_PUSH(d->arena, &args) = time_argument(d->arena, "grace", o->grace_ns);
    if (o->workers > 0)
        *VEC_PUSH(d->arena, &args) = arena_printf(d->arena, "--workers=%lld", (long long)o->workers);
    if (o->take_over)
        *VEC_PUSH(d->arena, &args) = STR("--take-over");
    if (o->no_election)
        *VEC_PUSH(d->arena, &args) = STR("--no-election");
    if (o->shards)
        *VEC_PUSH(d->arena, &args) = STR("--shards");
    if (o->watch.allow_actions)
        *VEC_PUSH(d->arena, &args) = STR("--allow-actions");
    yaml_texts(y, STR("args"), args.v, args.n);
}

static const char deployment_head[] = "apiVersion: apps/v1\n"
                                      "kind: Deployment\n"
                                      "metadata:\n"
                                      "  name: " NAME "\n"
                                      "  namespace: " CONTROLLER_NAMESPACE "\n"
                                      "  labels: {app.kubernetes.io/name: " NAME "}\n"
                                      "spec:\n"
                                      "  # They take turns, or share the objects (--shards).\n"
                                      "  replicas: %d\n"
                                      "  selector:\n"
                                      "    matchLabels: {app.kubernetes.io/name: " NAME "}\n"
                                      "  template:\n"
                                      "    metadata:\n"
                                      "      labels: {app.kubernetes.io/name: " NAME "}\n"
                                      "    spec:\n"
                                      "      serviceAccountName: " NAME "\n"
                                      "      terminationGracePeriodSeconds: %lld\n"
                                      "      securityContext:\n"
                                      "        runAsNonRoot: true\n"
                                      "        runAsUser: 65532\n"
                                      "        runAsGroup: 65532\n"
                                      "        fsGroup: 65532\n"
                                      "        seccompProfile: {type: RuntimeDefault}\n"
                                      "      affinity:\n"
                                      "        podAntiAffinity:\n"
                                      "          preferredDuringSchedulingIgnoredDuringExecution:\n"
                                      "          - weight: 100\n"
                                      "            podAffinityTerm:\n"
                                      "              topologyKey: kubernetes.io/hostname\n"
                                      "              labelSelector:\n"
                                      "                matchLabels: {app.kubernetes.io/name: " NAME "}\n"
                                      "      containers:\n"
                                      "      - name: controller\n"
                                      "        image: %s\n"
                                      "        env:\n"
                                      "        # Providers run from there, and their schemas are kept there.\n"
                                      "        - {name: TMPDIR, value: /tmp}\n"
                                      "        - {name: TERRANE_CACHE, value: /tmp/cache}\n"
                                      "%s"
                                      "        securityContext:\n"
                                      "          allowPrivilegeEscalation: false\n"
                                      "          readOnlyRootFilesystem: true\n"
                                      "          capabilities: {drop: [ALL]}\n"
                                      "        resources:\n"
                                      "          requests: {cpu: 100m, memory: 256Mi}\n"
                                      "          limits: {memory: 2Gi}\n";

static const char token_from_secret[] =
    "        # kubectl create secret generic " DASHBOARD_SECRET " -n " CONTROLLER_NAMESPACE " --from-literal=token=...\n"
    "        - {name: " WATCHED_TOKEN_VARIABLE ", valueFrom: {secretKeyRef: {name: " DASHBOARD_SECRET ", key: token}}}\n";

static bool emit_deployment(struct deploy *d)
{
    struct yaml_out y = begin(d);
    int64_t grace = d->o->run->grace_ns > 0 ? d->o->run->grace_ns : RUN_GRACE_NS;
    long long seconds = (grace + NS_PER_S - 1) / NS_PER_S + END_S;
    buf_printf(&d->text, deployment_head, d->o->run->no_election ? 1 : REPLICAS, seconds, d->o->image,
               watched_wants_dashboard(&d->o->run->watch) ? token_from_secret : "");
    y.indent = 4;
    write_arguments(d, &y);
    buf_printf(&d->text,
               "        ports:\n"
               "        - {name: health, containerPort: %ld}\n",
               d->health_port);
    if (d->webhook.service.n > 0)
        buf_printf(&d->text, "        - {name: webhook, containerPort: %ld}\n", d->webhook_port);
    buf_addz(&d->text,
             "        readinessProbe: {httpGet: {path: /readyz, port: health}, periodSeconds: 5}\n"
             "        livenessProbe: {httpGet: {path: /healthz, port: health}, initialDelaySeconds: 60, periodSeconds: 20}\n");
    buf_addz(&d->text, "        volumeMounts:\n"
                       "        - {name: tmp, mountPath: /tmp}\n");
    if (d->files.n > 0)
        buf_addz(&d->text, "        - {name: config, mountPath: " CONFIG_FOLDER ", readOnly: true}\n");
    buf_addz(&d->text, "      volumes:\n"
                       "      - {name: tmp, emptyDir: {sizeLimit: 4Gi}}\n");
    if (d->files.n > 0)
        buf_addz(&d->text, "      - {name: config, configMap: {name: " CONFIG_MAP "}}\n");
    return add(d, "deployment.yaml");
}

static bool emit_around(struct deploy *d)
{
    return add_text(d, "namespace.yaml",
                    "apiVersion: v1\n"
                    "kind: Namespace\n"
                    "metadata:\n"
                    "  name: " CONTROLLER_NAMESPACE "\n"
                    "  labels: {pod-security.kubernetes.io/enforce: restricted}\n") &&
           add_text(d, "account.yaml",
                    "apiVersion: v1\n"
                    "kind: ServiceAccount\n"
                    "metadata:\n"
                    "  name: " NAME "\n"
                    "  namespace: " CONTROLLER_NAMESPACE "\n") &&
           add_text(d, "disruption.yaml",
                    "apiVersion: policy/v1\n"
                    "kind: PodDisruptionBudget\n"
                    "metadata:\n"
                    "  name: " NAME "\n"
                    "  namespace: " CONTROLLER_NAMESPACE "\n"
                    "spec:\n"
                    "  maxUnavailable: 1\n"
                    "  selector:\n"
                    "    matchLabels: {app.kubernetes.io/name: " NAME "}\n");
}

/* Incoming: probes, scrapers of metrics and the API server; outgoing: DNS, the API server and the clouds. */
static bool emit_network(struct deploy *d)
{
    struct yaml_out y = begin(d);
    yaml_lines(&y, "apiVersion: networking.k8s.io/v1\n"
                   "kind: NetworkPolicy\n"
                   "metadata:\n"
                   "  name: " NAME "\n"
                   "  namespace: " CONTROLLER_NAMESPACE "\n"
                   "spec:\n"
                   "  podSelector:\n"
                   "    matchLabels: {app.kubernetes.io/name: " NAME "}\n"
                   "  policyTypes: [Ingress, Egress]\n"
                   "  # To the API server, to DNS, and to the clouds of the providers: narrow it to yours.\n"
                   "  egress:\n"
                   "  - {}\n");
    buf_printf(&d->text,
               "  ingress:\n"
               "  # Probes, and whoever reads metrics: narrow it to yours.\n"
               "  - ports:\n"
               "    - {protocol: TCP, port: %ld}\n",
               d->health_port);
    if (d->webhook.service.n > 0)
        buf_printf(&d->text,
                   "  # API servers, which have no pods that could be named.\n"
                   "  - ports:\n"
                   "    - {protocol: TCP, port: %ld}\n",
                   d->webhook_port);
    return add(d, "network.yaml");
}

static bool emit_service(struct deploy *d)
{
    if (d->webhook.service.n == 0)
        return true;
    (void)begin(d);
    buf_printf(&d->text,
               "apiVersion: v1\n"
               "kind: Service\n"
               "metadata:\n"
               "  name: " STR_FMT "\n"
               "  namespace: " STR_FMT "\n"
               "spec:\n"
               "  selector: {app.kubernetes.io/name: " NAME "}\n"
               "  ports:\n"
               "  - {name: webhook, port: %d, targetPort: webhook}\n",
               STR_ARG(d->webhook.service), STR_ARG(d->webhook.namespace), CRD_WEBHOOK_PORT);
    return add(d, "service.yaml");
}

/* Separate, for clusters that have the kind: kubectl apply -k DIR/monitoring. */
static bool emit_monitor(struct deploy *d)
{
    if (!add_text(d, "monitoring/kustomization.yaml",
                  "apiVersion: kustomize.config.k8s.io/v1beta1\n"
                  "kind: Kustomization\n"
                  "resources:\n"
                  "- monitor.yaml\n"))
        return false;
    (void)begin(d);
    buf_printf(&d->text,
               "apiVersion: v1\n"
               "kind: Service\n"
               "metadata:\n"
               "  name: " NAME "-metrics\n"
               "  namespace: " CONTROLLER_NAMESPACE "\n"
               "  labels: {app.kubernetes.io/name: " NAME "}\n"
               "spec:\n"
               "  selector: {app.kubernetes.io/name: " NAME "}\n"
               "  ports:\n"
               "  - {name: metrics, port: %ld, targetPort: health}\n"
               "---\n"
               "apiVersion: monitoring.coreos.com/v1\n"
               "kind: ServiceMonitor\n"
               "metadata:\n"
               "  name: " NAME "\n"
               "  namespace: " CONTROLLER_NAMESPACE "\n"
               "spec:\n"
               "  selector:\n"
               "    matchLabels: {app.kubernetes.io/name: " NAME "}\n"
               "  endpoints:\n"
               "  - {port: metrics, path: /metrics}\n",
               d->health_port);
    return add(d, "monitoring/monitor.yaml");
}

static bool emit_kustomization(struct deploy *d)
{
    (void)begin(d);
    buf_addz(&d->text, "apiVersion: kustomize.config.k8s.io/v1beta1\n"
                       "kind: Kustomization\n"
                       "resources:\n"
                       "- namespace.yaml\n"
                       "- account.yaml\n"
                       "- rbac.yaml\n"
                       "- deployment.yaml\n"
                       "- disruption.yaml\n"
                       "- network.yaml\n");
    if (d->webhook.service.n > 0)
        buf_addz(&d->text, "- service.yaml\n");
    if (d->files.n > 0)
        buf_addz(&d->text, "configMapGenerator:\n"
                           "- name: " CONFIG_MAP "\n"
                           "  namespace: " CONTROLLER_NAMESPACE "\n"
                           "  files:\n");
    for (size_t i = 0; i < d->files.n; i++)
        buf_printf(&d->text, "  - config/%s\n", d->files.v[i].name);
    return add(d, "kustomization.yaml");
}

/* The port of a HOST:PORT or :PORT; in a pod the host is always any. */
static bool port_of(struct deploy *d, const char *option, const char *address, long otherwise, long *ret)
{
    const char *port = address ? strrchr(address, ':') : NULL;
    char *end = NULL;
    long n = port ? strtol(port + 1, &end, 10) : otherwise;
    if ((address && (!port || !port[1] || *end)) || n <= 0 || n > UINT16_MAX)
        return diags_fail(d->diags, "No port", "%s is \"%s\", expected HOST:PORT or :PORT.", option, address);
    *ret = n;
    return true;
}

/* Everything that a registry's references consist of, and nothing that means something to YAML or a shell. */
static bool is_image(const char *image)
{
    for (const char *c = image; *c; c++)
        if (!is_letter(*c) && !is_digit(*c) && !strchr("._-/:@", *c))
            return false;
    return is_letter(image[0]) || is_digit(image[0]);
}

/* Rejects options that are impossible in a cluster. */
static bool check(struct deploy *d)
{
    const struct run_options *o = d->o->run;
    if (o->namespace && strcmp(o->namespace, CONTROLLER_NAMESPACE) != 0)
        return diags_fail(d->diags, "The Lease is in another namespace",
                          "The controller runs in " CONTROLLER_NAMESPACE
                          ", and its roles allow a Lease there: leave --namespace out.");
    if (o->watch.trace)
        return diags_fail(d->diags, "A trace cannot be deployed",
                          "--trace writes a file, and a container keeps none: leave it out, or run the controller outside of the "
                          "cluster with --kubeconfig.");
    if (!is_image(d->o->image))
        return diags_fail(d->diags, "Not an image",
                          "--image is \"%s\", expected a reference such as registry.example.org/terrane:1.0.", d->o->image);
    return port_of(d, "--webhook-listen", o->webhook_listen, CRD_WEBHOOK_PORT, &d->webhook_port) &&
           port_of(d, "--listen", d->o->listen, HEALTH_PORT, &d->health_port);
}

bool deploy_write(struct arena *a, const struct deploy_options *o, struct output *out, struct diags *diags)
{
    struct deploy d = {.arena = a, .o = o, .out = out, .diags = diags, .text = BUF_INIT(MAX_FILE)};
    if (o->run->webhook && !crd_webhook_read(str_of(o->run->webhook), diags, &d.webhook))
        return false;
    if (d.webhook.service.n > 0 && !str_eqz(d.webhook.namespace, CONTROLLER_NAMESPACE))
        return diags_fail(diags, "The webhook is in another namespace",
                          "The controller runs in " CONTROLLER_NAMESPACE
                          ", so its Service is there: --webhook " CONTROLLER_NAMESPACE "/" STR_FMT ".",
                          STR_ARG(d.webhook.service));
    bool ok = check(&d) && find_files(&d) && emit_around(&d) && emit_files(&d) && emit_roles(&d) && emit_deployment(&d) &&
              emit_network(&d) && emit_service(&d) && emit_monitor(&d) && emit_kustomization(&d);
    buf_free(&d.text);
    return ok;
}
