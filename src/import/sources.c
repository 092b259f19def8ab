/* Files that list objects. */
#include "base/file.h"
#include "hcl/hcl.h"
#include "import/worklist.h"
#include "state/state_read.h"

#include <stdlib.h>

static const char *where_of(struct arena *a, const char *source, size_t line)
{
    return arena_printf(a, "%s:%zu", source, line).p;
}

/* --- lines --- */

static struct str next_word(struct str *rest)
{
    *rest = str_trim(*rest);
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ' ' && rest->p[n] != '\t')
        n++;
    struct str word = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return word;
}

static bool read_lines(struct worklist *w, struct str text, const char *source, struct diags *diags)
{
    for (size_t number = 1; text.n > 0; number++) {
        struct str line = str_trim(str_cut(&text, '\n'));
        if (line.n == 0 || line.p[0] == '#')
            continue;
        struct import_item item = {.type = next_word(&line)};
        item.id = next_word(&line);
        item.name = next_word(&line);
        const char *where = where_of(w->arena, source, number);
        if (str_trim(line).n > 0)
            return diags_fail(diags, "Invalid object",
                              "%s: expected TYPE ID [NAME]. An id with blanks in it can be given in a .csv file.", where);
        if (!worklist_add(w, &item, where, diags))
            return false;
    }
    return true;
}

/* --- CSV --- */

enum { CSV_FIELDS = 3 };

/* Reads the next field; *ret_last: it ends a line. False: a quote is not closed. */
static bool csv_field(struct arena *a, struct str *rest, size_t *line, struct str *ret, bool *ret_last)
{
    struct buf out BUF_AUTO = BUF_INIT(WORKLIST_MAX_FILE);
    size_t i = 0;
    bool quoted = rest->n > 0 && rest->p[0] == '"', open = quoted;
    for (i = quoted; i < rest->n && (open || (rest->p[i] != ',' && rest->p[i] != '\n')); i++) {
        bool quote = quoted && rest->p[i] == '"';
        if (quote && i + 1 < rest->n && rest->p[i + 1] == '"')
            buf_addc(&out, rest->p[++i]);
        else if (quote)
            open = false;
        else
            buf_addc(&out, rest->p[i]);
        *line += rest->p[i] == '\n';
    }
    *ret_last = i >= rest->n || rest->p[i] == '\n';
    *line += i < rest->n && rest->p[i] == '\n';
    *rest = str_slice(*rest, i + 1, rest->n);
    *ret = str_trim(buf_copy(&out, a));
    return !open;
}

static bool read_csv(struct worklist *w, struct str text, const char *source, struct diags *diags)
{
    for (size_t line = 1; text.n > 0;) {
        struct str fields[CSV_FIELDS] = {STR_EMPTY, STR_EMPTY, STR_EMPTY};
        const char *where = where_of(w->arena, source, line);
        bool first = line == 1, last = false;
        for (size_t n = 0; !last; n++) {
            struct str field;
            if (!csv_field(w->arena, &text, &line, &field, &last))
                return diags_fail(diags, "Invalid CSV", "%s: a quote is not closed.", where);
            if (n < CSV_FIELDS)
                fields[n] = field;
        }
        bool heading = first && str_eq_nocase(fields[0], STR("type")) && str_eq_nocase(fields[1], STR("id"));
        if (heading || (fields[0].n == 0 && fields[1].n == 0))
            continue;
        struct import_item item = {.type = fields[0], .id = fields[1], .name = fields[2]};
        if (!worklist_add(w, &item, where, diags))
            return false;
    }
    return true;
}

/* --- import blocks --- */

static const struct json *json_of(struct arena *a, const struct hcl_expr *e)
{
    switch (e->kind) {
    case HCL_EXPR_STRING:
        return json_make_string(a, e->text);
    case HCL_EXPR_NUMBER:
        return json_make_number(a, e->text);
    case HCL_EXPR_BOOL:
        return json_make_bool(a, e->boolean);
    case HCL_EXPR_NULL:
        return json_make_null(a);
    default:
        return NULL;
    }
}

static const struct json *identity_of(struct arena *a, const struct hcl_expr *e)
{
    if (e->kind != HCL_EXPR_OBJECT)
        return NULL;
    struct json_member *members = arena_make_n(a, struct json_member, e->object.n);
    for (size_t i = 0; i < e->object.n; i++) {
        const struct hcl_item *item = &e->object.v[i];
        const struct json *value = json_of(a, item->value);
        if (item->key->kind != HCL_EXPR_STRING || !value)
            return NULL;
        members[i] = (struct json_member){.key = item->key->text, .value = value};
    }
    return json_make_object(a, members, e->object.n);
}

/* TYPE.NAME */
static bool target_of(const struct hcl_expr *e, struct import_item *item)
{
    if (e->kind != HCL_EXPR_TRAVERSAL || e->traversal.of || e->traversal.n != 1 || e->traversal.steps[0].kind != HCL_STEP_ATTR ||
        str_eqz(e->traversal.root, "module") || str_eqz(e->traversal.root, "data"))
        return false;
    item->type = e->traversal.root;
    item->name = e->traversal.steps[0].name;
    return true;
}

static bool read_block(struct worklist *w, const struct hcl_block *b, const char *source, struct diags *diags)
{
    const char *where = where_of(w->arena, source, b->at.line);
    const struct hcl_attr *to = hcl_body_attr(&b->body, "to"), *id = hcl_body_attr(&b->body, "id");
    const struct hcl_attr *identity = hcl_body_attr(&b->body, "identity");
    struct import_item item = {.id = STR_EMPTY};
    if (!to || !target_of(to->value, &item))
        return diags_fail(diags, "Import block cannot be used",
                          "%s: `to` must be TYPE.NAME, of the root module and without index.", where);
    if (id && id->value->kind == HCL_EXPR_STRING)
        item.id = id->value->text;
    else if (identity)
        item.identity = identity_of(w->arena, identity->value);
    if (item.id.n == 0 && !item.identity)
        return diags_fail(diags, "Import block cannot be used",
                          "%s: `id` must be a string, or `identity` an object of strings, numbers and bools; expressions are not "
                          "evaluated here.",
                          where);
    return worklist_add(w, &item, where, diags);
}

static bool read_blocks(struct worklist *w, struct str text, const char *source, struct diags *diags)
{
    const struct hcl_body *body = hcl_parse(w->arena, text, source, 1, diags);
    for (size_t i = 0; body && i < body->n_blocks; i++)
        if (str_eqz(body->blocks[i].type, "import") && !read_block(w, &body->blocks[i], source, diags))
            return false;
    return body != NULL;
}

/* --- a state --- */

struct stored_state {
    const struct state *state;
    struct map by_address; /* address -> struct state_instance *; filled on first use */
};

/* Reads each state file once. NULL with a diagnostic. */
static struct stored_state *state_of(struct worklist *w, struct str path, struct diags *diags)
{
    struct stored_state *s = map_get(&w->states, path);
    struct str text;
    if (s || !file_read(w->arena, arena_str(w->arena, path).p, STATE_MAX_FILE, diags, &text))
        return s;
    const struct state *state = state_read(w->arena, text, arena_str(w->arena, path).p, diags);
    if (!state)
        return NULL;
    s = arena_make(w->arena, struct stored_state);
    s->state = state;
    map_init(&s->by_address, w->arena);
    map_put(&w->states, arena_str(w->arena, path), s);
    return s;
}

static struct str stored_address(struct arena *a, const struct state_resource *r, const struct state_instance *i)
{
    struct state_address address = {.module = r->module, .mode = r->mode, .type = r->type, .name = r->name, .key = i->key};
    return state_address_text(a, &address);
}

struct stored_visit {
    struct worklist *list;
    struct str path;
    struct diags *diags;
};

static bool visit_object(void *ctx, const struct state_resource *r, const struct state_instance *i)
{
    struct stored_visit *v = ctx;
    struct arena *a = v->list->arena;
    struct import_item item = {.type = r->type, .from = v->path, .at = stored_address(a, r, i), .stored = i};
    item.id = state_instance_id(i);
    if (item.id.n == 0)
        item.id = item.at;
    if (r->module.n == 0 && i->key.kind == STATE_KEY_NONE)
        item.name = r->name;
    return worklist_add(v->list, &item, where_of(a, arena_str(a, v->path).p, 1), v->diags);
}

static bool read_state(struct worklist *w, const char *source, struct diags *diags)
{
    /* Keeps the absolute path: a resumed run may be in another folder. */
    char *whole = realpath(source, NULL);
    struct str path = arena_str(w->arena, str_of(whole ? whole : source));
    free(whole);
    const struct stored_state *s = state_of(w, path, diags);
    struct stored_visit v = {.list = w, .path = path, .diags = diags};
    return s && state_visit_managed(s->state, visit_object, &v);
}

static bool index_object(void *ctx, const struct state_resource *r, const struct state_instance *i)
{
    struct map *by_address = ctx;
    map_put(by_address, stored_address(by_address->arena, r, i), (void *)(uintptr_t)i);
    return true;
}

/* Finds the instance of an object that came from a state file. */
static bool find_stored(struct worklist *w, struct import_item *item, const char *where, struct diags *diags)
{
    struct stored_state *s = state_of(w, item->from, diags);
    if (!s)
        return false;
    if (s->by_address.n == 0)
        (void)state_visit_managed(s->state, index_object, &s->by_address);
    item->stored = map_get(&s->by_address, item->at);
    return item->stored || diags_fail(diags, "Invalid work list", "%s: " STR_FMT " does not have \"" STR_FMT "\" any more.",
                                      where, STR_ARG(item->from), STR_ARG(item->at));
}

/* --- an older list --- */

static bool status_named(struct str name, enum import_status *ret)
{
    for (enum import_status s = 0; s < IMPORT_STATUS_COUNT; s++)
        if (str_eqz(name, import_status_name(s))) {
            *ret = s;
            return true;
        }
    return false;
}

static bool has_region(const struct worklist *w, struct str name)
{
    size_t i = 0;
    while (i < w->regions.n && !str_eq(w->regions.v[i], name))
        i++;
    return i < w->regions.n;
}

static bool read_object(struct worklist *w, const struct json *j, const char *source, struct diags *diags)
{
    const char *where = where_of(w->arena, source, j->line);
    struct import_item item = {
        .type = json_text(json_get(j, "type"), STR_EMPTY),
        .id = json_text(json_get(j, "id"), STR_EMPTY),
        .identity = json_get(j, "identity"),
        .name = json_text(json_get(j, "name"), STR_EMPTY),
        .error = json_text(json_get(j, "error"), STR_EMPTY),
        .region = json_text(json_get(j, "region"), STR_EMPTY),
    };
    struct str status = json_text(json_get(j, "status"), STR("waiting"));
    if (j->kind != JSON_OBJECT || (item.identity && item.identity->kind != JSON_OBJECT))
        return diags_fail(diags, "Invalid work list", "%s: expected an object with type, id and status.", where);
    if (!status_named(status, &item.status))
        return diags_fail(diags, "Invalid work list",
                          "%s: \"" STR_FMT
                          "\" is not a status. Expected one of waiting, clean, repaired, ignored, failed, skipped.",
                          where, STR_ARG(status));
    if (item.region.n > 0 && !has_region(w, item.region))
        return diags_fail(diags, "Invalid work list", "%s: \"" STR_FMT "\" is not one of the list's `regions`.", where,
                          STR_ARG(item.region));
    item.from = json_text(json_get(j, "state"), STR_EMPTY);
    item.at = json_text(json_get(j, "at"), STR_EMPTY);
    if (item.from.n > 0 && !find_stored(w, &item, where, diags))
        return false;
    return worklist_add(w, &item, where, diags);
}

static bool read_left_out(struct worklist *w, const struct json *j, const char *source, struct diags *diags)
{
    struct left_out o = {.type = json_text(json_get(j, "type"), STR_EMPTY), .why = json_text(json_get(j, "why"), STR_EMPTY)};
    struct str reason = json_text(json_get(j, "reason"), STR_EMPTY);
    int64_t n = json_int(json_get(j, "objects"), 0);
    o.n = n > 0 ? (size_t)n : 0;
    for (o.kind = 0; o.kind < LEFT_OUT_COUNT; o.kind++)
        if (str_eqz(reason, left_out_name(o.kind))) {
            worklist_leave_out(w, &o);
            return true;
        }
    return diags_fail(diags, "Invalid work list", "%s: expected one of owned, failed, unlisted and untagged as `reason`.",
                      where_of(w->arena, source, j->line));
}

static bool read_list(struct worklist *w, struct str text, const char *source, struct diags *diags)
{
    const struct json *j = json_parse(w->arena, text, source, diags);
    const struct json *objects = json_get(j, "objects");
    if (!j)
        return false;
    if (json_int(json_get(j, "version"), 0) != 1 || !objects || objects->kind != JSON_ARRAY)
        return diags_fail(diags, "Invalid work list", "%s: expected {\"version\": 1, \"objects\": [...]}.", source);
    const struct json *regions = json_get(j, "regions");
    for (size_t i = 0; regions && regions->kind == JSON_ARRAY && i < regions->array.n; i++) {
        struct str name = json_text(regions->array.items[i], STR_EMPTY);
        if (name.n > 0 && !has_region(w, name))
            *VEC_PUSH(w->arena, &w->regions) = arena_str(w->arena, name);
    }
    for (size_t i = 0; i < objects->array.n; i++)
        if (!read_object(w, objects->array.items[i], source, diags))
            return false;
    const struct json *left_out = json_get(j, "left_out");
    for (size_t i = 0; left_out && left_out->kind == JSON_ARRAY && i < left_out->array.n; i++)
        if (!read_left_out(w, left_out->array.items[i], source, diags))
            return false;
    return true;
}

bool worklist_read(struct worklist *w, struct str text, const char *source, struct diags *diags)
{
    struct str name = str_of(source);
    text = arena_str(w->arena, text);
    if (str_ends(name, STR(".tfstate")))
        return read_state(w, source, diags);
    if (str_ends(name, STR(".csv")))
        return read_csv(w, text, source, diags);
    if (str_ends(name, STR(".tf")))
        return read_blocks(w, text, source, diags);
    if (str_ends(name, STR(".json")))
        return read_list(w, text, source, diags);
    return read_lines(w, text, source, diags);
}
