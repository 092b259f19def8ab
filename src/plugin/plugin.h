/*
 * A plugin process and the connection to it, below the level of Terraform's calls: what launch.c makes and provider.c uses.
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

/* How it ended, for an error message. */
struct plugin_end {
    struct str how;    /* "exited with status 2", "was killed by signal 9 (Killed)" */
    struct str title;  /* "Stack trace from ...", "The last lines ..." */
    struct str output; /* of its stderr: a panic from its start, else the last lines; safe for a terminal; may be empty */
    bool panicked;
};
/* Waits briefly for the process to be reaped when the connection went first. False when it still runs, or is not ours. */
bool plugin_ended(struct plugin *p, struct arena *a, struct plugin_end *ret);

/* Shutdown call, 2 s of patience, SIGKILL; the socket is removed. One that was attached is left running. NULL is accepted. */
void plugin_free(struct plugin *p);

/* provider.c: a provider on this plugin, which it owns from now on. */
struct provider *provider_new(struct plugin *plugin);
