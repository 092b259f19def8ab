/*
 * Private to this folder: sessions, operations and the lanes in which they run. The scheduler's lock protects everything mutable.
 */
#pragma once

#include "base/lock.h"
#include "loop/workers.h"
#include "scheduler/backend.h"

#define LOCKED /* the caller holds the lock (the scheduler's unless another is named) */

enum job_kind { JOB_LOOK, JOB_CHANGE };
enum { JOB_KINDS = 2, RECORD_BUCKETS = 1024, LANE_KEY = 32 };

/* The work of a worker: the observation of a session, or an operation. */
struct job {
    struct scheduler *scheduler;
    enum job_kind kind;
    unsigned refs;
    struct lane *lane;
    struct job *next_waiting;
    struct job *prev_running, *next_running;
    struct cancel *cancel;
    int64_t deadline;
    bool timed_out;
    uint64_t losses; /* `losses` of its lane when the job began */
    bool lost_first; /* the first of the jobs that lost the same process */
};

/* The waiting jobs, and the number of running ones. */
struct lane_jobs {
    struct job *first, **last;
    unsigned running;
};

/* One provider configuration. An `alone` lane is for suspects: it has a process of its own and runs one job at a time. */
struct lane {
    struct lane *next;
    unsigned char key[LANE_KEY];
    bool alone;
    struct backend_provider *opened; /* NULL: not yet */
    struct lane_jobs lines[JOB_KINDS];
    unsigned n_jobs;
    unsigned timeouts; /* in a row */
    uint64_t losses;   /* how often its process ended or could not be started */
    int64_t used;
};

/* What is known of an object across observations and operations. */
struct record {
    struct record *next;
    struct operation *operation; /* under way or not collected */
    unsigned strikes[JOB_KINDS]; /* ends of a process while the object had a job in it, since the last job that did not end so */
    size_t n;
    char key[];
};

struct scheduler_session {
    struct job job; /* must be first */
    struct arena *arena;
    struct scheduler_item item;
    scheduler_wake_fn *wake;
    void *ctx;
    bool waking;
    bool ready; /* the fields below are set and no longer change */
    struct observation seen;
    struct diags diags;
    enum scheduler_failure failure;
};

struct operation {
    struct job job; /* must be first */
    struct scheduler_session *session;
    struct scheduler_events events;
    bool destroy;
    struct scheduler_report report;
    struct arena *arena; /* for the result */
    struct diags diags;
    struct backend_result result;
    struct scheduler_details details;
};

struct scheduler {
    struct scheduler_options options;
    struct backend *backend;
    unsigned char key[LANE_KEY]; /* random */
    uint64_t seed;
    struct workers *workers[JOB_KINDS];
    struct loop_timer *timer;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signalled when a wake has returned or a job has ended */
    struct lane *lanes;
    struct job *running;
    size_t n_jobs; /* waiting or running */
    int64_t timer_due;
    struct record *records[RECORD_BUCKETS];
    struct scheduler_counts counts;
};

/* lane.c: `lane_find` creates the lane if there is none. */
LOCKED struct lane *lane_find(struct scheduler *s, const unsigned char key[LANE_KEY], bool alone);
void lane_key(const struct scheduler *s, const struct scheduler_provider *p, unsigned char ret[LANE_KEY]);
/* The lane's provider; the first caller opens it. */
enum backend_end lane_open(struct scheduler *s, struct lane *lane, const struct backend_call *call,
                           struct backend_provider **ret);
LOCKED void lane_enter(struct lane *lane, struct job *j);
LOCKED void lane_leave(struct job *j);
void lanes_free(struct scheduler *s);

/* job.c: runs on a worker. */
void job_run(void *arg);
void job_init(struct job *j, struct scheduler *s, enum job_kind kind);
LOCKED void job_ref(struct job *j);
void job_unref(struct job *j);
/* Puts the job into the lane for this object: suspects get the `alone` lane. */
LOCKED void job_submit(struct job *j, const unsigned char key[LANE_KEY], struct str object);
void job_timer(void *scheduler);

/* record.c: `record_find` returns NULL if there is no record; `record_get` creates it. */
LOCKED struct record *record_find(struct scheduler *s, struct str key);
LOCKED struct record *record_get(struct scheduler *s, struct str key);
/* Frees the record if it holds nothing any more. */
LOCKED void record_tidy(struct scheduler *s, struct record *r);
void records_free(struct scheduler *s);

/* session.c, operation.c: the work of a job, and its end; `failure` is the outcome after all tries. */
enum backend_end session_look(struct scheduler_session *o);
void session_finish(struct scheduler_session *o, enum scheduler_failure failure);
void session_free(struct scheduler_session *o);
enum backend_end operation_change(struct operation *op);
void operation_finish(struct operation *op, enum scheduler_failure failure);
void operation_free(struct operation *op);
