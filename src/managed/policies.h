/*
 * What may be done to the external object: management policies, the deletion policy, and pausing.
 *
 * spec.managementPolicies is a set of actions. Fifteen sets have a meaning; an empty one pauses the object, and an absent one is
 * ["*"], as the API has it by default. deletionPolicy exists in cluster-scoped kinds only, beside the policies: of the two the
 * one that is not its default counts.
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
    bool enabled;             /* false: policies are not supported, and everything is done */
    unsigned actions;         /* of enum managed_action */
    const struct json *said;  /* the list as it stands in the object; NULL: absent */
    bool has_deletion_policy; /* the kind is cluster-scoped */
    bool orphan;              /* deletionPolicy: Orphan */
};

/* Of spec; a kind without deletionPolicy ignores one. */
struct managed_policies managed_policies(const struct json *object, bool enabled, bool has_deletion_policy);

/* May they be used at all? The diagnostic has the words that conditions show. */
bool managed_policies_check(struct arena *a, const struct managed_policies *p, struct diags *diags);

/* By policies alone; the annotation is managed_is_paused_by_annotation(). */
bool managed_policies_pause(const struct managed_policies *p);
bool managed_may_create(const struct managed_policies *p);
bool managed_may_update(const struct managed_policies *p);
bool managed_may_late_initialize(const struct managed_policies *p);
bool managed_may_delete(const struct managed_policies *p);
/* Observe, and nothing else. */
bool managed_only_observes(const struct managed_policies *p);
