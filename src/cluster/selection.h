/*
 * Which of the kinds that providers have are served on a cluster. A pattern is matched against the Terraform type (aws_s3_*) and
 * against the name of the definition (buckets.s3.aws.upbound.io, *.ec2.aws.upbound.io).
 */
#pragma once

#include "controller/kinds.h"

struct patterns {
    const char *const *v;
    size_t n;
};

struct selection_options {
    const struct kinds *kinds;
    struct patterns only;     /* of all kinds these are meant; none: all */
    enum xp_flavour flavours; /* and of those these */
};

/* "buckets.s3.aws.upbound.io" */
struct str selection_name(struct arena *a, const struct kind *kind);
bool selection_matches(const struct patterns *patterns, const struct kind *kind);

/*
 * The kinds that are meant, and behind them those that they need: ProviderConfigs and usages of their providers. False and a
 * diagnostic: a pattern means nothing, or nothing is meant.
 */
bool selection_make(struct arena *a, const struct selection_options *options, struct diags *diags, struct kinds_list *ret);
