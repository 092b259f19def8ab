/* The environment variables that a provider is started with (docs/core-rules.md 1.1). */
#pragma once

#include "base/arena.h"

struct environment_options {
    const char *const *ours;  /* NULL-terminated KEY=VALUE: our own environment, which the provider inherits */
    const char *const *given; /* the caller's, which override ours; may be NULL */
    struct str client_pem;    /* our certificate; empty: no TLS */
    const char *socket_dir;
    struct str address;    /* of the provider */
    const char *log_level; /* lowest level it should log: "TRACE" ... "ERROR"; NULL: the provider decides */
};

/*
 * NULL-terminated. Each key occurs once (programs differ in which of two they use): the protocol's variables override the
 * caller's, and the caller's override ours. If we run as a plugin ourselves, the variables meant for us are not passed on.
 *
 * Providers log dozens of lines for every call unless a log level is set, so they get our own level. If the user sets TF_LOG or
 * one of its more specific variables, those apply.
 */
const char *const *environment_make(struct arena *a, const struct environment_options *o);
