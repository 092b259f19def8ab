/*
 * How often a service may be asked: a bucket of tokens for each, shared by all threads. A call takes a token and waits for it
 * where there is none. Who is told to slow down halves the rate of that service, which grows back as answers come.
 */
#pragma once

#include "base/diag.h"
#include "base/str.h"
#include "http/timing.h"

struct rates;

enum { RATES_SLOWED = 8 }; /* calls a second of a service without limit that asks for less */

/* `time` NULL: the machine's. */
struct rates *rates_new(const struct http_time *time);
void rates_free(struct rates *l);
/* Calls a second; a second's worth may come at once. 0: as many as you like. */
void rates_set(struct rates *l, struct str service, double rate);
/* Takes a token. False: cancelled. */
bool rates_take(struct rates *l, struct str service, struct cancel *cancel);
/* It said that this is too much; or it answered. */
void rates_refused(struct rates *l, struct str service);
void rates_answered(struct rates *l, struct str service);
/* Does an error of a provider say that? In the words of the service, which providers pass on after they gave up. */
bool rates_is_refusal(const struct diags *diags);
/* For reports and tests; 0: none. */
double rates_rate(struct rates *l, struct str service);
