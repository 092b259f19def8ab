/*
 * Starts a provider: runs the binary, reads its handshake line, connects with mutual TLS; or attaches to one that is already
 * running (TF_REATTACH_PROVIDERS).
 *
 * On failure no process and no socket is left behind, and the diagnostic names the step that failed and has the provider's last
 * lines on stderr.
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
    struct log *log;          /* also gets the provider's log lines, with their levels */
    const char *path;         /* the binary */
    struct str name;          /* for messages; copied */
    const char *const *env;   /* NULL-terminated KEY=VALUE, added to our environment and overriding it; may be NULL */
    int64_t start_timeout_ns; /* 0: LAUNCH_TIMEOUT_S */
    struct cancel *cancel;    /* may be NULL */
    bool no_tls;              /* like TF_DISABLE_PLUGIN_TLS */
};
bool provider_launch(const struct launch_options *options, struct diags *diags, struct provider **ret);
/* How other programs can attach to a provider that was started without TLS; false for any other. */
bool provider_reattach(const struct provider *p, struct reattach *ret);

/* An entry of TF_REATTACH_PROVIDERS. */
struct reattach {
    int protocol; /* 5 or 6 */
    int64_t pid;
    bool test; /* never end it */
    struct grpc_address address;
};
/*
 * The entry for this source address in the variable's text; full and short forms match ("hashicorp/aws" names the default
 * registry). False with a diagnostic when the text is not valid; true and *ret_found false when it does not have the provider.
 */
bool reattach_find(struct arena *a, struct str variable, struct str source, struct diags *diags, bool *ret_found,
                   struct reattach *ret);
struct str reattach_write(struct arena *a, struct str source, const struct reattach *r);
bool provider_attach(struct loop *loop, struct log *log, struct str name, const struct reattach *r, struct diags *diags,
                     struct provider **ret);
