/*
 * The provider awscc: serves Terraform's calls through the Cloud Control API, with types from a schema pack.
 *
 * A type is unpacked and translated on first use, then cached; answers about all types are in the pack. Pure functions (document,
 * plan, fill, refresh, patch) compute values; this code calls them in the right order.
 */
#pragma once

#include "cfn/pack.h"
#include "cloudcontrol/client.h"
#include "plugin/provider_server.h"

struct cc_provider_options {
    const struct cfn_pack *pack;
    enum cfn_mode mode;
    struct loop *loop;
    struct log *log;
    const char *const *env; /* as environ */
};

struct cc_provider;
/* What the options point to must outlive the provider. */
struct cc_provider *cc_provider_new(const struct cc_provider_options *options);
void cc_provider_free(struct cc_provider *p);

/* Serve these with the provider as context. */
extern const struct provider_ops cc_provider_ops;
