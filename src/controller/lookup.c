/*
 * Finds the outcome of a creation whose id only the provider knows: compares the provider's list with the configuration that was
 * wanted when the creation began, which is in the journal; or, where the provider lists nothing, asks a data source for what has
 * the tags that every object gives its resource. To take over another object's resource or to create a second one would
 * be worse than to ask, so a person decides whatever is uncertain.
 */
#include "controller/controller_private.h"
#include "crossplane/external_name.h"
#include "managed/identity.h"

bool lookup_can_list(const struct turn *t)
{
    return map_get(&t->kind->provider->schema->lists, t->kind->terraform_type) != NULL;
}

static const struct xp_data_attribute *tagged_ids(const struct turn *t)
{
    const struct xp_data_attributes *all = &t->kind->provider->config->found_by_tags;
    for (size_t i = 0; i < all->n; i++)
        if (str_eq(all->v[i].name, t->kind->terraform_type))
            return map_get(&t->kind->provider->schema->data_sources, all->v[i].data_source) ? &all->v[i] : NULL;
    return NULL;
}

bool lookup_by_tags(const struct turn *t)
{
    return tagged_ids(t) != NULL;
}

static const struct schema_attr *attribute_of(const struct schema_block *block, struct str name)
{
    for (size_t i = 0; i < block->n_attrs; i++)
        if (str_eq(block->attrs[i].name, name))
            return &block->attrs[i];
    return NULL;
}

const struct json *lookup_comparable(const struct turn *t, const struct json *config)
{
    const struct schema *schema = map_get(&t->kind->provider->schema->resources, t->kind->terraform_type);
    struct json_member *v = arena_make_n(t->arena, struct json_member, config->object.n);
    size_t n = 0;
    for (size_t i = 0; i < config->object.n; i++) {
        const struct json_member *m = &config->object.members[i];
        const struct schema_attr *attribute = attribute_of(schema->block, m->key);
        bool shown = !attribute || (!attribute->sensitive && !attribute->write_only);
        if (shown && !str_eqz(m->key, "timeouts"))
            v[n++] = *m;
    }
    return json_make_object(t->arena, v, n);
}

/* --- the wanted configuration --- */

struct sought {
    const struct json *config;
    int64_t begun_ns; /* 0: there is no record, and the configuration may have been a different one then */
};

static bool sought_of(struct turn *t, const struct json *object, const struct json *now, struct diags *diags, struct sought *ret)
{
    struct str uid = managed_uid(object), record;
    *ret = (struct sought){.config = now};
    if (!kept_get(t->c->store, t->arena, KEPT_JOURNAL, uid, diags, &record))
        return false;
    struct journal_entry entry = record.n > 0 ? journal_read(t->arena, uid, record) : (struct journal_entry){0};
    int64_t generation = 0;
    if (entry.wanted)
        *ret = (struct sought){entry.wanted, entry.begun_ns};
    else if (record.n == 0 && str_to_i64(managed_annotation(object, MANAGED_CREATE_GENERATION), &generation) &&
             generation == managed_generation(object)) /* the spec is still that of the creation */
        ret->begun_ns = managed_mark_time(object, MANAGED_CREATE_PENDING);
    return true;
}

/* --- who has which --- */

struct candidate {
    const struct json *attributes;
    const struct state_instance *state; /* NULL: only the id is known */
    struct str name;
    bool taken, doubtful;
};

struct claims {
    const struct json *object; /* the object whose resource is looked for */
    struct candidate *v;
    size_t n;
    bool by_tags;
    bool repeats;  /* names do not tell whose a candidate is */
    size_t rivals; /* objects that may have created the same: without a name, or with one that does not tell */
};

/* A resource that is only half made has empty texts where values will be. */
static bool is_unset(const struct json *value)
{
    return managed_is_absent(value) || (value->kind == JSON_STRING && value->text.n == 0);
}

/* True if both set a value, and differently. */
static bool plain_values_differ(const struct json *mine, const struct json *other)
{
    for (size_t i = 0; mine && mine->kind == JSON_OBJECT && i < mine->object.n; i++) {
        const struct json *value = mine->object.members[i].value;
        const struct json *theirs = json_get_str(other, mine->object.members[i].key);
        bool plain = value->kind != JSON_OBJECT && value->kind != JSON_ARRAY;
        if (plain && !is_unset(value) && !is_unset(theirs) && !json_eq(value, theirs))
            return true;
    }
    return false;
}

/* True if the two objects cannot have created the same resource. */
static bool tell_apart(const struct json *a, const struct json *b)
{
    return plain_values_differ(managed_at(a, "spec", "forProvider", NULL), managed_at(b, "spec", "forProvider", NULL));
}

/* Kind and name are in the tags, the namespace is not. */
static bool same_tags(const struct json *a, const struct json *b)
{
    return str_eq(managed_name(a), managed_name(b)) && json_eq(json_get(a, "apiVersion"), json_get(b, "apiVersion"));
}

static bool same_config(const struct json *a, const struct json *b)
{
    const struct json *mine = managed_at(a, "spec", "providerConfigRef", NULL);
    const struct json *other = managed_at(b, "spec", "providerConfigRef", NULL);
    return mine && other ? json_eq(mine, other) : mine == other;
}

/* An id of another account may be spelled like one of this account. */
static bool note_claim(void *ctx, struct arena *a, const struct json *other)
{
    struct claims *c = ctx;
    (void)a;
    if (str_eq(managed_uid(other), managed_uid(c->object)))
        return true;
    struct str name = managed_external_name(other);
    if (name.n == 0 || c->repeats)
        c->rivals += c->by_tags ? same_tags(c->object, other) : !tell_apart(c->object, other);
    for (size_t i = 0; name.n > 0 && !c->repeats && i < c->n; i++)
        if (str_eq(name, c->v[i].name)) {
            c->v[i].taken |= same_config(c->object, other);
            c->v[i].doubtful = true;
        }
    return true;
}

static bool note_claims(struct turn *t, struct claims *c, struct diags *diags)
{
    static const enum xp_flavour flavours[] = {FLAVOUR_CLUSTER, FLAVOUR_NAMESPACED};
    for (size_t i = 0; i < sizeof flavours / sizeof flavours[0]; i++) {
        const struct kind *kind = kinds_of_type(t->c->kinds, t->kind->provider, flavours[i], t->kind->terraform_type);
        struct str ignored;
        if (!kind)
            continue;
        const struct store_query query = {.group = kind->group, .kind = kind->kind};
        struct diags said;
        diags_init(&said, t->arena);
        enum store_result result = store_list(t->c->store, t->arena, &query, note_claim, c, &said, &ignored);
        if (result == STORE_OK || result == STORE_NOT_FOUND) /* not found: only the other flavour is installed */
            continue;
        diags_append(diags, &said);
        return false;
    }
    return true;
}

static void name_candidate(struct turn *t, struct candidate *c)
{
    struct diags ignored;
    diags_init(&ignored, t->arena);
    if (xp_external_name_of_state(t->arena, &t->model->config.external_name, c->attributes, &ignored, &c->name))
        return;
    c->name = STR_EMPTY;
    c->doubtful = true;
}

/* The listed resources, with the external names that they would have here. */
static struct claims claims_of(struct turn *t, const struct json *object, const struct scheduler_alike *alike)
{
    struct claims c = {.object = object, .v = arena_make_n(t->arena, struct candidate, alike->n), .n = alike->n};
    c.repeats = t->model->config.external_name.name_repeats;
    for (size_t i = 0; i < alike->n; i++) {
        const struct state_instance *state = &alike->v[i].object;
        c.v[i] = (struct candidate){.attributes = state->attributes, .state = state, .doubtful = !alike->v[i].sure};
        name_candidate(t, &c.v[i]);
    }
    return c;
}

/* `ids`: a list of ids, or one; NULL: none. */
static struct claims claims_of_ids(struct turn *t, const struct json *object, const struct json *ids)
{
    bool many = ids && ids->kind == JSON_ARRAY;
    size_t n = many ? ids->array.n : ids && ids->kind == JSON_STRING;
    struct claims c = {.object = object, .v = arena_make_n(t->arena, struct candidate, n), .n = n, .by_tags = true};
    for (size_t i = 0; i < n; i++) {
        c.v[i].attributes = json_with(t->arena, json_make_object(t->arena, NULL, 0), STR("id"), many ? ids->array.items[i] : ids);
        name_candidate(t, &c.v[i]);
    }
    return c;
}

/* --- the answer --- */

static struct reconcile_answer cannot_tell(struct str message)
{
    return (struct reconcile_answer){.message = message};
}

#define NAME_IT "put the id of the right one into the annotation " MANAGED_EXTERNAL_NAME
#define LOOK_FOR_IT "look for the object, and put its id into the annotation " MANAGED_EXTERNAL_NAME " if it is there"

/* What is known by its id alone is imported by the observation that follows. */
static struct reconcile_answer take(struct turn *t, const struct candidate *found, const struct json **object,
                                    enum reconcile_found *ret)
{
    struct diags diags;
    diags_init(&diags, t->arena);
    if ((found->state && state_keep(t->c->store, managed_uid(*object), found->state, &diags) != STORE_OK) ||
        !managed_take_name(t->arena, t->model, *object, found->attributes, &diags, object))
        return answer_failed(says(t->arena, &diags));
    *ret = RECONCILE_FOUND;
    return (struct reconcile_answer){0};
}

/* None is listed. A resource created a moment ago may not be listed yet. */
static struct reconcile_answer none(const struct turn *t, const struct sought *sought, enum reconcile_found *ret)
{
    struct str type = t->kind->terraform_type;
    if (sought->begun_ns == 0)
        return cannot_tell(arena_printf(t->arena,
                                        "no " STR_FMT
                                        " in the provider's list is as the object says, but it is not known what it "
                                        "said when the creation began; " LOOK_FOR_IT,
                                        STR_ARG(type)));
    if (t->c->clock->wall_ns(t->c->clock) - sought->begun_ns < RECONCILE_GRACE_NS)
        return answer_failed(STR("the provider does not list it, but it was begun so recently that it may not be listed yet"));
    *ret = RECONCILE_NOTHING;
    return (struct reconcile_answer){0};
}

static struct reconcile_answer choose(struct turn *t, const struct claims *c, const struct sought *sought, bool complete,
                                      const struct json **object, enum reconcile_found *ret)
{
    const struct candidate *one = NULL;
    struct str type = t->kind->terraform_type;
    size_t n = 0, doubtful = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].taken)
            continue;
        n++;
        doubtful += c->v[i].doubtful;
        one = &c->v[i];
    }
    if (!complete)
        return cannot_tell(
            arena_printf(t->arena, "the provider's list of " STR_FMT " is not complete, and has %zu candidates; " LOOK_FOR_IT,
                         STR_ARG(type), n));
    if (n == 0)
        return none(t, sought, ret);
    if (n == 1 && doubtful == 0 && c->rivals == 0)
        return take(t, one, object, ret);
    if (n == 1 && doubtful == 0)
        return cannot_tell(arena_printf(t->arena,
                                        "the provider lists 1 candidate, and %zu other objects%s may have made it; " NAME_IT,
                                        c->rivals, c->repeats ? "" : " without an external name"));
    return cannot_tell(arena_printf(t->arena,
                                    "the provider lists %zu candidates of type " STR_FMT ", %zu of them doubtful; " NAME_IT, n,
                                    STR_ARG(type), doubtful));
}

static struct reconcile_answer judge_list(struct turn *t, struct scheduler_session *session, const struct sought *sought,
                                          const struct json **object, enum reconcile_found *ret)
{
    struct scheduler_alike alike;
    struct diags diags;
    diags_init(&diags, t->arena);
    if (scheduler_alike(session, &alike) != SCHEDULER_ANSWERED) {
        struct str why = says(t->arena, scheduler_diags(session));
        if (scheduler_failure(session) != SCHEDULER_WRONG)
            return answer_failed(why);
        return cannot_tell(
            arena_printf(t->arena, "the provider did not list its objects (" STR_FMT "); " LOOK_FOR_IT, STR_ARG(why)));
    }
    struct claims claims = claims_of(t, *object, &alike);
    if (!note_claims(t, &claims, &diags))
        return answer_failed(says(t->arena, &diags));
    return choose(t, &claims, sought, alike.complete, object, ret);
}

static struct scheduler_item item_of(const struct external_connection *x, struct arena *a, const struct json *config)
{
    const struct turn *t = x->turn;
    return (struct scheduler_item){
        .key = arena_printf(a, "list." STR_FMT, STR_ARG(t->known->key)),
        .provider = {arena_str(a, x->setup.provider.address), arena_str(a, x->setup.provider.path),
                     json_copy(a, x->setup.provider.config)},
        .type = arena_str(a, t->kind->terraform_type),
        .name = STR("this"),
        .config = config ? json_copy(a, config) : NULL,
        .list = true,
    };
}

/* Those of its tags that this program gives it and nobody else has; NULL: it has none. */
static const struct json *own_tags(struct turn *t, const struct json *config)
{
    static const char *const names[] = {"crossplane-kind", "crossplane-name", "crossplane-providerconfig"};
    enum { NEEDED = 2 };
    const struct json *all = json_get_str(config, t->model->config.tags), *own = json_make_object(t->arena, NULL, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct json *value = json_get(all, names[i]);
        bool there = value && value->kind == JSON_STRING;
        if (!there && i < NEEDED)
            return NULL;
        if (there)
            own = json_with(t->arena, own, str_of(names[i]), value);
    }
    return own;
}

/* Another program may give the same tags in the same account: what does not look as it was asked for is doubtful. */
static void look_at(struct external_connection *x, const struct reconcile_call *call, const struct sought *sought,
                    struct candidate *c)
{
    struct turn *t = x->turn;
    struct arena *a = arena_new(NULL, 0);
    struct scheduler_item item = item_of(x, a, NULL);
    struct scheduler_session *session;
    const struct state_instance *now = NULL;
    bool changed;
    item.list = false;
    item.import_id = arena_str(a, managed_text(json_get(c->attributes, "id")));
    c->doubtful = true;
    if (!turn_look(t, x->setup.scheduler, a, &item, call->deadline, &session))
        return;
    if (scheduler_update_status(session, &now, &changed) == SCHEDULER_ANSWERED && now)
        c->doubtful = plain_values_differ(sought->config, now->attributes);
    scheduler_end(session);
}

static struct reconcile_answer judge_tagged(struct external_connection *x, const struct reconcile_call *call,
                                            struct scheduler_session *session, const struct sought *sought,
                                            const struct json **object, enum reconcile_found *ret)
{
    struct turn *t = x->turn;
    const struct state_instance *now = NULL;
    struct diags diags;
    bool changed;
    diags_init(&diags, t->arena);
    if (scheduler_update_status(session, &now, &changed) != SCHEDULER_ANSWERED || !now) {
        struct str why = says(t->arena, scheduler_diags(session));
        if (scheduler_failure(session) != SCHEDULER_WRONG)
            return answer_failed(why);
        return cannot_tell(
            arena_printf(t->arena, "the provider did not find it by its tags (" STR_FMT "); " LOOK_FOR_IT, STR_ARG(why)));
    }
    struct claims claims = claims_of_ids(t, *object, json_get_str(now->attributes, tagged_ids(t)->attribute));
    if (!note_claims(t, &claims, &diags))
        return answer_failed(says(t->arena, &diags));
    for (size_t i = 0; i < claims.n; i++)
        if (!claims.v[i].taken)
            look_at(x, call, sought, &claims.v[i]);
    return choose(t, &claims, sought, true, object, ret);
}

static struct reconcile_answer find_by_tags(struct external_connection *x, const struct reconcile_call *call,
                                            const struct sought *sought, const struct json **object, enum reconcile_found *ret)
{
    struct turn *t = x->turn;
    const struct json *tags = own_tags(t, sought->config);
    if (!tags)
        return cannot_tell(STR("it was created without the tags that would tell it from others; " LOOK_FOR_IT));
    struct arena *a = arena_new(NULL, 0);
    struct scheduler_item item = item_of(x, a, json_with(t->arena, json_make_object(t->arena, NULL, 0), STR("tags"), tags));
    item.key = arena_printf(a, "tagged." STR_FMT, STR_ARG(t->known->key));
    item.type = arena_str(a, tagged_ids(t)->data_source);
    item.list = false;
    item.data = true;
    struct scheduler_session *session;
    if (!turn_look(t, x->setup.scheduler, a, &item, call->deadline, &session))
        return answer_failed(STR("the provider did not look for it in time"));
    struct reconcile_answer answer = judge_tagged(x, call, session, sought, object, ret);
    scheduler_end(session);
    return answer;
}

struct reconcile_answer lookup_in_list(struct external_connection *x, const struct reconcile_call *call, const struct json *now,
                                       const struct json **object, enum reconcile_found *ret)
{
    struct turn *t = x->turn;
    struct sought sought;
    struct diags diags;
    diags_init(&diags, t->arena);
    if (!lookup_can_list(t) && !lookup_by_tags(t))
        return cannot_tell(arena_printf(
            t->arena, "the provider chooses the id of a " STR_FMT ", did not tell it, and cannot list them; " LOOK_FOR_IT,
            STR_ARG(t->kind->terraform_type)));
    if (!sought_of(t, *object, now, &diags, &sought))
        return answer_failed(says(t->arena, &diags));
    if (!sought.config || sought.config->object.n == 0)
        return cannot_tell(STR("nothing that the object says tells what it made from others; " LOOK_FOR_IT));
    if (!lookup_can_list(t))
        return find_by_tags(x, call, &sought, object, ret);
    struct scheduler_session *session;
    struct arena *a = arena_new(NULL, 0);
    struct scheduler_item item = item_of(x, a, sought.config);
    if (!turn_look(t, x->setup.scheduler, a, &item, call->deadline, &session))
        return answer_failed(STR("the provider did not list its objects in time"));
    struct reconcile_answer answer = judge_list(t, session, &sought, object, ret);
    scheduler_end(session);
    return answer;
}
