#include "cloudcontrol/validate.h"

#include "base/duration.h"
#include "cloudcontrol/node_value_private.h"

static void check_timeout(struct arena *a, const struct value *v, const struct trail *at, struct diags *diags)
{
    int64_t ns;
    if (cc_has_content(v) && (!duration_parse(v->string, &ns) || ns <= 0))
        (void)diags_fail_at(diags, trail_path(a, PATH_ROOT, at), "Invalid Timeout",
                            "\"" STR_FMT "\" is not a valid duration; expected numbers with units, as in 30s, 90m or 1h30m.",
                            STR_ARG(str_slice(v->string, 0, 100)));
}

static void check(struct arena *a, const struct cc_node *node, const struct value *v, const struct trail *at, struct diags *diags)
{
    if (node->name.n > 0 && cc_is_computed_only(node) && !value_is_null(v)) {
        (void)diags_fail_at(
            diags, trail_path(a, PATH_ROOT, at), "Invalid Configuration for Read-Only Attribute",
            "Cannot set value for this attribute as the provider has marked it as read-only. Remove the "
            "configuration line setting the value.\n\nRefer to the provider documentation or contact the provider "
            "developers for additional information about configurable and read-only attributes that are supported.");
        return;
    }
    if (node->required && value_is_null(v)) {
        struct path path = trail_path(a, PATH_ROOT, at);
        (void)diags_fail_at(diags, path, "Missing Configuration for Required Attribute",
                            "Must set a configuration value for the " STR_FMT " attribute as the provider has marked it as "
                            "required.\n\nRefer to the provider documentation or contact the provider developers for additional "
                            "information about configurable attributes that are required.",
                            STR_ARG(path_text(a, path)));
    }
    if (node->role == CC_ROLE_TIMEOUTS && node->kind == CC_STRING)
        check_timeout(a, v, at, diags);
    if (!cc_has_content(v) || (node->kind != CC_OBJECT && !node->element))
        return;
    for (size_t i = 0; i < v->n; i++) {
        struct trail step = trail_element(at, v, i);
        check(a, cc_part_node(node, i), v->elements[i], &step, diags);
    }
}

void cc_validate_config(struct arena *a, const struct cc_node *root, const struct value *config, struct cc_patterns *patterns,
                        struct diags *diags)
{
    check(a, root, config, NULL, diags);
    cc_validate(a, root, config, patterns, diags);
}
