/*
 * Upgrades a stored object to the provider's current schema. The provider is asked even when the versions are equal, because it
 * may still want to change something. It is not asked again if this process has already returned the very same object unchanged.
 */
#include "engine/call_private.h"
#include "engine/memo.h"
#include "engine/upgrade_private.h"
#include "state/state_value.h"

enum { MAX_RAW_STATE = 256 << 20 };

/* Attributes that the schema no longer has are left out, at any depth: no decoder would accept them. */
static void write_known(struct json_writer *w, const struct json *j, const struct type *t)
{
    if (j->kind == JSON_ARRAY && (t->kind == TYPE_LIST || t->kind == TYPE_SET)) {
        json_begin_array(w);
        for (size_t i = 0; i < j->array.n; i++)
            write_known(w, j->array.items[i], t->element);
        json_end_array(w);
    } else if (j->kind == JSON_OBJECT && (t->kind == TYPE_MAP || t->kind == TYPE_OBJECT)) {
        json_begin_object(w);
        for (size_t i = 0; i < j->object.n; i++) {
            const struct json_member *m = &j->object.members[i];
            size_t at = t->kind == TYPE_OBJECT ? type_attr_find(t, m->key) : 0;
            if (at == SIZE_MAX)
                continue;
            json_key(w, m->key);
            write_known(w, m->value, t->kind == TYPE_OBJECT ? t->attrs[at].type : t->element);
        }
        json_end_object(w);
    } else {
        json_write(w, j);
    }
}

bool upgrade_raw_json(struct engine *e, const struct json *attributes, const struct type *only, struct str *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_RAW_STATE);
    struct json_writer w = {.out = &out};
    if (only)
        write_known(&w, attributes, only);
    else
        json_write(&w, attributes);
    if (!json_finish(&w) || !buf_ok(&out))
        return diags_fail(e->diags, "State too large", "An object of the state has more than %d MiB.", MAX_RAW_STATE >> 20);
    *ret = buf_copy(&out, e->arena);
    return true;
}

bool upgrade_raw_state(struct engine *e, const struct state_instance *stored, const struct type *only, struct raw_state *ret)
{
    if (!stored->attributes && stored->flat.n > 0) {
        *ret = (struct raw_state){.flatmap = stored->flat.v, .n_flatmap = stored->flat.n};
        return true;
    }
    /* Stored without any attributes: core treats it as an object with none, and providers need JSON text. */
    const struct json *attributes = stored->attributes ? stored->attributes : json_make_object(e->arena, NULL, 0);
    struct str json;
    if (!upgrade_raw_json(e, attributes, only, &json))
        return false;
    *ret = (struct raw_state){.json = json};
    return true;
}

/* The provider's name as in core's messages about states: the prefix of the type's name. */
static struct str implied_provider(const struct resource *r)
{
    return str_slice(r->type, 0, str_find(r->type, '_', 0));
}

static bool check_upgraded(struct engine *e, const struct resource *r, const struct value *v)
{
    struct change_paths paths = change_write_only(e->arena, r->schema->block, v);
    for (size_t i = 0; i < paths.n; i++)
        (void)engine_fail(e, "Invalid resource state upgrade",
                          "While attempting to upgrade state of resource " STR_FMT ", the provider \"" STR_FMT
                          "\" returned a value for the write-only attribute \"" STR_FMT STR_FMT
                          "\". Write-only attributes cannot be read back from the provider. " BUG_IN_PROVIDER,
                          STR_ARG(r->address), STR_ARG(implied_provider(r)), STR_ARG(r->address),
                          STR_ARG(change_path_text(e->arena, paths.v[i])));
    if (!v->wholly_known)
        (void)engine_fail(e, "Invalid resource state upgrade",
                          "The " STR_FMT " provider upgraded the state for " STR_FMT
                          " from a previous version, but produced an invalid result: The returned state contains unknown values.",
                          STR_ARG(implied_provider(r)), STR_ARG(r->address));
    return paths.n == 0 && v->wholly_known;
}

/*
 * The stored object as a value, and the memo's key for the answer "no change". NULL: the object has another schema version or
 * does not fit the schema, or there is no memo.
 */
static const struct value *as_stored(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                     struct memo_key *ret_key)
{
    struct diags ignored;
    diags_init(&ignored, e->arena);
    if (!e->memo || !stored->attributes || stored->schema_version != (uint64_t)r->schema->version)
        return NULL;
    *ret_key = memo_key(e->memo, "UpgradeResourceState", r->type, r->schema->version, stored->attributes);
    return state_get_attributes(e->arena, stored, r->schema->type, &ignored);
}

/* *ret_silent: the provider returned no diagnostics. */
static enum engine_status ask(struct engine *e, const struct resource *r, const struct state_instance *stored,
                              const struct resource_config *config, const struct value **ret, bool *ret_silent)
{
    bool current = stored->schema_version == (uint64_t)r->schema->version;
    struct upgrade_state_request request = {.type_name = r->type, .version = (int64_t)stored->schema_version};
    if (!upgrade_raw_state(e, stored, current ? r->schema->type : NULL, &request.raw))
        return ENGINE_FAILED;
    struct upgrade_state_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_upgrade_state(e->provider, e->arena, &request, &c.options, &c.found, &response);
    *ret_silent = c.found.n == 0;
    enum engine_status s = call_finish(&c, "UpgradeResourceState", status, config);
    if (s == ENGINE_OK)
        *ret = engine_value(e, response.state, r->schema->type);
    return s;
}

static enum engine_status upgrade_attributes(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                             const struct resource_config *config, const struct value **ret)
{
    if (stored->schema_version > (uint64_t)r->schema->version)
        return engine_fail(e, "Resource instance managed by newer provider version",
                           "The current state of " STR_FMT
                           " was created by a newer provider version than is currently selected. Upgrade the " STR_FMT
                           " provider to work with this state.",
                           STR_ARG(r->address), STR_ARG(implied_provider(r)));
    struct memo_key key;
    int64_t now = clock_now(&system_clock);
    const struct value *as_it_is = as_stored(e, r, stored, &key), *v;
    if (as_it_is && memo_has(e->memo, key, now)) {
        *ret = as_it_is;
        return ENGINE_OK;
    }
    bool silent;
    enum engine_status s = ask(e, r, stored, config, &v, &silent);
    if (s != ENGINE_OK)
        return s;
    if (!check_upgraded(e, r, v))
        return ENGINE_FAILED;
    if (as_it_is && silent && value_raw_eq(v, as_it_is))
        memo_add(e->memo, key, now);
    *ret = v;
    return ENGINE_OK;
}

static enum engine_status upgrade_identity(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                           const struct value **ret)
{
    *ret = NULL;
    if (!r->identity || !stored->identity)
        return ENGINE_OK;
    uint64_t version = (uint64_t)r->identity->version;
    if (stored->identity_schema_version == version) {
        const struct value *v = state_get_identity(e->arena, stored, r->identity->type, e->diags);
        *ret = engine_identity(v);
        return v ? ENGINE_OK : ENGINE_FAILED;
    }
    if (stored->identity_schema_version > version)
        return engine_fail(e, "Resource identity managed by newer provider version",
                           "The current identity of " STR_FMT
                           " was created by a newer provider version than is currently selected. Upgrade the " STR_FMT
                           " provider to work with this identity.",
                           STR_ARG(r->address), STR_ARG(e->provider_address));
    struct upgrade_identity_request request = {.type_name = r->type, .version = (int64_t)stored->identity_schema_version};
    if (!upgrade_raw_json(e, stored->identity, NULL, &request.raw.json))
        return ENGINE_FAILED;
    struct upgrade_identity_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_upgrade_identity(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "UpgradeResourceIdentity", status, NULL);
    if (s == ENGINE_OK)
        *ret = engine_identity(response.identity);
    return s;
}

enum engine_status engine_upgrade(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                  const struct resource_config *config, struct object *ret)
{
    if (!stored) {
        *ret = (struct object){0};
        return ENGINE_OK;
    }
    const struct value *v = NULL, *identity = NULL;
    enum engine_status s = upgrade_attributes(e, r, stored, config, &v);
    if (s == ENGINE_OK)
        s = upgrade_identity(e, r, stored, &identity);
    if (s != ENGINE_OK)
        return s;
    if (!v || value_is_null(v)) {
        *ret = (struct object){0};
        return ENGINE_OK;
    }
    *ret = (struct object){
        .value = v,
        .identity = identity,
        .private = stored->private_bytes,
        .sensitive = engine_existing_marks(e, state_get_sensitive(e->arena, stored), v),
        .tainted = stored->tainted,
        .create_before_destroy = stored->create_before_destroy,
        .stored = stored,
    };
    return ENGINE_OK;
}
