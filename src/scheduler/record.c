/* What is remembered of objects, by key. */
#include "scheduler/scheduler_private.h"

#include <stdlib.h>

static struct record **bucket(struct scheduler *s, struct str key)
{
    return &s->records[str_hash(key, s->seed) % RECORD_BUCKETS];
}

struct record *record_find(struct scheduler *s, struct str key)
{
    struct record *r = *bucket(s, key);
    while (r && !str_eq((struct str){r->key, r->n}, key))
        r = r->next;
    return r;
}

struct record *record_get(struct scheduler *s, struct str key)
{
    struct record *r = record_find(s, key);
    if (r)
        return r;
    r = calloc(1, sizeof *r + key.n);
    if (!r)
        abort();
    r->n = key.n;
    memcpy(r->key, key.p, key.n);
    struct record **head = bucket(s, key);
    r->next = *head;
    *head = r;
    return r;
}

void record_tidy(struct scheduler *s, struct record *r)
{
    if (!r || r->operation || r->strikes[JOB_LOOK] > 0 || r->strikes[JOB_CHANGE] > 0)
        return;
    struct record **link = bucket(s, (struct str){r->key, r->n});
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    free(r);
}

void records_free(struct scheduler *s)
{
    for (size_t i = 0; i < RECORD_BUCKETS; i++)
        while (s->records[i]) {
            struct record *r = s->records[i];
            s->records[i] = r->next;
            if (r->operation)
                job_unref(&r->operation->job);
            free(r);
        }
}

void scheduler_forget(struct scheduler *s, struct str key)
{
    MUTEX_GUARD(&s->lock);
    struct record *r = record_find(s, key);
    if (r)
        r->strikes[JOB_LOOK] = r->strikes[JOB_CHANGE] = 0;
    record_tidy(s, r);
}
