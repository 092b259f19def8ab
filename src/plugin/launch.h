/*
 * Starting a provider: run the binary, read its handshake line, connect with mutual TLS; or attach to one that runs already
 * (TF_REATTACH_PROVIDERS).
 *
 * Whatever goes wrong, no process and no socket is left behind, and the diagnostic says at which step, with the last lines
 * the provider wrote to stderr.
 */
#pragma once

#include "plugin/handshake.h"
#include "plugin/provider.h"

enum {
    LAUNCH_TIMEOUT_S = 60,       /* for the first line on stdout */
    PLUGIN_STDERR_TAIL = 4096,   /* bytes of stderr kept for error messages */
    PLUGIN_MAX_LOG_LINE = 65536, /* longer lines are cut */
};
/* Schemas of tens of MB are real (aws); core itself stops at 64 MiB, servers at 256. */
#define PLUGIN_MAX_MESSAGE ((size_t)256 << 20)

struct reattach;
struct launch_options {
    struct loop *loop;
    struct log *log;          /* the provider's own lines too, with their levels */
    const char *path;         /* the binary */
    struct str name;          /* for messages; copied */
    const char *const *env;   /* NULL-terminated KEY=VALUE added to our own environment (they win); may be NULL */
    int64_t start_timeout_ns; /* 0: LAUNCH_TIMEOUT_S */
    struct cancel *cancel;    /* may be NULL */
    bool no_tls;              /* as TF_DISABLE_PLUGIN_TLS */
};
bool provider_launch(const struct launch_options *options, struct diags *diags, struct provider **ret);
/* How others attach to one that was started without TLS. False: it was not. */
bool provider_reattach(const struct provider *p, struct reattach *ret);

/* What TF_REATTACH_PROVIDERS says. */
struct reattach {
    int protocol; /* 5 or 6 */
    int64_t pid;
    bool test; /* never end it */
    struct grpc_address address;
};
/*
 * The entry for this source address in the variable's text; full and short forms match ("hashicorp/aws" names the default
 * registry). False with a diagnostic when the text is broken; true and *ret_found false when the provider is not named.
 */
bool reattach_find(struct arena *a, struct str variable, struct str source, struct diags *diags, bool *ret_found,
                   struct reattach *ret);
struct str reattach_write(struct arena *a, struct str source, const struct reattach *r);
bool provider_attach(struct loop *loop, struct log *log, struct str name, const struct reattach *r, struct diags *diags,
                     struct provider **ret);
