/*
 * Leader election with a Lease (coordination.k8s.io/v1), with the fields and rules of client-go, so that programs in Go can take
 * part. A Lease counts as expired when it has not changed for its duration by our own clock; we never compare our clock with
 * those of others.
 *
 * A separate thread (`election`) renews the Lease. A leader calls kube_election_leads() before it acts: it returns false as soon
 * as the Lease could not be renewed in time, a while before others may take it. After that it stays false: start a new election
 * to lead again.
 */
#pragma once

#include "kube/client.h"

struct kube_election;

struct kube_election_options {
    struct kube *client;
    struct str namespace, name; /* of the Lease */
    struct str identity;        /* of this process; must be unique */
    /* 0: client-go's defaults: 15 s, 10 s, 2 s. */
    int64_t duration_ns, renew_ns, retry_ns;
};

/* Copies the options and starts the thread. */
struct kube_election *kube_election_start(const struct kube_election_options *options);
/* Releases the Lease if we hold it, so that another process can lead at once. Accepts NULL. */
void kube_election_stop(struct kube_election *e);
bool kube_election_leads(struct kube_election *e);
/* Waits until we lead; returns false at the deadline. */
bool kube_election_wait(struct kube_election *e, int64_t deadline);

/* The decision as a pure function, for tests: what to do about the Lease in its current state. */
struct kube_lease {
    struct str holder, version;
    int64_t duration_ns, transitions;
    struct str acquired; /* when, as text */
};
enum kube_lease_step { KUBE_LEASE_TAKE, KUBE_LEASE_RENEW, KUBE_LEASE_WAIT };
/* `seen`: when the Lease was first seen in this state (monotonic). */
enum kube_lease_step kube_lease_step(const struct kube_lease *lease, struct str identity, int64_t seen, int64_t now);
/* Reads a Lease; false if the object is not a Lease. */
bool kube_lease_read(const struct json *object, struct kube_lease *ret);
