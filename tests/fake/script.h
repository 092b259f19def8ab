/*
 * The script of the fake provider: settings, and a list of rules "when this call comes, do that". README.md describes the format.
 *
 * It is read once at startup; after that only counters change. A mistake in a script is an error with line and column, because a
 * test must not pass only because its fault was misspelt.
 */
#pragma once

#include "protocol/rpc.h"

#include <pthread.h>

enum { SCRIPT_MAX_BYTES = 4 << 20 };

enum crash_how { CRASH_NOT, CRASH_EXIT, CRASH_ABORT, CRASH_KILL, CRASH_PANIC, CRASH_STOP, CRASH_CLIENT };
enum crash_when { CRASH_BEFORE, CRASH_ACTED, CRASH_ANSWERED };

/* What is wrong with the answer. */
enum fault {
    FAULT_NONE,
    /* Bytes that no well-behaved server sends: */
    FAULT_GARBAGE,
    FAULT_TRUNCATED,
    FAULT_OVERSIZED,
    FAULT_DEEP,
    FAULT_WRONG_TYPE,
    FAULT_EMPTY, /* a message without any field */
    FAULT_BYTES, /* those given in the script */
    FAULT_STATUS,
    FAULT_HANG,
    /* A well-formed answer with a wrong state: */
    FAULT_UNKNOWN,
    FAULT_NULL,
    FAULT_MISSING,
};

struct effect {
    int64_t latency_ms, answer_ms;       /* before the work; between the work and the answer */
    struct str stdout_text, stderr_text; /* noise, before anything else */
    const struct diag *diagnostics;
    size_t n_diagnostics;
    bool has_errors; /* one of them is an error */
    bool act;        /* do the work although an error is reported */
    enum deferred_reason deferred;
    enum crash_how crash;
    enum crash_when crash_when;
    int64_t exit_status;
    enum fault fault;
    struct str bytes;    /* FAULT_BYTES */
    int64_t size;        /* FAULT_OVERSIZED */
    int64_t depth;       /* FAULT_DEEP */
    int64_t grpc_status; /* FAULT_STATUS */
    struct str grpc_message;
};

/* Does a rule count the calls of this process, or of all processes that used this cloud folder? */
enum counts { COUNT_IN_PROCESS, COUNT_IN_CLOUD };

/* What an ApplyResourceChange or PlanResourceChange does. */
enum operation { OPERATION_NONE, OPERATION_CREATE, OPERATION_UPDATE, OPERATION_DELETE };

struct rule {
    /* Empty: any. Names are those of protocol 6; those of protocol 5 are translated. */
    struct str rpc, type, contains;
    struct str configured; /* the provider's configuration contains this text */
    enum operation operation;
    int64_t from, to, every; /* of the matching calls: from the from-th to the to-th (0: no end), and of these every `every`-th */
    struct effect effect;
    int64_t n_seen; /* protected by the script's lock */
};

/* The behaviour of a type (traits.h). Texts that are not given are empty, lists NULL. */
struct trait {
    struct str type_name;
    struct str id;                      /* template of its ids: text with {ATTRIBUTE} in it */
    const struct json *defaults;        /* attribute -> value */
    const struct json *hashed, *unread; /* lists of attributes */
    struct str import;                  /* template of ids for import; empty: the id itself */
    bool state_only;          /* nothing of it is outside its state: it is read from there, and every id can be imported */
    struct str import_absent; /* error of importing an absent object; empty: import succeeds, reading finds nothing */
};

struct script {
    int64_t protocol; /* 0: what the client offers */
    struct str handshake;
    struct str cloud_folder; /* empty: in memory */
    enum counts counts;
    int64_t latency_ms;
    bool legacy_type_system;
    struct server_capabilities capabilities;
    const struct json *replace; /* type -> list of attribute names; may be NULL */
    struct trait *traits;
    size_t n_traits;
    struct rule *rules;
    size_t n_rules;
    pthread_mutex_t lock;
};

/* `text` is YAML or JSON; empty: all defaults. */
bool script_read(struct arena *a, struct str text, const char *source, struct diags *diags, struct script *ret);
void script_done(struct script *s);

/* "/tfplugin5.Provider/PrepareProviderConfig" -> "ValidateProviderConfig". */
struct str script_rpc_name(struct str method);

struct script_call {
    struct str rpc, type, request;
    struct str configuration; /* the request that configured the provider; empty: none yet */
};

/* Counts the call, and returns the effect of the first rule that applies to it, or NULL. */
const struct effect *script_match(struct script *s, const struct script_call *call);

/* The operation of an ApplyResourceChange or PlanResourceChange request, else OPERATION_NONE. */
enum operation script_operation(struct str rpc, struct str request);
