/*
 * Installs CRDs on a cluster: generates them from the schema, applies them with our field manager, and waits until they are
 * served.
 */
#pragma once

#include "controller/kinds.h"
#include "kube/client.h"

#define INSTALL_MANAGER "terrane"

struct install_options {
    struct kube *client;
    struct kinds *kinds;
    struct kinds_list which;
    bool take_over; /* also CRDs that belong to another owner */
    struct cancel *cancel;
    struct log *log;
};

struct install_result {
    size_t created, updated, same;
};

/* False with diagnostics: a CRD belongs to another owner, a permission is missing, or a CRD is not served in time. */
bool install_kinds(const struct install_options *options, struct diags *diags, struct install_result *ret);
/* Creates the namespace of the controller's own records if it is missing. */
bool install_namespace(struct kube *client, struct str name, struct diags *diags);
