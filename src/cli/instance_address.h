/*
 * Parses TYPE and NAME of a command line into the address of an object in a state.
 *
 *     this    web[0]    web["a key"]    module.net.this    module.net["a"].module.sub.this[1]
 */
#pragma once

#include "base/diag.h"
#include "state/state.h"

/* The address is in the arena. The diagnostic of a failure shows the valid forms. */
bool instance_address_parse(struct arena *a, const char *type, const char *name, struct diags *diags, struct state_address *ret);

/*
 * Parses a state's reference to a provider: registry.terraform.io/hashicorp/aws in all of these, aws in the last two.
 *
 *     provider["registry.terraform.io/hashicorp/aws"]
 *     module.a.module.b["k"].provider["registry.terraform.io/hashicorp/aws"].west
 *     provider["registry.opentofu.org/hashicorp/aws"].by_region["west"]
 *     provider.aws    module.a.provider.aws.west
 *
 * False: it has none of these forms.
 */
bool instance_provider_source(struct arena *a, struct str provider, struct str *ret);
/* The parts of such a reference; modules and alias may be empty. by_region["west"] as a whole is an alias. */
struct instance_provider {
    struct str modules, source, alias;
};
bool instance_provider_parse(struct arena *a, struct str provider, struct instance_provider *ret);
/* Takes [0] or ["key"] from the beginning of `rest`, and gives what is inside; false when it is not closed. */
bool take_index_text(struct str *rest, struct str *ret);
/* The reference to a provider, for a new resource. */
struct str instance_provider_text(struct arena *a, struct str address);
/* The provider that Terraform assumes for a type: aws for aws_vpc. */
struct str instance_provider_guess(struct str type);
