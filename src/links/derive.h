/*
 * Derives links from CloudFormation schemas: `relationshipRef` says which property of which type a property holds. The caller
 * supplies the Terraform names of types and properties.
 */
#pragma once

#include "base/json.h"
#include "links/links.h"

struct link_derive_names {
    void *ctx;
    /* AWS::EC2::VPC -> awscc_ec2_vpc; empty: the provider does not have this type. */
    struct str (*type)(void *ctx, struct arena *a, struct str cloudformation);
    /* VpcId -> vpc_id; `top`: a property of the resource itself, not of a nested object. Empty: it has no name. */
    struct str (*property)(void *ctx, struct arena *a, struct str cloudformation, struct str name, bool top);
};

struct link_derived {
    size_t n_references; /* relationshipRef members found */
    size_t n_skipped;    /* of these: the provider does not have the type or property they name */
    size_t n_read_only;  /* of these: the property that has them is read-only */
};

/* Deeper properties are ignored. A schema with more nodes is refused; a node counts each time it is reached. */
enum { DERIVE_MAX_DEPTH = 64, DERIVE_MAX_NODES = 1 << 20 };

/*
 * Adds the rules of one resource schema, in the order of its properties, and of the targets where there are several (anyOf,
 * oneOf). False and a diagnostic that names `source` if it is not a schema. A definition that refers to itself is followed once.
 */
bool links_derive(struct link_table *t, const struct json *schema, const char *source, const struct link_derive_names *names,
                  struct diags *diags, struct link_derived *ret);
