/* The socket address behind a `struct grpc_address`; used by client and server only. */
#pragma once

#include "grpc/address.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Longest path of a unix socket, without the NUL. */
enum { UNIX_PATH_MAX_BYTES = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1 };

/* HOST:PORT with a numeric host, the IPv6 one in brackets. False with words in *ret_why when it is anything else. */
bool tcp_resolve(struct str text, struct sockaddr_storage *ret, const char **ret_why);

/* The reverse; port included. */
struct str tcp_format(struct arena *a, const struct sockaddr_storage *address);

/* Words for what is wrong with a socket's path, or NULL. */
const char *unix_path_problem(struct str path);
