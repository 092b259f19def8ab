/*
 * Messages that many others contain. Compiled for protocol 5 and for 6. Each filter works in both directions; see codec.h.
 */
#include "protocol/codec_private.h"

#include <stdlib.h>

/* Values */

static PB(DynamicValue) * write_value(struct coding *c, const char *field, const struct value *v, const struct type *t)
{
    if (!v || !t)
        return NULL;
    PB(DynamicValue) *wire = message_new(c->scratch, PB_DESCRIPTOR(dynamic_value));
    wire->msgpack = to_wire(value_to_msgpack(c, field, v, t));
    return wire->msgpack.len > 0 ? wire : NULL;
}

static const struct value *read_value(struct coding *c, const char *field, const PB(DynamicValue) * wire, const struct type *t)
{
    if (!wire || !t)
        return NULL;
    return value_from_wire(c, field, from_wire(wire->msgpack), from_wire(wire->json), t);
}

void filter_value(struct coding *c, const char *field, PB(DynamicValue) * *wire, const struct value **plain, const struct type *t)
{
    if (coding_is_writing(c))
        *wire = write_value(c, field, *plain, t);
    else
        *plain = read_value(c, field, *wire, t);
}

void filter_identity(struct coding *c, const char *field, PB(ResourceIdentityData) * *wire, const struct value **plain,
                     struct str type_name)
{
    const struct type *t = c->schema ? coding_identity_type(c, type_name) : NULL;
    if (coding_is_writing(c)) {
        PB(DynamicValue) *value = write_value(c, field, *plain, t);
        if (!value)
            return;
        *wire = message_new(c->scratch, PB_DESCRIPTOR(resource_identity_data));
        (*wire)->identity_data = value;
        return;
    }
    bool failed = c->failed;
    *plain = *wire ? read_value(c, field, (*wire)->identity_data, t) : NULL;
    if (c->direction == RESPONSE_IN)
        c->failed = failed; /* reported, but not a failure: the state in the same message must not be lost */
}

/* Flags */

void filter_capabilities(struct coding *c, PB(ClientCapabilities) * *wire, struct client_capabilities *plain)
{
    if (!coding_is_writing(c)) {
        *plain = (struct client_capabilities){0};
        if (!*wire)
            return;
    } else {
        if (!plain->deferral_allowed && !plain->write_only_attributes_allowed && !plain->store_planned_private &&
            !plain->computed_blocks_allowed)
            return; /* some calls do not have this field: with no capability set, nothing is sent */
        *wire = message_new(c->scratch, PB_DESCRIPTOR(client_capabilities));
    }
    filter_bool(c, &(*wire)->deferral_allowed, &plain->deferral_allowed);
    filter_bool(c, &(*wire)->write_only_attributes_allowed, &plain->write_only_attributes_allowed);
#if PROTOCOL == 6
    filter_bool(c, &(*wire)->store_planned_private, &plain->store_planned_private);
    filter_bool(c, &(*wire)->computed_blocks_allowed, &plain->computed_blocks_allowed);
#endif
}

void filter_server_capabilities(struct coding *c, PB(ServerCapabilities) * *wire, struct server_capabilities *plain)
{
    if (coding_is_writing(c))
        *wire = message_new(c->scratch, PB_DESCRIPTOR(server_capabilities));
    else
        *plain = (struct server_capabilities){0};
    if (!*wire)
        return;
    filter_bool(c, &(*wire)->plan_destroy, &plain->plan_destroy);
    filter_bool(c, &(*wire)->get_provider_schema_optional, &plain->get_provider_schema_optional);
    filter_bool(c, &(*wire)->move_resource_state, &plain->move_resource_state);
    filter_bool(c, &(*wire)->generate_resource_config, &plain->generate_resource_config);
}

void filter_deferred(struct coding *c, PB(Deferred) * *wire, enum deferred_reason *plain)
{
    if (coding_is_writing(c)) {
        if (*plain == DEFERRED_NOT)
            return;
        *wire = message_new(c->scratch, PB_DESCRIPTOR(deferred));
        (*wire)->reason = (PB(Deferred__Reason))*plain;
        return;
    }
    if (!*wire)
        *plain = DEFERRED_NOT;
    else if ((int)(*wire)->reason >= DEFERRED_UNKNOWN && (int)(*wire)->reason <= DEFERRED_ABSENT_PREREQ)
        *plain = (enum deferred_reason)(*wire)->reason;
    else
        *plain = DEFERRED_UNKNOWN; /* a reason of a newer protocol */
}

void filter_time(struct coding *c, PB(Timestamp) * *wire, bool *has, int64_t *seconds, int32_t *nanos)
{
    if (coding_is_writing(c)) {
        if (!*has)
            return;
        *wire = message_new(c->scratch, PB_DESCRIPTOR(timestamp));
        (*wire)->seconds = *seconds;
        (*wire)->nanos = *nanos;
        return;
    }
    *has = *wire != NULL;
    *seconds = *has ? (*wire)->seconds : 0;
    *nanos = *has ? (*wire)->nanos : 0;
}

/* Stored state */

/* Sent even if it is empty: the older SDK dereferences it without a check. */
static PB(RawState) * write_raw_state(struct arena *scratch, const struct raw_state *plain)
{
    PB(RawState) *wire = message_new(scratch, PB_DESCRIPTOR(raw_state));
    wire->json = to_wire(plain->json);
    if (plain->json.n > 0)
        return wire;
    wire->n_flatmap = plain->n_flatmap;
    wire->flatmap = arena_make_n(scratch, PB(FlatmapEntry) *, plain->n_flatmap);
    for (size_t i = 0; i < plain->n_flatmap; i++) {
        wire->flatmap[i] = message_new(scratch, PB_DESCRIPTOR(flatmap_entry));
        wire->flatmap[i]->key = to_wire(plain->flatmap[i].key);
        wire->flatmap[i]->value = to_wire(plain->flatmap[i].value);
    }
    return wire;
}

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct flatmap_entry *)a)->key, ((const struct flatmap_entry *)b)->key);
}

static void read_raw_state(struct coding *c, const PB(RawState) * wire, struct raw_state *ret)
{
    *ret = (struct raw_state){.json = STR_EMPTY};
    if (!wire)
        return;
    ret->json = arena_str(c->arena, from_wire(wire->json));
    ret->n_flatmap = wire->n_flatmap;
    ret->flatmap = arena_make_n(c->arena, struct flatmap_entry, wire->n_flatmap);
    for (size_t i = 0; i < wire->n_flatmap; i++) {
        ret->flatmap[i].key = arena_str(c->arena, from_wire(wire->flatmap[i]->key));
        ret->flatmap[i].value = arena_str(c->arena, from_wire(wire->flatmap[i]->value));
    }
    if (ret->n_flatmap > 0)
        qsort(ret->flatmap, ret->n_flatmap, sizeof *ret->flatmap, by_key);
}

void filter_raw_state(struct coding *c, PB(RawState) * *wire, struct raw_state *plain)
{
    if (coding_is_writing(c))
        *wire = write_raw_state(c->scratch, plain);
    else
        read_raw_state(c, *wire, plain);
}

/* Paths */

static PB(AttributePath__Step) * write_step(struct arena *scratch, const struct path_step *step)
{
    PB(AttributePath__Step) *wire = message_new(scratch, PB_DESCRIPTOR(attribute_path__step));
    if (step->kind == PATH_ATTR) {
        wire->selector_case = PB_ENUM(ATTRIBUTE_PATH__STEP__SELECTOR_ATTRIBUTE_NAME);
        wire->attribute_name = to_wire(step->name);
    } else if (step->kind == PATH_KEY) {
        wire->selector_case = PB_ENUM(ATTRIBUTE_PATH__STEP__SELECTOR_ELEMENT_KEY_STRING);
        wire->element_key_string = to_wire(step->name);
    } else {
        wire->selector_case = PB_ENUM(ATTRIBUTE_PATH__STEP__SELECTOR_ELEMENT_KEY_INT);
        wire->element_key_int = step->index;
    }
    return wire;
}

/* The protocol has no step for a set element: the path ends before it. */
static PB(AttributePath) * write_path(struct arena *scratch, struct path path)
{
    PB(AttributePath) *wire = message_new(scratch, PB_DESCRIPTOR(attribute_path));
    wire->steps = arena_make_n(scratch, PB(AttributePath__Step) *, path.n);
    for (size_t i = 0; i < path.n && path.steps[i].kind != PATH_ELEMENT; i++)
        wire->steps[wire->n_steps++] = write_step(scratch, &path.steps[i]);
    return wire;
}

/* The path ends at a step of an unknown kind (of a newer protocol): it then names a container of the place. */
static struct path read_path(struct arena *a, const PB(AttributePath) * wire)
{
    struct path_step *steps = arena_make_n(a, struct path_step, wire->n_steps);
    size_t n = 0;
    for (; n < wire->n_steps; n++) {
        const PB(AttributePath__Step) *step = wire->steps[n];
        if (step->selector_case == PB_ENUM(ATTRIBUTE_PATH__STEP__SELECTOR_ATTRIBUTE_NAME))
            steps[n] = (struct path_step){.kind = PATH_ATTR, .name = arena_str(a, from_wire(step->attribute_name))};
        else if (step->selector_case == PB_ENUM(ATTRIBUTE_PATH__STEP__SELECTOR_ELEMENT_KEY_STRING))
            steps[n] = (struct path_step){.kind = PATH_KEY, .name = arena_str(a, from_wire(step->element_key_string))};
        else if (step->selector_case == PB_ENUM(ATTRIBUTE_PATH__STEP__SELECTOR_ELEMENT_KEY_INT))
            steps[n] = (struct path_step){.kind = PATH_INDEX, .name = STR_EMPTY, .index = step->element_key_int};
        else
            break;
    }
    return (struct path){steps, n};
}

void filter_paths(struct coding *c, size_t *n_wire, PB(AttributePath) * **wire, const struct path **plain, size_t *n_plain)
{
    if (coding_is_writing(c)) {
        *n_wire = *n_plain;
        *wire = arena_make_n(c->scratch, PB(AttributePath) *, *n_plain);
        for (size_t i = 0; i < *n_plain; i++)
            (*wire)[i] = write_path(c->scratch, (*plain)[i]);
        return;
    }
    struct path *paths = arena_make_n(c->arena, struct path, *n_wire);
    for (size_t i = 0; i < *n_wire; i++)
        paths[i] = read_path(c->arena, (*wire)[i]);
    *plain = paths;
    *n_plain = *n_wire;
}

/* Diagnostics */

static PB(Diagnostic) * write_diagnostic(struct arena *scratch, const struct diag *d)
{
    PB(Diagnostic) *wire = message_new(scratch, PB_DESCRIPTOR(diagnostic));
    wire->severity = d->severity == DIAG_WARNING ? PB_ENUM(DIAGNOSTIC__SEVERITY__WARNING) : PB_ENUM(DIAGNOSTIC__SEVERITY__ERROR);
    wire->summary = to_wire(text_clean(scratch, d->summary));
    wire->detail = to_wire(text_clean(scratch, d->detail));
    if (d->path.n > 0 && d->path.steps[0].kind != PATH_ELEMENT)
        wire->attribute = write_path(scratch, d->path);
    return wire;
}

void diagnostics_write(struct arena *scratch, const struct diags *first, const struct diags *then, size_t *ret_n,
                       PB(Diagnostic) * **ret)
{
    size_t n = (first ? first->n : 0) + (then ? then->n : 0), k = 0;
    PB(Diagnostic) **wire = arena_make_n(scratch, PB(Diagnostic) *, n);
    for (size_t i = 0; first && i < first->n; i++)
        wire[k++] = write_diagnostic(scratch, &first->v[i]);
    for (size_t i = 0; then && i < then->n; i++)
        wire[k++] = write_diagnostic(scratch, &then->v[i]);
    *ret = wire;
    *ret_n = n;
}

void diagnostics_read(size_t n, PB(Diagnostic) *const *wire, struct diags *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < n; i++) {
        struct diag d = {
            /* An unknown severity counts as an error. */
            .severity = wire[i]->severity == PB_ENUM(DIAGNOSTIC__SEVERITY__WARNING) ? DIAG_WARNING : DIAG_ERROR,
            .summary = text_clean(scratch, from_wire(wire[i]->summary)),
            .detail = text_clean(scratch, from_wire(wire[i]->detail)),
            .path = wire[i]->attribute ? read_path(scratch, wire[i]->attribute) : PATH_ROOT,
        };
        diags_add(ret, &d);
        arena_reset(scratch);
    }
}

void filter_diagnostics(struct coding *c, size_t *n_wire, PB(Diagnostic) * **wire)
{
    if (coding_is_writing(c))
        diagnostics_write(c->scratch, c->answer, c->diags, n_wire, wire);
    else
        diagnostics_read(*n_wire, *wire, c->diags);
}
