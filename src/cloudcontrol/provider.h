/*
 * The provider awscc: Terraform's calls on one side, the Cloud Control API on the other, a schema pack in between.
 *
 * A type is unpacked and translated when it is first asked for, and kept; the answers that speak of all types lie in the pack.
 * What a call does to values is done by pure functions (document, plan, fill, refresh, patch); here they are put in order.
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
/* What the options point to must live as long. */
struct cc_provider *cc_provider_new(const struct cc_provider_options *options);
void cc_provider_free(struct cc_provider *p);

/* To be served with the provider as context. */
extern const struct provider_ops cc_provider_ops;
