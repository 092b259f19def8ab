/*
 * Links from CloudFormation schemas: a property with `relationshipRef` says which property of which type it holds. The names that
 * types and properties have in Terraform are the caller's business.
 */
#pragma once

#include "base/json.h"
#include "links/links.h"

struct link_derive_names {
    void *ctx;
    /* AWS::EC2::VPC -> awscc_ec2_vpc; empty: it is no type of the provider. */
    struct str (*type)(void *ctx, struct arena *a, struct str cloudformation);
    /* VpcId -> vpc_id; `top`: a property of the resource itself, not of an object in it. Empty: it has no name. */
    struct str (*property)(void *ctx, struct arena *a, struct str cloudformation, struct str name, bool top);
};

struct link_derived {
    size_t n_references; /* relationshipRef members that were seen */
    size_t n_skipped;    /* that name no type or property of the provider */
    size_t n_read_only;  /* that stand at properties which AWS alone sets */
};

/* Deeper properties are not looked at; a schema with more nodes, counted as often as they are reached, is refused. */
enum { DERIVE_MAX_DEPTH = 64, DERIVE_MAX_NODES = 1 << 20 };

/*
 * Adds the rules of one resource schema, in order of its properties; of several targets (anyOf, oneOf) in their order. False and
 * a diagnostic with `source` when it is no schema. References of definitions to themselves are followed once.
 */
bool links_derive(struct link_table *t, const struct json *schema, const char *source, const struct link_derive_names *names,
                  struct diags *diags, struct link_derived *ret);
