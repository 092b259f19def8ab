#include "generate/generate.h"

#include "crossplane/catalogue.h"
#include "crossplane/text.h"
#include "generate/example.h"
#include "generate/go_types.h"
#include "generate/package.h"
#include "generate/page.h"
#include "schema/schema_check.h"

enum { MAX_SHOWN = 1000 }; /* bytes of text in a message */

/* Keeps only what the report needs; everything else of a kind is freed before the next one is built. */
struct generator {
    struct arena *arena, *kind_arena;
    const struct generate_options *options;
    struct xp_catalogue names;
    struct output *out;
    struct diags *diags;
    struct buf text;
    struct go_types *go; /* NULL: not requested */
    struct generated *done;
};

static struct str keep(struct generator *g, struct str s)
{
    return arena_str(g->arena, s);
}

/* --- one kind --- */

static bool wants(const struct generator *g, enum emit what)
{
    return g->options->emit & what;
}

/* Adds the file FOLDER/GROUP_PLURAL.EXTENSION with the contents of `text`. */
static bool add_file(struct generator *g, const char *folder, struct str group, const struct xp_kind *k, const char *extension)
{
    struct str path =
        arena_printf(g->kind_arena, "%s/" STR_FMT "_" STR_FMT ".%s", folder, STR_ARG(group), STR_ARG(k->plural), extension);
    return output_add(g->out, path, buf_str(&g->text), g->diags);
}

static bool emit_crd(struct generator *g, const struct xp_kind *k, enum xp_flavour flavour, struct xp_notes *notes)
{
    buf_clear(&g->text);
    return crd_write(&g->text, k, flavour, g->options->webhook, notes, g->diags) &&
           add_file(g, "crds", xp_kind_group(g->kind_arena, k, flavour), k, "yaml");
}

static bool emit_example(struct generator *g, const struct xp_kind *k, enum xp_flavour flavour)
{
    buf_clear(&g->text);
    example_write(&g->text, k, flavour);
    return add_file(g, "examples", xp_kind_group(g->kind_arena, k, flavour), k, "yaml");
}

static bool emit_page(struct generator *g, const struct xp_kind *k, enum xp_flavour flavours)
{
    buf_clear(&g->text);
    page_write(&g->text, k, &g->done->notes, flavours);
    return add_file(g, "docs", k->group.n > 0 ? k->group : STR("root"), k, "md");
}

static bool emit_flavour(struct generator *g, const struct xp_kind *k, enum xp_flavour flavour, struct xp_notes *notes)
{
    return (!wants(g, EMIT_CRDS) || emit_crd(g, k, flavour, notes)) &&
           (!wants(g, EMIT_GO) || go_types_add(g->go, k, flavour, g->out, g->diags)) &&
           (!wants(g, EMIT_EXAMPLES) || emit_example(g, k, flavour));
}

/* Both flavours would make the same notes, so only one of them gets `notes`. */
static bool emit_kind(struct generator *g, const struct xp_kind *k, enum xp_flavour flavours, struct xp_notes *notes)
{
    struct xp_notes ignored = {.arena = g->kind_arena};
    for (unsigned f = FLAVOUR_CLUSTER; f <= FLAVOUR_NAMESPACED; f <<= 1) {
        if (!(flavours & f))
            continue;
        if (!emit_flavour(g, k, (enum xp_flavour)f, notes))
            return false;
        notes = &ignored;
    }
    return true;
}

static const struct xp_secret *keep_secrets(struct generator *g, const struct xp_kind *k)
{
    struct xp_secret *kept = arena_make_n(g->arena, struct xp_secret, k->n_secrets);
    for (size_t i = 0; i < k->n_secrets; i++) {
        kept[i] = k->secrets[i];
        kept[i].terraform = keep(g, kept[i].terraform);
        kept[i].object = keep(g, kept[i].object);
    }
    return kept;
}

static void remember(struct generator *g, const struct xp_kind *k)
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

static void note_versions(struct generator *g, const struct xp_kind *k)
{
    for (size_t i = 0; i < k->config.other_versions.n && !g->options->webhook; i++)
        xp_notes_add(&g->done->notes, NOTE_REDUCED, k->terraform_type, STR_EMPTY,
                     "API version " STR_FMT ", which clusters may hold, is kept but not served: only " STR_FMT " is.",
                     STR_ARG(k->config.other_versions.v[i]), STR_ARG(k->version));
}

/* Reports an error that concerns only one type, which is skipped; the others are generated. */
static void refuse_type(struct generator *g, struct str type, struct str mistake)
{
    const struct xp_notes *notes = &g->done->notes;
    if (notes->n > 0 && str_eq(notes->v[notes->n - 1].type, type) && str_eq(notes->v[notes->n - 1].text, mistake))
        return; /* already reported for the other flavour */
    xp_notes_add(&g->done->notes, NOTE_REFUSED, type, STR_EMPTY, STR_FMT, STR_ARG(mistake));
    diags_warn(g->diags, "Resource type left out", STR_FMT ": " STR_FMT, STR_ARG(type), STR_ARG(mistake));
}

/* `flavours` share a model. */
static bool build_and_emit(struct generator *g, struct str type, const struct schema *schema, enum xp_flavour flavours,
                           bool first)
{
    arena_reset(g->kind_arena);
    struct xp_resource_config config;
    enum xp_flavour one = flavours & FLAVOUR_NAMESPACED ? FLAVOUR_NAMESPACED : FLAVOUR_CLUSTER;
    xp_config_resolve(g->options->config, g->kind_arena, type, one, &config);
    struct xp_notes ignored = {.arena = g->kind_arena}, *notes = first ? &g->done->notes : &ignored;
    struct xp_kind kind;
    if (config.external_name.mistake.n > 0) {
        refuse_type(g, type, config.external_name.mistake);
        return true;
    }
    switch (xp_kind_build(g->kind_arena, type, schema, &config, notes, g->diags, &kind)) {
    case MODEL_FAILED:
        return false;
    case MODEL_REFUSED:
        return true;
    case MODEL_OK:
        break;
    }
    xp_catalogue_name(&g->names, &kind);
    if (first)
        remember(g, &kind);
    note_versions(g, &kind);
    return emit_kind(g, &kind, flavours, notes) && (!first || !wants(g, EMIT_DOCS) || emit_page(g, &kind, g->options->flavours));
}

static bool generate_type(struct generator *g, struct str type, const struct schema *schema)
{
    enum xp_flavour flavours = g->options->flavours;
    if (flavours != FLAVOUR_BOTH || !xp_config_flavours_differ(g->options->config, type))
        return build_and_emit(g, type, schema, flavours, true);
    return build_and_emit(g, type, schema, FLAVOUR_NAMESPACED, true) && build_and_emit(g, type, schema, FLAVOUR_CLUSTER, false);
}

/* --- the configuration as a whole --- */

static bool same_first_word(struct str x, struct str y)
{
    return str_eq(str_cut(&x, '_'), str_cut(&y, '_'));
}

/* References to types of other providers cannot be checked. */
static void check_reference(const struct generate_options *o, const struct xp_reference_rule *r, struct diags *diags)
{
    const struct map *types = &o->schema->resources;
    if (types->n == 0 || map_get(types, r->to) || !same_first_word(r->to, types->entries[0].key))
        return;
    struct str meant = map_closest(types, r->to);
    diags_fail(diags, "Unknown type", "%s:%u: the provider has no resource type \"" STR_FMT "\"%s" STR_FMT "%s.", r->source->name,
               r->line, STR_ARG(r->to), meant.n > 0 ? "; did you mean \"" : "", STR_ARG(meant), meant.n > 0 ? "\"" : "");
}

static void check_references(const struct generate_options *o, struct diags *diags)
{
    for (size_t i = 0; i < o->config->rules.n; i++)
        for (size_t j = 0; j < o->config->rules.v[i].fields.n; j++)
            if (o->config->rules.v[i].fields.v[j].set.reference && !o->config->rules.v[i].source->shipped)
                check_reference(o, o->config->rules.v[i].fields.v[j].set.reference, diags);
}

/* --- the report --- */

static const char *const note_names[] = {
    [NOTE_REPRESENTED] = "represented", [NOTE_REDUCED] = "reduced", [NOTE_REFUSED] = "refused"};

void generated_write_json(struct json_writer *w, const struct generated *done)
{
    json_key(w, STR("kinds"));
    json_begin_array(w);
    for (size_t i = 0; i < done->kinds.n; i++) {
        const struct generated_kind *k = &done->kinds.v[i];
        json_begin_object(w);
        json_put_text(w, "type", k->type);
        json_put_text(w, "group", k->group);
        json_put_text(w, "kind", k->kind);
        json_put_text(w, "plural", k->plural);
        json_put_text(w, "version", k->version);
        json_key(w, STR("secrets"));
        json_begin_object(w);
        for (size_t j = 0; j < k->n_secrets; j++)
            json_put_text(w, k->secrets[j].terraform.p, k->secrets[j].object);
        json_end_object(w);
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, STR("notes"));
    json_begin_array(w);
    for (size_t i = 0; i < done->notes.n; i++) {
        const struct xp_note *n = &done->notes.v[i];
        json_begin_object(w);
        json_put_text(w, "type", n->type);
        json_put_text(w, "path", n->path);
        json_put_text(w, "how", str_of(note_names[n->kind]));
        json_put_text(w, "note", n->text);
        json_end_object(w);
    }
    json_end_array(w);
}

static void write_report(struct json_writer *w, const struct generate_options *o, const struct generated *done)
{
    json_begin_object(w);
    json_put_text(w, "provider", o->address);
    json_put_text(w, "version", o->version);
    json_put_text(w, "compat", str_of(xp_compat_name(o->config->compat)));
    generated_write_json(w, done);
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
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    size_t counts[3] = {0};
    for (size_t i = 0; i < g->notes.n; i++)
        counts[g->notes.v[i].kind]++;
    buf_printf(out, "%zu kinds; %zu represented in a way of our own, %zu reduced, %zu refused\n", g->kinds.n,
               counts[NOTE_REPRESENTED], counts[NOTE_REDUCED], counts[NOTE_REFUSED]);
    for (size_t i = 0; i < g->notes.n && i < max_notes; i++) {
        const struct xp_note *n = &g->notes.v[i];
        buf_printf(out, "  " STR_FMT "%s" STR_FMT ": " STR_FMT "\n", STR_ARG(xp_text_line(scratch, n->type, MAX_SHOWN)),
                   n->path.n > 0 ? " " : "", STR_ARG(xp_text_line(scratch, n->path, MAX_SHOWN)),
                   STR_ARG(xp_text_line(scratch, n->text, MAX_SHOWN)));
    }
    if (g->notes.n > max_notes)
        buf_printf(out, "  ... and %zu more in report.json\n", g->notes.n - max_notes);
}

/* --- all --- */

/* Writes the files about all kinds. */
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

/* The provider's own names are in every file, so an invalid one fails the whole run. */
static bool check_provider(struct generator *g)
{
    const struct generate_options *o = g->options;
    struct str path;
    if (!xp_config_check_provider(o->config->provider, g->diags))
        return false;
    if (o->schema->provider && schema_bad_name(g->arena, STR("provider"), o->schema->provider, &path))
        return diags_fail(g->diags, "Invalid provider schema",
                          "\"" STR_FMT
                          "\" in the configuration of the provider is not a name that Terraform can write. This is a "
                          "bug in the provider.",
                          STR_ARG(xp_text_line(g->arena, path, MAX_SHOWN)));
    return true;
}

static bool generate_all(struct generator *g)
{
    const struct generate_options *o = g->options;
    const struct map *types = &g->names.types;
    bool ok = xp_catalogue_claim(&g->names, g->diags);
    for (size_t i = 0; i < types->n; i++) {
        if (xp_catalogue_wants(&g->names, types->entries[i].key))
            ok &= generate_type(g, types->entries[i].key, types->entries[i].value);
        if (o->progress)
            o->progress(o->progress_ctx, i + 1, types->n);
    }
    if (o->config->source && o->only.n == 0) {
        check_references(o, g->diags);
        (void)xp_config_check_used(o->config, types, g->diags);
    }
    ok &= !diags_has_errors(g->diags);
    if (ok && g->done->kinds.n == 0)
        return diags_fail(g->diags, "Nothing to generate", "The filters select no resource type of the provider.");
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
    xp_catalogue_collect(&g.names, a, options->schema, options->config, options->data_sources, options->only, &done.notes);
    if (options->emit & EMIT_GO)
        g.go = go_types_new(a, options->config->provider, &g.names.by_kind);
    bool ok = check_provider(&g) && generate_all(&g);
    buf_free(&g.text);
    arena_free(g.kind_arena);
    if (ok)
        *ret = done;
    return ok;
}
