#include "generate/against_crd.h"

#include "base/map.h"

#include <stdlib.h>

/* A place in a schema, linked from the inside out; lives on the stack of the recursion. */
struct at {
    const struct at *up;
    struct str step; /* name of a property; "[*]": elements of a list or map */
};

struct comparison {
    struct arena *arena, *scratch;
    struct against_report *report;
    struct str crd, version;
    unsigned tree;     /* of enum against_tree; 0: outside */
    bool output;       /* in the status, which only the controller writes */
    struct map merged; /* change in one tree -> its index, to find the same change in other trees */
};

/* --- reporting --- */

static struct str path_of(struct comparison *c, const struct at *at)
{
    struct buf path BUF_AUTO = BUF_INIT(64 << 10);
    const struct at *steps[JSON_MAX_DEPTH];
    size_t n = 0;
    for (; at && n < JSON_MAX_DEPTH; at = at->up)
        steps[n++] = at;
    while (n-- > 0)
        buf_printf(&path, "%s" STR_FMT, path.n > 0 && steps[n]->step.p[0] != '[' ? "." : "", STR_ARG(steps[n]->step));
    return buf_copy(&path, c->arena);
}

static void add(struct comparison *c, const struct against_change *change)
{
    *VEC_PUSH(c->arena, &c->report->changes) = *change;
}

/* If another tree of the same version has the same change, adds this tree to that change. */
static void add_in_tree(struct comparison *c, const struct against_change *change)
{
    struct str key =
        arena_printf(c->scratch, "%d " STR_FMT " " STR_FMT, (int)change->what, STR_ARG(change->path), STR_ARG(change->detail));
    const size_t *known = map_get(&c->merged, key);
    if (known) {
        struct against_change *there = &c->report->changes.v[*known];
        there->trees |= change->trees;
        there->breaking |= change->breaking;
        return;
    }
    size_t *index = arena_make(c->scratch, size_t);
    *index = c->report->changes.n;
    map_put(&c->merged, key, index);
    add(c, change);
}

static void report(struct comparison *c, const struct at *at, enum against_what what, bool breaking, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));

static void report(struct comparison *c, const struct at *at, enum against_what what, bool breaking, const char *detail, ...)
{
    va_list args;
    va_start(args, detail);
    struct against_change change = {
        .crd = c->crd,
        .version = c->version,
        .trees = c->tree,
        .path = path_of(c, at),
        .what = what,
        .breaking = breaking,
        .detail = arena_vprintf(c->arena, detail, args),
    };
    va_end(args);
    if (c->tree)
        add_in_tree(c, &change);
    else
        add(c, &change);
}

static void narrowed(struct comparison *c, const struct at *at, const char *what)
{
    report(c, at, AGAINST_NARROWED, true, "%s", what);
}

static void widened(struct comparison *c, const struct at *at, const char *what)
{
    report(c, at, AGAINST_WIDENED, false, "%s", what);
}

/* --- types --- */

static struct str text_of(const struct json *object, const char *key)
{
    return json_text(json_get(object, key), STR_EMPTY);
}

static bool flag_of(const struct json *object, const char *key)
{
    return json_bool(json_get(object, key), false);
}

static bool keeps_unknown(const struct json *schema)
{
    return flag_of(schema, "x-kubernetes-preserve-unknown-fields");
}

static const struct json *object_in(const struct json *schema, const char *key)
{
    const struct json *found = json_get(schema, key);
    return found && found->kind == JSON_OBJECT ? found : NULL;
}

/* The name of the type: OpenAPI's, or "map" or "anything". */
static struct str type_of(const struct json *schema)
{
    struct str type = text_of(schema, "type");
    if (str_eqz(type, "object") && object_in(schema, "additionalProperties"))
        return STR("map");
    if (type.n > 0)
        return type;
    return flag_of(schema, "x-kubernetes-int-or-string") ? STR("integer or string") : STR("anything");
}

/* The type with its element types: list of map of string. */
static struct str long_type(struct arena *a, const struct json *schema)
{
    struct str type = type_of(schema);
    const struct json *element = str_eqz(type, "array") ? object_in(schema, "items")
                                 : str_eqz(type, "map") ? object_in(schema, "additionalProperties")
                                                        : NULL;
    if (!element)
        return str_eqz(type, "array") ? STR("list") : type;
    return arena_printf(a, "%s of " STR_FMT, str_eqz(type, "map") ? "map" : "list", STR_ARG(long_type(a, element)));
}

static bool is_wider_type(struct str was, struct str is)
{
    return str_eqz(is, "anything") || (str_eqz(was, "integer") && (str_eqz(is, "number") || str_eqz(is, "integer or string"))) ||
           (str_eqz(was, "string") && str_eqz(is, "integer or string"));
}

/* --- allowed values --- */

static const struct {
    const char *key;
    bool lower; /* a lower bound: a greater value is narrower */
} bounds[] = {
    {"minimum", true},  {"minLength", true},  {"minItems", true},  {"minProperties", true},
    {"maximum", false}, {"maxLength", false}, {"maxItems", false}, {"maxProperties", false},
};

static void compare_bounds(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const struct json *was = json_get(old, bounds[i].key), *is = json_get(new, bounds[i].key);
        if ((!was && !is) || (was && is && json_eq(was, is)))
            continue;
        struct str before = json_text(was, STR("none")), after = json_text(is, STR("none"));
        double difference =
            was && is ? strtod(arena_str(c->scratch, after).p, NULL) - strtod(arena_str(c->scratch, before).p, NULL) : 0;
        bool narrower = is && (!was || (bounds[i].lower ? difference > 0 : difference < 0));
        report(c, at, narrower ? AGAINST_NARROWED : AGAINST_WIDENED, narrower, "%s is " STR_FMT ", was " STR_FMT, bounds[i].key,
               STR_ARG(after), STR_ARG(before));
    }
}

static bool has_item(const struct json *list, const struct json *item)
{
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->array.n; i++)
        if (json_eq(list->array.items[i], item))
            return true;
    return false;
}

static size_t length(const struct json *list)
{
    return list && list->kind == JSON_ARRAY ? list->array.n : 0;
}

static struct str json_words(struct comparison *c, const struct json *j)
{
    if (j->kind == JSON_STRING)
        return j->text;
    struct buf text BUF_AUTO = BUF_INIT(4096);
    struct json_writer w = {.out = &text};
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_ok(&text) ? buf_copy(&text, c->scratch) : STR("a long value");
}

static void compare_enum(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    const struct json *was = json_get(old, "enum"), *is = json_get(new, "enum");
    if (!was || !is) {
        if (is)
            narrowed(c, at, "only certain values are accepted");
        else if (was)
            widened(c, at, "any value is accepted");
        return;
    }
    for (size_t i = 0; i < length(was); i++)
        if (!has_item(is, was->array.items[i]))
            report(c, at, AGAINST_NARROWED, true, "value \"" STR_FMT "\" is gone", STR_ARG(json_words(c, was->array.items[i])));
    for (size_t i = 0; i < length(is); i++)
        if (!has_item(was, is->array.items[i]))
            report(c, at, AGAINST_WIDENED, false, "value \"" STR_FMT "\" is new", STR_ARG(json_words(c, is->array.items[i])));
}

static void compare_format(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    struct str was = text_of(old, "format"), is = text_of(new, "format");
    if (str_eq(was, is))
        return;
    bool wider = is.n == 0 || (str_eqz(was, "int32") && str_eqz(is, "int64")) || (str_eqz(was, "float") && str_eqz(is, "double"));
    report(c, at, wider ? AGAINST_WIDENED : AGAINST_NARROWED, !wider, "format is %s" STR_FMT ", was %s" STR_FMT,
           is.n ? "" : "none", STR_ARG(is), was.n ? "" : "none", STR_ARG(was));
}

/* Keywords whose values cannot be ordered by strictness: any change may reject what was valid. */
static void compare_opaque(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    static const char *const keys[] = {"pattern", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "not",
                                       "anyOf",   "oneOf"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct json *was = json_get(old, keys[i]), *is = json_get(new, keys[i]);
        if (is && !(was && json_eq(was, is)))
            report(c, at, AGAINST_NARROWED, true, was ? "another %s" : "a %s", keys[i]);
        else if (was && !is)
            report(c, at, AGAINST_WIDENED, false, "no %s", keys[i]);
    }
}

static void compare_default(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    const struct json *was = json_get(old, "default"), *is = json_get(new, "default");
    if ((!was && !is) || (was && is && json_eq(was, is)))
        return;
    report(c, at, AGAINST_CHANGED, was != NULL, "default is " STR_FMT ", was " STR_FMT,
           STR_ARG(is ? json_words(c, is) : STR("none")), STR_ARG(was ? json_words(c, was) : STR("none")));
}

/* By default lists are atomic and maps granular. */
static void compare_merging(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    static const struct {
        const char *key, *usual;
    } markers[] = {{"x-kubernetes-list-type", "atomic"}, {"x-kubernetes-map-type", "granular"}};
    for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++) {
        struct str was = json_text(json_get(old, markers[i].key), str_of(markers[i].usual));
        struct str is = json_text(json_get(new, markers[i].key), str_of(markers[i].usual));
        if (!str_eq(was, is))
            report(c, at, AGAINST_CHANGED, true, "%s is " STR_FMT ", was " STR_FMT, markers[i].key, STR_ARG(is), STR_ARG(was));
    }
    const struct json *was = json_get(old, "x-kubernetes-list-map-keys"), *is = json_get(new, "x-kubernetes-list-map-keys");
    if (was && is && !json_eq(was, is))
        report(c, at, AGAINST_CHANGED, true, "its elements are identified by other keys");
}

/* --- rules --- */

/* spec.forProvider.name is a required parameter -> spec.forProvider.name */
static struct str required_by(const struct json *rule)
{
    struct str message = text_of(rule, "message"), end = STR(" is a required parameter");
    return str_ends(message, end) ? str_slice(message, 0, message.n - end.n) : STR_EMPTY;
}

/* For a list of alternatives written by our generator: the parameter that must be in one of the trees. */
static struct str required_by_alternatives(const struct json *condition)
{
    const struct json *first = length(json_get(condition, "anyOf")) > 0 ? json_get(condition, "anyOf")->array.items[0] : NULL;
    const struct json *names = json_get(object_in(object_in(first, "properties"), "forProvider"), "required");
    return length(names) == 1 ? json_text(names->array.items[0], STR_EMPTY) : STR_EMPTY;
}

static void report_required(struct comparison *c, struct str parameter, enum against_what what)
{
    unsigned outside = c->tree;
    struct str tree = STR("spec.forProvider.");
    struct str name = str_starts(parameter, tree) ? str_slice(parameter, tree.n, parameter.n) : parameter;
    c->tree = AGAINST_FOR_PROVIDER;
    report(c, &(struct at){.step = name}, what, what == AGAINST_FIELD_REQUIRED, "by a rule");
    c->tree = outside;
}

static const struct json *rule_like(const struct json *rules, const struct json *rule, const char *key)
{
    for (size_t i = 0; i < length(rules); i++)
        if (str_eq(text_of(rules->array.items[i], key), text_of(rule, key)))
            return rules->array.items[i];
    return NULL;
}

/* Does the rule have additional alternatives? Then it accepts more. */
static bool is_loosened(const struct json *was, const struct json *is)
{
    struct str before = text_of(was, "rule"), after = text_of(is, "rule");
    return str_starts(after, before) && str_starts(str_slice(after, before.n, after.n), STR(" || "));
}

static void report_rule(struct comparison *c, const struct at *at, const struct json *rule, bool is_new)
{
    if (required_by(rule).n > 0)
        report_required(c, required_by(rule), is_new ? AGAINST_FIELD_REQUIRED : AGAINST_FIELD_OPTIONAL);
    else
        report(c, at, is_new ? AGAINST_NARROWED : AGAINST_WIDENED, is_new, "%s rule: " STR_FMT,
               is_new ? "another" : "no longer a", STR_ARG(json_text(json_get(rule, "message"), text_of(rule, "rule"))));
}

static void compare_rules(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    const struct json *was = json_get(old, "x-kubernetes-validations"), *is = json_get(new, "x-kubernetes-validations");
    for (size_t i = 0; i < length(is); i++) {
        const struct json *rule = is->array.items[i];
        if (rule_like(was, rule, "rule"))
            continue;
        const struct json *before = json_get(rule, "message") ? rule_like(was, rule, "message") : NULL;
        if (!before)
            report_rule(c, at, rule, true);
        else if (is_loosened(before, rule))
            report(c, at, AGAINST_WIDENED, false, "the rule accepts more: " STR_FMT, STR_ARG(text_of(rule, "message")));
        else
            report(c, at, AGAINST_NARROWED, true, "the rule is different: " STR_FMT, STR_ARG(text_of(rule, "message")));
    }
    for (size_t i = 0; i < length(was); i++)
        if (!rule_like(is, was->array.items[i], "rule") && !rule_like(is, was->array.items[i], "message"))
            report_rule(c, at, was->array.items[i], false);
}

static void report_condition(struct comparison *c, const struct at *at, const struct json *condition, bool is_new)
{
    struct str parameter = required_by_alternatives(condition);
    if (parameter.n > 0)
        report_required(c, parameter, is_new ? AGAINST_FIELD_REQUIRED : AGAINST_FIELD_OPTIONAL);
    else
        report(c, at, is_new ? AGAINST_NARROWED : AGAINST_WIDENED, is_new, is_new ? "another condition" : "a condition less");
}

static void compare_conditions(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    const struct json *was = json_get(old, "allOf"), *is = json_get(new, "allOf");
    for (size_t i = 0; i < length(is); i++)
        if (!has_item(was, is->array.items[i]))
            report_condition(c, at, is->array.items[i], true);
    for (size_t i = 0; i < length(was); i++)
        if (!has_item(is, was->array.items[i]))
            report_condition(c, at, was->array.items[i], false);
}

/* --- fields --- */

static void compare_schema(struct comparison *c, const struct at *at, const struct json *old, const struct json *new);

static bool is_required(const struct json *schema, struct str name)
{
    const struct json *required = json_get(schema, "required");
    for (size_t i = 0; i < length(required); i++)
        if (str_eq(json_text(required->array.items[i], STR_EMPTY), name))
            return true;
    return false;
}

/* A required field with a default may be omitted. */
static void compare_required(struct comparison *c, const struct at *at, const struct json *old, const struct json *new,
                             const struct json *field)
{
    bool was = is_required(old, at->step), is = is_required(new, at->step) && !json_get(field, "default");
    if (is && !was)
        report(c, at, AGAINST_FIELD_REQUIRED, true, "%s", "");
    else if (was && !is_required(new, at->step))
        report(c, at, AGAINST_FIELD_OPTIONAL, false, "%s", "");
}

static void field_added(struct comparison *c, const struct at *at, const struct json *object, const struct json *field)
{
    bool needed = !c->output && is_required(object, at->step) && !json_get(field, "default");
    struct str type = long_type(c->scratch, field);
    report(c, at, AGAINST_FIELD_ADDED, needed, STR_FMT "%s", STR_ARG(type), needed ? ", required" : "");
}

/* Recognises the trees by their position. */
static unsigned tree_at(const struct comparison *c, const struct at *at)
{
    if (c->tree || !at->up || at->up->up)
        return c->tree;
    bool spec = str_eqz(at->up->step, "spec"), status = str_eqz(at->up->step, "status");
    if (spec && str_eqz(at->step, "forProvider"))
        return AGAINST_FOR_PROVIDER;
    if (spec && str_eqz(at->step, "initProvider"))
        return AGAINST_INIT_PROVIDER;
    return status && str_eqz(at->step, "atProvider") ? AGAINST_AT_PROVIDER : 0;
}

static void compare_field(struct comparison *c, const struct at *at, const struct json *was, const struct json *is)
{
    unsigned outside = c->tree;
    bool output = c->output;
    c->output |= !at->up && str_eqz(at->step, "status");
    c->tree = tree_at(c, at);
    compare_schema(c, c->tree != outside ? NULL : at, was, is); /* paths are relative to the tree */
    c->tree = outside;
    c->output = output;
}

static void compare_properties(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    const struct json *was = object_in(old, "properties"), *is = object_in(new, "properties");
    bool hidden = false; /* fields that are still accepted, but no longer described */
    for (size_t i = 0; was && i < was->object.n; i++) {
        const struct json_member *m = &was->object.members[i];
        struct at place = {at, m->key};
        const struct json *field = json_get_str(is, m->key);
        if (field && !c->output)
            compare_required(c, &place, old, new, field);
        if (field)
            compare_field(c, &place, m->value, field);
        else if (keeps_unknown(new))
            hidden = true;
        else
            report(c, &place, AGAINST_FIELD_REMOVED, true, "%s", "");
    }
    if (hidden)
        widened(c, at, "some fields are accepted unchecked");
    for (size_t i = 0; is && i < is->object.n; i++) {
        const struct json_member *m = &is->object.members[i];
        struct at place = {at, m->key};
        if (!json_get_str(was, m->key) && !keeps_unknown(old))
            field_added(c, &place, new, m->value);
    }
}

static void compare_unknown(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    if (keeps_unknown(old) && !keeps_unknown(new))
        narrowed(c, at, "fields that are not described are dropped");
    else if (!keeps_unknown(old) && keeps_unknown(new))
        widened(c, at, "fields that are not described are kept");
    if (flag_of(old, "nullable") && !flag_of(new, "nullable"))
        narrowed(c, at, "null is not accepted");
}

static void compare_values(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    compare_unknown(c, at, old, new);
    compare_enum(c, at, old, new);
    compare_format(c, at, old, new);
    compare_bounds(c, at, old, new);
    compare_opaque(c, at, old, new);
    compare_default(c, at, old, new);
    compare_merging(c, at, old, new);
    compare_rules(c, at, old, new);
    compare_conditions(c, at, old, new);
}

static void compare_schema(struct comparison *c, const struct at *at, const struct json *old, const struct json *new)
{
    struct str was = type_of(old), is = type_of(new);
    if (!str_eq(was, is)) {
        bool wider = is_wider_type(was, is);
        report(c, at, wider ? AGAINST_WIDENED : AGAINST_FIELD_RETYPED, !wider, STR_FMT ", was " STR_FMT,
               STR_ARG(long_type(c->scratch, new)), STR_ARG(long_type(c->scratch, old)));
        return;
    }
    if (!c->output)
        compare_values(c, at, old, new);
    compare_properties(c, at, old, new);
    static const char *const inner[] = {"items", "additionalProperties"};
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
        if (object_in(old, inner[i]) && object_in(new, inner[i]))
            compare_schema(c, &(struct at){at, STR("[*]")}, object_in(old, inner[i]), object_in(new, inner[i]));
}

/* --- the CRD as a whole --- */

static void compare_word(struct comparison *c, const char *what, const struct json *old, const struct json *new, const char *key)
{
    struct str was = text_of(old, key), is = text_of(new, key);
    if (!str_eq(was, is))
        report(c, NULL, AGAINST_CHANGED, true, "%s is " STR_FMT ", was " STR_FMT, what, STR_ARG(is), STR_ARG(was));
}

static const struct json *version_named(const struct json *versions, struct str name)
{
    for (size_t i = 0; i < length(versions); i++)
        if (str_eq(text_of(versions->array.items[i], "name"), name))
            return versions->array.items[i];
    return NULL;
}

static const struct json *stored_version(const struct json *versions)
{
    for (size_t i = 0; i < length(versions); i++)
        if (flag_of(versions->array.items[i], "storage"))
            return versions->array.items[i];
    return NULL;
}

static void compare_version(struct comparison *c, const struct json *old, const struct json *new)
{
    const struct json *was = json_get(json_get(old, "schema"), "openAPIV3Schema");
    const struct json *is = json_get(json_get(new, "schema"), "openAPIV3Schema");
    c->version = arena_str(c->arena, text_of(new, "name"));
    map_init(&c->merged, c->scratch);
    bool had = json_get(json_get(old, "subresources"), "status"), has = json_get(json_get(new, "subresources"), "status");
    if (had != has)
        report(c, NULL, AGAINST_CHANGED, true, has ? "the status is a subresource" : "the status is not a subresource");
    compare_schema(c, NULL, was, is);
    c->version = STR_EMPTY;
}

/* `old` was served; `new` is the same version now. True if they were compared. */
static bool compare_served(struct comparison *c, const struct json *old, const struct json *new)
{
    struct str name = text_of(old, "name");
    if (new && flag_of(new, "served")) {
        compare_version(c, old, new);
        return true;
    }
    if (new)
        report(c, NULL, AGAINST_CHANGED, true, "version " STR_FMT " is no longer served", STR_ARG(name));
    return false;
}

static void compare_versions(struct comparison *c, const struct json *was, const struct json *is)
{
    bool compared = false;
    for (size_t i = 0; i < length(was); i++) {
        const struct json *old = was->array.items[i], *new = version_named(is, text_of(old, "name"));
        if (!new)
            report(c, NULL, AGAINST_CHANGED, true, "version " STR_FMT " is gone%s", STR_ARG(text_of(old, "name")),
                   flag_of(old, "storage") ? ", in which clusters hold objects" : "");
        if (flag_of(old, "served"))
            compared |= compare_served(c, old, new);
    }
    for (size_t i = 0; i < length(is); i++)
        if (!version_named(was, text_of(is->array.items[i], "name")))
            report(c, NULL, AGAINST_CHANGED, false, "version " STR_FMT " is new", STR_ARG(text_of(is->array.items[i], "name")));
    const struct json *old = stored_version(was), *new = stored_version(is);
    if (!compared && old && new) /* no served version was compared: compare the stored ones */
        compare_version(c, old, new);
}

void against_compare(struct arena *a, struct arena *scratch, const struct json *old, const struct json *new,
                     struct against_report *report_to)
{
    const struct json *was = json_get(old, "spec"), *is = json_get(new, "spec");
    struct comparison c = {
        .arena = a,
        .scratch = scratch,
        .report = report_to,
        .crd = arena_str(a, text_of(json_get(new, "metadata"), "name")),
        .version = STR_EMPTY,
    };
    compare_word(&c, "scope", was, is, "scope");
    compare_word(&c, "kind", json_get(was, "names"), json_get(is, "names"), "kind");
    compare_versions(&c, json_get(was, "versions"), json_get(is, "versions"));
}
