/*
 * Builds a tree from events: the meaning of scalars (yaml_scalar.h), keys, tags, anchors, merge keys, limits on depth and size.
 *
 * An alias shares the nodes of its anchor, since trees are immutable. It still counts as a copy, because walking the tree visits
 * the nodes again; so each anchor records its size and height.
 */
#include "base/json_build.h"
#include "base/vec.h"
#include "yaml/yaml.h"
#include "yaml/yaml_events.h"
#include "yaml/yaml_scalar.h"

#include <inttypes.h>

/* A finished part of the tree. */
struct node {
    const struct json *json; /* NULL in the table of anchors until the node is complete */
    size_t size;             /* nodes in it, aliases expanded */
    uint32_t height;         /* levels of containers in it */
};

struct reader {
    struct arena *arena;
    struct yaml_events *events;
    struct yaml_event event; /* the current one */
    struct json_builder builder;
    struct map anchors; /* of the current document: name -> struct node */
    size_t n_nodes;     /* of the current document, aliases expanded */
    uint32_t depth;
};

static bool read_node(struct reader *r, struct node *ret);

static bool next(struct reader *r)
{
    return yaml_events_next(r->events, &r->event);
}

static bool fail_at(struct reader *r, struct yaml_position at, const char *what)
{
    (void)yaml_events_fail(r->events, at, what);
    return false;
}

static bool fail(struct reader *r, const char *what)
{
    return fail_at(r, r->event.at, what);
}

static bool fail_deep(struct reader *r)
{
    return fail(r, "nested deeper than 256 levels");
}

static bool fail_full(struct reader *r)
{
    return fail(r, "the text holds more than the memory set aside for it");
}

static bool count(struct reader *r, size_t nodes)
{
    r->n_nodes += nodes;
    if (r->n_nodes > YAML_MAX_NODES)
        return fail(r, "the document has too many nodes once its aliases are expanded");
    return true;
}

static struct json *make_json(struct reader *r, enum json_kind kind)
{
    struct json *json = arena_make(r->arena, struct json);
    json->kind = kind;
    json->line = r->event.at.line;
    json->column = r->event.at.column;
    return json;
}

/* Anchors */

/* Records the anchor of the current event, if any; the caller fills it in when the node is complete. */
static struct node *open_anchor(struct reader *r)
{
    if (!r->event.has_anchor)
        return NULL;
    struct node *anchored = arena_make(r->arena, struct node);
    map_put(&r->anchors, arena_str(r->arena, r->event.anchor), anchored);
    return anchored;
}

static bool read_alias(struct reader *r, struct node *ret)
{
    const struct node *anchored = map_get(&r->anchors, r->event.anchor);
    if (!anchored)
        return fail(r, "expected an anchor of this name before the alias, found none");
    if (!anchored->json)
        return fail(r, "the alias is inside the node that it refers to");
    if (r->depth + anchored->height > JSON_MAX_DEPTH)
        return fail_deep(r);
    *ret = *anchored;
    return count(r, anchored->size);
}

/* Scalars */

/* Reads the tag: "" for none, "!" for the non-specific tag, the name of a core tag; other tags are an error. */
static bool read_tag(struct reader *r, struct str *ret)
{
    static const struct str prefix = {"tag:yaml.org,2002:", 18};
    static const char *const core[] = {"", "!", "str", "int", "float", "bool", "null", "map", "seq"};
    struct str tag = r->event.tag;
    if (str_starts(tag, prefix))
        tag = str_slice(tag, prefix.n, tag.n);
    for (size_t i = 0; i < sizeof core / sizeof core[0]; i++)
        if (str_eqz(tag, core[i])) {
            *ret = str_of(core[i]);
            return true;
        }
    return fail(r, "expected no tag or one of !!str !!int !!float !!bool !!null !!map !!seq, found another");
}

static bool tag_allows(struct str tag, enum yaml_scalar_kind kind)
{
    switch (kind) {
    case YAML_NULL:
        return tag.n == 0 || str_eqz(tag, "null");
    case YAML_BOOL:
        return tag.n == 0 || str_eqz(tag, "bool");
    case YAML_INT:
        return tag.n == 0 || str_eqz(tag, "int") || str_eqz(tag, "float");
    case YAML_FLOAT:
    case YAML_NOT_FINITE:
        return tag.n == 0 || str_eqz(tag, "float");
    case YAML_STRING:
        return tag.n == 0;
    }
    return false;
}

/* NULL and an error for what JSON cannot hold. */
static const struct json *make_scalar(struct reader *r, struct yaml_scalar scalar)
{
    struct json *json;
    switch (scalar.kind) {
    case YAML_NULL:
        return make_json(r, JSON_NULL);
    case YAML_BOOL:
        json = make_json(r, JSON_BOOL);
        json->boolean = scalar.boolean;
        return json;
    case YAML_INT:
    case YAML_FLOAT:
        json = make_json(r, JSON_NUMBER);
        json->text = scalar.number;
        return json;
    case YAML_STRING:
        json = make_json(r, JSON_STRING);
        json->text = r->event.text;
        return json;
    case YAML_NOT_FINITE:
        break;
    }
    (void)fail(r, "expected a finite number (JSON has no other), found infinity or not-a-number");
    return NULL;
}

static bool read_scalar(struct reader *r, struct node *ret)
{
    struct str tag = STR_EMPTY;
    struct node *anchored = open_anchor(r);
    if (!read_tag(r, &tag))
        return false;
    /* Quoted text is a string, unless a tag says otherwise. */
    bool is_string = str_eqz(tag, "str") || str_eqz(tag, "!") || (tag.n == 0 && !r->event.is_plain);
    struct yaml_scalar scalar = {.kind = YAML_STRING};
    if (!is_string) {
        scalar = yaml_resolve(r->arena, r->event.text, str_eqz(tag, "int") || str_eqz(tag, "float"));
        if (!tag_allows(tag, scalar.kind))
            return fail(r, "the value does not match its tag");
    }
    const struct json *json = make_scalar(r, scalar);
    if (!json)
        return false;
    *ret = (struct node){.json = json, .size = 1};
    if (anchored)
        *anchored = *ret;
    return count(r, 1);
}

/* Containers */

/* An open sequence or mapping. */
struct container {
    struct json *json;
    struct node *anchored; /* NULL for none */
    struct node node;
};

static bool enter(struct reader *r, enum json_kind kind, struct container *ret)
{
    struct str tag = STR_EMPTY;
    if (!read_tag(r, &tag))
        return false;
    if (tag.n > 0 && !str_eqz(tag, "!") && !str_eqz(tag, kind == JSON_ARRAY ? "seq" : "map"))
        return fail(r, "the collection does not match its tag");
    if (r->depth == JSON_MAX_DEPTH)
        return fail_deep(r);
    r->depth++;
    struct json *json = make_json(r, kind);
    *ret = (struct container){
        .json = json,
        .anchored = open_anchor(r),
        .node = {.json = json, .size = 1, .height = 1},
    };
    return count(r, 1);
}

static void leave(struct reader *r, const struct container *c, struct node *ret)
{
    r->depth--;
    if (c->anchored)
        *c->anchored = c->node;
    *ret = c->node;
}

static void add_child(struct container *parent, const struct node *child)
{
    parent->node.size += child->size;
    if (child->height + 1 > parent->node.height)
        parent->node.height = child->height + 1;
}

static bool read_sequence(struct reader *r, struct node *ret)
{
    struct container c;
    if (!enter(r, JSON_ARRAY, &c))
        return false;
    struct json_open open = json_open_array(&r->builder);
    for (;;) {
        struct node item = {0};
        if (!next(r))
            return false;
        if (r->event.kind == YAML_SEQUENCE_END)
            break;
        if (!read_node(r, &item))
            return false;
        if (json_add_item(&r->builder, item.json) != JSON_ADDED)
            return fail_full(r);
        add_child(&c, &item);
    }
    json_close_array(&r->builder, &open, c.json);
    leave(r, &c, ret);
    return true;
}

/* True for a decimal number that Kubernetes would write in the same way as a key. */
static bool is_canonical_float(struct str text)
{
    enum { SAFE_DIGITS = 6 };
    if (str_find(text, '.', 0) == SIZE_MAX || str_find(text, 'e', 0) != SIZE_MAX || text.p[text.n - 1] == '0')
        return false;
    bool tiny = str_starts(text, STR("0.0000")) || str_starts(text, STR("-0.0000"));
    return !tiny && text.n - 1 - (text.p[0] == '-') <= SAFE_DIGITS;
}

static bool is_integer(struct str text)
{
    for (size_t i = text.p[0] == '-'; i < text.n; i++)
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
    return true;
}

/* Keys are strings in JSON; numbers and booleans are converted as Kubernetes does it. */
static bool key_of(struct reader *r, struct yaml_position at, const struct json *json, struct str *ret)
{
    switch (json->kind) {
    case JSON_STRING:
        *ret = json->text;
        return true;
    case JSON_BOOL:
        *ret = json->boolean ? STR("true") : STR("false");
        return true;
    case JSON_NUMBER:
        *ret = json->text;
        if (is_integer(json->text) || is_canonical_float(json->text))
            return true;
        return fail_at(r, at,
                       "expected a string as the key, found a number that can be written in several ways: put it in quotes");
    case JSON_NULL:
        return fail_at(r, at, "expected a string as the key, found null: put it in quotes");
    default:
        return fail_at(r, at, "expected a string as the key, found a list or a map");
    }
}

struct mapping {
    struct container container;
    struct json_open open;
    const struct json *merge; /* the value of "<<", or NULL */
    struct yaml_position merge_at;
};

static bool is_merge(const struct yaml_event *event)
{
    return event->kind == YAML_SCALAR && event->is_plain && event->tag.n == 0 && str_eqz(event->text, "<<");
}

static bool read_merge(struct reader *r, struct mapping *m)
{
    struct node source = {0};
    if (m->merge)
        return fail(r, "the key \"<<\" is already in this map");
    m->merge_at = r->event.at;
    if (!next(r) || !read_node(r, &source))
        return false;
    m->merge = source.json;
    /* Counted at its own place, one level deeper than its members will be. */
    add_child(&m->container, &source);
    return true;
}

static bool fail_duplicate(struct reader *r, const struct json_member *member)
{
    enum { SHOWN = 200 };
    struct str key = str_slice(member->key, 0, SHOWN);
    struct str text = arena_printf(r->arena, "the key \"" STR_FMT "\" is already in this map", STR_ARG(key));
    return fail_at(r, (struct yaml_position){member->line, member->column}, text.p);
}

static bool read_member(struct reader *r, struct mapping *m)
{
    struct yaml_position at = r->event.at;
    struct json_member member = {.line = at.line, .column = at.column};
    struct node key = {0}, value = {0};
    if (!read_node(r, &key) || !key_of(r, at, key.json, &member.key))
        return false;
    if (!next(r) || !read_node(r, &value))
        return false;
    member.value = value.json;
    add_child(&m->container, &value);
    switch (json_add_member(&r->builder, &m->open, &member)) {
    case JSON_ADDED:
        return true;
    case JSON_DUPLICATE:
        return fail_duplicate(r, &member);
    case JSON_FULL:
        return fail_full(r);
    }
    return false;
}

/* Adds the members of `source` that the map does not have yet. */
static bool merge_one(struct reader *r, struct mapping *m, const struct json *source)
{
    if (source->kind != JSON_OBJECT)
        return fail_at(r, m->merge_at, "expected a map or a list of maps to merge, found something else");
    for (size_t i = 0; i < source->object.n; i++)
        if (json_add_member(&r->builder, &m->open, &source->object.members[i]) == JSON_FULL)
            return fail_full(r);
    return true;
}

static bool merge(struct reader *r, struct mapping *m)
{
    if (!m->merge)
        return true;
    if (m->merge->kind != JSON_ARRAY)
        return merge_one(r, m, m->merge);
    for (size_t i = 0; i < m->merge->array.n; i++)
        if (!merge_one(r, m, m->merge->array.items[i]))
            return false;
    return true;
}

static bool read_mapping(struct reader *r, struct node *ret)
{
    struct mapping m = {.open = json_open_object(&r->builder)};
    if (!enter(r, JSON_OBJECT, &m.container))
        return false;
    for (;;) {
        if (!next(r))
            return false;
        if (r->event.kind == YAML_MAPPING_END)
            break;
        if (!(is_merge(&r->event) ? read_merge(r, &m) : read_member(r, &m)))
            return false;
    }
    if (!merge(r, &m))
        return false;
    json_close_object(&r->builder, &m.open, m.container.json);
    leave(r, &m.container, ret);
    return true;
}

static bool read_node(struct reader *r, struct node *ret)
{
    switch (r->event.kind) {
    case YAML_SCALAR:
        return read_scalar(r, ret);
    case YAML_ALIAS:
        return read_alias(r, ret);
    case YAML_SEQUENCE_START:
        return read_sequence(r, ret);
    case YAML_MAPPING_START:
        return read_mapping(r, ret);
    default:
        return fail(r, "expected a node");
    }
}

/* Documents */

struct list {
    const struct json **v;
    size_t n, cap;
};

static bool read_document(struct reader *r, struct list *list)
{
    struct node root = {0};
    map_init(&r->anchors, r->arena);
    r->n_nodes = 0;
    if (!next(r) || !read_node(r, &root))
        return false;
    if (root.json->kind != JSON_NULL)
        *VEC_PUSH(r->arena, list) = root.json;
    return next(r); /* the end of the document */
}

static bool read_stream(struct reader *r, struct list *list)
{
    for (;;) {
        if (!next(r))
            return false;
        if (r->event.kind == YAML_STREAM_END)
            return true;
        if (r->event.kind == YAML_DOCUMENT_START && !read_document(r, list))
            return false;
    }
}

static bool read_all(struct arena *a, struct str text, const char *source, struct diags *diags, struct list *list)
{
    struct reader r = {.arena = a};
    if (!yaml_events_open(a, text, source, diags, &r.events))
        return false;
    json_builder_init(&r.builder, a, YAML_MAX_NODES, YAML_MAX_NODES);
    bool ok = read_stream(&r, list);
    json_builder_free(&r.builder);
    yaml_events_close(r.events);
    return ok;
}

bool yaml_parse_all(struct arena *a, struct str text, const char *source, struct diags *diags, struct yaml_documents *ret)
{
    struct list list = {0};
    if (!read_all(a, text, source, diags, &list))
        return false;
    *ret = (struct yaml_documents){.v = list.v, .n = list.n};
    return true;
}

const struct json *yaml_parse(struct arena *a, struct str text, const char *source, struct diags *diags)
{
    struct list list = {0};
    if (!read_all(a, text, source, diags, &list))
        return NULL;
    if (list.n == 0)
        return json_make_null(a);
    if (list.n > 1) {
        (void)diags_fail(diags, "Invalid YAML", "%s:%" PRIu32 ":%" PRIu32 ": expected one document, found %zu.", source,
                         list.v[1]->line, list.v[1]->column, list.n);
        return NULL;
    }
    return list.v[0];
}
