/*
 * References to other objects: which fields have one, what is still to be resolved, and the object with what was found.
 *
 *     managed_references(a, k, object, &list)          what is to be resolved, in both trees
 *     for each: find its target by name, or its candidates by selector
 *     managed_resolve(a, object, &one, ..., &changes)  what it gives, for each
 *     managed_apply(a, object, &changes, ..., &object) all of it at once; whatever was resolved before stays
 *
 * Where objects are is not known here. The texts of failures are those that users know from Upjet providers: "cannot resolve
 * references: mg.Spec.ForProvider.VPCID: cannot get referenced resource: VPC.ec2.aws.upbound.io "x" not found".
 */
#pragma once

#include "crossplane/model.h"
#include "managed/field_path.h"

/* One thing to be resolved: a field of the spec, or an element of a field that refers to several. */
struct managed_reference {
    const struct xp_reference_rule *rule; /* type and attribute referred to */
    struct managed_path value;            /* spec.forProvider.vpcId: what is set */
    struct managed_path reference;        /* spec.forProvider.vpcIdRef, or vpcIdRefs */
    struct str go_path;                   /* mg.Spec.ForProvider.VPCID, for messages */
    bool many;                            /* lists of values and references */
    const struct xp_shape *shape;         /* of the value */
    const struct json *given;             /* the reference, or array of references; NULL: only a selector */
    const struct json *selector;          /* NULL: none */
    bool optional;                        /* policy.resolution: a failure is no failure, and the field stays as it is */
};
struct managed_reference_list {
    struct managed_reference *v;
    size_t n, cap;
};

/*
 * What is to be done now: fields that have a reference or selector, and no value yet or the policy to resolve always. With that
 * policy a selector selects anew, whatever reference it has led to. Nothing for an object that is being deleted.
 */
void managed_references(struct arena *a, const struct xp_kind *k, const struct json *object, struct managed_reference_list *ret);

/* Where to look: the namespace that the reference or selector says, else that of the object; empty for cluster-scoped kinds. */
struct str managed_reference_namespace(const struct json *object, const struct json *reference);
/* Is this one of those that the selector means? Labels, and the same controller where it asks for that. */
bool managed_selector_matches(const struct json *selector, const struct json *object, const struct json *candidate);

/*
 * The value that the target gives: its external name; or where the rule names an attribute, what it has observed of that or,
 * failing that, what its spec says; or what a function of Upjet's providers makes of it, if it is a known one. Empty: it is not
 * there yet. `target_kind` may be NULL when managed_extract_needs_kind() is false.
 */
bool managed_extract_needs_kind(const struct xp_reference_rule *rule);
struct str managed_extract(struct arena *a, const struct xp_reference_rule *rule, const struct xp_kind *target_kind,
                           const struct json *target);

/*
 * Adds to `changes` the value of these targets, and references to them where a selector chose them. Values of a list are sorted
 * and each is there once. A diagnostic in the words above when there is no target or one has no value yet; with an optional
 * reference nothing changes, and there is no diagnostic.
 */
bool managed_resolve(struct arena *a, const struct json *object, const struct managed_reference *r,
                     const struct xp_kind *target_kind, const struct json *const *targets, size_t n, struct diags *diags,
                     struct managed_changes *changes);

/* The target that this reference names is not there. `kind_group`: VPC.ec2.aws.upbound.io. True: it is optional, go on. */
bool managed_reference_not_found(const struct managed_reference *r, struct str kind_group, struct str name, struct diags *diags);
