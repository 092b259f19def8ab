/*
 * Warm providers: one process per binary and configuration, shared by everybody who uses that configuration.
 *
 *     struct pool_provider *w;
 *     if (pool_open(pool, &source, config_json, &call, diags, &w) != ENGINE_OK) ...   // starts, validates, configures
 *     struct lease lease;
 *     if (pool_provider_borrow(w, &call, diags, &lease) == ENGINE_OK) {               // a slot of a running process
 *         struct engine e = {.provider = lease.provider, .schema = lease.schema, ...};
 *         ...
 *         lease_return(&lease);
 *     }
 *     pool_provider_close(w);
 *
 * A process that ends is noticed by whoever calls it: those calls fail as lost, and the next borrow starts a new process and
 * configures it as before. The first end is forgiven at once; those that follow quickly are answered with a growing pause
 * (POOL_BACKOFF_*), during which a borrow waits, bounded by its own deadline and cancellation. A process that nobody used for
 * `idle_ns` is ended; the next borrow starts another. The schema is decoded once per binary and stays while the pool does (it
 * may come from the disk cache). A binary that was changed on disk is another one: processes that are started from then on have
 * its schema, and the configuration is read anew by it.
 *
 * Configurations hold secrets: a configuration is known by a keyed hash that exists in memory only, and never logged. Values
 * that the schema calls sensitive are masked in what the provider writes to the log.
 *
 * All functions may be called from any thread but the loop's.
 */
#pragma once

#include "engine/engine.h"
#include "plugin/launch.h"

#define POOL_BACKOFF_FIRST_NS (100 * NS_PER_MS)
#define POOL_BACKOFF_MAX_NS (30 * NS_PER_S)
#define POOL_STEADY_NS (60 * NS_PER_S) /* a process that lived this long is forgiven its predecessors */
enum { POOL_DEFAULT_CALLS = 64 };

struct pool_options {
    struct loop *loop;
    struct log *log;          /* may be NULL */
    const char *cache_folder; /* of schemas; NULL: none */
    const char *const *env;   /* for the providers, as in launch_options; must outlive the pool; may be NULL */
    int64_t idle_ns;          /* 0: never ended for idleness */
    int64_t start_timeout_ns; /* 0: the launcher's own */
    unsigned max_calls;       /* leases at once per process; 0: POOL_DEFAULT_CALLS */
    bool no_tls;
};
struct pool;
struct pool *pool_new(const struct pool_options *options);
/* Ends all processes. Every lease must have been returned; handles that are still open go with it. */
void pool_free(struct pool *pool);

/* What to start, or to attach to. */
struct pool_source {
    struct str address;              /* registry.terraform.io/hashicorp/aws: the name in messages */
    struct str path;                 /* the binary; empty when attached */
    const struct reattach *reattach; /* NULL: start the binary */
    /*
     * For validation alone, which needs no credentials: a configuration is checked, by the schema and by the provider, but the
     * provider is never configured. As in `terraform validate` an empty configuration is not even checked: what is missing may
     * come from the environment.
     */
    bool unconfigured;
    /* Another process than the one that everybody shares: for what is suspected of bringing its process down. */
    bool apart;
};

/* A deadline and a cancellation for waiting; NULL: neither. */
typedef struct grpc_call_options pool_wait;

struct pool_provider;
/*
 * The provider with this configuration (NULL: empty), checked and prepared as core does: read by the schema, validated by the
 * provider, then configured. Warnings stay in `diags`. Opening what is open already shares it: nothing is started, and the
 * diagnostics of the first opening come again. ENGINE_FAILED: the configuration was refused; ENGINE_LOST: the provider could not
 * be started, or was lost on the way.
 */
enum engine_status pool_open(struct pool *pool, const struct pool_source *source, const struct json *config,
                             const pool_wait *wait, struct diags *diags, struct pool_provider **ret);
/* The protocol that a provider speaks, as far as it has told its schema; 0: not known. For those that cannot be opened. */
int pool_protocol(struct pool *pool, const struct pool_source *source);
/* The handle's end; the process ends with its last handle, when its calls are done. NULL is accepted. */
void pool_provider_close(struct pool_provider *w);

/* Of the process that was started last; valid while the pool is. */
const struct provider_schema *pool_provider_schema(const struct pool_provider *w);
int pool_provider_protocol(const struct pool_provider *w);
struct str pool_provider_address(const struct pool_provider *w);

struct lease {
    struct provider *provider;
    struct memo *memo; /* of that process */
    const struct provider_schema *schema;
    struct pool_provider *owner;
    struct slot *slot; /* private */
};
/*
 * Waits for a slot, and for a process where there is none; first come, first served. ENGINE_LOST: it could not be started again,
 * or the deadline passed; ENGINE_FAILED: it was, but refuses its configuration now. Those who wait for the same start share its
 * end.
 */
enum engine_status pool_provider_borrow(struct pool_provider *w, const pool_wait *wait, struct diags *diags, struct lease *ret);
void lease_return(struct lease *lease);

/*
 * The user wants this call to end: after `grace_ns` without its return the provider is told to stop (StopProvider), and again
 * every second while calls are out: one that was sent before may reach it after it has forgotten. New calls go to a new process
 * from now on, for a provider that was stopped is of no use afterwards; but if the call returns in time and no new process was
 * needed yet, the old one goes on. Never blocks; may be called from a cancel_watch. The lease must stay borrowed until this has
 * returned.
 */
void lease_stop(struct lease *lease, int64_t grace_ns);

/*
 * New calls go to new processes from now on; the old ones end with their last call. Ahead of its callers: only tests use it so
 * far, but it is the one way to get rid of a provider that lives and does not answer, which whoever serves for days will need.
 */
void pool_provider_replace(struct pool_provider *w);

/* For tests and metrics. */
struct pool_counts {
    size_t providers; /* configurations that are open */
    size_t processes; /* that run, those included that are being prepared or ended */
    size_t leases;    /* calls under way */
    uint64_t started; /* processes, so far */
    uint64_t lost;    /* of these: ended by themselves */
};
struct pool_counts pool_count(struct pool *pool);
