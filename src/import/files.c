#include "import/files.h"

#include "change/change.h"
#include "hcl/from_value.h"
#include "hcl/write.h"
#include "import/names.h"
#include "state/state_write.h"
#include "value/json_value.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_FILE = 1 << 30 };

/* One run of writing. */
struct writer {
    const struct import_writing *in;
    struct arena *arena;
    struct arena *trees; /* of the trees for .tf.json, which are written at the end */
    struct import_files *files;
    struct map variables; /* used names */
    struct diags *diags;
};

/* The state of writing one object. */
struct object_writer {
    struct writer *writer;
    struct arena *arena; /* of the expression tree */
    size_t item;         /* number of the object; SIZE_MAX: a provider block */
    struct str address;
    struct marks sensitive;
    struct marks unread; /* made-up values become variables: one place to enter the real value */
    struct map known;    /* path -> variable, so that both syntaxes use the same ones */
};

struct str import_provider_name(struct str address)
{
    for (size_t i = address.n; i-- > 0;)
        if (address.p[i] == '/')
            return str_slice(address, i + 1, address.n);
    return address;
}

struct str import_provider_source(struct str address)
{
    static const struct str hosts[] = {{"registry.terraform.io/", 22}, {"registry.opentofu.org/", 22}};
    for (size_t i = 0; i < 2; i++)
        if (str_starts(address, hosts[i]))
            return str_slice(address, hosts[i].n, address.n);
    return address;
}

/* --- trees --- */

static const struct hcl_expr *bool_expr(struct arena *a, bool b)
{
    struct hcl_expr *e = arena_make(a, struct hcl_expr);
    e->kind = HCL_EXPR_BOOL;
    e->boolean = b;
    return e;
}

static const struct hcl_expr *name_expr(struct arena *a, struct str name)
{
    return hcl_make_traversal(a, name, NULL, 0);
}

struct body {
    VEC(struct hcl_attr) attrs;
    VEC(struct hcl_block) blocks;
};

static void add_attr(struct writer *w, struct body *b, const char *name, const struct hcl_expr *value)
{
    *VEC_PUSH(w->trees, &b->attrs) = (struct hcl_attr){.name = str_of(name), .value = value};
}

static struct hcl_body body_of(const struct body *b)
{
    return (struct hcl_body){b->attrs.v, b->attrs.n, b->blocks.v, b->blocks.n};
}

static struct hcl_block make_block(struct arena *a, const char *type, const struct str *labels, size_t n, struct hcl_body body)
{
    struct str *copy = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++)
        copy[i] = labels[i];
    return (struct hcl_block){.type = str_of(type), .labels = copy, .n_labels = n, .body = body};
}

/* --- variables --- */

static const struct hcl_expr *make_variable(struct object_writer *o, struct path at, const struct value *v)
{
    struct writer *w = o->writer;
    struct str path = path_text(o->arena, at);
    const struct str *known = map_get(&o->known, path);
    if (known)
        return hcl_make_traversal(o->arena, STR("var"), known, 1);
    struct str base = import_snake(w->arena, arena_printf(o->arena, STR_FMT "_" STR_FMT, STR_ARG(o->address), STR_ARG(path)));
    struct str *name = arena_make(o->arena, struct str);
    *name = base;
    for (size_t n = 2; !map_add(&w->variables, *name, w); n++)
        *name = arena_printf(w->arena, STR_FMT "_%zu", STR_ARG(base), n);
    struct str what =
        arena_printf(w->arena, STR_FMT " of " STR_FMT "%s", STR_ARG(path), STR_ARG(o->address),
                     marks_cover(o->unread, at) ? "; the provider does not return it, so the value is a placeholder" : "");
    *VEC_PUSH(w->arena, &w->files->variables) = (struct import_variable){
        .name = *name, .description = what, .value = v, .made_up = !marks_cover(o->sensitive, at) && marks_cover(o->unread, at)};
    map_put(&o->known, path, name);
    return hcl_make_traversal(o->arena, STR("var"), name, 1);
}

/* Providers do not mark all of their secrets as sensitive. */
static bool sounds_secret(struct str name)
{
    static const char *const words[] = {"secret", "password", "token", "private_key", "access_key", "api_key", "credential"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t k = 0; k + strlen(words[i]) <= name.n; k++)
            if (memcmp(name.p + k, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

static const struct hcl_expr *instead(void *ctx, struct path at, const struct value *v)
{
    struct object_writer *o = ctx;
    if (v->state != VALUE_KNOWN || at.n == 0)
        return NULL;
    const struct path_step *last = &at.steps[at.n - 1];
    bool secret = marks_cover(o->sensitive, at) || marks_cover(o->unread, at) ||
                  (o->item == SIZE_MAX && v->type->kind == TYPE_STRING && last->kind == PATH_ATTR && sounds_secret(last->name) &&
                   !str_starts(v->string, STR("http"))); /* the endpoint of secretsmanager */
    return secret ? make_variable(o, at, v) : NULL;
}

static const struct hcl_expr *instead_of_text(void *ctx, struct path at, const struct value *v)
{
    struct object_writer *o = ctx;
    const struct import_writing *in = o->writer->in;
    if (o->item == SIZE_MAX || !in->references)
        return NULL;
    return references_expr(in->references, o->arena, o->item, at, v->string);
}

/* --- objects --- */

static const struct hcl_expr *path_expr(struct arena *a, struct path path)
{
    struct hcl_expr *e = arena_make(a, struct hcl_expr);
    struct hcl_step *steps = arena_make_n(a, struct hcl_step, path.n);
    for (size_t i = 1; i < path.n; i++) {
        const struct path_step *p = &path.steps[i];
        struct hcl_expr *index = arena_make(a, struct hcl_expr);
        index->kind = p->kind == PATH_INDEX ? HCL_EXPR_NUMBER : HCL_EXPR_STRING;
        index->text = p->kind == PATH_INDEX ? arena_printf(a, "%" PRId64, p->index) : p->name;
        steps[i - 1] =
            (struct hcl_step){.kind = p->kind == PATH_ATTR ? HCL_STEP_ATTR : HCL_STEP_INDEX, .name = p->name, .index = index};
    }
    e->kind = HCL_EXPR_TRAVERSAL;
    e->traversal = (struct hcl_traversal){.root = path.steps[0].name, .steps = steps, .n = path.n - 1};
    return e;
}

static bool has_path(struct change_paths paths, struct path path)
{
    size_t i = 0;
    while (i < paths.n && !path_eq(paths.v[i], path))
        i++;
    return i < paths.n;
}

static struct str why_ignored(struct arena *a, const struct configured *c)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < c->ignored.n; i++) {
        buf_addz(&out, i > 0 ? "\n" : "");
        path_write(&out, c->ignored.v[i]);
        buf_addz(&out, has_path(c->unread, c->ignored.v[i]) ? ": the provider does not return it, so the value is a placeholder."
                                                            : ": the provider plans a change of it, whatever is written.");
    }
    return buf_copy(&out, a);
}

static struct hcl_block lifecycle(struct arena *a, const struct configured *c)
{
    const struct hcl_expr **paths = arena_make_n(a, const struct hcl_expr *, c->ignored.n);
    for (size_t i = 0; i < c->ignored.n; i++)
        paths[i] = path_expr(a, c->ignored.v[i]);
    struct hcl_attr *attr = arena_make(a, struct hcl_attr);
    *attr = (struct hcl_attr){.name = STR("ignore_changes"), .value = hcl_make_list(a, paths, c->ignored.n)};
    struct hcl_block b = make_block(a, "lifecycle", NULL, 0, (struct hcl_body){.attrs = attr, .n_attrs = 1});
    b.comment = why_ignored(a, c);
    return b;
}

static void add_first(struct arena *a, struct hcl_body *body, struct hcl_attr attr)
{
    struct hcl_attr *attrs = arena_make_n(a, struct hcl_attr, body->n_attrs + 1);
    attrs[0] = attr;
    if (body->n_attrs > 0)
        memcpy(attrs + 1, body->attrs, body->n_attrs * sizeof *attrs);
    body->attrs = attrs;
    body->n_attrs++;
}

/* provider = aws.us_east_1 */
static void add_provider(struct object_writer *o, const struct import_region *region, struct hcl_body *body)
{
    struct str name = import_provider_name(o->writer->in->provider_address);
    const struct hcl_expr *to = hcl_make_traversal(o->arena, name, &region->alias, 1);
    add_first(o->arena, body, (struct hcl_attr){.name = STR("provider"), .value = to});
}

static struct hcl_block object_block(struct object_writer *o, const struct import_item *item, bool json)
{
    struct writer *w = o->writer;
    struct arena *a = o->arena;
    const struct configured *c = &item->result->configured;
    struct hcl_from from = {.arena = a, .instead = instead, .text = instead_of_text, .ctx = o, .no_functions = json};
    struct hcl_body body = hcl_from_object(&from, item->result->resource.schema->block, PATH_ROOT, c->config);
    if (c->ignored.n > 0) {
        struct hcl_block *blocks = arena_make_n(a, struct hcl_block, body.n_blocks + 1);
        if (body.n_blocks > 0)
            memcpy(blocks, body.blocks, body.n_blocks * sizeof *blocks);
        blocks[body.n_blocks] = lifecycle(a, c);
        body.blocks = blocks;
        body.n_blocks++;
    }
    const struct import_region *region = import_region_named(&w->in->regions, item->region);
    if (region)
        add_provider(o, region, &body);
    struct hcl_block b = make_block(a, "resource", (struct str[]){item->type, item->name}, 2, body);
    b.comment = w->in->references ? references_doubts(w->in->references, a, o->item) : STR_EMPTY;
    return b;
}

/* --- files --- */

static void add_file(struct writer *w, struct str path, struct str content, enum output_care care, unsigned to)
{
    *VEC_PUSH(w->arena, &w->files->files) = (struct import_file){.path = path, .content = content, .care = care, .to = to};
}

static struct str file_name(const struct writer *w, struct str name, const char *suffix)
{
    return arena_printf(w->arena, "%s" STR_FMT "%s", w->in->into ? "imported_" : "", STR_ARG(name), suffix);
}

static bool too_large(struct writer *w, struct str name)
{
    return diags_fail(w->diags, "File too large", STR_FMT ".tf would be larger than 1 GiB.", STR_ARG(name));
}

static bool add_json(struct writer *w, struct str name, const struct hcl_body *body, unsigned more)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
    struct json_writer j = {.out = &text, .indent = 2};
    if (!w->in->json)
        return true;
    hcl_write_json(&j, body);
    bool ok = json_finish(&j);
    buf_addc(&text, '\n');
    if (!ok || !buf_ok(&text))
        return too_large(w, name);
    add_file(w, file_name(w, name, ".tf.json"), buf_copy(&text, w->arena), OUTPUT_PLAIN, IMPORT_TO_JSON | more);
    return true;
}

/* Writes NAME.tf and, if requested, NAME.tf.json with the same blocks, from separate trees. */
static bool add_both(struct writer *w, struct str name, const struct hcl_body *native, const struct hcl_body *json, unsigned more)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
    hcl_write(&text, native);
    if (!buf_ok(&text))
        return too_large(w, name);
    add_file(w, file_name(w, name, ".tf"), buf_copy(&text, w->arena), OUTPUT_PLAIN, IMPORT_TO_HCL | more);
    return add_json(w, name, json, more);
}

/* Numbers of the imported objects, sorted by type and name: the order in files. */
struct order {
    size_t *v;
    size_t n;
};

/* The file for objects of this type. */
static struct str file_of(const struct import_writing *in, struct str type)
{
    return in->one_file ? STR("main") : in->service ? in->service(in->ctx, type) : type;
}

static int by_file_and_name(const void *x, const void *y, void *ctx)
{
    const struct import_writing *in = ctx;
    const struct import_item *a = &in->list->items.v[*(const size_t *)x], *b = &in->list->items.v[*(const size_t *)y];
    int order = in->service ? str_cmp(file_of(in, a->type), file_of(in, b->type)) : 0;
    order = order ? order : str_cmp(a->type, b->type);
    return order ? order : str_cmp(a->name, b->name);
}

static struct order order_of(struct writer *w)
{
    const struct worklist *list = w->in->list;
    struct order o = {.v = arena_make_n(w->arena, size_t, list->items.n)};
    for (size_t i = 0; i < list->items.n; i++)
        if (list->items.v[i].result && list->items.v[i].place != IMPORT_MANAGED)
            o.v[o.n++] = i;
    if (o.n > 0)
        qsort_r(o.v, o.n, sizeof *o.v, by_file_and_name, (void *)(uintptr_t)w->in);
    return o;
}

/* Appends the object to the text of its file; keeps only the tree for .tf.json. */
static void make_object(struct writer *w, size_t i, struct buf *text, struct hcl_block *ret_json)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct import_item *item = &w->in->list->items.v[i];
    struct object_writer o = {
        .writer = w,
        .arena = scratch,
        .item = i,
        .address = arena_printf(scratch, STR_FMT "." STR_FMT, STR_ARG(item->type), STR_ARG(item->name)),
        .sensitive = item->result->sensitive,
        .unread = marks_make(scratch, item->result->configured.unread.v, item->result->configured.unread.n),
    };
    map_init(&o.known, scratch);
    struct hcl_block native = object_block(&o, item, false);
    hcl_write(text, &(struct hcl_body){.blocks = &native, .n_blocks = 1});
    o.arena = w->trees;
    if (w->in->json)
        *ret_json = object_block(&o, item, true);
}

/* Writes the objects of one file: entries `from` to `to` of the order. */
static bool make_object_file(struct writer *w, const struct order *order, size_t from, size_t to)
{
    const struct worklist *list = w->in->list;
    struct str name = file_of(w->in, list->items.v[order->v[from]].type);
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
    struct hcl_block *json = arena_make_n(w->trees, struct hcl_block, w->in->json ? to - from : 1);
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        struct str *object = &w->files->objects[order->v[i]];
        if (list->items.v[order->v[i]].place != IMPORT_NEW)
            continue;
        buf_addz(&text, n > 0 ? "\n" : "");
        size_t start = text.n;
        make_object(w, order->v[i], &text, &json[w->in->json ? n : 0]);
        *object = (struct str){NULL, text.n - start};
        n++;
    }
    if (!buf_ok(&text))
        return too_large(w, name);
    if (n == 0)
        return true;
    /* Each object's text is a slice of the file's. */
    struct str content = buf_copy(&text, w->arena);
    size_t at = 0;
    for (size_t i = from; i < to; i++) {
        struct str *object = &w->files->objects[order->v[i]];
        if (object->n == 0)
            continue;
        object->p = content.p + at;
        at += object->n + 1;
    }
    add_file(w, file_name(w, name, ".tf"), content, OUTPUT_PLAIN, IMPORT_TO_HCL);
    return add_json(w, name, &(struct hcl_body){.blocks = json, .n_blocks = n}, 0);
}

static bool make_objects(struct writer *w, const struct order *order)
{
    const struct worklist *list = w->in->list;
    for (size_t from = 0, to; from < order->n; from = to) {
        struct str file = file_of(w->in, list->items.v[order->v[from]].type);
        for (to = from; to < order->n && str_eq(file_of(w->in, list->items.v[order->v[to]].type), file);)
            to++;
        if (!make_object_file(w, order, from, to))
            return false;
    }
    return true;
}

/* ~> 5.100: the proven version and later ones without breaking changes. */
static struct str version_wanted(struct arena *a, struct str version)
{
    struct str rest = version, major = str_cut(&rest, '.'), minor = str_cut(&rest, '.');
    int64_t n;
    return str_to_i64(major, &n) && str_to_i64(minor, &n) && str_find(version, '-', 0) == SIZE_MAX
               ? arena_printf(a, "~> " STR_FMT "." STR_FMT, STR_ARG(major), STR_ARG(minor))
               : version;
}

static struct hcl_block terraform_block(struct writer *w)
{
    struct arena *a = w->arena;
    struct hcl_item *items = arena_make_n(a, struct hcl_item, 2);
    struct str version = w->in->provider_version;
    items[0] =
        (struct hcl_item){hcl_make_string(a, STR("source")), hcl_make_string(a, import_provider_source(w->in->provider_address))};
    items[1] = (struct hcl_item){hcl_make_string(a, STR("version")), hcl_make_string(a, version_wanted(a, version))};
    struct body required = {0}, body = {0};
    add_attr(w, &required, import_provider_name(w->in->provider_address).p, hcl_make_object(a, items, version.n > 0 ? 2 : 1));
    *VEC_PUSH(a, &body.blocks) = make_block(a, "required_providers", NULL, 0, body_of(&required));
    return make_block(a, "terraform", NULL, 0, body_of(&body));
}

/* Writes one provider block in both syntaxes. `region` NULL: the provider itself. False with a diagnostic. */
static bool provider_block(struct writer *w, const struct json *config, const struct import_region *region, struct map *known,
                           struct hcl_block *ret, struct hcl_block *ret_json)
{
    struct arena *a = w->arena;
    const struct schema_block *schema = w->in->schema->provider->block;
    struct str name = import_provider_name(w->in->provider_address);
    struct object_writer o = {.writer = w, .arena = a, .item = SIZE_MAX, .address = name, .known = *known};
    const struct value *v = change_config_read(a, schema, config, NULL, w->diags);
    if (!v)
        return false;
    o.sensitive = change_sensitive(a, schema, v);
    struct hcl_from from = {.arena = a, .instead = instead, .ctx = &o};
    struct hcl_body native = hcl_from_object(&from, schema, PATH_ROOT, v);
    from.no_functions = true;
    struct hcl_body json = hcl_from_object(&from, schema, PATH_ROOT, v);
    if (region) {
        struct hcl_attr alias = {.name = STR("alias"), .value = hcl_make_string(a, region->alias)};
        add_first(a, &native, alias);
        add_first(a, &json, alias);
    }
    *known = o.known;
    *ret = make_block(a, "provider", &name, 1, native);
    *ret_json = make_block(a, "provider", &name, 1, json);
    return true;
}

static bool make_provider(struct writer *w)
{
    struct arena *a = w->arena;
    const struct json *config = w->in->provider_config;
    size_t most = 2 + w->in->regions.n, n = 1;
    struct hcl_block *blocks = arena_make_n(a, struct hcl_block, most), *in_json = arena_make_n(a, struct hcl_block, most);
    struct map known; /* one variable for the same secret in all regions */
    map_init(&known, a);
    blocks[0] = in_json[0] = terraform_block(w);
    /* Without a configuration all settings are in the environment. */
    if (config && config->object.n > 0) {
        if (!provider_block(w, config, NULL, &known, &blocks[n], &in_json[n]))
            return false;
        n++;
    }
    for (size_t i = 0; i < w->in->regions.n; i++, n++)
        if (!provider_block(w, w->in->regions.v[i].config, &w->in->regions.v[i], &known, &blocks[n], &in_json[n]))
            return false;
    return add_both(w, STR("providers"), &(struct hcl_body){.blocks = blocks, .n_blocks = n},
                    &(struct hcl_body){.blocks = in_json, .n_blocks = n}, 0);
}

static const char *type_name(const struct value *v)
{
    return v->type->kind == TYPE_STRING   ? "string"
           : v->type->kind == TYPE_NUMBER ? "number"
           : v->type->kind == TYPE_BOOL   ? "bool"
                                          : NULL;
}

static bool make_variables(struct writer *w)
{
    struct arena *a = w->trees;
    struct body body = {0}, values = {0};
    struct hcl_from from = {.arena = a, .no_functions = true}; /* .tfvars allows no functions */
    for (size_t i = 0; i < w->files->variables.n; i++) {
        const struct import_variable *v = &w->files->variables.v[i];
        struct body b = {0};
        add_attr(w, &b, "description", hcl_make_string(a, v->description));
        if (type_name(v->value))
            add_attr(w, &b, "type", name_expr(a, str_of(type_name(v->value))));
        if (!v->made_up)
            add_attr(w, &b, "sensitive", bool_expr(a, true));
        *VEC_PUSH(a, &body.blocks) = make_block(a, "variable", &v->name, 1, body_of(&b));
        *VEC_PUSH(a, &values.attrs) = (struct hcl_attr){.name = v->name, .value = hcl_from_value(&from, PATH_ROOT, v->value)};
    }
    if (w->files->variables.n == 0)
        return true;
    struct hcl_body all = body_of(&body), vars = body_of(&values);
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
    struct str name = w->in->into ? STR("imported.auto.tfvars") : STR("terraform.tfvars");
    hcl_write(&text, &vars);
    if (!buf_ok(&text))
        return diags_fail(w->diags, "File too large", STR_FMT " would be larger than 1 GiB.", STR_ARG(name));
    add_file(w, name, buf_copy(&text, w->arena), OUTPUT_SECRET, IMPORT_TO_HCL | IMPORT_TO_JSON);
    return add_both(w, STR("variables"), &all, &all, 0);
}

static bool make_imports(struct writer *w, const struct order *order)
{
    struct arena *a = w->trees;
    struct body body = {0};
    struct hcl_from from = {.arena = a};
    for (size_t i = 0; w->in->imports && i < order->n; i++) {
        const struct import_item *item = &w->in->list->items.v[order->v[i]];
        const struct schema_identity *schema = item->result->resource.identity;
        struct body b = {0};
        add_attr(w, &b, "to", hcl_make_traversal(a, item->type, &item->name, 1));
        if (!item->identity) {
            add_attr(w, &b, "id", hcl_make_string(a, item->id));
        } else {
            struct hcl_item *parts = arena_make_n(a, struct hcl_item, item->identity->object.n);
            for (size_t k = 0; k < item->identity->object.n; k++) {
                const struct json_member *m = &item->identity->object.members[k];
                size_t at = schema ? type_attr_find(schema->type, m->key) : SIZE_MAX;
                const struct value *v =
                    at == SIZE_MAX ? NULL : value_from_json(a, m->value, schema->type->attrs[at].type, PATH_ROOT, w->diags);
                if (!v)
                    return diags_fail(w->diags, "Invalid identity", STR_FMT "." STR_FMT " cannot be written as an import block.",
                                      STR_ARG(item->type), STR_ARG(item->name));
                parts[k] = (struct hcl_item){hcl_make_string(a, m->key), hcl_from_value(&from, PATH_ROOT, v)};
            }
            add_attr(w, &b, "identity", hcl_make_object(a, parts, item->identity->object.n));
        }
        *VEC_PUSH(a, &body.blocks) = make_block(a, "import", NULL, 0, body_of(&b));
    }
    struct hcl_body all = body_of(&body);
    return !w->in->imports || add_both(w, STR("imports"), &all, &all, IMPORT_TO_IMPORTS);
}

/* --- state --- */

/* Derived from the objects: a repeated run writes the same bytes. */
static struct str lineage_of(struct writer *w, const struct order *order)
{
    uint64_t high = str_hash(w->in->provider_address, 1), low = str_hash(w->in->provider_address, 2);
    for (size_t i = 0; i < order->n; i++) {
        const struct import_item *item = &w->in->list->items.v[order->v[i]];
        struct str what = worklist_key(w->trees, item->type, item->key, item->region);
        high = str_hash(what, high);
        low = str_hash(what, low);
    }
    return arena_printf(w->arena, "%08" PRIx64 "-%04" PRIx64 "-8%03" PRIx64 "-%04" PRIx64 "-%012" PRIx64, high >> 32,
                        high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000, low & 0xffffffffffff);
}

static bool make_state(struct writer *w, const struct order *order)
{
    struct state *s = state_new(w->trees);
    s->serial = 1;
    s->lineage = lineage_of(w, order);
    struct str provider = arena_printf(w->arena, "provider[\"" STR_FMT "\"]", STR_ARG(w->in->provider_address));
    for (size_t i = 0; i < order->n; i++) {
        const struct import_item *item = &w->in->list->items.v[order->v[i]];
        struct state_instance instance = item->result->instance;
        if (w->in->references) {
            struct str_list others = references_of(w->in->references, w->trees, order->v[i]);
            instance.dependencies = others.v;
            instance.n_dependencies = others.n;
        }
        const struct import_region *region = import_region_named(&w->in->regions, item->region);
        struct str of =
            region ? arena_printf(w->trees, STR_FMT "." STR_FMT, STR_ARG(provider), STR_ARG(region->alias)) : provider;
        struct state_address address = {.type = item->type, .name = item->name};
        state_append(s, &address, of, &instance);
    }
    struct buf text BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    if (!state_write(&text, s, w->diags))
        return false;
    add_file(w, STR("terraform.tfstate"), buf_copy(&text, w->arena), OUTPUT_STATE, IMPORT_TO_STATE);
    return true;
}

bool import_make_files(const struct import_writing *in, struct diags *diags, struct import_files *ret)
{
    struct import_files files = {.objects = arena_make_n(in->arena, struct str, in->list->items.n)};
    struct arena *trees ARENA_AUTO = arena_new(NULL, 0);
    struct writer w = {.in = in, .arena = in->arena, .trees = trees, .files = &files, .diags = diags};
    map_init(&w.variables, in->arena);
    struct order order = order_of(&w);
    for (size_t i = 0; i < in->list->reserved.n; i++) {
        struct str name = in->list->reserved.entries[i].key;
        if (str_starts(name, STR("var.")))
            map_put(&w.variables, str_slice(name, 4, name.n), &w);
    }
    if (!(in->into || make_provider(&w)) || !make_objects(&w, &order) || !make_variables(&w) || !make_imports(&w, &order) ||
        !(in->into || make_state(&w, &order)))
        return false;
    if (!in->into)
        add_file(&w, STR(".gitignore"),
                 STR("terraform.tfvars\n*.tfstate\n*.tfstate.*\n.terraform/\n.terrane-import.jsonl\n"
                     "manifests/*/secrets.yaml\nmanifests/*/provider-config.yaml\n"),
                 OUTPUT_PLAIN, 0);
    *ret = files;
    return true;
}
