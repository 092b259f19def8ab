#include "cloudcontrol/tags.h"

#include "cloudcontrol/document.h"
#include "cloudcontrol/node_value_private.h"

static bool can_be_made(const struct cc_node *element)
{
    for (size_t i = 0; i < element->n_children; i++) {
        const struct cc_node *child = &element->children[i];
        bool known = str_eqz(child->cf_name, "Key") || str_eqz(child->cf_name, "Value");
        if (known ? child->kind != CC_STRING : child->cf_required)
            return false;
    }
    return true;
}

bool cc_can_update(const struct cc_type *type)
{
    return !type->immutable && type->cfn->handlers[CFN_UPDATE].present;
}

size_t cc_tags_position(const struct cc_type *type)
{
    const struct cc_node *tags = type->tags, *root = type->root;
    if (type->mode == CFN_MODE_STRICT || !tags || tags->parent != root || tags->create_only || cc_is_computed_only(tags) ||
        !cc_can_update(type))
        return SIZE_MAX;
    if (!type->tags_are_map && !can_be_made(tags->element))
        return SIZE_MAX;
    return (size_t)(tags - root->children);
}

static struct str key_at(const struct cc_node *node, const struct value *tags, size_t i)
{
    return node->kind == CC_MAP ? tags->keys[i] : cc_key_of(node->element, tags->elements[i]);
}

static const struct value *make_tag(struct arena *a, const struct cc_node *node, const struct cc_tag *tag)
{
    const struct cc_node *element = node->element;
    if (node->kind == CC_MAP)
        return value_string(a, tag->value);
    const struct value **parts = arena_make_n(a, const struct value *, element->n_children);
    for (size_t i = 0; i < element->n_children; i++) {
        const struct cc_node *child = &element->children[i];
        if (str_eqz(child->cf_name, "Key"))
            parts[i] = value_string(a, tag->key);
        else if (str_eqz(child->cf_name, "Value"))
            parts[i] = value_string(a, tag->value);
        else
            parts[i] = value_null(a, child->type);
    }
    return cc_make(a, element, parts, NULL, element->n_children);
}

const struct value *cc_tags_merge(struct arena *a, const struct cc_node *node, const struct value *own, struct cc_tags defaults)
{
    size_t had = cc_has_content(own) ? own->n : 0, n = had;
    const struct value **parts = arena_make_n(a, const struct value *, had + defaults.n);
    struct str *keys = arena_make_n(a, struct str, had + defaults.n);
    struct map seen;
    map_init(&seen, a);
    for (size_t i = 0; i < had; i++) {
        parts[i] = own->elements[i];
        keys[i] = key_at(node, own, i);
        map_put(&seen, keys[i], &parts[i]);
    }
    for (size_t i = 0; i < defaults.n; i++) {
        keys[n] = defaults.v[i].key;
        if (map_add(&seen, keys[n], &parts[n])) {
            parts[n] = make_tag(a, node, &defaults.v[i]);
            n++;
        }
    }
    return n == had ? own : cc_make(a, node, parts, keys, n);
}

static const struct cc_tag *find_tag(struct cc_tags tags, struct str key)
{
    for (size_t i = 0; i < tags.n; i++)
        if (str_eq(tags.v[i].key, key))
            return &tags.v[i];
    return NULL;
}

static struct str text_at(const struct cc_node *node, const struct value *tags, size_t i)
{
    const struct value *v = tags->elements[i];
    if (node->kind != CC_MAP && cc_has_content(v)) {
        const struct cc_node *value = cc_node_cf_child(node->element, STR("Value"));
        v = value ? cc_part(v, (size_t)(value - node->element->children)) : NULL;
    }
    return cc_has_content(v) ? v->string : STR_EMPTY;
}

const struct value *cc_tags_renew(struct arena *a, const struct cc_node *node, const struct value *prior, struct cc_tags defaults,
                                  struct cc_tags former)
{
    if (!cc_has_content(prior))
        return cc_tags_merge(a, node, prior, defaults);
    const struct value **parts = arena_make_n(a, const struct value *, prior->n);
    struct str *keys = arena_make_n(a, struct str, prior->n);
    bool changed = false;
    size_t n = 0;
    for (size_t i = 0; i < prior->n; i++) {
        struct str key = key_at(node, prior, i);
        const struct cc_tag *tag = find_tag(defaults, key);
        bool goes = !tag && find_tag(former, key), differs = tag && !str_eq(tag->value, text_at(node, prior, i));
        changed |= goes || differs;
        if (goes)
            continue;
        keys[n] = key;
        parts[n++] = differs ? make_tag(a, node, tag) : prior->elements[i];
    }
    return cc_tags_merge(a, node, changed ? cc_make(a, node, parts, keys, n) : prior, defaults);
}

/* --- what is kept with the state --- */

struct str cc_tags_record(struct arena *a, const struct cc_type *type, struct cc_tags defaults)
{
    if (defaults.n == 0 || cc_tags_position(type) == SIZE_MAX)
        return STR_EMPTY;
    const struct json **keys = arena_make_n(a, const struct json *, defaults.n);
    for (size_t i = 0; i < defaults.n; i++)
        keys[i] = json_make_string(a, defaults.v[i].key);
    struct json_member member = {.key = STR("default_tags"), .value = json_make_array(a, keys, defaults.n)};
    return cc_json_text(a, json_make_object(a, &member, 1));
}

struct cc_tags cc_tags_recorded(struct arena *a, struct str record)
{
    struct diags ignored;
    diags_init(&ignored, a);
    bool is_one = record.n > 0 && record.p[0] == '{';
    const struct json *j = is_one ? json_parse(a, record, "private", &ignored) : NULL;
    const struct json *keys = j ? json_get(j, "default_tags") : NULL;
    size_t n = keys && keys->kind == JSON_ARRAY ? keys->array.n : 0;
    struct cc_tag *v = arena_make_n(a, struct cc_tag, n);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct cc_tag){json_text(keys->array.items[i], STR_EMPTY), STR_EMPTY};
    return (struct cc_tags){v, n};
}

const struct value *cc_with_default_tags(struct arena *a, const struct cc_type *type, const struct value *v,
                                         struct cc_tags defaults)
{
    size_t at = cc_tags_position(type);
    if (at == SIZE_MAX || defaults.n == 0 || !cc_has_content(v) || !value_is_known(v->elements[at]))
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = v->elements[i];
    parts[at] = cc_tags_merge(a, &type->root->children[at], v->elements[at], defaults);
    return cc_make(a, type->root, parts, NULL, v->n);
}
