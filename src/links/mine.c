#include "links/mine.h"

#include "links/markdown.h"
#include "links/place.h"

enum { MAX_KEY = 2 * LINKS_MAX_NAME + 2 * LINKS_MAX_PATH + 8 };

/* A name bound to the elements of a resource: x in `for x in aws_subnet.a`, each.value, the iterator of a dynamic block. */
struct scope {
    const struct scope *outer;
    struct str name;
    bool by_value; /* the element is NAME.value, not NAME */
    const struct hcl_traversal *elements;
};

struct miner {
    struct link_mine *mine;
    struct arena *scratch;
    struct str type;                  /* of the resource */
    const struct schema_block *block; /* NULL: not known */
    struct buf path;
};

/* --- counting --- */

static void count(struct link_mine *m, const struct link_row *row)
{
    struct buf key BUF_AUTO = BUF_INIT(MAX_KEY);
    buf_printf(&key, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\t%d", STR_ARG(row->type), STR_ARG(row->path),
               STR_ARG(row->target), STR_ARG(row->attribute), (int)row->kind);
    if (!buf_ok(&key))
        return;
    size_t *number = map_get(&m->seen, buf_str(&key));
    if (number) {
        m->rows.v[*number].count++;
        return;
    }
    number = arena_make(m->arena, size_t);
    *number = m->rows.n;
    map_put(&m->seen, buf_copy(&key, m->arena), number);
    *VEC_PUSH(m->arena, &m->rows) = (struct link_row){
        .type = arena_str(m->arena, row->type),
        .path = arena_str(m->arena, row->path),
        .target = arena_str(m->arena, row->target),
        .attribute = arena_str(m->arena, row->attribute),
        .count = 1,
        .kind = row->kind,
    };
}

/* Is it a valid name of an attribute or type? */
static bool is_plain(struct str s)
{
    return s.n <= LINKS_MAX_NAME && link_path_is_valid(s, false) && str_find(s, '.', 0) == SIZE_MAX &&
           str_find(s, '[', 0) == SIZE_MAX && str_find(s, '{', 0) == SIZE_MAX;
}

/* Does the schema have both ends? Normalises their paths. */
static bool settle(struct miner *r, struct link_row *row)
{
    if (!r->mine->schema)
        return is_plain(row->type) && is_plain(row->target) && link_path_is_valid(row->path, false) &&
               link_path_is_valid(row->attribute, false);
    const struct schema *target = map_get(&r->mine->schema->resources, row->target);
    struct link_place here, there;
    if (!r->block || !target || link_place_find(r->scratch, r->block, row->path, PLACE_OF_EXAMPLE, &here) != PLACE_FOUND ||
        !here.settable || link_place_find(r->scratch, target->block, row->attribute, PLACE_OF_EXAMPLE, &there) != PLACE_FOUND)
        return false;
    row->path = here.path;
    row->attribute = there.path;
    return true;
}

/* --- what an expression refers to --- */

/* The attribute that steps lead to: .roots[0].id is roots[].id. Empty if it is not an attribute. */
static struct str attribute_of(struct miner *r, const struct hcl_step *steps, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(LINKS_MAX_PATH);
    if (n == 0 || steps[0].kind != HCL_STEP_ATTR)
        return STR_EMPTY;
    for (size_t i = 0; i < n; i++) {
        if (steps[i].kind == HCL_STEP_ATTR)
            buf_printf(&out, "%s" STR_FMT, i > 0 ? "." : "", STR_ARG(steps[i].name));
        else
            buf_addz(&out, steps[i].kind == HCL_STEP_INDEX && steps[i].index->kind == HCL_EXPR_STRING ? "{}" : "[]");
    }
    return buf_ok(&out) ? buf_copy(&out, r->scratch) : STR_EMPTY;
}

/* The number of steps in TYPE.NAME and its indices; *ret_many: they select several objects. */
static size_t steps_to_object(const struct hcl_traversal *t, bool *ret_many)
{
    size_t i = 1;
    bool many = false;
    for (; i < t->n && t->steps[i].kind != HCL_STEP_ATTR; i++)
        many |= t->steps[i].kind == HCL_STEP_SPLAT;
    *ret_many = many;
    return i;
}

static bool is_resource(const struct hcl_traversal *t)
{
    return t->n >= 1 && t->steps[0].kind == HCL_STEP_ATTR && str_find(t->root, '_', 0) != SIZE_MAX;
}

static const struct scope *find_scope(const struct scope *s, struct str name)
{
    while (s && !str_eq(s->name, name))
        s = s->outer;
    return s;
}

static bool target_of(struct miner *r, const struct hcl_traversal *t, const struct scope *scope, struct link_row *row,
                      bool *ret_many)
{
    const struct scope *bound = find_scope(scope, t->root);
    size_t from;
    *ret_many = false;
    if (bound) {
        from = bound->by_value;
        if (!bound->elements || (from > 0 && (t->n == 0 || !str_eqz(t->steps[0].name, "value"))))
            return false;
        row->target = bound->elements->root;
    } else {
        if (!is_resource(t))
            return false;
        from = steps_to_object(t, ret_many);
        row->target = t->root;
    }
    row->attribute = attribute_of(r, t->steps + from, t->n - from);
    return row->attribute.n > 0;
}

static void add_link(struct miner *r, const struct hcl_traversal *t, const struct scope *scope, enum link_kind kind)
{
    struct link_row row = {.type = r->type, .kind = kind};
    bool many;
    size_t before = r->path.n;
    if (!target_of(r, t, scope, &row, &many))
        return;
    if (many && kind == LINK_WHOLE && !str_ends(buf_str(&r->path), STR("[]")))
        buf_addz(&r->path, "[]");
    row.path = buf_str(&r->path);
    if (buf_ok(&r->path) && settle(r, &row))
        count(r->mine, &row);
    else
        r->mine->n_dropped++;
    r->path.n = before;
}

/* --- expressions --- */

/* What a function does with its arguments. */
enum passing { PASSES_NOTHING, PASSES_VALUES, PASSES_PARTS };

static enum passing passing_of(struct str function)
{
    static const char *const values[] = {"tostring", "tolist",   "toset",   "tomap", "concat",   "coalesce",  "coalescelist",
                                         "compact",  "distinct", "flatten", "sort",  "reverse",  "one",       "element",
                                         "try",      "values",   "merge",   "slice", "setunion", "sensitive", "nonsensitive"};
    static const char *const parts[] = {"format", "formatlist", "join", "jsonencode", "yamlencode", "templatefile"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (str_eqz(function, values[i]))
            return PASSES_VALUES;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (str_eqz(function, parts[i]))
            return PASSES_PARTS;
    return PASSES_NOTHING;
}

static void mine_expr(struct miner *r, const struct hcl_expr *e, const struct scope *scope, enum link_kind kind);

static void mine_exprs(struct miner *r, struct hcl_exprs list, const struct scope *scope, enum link_kind kind)
{
    for (size_t i = 0; i < list.n; i++)
        mine_expr(r, list.v[i], scope, kind);
}

/* Mines with `mark` appended to the path; inside a string template the path stays the same. */
static void mine_below(struct miner *r, const char *mark, const struct hcl_expr *e, const struct scope *scope,
                       enum link_kind kind)
{
    size_t before = r->path.n;
    if (kind == LINK_WHOLE)
        buf_addz(&r->path, mark);
    mine_expr(r, e, scope, kind);
    r->path.n = before;
}

static void mine_item(struct miner *r, const struct hcl_item *item, const struct scope *scope, enum link_kind kind)
{
    size_t before = r->path.n;
    bool named = item->key->kind == HCL_EXPR_STRING && is_plain(item->key->text);
    if (named && kind == LINK_WHOLE)
        buf_printf(&r->path, "." STR_FMT, STR_ARG(item->key->text));
    mine_below(r, named ? "" : "{}", item->value, scope, kind);
    r->path.n = before;
}

/* The resource whose elements an expression yields; NULL for any other expression. */
static const struct hcl_traversal *elements_of(const struct hcl_expr *e)
{
    while (e->kind == HCL_EXPR_CALL && e->call.args.n == 1 && passing_of(e->call.name) == PASSES_VALUES)
        e = e->call.args.v[0];
    if (e->kind != HCL_EXPR_TRAVERSAL || !is_resource(&e->traversal))
        return NULL;
    bool many;
    return steps_to_object(&e->traversal, &many) == e->traversal.n ? &e->traversal : NULL;
}

static void mine_for(struct miner *r, const struct hcl_for *loop, const struct scope *scope, enum link_kind kind)
{
    const struct scope key = {.outer = scope, .name = loop->key_name};
    const struct scope value = {.outer = &key, .name = loop->value_name, .elements = elements_of(loop->in)};
    mine_below(r, loop->key ? "{}" : "[]", loop->value, &value, kind);
}

static void mine_expr(struct miner *r, const struct hcl_expr *e, const struct scope *scope, enum link_kind kind)
{
    switch (e->kind) {
    case HCL_EXPR_TRAVERSAL:
        if (!e->traversal.of)
            add_link(r, &e->traversal, scope, kind);
        break;
    case HCL_EXPR_TEMPLATE:
        mine_exprs(r, e->parts, scope, LINK_PART);
        break;
    case HCL_EXPR_LIST:
        for (size_t i = 0; i < e->parts.n; i++)
            mine_below(r, "[]", e->parts.v[i], scope, kind);
        break;
    case HCL_EXPR_OBJECT:
        for (size_t i = 0; i < e->object.n; i++)
            mine_item(r, &e->object.v[i], scope, kind);
        break;
    case HCL_EXPR_CALL: {
        enum passing passing = passing_of(e->call.name);
        if (passing != PASSES_NOTHING)
            mine_exprs(r, e->call.args, scope, passing == PASSES_PARTS ? LINK_PART : kind);
        break;
    }
    case HCL_EXPR_CONDITION:
        mine_expr(r, e->parts.v[1], scope, kind);
        mine_expr(r, e->parts.v[2], scope, kind);
        break;
    case HCL_EXPR_FOR:
        mine_for(r, e->loop, scope, kind);
        break;
    case HCL_EXPR_NULL:
    case HCL_EXPR_BOOL:
    case HCL_EXPR_NUMBER:
    case HCL_EXPR_STRING:
    case HCL_EXPR_OPERATION:
        break;
    }
}

/* --- blocks --- */

static void mine_block(struct miner *r, const struct hcl_body *body, const struct scope *scope, bool top);

static void mine_named(struct miner *r, struct str name, const struct hcl_body *body, const struct scope *scope)
{
    size_t before = r->path.n;
    buf_printf(&r->path, "%s" STR_FMT, before > 0 ? "." : "", STR_ARG(name));
    mine_block(r, body, scope, false);
    r->path.n = before;
}

/* dynamic "NAME" { for_each = ... content { ... } } */
static void mine_dynamic(struct miner *r, const struct hcl_block *b, const struct scope *scope)
{
    const struct hcl_attr *for_each = hcl_body_attr(&b->body, "for_each"), *iterator = hcl_body_attr(&b->body, "iterator");
    struct scope inner = {.outer = scope, .name = b->labels[0], .by_value = true};
    if (for_each)
        inner.elements = elements_of(for_each->value);
    if (iterator && iterator->value->kind == HCL_EXPR_TRAVERSAL)
        inner.name = iterator->value->traversal.root;
    for (size_t i = 0; i < b->body.n_blocks; i++)
        if (str_eqz(b->body.blocks[i].type, "content"))
            mine_named(r, b->labels[0], &b->body.blocks[i].body, &inner);
}

static void mine_block(struct miner *r, const struct hcl_body *body, const struct scope *scope, bool top)
{
    static const char *const meta_arguments[] = {"count", "for_each", "provider", "depends_on", NULL};
    static const char *const meta_blocks[] = {"lifecycle", "connection", "provisioner", NULL};
    for (size_t i = 0; i < body->n_attrs; i++) {
        size_t before = r->path.n;
        if (top && str_is_one_of(body->attrs[i].name, meta_arguments))
            continue;
        buf_printf(&r->path, "%s" STR_FMT, before > 0 ? "." : "", STR_ARG(body->attrs[i].name));
        mine_expr(r, body->attrs[i].value, scope, LINK_WHOLE);
        r->path.n = before;
    }
    for (size_t i = 0; i < body->n_blocks; i++) {
        const struct hcl_block *b = &body->blocks[i];
        if (str_eqz(b->type, "dynamic") && b->n_labels == 1)
            mine_dynamic(r, b, scope);
        else if (!(top && str_is_one_of(b->type, meta_blocks)))
            mine_named(r, b->type, &b->body, scope);
    }
}

static void mine_resource(struct link_mine *m, struct arena *scratch, const struct hcl_block *b)
{
    struct miner r = {.mine = m, .scratch = scratch, .type = b->labels[0], .path = BUF_INIT(LINKS_MAX_PATH)};
    const struct schema *schema = m->schema ? map_get(&m->schema->resources, r.type) : NULL;
    const struct hcl_attr *for_each = hcl_body_attr(&b->body, "for_each");
    const struct scope each = {.name = STR("each"), .by_value = true, .elements = for_each ? elements_of(for_each->value) : NULL};
    r.block = schema ? schema->block : NULL;
    mine_block(&r, &b->body, &each, true);
    buf_free(&r.path);
}

void link_mine_init(struct link_mine *m, struct arena *a, const struct provider_schema *schema)
{
    *m = (struct link_mine){.arena = a, .schema = schema, .rows = {.arena = a}};
    map_init(&m->seen, a);
}

/* All resources of a body. */
static void mine_body(struct link_mine *m, const struct hcl_body *body)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < body->n_blocks; i++)
        if (str_eqz(body->blocks[i].type, "resource") && body->blocks[i].n_labels == 2)
            mine_resource(m, scratch, &body->blocks[i]);
}

static bool is_hcl(struct str language)
{
    static const char *const names[] = {"hcl", "terraform", "tf", "HCL", "Terraform", "opentofu", NULL};
    return str_is_one_of(language, names);
}

void link_mine_page(struct link_mine *m, struct str page, const char *source, struct diags *broken)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct markdown markdown = markdown_of(page);
    struct markdown_code code;
    m->n_pages++;
    while (markdown_next(&markdown, &code)) {
        if (!is_hcl(code.language))
            continue;
        arena_reset(scratch);
        m->n_examples++;
        const struct hcl_body *body = hcl_parse(scratch, code.text, source, code.line, broken);
        if (body)
            mine_body(m, body);
        else
            m->n_broken++;
    }
}
