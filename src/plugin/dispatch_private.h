/* What is answered for a function of provider_ops that is NULL; see provider_server.h. */
#pragma once

#include "plugin/rpc.h"

/* The stored state as it is, by the schema: attributes that are no longer in it are dropped, missing ones are null. */
void dispatch_default_upgrade(const struct provider_schema *schema, struct arena *a, const struct upgrade_state_request *request,
                              struct diags *diags, struct upgrade_state_response *response);
