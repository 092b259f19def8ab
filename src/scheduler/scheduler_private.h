/* Private to this folder: sessions, operations and the lanes in which they run. Everything mutable is under the scheduler's lock.
 */
#pragma once

#include "base/lock.h"
#include "loop/workers.h"
#include "scheduler/backend.h"

#define LOCKED /* the lock (of the scheduler, where no other is named) is held by the caller */

enum job_kind { JOB_LOOK, JOB_CHANGE };
enum { JOB_KINDS = 2, RECORD_BUCKETS = 1024, LANE_KEY = 32 };

/* What a worker does: the observation of a session, or an operation. */
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
    uint64_t losses; /* of its lane when it began */
    bool lost_first; /* of those who lost the same process */
};

/* Those that wait, and how many run. */
struct lane_jobs {
    struct job *first, **last;
    unsigned running;
};

/* One provider configuration. One that is for suspects has a process of its own, and one job at a time. */
struct lane {
    struct lane *next;
    unsigned char key[LANE_KEY];
    bool alone;
    struct backend_provider *opened; /* NULL: not yet */
    struct lane_jobs lines[JOB_KINDS];
    unsigned n_jobs;
    unsigned timeouts; /* in a row */
    uint64_t losses;   /* of its process, or of the start of one */
    int64_t used;
};

/* What is known of an object beyond one pass. */
struct record {
    struct record *next;
    struct operation *operation; /* under way or not collected */
    unsigned strikes[JOB_KINDS]; /* ends of a process that it was present at, since it last came through */
    size_t n;
    char key[];
};

struct scheduler_session {
    struct job job; /* first */
    struct arena *arena;
    struct scheduler_item item;
    scheduler_wake_fn *wake;
    void *ctx;
    bool waking;
    bool ready; /* what follows is there, and stays as it is */
    struct observation seen;
    struct diags diags;
    enum scheduler_failure failure;
};

struct operation {
    struct job job; /* first */
    struct scheduler_session *session;
    struct scheduler_events events;
    bool destroy;
    struct scheduler_report report;
    struct arena *arena; /* of the result */
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
    pthread_cond_t changed; /* a wake has returned, a job has ended */
    struct lane *lanes;
    struct job *running;
    size_t n_jobs; /* waiting or running */
    int64_t timer_due;
    struct record *records[RECORD_BUCKETS];
    struct scheduler_counts counts;
};

/* lane.c: `lane_find` makes one where there is none. */
LOCKED struct lane *lane_find(struct scheduler *s, const unsigned char key[LANE_KEY], bool alone);
void lane_key(const struct scheduler *s, const struct scheduler_provider *p, unsigned char ret[LANE_KEY]);
/* The lane's provider, opened by whoever comes first. */
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
/* Where this object's work of this kind is to be done: suspects are kept apart. */
LOCKED void job_submit(struct job *j, const unsigned char key[LANE_KEY], struct str object);
void job_timer(void *scheduler);

/* record.c: `record_find` gives NULL where there is none. */
LOCKED struct record *record_find(struct scheduler *s, struct str key);
LOCKED struct record *record_get(struct scheduler *s, struct str key);
/* Drops it when nothing is left in it. */
LOCKED void record_tidy(struct scheduler *s, struct record *r);
void records_free(struct scheduler *s);

/* session.c, operation.c: what a job does, and its end; `end` as it is after all tries. */
enum backend_end session_look(struct scheduler_session *o);
void session_finish(struct scheduler_session *o, enum scheduler_failure failure);
void session_free(struct scheduler_session *o);
enum backend_end operation_change(struct operation *op);
void operation_finish(struct operation *op, enum scheduler_failure failure);
void operation_free(struct operation *op);
