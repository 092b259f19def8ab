/*
 * The parts of a plugin; shared by launch.c, which builds it, and plugin.c, which uses and frees it. Private to this folder.
 */
#pragma once

#include "loop/process.h"
#include "output/temporary.h"
#include "plugin/logs.h"
#include "plugin/plugin.h"

#include <stdatomic.h>

/* Waiting for the first line on stdout. */
enum first_line {
    LINE_AWAITED,
    LINE_COMPLETE,
    LINE_TOO_LONG,
    LINE_ENDED, /* stdout was closed before a line feed */
};

struct plugin {
    struct arena *arena; /* of the texts below; used by the owner's thread only */
    struct loop *loop;
    struct log *log;
    struct str name;
    int protocol;
    struct grpc_address address; /* from its handshake; only of a plugin that we started */

    struct process *process; /* NULL: we attached to it, or it is not started yet */
    struct plugin_logs *logs;
    struct tls_identity *identity; /* NULL: no TLS */
    struct temporary sockets;      /* the folder for its socket; no path if we attached to it */
    struct str stray_socket;       /* the socket of a provider that ignored the folder; empty: none */

    /* Written by the loop's thread until `heard` is signalled or the process is freed, then read by the launching thread. */
    struct buf line;
    enum first_line line_state;
    struct completion heard;

    int status; /* as waitpid() returns it; set before `exited` is signalled */
    atomic_bool has_exited;
    struct completion exited;

    struct grpc_client *client;
    struct grpc_stream *broker; /* opened but never read: no provider uses it */
    struct grpc_stream *stdio;
    struct plugin_logs *stdio_logs;
};

/* Makes an empty plugin. plugin_free() accepts it at any stage of being built. */
struct plugin *plugin_new(struct loop *loop, struct log *log, struct str name);
/* Opens the plugin's own streams once the client is connected. */
void plugin_open_streams(struct plugin *p);
/* Kills and reaps the process, if there is one; afterwards its output is complete and no callback is running. */
void plugin_kill(struct plugin *p);
/* "exited with status 2" */
struct str plugin_describe_exit(struct arena *a, int status);
/* All fields except `how`. */
struct plugin_end plugin_last_words(struct plugin *p, struct arena *a);
