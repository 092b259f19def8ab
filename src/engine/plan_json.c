/*
 * Writes three views of one value, all of the same shape: its known parts, where it is unknown, where it is sensitive. As in plan
 * JSON, sequences of every kind are arrays, and everything else with members is an object. A member that would be `false` is left
 * out; an array element stays, because positions matter.
 */
#include "engine/plan_json.h"

#include "engine/call_private.h"
#include "state/state_write.h"
#include "value/json_value.h"

#include <stdlib.h>

static bool has_members(const struct value *v)
{
    return v->type->kind == TYPE_MAP || v->type->kind == TYPE_OBJECT;
}

static bool is_whole(const struct value *v)
{
    return v->state == VALUE_NULL || type_is_primitive(v->type) || v->type->kind == TYPE_DYNAMIC;
}

static struct str member_name(const struct value *v, size_t i)
{
    return v->type->kind == TYPE_MAP ? v->keys[i] : v->type->attrs[i].name;
}

/* Writes the known parts: unknown members are left out, unknown elements are null. */
static bool write_known(struct json_writer *w, const struct value *v, struct diags *diags)
{
    if (v->wholly_known)
        return value_write_json(w, v, v->type, diags);
    if (v->state == VALUE_UNKNOWN) {
        json_write_null(w);
        return true;
    }
    bool members = has_members(v), ok = true;
    members ? json_begin_object(w) : json_begin_array(w);
    for (size_t i = 0; i < v->n && ok; i++) {
        if (members && v->elements[i]->state == VALUE_UNKNOWN)
            continue;
        if (members)
            json_key(w, member_name(v, i));
        ok = write_known(w, v->elements[i], diags);
    }
    if (ok)
        members ? json_end_object(w) : json_end_array(w);
    return ok;
}

static void write_unknown(struct json_writer *w, const struct value *v)
{
    if (v->state == VALUE_UNKNOWN || is_whole(v))
        return json_write_bool(w, v->state == VALUE_UNKNOWN);
    bool members = has_members(v);
    members ? json_begin_object(w) : json_begin_array(w);
    for (size_t i = 0; i < v->n; i++) {
        if (members && v->elements[i]->state != VALUE_UNKNOWN && is_whole(v->elements[i]))
            continue;
        if (members)
            json_key(w, member_name(v, i));
        write_unknown(w, v->elements[i]);
    }
    members ? json_end_object(w) : json_end_array(w);
}

/*
 * The sensitive marks at or below a place: the range of a sorted list whose paths all begin with the `depth` steps of that place.
 */
struct marked {
    const struct path *paths;
    size_t n, depth;
};

static bool is_marked(struct marked m)
{
    return m.n > 0 && m.paths[0].n == m.depth;
}

static bool leads_to(const struct path_step *step, const struct value *v, size_t i)
{
    switch (v->type->kind) {
    case TYPE_OBJECT:
        return step->kind == PATH_ATTR && str_eq(step->name, v->type->attrs[i].name);
    case TYPE_MAP:
        return step->kind == PATH_KEY && str_eq(step->name, v->keys[i]);
    case TYPE_LIST:
    case TYPE_TUPLE:
        return step->kind == PATH_INDEX && step->index == (int64_t)i;
    default:
        return false; /* a set is marked as a whole */
    }
}

static struct marked marked_inside(struct marked m, const struct value *v, size_t i)
{
    if (m.n == 0)
        return m;
    size_t from = 0;
    while (from < m.n && !leads_to(&m.paths[from].steps[m.depth], v, i))
        from++;
    size_t to = from;
    while (to < m.n && leads_to(&m.paths[to].steps[m.depth], v, i))
        to++;
    return (struct marked){m.paths + from, to - from, m.depth + 1};
}

static void write_sensitive(struct json_writer *w, const struct value *v, struct marked m)
{
    if (is_marked(m) || is_whole(v))
        return json_write_bool(w, is_marked(m));
    bool members = has_members(v);
    /* For a value that is wholly unknown, nothing is written about its parts. */
    size_t n = v->state == VALUE_UNKNOWN ? 0 : v->n;
    members ? json_begin_object(w) : json_begin_array(w);
    for (size_t i = 0; i < n; i++) {
        struct marked inside = marked_inside(m, v, i);
        if (members && !is_marked(inside) && is_whole(v->elements[i]))
            continue;
        if (members)
            json_key(w, member_name(v, i));
        write_sensitive(w, v->elements[i], inside);
    }
    members ? json_end_object(w) : json_end_array(w);
}

/* Paths */

void path_write_json(struct json_writer *w, struct path path)
{
    json_begin_array(w);
    for (size_t i = 0; i < path.n && path.steps[i].kind != PATH_ELEMENT; i++) {
        if (path.steps[i].kind == PATH_INDEX)
            json_write_int(w, path.steps[i].index);
        else
            json_write_string(w, path.steps[i].name);
    }
    json_end_array(w);
}

/*
 * Core keeps replace_paths in a hash table and prints them in the order of their hashes: CRC-64 (ISO) of the attribute names,
 * with # for every other step.
 */
static uint64_t crc64(uint64_t crc, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        crc ^= (unsigned char)bytes.p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ UINT64_C(0xD800000000000000) : crc >> 1;
    }
    return crc;
}

static int64_t path_hash(struct path path)
{
    uint64_t crc = UINT64_MAX;
    for (size_t i = 0; i < path.n; i++)
        crc = crc64(crc, path.steps[i].kind == PATH_ATTR ? path.steps[i].name : STR("#"));
    return (int64_t)~crc;
}

struct hashed_path {
    struct path path;
    int64_t hash;
    size_t order;
};

static int by_hash(const void *a, const void *b)
{
    const struct hashed_path *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void write_replace_paths(struct json_writer *w, struct arena *a, struct change_paths paths)
{
    struct hashed_path *sorted = arena_make_n(a, struct hashed_path, paths.n);
    for (size_t i = 0; i < paths.n; i++)
        sorted[i] = (struct hashed_path){paths.v[i], path_hash(paths.v[i]), i};
    qsort(sorted, paths.n, sizeof *sorted, by_hash);
    json_begin_array(w);
    for (size_t i = 0; i < paths.n; i++)
        path_write_json(w, sorted[i].path);
    json_end_array(w);
}

/* The plan */

static void write_actions(struct json_writer *w, const struct plan *plan)
{
    const char *names[3];
    change_action_list(plan->action, names);
    json_key(w, STR("actions"));
    json_begin_array(w);
    for (size_t i = 0; names[i]; i++)
        json_write_string(w, str_of(names[i]));
    json_end_array(w);
    if (!plan->reason)
        return;
    json_key(w, STR("action_reason"));
    json_write_string(w, str_of(plan->reason));
}

/* Is there no object, before or after? Core's plan has no entry for it. */
static bool is_of_nothing(const struct plan *plan)
{
    return !plan->prior.value && value_is_null(plan->planned);
}

static void write_nothing(struct json_writer *w)
{
    static const char *const names[] = {"before", "after", "after_unknown", "before_sensitive", "after_sensitive"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        json_key(w, str_of(names[i]));
        json_write_null(w);
    }
}

/* Writes a wholly known value as text, so that callers can use it more than once. */
static bool value_text(struct buf *out, const struct value *v, const struct type *type, struct diags *diags)
{
    struct json_writer w = {.out = out};
    if (!value_write_json(&w, v, type, diags))
        return false;
    return json_finish(&w) || diags_fail(diags, "Object too large", "An object has more than %d MiB, or is nested too deeply.",
                                         STATE_MAX_FILE >> 20);
}

/* `before` is the text of the existing object, which is also the text of `after` where nothing changes. */
static bool write_values(struct json_writer *w, struct engine *e, const struct resource *r, const struct plan *plan,
                         struct str before_text)
{
    const struct value *before = plan->prior.value ? plan->prior.value : value_null(e->arena, r->schema->type);
    json_key(w, STR("before"));
    json_write_raw(w, before_text);
    json_key(w, STR("after"));
    if (plan->planned == before)
        json_write_raw(w, before_text);
    else if (!write_known(w, plan->planned, e->diags))
        return false;
    json_key(w, STR("after_unknown"));
    if (plan->planned->wholly_known)
        json_write_raw(w, STR("{}"));
    else
        write_unknown(w, plan->planned);
    json_key(w, STR("before_sensitive"));
    write_sensitive(w, before, (struct marked){plan->before_sensitive.paths, plan->before_sensitive.n, 0});
    json_key(w, STR("after_sensitive"));
    write_sensitive(w, plan->planned, (struct marked){plan->after_sensitive.paths, plan->after_sensitive.n, 0});
    return true;
}

/* `attributes`: the object's, written by the schema's type. */
static bool write_stored(struct json_writer *w, struct engine *e, const struct resource *r, const struct object *o,
                         struct str attributes)
{
    struct state_instance instance;
    if (!engine_store_but_attributes(e, r, o, &instance))
        return false;
    instance.provider = STR_EMPTY;
    instance.n_dependencies = instance.n_depends_on = 0;
    instance.create_before_destroy = instance.skip_destroy = false;
    state_write_with_attributes(w, &instance, attributes);
    return true;
}

bool plan_write_json(struct json_writer *w, struct engine *e, const struct resource *r, const struct plan *plan)
{
    const struct value *prior = plan->prior.value;
    struct buf text BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    if (prior && !value_text(&text, prior, prior->type, e->diags))
        return false;
    write_actions(w, plan);
    if (is_of_nothing(plan))
        write_nothing(w);
    else if (!write_values(w, e, r, plan, prior ? buf_str(&text) : STR("null")))
        return false;
    json_key(w, STR("replace_paths"));
    write_replace_paths(w, e->arena, plan->replace_paths);
    json_key(w, STR("refreshed"));
    /* A state writes dynamic values together with their type, so its text differs. */
    if (!prior || r->schema->type->has_dynamic)
        return object_write_json(w, e, r, &plan->prior);
    return write_stored(w, e, r, &plan->prior, buf_str(&text));
}

bool object_write_json(struct json_writer *w, struct engine *e, const struct resource *r, const struct object *o)
{
    if (!o || !o->value) {
        json_write_null(w);
        return true;
    }
    struct buf text BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    return value_text(&text, o->value, r->schema->type, e->diags) && write_stored(w, e, r, o, buf_str(&text));
}

/* Diagnostics */

void diag_write_output_json(struct json_writer *w, const struct diag *d)
{
    if (d->output.n == 0)
        return;
    json_key(w, STR("output"));
    json_begin_array(w);
    for (struct str rest = d->output; rest.n > 0;)
        json_write_string(w, str_cut(&rest, '\n'));
    json_end_array(w);
}

void diags_write_json(struct json_writer *w, const struct diags *diags)
{
    json_begin_array(w);
    for (size_t i = 0; i < diags->n; i++) {
        const struct diag *d = &diags->v[i];
        json_begin_object(w);
        json_key(w, STR("severity"));
        json_write_string(w, d->severity == DIAG_ERROR ? STR("error") : STR("warning"));
        json_key(w, STR("summary"));
        json_write_string(w, d->summary);
        json_key(w, STR("detail"));
        json_write_string(w, d->detail);
        if (d->path.n > 0 && d->path.steps[0].kind != PATH_ELEMENT) {
            json_key(w, STR("path"));
            path_write_json(w, d->path);
        }
        diag_write_output_json(w, d);
        json_end_object(w);
    }
    json_end_array(w);
}
