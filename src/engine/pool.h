/*
 * Warm providers: one process per binary and configuration, shared by all users of that configuration.
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
 * When a process ends by itself, the calls in it fail as lost, and the next borrow starts a new process and configures it as
 * before. After the first such end the restart is immediate; if more follow quickly, restarts are delayed by a growing backoff
 * (POOL_BACKOFF_*), for which a borrow waits, bounded by its own deadline and cancellation. A process that was idle for `idle_ns`
 * is ended; the next borrow starts another. The schema is decoded once per binary (it may come from the disk cache) and stays as
 * long as the pool. A binary that was changed on disk counts as a new binary: processes started from then on use its schema, and
 * the configuration is decoded again by that schema.
 *
 * Configurations hold secrets: a configuration is identified by a keyed hash that exists in memory only, and is never logged.
 * Values that the schema marks sensitive are masked in the provider's log lines.
 *
 * All functions may be called from any thread except the loop's.
 */
#pragma once

#include "engine/engine.h"
#include "plugin/launch.h"

#define POOL_BACKOFF_FIRST_NS (100 * NS_PER_MS)
#define POOL_BACKOFF_MAX_NS (30 * NS_PER_S)
#define POOL_STEADY_NS (60 * NS_PER_S) /* a process that lived this long resets the backoff */
enum { POOL_DEFAULT_CALLS = 64 };

struct pool_options {
    struct loop *loop;
    struct log *log;          /* may be NULL */
    const char *cache_folder; /* of schemas; NULL: none */
    const char *const *env;   /* for the providers, as in launch_options; must outlive the pool; may be NULL */
    int64_t idle_ns;          /* 0: idle processes are kept */
    int64_t start_timeout_ns; /* 0: the launcher's own */
    unsigned max_calls;       /* leases at once per process; 0: POOL_DEFAULT_CALLS */
    bool no_tls;
};
struct pool;
struct pool *pool_new(const struct pool_options *options);
/* Ends all processes. Every lease must have been returned; handles that are still open are freed. */
void pool_free(struct pool *pool);

/* What to start, or to attach to. */
struct pool_source {
    struct str address;              /* registry.terraform.io/hashicorp/aws: the name in messages */
    struct str path;                 /* the binary; empty when attached */
    const struct reattach *reattach; /* NULL: start the binary */
    /*
     * For validation alone, which needs no credentials: the configuration is checked by the schema and by the provider, but the
     * provider is never configured. As in `terraform validate`, an empty configuration is not checked at all, because missing
     * arguments may come from the environment.
     */
    bool unconfigured;
    /* A process of its own instead of the shared one: for a call that may crash its process. */
    bool apart;
};

/* A deadline and a cancellation for waiting; NULL: neither. */
typedef struct grpc_call_options pool_wait;

struct pool_provider;
/*
 * The provider with this configuration (NULL: empty), checked and prepared as core does: read by the schema, validated by the
 * provider, then configured. Warnings stay in `diags`. If the same configuration is open already, it is shared: nothing is
 * started, and the warnings of the first opening are returned again. ENGINE_FAILED: the configuration was refused; ENGINE_LOST:
 * the provider could not be started, or was lost meanwhile.
 */
enum engine_status pool_open(struct pool *pool, const struct pool_source *source, const struct json *config,
                             const pool_wait *wait, struct diags *diags, struct pool_provider **ret);
/* The protocol that a provider speaks, if its schema has been loaded; 0: not known. For providers that could not be opened. */
int pool_protocol(struct pool *pool, const struct pool_source *source);
/* Closes a handle. With the last handle the process ends, once its calls are done. NULL is accepted. */
void pool_provider_close(struct pool_provider *w);

/* The schema of the process that was started last; valid as long as the pool. */
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
 * Waits for a slot, and for a process if there is none; first come, first served. ENGINE_LOST: the process could not be
 * restarted, or the deadline passed; ENGINE_FAILED: it was restarted, but now refuses its configuration. All borrowers that wait
 * for the same start get its result.
 */
enum engine_status pool_provider_borrow(struct pool_provider *w, const pool_wait *wait, struct diags *diags, struct lease *ret);
void lease_return(struct lease *lease);

/*
 * The user wants this call to end. If it has not returned after `grace_ns`, StopProvider is sent, and again every second while
 * calls are running, because a call that was sent earlier may reach the provider after the stop and would miss it. New calls go
 * to a new process from now on, since a provider is of no use after a stop; but if the call returns in time and no new process
 * was needed yet, the old one stays in use. Never blocks; may be called from a cancel_watch. The lease must stay borrowed until
 * this has returned.
 */
void lease_stop(struct lease *lease, int64_t grace_ns);

/*
 * New calls go to new processes from now on; the old ones end with their last call. Only tests use this so far, but it is the
 * only way to replace a provider that runs and does not answer, which a program that runs for days will need.
 */
void pool_provider_replace(struct pool_provider *w);

/* For tests and metrics. */
struct pool_counts {
    size_t providers; /* configurations that are open */
    size_t processes; /* running, including those that are starting or ending */
    size_t leases;    /* calls under way */
    uint64_t started; /* processes, so far */
    uint64_t lost;    /* of the started ones: ended by themselves */
};
struct pool_counts pool_count(struct pool *pool);
