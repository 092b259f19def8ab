/*
 * The emulator: the Cloud Control API for every type of a pack, driven by nothing but the schemas, to try things on and to test
 * with. What the real service was seen to do, it does: messages, tokens, progress, what is refused at the call and what fails
 * later. Where the schema is silent (what an ARN looks like, what a handler finds wrong) it makes something up that the schema
 * allows.
 *
 * It does what catches mistakes of clients: arrays without an order come back shuffled, write-only properties never, signatures
 * are checked.
 *
 * Two layers: answers to requests, without any network (here; thread-safe, one call at a time), and HTTP around it.
 */
#pragma once

#include "aws/sigv4.h"
#include "base/clock.h"
#include "cfn/pack.h"
#include "emulator/fault.h"

enum {
    EMULATOR_MAX_BODY = 1 << 20,
    EMULATOR_MAX_PAGE = 100,
    EMULATOR_PAGE = 20, /* of a list without MaxResults */
};

struct emulator_options {
    const struct cfn_pack *pack;
    const char *data; /* file; NULL: in memory */
    struct str account, region;
    struct str access_key, secret_key;  /* who may call; empty: signatures are not looked at */
    uint64_t throttle;                  /* every so many calls one is refused; 0: none */
    int64_t latency_ns;                 /* what an operation takes */
    const struct emulator_fault *fails; /* operations that fail */
    size_t n_fails;
    const struct emulator_fault *hooks; /* hooks that look at operations before they are done */
    size_t n_hooks;
    bool keep_order; /* arrays come back as they were given */
    const struct clock *clock;
};

struct emulator;
/* Texts and the pack must live as long. NULL and a diagnostic. */
struct emulator *emulator_new(const struct emulator_options *options, struct diags *diags);
void emulator_free(struct emulator *e); /* accepts NULL */

struct emulator_request {
    struct str method, path, query, body;
    const struct http_header *headers;
    size_t n_headers;
};

struct emulator_answer {
    long status;
    const char *content_type;
    const char *error; /* name of the exception; NULL: none */
    struct str request_id;
    struct str body;
};

/* Answers whatever comes; all in `a`. */
void emulator_answer(struct emulator *e, struct arena *a, const struct emulator_request *request, struct emulator_answer *ret);

/* --- HTTP --- */

struct emulator_server;
/* `address` as 127.0.0.1:0; port 0: any. NULL and a diagnostic. */
struct emulator_server *emulator_listen(struct emulator *e, const char *address, struct diags *diags);
unsigned emulator_port(const struct emulator_server *s);
/* Calls under way are answered first. */
void emulator_close(struct emulator_server *s);
