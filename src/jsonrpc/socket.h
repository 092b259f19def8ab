/*
 * The file of a listening unix socket: mode 0600 from its first moment, never in place of something else, gone at the end.
 *
 * A socket file that nobody listens on any more (its owner was killed) is replaced. Looking, replacing and listening happen under
 * a lock on the folder, so of two programs that start at once one gets the socket and the other one is told.
 */
#pragma once

#include "base/diag.h"

#include <sys/stat.h>

struct rpc_socket_file {
    const char *path;
    int fd;       /* listening, non-blocking */
    dev_t device; /* of the file; while the socket is open no other file can have the same inode */
    ino_t inode;
};

bool rpc_socket_file_listen(const char *path, struct diags *diags, struct rpc_socket_file *ret);
/* Closes, and removes the file if it is still ours. */
void rpc_socket_file_close(struct rpc_socket_file *s);
