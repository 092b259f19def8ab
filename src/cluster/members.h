/*
 * Divides objects among several controllers: each has a Lease of its own, and an object belongs to the live member that ranks
 * first for it (rendezvous hashing: when a member joins or leaves, only its own objects move).
 *
 * No object ever belongs to two members at once. A member's Lease contains the list of members that it assumes (its view), and
 * the objects that it still holds although that view gives them to another. A member works on an object only if its own view
 * gives it the object, and no other live member's published view does or holds it. To change its view, a member first stops
 * working on what the new view gives away, then publishes the view, then reads the others' Leases; so of two members that could
 * claim the same object, one sees the other. A member that cannot renew its Lease stops before others may consider it dead, which
 * they judge by how long its Lease has not changed, on their own monotonic clocks; timestamps written by others are not used.
 */
#pragma once

#include "kube/client.h"

enum { MEMBERS_MAX = 256, MEMBERS_MAX_HELD = 4096 };

struct members_options {
    struct kube *client;
    struct str namespace, name; /* of the group; a Lease is called NAME-IDENTITY */
    struct str identity;        /* of this process: unique, and valid as the end of a name */
    struct log *log;
    const struct http_time *time;            /* NULL: the system's */
    int64_t duration_ns, renew_ns, retry_ns; /* 0: 15 s, 10 s, 2 s */
    /*
     * Objects that are still worked on although members_owns() is false for them: returns their number, and the first `max` of
     * them.
     */
    size_t (*held)(void *ctx, uint64_t *ret, size_t max);
    void *ctx;
};

struct members;
/* Joins the group; a thread of its own (`members`) renews the Lease. At first the member owns nothing. */
struct members *members_start(const struct members_options *options);
/* Leaves the group, whose other members then own our objects at once. Call it after the last write. NULL is accepted. */
void members_stop(struct members *m);

bool members_owns(struct members *m, uint64_t object);
/* False: the Lease could not be renewed in time. Then this member never owns anything again; to continue, join anew. */
bool members_live(struct members *m);
/* Increases whenever this member may own objects that it did not own before. */
uint64_t members_grown(struct members *m);

/* --- the rule, for tests --- */

struct members_view {
    const struct str *v; /* identities */
    size_t n;
};
/* Index of the member that owns the object; SIZE_MAX: there are no members. */
size_t members_owner(const struct members_view *view, uint64_t object);
