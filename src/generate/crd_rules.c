#include "generate/crd_private.h"

#define POLICIES "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies)"

/* CEL needs types: it cannot see a field of any type, nor a list or map of these. */
static bool cel_sees_raw(const struct json *raw)
{
    const struct json *element = json_get(raw, "items") ? json_get(raw, "items") : json_get(raw, "additionalProperties");
    bool typed = json_get(raw, "type") || json_get(raw, "x-kubernetes-int-or-string");
    return typed && (!element || element->kind != JSON_OBJECT || cel_sees_raw(element));
}

static bool cel_sees(const struct xp_shape *s)
{
    switch (s->kind) {
    case SHAPE_ANY:
        return false;
    case SHAPE_RAW:
        return cel_sees_raw(s->raw);
    case SHAPE_LIST:
    case SHAPE_SET:
    case SHAPE_MAP:
        return cel_sees(s->element);
    default:
        return true;
    }
}

bool crd_rule_in_cel(const struct xp_kind *k, const struct xp_required_rule *rule)
{
    const struct xp_fields *fields = &k->trees[FOR_PROVIDER];
    for (size_t i = 0; i < fields->n; i++)
        if (str_eq(fields->v[i].json, rule->json))
            return cel_sees(fields->v[i].shape);
    return true;
}

static size_t count_rules(const struct xp_kind *k, bool in_cel)
{
    size_t n = 0;
    for (size_t i = 0; i < k->n_rules; i++)
        n += crd_rule_in_cel(k, &k->rules[i]) == in_cel;
    return n;
}

static struct str has_parameter(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *r)
{
    bool old = k->config.config->old_envelope; /* the old rules did not handle an absent initProvider */
    struct str init =
        !r->init ? STR_EMPTY
        : old    ? arena_printf(a, " || has(self.initProvider." STR_FMT ")", STR_ARG(r->in_cel))
                 : arena_printf(a, " || (has(self.initProvider) && has(self.initProvider." STR_FMT "))", STR_ARG(r->in_cel));
    return arena_printf(a, "has(self.forProvider." STR_FMT ")" STR_FMT, STR_ARG(r->in_cel), STR_ARG(init));
}

struct str crd_rule_text(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *r)
{
    return arena_printf(a, POLICIES " || " STR_FMT, STR_ARG(has_parameter(a, k, r)));
}

struct str crd_rule_message(struct arena *a, const struct xp_kind *k, const struct xp_required_rule *r)
{
    return arena_printf(a, "%s" STR_FMT " is a required parameter", k->config.config->old_envelope ? "" : "spec.forProvider.",
                        STR_ARG(r->json));
}

/* In an older version a parameter may also be given under its older name. */
static struct str with_older_names(struct crd_writer *w, const struct xp_required_rule *r, struct str rule)
{
    for (size_t i = 0; w->older && i < w->kind->config.n_renamed; i++) {
        const struct xp_renamed_field *f = &w->kind->config.renamed[i];
        struct xp_required_rule old = {.init = r->init};
        if (str_eq(f->new, r->json) && xp_name_in_rules(w->scratch, f->old, &old.in_cel))
            rule = arena_printf(w->scratch, STR_FMT " || " STR_FMT, STR_ARG(rule),
                                STR_ARG(has_parameter(w->scratch, w->kind, &old)));
    }
    return rule;
}

static void write_cel_rule(struct crd_writer *w, const struct xp_required_rule *r)
{
    yaml_item(&w->y);
    yaml_text(&w->y, STR("message"), crd_rule_message(w->scratch, w->kind, r));
    yaml_text(&w->y, STR("rule"), with_older_names(w, r, crd_rule_text(w->scratch, w->kind, r)));
    yaml_end(&w->y);
}

void crd_write_cel_rules(struct crd_writer *w)
{
    const struct xp_kind *k = w->kind;
    if (count_rules(k, true) == 0)
        return;
    yaml_list(&w->y, STR("x-kubernetes-validations"));
    for (size_t i = 0; i < k->n_rules; i++)
        if (crd_rule_in_cel(k, &k->rules[i]))
            write_cel_rule(w, &k->rules[i]);
}

/*
 * If no alternative holds, the server reports the one of which most parts hold. That should be the one for forProvider, so it
 * also requires something about the policies that is always true.
 */
static void write_tree_has(struct crd_writer *w, enum xp_tree_name tree, const struct xp_required_rule *r)
{
    yaml_item(&w->y);
    yaml_begin(&w->y, STR("properties"));
    yaml_begin(&w->y, str_of(xp_tree_names[tree]));
    yaml_texts(&w->y, STR("required"), &r->json, 1);
    yaml_end(&w->y);
    if (tree == FOR_PROVIDER)
        yaml_lines(&w->y, "managementPolicies:\n"
                          "  items:\n"
                          "    minLength: 1\n");
    yaml_end(&w->y);
    struct str name = str_of(xp_tree_names[tree]);
    if (tree != FOR_PROVIDER)
        yaml_texts(&w->y, STR("required"), &name, 1);
    yaml_end(&w->y);
}

/* The same rule in plain OpenAPI, for parameters that CEL cannot see; the API server chooses the message. */
void crd_write_plain_rules(struct crd_writer *w)
{
    const struct xp_kind *k = w->kind;
    if (count_rules(k, false) == 0)
        return;
    yaml_list(&w->y, STR("allOf"));
    for (size_t i = 0; i < k->n_rules; i++) {
        if (crd_rule_in_cel(k, &k->rules[i]))
            continue;
        yaml_item(&w->y);
        yaml_list(&w->y, STR("anyOf"));
        write_tree_has(w, FOR_PROVIDER, &k->rules[i]);
        if (k->rules[i].init)
            write_tree_has(w, INIT_PROVIDER, &k->rules[i]);
        yaml_lines(&w->y, "- properties:\n"
                          "    managementPolicies:\n"
                          "      items:\n"
                          "        enum:\n"
                          "        - Observe\n"
                          "        - Delete\n"
                          "        - LateInitialize\n");
        yaml_end(&w->y);
    }
}
