/*
 * A plugin process and the connection to it, without knowledge of Terraform's calls: launch.c makes it and provider.c uses it.
 */
#pragma once

#include "plugin/launch.h"

struct plugin;

bool plugin_launch(const struct launch_options *options, struct diags *diags, struct plugin **ret);

struct grpc_client *plugin_client(struct plugin *p);
struct str plugin_name(const struct plugin *p);
struct log *plugin_log(const struct plugin *p); /* may be NULL */
int plugin_protocol(const struct plugin *p);
bool plugin_is_gone(const struct plugin *p);
bool plugin_reattach(const struct plugin *p, struct reattach *ret);

/* How the process ended, for an error message. */
struct plugin_end {
    struct str how;    /* "exited with status 2", "was killed by signal 9 (Killed)" */
    struct str title;  /* "Stack trace from ...", "The last lines ..." */
    struct str output; /* from its stderr: a panic from its start, else the last lines; safe for a terminal; may be empty */
    bool panicked;
};
/*
 * If the connection was lost first, waits briefly for the process to be reaped. False when it is still running, or was attached
 * to.
 */
bool plugin_ended(struct plugin *p, struct arena *a, struct plugin_end *ret);

/*
 * Calls Shutdown, waits 2 s, sends SIGKILL; removes the socket. A process that was attached to is left running. NULL is accepted.
 */
void plugin_free(struct plugin *p);

/* provider.c: makes a provider, which owns the plugin from now on. */
struct provider *provider_new(struct plugin *plugin);
