/*
 * Which objects are whose, among several controllers that share the work: each has a Lease of its own, and an object belongs to
 * the live member that ranks first for it (rendezvous hashing: when one comes or goes, only its own objects move).
 *
 * No object is ever two members' at once. A member's Lease says by which list of members it works (its view), and which objects
 * it still holds although that view gives them to another. A member works on an object when its own view gives it the object and
 * no other live member's published view does, nor holds it. It stops first and publishes then, publishes first and looks
 * at the others then; so of two who could claim the same, one sees the other. Who cannot renew its Lease stops before others may
 * take it for dead: that is judged by how long its Lease has not changed, on the own monotonic clock; times that others write are
 * not read.
 */
#pragma once

#include "kube/client.h"

enum { MEMBERS_MAX = 256, MEMBERS_MAX_HELD = 4096 };

struct members_options {
    struct kube *client;
    struct str namespace, name; /* of the group; the Leases are NAME-IDENTITY */
    struct str identity;        /* of this process: unique, and the end of a valid name */
    struct log *log;
    const struct http_time *time;            /* NULL: the machine's */
    int64_t duration_ns, renew_ns, retry_ns; /* 0: 15 s, 10 s, 2 s */
    /* Objects that are still worked on and that members_owns() is false for: how many, and the first of them. */
    size_t (*held)(void *ctx, uint64_t *ret, size_t max);
    void *ctx;
};

struct members;
/* Joins, and renews by a thread of its own (`members`). Nothing is owned at first. */
struct members *members_start(const struct members_options *options);
/* Leaves: what was ours is another's at once. After the last act. NULL is accepted. */
void members_stop(struct members *m);

bool members_owns(struct members *m, uint64_t object);
/* False: the Lease could not be renewed in time. From then on nothing is owned, ever: who goes on joins anew. */
bool members_live(struct members *m);
/* Grows whenever something may be owned that was not. */
uint64_t members_grown(struct members *m);

/* --- the rules, for tests --- */

struct members_view {
    const struct str *v; /* identities */
    size_t n;
};
/* Which of them; SIZE_MAX: there is none. */
size_t members_owner(const struct members_view *view, uint64_t object);
