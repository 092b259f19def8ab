#include "managed/policies.h"

#include "managed/edit.h"

enum { MAX_SHOWN = 1 << 10 };

static const struct {
    const char *name;
    enum managed_action action;
} actions[] = {
    {"Observe", MANAGED_OBSERVE}, {"Create", MANAGED_CREATE}, {"Update", MANAGED_UPDATE},
    {"Delete", MANAGED_DELETE},   {"*", MANAGED_ALL},         {"LateInitialize", MANAGED_LATE_INITIALIZE},
};

/* In addition to ["*"], [Observe] and []. Other sets contain an action that needs one which is missing. */
static const unsigned supported[] = {
    MANAGED_ALL,
    0,
    MANAGED_OBSERVE,
    MANAGED_OBSERVE | MANAGED_LATE_INITIALIZE,
    MANAGED_OBSERVE | MANAGED_DELETE,
    MANAGED_OBSERVE | MANAGED_UPDATE,
    MANAGED_OBSERVE | MANAGED_UPDATE | MANAGED_LATE_INITIALIZE,
    MANAGED_OBSERVE | MANAGED_CREATE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_LATE_INITIALIZE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_DELETE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_DELETE | MANAGED_LATE_INITIALIZE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_UPDATE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_UPDATE | MANAGED_LATE_INITIALIZE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_UPDATE | MANAGED_DELETE,
    MANAGED_OBSERVE | MANAGED_CREATE | MANAGED_UPDATE | MANAGED_DELETE | MANAGED_LATE_INITIALIZE,
};

static unsigned action_named(struct str name)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (str_eqz(name, actions[i].name))
            return actions[i].action;
    return MANAGED_UNKNOWN;
}

struct managed_policies managed_policies(const struct json *object, bool enabled, bool has_deletion_policy)
{
    const struct json *list = managed_at(object, "spec", "managementPolicies", NULL);
    const struct json *deletion = managed_at(object, "spec", "deletionPolicy", NULL);
    struct managed_policies p = {.enabled = enabled, .has_deletion_policy = has_deletion_policy};
    p.orphan = has_deletion_policy && str_eqz(managed_text(deletion), "Orphan");
    if (managed_is_absent(list)) {
        p.actions = MANAGED_ALL;
        return p;
    }
    p.said = list;
    p.actions = managed_is_array(list) ? 0 : MANAGED_UNKNOWN;
    for (size_t i = 0; managed_is_array(list) && i < list->array.n; i++)
        p.actions |= action_named(managed_text(list->array.items[i]));
    return p;
}

/* "[Observe Create]", as Go prints a list. */
static struct str shown(struct arena *a, const struct managed_policies *p)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_SHOWN);
    buf_addc(&out, '[');
    for (size_t i = 0; managed_is_array(p->said) && i < p->said->array.n; i++) {
        struct str name = json_text(p->said->array.items[i], STR("?"));
        buf_addz(&out, i > 0 ? " " : "");
        buf_add(&out, str_slice(name, 0, 64));
    }
    buf_addc(&out, ']');
    return buf_copy(&out, a);
}

bool managed_policies_check(struct arena *a, const struct managed_policies *p, struct diags *diags)
{
    if (!p->enabled && (p->actions == MANAGED_ALL || p->actions == 0))
        return true;
    if (!p->enabled)
        return diags_fail(diags, "Management policies are not enabled",
                          "`spec.managementPolicies` is set to a non-default value but the feature is not enabled: " STR_FMT,
                          STR_ARG(shown(a, p)));
    for (size_t i = 0; i < sizeof supported / sizeof supported[0]; i++)
        if (p->actions == supported[i])
            return true;
    return diags_fail(diags, "Unsupported management policies",
                      "`spec.managementPolicies` is set to a value(" STR_FMT
                      ") which is not supported. Check docs for supported policies",
                      STR_ARG(shown(a, p)));
}

static bool may(const struct managed_policies *p, enum managed_action action)
{
    return !p->enabled || (p->actions & ((unsigned)action | MANAGED_ALL)) != 0;
}

bool managed_policies_pause(const struct managed_policies *p)
{
    return p->enabled && p->actions == 0;
}

bool managed_may_create(const struct managed_policies *p)
{
    return may(p, MANAGED_CREATE);
}

bool managed_may_update(const struct managed_policies *p)
{
    return may(p, MANAGED_UPDATE);
}

bool managed_may_late_initialize(const struct managed_policies *p)
{
    return may(p, MANAGED_LATE_INITIALIZE);
}

bool managed_may_delete(const struct managed_policies *p)
{
    if (!p->enabled || p->actions == MANAGED_ALL)
        return !p->orphan;
    return (p->actions & MANAGED_DELETE) != 0;
}

bool managed_only_observes(const struct managed_policies *p)
{
    return p->enabled && p->actions == MANAGED_OBSERVE;
}
