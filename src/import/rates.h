/*
 * Rate limits of services: a token bucket for each, shared by all threads. A call takes a token and waits if there is none. When
 * a service throttles a call, its rate is halved; it grows back with successful answers.
 */
#pragma once

#include "base/diag.h"
#include "base/str.h"
#include "http/timing.h"

struct rates;

enum { RATES_SLOWED = 8 }; /* calls a second for a service without a limit, once it throttles */

/* `time` NULL: the system clock. */
struct rates *rates_new(const struct http_time *time);
void rates_free(struct rates *l);
/* Calls a second; bursts of one second's worth are allowed. 0: unlimited. */
void rates_set(struct rates *l, struct str service, double rate);
/* Takes a token, waiting for it if necessary. False: cancelled. */
bool rates_take(struct rates *l, struct str service, struct cancel *cancel);
/* Report that the service throttled a call, or answered it. */
void rates_refused(struct rates *l, struct str service);
void rates_answered(struct rates *l, struct str service);
/*
 * Do the provider's errors say that the service throttled it? Looks for the service's own wording, which providers pass on when
 * they give up.
 */
bool rates_is_refusal(const struct diags *diags);
/* The current rate, for reports and tests; 0: unlimited. */
double rates_rate(struct rates *l, struct str service);
