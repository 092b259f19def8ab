/*
 * Chooses which of the providers' kinds are served on a cluster. A pattern is matched against the Terraform type (aws_s3_*) and
 * against the name of the CRD (buckets.s3.aws.upbound.io, *.ec2.aws.upbound.io).
 */
#pragma once

#include "controller/kinds.h"

struct patterns {
    const char *const *v;
    size_t n;
};

struct selection_options {
    const struct kinds *kinds;
    struct patterns only;     /* kinds to choose; none: all */
    enum xp_flavour flavours; /* and of these only these flavours */
};

/* "buckets.s3.aws.upbound.io" */
struct str selection_name(struct arena *a, const struct kind *kind);
bool selection_matches(const struct patterns *patterns, const struct kind *kind);

/*
 * The chosen kinds, followed by those that they need: ProviderConfigs and usages of their providers. False with a diagnostic: a
 * pattern matches nothing, or nothing is chosen.
 */
bool selection_make(struct arena *a, const struct selection_options *options, struct diags *diags, struct kinds_list *ret);
