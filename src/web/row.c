#include "web/row.h"

#include "managed/edit.h"
#include "managed/object.h"
#include "store/object.h"

enum { MAX_ROW = 256 << 10, MAX_MESSAGE = 500, MAX_REFERENCES = 256 };
#define HIDDEN "(hidden)"
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

struct str row_key(struct arena *a, const struct store_key *key)
{
    return arena_printf(a, STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(key->group), STR_ARG(key->kind),
                        STR_ARG(key->namespace), STR_ARG(key->name));
}

bool row_key_parse(struct str text, struct store_key *ret)
{
    size_t slashes = 0;
    for (size_t i = 0; i < text.n; i++)
        slashes += text.p[i] == '/';
    ret->group = str_cut(&text, '/');
    ret->kind = str_cut(&text, '/');
    ret->namespace = str_cut(&text, '/');
    ret->name = text;
    return slashes == 3 && ret->kind.n > 0 && ret->name.n > 0;
}

bool row_is_shown(const struct kind *kind)
{
    return kind && (kind->role == KIND_MANAGED || kind->role == KIND_CONFIG);
}

/* --- references --- */

struct references {
    struct arena *arena;
    struct json_writer *out;
    struct kinds *kinds;
    const struct kind *kind;
    const struct json *object;
    size_t n;
};

static void add(struct references *r, const struct kind *to, const struct json *reference)
{
    struct str name = managed_text(json_get(reference, "name")), namespace = managed_text(json_get(reference, "namespace"));
    if (!to || name.n == 0 || r->n++ >= MAX_REFERENCES)
        return;
    if (!to->namespaced)
    namespace = STR_EMPTY;
    else if (namespace.n == 0) namespace = managed_namespace(r->object);
    json_write_string(r->out, row_key(r->arena, &(struct store_key){to->group, to->kind, namespace, name}));
}

static void search(struct references *r, struct xp_fields fields, const struct json *values);

/* The recursion is as deep as the model, which is limited. */
static void search_value(struct references *r, const struct xp_shape *shape, const struct json *v)
{
    if (shape->kind == SHAPE_OBJECT)
        search(r, shape->fields, v);
    for (size_t i = 0; shape->element && managed_is_array(v) && i < v->array.n; i++)
        search_value(r, shape->element, v->array.items[i]);
    for (size_t i = 0; shape->kind == SHAPE_MAP && shape->element && managed_is_object(v) && i < v->object.n; i++)
        search_value(r, shape->element, v->object.members[i].value);
}

static void search(struct references *r, struct xp_fields fields, const struct json *values)
{
    for (size_t i = 0; managed_is_object(values) && i < fields.n; i++) {
        const struct xp_field *f = &fields.v[i];
        const struct json *v = json_get_str(values, f->json);
        if (managed_is_absent(v))
            continue;
        if (f->role == FIELD_REFERENCE && f->attr && f->attr->reference) {
            const struct kind *to = kinds_of_type(r->kinds, r->kind->provider, r->kind->flavour, f->attr->reference->to);
            add(r, to, v);
            for (size_t k = 0; managed_is_array(v) && k < v->array.n; k++)
                add(r, to, v->array.items[k]);
        } else if (f->role == FIELD_VALUE) {
            search_value(r, f->shape, v);
        }
    }
}

static void write_references(struct arena *a, struct json_writer *w, struct kinds *kinds, const struct kind *kind,
                             const struct json *object)
{
    struct references r = {.arena = a, .out = w, .kinds = kinds, .kind = kind, .object = object};
    const struct json *config = managed_at(object, "spec", "providerConfigRef", NULL);
    struct diags ignored;
    diags_init(&ignored, a);
    json_key(w, STR("refs"));
    json_begin_array(w);
    if (kind->role == KIND_MANAGED && kind->provider) {
        bool cluster = str_eqz(managed_text(json_get(config, "kind")), "ClusterProviderConfig");
        const struct xp_kind *model = kinds_model(kinds, kind, &ignored);
        add(&r, kinds_config(kinds, kind->provider, kind->flavour, cluster), config);
        for (int tree = FOR_PROVIDER; model && tree <= INIT_PROVIDER; tree++)
            search(&r, model->trees[tree],
                   managed_at(object, "spec", tree == FOR_PROVIDER ? "forProvider" : "initProvider", NULL));
    }
    json_end_array(w);
}

/* --- conditions --- */

static bool write_condition(struct json_writer *w, const struct json *object, const char *type, const char *key)
{
    struct managed_condition c = {.status = STR("Unknown"), .reason = STR_EMPTY, .message = STR_EMPTY};
    (void)managed_condition(object, type, &c);
    json_key(w, str_of(key));
    json_begin_array(w);
    json_write_string(w, c.status);
    json_write_string(w, c.reason);
    json_write_string(w, str_slice(c.message, 0, MAX_MESSAGE));
    json_end_array(w);
    return str_eqz(c.status, "True");
}

static void seconds(struct json_writer *w, const char *key, int64_t ns)
{
    json_key(w, str_of(key));
    json_write_int(w, ns / NS_PER_S);
}

/* When the object last changed, as far as it tells itself: when it was created, or a condition changed. */
static int64_t last_told(const struct json *object, int64_t created)
{
    const struct json *conditions = managed_at(object, "status", "conditions", NULL);
    int64_t last = created;
    for (size_t i = 0; managed_is_array(conditions) && i < conditions->array.n; i++) {
        int64_t at = 0; /* unknown */
        (void)managed_time_parse(managed_text(json_get(conditions->array.items[i], "lastTransitionTime")), &at);
        last = at > last ? at : last;
    }
    return last;
}

struct str row_json(struct arena *a, struct kinds *kinds, const struct kind *kind, const struct json *object, int64_t changed_ns,
                    struct row_state *ret)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_ROW);
    struct json_writer w = {.out = &out};
    struct store_key key = object_key(object);
    int64_t created = 0; /* unknown */
    bool is_managed = kind->role == KIND_MANAGED;
    (void)managed_time_parse(object_metadata_text(object, "creationTimestamp"), &created);
    json_begin_object(&w);
    json_put_text(&w, "key", row_key(a, &key));
    json_put_text(&w, "kind", key.kind);
    json_put_text(&w, "group", key.group);
    json_put_text(&w, "namespace", key.namespace);
    json_put_text(&w, "name", key.name);
    json_put_text(&w, "role", is_managed ? STR("managed") : STR("config"));
    json_put_text(&w, "type", is_managed ? kind->terraform_type : STR_EMPTY);
    json_put_text(&w, "provider", kind->provider ? kind->provider->address : STR_EMPTY);
    json_put_text(&w, "config", managed_provider_config(object));
    json_put_text(&w, "external", managed_annotation(object, MANAGED_EXTERNAL_NAME));
    ret->ready = write_condition(&w, object, "Ready", "ready");
    ret->synced = write_condition(&w, object, "Synced", "synced");
    json_key(&w, STR("paused"));
    json_write_bool(&w, managed_is_paused_by_annotation(object));
    json_key(&w, STR("deleting"));
    json_write_bool(&w, object_is_being_deleted(object));
    seconds(&w, "created", created);
    seconds(&w, "changed", changed_ns ? changed_ns : last_told(object, created));
    write_references(a, &w, kinds, kind, object);
    json_end_object(&w);
    (void)json_finish(&w);
    return buf_copy(&out, a);
}

/* --- the whole object --- */

/* Members whose values are names, and never secret. */
static bool is_name(struct str key)
{
    static const char *const names[] = {"name",   "namespace", "key",  "source", "kind",  "group",
                                        "region", "users",     "type", "status", "reason"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eqz(key, names[i]))
            return true;
    return false;
}

/* The recursion is limited by the JSON parser. */
static void write_names(struct json_writer *w, struct str key, const struct json *v)
{
    if (v->kind == JSON_OBJECT) {
        json_begin_object(w);
        for (size_t i = 0; i < v->object.n; i++) {
            json_key(w, v->object.members[i].key);
            write_names(w, v->object.members[i].key, v->object.members[i].value);
        }
        json_end_object(w);
    } else if (v->kind == JSON_ARRAY) {
        json_begin_array(w);
        for (size_t i = 0; i < v->array.n; i++)
            write_names(w, key, v->array.items[i]);
        json_end_array(w);
    } else if (v->kind == JSON_STRING && !is_name(key)) {
        json_write_string(w, STR(HIDDEN));
    } else {
        json_write(w, v);
    }
}

/* Omits annotations that only programs read: one of them contains the whole object again. */
static void write_metadata(struct json_writer *w, const struct json *metadata)
{
    json_begin_object(w);
    for (size_t i = 0; managed_is_object(metadata) && i < metadata->object.n; i++) {
        const struct json_member *m = &metadata->object.members[i];
        if (str_eqz(m->key, "managedFields"))
            continue;
        json_key(w, m->key);
        if (!str_eqz(m->key, "annotations") || !managed_is_object(m->value)) {
            json_write(w, m->value);
            continue;
        }
        json_begin_object(w);
        for (size_t k = 0; k < m->value->object.n; k++) {
            const struct json_member *note = &m->value->object.members[k];
            if (str_eqz(note->key, LAST_APPLIED) || str_eqz(note->key, MANAGED_PROVIDER_META))
                continue;
            json_key(w, note->key);
            json_write(w, note->value);
        }
        json_end_object(w);
    }
    json_end_object(w);
}

void row_write_object(struct arena *a, struct buf *out, const struct kind *kind, const struct json *object)
{
    (void)a;
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    for (size_t i = 0; object->kind == JSON_OBJECT && i < object->object.n; i++) {
        const struct json_member *m = &object->object.members[i];
        json_key(&w, m->key);
        if (str_eqz(m->key, "metadata"))
            write_metadata(&w, m->value);
        else if (kind->role == KIND_CONFIG && str_eqz(m->key, "spec"))
            write_names(&w, STR_EMPTY, m->value);
        else
            json_write(&w, m->value);
    }
    json_end_object(&w);
    (void)json_finish(&w);
}
