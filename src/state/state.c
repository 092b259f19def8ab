/*
 * Finding and editing. The search for a resource is linear: files have tens to thousands of them, and an edit is followed by a
 * write of the whole file anyway.
 */
#include "state/state.h"

#include "base/buf.h"
#include "base/vec.h"
#include "value/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { MAX_ADDRESS_TEXT = 64 << 10 };

struct str state_new_uuid(struct arena *a)
{
    uint8_t b[16];
    /* So few bytes are never returned partially, and cannot fail once the kernel's generator is seeded. */
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        abort();
    b[6] = (uint8_t)(0x40 | (b[6] & 0x0f));
    b[8] = (uint8_t)(0x80 | (b[8] & 0x3f));
    return arena_printf(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4],
                        b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

struct state *state_new(struct arena *a)
{
    struct state *s = arena_make(a, struct state);
    s->arena = a;
    s->terraform_version = STR(STATE_TERRAFORM_VERSION);
    s->lineage = state_new_uuid(a);
    return s;
}

/* Keys and addresses */

int state_key_cmp(struct state_key a, struct state_key b)
{
    if (a.kind != b.kind)
        return (int)a.kind - (int)b.kind;
    switch (a.kind) {
    case STATE_KEY_NONE:
        return 0;
    case STATE_KEY_INT:
        return (a.number > b.number) - (a.number < b.number);
    case STATE_KEY_STRING:
        return str_cmp(a.text, b.text);
    }
    return 0;
}

bool state_key_eq(struct state_key a, struct state_key b)
{
    return state_key_cmp(a, b) == 0;
}

void state_key_write(struct buf *out, struct state_key key)
{
    if (key.kind == STATE_KEY_NONE)
        return;
    buf_addc(out, '[');
    if (key.kind == STATE_KEY_INT)
        buf_printf(out, "%" PRId64, key.number);
    else
        text_write_language(out, key.text);
    buf_addc(out, ']');
}

struct str state_address_text(struct arena *a, const struct state_address *address)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_ADDRESS_TEXT);
    if (address->module.n > 0) {
        buf_add(&out, address->module);
        buf_addc(&out, '.');
    }
    if (address->mode == STATE_DATA)
        buf_addz(&out, "data.");
    buf_printf(&out, STR_FMT "." STR_FMT, STR_ARG(address->type), STR_ARG(address->name));
    state_key_write(&out, address->key);
    if (address->deposed.n > 0)
        buf_printf(&out, " (deposed object " STR_FMT ")", STR_ARG(address->deposed));
    return buf_copy(&out, a);
}

/* Finding */

struct state_resource *state_find_resource(const struct state *s, const struct state_address *address)
{
    for (size_t i = 0; i < s->n_resources; i++) {
        struct state_resource *r = &s->resources[i];
        if (r->mode == address->mode && str_eq(r->name, address->name) && str_eq(r->type, address->type) &&
            str_eq(r->module, address->module))
            return r;
    }
    return NULL;
}

static struct state_instance *find_instance(const struct state_resource *r, const struct state_address *address)
{
    for (size_t i = 0; i < r->n; i++)
        if (state_key_eq(r->instances[i].key, address->key) && str_eq(r->instances[i].deposed, address->deposed))
            return &r->instances[i];
    return NULL;
}

struct state_instance *state_find(const struct state *s, const struct state_address *address)
{
    const struct state_resource *r = state_find_resource(s, address);
    return r ? find_instance(r, address) : NULL;
}

bool state_is_null(const struct state_instance *object)
{
    return object->attributes && object->attributes->kind == JSON_NULL;
}

struct str state_instance_id(const struct state_instance *object)
{
    if (object->attributes)
        return json_text(json_get(object->attributes, "id"), STR_EMPTY);
    for (size_t i = 0; i < object->flat.n; i++)
        if (str_eqz(object->flat.v[i].key, "id"))
            return object->flat.v[i].value;
    return STR_EMPTY;
}

bool state_visit_managed(const struct state *s, state_visit_fn *visit, void *ctx)
{
    for (size_t i = 0; i < s->n_resources; i++) {
        const struct state_resource *r = &s->resources[i];
        for (size_t k = 0; r->mode == STATE_MANAGED && k < r->n; k++)
            if (r->instances[k].deposed.n == 0 && !state_is_null(&r->instances[k]) && !visit(ctx, r, &r->instances[k]))
                return false;
    }
    return true;
}

/* Editing */

static struct state_resource *add_resource(struct state *s, const struct state_address *address)
{
    vec_reserve(s->arena, (void **)&s->resources, &s->resources_cap, s->n_resources + 1, sizeof *s->resources,
                alignof(struct state_resource));
    struct state_resource *r = &s->resources[s->n_resources++];
    *r = (struct state_resource){.module = address->module, .mode = address->mode, .type = address->type, .name = address->name};
    return r;
}

static struct state_instance *add_instance(struct state *s, struct state_resource *r)
{
    vec_reserve(s->arena, (void **)&r->instances, &r->cap, r->n + 1, sizeof *r->instances, alignof(struct state_instance));
    return &r->instances[r->n++];
}

void state_put(struct state *s, const struct state_address *address, struct str provider, const struct state_instance *object)
{
    struct state_resource *r = state_find_resource(s, address);
    if (!r)
        r = add_resource(s, address);
    if (provider.n > 0)
        r->provider = provider;
    struct state_instance *place = find_instance(r, address);
    if (!place)
        place = add_instance(s, r);
    *place = *object;
    place->key = address->key;
    place->deposed = address->deposed;
}

void state_append(struct state *s, const struct state_address *address, struct str provider, const struct state_instance *object)
{
    struct state_resource *r = add_resource(s, address);
    struct state_instance *place = add_instance(s, r);
    r->provider = provider;
    *place = *object;
    place->key = address->key;
    place->deposed = address->deposed;
}

bool state_remove(struct state *s, const struct state_address *address)
{
    struct state_resource *r = state_find_resource(s, address);
    struct state_instance *object = r ? find_instance(r, address) : NULL;
    if (!object)
        return false;
    struct state_instance *end = r->instances + r->n--;
    memmove(object, object + 1, (size_t)((char *)end - (char *)(object + 1)));
    if (r->n == 0) {
        struct state_resource *last = s->resources + s->n_resources--;
        memmove(r, r + 1, (size_t)((char *)last - (char *)(r + 1)));
    }
    return true;
}
