#include "generate/example.h"

#include "base/ascii.h"
#include "crossplane/text.h"
#include "generate/crd.h"

enum { MAX_COMMENT = 100, MAX_NAME = 100, MAX_SECRET = 1 << 20 };

#define NAMESPACE "default"

/* One key of a secret that the example refers to. */
struct entry {
    struct str secret, key;
    struct str value;
};

struct example {
    struct yaml_out y;
    const struct xp_kind *kind;
    enum xp_flavour flavour;
    struct arena *scratch;
    VEC(struct entry) entries;
};

/* --- values --- */

/* some_name -> PREFIXsome-name: valid as an object name, and a string to any YAML parser. */
static struct str dashed(struct arena *a, const char *prefix, struct str name)
{
    size_t before = strlen(prefix), n = name.n < MAX_NAME ? name.n : MAX_NAME;
    char *text = arena_alloc(a, before + n + 1, 1);
    memcpy(text, prefix, before);
    for (size_t i = 0; i < n; i++) {
        char c = to_lower(name.p[i]);
        text[before + i] = is_lower(c) || is_digit(c) ? c : '-';
    }
    n += before;
    while (n > 0 && text[n - 1] == '-')
        n--;
    text[n] = 0;
    return (struct str){text, n};
}

static struct str placeholder(struct example *e, const struct xp_tree_attr *attr)
{
    return dashed(e->scratch, "example-", attr ? attr->name : STR_EMPTY);
}

/* Writes a value of the type as JSON, for secrets that contain JSON. */
static void write_sample(struct example *e, struct json_writer *w, const struct xp_tree_type *t, const struct xp_tree_attr *attr)
{
    switch (t->kind) {
    case TREE_STRING:
        json_write_string(w, placeholder(e, attr));
        return;
    case TREE_NUMBER:
    case TREE_INTEGER:
        json_write_int(w, 1);
        return;
    case TREE_BOOL:
        json_write_bool(w, false);
        return;
    case TREE_LIST:
    case TREE_SET:
        json_begin_array(w);
        write_sample(e, w, t->element, attr);
        json_end_array(w);
        return;
    case TREE_TUPLE:
        json_begin_array(w);
        json_end_array(w);
        return;
    case TREE_MAP:
    case TREE_OBJECT:
    case TREE_ANY:
        break;
    }
    json_begin_object(w);
    if (t->kind == TREE_MAP) {
        json_key(w, STR("key"));
        write_sample(e, w, t->element, attr);
    }
    for (size_t i = 0; i < t->n_attrs; i++)
        if (xp_tree_is_required(&t->attrs[i])) {
            json_key(w, t->attrs[i].name);
            write_sample(e, w, t->attrs[i].type, &t->attrs[i]);
        }
    json_end_object(w);
}

static struct str sample(struct example *e, const struct xp_tree_attr *attr)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_SECRET);
    struct json_writer w = {.out = &out};
    write_sample(e, &w, attr->type, attr);
    (void)json_finish(&w);
    return buf_copy(&out, e->scratch);
}

/* --- secrets --- */

static struct str secret_name(struct example *e, const char *suffix)
{
    return arena_printf(e->scratch, "example-" STR_FMT "%s", STR_ARG(e->kind->singular), suffix);
}

static void add_entry(struct example *e, struct str secret, struct str key, struct str value)
{
    for (size_t i = 0; i < e->entries.n; i++)
        if (str_eq(e->entries.v[i].secret, secret) && str_eq(e->entries.v[i].key, key))
            return;
    *VEC_PUSH(e->scratch, &e->entries) = (struct entry){secret, key, value};
}

static void write_secret_place(struct example *e, struct str key, struct str name)
{
    if (key.n > 0)
        yaml_text(&e->y, STR("key"), key);
    yaml_text(&e->y, STR("name"), name);
    if (e->flavour == FLAVOUR_CLUSTER)
        yaml_plain(&e->y, "namespace", NAMESPACE);
}

/* All sensitive values are keys of one secret, except those that are a whole secret. */
static void write_secret_ref(struct example *e, const struct xp_shape *s, const struct xp_tree_attr *attr)
{
    struct str path = dashed(e->scratch, "", attr->path);
    if (s->kind == SHAPE_SECRET) {
        struct str name = secret_name(e, arena_printf(e->scratch, "-" STR_FMT, STR_ARG(path)).p);
        add_entry(e, name, STR("key"), placeholder(e, attr));
        write_secret_place(e, STR_EMPTY, name);
    } else {
        struct str name = secret_name(e, "");
        add_entry(e, name, path, s->json_secret ? sample(e, attr) : placeholder(e, attr));
        write_secret_place(e, path, name);
    }
}

/* Writes JSON as a block scalar, which needs no quotes. */
static void write_entry(struct example *e, const struct entry *entry)
{
    bool plain = entry->value.n > 0 && strchr("{[", entry->value.p[0]);
    for (size_t i = 0; i < entry->value.n; i++)
        plain &= entry->value.p[i] >= ' ' && entry->value.p[i] < 0x7f;
    if (plain)
        yaml_lines(&e->y, arena_printf(e->scratch, STR_FMT ": |\n  " STR_FMT, STR_ARG(entry->key), STR_ARG(entry->value)).p);
    else
        yaml_text(&e->y, entry->key, entry->value);
}

static void write_secret(struct example *e, struct str name)
{
    yaml_lines(&e->y, "---\n"
                      "apiVersion: v1\n"
                      "kind: Secret\n"
                      "metadata:");
    e->y.indent++;
    yaml_text(&e->y, STR("name"), name);
    yaml_plain(&e->y, "namespace", NAMESPACE);
    e->y.indent--;
    yaml_begin(&e->y, STR("stringData"));
    for (size_t i = 0; i < e->entries.n; i++)
        if (str_eq(e->entries.v[i].secret, name))
            write_entry(e, &e->entries.v[i]);
    yaml_end(&e->y);
}

static void write_secrets(struct example *e)
{
    for (size_t i = 0; i < e->entries.n; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= str_eq(e->entries.v[j].secret, e->entries.v[i].secret);
        if (!seen)
            write_secret(e, e->entries.v[i].secret);
    }
}

/* --- fields --- */

static const struct xp_str_list no_keys = {0};

static bool is_key(struct xp_str_list keys, struct str name)
{
    for (size_t i = 0; i < keys.n; i++)
        if (str_eq(keys.v[i], name))
            return true;
    return false;
}

/* For a required parameter that can be a reference, shows the reference. `keys`: the merge keys of the list with the object. */
static bool is_shown(const struct xp_field *f, struct xp_str_list keys)
{
    switch (f->role) {
    case FIELD_VALUE:
        return f->required || (is_key(keys, f->json) && !f->by_default) || (xp_tree_is_required(f->attr) && !f->attr->reference);
    case FIELD_SECRET_REF:
    case FIELD_REFERENCE:
        return f->required || xp_tree_is_required(f->attr);
    case FIELD_INJECTED:
        return !f->by_default;
    case FIELD_SELECTOR:
    case FIELD_ADDED:
        break;
    }
    return false;
}

static bool shows_any(struct xp_fields fields, struct xp_str_list keys)
{
    for (size_t i = 0; i < fields.n; i++)
        if (is_shown(&fields.v[i], keys))
            return true;
    return false;
}

/* Writes a comment above its line, even if that line starts an element of a list. */
static void comment(struct example *e, struct str text)
{
    struct str line = xp_text_sentence(e->scratch, text, MAX_COMMENT);
    if (line.n == 0)
        return;
    bool dash = e->y.dash;
    e->y.dash = false;
    e->y.indent -= dash;
    yaml_lines(&e->y, arena_printf(e->scratch, "# " STR_FMT, STR_ARG(line)).p);
    e->y.indent += dash;
    e->y.dash = dash;
}

static void write_member(struct example *e, struct str key, const struct xp_shape *s, const struct xp_tree_attr *attr);

static void write_fields(struct example *e, struct xp_fields fields, struct xp_str_list keys)
{
    for (size_t i = 0; i < fields.n; i++) {
        const struct xp_field *f = &fields.v[i];
        if (!is_shown(f, keys))
            continue;
        comment(e, crd_describe(e->scratch, e->kind, e->flavour, f));
        write_member(e, f->json, f->shape, f->attr);
    }
}

/* The value, if it fits on one line; empty for a mapping or list with contents. */
static struct str one_line(struct example *e, const struct xp_shape *s, const struct xp_tree_attr *attr, struct xp_str_list keys)
{
    switch (s->kind) {
    case SHAPE_STRING:
        return placeholder(e, attr);
    case SHAPE_NUMBER:
    case SHAPE_INTEGER:
        return STR("1");
    case SHAPE_BOOL:
        return STR("false");
    case SHAPE_OBJECT:
        return shows_any(s->fields, keys) ? STR_EMPTY : STR("{}");
    case SHAPE_ANY:
    case SHAPE_SELECTOR:
    case SHAPE_RAW:
        return STR("{}");
    default:
        return STR_EMPTY;
    }
}

/* Writes the lines below a key or after the dash of an element. */
static void write_inside(struct example *e, const struct xp_shape *s, const struct xp_tree_attr *attr, struct xp_str_list keys)
{
    switch (s->kind) {
    case SHAPE_OBJECT:
        write_fields(e, s->fields, keys);
        break;
    case SHAPE_MAP:
        write_member(e, STR("key"), s->element, attr);
        break;
    case SHAPE_SECRET_KEY:
    case SHAPE_SECRET:
        write_secret_ref(e, s, attr);
        break;
    case SHAPE_REFERENCE:
        yaml_plain(&e->y, "name", "example");
        break;
    default:
        break;
    }
}

static void write_element(struct example *e, const struct xp_shape *list, const struct xp_tree_attr *attr)
{
    const struct xp_shape *s = list->element;
    struct str line = one_line(e, s, attr, list->keys);
    yaml_item(&e->y);
    if (line.n > 0)
        yaml_lines(&e->y, line.p);
    else if (s->kind == SHAPE_LIST || s->kind == SHAPE_SET) {
        yaml_lines(&e->y, "\n");
        write_element(e, s, attr);
    } else
        write_inside(e, s, attr, list->keys);
    yaml_end(&e->y);
}

static void write_member(struct example *e, struct str key, const struct xp_shape *s, const struct xp_tree_attr *attr)
{
    struct str line = one_line(e, s, attr, no_keys);
    if (s->kind == SHAPE_STRING)
        yaml_text(&e->y, key, line);
    else if (s->kind == SHAPE_BOOL)
        yaml_json(&e->y, key, json_make_bool(e->scratch, false));
    else if (s->kind == SHAPE_NUMBER || s->kind == SHAPE_INTEGER)
        yaml_json(&e->y, key, json_make_number(e->scratch, line));
    else if (line.n > 0)
        yaml_empty(&e->y, key);
    else if (s->kind == SHAPE_LIST || s->kind == SHAPE_SET) {
        yaml_list(&e->y, key);
        write_element(e, s, attr);
    } else {
        yaml_begin(&e->y, key);
        write_inside(e, s, attr, no_keys);
        yaml_end(&e->y);
    }
}

/* --- the object --- */

/* Does the user choose the external name? */
static bool is_named(const struct xp_external_name *n)
{
    switch (n->strategy) {
    case EXTERNAL_NAME_NAME:
    case EXTERNAL_NAME_PARAMETER:
        return true;
    case EXTERNAL_NAME_TEMPLATE:
        return n->field.n > 0;
    case EXTERNAL_NAME_PROVIDER:
    case EXTERNAL_NAME_COMPUTED:
    case EXTERNAL_NAME_CUSTOM:
        break;
    }
    return false;
}

static void write_external_name(struct example *e)
{
    const struct xp_external_name *n = &e->kind->config.external_name;
    struct str field = n->strategy == EXTERNAL_NAME_NAME ? STR("name") : n->field;
    yaml_begin(&e->y, STR("annotations"));
    comment(e, arena_printf(e->scratch, "Argument " STR_FMT "; without this annotation metadata.name is taken.", STR_ARG(field)));
    yaml_text(&e->y, STR("crossplane.io/external-name"), dashed(e->scratch, "example-", field));
    yaml_end(&e->y);
}

static void begin_object(struct example *e, struct str group)
{
    yaml_text(&e->y, STR("apiVersion"), arena_printf(e->scratch, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(e->kind->version)));
    yaml_text(&e->y, STR("kind"), e->kind->kind);
    yaml_begin(&e->y, STR("metadata"));
}

static void write_parameters(struct example *e, const char *key, struct xp_fields fields)
{
    if (!shows_any(fields, no_keys)) {
        yaml_empty(&e->y, str_of(key));
        return;
    }
    yaml_begin(&e->y, str_of(key));
    write_fields(e, fields, no_keys);
    yaml_end(&e->y);
}

static bool has_outputs(const struct xp_kind *k)
{
    for (size_t i = 0; i < k->n_secrets; i++)
        if (k->secrets[i].output)
            return true;
    return false;
}

static void write_references(struct example *e)
{
    yaml_begin(&e->y, STR("providerConfigRef"));
    if (e->flavour == FLAVOUR_NAMESPACED)
        yaml_plain(&e->y, "kind", "ClusterProviderConfig");
    yaml_plain(&e->y, "name", "default");
    yaml_end(&e->y);
    if (!has_outputs(e->kind))
        return;
    comment(e, STR("Where secret outputs are written to."));
    yaml_begin(&e->y, STR("writeConnectionSecretToRef"));
    write_secret_place(e, STR_EMPTY, secret_name(e, "-connection"));
    yaml_end(&e->y);
}

void example_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct example e = {.y = {.out = out}, .kind = k, .flavour = flavour, .scratch = scratch};
    begin_object(&e, xp_kind_group(scratch, k, flavour));
    if (!k->data_source && is_named(&k->config.external_name))
        write_external_name(&e);
    yaml_plain(&e.y, "name", "example");
    if (flavour == FLAVOUR_NAMESPACED)
        yaml_plain(&e.y, "namespace", NAMESPACE);
    yaml_end(&e.y);
    yaml_begin(&e.y, STR("spec"));
    write_parameters(&e, xp_tree_names[FOR_PROVIDER], k->trees[FOR_PROVIDER]);
    write_references(&e);
    yaml_end(&e.y);
    write_secrets(&e);
}

/* --- configuration of the provider --- */

/* Guesses, because many providers do not mark their secrets. This affects only the example. */
static bool is_secret(const struct xp_tree_attr *attr)
{
    static const char *const words[] = {"password", "secret", "token", "_key"};
    bool secret = attr->sensitive;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && attr->type->kind == TREE_STRING; i++)
        secret |= str_contains(attr->name, str_of(words[i]));
    return secret && !str_ends(attr->name, STR("_path")) && !xp_tree_is_output(attr);
}

/* As in other Crossplane providers: one key with all arguments as JSON. */
static struct str credentials(struct example *e)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_SECRET);
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    for (size_t i = 0; i < e->kind->tree.n_attrs; i++) {
        const struct xp_tree_attr *attr = &e->kind->tree.attrs[i];
        if (!is_secret(attr))
            continue;
        json_key(&w, attr->name);
        write_sample(e, &w, attr->type, attr);
    }
    json_end_object(&w);
    (void)json_finish(&w);
    return buf_copy(&out, e->scratch);
}

/* The required arguments that are not secret. */
static struct xp_fields plain_arguments(struct example *e)
{
    struct xp_fields all = e->kind->trees[FOR_PROVIDER];
    struct xp_field *plain = arena_make_n(e->scratch, struct xp_field, all.n);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i].role == FIELD_VALUE && is_shown(&all.v[i], no_keys) && !is_secret(all.v[i].attr))
            plain[n++] = all.v[i];
    return (struct xp_fields){plain, n};
}

static void write_credentials(struct example *e)
{
    struct str name = secret_name(e, "");
    comment(e, STR("Arguments of the provider, as JSON."));
    yaml_begin(&e->y, STR("credentials"));
    yaml_begin(&e->y, STR("secretRef"));
    yaml_plain(&e->y, "key", "credentials");
    yaml_text(&e->y, STR("name"), name);
    yaml_plain(&e->y, "namespace", NAMESPACE);
    yaml_end(&e->y);
    yaml_plain(&e->y, "source", "Secret");
    yaml_end(&e->y);
    add_entry(e, name, STR("credentials"), credentials(e));
}

void example_write_config(struct buf *out, const struct xp_kind *k, struct str group, bool namespaced)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct example e = {
        .y = {.out = out}, .kind = k, .flavour = namespaced ? FLAVOUR_NAMESPACED : FLAVOUR_CLUSTER, .scratch = scratch};
    begin_object(&e, group);
    yaml_plain(&e.y, "name", "default");
    if (namespaced)
        yaml_plain(&e.y, "namespace", NAMESPACE);
    yaml_end(&e.y);
    yaml_begin(&e.y, STR("spec"));
    struct xp_fields arguments = plain_arguments(&e);
    if (arguments.n > 0)
        write_parameters(&e, "configuration", arguments);
    if (k->trees[FOR_PROVIDER].n > 0)
        write_credentials(&e);
    else
        yaml_lines(&e.y, "credentials:\n"
                         "  source: None");
    yaml_end(&e.y);
    write_secrets(&e);
}
