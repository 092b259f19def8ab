#include "generate/package.h"

#include "base/ascii.h"
#include "crossplane/text.h"
#include "generate/config_crd.h"
#include "generate/example.h"
#include "generate/page.h"

#include <stdlib.h>

enum { MAX_DESCRIPTION = 600, MAX_PACKAGE_NAME = 60 };

struct package {
    struct arena *arena;
    const struct generate_options *options;
    struct generated *done;
    struct output *out;
    struct diags *diags;
    struct buf text;
    struct str name; /* provider-aws */
    struct xp_kind configuration;
    const struct generated_kind **kinds; /* sorted by group and plural */
};

static bool add_file(struct package *p, struct str path)
{
    if (!buf_ok(&p->text))
        return diags_fail(p->diags, "File too large", STR_FMT " cannot be written.", STR_ARG(path));
    return output_add(p->out, path, buf_str(&p->text), p->diags);
}

static struct yaml_out begin_file(struct package *p)
{
    buf_clear(&p->text);
    return (struct yaml_out){.out = &p->text};
}

/* --- the package itself --- */

/* Valid as the name of an object. */
static struct str package_name(struct arena *a, struct str provider)
{
    char *name = arena_alloc(a, MAX_PACKAGE_NAME + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < provider.n && n < MAX_PACKAGE_NAME; i++) {
        char c = to_lower(provider.p[i]);
        name[n++] = is_lower(c) || is_digit(c) ? c : '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    return arena_printf(a, "provider-%.*s", (int)n, name);
}

static struct str package_description(struct package *p)
{
    const struct generate_options *o = p->options;
    if (o->config->description.n > 0)
        return xp_text_line(p->arena, o->config->description, MAX_DESCRIPTION);
    return arena_printf(p->arena, "Managed resources of the Terraform provider " STR_FMT "%s" STR_FMT ".", STR_ARG(o->address),
                        o->version.n > 0 ? " " : "", STR_ARG(o->version));
}

static bool emit_meta(struct package *p)
{
    struct yaml_out y = begin_file(p);
    yaml_lines(&y, "# This folder is a Crossplane package. To build it, in this folder:\n"
                   "#   crossplane xpkg build --ignore='rbac/*' --embed-runtime-image=IMAGE\n"
                   "# rbac/ is for clusters in which Crossplane's RBAC manager does not make the roles.");
    yaml_plain(&y, "apiVersion", "meta.pkg.crossplane.io/v1");
    yaml_plain(&y, "kind", "Provider");
    yaml_begin(&y, STR("metadata"));
    yaml_begin(&y, STR("annotations"));
    yaml_text(&y, STR("friendly-name.meta.crossplane.io"),
              arena_printf(p->arena, "Provider " STR_FMT, STR_ARG(p->options->config->provider)));
    yaml_text(&y, STR("meta.crossplane.io/description"), package_description(p));
    yaml_end(&y);
    yaml_text(&y, STR("name"), p->name);
    yaml_end(&y);
    yaml_begin(&y, STR("spec"));
    yaml_lines(&y, "capabilities:\n"
                   "- safe-start");
    yaml_end(&y);
    return add_file(p, STR("crossplane.yaml"));
}

/* --- roles --- */

static const struct str all_verbs[] = {STR("get"),   STR("list"),   STR("watch"),  STR("update"),
                                       STR("patch"), STR("create"), STR("delete"), STR("deletecollection")};
enum { VERBS_VIEW = 3, VERBS_CONTROL = 5, VERBS_EDIT = 8 }; /* number of verbs, from the start of the list */

static void write_rule(struct yaml_out *y, struct str group, const struct str *resources, size_t n_resources,
                       const struct str *verbs, size_t n_verbs)
{
    yaml_item(y);
    yaml_texts(y, STR("apiGroups"), &group, 1);
    yaml_texts(y, STR("resources"), resources, n_resources);
    yaml_texts(y, STR("verbs"), verbs, n_verbs);
    yaml_end(y);
}

static int by_group(const void *x, const void *y)
{
    const struct generated_kind *a = *(const struct generated_kind *const *)x, *b = *(const struct generated_kind *const *)y;
    int order = str_cmp(a->group, b->group);
    return order != 0 ? order : str_cmp(a->plural, b->plural);
}

static void sort_kinds(struct package *p)
{
    p->kinds = arena_make_n(p->arena, const struct generated_kind *, p->done->kinds.n);
    for (size_t i = 0; i < p->done->kinds.n; i++)
        p->kinds[i] = &p->done->kinds.v[i];
    qsort(p->kinds, p->done->kinds.n, sizeof *p->kinds, by_group);
}

/* Writes one rule per group; `control`: with what a controller needs in addition to the objects. */
static void write_group_rules(struct package *p, struct yaml_out *y, enum xp_flavour flavour, bool control, size_t n_verbs)
{
    struct str root = config_group(p->options->config, flavour);
    size_t n = p->done->kinds.n;
    struct str *resources = arena_make_n(p->arena, struct str, n * 2);
    for (size_t start = 0, i; start < n; start = i) {
        size_t n_resources = 0;
        for (i = start; i < n && str_eq(p->kinds[i]->group, p->kinds[start]->group); i++) {
            resources[n_resources++] = p->kinds[i]->plural;
            if (control)
                resources[n_resources++] = arena_printf(p->arena, STR_FMT "/status", STR_ARG(p->kinds[i]->plural));
        }
        struct str group = p->kinds[start]->group;
        group = group.n > 0 ? arena_printf(p->arena, STR_FMT "." STR_FMT, STR_ARG(group), STR_ARG(root)) : root;
        write_rule(y, group, resources, n_resources, all_verbs, n_verbs);
        const struct str finalizers = STR("*/finalizers");
        if (control)
            write_rule(y, group, &finalizers, 1, &all_verbs[3], 1);
    }
}

static void write_config_rules(struct package *p, struct yaml_out *y, enum xp_flavour flavour, bool control, size_t n_verbs)
{
    const struct str configs[] = {STR("providerconfigs"), STR("providerconfigs/status"), STR("clusterproviderconfigs"),
                                  STR("clusterproviderconfigs/status")};
    const struct str plain[] = {STR("providerconfigs"), STR("clusterproviderconfigs")};
    const struct str usages[] = {STR("providerconfigusages"), STR("*/finalizers")};
    struct str root = config_group(p->options->config, flavour);
    size_t kinds = flavour == FLAVOUR_NAMESPACED ? 2 : 1;
    write_rule(y, root, control ? configs : plain, control ? 2 * kinds : kinds, all_verbs, n_verbs);
    write_rule(y, root, usages, control ? 2 : 1, all_verbs, control ? VERBS_EDIT - 1 : VERBS_VIEW);
}

static void begin_role(struct package *p, struct yaml_out *y, const char *suffix, const char *comment)
{
    yaml_lines(y, "---");
    yaml_lines(y, comment);
    yaml_plain(y, "apiVersion", "rbac.authorization.k8s.io/v1");
    yaml_plain(y, "kind", "ClusterRole");
    yaml_begin(y, STR("metadata"));
    yaml_text(y, STR("name"), arena_printf(p->arena, "crossplane:provider:" STR_FMT ":%s", STR_ARG(p->name), suffix));
}

static void write_rules(struct package *p, struct yaml_out *y, bool control, size_t n_verbs)
{
    yaml_end(y);
    yaml_list(y, STR("rules"));
    for (unsigned f = FLAVOUR_CLUSTER; f <= FLAVOUR_NAMESPACED; f <<= 1)
        if (p->options->flavours & f) {
            write_group_rules(p, y, (enum xp_flavour)f, control, n_verbs);
            write_config_rules(p, y, (enum xp_flavour)f, control, n_verbs);
        }
}

/* For credentials and connection details in any namespace, events, leader election, and the list of CRDs. */
static const char control_lines[] = "- apiGroups:\n"
                                    "  - \"\"\n"
                                    "  resources:\n"
                                    "  - secrets\n"
                                    "  verbs:\n"
                                    "  - get\n"
                                    "  - list\n"
                                    "  - watch\n"
                                    "  - update\n"
                                    "  - patch\n"
                                    "  - create\n"
                                    "- apiGroups:\n"
                                    "  - \"\"\n"
                                    "  - events.k8s.io\n"
                                    "  resources:\n"
                                    "  - events\n"
                                    "  verbs:\n"
                                    "  - update\n"
                                    "  - patch\n"
                                    "  - create\n"
                                    "- apiGroups:\n"
                                    "  - coordination.k8s.io\n"
                                    "  resources:\n"
                                    "  - leases\n"
                                    "  verbs:\n"
                                    "  - get\n"
                                    "  - list\n"
                                    "  - watch\n"
                                    "  - update\n"
                                    "  - patch\n"
                                    "  - create\n"
                                    "  - delete\n"
                                    "- apiGroups:\n"
                                    "  - apiextensions.k8s.io\n"
                                    "  resources:\n"
                                    "  - customresourcedefinitions\n"
                                    "  verbs:\n"
                                    "  - get\n"
                                    "  - list\n"
                                    "  - watch\n";

static bool emit_controller_role(struct package *p)
{
    struct yaml_out y = begin_file(p);
    begin_role(p, &y, "system", "# What the controller may do. Its service account is below.");
    write_rules(p, &y, true, VERBS_CONTROL);
    yaml_lines(&y, control_lines);
    struct str name = p->name;
    yaml_lines(&y, arena_printf(p->arena,
                                "---\n"
                                "apiVersion: v1\n"
                                "kind: ServiceAccount\n"
                                "metadata:\n"
                                "  name: " STR_FMT "\n"
                                "  namespace: crossplane-system\n"
                                "---\n"
                                "apiVersion: rbac.authorization.k8s.io/v1\n"
                                "kind: ClusterRoleBinding\n"
                                "metadata:\n"
                                "  name: crossplane:provider:" STR_FMT ":system\n"
                                "roleRef:\n"
                                "  apiGroup: rbac.authorization.k8s.io\n"
                                "  kind: ClusterRole\n"
                                "  name: crossplane:provider:" STR_FMT ":system\n"
                                "subjects:\n"
                                "- kind: ServiceAccount\n"
                                "  name: " STR_FMT "\n"
                                "  namespace: crossplane-system\n",
                                STR_ARG(name), STR_ARG(name), STR_ARG(name), STR_ARG(name))
                       .p);
    return add_file(p, STR("rbac/controller.yaml"));
}

/* Writes roles with the labels by which Crossplane's roles aggregate them. */
static bool emit_people_roles(struct package *p)
{
    struct yaml_out y = begin_file(p);
    begin_role(p, &y, "aggregate-to-view", "# What users may read: aggregated to the role crossplane-view.");
    yaml_lines(&y, "labels:\n"
                   "  rbac.crossplane.io/aggregate-to-view: \"true\"");
    write_rules(p, &y, false, VERBS_VIEW);
    begin_role(p, &y, "aggregate-to-edit",
               "# What users may change: aggregated to the roles crossplane-edit and crossplane-admin.");
    yaml_lines(&y, "labels:\n"
                   "  rbac.crossplane.io/aggregate-to-admin: \"true\"\n"
                   "  rbac.crossplane.io/aggregate-to-crossplane: \"true\"\n"
                   "  rbac.crossplane.io/aggregate-to-edit: \"true\"");
    write_rules(p, &y, false, VERBS_EDIT);
    return add_file(p, STR("rbac/people.yaml"));
}

/* --- ProviderConfig and the like --- */

static struct str config_path(struct package *p, const char *folder, const struct config_kind *c)
{
    return arena_printf(p->arena, "%s/" STR_FMT "_%s.yaml", folder, STR_ARG(config_group(p->options->config, c->flavour)),
                        c->plural);
}

static bool emit_config_crd(struct package *p, const struct config_kind *c)
{
    buf_clear(&p->text);
    config_crd_write(&p->text, p->options->config, &p->configuration, c);
    return add_file(p, config_path(p, "crds", c));
}

static bool emit_config_example(struct package *p, const struct config_kind *c)
{
    struct xp_kind k = p->configuration;
    k.kind = str_of(c->kind);
    k.singular = arena_lower(p->arena, k.kind);
    buf_clear(&p->text);
    example_write_config(&p->text, &k, config_group(p->options->config, c->flavour), c->namespaced);
    return add_file(p, config_path(p, "examples", c));
}

/* Reports a kind of the provider with the same name, whose file would be overwritten. */
static bool check_name(struct package *p, const struct config_kind *c)
{
    for (size_t i = 0; i < p->done->kinds.n; i++) {
        const struct generated_kind *k = &p->done->kinds.v[i];
        if (k->group.n == 0 && str_eqz(k->plural, c->plural))
            return diags_fail(p->diags, "Duplicate kind",
                              STR_FMT
                              " would have the same name as the kind %s, which configures the provider. Give it another kind or "
                              "group in the configuration, or leave it out (exclude).",
                              STR_ARG(k->type), c->kind);
    }
    return true;
}

static bool emit_configs(struct package *p)
{
    for (size_t i = 0; i < N_CONFIG_KINDS; i++) {
        const struct config_kind *c = &config_kinds[i];
        if (!(p->options->flavours & c->flavour))
            continue;
        if (!check_name(p, c) || !emit_config_crd(p, c))
            return false;
        if (!c->usage && (p->options->emit & EMIT_EXAMPLES) && !emit_config_example(p, c))
            return false;
    }
    return true;
}

static bool emit_config_page(struct package *p)
{
    buf_clear(&p->text);
    page_write_config(&p->text, &p->configuration, p->options->flavours);
    return add_file(p, STR("docs/" PAGE_CONFIG));
}

bool package_emit(struct arena *a, const struct generate_options *options, struct generated *done, struct output *out,
                  struct diags *diags)
{
    struct package p = {
        .arena = a,
        .options = options,
        .done = done,
        .out = out,
        .diags = diags,
        .text = BUF_INIT(CRD_MAX_TEXT),
        .name = package_name(a, options->config->provider),
    };
    sort_kinds(&p);
    bool ok = config_model(a, options->schema, options->config, &done->notes, diags, &p.configuration) && emit_meta(&p) &&
              emit_configs(&p) && emit_controller_role(&p) && emit_people_roles(&p) &&
              (!(options->emit & EMIT_DOCS) || emit_config_page(&p));
    buf_free(&p.text);
    return ok;
}
