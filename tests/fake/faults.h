/*
 * Misbehaving on the wire and dying on purpose: what a script may ask of a call before, after or instead of its answer.
 */
#pragma once

#include "grpc/server.h"
#include "script.h"

/* Noise, latency, death before the call; then true when the call was answered (or left hanging) here. */
bool faults_before(const struct effect *e, struct grpc_call *call, struct str rpc);
/* After the work was done, before the answer. */
void faults_acted(const struct effect *e);

/* All of the text, as far as anybody reads it. */
void faults_say(int fd, struct str text);

/* Handshakes that go wrong: by name, see README.md. False: no such name. */
bool faults_is_handshake(struct str name);
/*
 * Does what the name says; returns when the provider shall be served after all (its handshake line is then altered on its way
 * to stdout).
 */
void faults_handshake(struct str name);
