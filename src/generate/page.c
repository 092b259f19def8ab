#include "generate/page.h"

#include "crossplane/text.h"
#include "generate/example.h"

#include <stdlib.h>

enum { MAX_ROWS = 400, MAX_DEPTH = 32, MAX_CELL = 300, MAX_SUMMARY = 600, MAX_PATH = 1 << 12 };

struct page {
    struct buf *out;
    const struct xp_kind *kind;
    enum xp_flavour flavours, flavour; /* those that exist; the one shown */
    struct arena *scratch;
    size_t depth; /* levels to show */
};

/* --- fields --- */

static bool is_listed(const struct xp_field *f, bool outputs)
{
    if (f->role == FIELD_REFERENCE || f->role == FIELD_SELECTOR)
        return false; /* described with the field they belong to */
    return outputs ? f->attr && xp_tree_is_output(f->attr) : true;
}

static struct xp_fields fields_inside(const struct xp_shape *s)
{
    while (s->element)
        s = s->element;
    return s->fields;
}

/* Counts the lines of each level. */
static void count_levels(struct xp_fields fields, size_t level, bool outputs, size_t counts[MAX_DEPTH])
{
    for (size_t i = 0; i < fields.n; i++) {
        if (is_listed(&fields.v[i], outputs))
            counts[level]++;
        if (level + 1 < MAX_DEPTH)
            count_levels(fields_inside(fields.v[i].shape), level + 1, outputs, counts);
    }
}

static size_t levels_that_fit(struct xp_fields fields, bool outputs)
{
    size_t counts[MAX_DEPTH] = {0}, sum = 0, level = 0;
    count_levels(fields, 0, outputs, counts);
    while (level < MAX_DEPTH && sum + counts[level] <= MAX_ROWS)
        sum += counts[level++];
    return level > 0 ? level : 1;
}

static void put_type(struct buf *out, const struct xp_shape *s)
{
    static const char *const words[] = {
        [SHAPE_STRING] = "string",     [SHAPE_NUMBER] = "number",
        [SHAPE_INTEGER] = "integer",   [SHAPE_BOOL] = "boolean",
        [SHAPE_ANY] = "any",           [SHAPE_LIST] = "list of ",
        [SHAPE_SET] = "set of ",       [SHAPE_MAP] = "map of ",
        [SHAPE_OBJECT] = "object",     [SHAPE_SECRET_KEY] = "key of a secret",
        [SHAPE_SECRET] = "secret",     [SHAPE_REFERENCE] = "reference",
        [SHAPE_SELECTOR] = "selector", [SHAPE_RAW] = "see the CRD",
    };
    for (; s->element; s = s->element)
        buf_addz(out, words[s->kind]);
    buf_addz(out, words[s->kind]);
}

/* The path of nested fields: name.x in an object, name[].x in list elements, name.KEY.x in map values. */
static struct str path_below(struct page *p, struct str path, const struct xp_shape *s)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_PATH);
    buf_add(&out, path);
    for (; s->element; s = s->element)
        buf_addz(&out, s->kind == SHAPE_MAP ? ".KEY" : "[]");
    buf_addc(&out, '.');
    return buf_copy(&out, p->scratch);
}

static void put_sentence(struct page *p, struct str text)
{
    struct str line = xp_text_line(p->scratch, text, MAX_CELL);
    if (line.n == 0)
        return;
    xp_text_cell(p->out, line);
    buf_addz(p->out, line.p[line.n - 1] == '.' ? " " : ". ");
}

/* Writes "Or vpcIdRef, vpcIdSelector: a VPC in ec2". */
static void put_reference(struct page *p, struct xp_fields fields, const struct xp_field *f)
{
    for (size_t i = 0; i < fields.n; i++) {
        const struct xp_field *other = &fields.v[i];
        if (other->attr != f->attr || (other->role != FIELD_REFERENCE && other->role != FIELD_SELECTOR))
            continue;
        xp_text_code(p->scratch, p->out, other->json);
        buf_addz(p->out, ": ");
        put_sentence(p, crd_describe(p->scratch, p->kind, p->flavour, other));
    }
}

static void put_remarks(struct page *p, struct xp_fields fields, const struct xp_field *f)
{
    if (f->attr && f->attr->identifier)
        buf_addz(p->out, "Part of the id. ");
    if (f->immutable)
        buf_addz(p->out, "Cannot be changed. ");
    if (f->attr && f->attr->reference && f->role == FIELD_VALUE)
        put_reference(p, fields, f);
}

static void put_row(struct page *p, struct xp_fields fields, const struct xp_field *f, struct str path, bool outputs)
{
    buf_addz(p->out, "| ");
    xp_text_code(p->scratch, p->out, arena_printf(p->scratch, STR_FMT STR_FMT, STR_ARG(path), STR_ARG(f->json)));
    buf_addz(p->out, " | ");
    put_type(p->out, f->shape);
    if (!outputs)
        buf_addz(p->out, f->required || (f->attr && xp_tree_is_required(f->attr)) ? " | yes" : " |");
    buf_addz(p->out, " | ");
    put_sentence(p, crd_describe(p->scratch, p->kind, p->flavour, f));
    if (!outputs)
        put_remarks(p, fields, f);
    buf_addz(p->out, "|\n");
}

static void put_rows(struct page *p, struct xp_fields fields, struct str path, bool outputs, size_t level)
{
    for (size_t i = 0; i < fields.n; i++) {
        const struct xp_field *f = &fields.v[i];
        if (is_listed(f, outputs))
            put_row(p, fields, f, path, outputs);
        struct xp_fields inside = fields_inside(f->shape);
        if (inside.n > 0 && level + 1 < p->depth) {
            struct str full = arena_printf(p->scratch, STR_FMT STR_FMT, STR_ARG(path), STR_ARG(f->json));
            put_rows(p, inside, path_below(p, full, f->shape), outputs, level + 1);
        }
    }
}

static bool is_deeper(struct xp_fields fields, size_t levels, bool outputs)
{
    for (size_t i = 0; i < fields.n; i++)
        if ((levels == 0 && is_listed(&fields.v[i], outputs)) ||
            is_deeper(fields_inside(fields.v[i].shape), levels > 0 ? levels - 1 : 0, outputs))
            return true;
    return false;
}

static void put_table(struct page *p, struct xp_fields fields, const char *tree, bool outputs)
{
    p->depth = levels_that_fit(fields, outputs);
    size_t before = p->out->n;
    buf_addz(p->out, outputs ? "| field | type | |\n|---|---|---|\n" : "| field | type | required | |\n|---|---|---|---|\n");
    size_t head = p->out->n;
    put_rows(p, fields, STR_EMPTY, outputs, 0);
    if (p->out->n == head) {
        p->out->n = before;
        buf_addz(p->out, "None.\n");
    } else if (is_deeper(fields, p->depth, outputs))
        buf_printf(p->out, "\nDeeper levels: `kubectl explain " STR_FMT ".%s --recursive`.\n", STR_ARG(p->kind->plural), tree);
}

/* --- the parts of a page --- */

static void put_description(struct page *p, struct str text)
{
    struct str line = xp_text_line(p->scratch, text, MAX_SUMMARY);
    if (line.n == 0)
        return;
    xp_text_paragraph(p->out, line);
    buf_addz(p->out, "\n\n");
}

static void put_names(struct page *p)
{
    const struct xp_kind *k = p->kind;
    buf_addz(p->out, "| | apiVersion | `kubectl get` |\n|---|---|---|\n");
    for (unsigned f = FLAVOUR_NAMESPACED; f >= FLAVOUR_CLUSTER; f >>= 1) {
        if (!(p->flavours & f))
            continue;
        struct xp_resource_config config;
        xp_config_resolve(k->config.config, p->scratch, k->config.type, (enum xp_flavour)f, &config);
        struct str group = xp_kind_group(p->scratch, k, (enum xp_flavour)f);
        buf_printf(p->out, "| %s | `" STR_FMT "/" STR_FMT "` | `" STR_FMT "." STR_FMT "` |\n",
                   f == FLAVOUR_CLUSTER ? "cluster-scoped" : "namespaced", STR_ARG(group), STR_ARG(config.version),
                   STR_ARG(k->plural), STR_ARG(group));
    }
}

static void put_example(struct page *p)
{
    buf_addz(p->out, "\n## Example\n\n```yaml\n");
    example_write(p->out, p->kind, p->flavour);
    buf_addz(p->out, "```\n");
}

static void put_parameters(struct page *p)
{
    buf_addz(p->out, "\n## Parameters\n\n");
    buf_printf(p->out, "Of `spec.forProvider`%s.\n\n",
               p->kind->has_init ? "; what applies at creation only may be set in `spec.initProvider` instead" : "");
    put_table(p, p->kind->trees[FOR_PROVIDER], "spec.forProvider", false);
    buf_addz(p->out, "\n## Outputs\n\nOf `status.atProvider`, which repeats the parameters that are not secret.\n\n");
    put_table(p, p->kind->trees[AT_PROVIDER], "status.atProvider", true);
}

static void put_connection_details(struct page *p)
{
    bool any = false;
    for (size_t i = 0; i < p->kind->n_secrets; i++) {
        const struct xp_secret *s = &p->kind->secrets[i];
        if (!s->output)
            continue;
        if (!any)
            buf_addz(p->out, "\n## Connection details\n\nKeys of the secret that `spec.writeConnectionSecretToRef` names; `[*]` "
                             "is replaced by the number or key of the element.\n\n");
        any = true;
        buf_addz(p->out, "- ");
        xp_text_code(p->scratch, p->out, arena_printf(p->scratch, "attribute." STR_FMT, STR_ARG(s->terraform)));
        buf_addz(p->out, s->json ? ", as JSON\n" : "\n");
    }
}

static void put_external_name(struct page *p)
{
    const struct xp_external_name *n = &p->kind->config.external_name;
    buf_addz(p->out, "\n## External name\n\nAnnotation `crossplane.io/external-name`: ");
    switch (n->strategy) {
    case EXTERNAL_NAME_NAME:
        buf_addz(p->out, "the argument `name`, which is the id too. Without the annotation it is the name of the object.");
        break;
    case EXTERNAL_NAME_PARAMETER:
        buf_addz(p->out, "the argument ");
        xp_text_code(p->scratch, p->out, n->field);
        buf_addz(p->out, ", which is the id too. Without the annotation it is the name of the object.");
        break;
    case EXTERNAL_NAME_TEMPLATE:
        buf_addz(p->out, "the argument ");
        xp_text_code(p->scratch, p->out, n->field);
        buf_addz(p->out, ". The id is ");
        xp_text_code(p->scratch, p->out, n->template);
        buf_addc(p->out, '.');
        break;
    case EXTERNAL_NAME_COMPUTED:
        buf_addz(p->out, "the attribute ");
        xp_text_code(p->scratch, p->out, n->field);
        buf_addz(p->out, ", which the provider computes.");
        break;
    case EXTERNAL_NAME_PROVIDER:
    case EXTERNAL_NAME_CUSTOM:
        if (n->name_field.n > 0) {
            buf_addz(p->out, "the attribute ");
            xp_text_code(p->scratch, p->out, n->name_field);
            buf_addc(p->out, '.');
        } else
            buf_addz(p->out, n->without_id ? "the name of the object, once its resource exists. The resource has no id."
                                           : "the id, which the provider gives.");
        break;
    }
    buf_addz(p->out, "\n\nTo bring one that exists under management, give its external name");
    buf_addz(p->out, n->identifiers.n > 0 ? " and the parameters that are part of its id" : "");
    buf_addz(p->out, "; with `managementPolicies: [Observe]` it is only looked at.\n");
}

static void put_notes(struct page *p, const struct xp_notes *notes)
{
    bool any = false;
    for (size_t i = 0; i < notes->n; i++) {
        const struct xp_note *n = &notes->v[i];
        if (!str_eq(n->type, p->kind->terraform_type))
            continue;
        buf_addz(p->out, any ? "" : "\n## Notes\n\n");
        any = true;
        buf_addz(p->out, "- ");
        if (n->path.n > 0) {
            xp_text_code(p->scratch, p->out, n->path);
            buf_addz(p->out, ": ");
        }
        xp_text_cell(p->out, xp_text_line(p->scratch, n->text, MAX_SUMMARY));
        buf_addz(p->out, "\n");
    }
}

void page_write(struct buf *out, const struct xp_kind *k, const struct xp_notes *notes, enum xp_flavour flavours)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct page p = {.out = out,
                     .kind = k,
                     .flavours = flavours,
                     .flavour = flavours & FLAVOUR_NAMESPACED ? FLAVOUR_NAMESPACED : FLAVOUR_CLUSTER,
                     .scratch = scratch};
    buf_printf(out, "# " STR_FMT "\n\nTerraform %s `" STR_FMT "`.\n\n", STR_ARG(k->kind),
               k->data_source ? "data source" : "resource", STR_ARG(k->terraform_type));
    put_description(&p, k->description);
    put_names(&p);
    put_example(&p);
    put_parameters(&p);
    put_connection_details(&p);
    if (!k->data_source)
        put_external_name(&p);
    put_notes(&p, notes);
}

/* --- configuration of the provider --- */

void page_write_config(struct buf *out, const struct xp_kind *k, enum xp_flavour flavours)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct xp_config *c = k->config.config;
    struct page p = {.out = out, .kind = k, .flavours = flavours, .flavour = FLAVOUR_CLUSTER, .scratch = scratch};
    bool namespaced = flavours & FLAVOUR_NAMESPACED;
    buf_addz(out, "# Configuration of the provider\n\n| kind | apiVersion | for |\n|---|---|---|\n");
    if (namespaced)
        buf_printf(out,
                   "| ProviderConfig | `" STR_FMT "/" STR_FMT "` | namespaced objects of its namespace |\n"
                   "| ClusterProviderConfig | `" STR_FMT "/" STR_FMT "` | namespaced objects of all namespaces |\n",
                   STR_ARG(c->root_namespaced), STR_ARG(k->version), STR_ARG(c->root_namespaced), STR_ARG(k->version));
    if (flavours & FLAVOUR_CLUSTER)
        buf_printf(out, "| ProviderConfig | `" STR_FMT "/" STR_FMT "` | cluster-scoped objects |\n", STR_ARG(c->root_cluster),
                   STR_ARG(k->version));
    buf_addz(out, "\nObjects that do not name a configuration use the one called `default`.\n\n## Example\n\n```yaml\n");
    example_write_config(out, k, namespaced ? c->root_namespaced : c->root_cluster, false);
    buf_addz(out, "```\n\n## Credentials\n\n"
                  "`spec.credentials` says where the provider's secret arguments come from: a JSON object whose keys are the "
                  "arguments' names in Terraform.\n\n"
                  "| source | where the text is |\n|---|---|\n"
                  "| Secret | in the key of a secret that `secretRef` names |\n"
                  "| Environment | in the environment variable of the controller that `env.name` names |\n"
                  "| Filesystem | in the file of the controller that `fs.path` names |\n"
                  "| InjectedIdentity, None | nowhere: the provider finds its credentials by itself, or needs none |\n\n"
                  "## Arguments\n\nOf `spec.configuration`, which wins over the credentials. Arguments that are secret, but not "
                  "marked so by the provider, belong into the credentials.\n\n");
    put_table(&p, k->trees[FOR_PROVIDER], "spec.configuration", false);
}

/* --- all kinds --- */

static int by_group(const void *x, const void *y)
{
    const struct generated_kind *a = *(const struct generated_kind *const *)x, *b = *(const struct generated_kind *const *)y;
    int order = str_cmp(a->group, b->group);
    return order != 0 ? order : str_cmp(a->kind, b->kind);
}

void page_write_index(struct buf *out, const struct generate_options *options, const struct generated *done)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    size_t n = done->kinds.n;
    const struct generated_kind **kinds = arena_make_n(scratch, const struct generated_kind *, n);
    for (size_t i = 0; i < n; i++)
        kinds[i] = &done->kinds.v[i];
    qsort(kinds, n, sizeof *kinds, by_group);
    buf_addz(out, "# Kinds of ");
    xp_text_cell(out,
                 xp_text_line(scratch,
                              arena_printf(scratch, STR_FMT " " STR_FMT, STR_ARG(options->address), STR_ARG(options->version)),
                              MAX_SUMMARY));
    buf_addz(out, "\n\n");
    if (options->emit & EMIT_PACKAGE)
        buf_addz(out, "How the provider is configured: [ProviderConfig](" PAGE_CONFIG ").\n\n");
    for (size_t i = 0; i < n; i++) {
        struct str group = kinds[i]->group.n > 0 ? kinds[i]->group : STR("root");
        if (i == 0 || !str_eq(kinds[i]->group, kinds[i - 1]->group))
            buf_printf(out, "%s## " STR_FMT "\n\n| kind | Terraform |\n|---|---|\n", i > 0 ? "\n" : "", STR_ARG(group));
        buf_printf(out, "| [" STR_FMT "](" STR_FMT "_" STR_FMT ".md) | `" STR_FMT "` |\n", STR_ARG(kinds[i]->kind),
                   STR_ARG(group), STR_ARG(kinds[i]->plural), STR_ARG(kinds[i]->type));
    }
}
