/* Misbehaviour on the wire and deliberate crashes: what a script may demand before, after or instead of a call's answer. */
#pragma once

#include "grpc/server.h"
#include "script.h"

/* Does what comes before the work: noise, latency, crash. True: the call was answered (or left without an answer) here. */
bool faults_before(const struct effect *e, struct grpc_call *call, struct str rpc);
/* Call it after the work and before the answer. */
void faults_acted(const struct effect *e);

/* Writes all of the text, as far as anybody reads it. */
void faults_say(int fd, struct str text);

/* Is there a handshake fault with this name (see README.md)? */
bool faults_is_handshake(struct str name);
/*
 * Carries out the fault. It returns if the provider is to be served after all (its handshake line is then altered on its way to
 * stdout).
 */
void faults_handshake(struct str name);
