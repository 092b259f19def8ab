/*
 * The handshake between core and plugin (docs/core-rules.md 1.1, 1.2): the plugin writes one line with its address to stdout.
 */
#pragma once

#include "grpc/address.h"

#define HANDSHAKE_COOKIE_KEY "TF_PLUGIN_MAGIC_COOKIE"
#define HANDSHAKE_COOKIE_VALUE "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
enum { HANDSHAKE_MAX_LINE = 16 << 10 };

struct handshake {
    int protocol; /* 5 or 6 */
    struct grpc_address address;
    struct str server_der; /* certificate; empty: none was given */
};

/* Each violated rule has its own diagnostic, with what was found. */
bool handshake_parse(struct arena *a, struct str line, struct diags *diags, struct handshake *ret);
/* The line, including the line feed. */
struct str handshake_write(struct arena *a, const struct handshake *h);

/* The highest of ours (5, 6) that the client offers in PLUGIN_PROTOCOL_VERSIONS ("5,6", any order, junk skipped); 0: none. */
int handshake_choose(struct str offered);
