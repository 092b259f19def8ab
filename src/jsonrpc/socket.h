/*
 * The file of a listening unix socket: created with mode 0600, never replacing another kind of file, and removed at the end.
 *
 * A stale socket file, whose owner was killed, is replaced. Checking, replacing and listening happen under a lock on the folder,
 * so if two programs start at once, one gets the socket and the other an error.
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
