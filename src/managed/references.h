/*
 * References to other objects: which fields have one, what is still to be resolved, and the object with the results.
 *
 *     managed_references(a, k, object, &list)          what is to be resolved, in forProvider and initProvider
 *     for each: find its target by name, or its candidates by selector
 *     managed_resolve(a, object, &one, ..., &changes)  the changes for each
 *     managed_apply(a, object, &changes, ..., &object) applies all at once; values that were resolved before stay
 *
 * The caller looks up objects. Error messages are those that users know from Upjet providers: "cannot resolve references:
 * mg.Spec.ForProvider.VPCID: cannot get referenced resource: VPC.ec2.aws.upbound.io "x" not found".
 */
#pragma once

#include "crossplane/model.h"
#include "managed/field_path.h"

/* One field of the spec to resolve, with one target or several. */
struct managed_reference {
    const struct xp_reference_rule *rule; /* type and attribute of the target */
    struct managed_path value;            /* spec.forProvider.vpcId: the field to set */
    struct managed_path reference;        /* spec.forProvider.vpcIdRef, or vpcIdRefs */
    struct str go_path;                   /* mg.Spec.ForProvider.VPCID, for messages */
    bool many;                            /* lists of values and references */
    const struct xp_shape *shape;         /* of the value */
    const struct json *given;             /* the reference, or array of references; NULL: only a selector */
    const struct json *selector;          /* NULL: none */
    bool optional;                        /* policy.resolution: failures are ignored, and the field stays as it is */
};
struct managed_reference_list {
    struct managed_reference *v;
    size_t n, cap;
};

/*
 * The references to resolve now: fields with a reference or selector that have no value yet, or whose policy is to resolve
 * always. With that policy a selector selects again, regardless of the reference that it set before. Empty for an object that is
 * being deleted.
 */
void managed_references(struct arena *a, const struct xp_kind *k, const struct json *object, struct managed_reference_list *ret);

/* The namespace of the target: that of the reference or selector, else that of the object; empty for cluster-scoped kinds. */
struct str managed_reference_namespace(const struct json *object, const struct json *reference);
/* Does the selector match this candidate: its labels, and the same controller if the selector asks for that? */
bool managed_selector_matches(const struct json *selector, const struct json *object, const struct json *candidate);

/*
 * The value from the target: its external name; or, if the rule names an attribute, its observed value, else its value in the
 * spec; or the result of a known extractor function of Upjet's providers. Empty: not available yet. `target_kind` may be NULL
 * when managed_extract_needs_kind() is false.
 */
bool managed_extract_needs_kind(const struct xp_reference_rule *rule);
struct str managed_extract(struct arena *a, const struct xp_reference_rule *rule, const struct xp_kind *target_kind,
                           const struct json *target);

/*
 * Adds to `changes` the value from these targets, and references to them where a selector chose them. Values of a list are sorted
 * and unique. Fails with a diagnostic in the words above when there is no target or one has no value yet; for an optional
 * reference this changes nothing and gives no diagnostic.
 */
bool managed_resolve(struct arena *a, const struct json *object, const struct managed_reference *r,
                     const struct xp_kind *target_kind, const struct json *const *targets, size_t n, struct diags *diags,
                     struct managed_changes *changes);

/*
 * Reports that the target of this reference does not exist. `kind_group`: VPC.ec2.aws.upbound.io. True: the reference is
 * optional, continue.
 */
bool managed_reference_not_found(const struct managed_reference *r, struct str kind_group, struct str name, struct diags *diags);
