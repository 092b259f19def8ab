/*
 * Provider source addresses: HOST/NAMESPACE/TYPE, with the defaults people may leave out; and the patterns of the CLI
 * configuration's include and exclude lists.
 *
 * ASCII only: Terraform also takes Unicode names (and stores them as Punycode); no provider known has one.
 */
#pragma once

#include "base/diag.h"

#define REGISTRY_TERRAFORM "registry.terraform.io"
#define REGISTRY_OPENTOFU "registry.opentofu.org"

/* Bytes of one part of an address: the length of a DNS name. */
enum { ADDRESS_MAX_PART = 253 };

struct provider_address {
    struct str host, namespace, type;
    bool host_given; /* false: the default, and the other default registry matches as well */
};

/* "aws" -> hashicorp/aws on the default host. Lower-cased; bad characters are errors that show the form expected. */
bool provider_address_parse(struct arena *a, struct str text, struct diags *diags, struct provider_address *ret);

/* The three parts as folder names of a mirror; false, without a word, when one cannot be a part of an address. */
bool provider_address_from_parts(struct arena *a, struct str host, struct str namespace, struct str type,
                                 struct provider_address *ret);

/* HOST/NAMESPACE/TYPE. */
struct str provider_address_text(struct arena *a, const struct provider_address *address);

/* As people write it: without the host while that is a default one. */
struct str provider_address_short(struct arena *a, const struct provider_address *address);

/* Same namespace and type, and the same host; the two default registries stand for each other unless both hosts were given. */
bool provider_address_matches(const struct provider_address *wanted, const struct provider_address *found);

/* By host, namespace, type. */
int provider_address_cmp(const struct provider_address *a, const struct provider_address *b);

/*
 * Patterns: "acme/thing", "acme/" followed by *, "example.com/acme/thing", up to three times *. A part may be * only when all
 * parts right of it are. Without a host, both default registries are meant.
 */
/* NULL when the pattern is good, else what is wrong with it, a clause without full stop. */
const char *provider_pattern_problem(struct str pattern);
/* `pattern` must be good. */
bool provider_pattern_matches(struct str pattern, const struct provider_address *address);
