/* Converts between `struct grpc_address` and socket addresses; used by client and server only. */
#pragma once

#include "grpc/address.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Longest path of a unix socket, without the NUL. */
enum { UNIX_PATH_MAX_BYTES = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1 };

/* Parses HOST:PORT with a numeric host, IPv6 addresses in brackets. Anything else fails, with the reason in *ret_why. */
bool tcp_resolve(struct str text, struct sockaddr_storage *ret, const char **ret_why);

/* Formats a socket address as HOST:PORT. */
struct str tcp_format(struct arena *a, const struct sockaddr_storage *address);

/* What is wrong with the path of a socket, or NULL. */
const char *unix_path_problem(struct str path);
