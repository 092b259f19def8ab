/*
 * Provider source addresses: HOST/NAMESPACE/TYPE, where host and namespace have defaults; and the patterns of the CLI
 * configuration's include and exclude lists.
 *
 * ASCII only: Terraform also accepts Unicode names (and stores them as Punycode), but no known provider has one.
 */
#pragma once

#include "base/diag.h"

#define REGISTRY_TERRAFORM "registry.terraform.io"
#define REGISTRY_OPENTOFU "registry.opentofu.org"

/* Bytes of one part of an address: the length of a DNS name. */
enum { ADDRESS_MAX_PART = 253 };

struct provider_address {
    struct str host, namespace, type;
    bool host_given; /* false: it is the default, and the other default registry matches too */
};

/*
 * "aws" -> hashicorp/aws on the default host. Converts to lower case; invalid characters are errors that show the expected form.
 */
bool provider_address_parse(struct arena *a, struct str text, struct diags *diags, struct provider_address *ret);

/* From three folder names of a mirror; false, without a diagnostic, when one cannot be part of an address. */
bool provider_address_from_parts(struct arena *a, struct str host, struct str namespace, struct str type,
                                 struct provider_address *ret);

/* HOST/NAMESPACE/TYPE. */
struct str provider_address_text(struct arena *a, const struct provider_address *address);

/* As users write it: without the host if it is a default one. */
struct str provider_address_short(struct arena *a, const struct provider_address *address);

/* Same namespace, type and host; the two default registries count as the same host unless both hosts were given. */
bool provider_address_matches(const struct provider_address *wanted, const struct provider_address *found);

/* By host, namespace, type. */
int provider_address_cmp(const struct provider_address *a, const struct provider_address *b);

/*
 * Patterns: "acme/thing", "acme/" followed by *, "example.com/acme/thing", up to three times *. A part may be * only if all parts
 * right of it are. A pattern without host means both default registries.
 */
/* NULL if the pattern is valid, else what is wrong with it, as a clause without full stop. */
const char *provider_pattern_problem(struct str pattern);
/* `pattern` must be valid. */
bool provider_pattern_matches(struct str pattern, const struct provider_address *address);
