#include "crossplane/config_init.h"

#include "schema/schema_check.h"
#include "yaml/yaml_out.h"

static void write_head(struct buf *out, const struct xp_config *c, size_t n_types)
{
    struct yaml_out y = {.out = out};
    buf_printf(out,
               "# How the %zu resource types of this provider become kinds. Without this file every type is generated with\n# "
               "these settings. `terrane config schema` prints the JSON Schema of this file for editors.\n",
               n_types);
    yaml_text(&y, STR("provider"), c->provider); /* quoted if necessary: one provider is named null */
    buf_printf(out, "\n# Category of all kinds: kubectl get " STR_FMT ".\n", STR_ARG(c->short_name));
    yaml_text(&y, STR("short_name"), c->short_name);
    buf_printf(out,
               "\n# The end of every API group.\n"
               "root_group:\n  cluster: " STR_FMT "\n  namespaced: " STR_FMT "\n\n",
               STR_ARG(c->root_cluster), STR_ARG(c->root_namespaced));
    buf_printf(out,
               "# API version of the kinds.\n"
               "version: " STR_FMT "\n\n"
               "# Blocks of which there can be only one are objects, not lists.\n"
               "embed_singletons: true\n\n"
               "# Words that are written in a casing of their own in kinds, beside the usual ones (ID, IP, VPC, ...).\n"
               "acronyms: {}\n\n"
               "# Link tables that references are made of, relative to this file (`terrane links mine`).\n"
               "# links: [" STR_FMT ".links]\n\n"
               "# Patterns of resource types: * any text, ? one character, {a,b} alternatives.\n"
               "# include: [\"" STR_FMT "_*\"]\n"
               "# exclude: []\n\n",
               STR_ARG(c->version), STR_ARG(c->provider), STR_ARG(c->provider));
}

static void write_keys(struct buf *out)
{
    buf_addz(out,
             "# Settings for types. All entries that match apply in this order, later ones over earlier ones. Paths are\n"
             "# attribute names joined with dots; * matches one name or a part of it, ** any number of names.\n"
             "#\n"
             "#   group, kind, plural, version, short_names\n"
             "#   external_name: provider                     the id that the provider gives (default)\n"
             "#   external_name: name                         argument `name`\n"
             "#   external_name: {strategy: parameter, field: cluster_name}\n"
             "#   external_name: {strategy: template, field: name, template: \"{{ .parameters.region }}/{{ .external_name }}\"}\n"
             "#   omit, identifiers, status_only, embed, no_embed, sensitive, required, optional, immutable: lists of paths\n"
             "#   references: {vpc_id: aws_vpc}               or {to: aws_kms_key, attribute: arn}\n"
             "#   late_init: {never: [desired_count]}\n"
             "#   fields: {\"**.password\": {sensitive: true}}  all that can be said of a field\n"
             "#   tags: tags                                  argument that the default tags go to\n"
             "#   timeouts: {create: 30m}\n"
             "#   cluster: {...}, namespaced: {...}           for one flavour only\n");
}

static bool has_tags(const struct provider_schema *schema)
{
    for (size_t i = 0; i < schema->resources.n; i++) {
        const struct schema *s = schema->resources.entries[i].value;
        const struct schema_attr *tags = schema_block_attr(s->block, STR("tags"));
        if (tags && tags->type && tags->type->kind == TYPE_MAP && tags->optional)
            return true;
    }
    return false;
}

static bool looks_secret(const struct schema_attr *a)
{
    return !a->sensitive && a->optional | a->required && a->type && a->type->kind == TYPE_STRING &&
           (str_ends(a->name, STR("password")) || str_ends(a->name, STR("secret")) || str_ends(a->name, STR("private_key")));
}

/* Lists top-level arguments whose names suggest secrets but that the schema does not mark sensitive. */
static void write_suspects(struct arena *a, struct buf *out, const struct provider_schema *schema)
{
    struct str path;
    bool any = false;
    for (size_t i = 0; i < schema->resources.n; i++) {
        const struct schema *s = schema->resources.entries[i].value;
        bool bad = schema_bad_name(a, schema->resources.entries[i].key, s, &path); /* not generated */
        for (size_t j = 0; j < s->block->n_attrs && !bad; j++) {
            if (!looks_secret(&s->block->attrs[j]))
                continue;
            if (!any)
                buf_addz(out, "\n  # Called like secrets, but not marked so by the provider:\n");
            any = true;
            buf_printf(out, "  # " STR_FMT ": {sensitive: [" STR_FMT "]}\n", STR_ARG(schema->resources.entries[i].key),
                       STR_ARG(s->block->attrs[j].name));
        }
    }
}

/* Turns all lines of a text into comments, except the one that every file must have. */
static void comment_out(struct buf *out, struct str text)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        bool plain = line.n == 0 || line.p[0] == '#' || str_starts(line, STR("provider:"));
        buf_printf(out, "%s" STR_FMT "\n", plain ? "" : "# ", STR_ARG(line));
    }
}

void xp_config_write_init(struct buf *out, const struct xp_config *c, const char *over, const struct provider_schema *schema)
{
    struct buf head BUF_AUTO = BUF_INIT(1 << 16);
    write_head(over ? &head : out, c, schema->resources.n);
    if (over) {
        buf_printf(out,
                   "# Merged over the configuration that Terrane ships for this provider (`terrane config show " STR_FMT
                   "`): this\n# file wins. `base: none` leaves that configuration out.\n",
                   STR_ARG(c->provider));
        comment_out(out, buf_str(&head));
    }
    write_keys(out);
    if (over || schema->resources.n == 0) {
        buf_addz(out, "resources: {}\n");
        return;
    }
    buf_addz(out, "resources:\n  \"*\":\n    external_name: provider\n");
    if (has_tags(schema))
        buf_addz(out, "    # tags: tags\n");
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    write_suspects(a, out, schema);
}
