/* Definitions of kinds brought to a cluster: made from the schema, applied with our field manager, and waited for. */
#pragma once

#include "controller/kinds.h"
#include "kube/client.h"

#define INSTALL_MANAGER "terrane"

struct install_options {
    struct kube *client;
    struct kinds *kinds;
    struct kinds_list which;
    bool take_over; /* definitions of another owner, too */
    struct cancel *cancel;
    struct log *log;
};

struct install_result {
    size_t created, updated, same;
};

/* False and diagnostics: a definition belongs to another owner, a right is missing, it is not served in time. */
bool install_kinds(const struct install_options *options, struct diags *diags, struct install_result *ret);
/* The namespace of what the controller keeps; made where it is missing. */
bool install_namespace(struct kube *client, struct str name, struct diags *diags);
