/* The environment a provider is started with (docs/core-rules.md 1.1). */
#pragma once

#include "base/arena.h"

struct environment_options {
    const char *const *ours;  /* NULL-terminated KEY=VALUE: what the provider inherits */
    const char *const *given; /* the caller's, which win over ours; may be NULL */
    struct str client_pem;    /* our certificate; empty: no TLS */
    const char *socket_dir;
    struct str address;    /* of the provider */
    const char *log_level; /* what is worth writing: "TRACE" ... "ERROR"; NULL: the provider's own choice */
};

/*
 * NULL-terminated. Each key stands in it once (programs differ in which of two they take): the protocol's own variables win
 * over the caller's, those over ours. Variables of a plugin that we may ourselves be are not passed on.
 *
 * Providers write dozens of lines about every call unless they are told that nobody wants them, so they are told our own level; a
 * user who sets TF_LOG or one of the variables below it decides for himself.
 */
const char *const *environment_make(struct arena *a, const struct environment_options *o);
