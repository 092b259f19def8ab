#include "crossplane/generate.h"

#include "crossplane/example.h"
#include "crossplane/go_types.h"
#include "crossplane/package.h"
#include "crossplane/page.h"

/* Keeps what it reports; everything else of a kind is gone when the next one is built. */
struct generator {
    struct arena *arena, *kind_arena;
    const struct generate_options *options;
    struct map types; /* type -> schema; data sources last, as data.TYPE */
    struct output *out;
    struct diags *diags;
    struct buf text;
    struct map by_kind, by_plural; /* "group/Kind" -> type, "plural.group" -> type, a C string */
    struct map plurals;            /* type -> plural, where it is not the usual one */
    struct go_types *go;           /* NULL: not asked for */
    struct generated *done;
};

static struct str keep(struct generator *g, struct str s)
{
    return arena_str(g->arena, s);
}

/* --- names across kinds --- */

static bool is_wanted(const struct generate_options *o, struct str type)
{
    bool included = config_includes(o->config, type);
    return included && (o->only.n == 0 || pattern_match(o->only, type));
}

static bool claim(struct generator *g, struct map *names, struct str name, struct str type, const char *what)
{
    if (map_add(names, keep(g, name), (void *)type.p))
        return true;
    return diags_fail(g->diags, "Two kinds of one name",
                      "%s and " STR_FMT " would both be %s \"" STR_FMT "\". Give one of them another %s in the configuration, or "
                      "leave it out (exclude).",
                      (const char *)map_get(names, name), STR_ARG(type), what, STR_ARG(name), what);
}

static struct str resource_name(struct arena *a, struct str plural, struct str group)
{
    return arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(plural), STR_ARG(group));
}

/*
 * LFTag and LFTags have one plural. The one that is a plural already gets another one, whatever else is generated, unless the
 * configuration says how to call it.
 */
static bool claim_plural(struct generator *g, const struct kind *k, bool chosen)
{
    struct str name = resource_name(g->kind_arena, k->plural, k->group);
    const char *other = map_get(&g->by_plural, name);
    if (!other || chosen || !str_eq(k->plural, k->singular))
        return claim(g, &g->by_plural, name, k->terraform_type, "plural");
    struct str plural = arena_printf(g->arena, STR_FMT "es", STR_ARG(k->plural));
    map_put(&g->plurals, k->terraform_type, (void *)plural.p);
    notes_add(&g->done->notes, NOTE_REPRESENTED, k->terraform_type, STR_EMPTY,
              "Its plural is " STR_FMT ", because " STR_FMT " belongs to %s.", STR_ARG(plural), STR_ARG(name), other);
    return claim(g, &g->by_plural, resource_name(g->kind_arena, plural, k->group), k->terraform_type, "plural");
}

/* All types that the configuration includes, so that a name does not depend on what is asked for this time. */
static bool claim_names(struct generator *g)
{
    const struct map *types = &g->types;
    bool ok = true;
    for (int plurals = 0; plurals < 2; plurals++) /* those that are plurals themselves come second */
        for (size_t i = 0; i < types->n; i++) {
            struct str type = types->entries[i].key;
            if (!config_includes(g->options->config, type))
                continue;
            arena_reset(g->kind_arena);
            struct resource_config config;
            struct kind k = {.terraform_type = type};
            config_resolve(g->options->config, g->kind_arena, type, FLAVOUR_NAMESPACED, &config);
            kind_names(g->kind_arena, &config, &k);
            if (str_eq(k.plural, k.singular) != plurals)
                continue;
            ok &= claim(g, &g->by_kind, arena_printf(g->kind_arena, STR_FMT "/" STR_FMT, STR_ARG(k.group), STR_ARG(k.kind)), type,
                        "kind") &&
                  claim_plural(g, &k, config.plural.n > 0);
        }
    return ok;
}

/* --- one kind --- */

static bool wants(const struct generator *g, enum emit what)
{
    return g->options->emit & what;
}

/* FOLDER/GROUP_PLURAL.EXTENSION with what was written to `text`. */
static bool add_file(struct generator *g, const char *folder, struct str group, const struct kind *k, const char *extension)
{
    struct str path =
        arena_printf(g->kind_arena, "%s/" STR_FMT "_" STR_FMT ".%s", folder, STR_ARG(group), STR_ARG(k->plural), extension);
    return output_add(g->out, path, buf_str(&g->text), g->diags);
}

static bool emit_crd(struct generator *g, const struct kind *k, enum flavour flavour, struct notes *notes)
{
    buf_clear(&g->text);
    return crd_write(&g->text, k, flavour, notes, g->diags) &&
           add_file(g, "crds", kind_group(g->kind_arena, k, flavour), k, "yaml");
}

static bool emit_example(struct generator *g, const struct kind *k, enum flavour flavour)
{
    buf_clear(&g->text);
    example_write(&g->text, k, flavour);
    return add_file(g, "examples", kind_group(g->kind_arena, k, flavour), k, "yaml");
}

static bool emit_page(struct generator *g, const struct kind *k, enum flavour flavours)
{
    buf_clear(&g->text);
    page_write(&g->text, k, &g->done->notes, flavours);
    return add_file(g, "docs", k->group.n > 0 ? k->group : STR("root"), k, "md");
}

static bool emit_flavour(struct generator *g, const struct kind *k, enum flavour flavour, struct notes *notes)
{
    return (!wants(g, EMIT_CRDS) || emit_crd(g, k, flavour, notes)) &&
           (!wants(g, EMIT_GO) || go_types_add(g->go, k, flavour, g->out, g->diags)) &&
           (!wants(g, EMIT_EXAMPLES) || emit_example(g, k, flavour));
}

/* What one flavour notes, the other would too: `notes` gets it once. */
static bool emit_kind(struct generator *g, const struct kind *k, enum flavour flavours, struct notes *notes)
{
    struct notes ignored = {.arena = g->kind_arena};
    for (unsigned f = FLAVOUR_CLUSTER; f <= FLAVOUR_NAMESPACED; f <<= 1) {
        if (!(flavours & f))
            continue;
        if (!emit_flavour(g, k, (enum flavour)f, notes))
            return false;
        notes = &ignored;
    }
    return true;
}

static const struct secret *keep_secrets(struct generator *g, const struct kind *k)
{
    struct secret *kept = arena_make_n(g->arena, struct secret, k->n_secrets);
    for (size_t i = 0; i < k->n_secrets; i++) {
        kept[i] = k->secrets[i];
        kept[i].terraform = keep(g, kept[i].terraform);
        kept[i].object = keep(g, kept[i].object);
    }
    return kept;
}

static void remember(struct generator *g, const struct kind *k)
{
    *VEC_PUSH(g->arena, &g->done->kinds) = (struct generated_kind){
        .type = keep(g, k->terraform_type),
        .group = keep(g, k->group),
        .kind = keep(g, k->kind),
        .plural = keep(g, k->plural),
        .version = keep(g, k->version),
        .secrets = keep_secrets(g, k),
        .n_secrets = k->n_secrets,
    };
}

static void note_versions(struct generator *g, const struct kind *k)
{
    for (size_t i = 0; i < k->config.other_versions.n; i++)
        notes_add(&g->done->notes, NOTE_REDUCED, k->terraform_type, STR_EMPTY,
                  "API version " STR_FMT ", which clusters may hold, is kept but not served: only " STR_FMT " is.",
                  STR_ARG(k->config.other_versions.v[i]), STR_ARG(k->version));
}

/* `flavours` share a model. */
static bool build_and_emit(struct generator *g, struct str type, const struct schema *schema, enum flavour flavours, bool first)
{
    arena_reset(g->kind_arena);
    struct resource_config config;
    enum flavour one = flavours & FLAVOUR_NAMESPACED ? FLAVOUR_NAMESPACED : FLAVOUR_CLUSTER;
    config_resolve(g->options->config, g->kind_arena, type, one, &config);
    struct notes ignored = {.arena = g->kind_arena}, *notes = first ? &g->done->notes : &ignored;
    struct kind kind;
    switch (kind_build(g->kind_arena, type, schema, &config, g->options->mode, notes, g->diags, &kind)) {
    case MODEL_FAILED:
        return false;
    case MODEL_REFUSED:
        return true;
    case MODEL_OK:
        break;
    }
    if (map_get(&g->plurals, type))
        kind.plural = str_of(map_get(&g->plurals, type));
    if (first)
        remember(g, &kind);
    note_versions(g, &kind);
    return emit_kind(g, &kind, flavours, notes) && (!first || !wants(g, EMIT_DOCS) || emit_page(g, &kind, g->options->flavours));
}

static bool generate_type(struct generator *g, struct str type, const struct schema *schema)
{
    enum flavour flavours = g->options->flavours;
    if (flavours != FLAVOUR_BOTH || !config_flavours_differ(g->options->config, type))
        return build_and_emit(g, type, schema, flavours, true);
    return build_and_emit(g, type, schema, FLAVOUR_NAMESPACED, true) && build_and_emit(g, type, schema, FLAVOUR_CLUSTER, false);
}

/* --- the configuration as a whole --- */

static bool same_first_word(struct str x, struct str y)
{
    return str_eq(str_cut(&x, '_'), str_cut(&y, '_'));
}

/* References to types of other providers cannot be checked. */
static void check_reference(const struct generate_options *o, const struct reference_rule *r, struct diags *diags)
{
    const struct map *types = &o->schema->resources;
    if (types->n == 0 || map_get(types, r->to) || !same_first_word(r->to, types->entries[0].key))
        return;
    struct str meant = map_closest(types, r->to);
    diags_fail(diags, "Unknown type", "%s:%u: the provider has no resource type \"" STR_FMT "\"%s" STR_FMT "%s.",
               o->config->source, r->line, STR_ARG(r->to), meant.n > 0 ? "; did you mean \"" : "", STR_ARG(meant),
               meant.n > 0 ? "\"" : "");
}

static void check_references(const struct generate_options *o, struct diags *diags)
{
    for (size_t i = 0; i < o->config->rules.n; i++)
        for (size_t j = 0; j < o->config->rules.v[i].fields.n; j++)
            if (o->config->rules.v[i].fields.v[j].set.reference)
                check_reference(o, o->config->rules.v[i].fields.v[j].set.reference, diags);
}

/* --- the report --- */

static const char *const note_names[] = {
    [NOTE_REPRESENTED] = "represented", [NOTE_REDUCED] = "reduced", [NOTE_REFUSED] = "refused"};

static void report_text(struct json_writer *w, const char *key, struct str text)
{
    json_key(w, str_of(key));
    json_write_string(w, text);
}

static void write_report(struct json_writer *w, const struct generate_options *o, const struct generated *done)
{
    json_begin_object(w);
    report_text(w, "provider", o->address);
    report_text(w, "version", o->version);
    report_text(w, "compat", o->mode == MODEL_UPJET ? STR("upjet") : STR_EMPTY);
    json_key(w, STR("kinds"));
    json_begin_array(w);
    for (size_t i = 0; i < done->kinds.n; i++) {
        const struct generated_kind *k = &done->kinds.v[i];
        json_begin_object(w);
        report_text(w, "type", k->type);
        report_text(w, "group", k->group);
        report_text(w, "kind", k->kind);
        report_text(w, "plural", k->plural);
        report_text(w, "version", k->version);
        json_key(w, STR("secrets"));
        json_begin_object(w);
        for (size_t j = 0; j < k->n_secrets; j++)
            report_text(w, k->secrets[j].terraform.p, k->secrets[j].object);
        json_end_object(w);
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, STR("notes"));
    json_begin_array(w);
    for (size_t i = 0; i < done->notes.n; i++) {
        const struct note *n = &done->notes.v[i];
        json_begin_object(w);
        report_text(w, "type", n->type);
        report_text(w, "path", n->path);
        report_text(w, "how", str_of(note_names[n->kind]));
        report_text(w, "note", n->text);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static bool add_report(struct generator *g)
{
    buf_clear(&g->text);
    struct json_writer w = {.out = &g->text, .indent = 1};
    write_report(&w, g->options, g->done);
    (void)json_finish(&w);
    buf_addc(&g->text, '\n');
    return output_add(g->out, STR("report.json"), buf_str(&g->text), g->diags);
}

void generated_summary(struct buf *out, const struct generated *g, size_t max_notes)
{
    size_t counts[3] = {0};
    for (size_t i = 0; i < g->notes.n; i++)
        counts[g->notes.v[i].kind]++;
    buf_printf(out, "%zu kinds; %zu represented in a way of our own, %zu reduced, %zu refused\n", g->kinds.n,
               counts[NOTE_REPRESENTED], counts[NOTE_REDUCED], counts[NOTE_REFUSED]);
    for (size_t i = 0; i < g->notes.n && i < max_notes; i++) {
        const struct note *n = &g->notes.v[i];
        buf_printf(out, "  " STR_FMT "%s" STR_FMT ": " STR_FMT "\n", STR_ARG(n->type), n->path.n > 0 ? " " : "", STR_ARG(n->path),
                   STR_ARG(n->text));
    }
    if (g->notes.n > max_notes)
        buf_printf(out, "  ... and %zu more in report.json\n", g->notes.n - max_notes);
}

/* --- all --- */

/* What speaks of all kinds together. */
static bool finish(struct generator *g)
{
    if (wants(g, EMIT_GO) && !go_types_finish(g->go, g->out, g->diags))
        return false;
    if (wants(g, EMIT_PACKAGE) && !package_emit(g->arena, g->options, g->done, g->out, g->diags))
        return false;
    if (wants(g, EMIT_DOCS)) {
        buf_clear(&g->text);
        page_write_index(&g->text, g->options, g->done);
        if (!output_add(g->out, STR("docs/README.md"), buf_str(&g->text), g->diags))
            return false;
    }
    return add_report(g);
}

static void collect_types(struct generator *g)
{
    const struct provider_schema *s = g->options->schema;
    for (size_t i = 0; i < s->resources.n; i++)
        map_put(&g->types, s->resources.entries[i].key, s->resources.entries[i].value);
    for (size_t i = 0; g->options->data_sources && i < s->data_sources.n; i++)
        map_put(&g->types, arena_printf(g->arena, DATA_SOURCE_PREFIX STR_FMT, STR_ARG(s->data_sources.entries[i].key)),
                s->data_sources.entries[i].value);
}

static bool generate_all(struct generator *g)
{
    const struct generate_options *o = g->options;
    const struct map *types = &g->types;
    bool ok = claim_names(g);
    for (size_t i = 0; i < types->n; i++) {
        if (is_wanted(o, types->entries[i].key))
            ok &= generate_type(g, types->entries[i].key, types->entries[i].value);
        if (o->progress)
            o->progress(o->progress_ctx, i + 1, types->n);
    }
    if (o->config->source && o->only.n == 0) {
        check_references(o, g->diags);
        (void)config_check_used(o->config, types, g->diags);
    }
    ok &= !diags_has_errors(g->diags);
    if (ok && g->done->kinds.n == 0)
        return diags_fail(g->diags, "Nothing to generate", "No resource type of the provider is asked for.");
    return ok && finish(g);
}

bool generate(struct arena *a, const struct generate_options *options, struct output *out, struct diags *diags,
              struct generated *ret)
{
    struct generated done = {.notes = {.arena = a}};
    struct generator g = {
        .arena = a,
        .kind_arena = arena_new(NULL, 0),
        .options = options,
        .out = out,
        .diags = diags,
        .text = BUF_INIT(CRD_MAX_TEXT),
        .done = &done,
    };
    map_init(&g.by_kind, a);
    map_init(&g.by_plural, a);
    map_init(&g.plurals, a);
    map_init(&g.types, a);
    collect_types(&g);
    if (options->emit & EMIT_GO)
        g.go = go_types_new(a, options->config->provider, &g.by_kind);
    bool ok = generate_all(&g);
    buf_free(&g.text);
    arena_free(g.kind_arena);
    if (ok)
        *ret = done;
    return ok;
}
