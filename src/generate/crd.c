#include "crossplane/versions.h"
#include "generate/crd_private.h"

enum { LEAST_DEPTH = 2, CUT_BYTES = 50 };

/* For kinds with more attributes than this, the size is computed first. */
enum { LARGE_KIND = 4000 };

/* --- the frame: what every kind of a flavour has --- */

/* Columns in order; before Upjet 1.0 READY came first. */
static const char synced_column[] = "- jsonPath: .status.conditions[?(@.type=='Synced')].status\n"
                                    "  name: SYNCED\n"
                                    "  type: string\n";
static const char ready_column[] = "- jsonPath: .status.conditions[?(@.type=='Ready')].status\n"
                                   "  name: READY\n"
                                   "  type: string\n";
static const char other_columns[] = "- jsonPath: .metadata.annotations.crossplane\\.io/external-name\n"
                                    "  name: EXTERNAL-NAME\n"
                                    "  type: string\n"
                                    "- jsonPath: .metadata.creationTimestamp\n"
                                    "  name: AGE\n"
                                    "  type: date\n";

const char crd_object_lines[] = "apiVersion:\n"
                                "  description: Version of the schema of this object.\n"
                                "  type: string\n"
                                "kind:\n"
                                "  description: What this object is.\n"
                                "  type: string\n"
                                "metadata:\n"
                                "  type: object\n";

static const char deletion_lines[] = "deletionPolicy:\n"
                                     "  default: Delete\n"
                                     "  description: What happens to the external resource when this object is deleted.\n"
                                     "  enum:\n"
                                     "  - Orphan\n"
                                     "  - Delete\n"
                                     "  type: string\n";

static const char policies_lines[] = "managementPolicies:\n"
                                     "  default:\n"
                                     "  - '*'\n"
                                     "  description: What may be done to the external resource. An empty list pauses it.\n"
                                     "  items:\n"
                                     "    enum:\n"
                                     "    - Observe\n"
                                     "    - Create\n"
                                     "    - Update\n"
                                     "    - Delete\n"
                                     "    - LateInitialize\n"
                                     "    - '*'\n"
                                     "    type: string\n"
                                     "  type: array\n";

static const char observe_lines[] = "managementPolicies:\n"
                                    "  default:\n"
                                    "  - Observe\n"
                                    "  description: A data source can only be observed. An empty list pauses it.\n"
                                    "  items:\n"
                                    "    enum:\n"
                                    "    - Observe\n"
                                    "    type: string\n"
                                    "  type: array\n";

static const char connection_lines[] = "writeConnectionSecretToRef:\n"
                                       "  description: The secret that connection details are written to.\n"
                                       "  properties:\n"
                                       "    name:\n"
                                       "      type: string\n"
                                       "    namespace:\n"
                                       "      type: string\n"
                                       "  required:\n"
                                       "  - name\n"
                                       "  - namespace\n"
                                       "  type: object\n";

static const char namespaced_lines[] = "providerConfigRef:\n"
                                       "  default:\n"
                                       "    kind: ClusterProviderConfig\n"
                                       "    name: default\n"
                                       "  description: The provider configuration that says how to reach the provider.\n"
                                       "  properties:\n"
                                       "    kind:\n"
                                       "      type: string\n"
                                       "    name:\n"
                                       "      type: string\n"
                                       "  required:\n"
                                       "  - kind\n"
                                       "  - name\n"
                                       "  type: object\n"
                                       "writeConnectionSecretToRef:\n"
                                       "  description: The secret that connection details are written to.\n"
                                       "  properties:\n"
                                       "    name:\n"
                                       "      type: string\n"
                                       "  required:\n"
                                       "  - name\n"
                                       "  type: object\n";

#define CONDITION_START                                                                                                          \
    "conditions:\n"                                                                                                              \
    "  description: The state of this object.\n"                                                                                 \
    "  items:\n"                                                                                                                 \
    "    properties:\n"                                                                                                          \
    "      lastTransitionTime:\n"                                                                                                \
    "        format: date-time\n"                                                                                                \
    "        type: string\n"                                                                                                     \
    "      message:\n"                                                                                                           \
    "        type: string\n"
#define CONDITION_END                                                                                                            \
    "      reason:\n"                                                                                                            \
    "        type: string\n"                                                                                                     \
    "      status:\n"                                                                                                            \
    "        type: string\n"                                                                                                     \
    "      type:\n"                                                                                                              \
    "        type: string\n"                                                                                                     \
    "    required:\n"                                                                                                            \
    "    - lastTransitionTime\n"                                                                                                 \
    "    - reason\n"                                                                                                             \
    "    - status\n"                                                                                                             \
    "    - type\n"                                                                                                               \
    "    type: object\n"                                                                                                         \
    "  type: array\n"

const char crd_condition_lines[] = CONDITION_START "      observedGeneration:\n"
                                                   "        format: int64\n"
                                                   "        type: integer\n" CONDITION_END "  x-kubernetes-list-map-keys:\n"
                                                   "  - type\n"
                                                   "  x-kubernetes-list-type: map\n";
static const char old_condition_lines[] = CONDITION_START CONDITION_END;

static const char status_lines[] = "lastHandledReconcileAt:\n"
                                   "  description: The last request for a reconciliation that was handled.\n"
                                   "  type: string\n"
                                   "observedGeneration:\n"
                                   "  description: The generation of this object that the status is about.\n"
                                   "  format: int64\n"
                                   "  type: integer\n";

static void write_spec(struct crd_writer *w)
{
    bool cluster = w->flavour == FLAVOUR_CLUSTER;
    yaml_begin(&w->y, STR("spec"));
    crd_write_plain_rules(w);
    yaml_begin(&w->y, STR("properties"));
    if (cluster && !w->kind->data_source)
        yaml_lines(&w->y, deletion_lines);
    crd_write_tree(w, FOR_PROVIDER, "Desired state of the external resource.");
    if (w->kind->has_init)
        crd_write_tree(w, INIT_PROVIDER, "Desired state at creation only. Later changes made elsewhere are kept.");
    yaml_lines(&w->y, w->kind->data_source ? observe_lines : policies_lines);
    if (cluster) {
        crd_write_config_ref(&w->y, true);
        yaml_lines(&w->y, connection_lines);
    } else
        yaml_lines(&w->y, namespaced_lines);
    yaml_end(&w->y);
    const struct str required = STR("forProvider");
    yaml_texts(&w->y, STR("required"), &required, 1);
    yaml_plain(&w->y, "type", "object");
    crd_write_cel_rules(w);
    yaml_end(&w->y);
}

static void write_status(struct crd_writer *w)
{
    yaml_begin(&w->y, STR("status"));
    yaml_begin(&w->y, STR("properties"));
    crd_write_tree(w, AT_PROVIDER, "Observed state of the external resource.");
    bool old = w->kind->config.config->old_envelope;
    yaml_lines(&w->y, old ? old_condition_lines : crd_condition_lines);
    if (!old)
        yaml_lines(&w->y, status_lines);
    yaml_end(&w->y);
    yaml_plain(&w->y, "type", "object");
    yaml_end(&w->y);
}

static void write_schema(struct crd_writer *w)
{
    yaml_begin(&w->y, STR("schema"));
    yaml_begin(&w->y, STR("openAPIV3Schema"));
    crd_write_kind_description(w);
    yaml_begin(&w->y, STR("properties"));
    yaml_lines(&w->y, crd_object_lines);
    write_spec(w);
    write_status(w);
    yaml_end(&w->y);
    const struct str required = STR("spec");
    yaml_texts(&w->y, STR("required"), &required, 1);
    yaml_plain(&w->y, "type", "object");
    yaml_end(&w->y);
    yaml_end(&w->y);
}

/*
 * A kind whose name is a plural (LFTags) gets another plural (lftagses) if its regular one belongs to another kind (LFTag). Then
 * its singular would be that kind's plural, and an API server refuses duplicate names.
 */
static struct str singular(struct crd_writer *w)
{
    const struct xp_kind *k = w->kind;
    bool is_plural = str_eq(xp_name_plural(w->scratch, k->kind), k->singular);
    bool is_another = str_eq(k->plural, arena_printf(w->scratch, STR_FMT "es", STR_ARG(k->singular)));
    return is_plural && is_another ? k->plural : k->singular;
}

static void write_names(struct crd_writer *w)
{
    const struct xp_kind *k = w->kind;
    const struct str categories[] = {STR("crossplane"), STR("managed"), k->config.config->short_name};
    yaml_begin(&w->y, STR("names"));
    yaml_texts(&w->y, STR("categories"), categories, 3);
    yaml_text(&w->y, STR("kind"), k->kind);
    yaml_text(&w->y, STR("listKind"), k->list_kind);
    yaml_text(&w->y, STR("plural"), k->plural);
    if (k->config.short_names.n > 0)
        yaml_texts(&w->y, STR("shortNames"), k->config.short_names.v, k->config.short_names.n);
    yaml_text(&w->y, STR("singular"), singular(w));
    yaml_end(&w->y);
}

static bool has_older(const struct crd_writer *w)
{
    for (size_t i = 0; i < w->kind->config.other_versions.n; i++)
        if (xp_version_is_older(w->kind->config.other_versions.v[i], w->kind->version))
            return true;
    return false;
}

static void write_version(struct crd_writer *w, struct str name, bool storage)
{
    bool old = w->kind->config.config->old_envelope;
    yaml_item(&w->y);
    yaml_list(&w->y, STR("additionalPrinterColumns"));
    yaml_lines(&w->y, old ? ready_column : synced_column);
    yaml_lines(&w->y, old ? synced_column : ready_column);
    yaml_lines(&w->y, other_columns);
    yaml_text(&w->y, STR("name"), name);
    write_schema(w);
    yaml_plain(&w->y, "served", "true");
    yaml_plain(&w->y, "storage", storage ? "true" : "false");
    yaml_begin(&w->y, STR("subresources"));
    yaml_empty(&w->y, STR("status"));
    yaml_end(&w->y);
    yaml_end(&w->y);
}

/*
 * An API server refuses a CRD that lacks a version in which it may still store objects. So older versions are kept; they are
 * served if there is a webhook that converts them.
 */
static void write_other_versions(struct crd_writer *w)
{
    for (size_t i = 0; i < w->kind->config.other_versions.n; i++) {
        struct str name = w->kind->config.other_versions.v[i];
        if (w->webhook && xp_version_is_older(name, w->kind->version)) {
            const struct xp_kind *newest = w->kind, older = crd_older_kind(w->scratch, newest);
            w->older = true;
            w->kind = &older;
            write_version(w, name, false);
            w->kind = newest;
            w->older = false;
            continue;
        }
        yaml_item(&w->y);
        yaml_text(&w->y, STR("name"), name);
        yaml_lines(&w->y, "schema:\n"
                          "  openAPIV3Schema:\n"
                          "    type: object\n"
                          "    x-kubernetes-preserve-unknown-fields: true\n"
                          "served: false\n"
                          "storage: false\n");
        yaml_end(&w->y);
    }
}

static void write_versions(struct crd_writer *w)
{
    yaml_list(&w->y, STR("versions"));
    write_other_versions(w);
    write_version(w, w->kind->version, true);
}

static void write_conversion(struct crd_writer *w)
{
    const struct crd_webhook *hook = w->webhook;
    if (!hook || !has_older(w))
        return;
    yaml_begin(&w->y, STR("conversion"));
    yaml_plain(&w->y, "strategy", "Webhook");
    yaml_begin(&w->y, STR("webhook"));
    yaml_begin(&w->y, STR("clientConfig"));
    if (hook->ca_bundle.n > 0)
        yaml_text(&w->y, STR("caBundle"), hook->ca_bundle);
    if (hook->url.n > 0)
        yaml_text(&w->y, STR("url"), hook->url);
    else {
        yaml_begin(&w->y, STR("service"));
        yaml_text(&w->y, STR("name"), hook->service);
        yaml_text(&w->y, STR("namespace"), hook->namespace);
        yaml_plain(&w->y, "path", CRD_WEBHOOK_PATH);
        yaml_plain(&w->y, "port", arena_printf(w->scratch, "%d", CRD_WEBHOOK_PORT).p);
        yaml_end(&w->y);
    }
    yaml_end(&w->y);
    const struct str review = STR("v1");
    yaml_texts(&w->y, STR("conversionReviewVersions"), &review, 1);
    yaml_end(&w->y);
    yaml_end(&w->y);
}

static void write_document(struct crd_writer *w)
{
    const struct xp_kind *k = w->kind;
    struct str group = xp_kind_group(w->scratch, k, w->flavour);
    yaml_lines(&w->y, "---");
    yaml_plain(&w->y, "apiVersion", "apiextensions.k8s.io/v1");
    yaml_plain(&w->y, "kind", "CustomResourceDefinition");
    yaml_begin(&w->y, STR("metadata"));
    yaml_begin(&w->y, STR("annotations"));
    yaml_text(&w->y, STR("terrane/terraform-type"), k->terraform_type);
    yaml_end(&w->y);
    yaml_text(&w->y, STR("name"), arena_printf(w->scratch, STR_FMT "." STR_FMT, STR_ARG(k->plural), STR_ARG(group)));
    yaml_end(&w->y);
    yaml_begin(&w->y, STR("spec"));
    write_conversion(w);
    yaml_text(&w->y, STR("group"), group);
    write_names(w);
    yaml_plain(&w->y, "scope", w->flavour == FLAVOUR_CLUSTER ? "Cluster" : "Namespaced");
    write_versions(w);
    yaml_end(&w->y);
}

bool crd_webhook_read(struct str text, struct diags *diags, struct crd_webhook *ret)
{
    if (str_starts(text, STR("https://"))) {
        *ret = (struct crd_webhook){.url = text};
        return true;
    }
    struct crd_webhook hook = {.service = text};
    hook.namespace = str_cut(&hook.service, '/');
    if (hook.namespace.n == 0 || hook.service.n == 0 || str_find(hook.service, '/', 0) != SIZE_MAX)
        return diags_fail(diags, "Invalid webhook address",
                          "\"" STR_FMT "\": https://HOST[:PORT]/PATH or NAMESPACE/SERVICE was expected.", STR_ARG(text));
    *ret = hook;
    return true;
}

/* --- size --- */

static size_t count_bytes(struct crd_writer *w)
{
    memset(w->savings, 0, sizeof w->savings);
    w->y = (struct yaml_out){.out = NULL};
    write_document(w);
    arena_reset(w->scratch);
    return w->y.json_bytes;
}

static size_t saved(const struct crd_writer *w, enum xp_tree_name tree, int depth)
{
    if (depth >= CRD_MAX_DEPTH)
        return 0;
    const struct crd_saving *s = &w->savings[tree][depth];
    size_t costs = s->objects * CUT_BYTES;
    return s->bytes > costs ? s->bytes - costs : 0;
}

static bool fits(const struct crd_writer *w, size_t bytes)
{
    size_t all = 0;
    for (int t = 0; t < N_TREES; t++)
        all += saved(w, (enum xp_tree_name)t, w->depth[t]);
    return bytes <= CRD_MAX_JSON + all;
}

/*
 * Chooses the greatest depths that fit, by priority: forProvider, because users' input should be checked; then initProvider; the
 * status, which no user writes, gets the rest.
 */
static void choose_depth(struct crd_writer *w, size_t bytes)
{
    static const enum xp_tree_name order[] = {FOR_PROVIDER, INIT_PROVIDER, AT_PROVIDER};
    for (int t = 0; t < N_TREES; t++)
        w->depth[t] = LEAST_DEPTH;
    for (size_t i = 0; i < N_TREES; i++) {
        int *depth = &w->depth[order[i]];
        while (*depth < CRD_MAX_DEPTH && fits(w, bytes))
            (*depth)++;
        if (!fits(w, bytes) && *depth > LEAST_DEPTH)
            (*depth)--;
        if (*depth == CRD_MAX_DEPTH)
            *depth = CRD_NO_LIMIT;
    }
}

static void note_cut(const struct crd_writer *w, struct xp_notes *notes)
{
    struct buf where BUF_AUTO = BUF_INIT(256);
    for (int t = 0; t < N_TREES; t++)
        if (w->depth[t] < CRD_NO_LIMIT)
            buf_printf(&where, where.n > 0 ? " and %d in %s" : "%d levels in %s", w->depth[t], xp_tree_names[t]);
    if (where.n > 0)
        xp_notes_add(notes, NOTE_REDUCED, w->kind->terraform_type, STR_EMPTY,
                     "Too large for the API server: what lies deeper than " STR_FMT " is accepted unchecked.",
                     STR_ARG(buf_str(&where)));
    else
        xp_notes_add(notes, NOTE_REDUCED, w->kind->terraform_type, STR_EMPTY,
                     "Too large for the API server with descriptions: written without.");
}

/* Drops descriptions first, and cuts levels only if the CRD is still too large. */
static void reduce(struct crd_writer *w)
{
    w->descriptions = false;
    size_t bytes = count_bytes(w);
    if (bytes > CRD_MAX_JSON)
        choose_depth(w, bytes);
    if (bytes > CRD_MAX_JSON)
        return;
    w->descriptions = true;
    w->descriptions = count_bytes(w) <= CRD_MAX_JSON;
}

static bool write_checked(struct buf *out, struct crd_writer *w)
{
    size_t before = out->n;
    w->y = (struct yaml_out){.out = out};
    write_document(w);
    if (w->y.json_bytes <= CRD_MAX_JSON)
        return true;
    out->n = before;
    return false;
}

static bool is_reduced(const struct crd_writer *w)
{
    bool whole = w->depth[FOR_PROVIDER] == CRD_NO_LIMIT && w->depth[INIT_PROVIDER] == CRD_NO_LIMIT &&
                 w->depth[AT_PROVIDER] == CRD_NO_LIMIT;
    return !w->descriptions || !whole;
}

bool crd_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour, const struct crd_webhook *webhook,
               struct xp_notes *notes, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct crd_writer w = {.kind = k, .flavour = flavour, .scratch = scratch, .descriptions = true, .webhook = webhook};
    for (int t = 0; t < N_TREES; t++)
        w.depth[t] = CRD_NO_LIMIT;
    bool written = k->tree.n_nodes < LARGE_KIND && write_checked(out, &w);
    if (!written) {
        reduce(&w);
        written = write_checked(out, &w);
    }
    if (!written || !buf_ok(out))
        return diags_fail(diags, "Kind too large", STR_FMT " cannot be written within the limits of an API server.",
                          STR_ARG(k->terraform_type));
    if (is_reduced(&w))
        note_cut(&w, notes);
    return true;
}
