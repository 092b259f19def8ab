/* The address a plugin listens on: a unix socket, or TCP on this machine. */
#pragma once

#include "base/diag.h"

enum grpc_network { GRPC_UNIX, GRPC_TCP };

struct grpc_address {
    enum grpc_network network;
    struct str text; /* the socket's path, or HOST:PORT with a numeric host */
};

/* Parses a network ("unix" or "tcp") and an address. Relative paths, paths that are too long, host names and invalid ports are
 * errors. */
bool grpc_address_parse(struct arena *a, struct str network, struct str text, struct diags *diags, struct grpc_address *ret);
