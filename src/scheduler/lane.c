/*
 * Lanes: how many jobs may run at once for one provider configuration, and the queue of the waiting ones. A lane is identified by
 * a keyed hash of the configuration, so that it holds no secret.
 */
#include "scheduler/scheduler_private.h"

#include <openssl/hmac.h>
#include <stdlib.h>

#define MAX_CONFIG ((size_t)64 << 20) /* the same as the pool's */
enum { ROOM = 64 << 10 };             /* reserved at once, because growing the buffer would leave copies of secrets behind */

void lane_key(const struct scheduler *s, const struct scheduler_provider *p, unsigned char ret[LANE_KEY])
{
    struct buf text = BUF_INIT(MAX_CONFIG);
    (void)buf_room(&text, ROOM);
    struct json_writer w = {.out = &text};
    json_begin_array(&w);
    json_write_string(&w, p->address);
    json_write_string(&w, p->path);
    if (p->config)
        json_write(&w, p->config);
    json_end_array(&w);
    (void)json_finish(&w); /* a longer text shares a lane with others of the same beginning, but opening it fails */
    if (!HMAC(EVP_sha256(), s->key, sizeof s->key, (const unsigned char *)text.p, text.n, ret, NULL))
        abort(); /* no memory, or a libcrypto without SHA-256 */
    buf_wipe(&text);
}

/* `close` of a backend never blocks. */
LOCKED static void close_idle(struct scheduler *s, int64_t now)
{
    for (struct lane **link = &s->lanes; *link;) {
        struct lane *lane = *link;
        if (lane->n_jobs > 0 || now - lane->used < s->options.lane_idle_ns) {
            link = &lane->next;
            continue;
        }
        *link = lane->next;
        s->counts.lanes--;
        if (lane->opened)
            s->backend->ops->close(s->backend, lane->opened);
        free(lane);
    }
}

struct lane *lane_find(struct scheduler *s, const unsigned char key[LANE_KEY], bool alone)
{
    for (struct lane *lane = s->lanes; lane; lane = lane->next)
        if (lane->alone == alone && memcmp(lane->key, key, LANE_KEY) == 0)
            return lane;
    int64_t now = clock_now(&system_clock);
    close_idle(s, now);
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        abort();
    memcpy(lane->key, key, LANE_KEY);
    lane->alone = alone;
    lane->used = now;
    for (size_t i = 0; i < JOB_KINDS; i++)
        lane->lines[i].last = &lane->lines[i].first;
    lane->next = s->lanes;
    s->lanes = lane;
    s->counts.lanes++;
    return lane;
}

enum backend_end lane_open(struct scheduler *s, struct lane *lane, const struct backend_call *call, struct backend_provider **ret)
{
    mutex_lock(&s->lock);
    struct backend_provider *opened = lane->opened;
    mutex_unlock(&s->lock);
    if (!opened) {
        struct backend_provider *mine = NULL;
        enum backend_end end = s->backend->ops->open(s->backend, call, lane->alone, &mine);
        if (end != BACKEND_OK)
            return end;
        mutex_lock(&s->lock);
        if (!lane->opened) {
            lane->opened = mine;
            mine = NULL;
        }
        opened = lane->opened;
        mutex_unlock(&s->lock);
        if (mine)
            s->backend->ops->close(s->backend, mine);
    }
    *ret = opened;
    return BACKEND_OK;
}

static struct lane_jobs *line_of(struct lane *lane, enum job_kind kind)
{
    return lane->alone ? &lane->lines[0] : &lane->lines[kind];
}

static unsigned limit_of(const struct scheduler *s, const struct lane *lane, enum job_kind kind)
{
    if (lane->alone)
        return 1;
    return kind == JOB_LOOK ? s->options.provider_observations : s->options.provider_operations;
}

LOCKED static void advance(struct scheduler *s, struct lane *lane, enum job_kind kind)
{
    struct lane_jobs *line = line_of(lane, kind);
    while (line->first && line->running < limit_of(s, lane, kind)) {
        struct job *j = line->first;
        line->first = j->next_waiting;
        if (!line->first)
            line->last = &line->first;
        line->running++;
        s->counts.waiting--;
        s->counts.running++;
        workers_submit(s->workers[j->kind], job_run, j);
    }
}

void lane_enter(struct lane *lane, struct job *j)
{
    struct scheduler *s = j->scheduler;
    struct lane_jobs *line = line_of(lane, j->kind);
    j->lane = lane;
    j->next_waiting = NULL;
    *line->last = j;
    line->last = &j->next_waiting;
    lane->n_jobs++;
    s->n_jobs++;
    s->counts.waiting++;
    advance(s, lane, j->kind);
}

void lane_leave(struct job *j)
{
    struct scheduler *s = j->scheduler;
    struct lane *lane = j->lane;
    line_of(lane, j->kind)->running--;
    lane->n_jobs--;
    lane->used = clock_now(&system_clock);
    s->n_jobs--;
    s->counts.running--;
    advance(s, lane, j->kind);
    cond_broadcast(&s->changed);
}

void lanes_free(struct scheduler *s)
{
    while (s->lanes) {
        struct lane *lane = s->lanes;
        s->lanes = lane->next;
        if (lane->opened)
            s->backend->ops->close(s->backend, lane->opened);
        free(lane);
    }
}
