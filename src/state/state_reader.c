/*
 * Reads members by kind, and adds to the state. An index of addresses makes reading linear, and finds duplicate objects.
 */
#include "base/vec.h"
#include "state/state_reader_private.h"
#include "value/json_value.h"

#include <inttypes.h>
#include <stdlib.h>

void state_reader_init(struct state_reader *r, struct arena *a, const char *source, struct diags *diags)
{
    *r = (struct state_reader){.arena = a, .source = source, .diags = diags};
    map_init(&r->resources, a);
    map_init(&r->objects, a);
    map_init(&r->outputs, a);
}

bool state_fail_at(const struct state_reader *r, const struct json *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str what = arena_vprintf(r->diags->arena, format, args);
    va_end(args);
    return diags_fail(r->diags, "Invalid state file", "%s:%" PRIu32 ":%" PRIu32 ": " STR_FMT ".", r->source, at->line, at->column,
                      STR_ARG(what));
}

/* Members */

static const char *kind_name(enum json_kind kind)
{
    static const char *const names[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
    return names[kind];
}

/* The member, or NULL if it is absent or null; *ret_ok is false, with a diagnostic, if it has another kind. */
static const struct json *member(const struct state_reader *r, const struct json *object, const char *key, enum json_kind kind,
                                 bool *ret_ok)
{
    const struct json *j = json_get(object, key);
    *ret_ok = true;
    if (!j || j->kind == JSON_NULL)
        return NULL;
    if (j->kind == kind)
        return j;
    *ret_ok = state_fail_at(r, j, "expected \"%s\" to be %s, found %s", key, kind_name(kind), kind_name(j->kind));
    return NULL;
}

bool state_read_text(const struct state_reader *r, const struct json *object, const char *key, struct str *ret)
{
    bool ok;
    const struct json *j = member(r, object, key, JSON_STRING, &ok);
    if (j)
        *ret = j->text;
    return ok;
}

bool state_read_flag(const struct state_reader *r, const struct json *object, const char *key, bool *ret)
{
    bool ok;
    const struct json *j = member(r, object, key, JSON_BOOL, &ok);
    if (j)
        *ret = j->boolean;
    return ok;
}

/* Accepts digits only: state files have no other form of whole numbers. */
static bool u64_from_text(struct str text, uint64_t *ret)
{
    uint64_t value = 0;
    if (text.n == 0)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        unsigned digit = (unsigned)(text.p[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

bool state_read_u64(const struct state_reader *r, const struct json *object, const char *key, uint64_t *ret)
{
    bool ok;
    const struct json *j = member(r, object, key, JSON_NUMBER, &ok);
    if (j && !u64_from_text(j->text, ret))
        return state_fail_at(r, j, "expected \"%s\" to be a whole number, 0 or greater", key);
    return ok;
}

bool state_read_texts(const struct state_reader *r, const struct json *object, const char *key, const struct str **ret,
                      size_t *ret_n)
{
    bool ok;
    const struct json *j = member(r, object, key, JSON_ARRAY, &ok);
    if (!j)
        return ok;
    struct str *texts = arena_make_n(r->arena, struct str, j->array.n);
    for (size_t i = 0; i < j->array.n; i++) {
        const struct json *item = j->array.items[i];
        if (item->kind != JSON_STRING)
            return state_fail_at(r, item, "expected \"%s\" to contain strings, found %s", key, kind_name(item->kind));
        texts[i] = item->text;
    }
    *ret = texts;
    *ret_n = j->array.n;
    return true;
}

bool state_read_container(const struct state_reader *r, const struct json *object, const char *key, enum json_kind kind,
                          const struct json **ret)
{
    bool ok;
    const struct json *j = member(r, object, key, kind, &ok);
    if (ok)
        *ret = j;
    return ok;
}

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct flatmap_entry *)a)->key, ((const struct flatmap_entry *)b)->key);
}

bool state_read_flat(const struct state_reader *r, const struct json *object, const char *key, struct flatmap *ret)
{
    bool ok;
    const struct json *j = member(r, object, key, JSON_OBJECT, &ok);
    if (!j)
        return ok;
    struct flatmap_entry *entries = arena_make_n(r->arena, struct flatmap_entry, j->object.n);
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        if (m->value->kind != JSON_STRING && m->value->kind != JSON_NULL)
            return state_fail_at(r, m->value, "expected \"%s\" to contain strings, found %s", key, kind_name(m->value->kind));
        entries[i] = (struct flatmap_entry){m->key, json_text(m->value, STR_EMPTY)};
    }
    qsort(entries, j->object.n, sizeof *entries, by_key);
    *ret = (struct flatmap){entries, j->object.n};
    return true;
}

/* Adding */

/* The length before each text makes keys unambiguous, although texts may contain any character. */
static void add_text(struct buf *out, struct str text)
{
    buf_printf(out, "%zu ", text.n);
    buf_add(out, text);
}

static struct str index_key(struct arena *a, const struct state_address *x, bool object)
{
    struct buf out BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    buf_addc(&out, x->mode == STATE_DATA ? 'd' : 'm');
    add_text(&out, x->module);
    add_text(&out, x->type);
    add_text(&out, x->name);
    if (object) {
        buf_printf(&out, "%d %" PRId64 " ", (int)x->key.kind, x->key.number);
        add_text(&out, x->key.text);
        add_text(&out, x->deposed);
    }
    return buf_copy(&out, a);
}

struct state_resource *state_reader_resource(struct state_reader *r, const struct state_address *address)
{
    struct state *s = r->state;
    struct str key = index_key(r->arena, address, false);
    /* The index has positions, not pointers, because the array of resources moves when it grows. */
    const size_t *known = map_get(&r->resources, key);
    if (known)
        return &s->resources[*known];
    vec_reserve(s->arena, (void **)&s->resources, &s->resources_cap, s->n_resources + 1, sizeof *s->resources,
                alignof(struct state_resource));
    size_t *position = arena_make(r->arena, size_t);
    *position = s->n_resources++;
    struct state_resource *resource = &s->resources[*position];
    *resource =
        (struct state_resource){.module = address->module, .mode = address->mode, .type = address->type, .name = address->name};
    map_put(&r->resources, key, position);
    return resource;
}

bool state_reader_add(struct state_reader *r, const struct state_address *address, struct state_resource *resource,
                      const struct state_instance *object, const struct json *at)
{
    if (!map_add(&r->objects, index_key(r->arena, address, true), r))
        return state_fail_at(r, at, "%s is in this file twice", state_address_text(r->arena, address).p);
    if (arena_exhausted(r->arena))
        return state_fail_at(r, at, "the state needs more memory than is set aside for it");
    vec_reserve(r->arena, (void **)&resource->instances, &resource->cap, resource->n + 1, sizeof *resource->instances,
                alignof(struct state_instance));
    struct state_instance *place = &resource->instances[resource->n++];
    *place = *object;
    place->key = address->key;
    place->deposed = address->deposed;
    return true;
}

bool state_reader_add_output(struct state_reader *r, const struct json_member *m, const struct type *type, bool sensitive,
                             struct str deprecated)
{
    struct state *s = r->state;
    struct diags why;
    diags_init(&why, r->arena);
    if (!map_add(&r->outputs, m->key, r))
        return state_fail_at(r, m->value, "the output \"" STR_FMT "\" is in this file twice", STR_ARG(m->key));
    const struct value *value = value_from_json(r->arena, m->value, type, PATH_ROOT, &why);
    if (!value)
        return state_fail_at(r, m->value, "the value of the output \"" STR_FMT "\" is not of its type: " STR_FMT, STR_ARG(m->key),
                             STR_ARG(why.v[0].detail));
    vec_reserve(r->arena, (void **)&s->outputs, &s->outputs_cap, s->n_outputs + 1, sizeof *s->outputs,
                alignof(struct state_output));
    s->outputs[s->n_outputs++] =
        (struct state_output){.name = m->key, .value = value, .sensitive = sensitive, .deprecated = deprecated};
    return true;
}
