/*
 * What may be done to the external object: management policies, deletion policy and pausing.
 *
 * spec.managementPolicies is a set of actions. Fifteen sets are supported; an empty one pauses the object, and an absent one
 * means ["*"], the API's default. deletionPolicy exists only in cluster-scoped kinds, in addition to the policies: the one of the
 * two that is not at its default counts.
 */
#pragma once

#include "base/json.h"

enum managed_action {
    MANAGED_OBSERVE = 1 << 0,
    MANAGED_CREATE = 1 << 1,
    MANAGED_UPDATE = 1 << 2,
    MANAGED_DELETE = 1 << 3,
    MANAGED_LATE_INITIALIZE = 1 << 4,
    MANAGED_ALL = 1 << 5, /* "*" */
    MANAGED_UNKNOWN = 1 << 6,
};

struct managed_policies {
    bool enabled;             /* false: policies are not supported, and every action is allowed */
    unsigned actions;         /* of enum managed_action */
    const struct json *said;  /* the list in the object; NULL: absent */
    bool has_deletion_policy; /* the kind is cluster-scoped */
    bool orphan;              /* deletionPolicy: Orphan */
};

/* Reads the policies from spec; deletionPolicy is ignored for a kind that does not have it. */
struct managed_policies managed_policies(const struct json *object, bool enabled, bool has_deletion_policy);

/* Is the combination supported? The diagnostic has the wording of conditions. */
bool managed_policies_check(struct arena *a, const struct managed_policies *p, struct diags *diags);

/* By the policies only; managed_is_paused_by_annotation() checks the annotation. */
bool managed_policies_pause(const struct managed_policies *p);
bool managed_may_create(const struct managed_policies *p);
bool managed_may_update(const struct managed_policies *p);
bool managed_may_late_initialize(const struct managed_policies *p);
bool managed_may_delete(const struct managed_policies *p);
/* Is Observe the only action? */
bool managed_only_observes(const struct managed_policies *p);
