/*
 * Which object of a state a command means: TYPE and NAME as people type them.
 *
 *     this    web[0]    web["a key"]    module.net.this    module.net["a"].module.sub.this[1]
 */
#pragma once

#include "base/diag.h"
#include "state/state.h"

/* The address lives in the arena. A diagnostic shows the forms that are understood. */
bool instance_address_parse(struct arena *a, const char *type, const char *name, struct diags *diags, struct state_address *ret);

/*
 * Which provider a state means: registry.terraform.io/hashicorp/aws in all of these, aws in the last two.
 *
 *     provider["registry.terraform.io/hashicorp/aws"]
 *     module.a.module.b["k"].provider["registry.terraform.io/hashicorp/aws"].west
 *     provider["registry.opentofu.org/hashicorp/aws"].by_region["west"]
 *     provider.aws    module.a.provider.aws.west
 *
 * False: it is none of them.
 */
bool instance_provider_source(struct arena *a, struct str provider, struct str *ret);
/* All parts of it: modules and alias are empty where there are none. by_region["west"] is an alias as a whole. */
struct instance_provider {
    struct str modules, source, alias;
};
bool instance_provider_parse(struct arena *a, struct str provider, struct instance_provider *ret);
/* The other way, for a new resource. */
struct str instance_provider_text(struct arena *a, struct str address);
/* The provider that Terraform takes for a type when nobody says which: of aws_vpc it is aws. */
struct str instance_provider_guess(struct str type);
